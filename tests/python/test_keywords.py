"""Checks that every keyword of every function ends in the member of the same name. Each keyword gets a value of its own, which is read
back from the struct that the library receives. Tables list the keywords whose member has another name. A keyword fails if it is in the
tables but in no signature, or in a signature but in no table.
"""

import ctypes
import inspect
import itertools
import unittest
from unittest import mock

import numpy

import kickdrift
from kickdrift import library
from kickdrift.integrator import Made

COUNT = 4
SURFACE = {"restitution": 1, "friction": 1, "friction_normal": 1, "sliding": 1, "static_friction": 1, "velocity": 3, "since": 1}
WATCH = {"crossing": "crossing", "stop": "stop"}

# Each function has its member of the union and its keywords. A keyword has the count of its numbers (3 is a vector) or a kind.
ENTRIES = {
    "uniform_acceleration": ("as_.uniform_acceleration", {"a": 3, "contribution": "contribution"}),
    "uniform_force": ("as_.uniform_force", {"f": 3, "contribution": "contribution"}),
    "spring": ("as_.spring", {"k": 3, "at": 3, "k_each": "array", "at_each": "arrays", "contribution": "contribution"}),
    "drag": ("as_.drag", {"b": 3, "wind": 3, "b_each": "array", "contribution": "contribution"}),
    "quadratic_drag": ("as_.quadratic_drag", {"c": 1, "wind": 3, "contribution": "contribution"}),
    "electromagnetic": ("as_.electromagnetic", {"charge": 1, "e": 3, "b": 3, "contribution": "contribution"}),
    "centre": ("as_.centre", {"mu": 1, "at": 3, "softening": 1, "contribution": "contribution"}),
    "driven": ("as_.driven", {"a": 3, "omega": 1, "phase": 1, "contribution": "contribution"}),
    "plane": ("as_.plane", {"point": 3, "normal": 3, **SURFACE}),
    "sphere": ("as_.sphere", {"at": 3, "radius": 1, "inside": "flag", **SURFACE}),
    "box": ("as_.box", {"min": 3, "max": 3, "inside": "flag", **SURFACE}),
    "on_rod": ("as_.rod", {"to": 3, "length": 1}),
    "on_rope": ("as_.rope", {"to": 3, "length": 1}),
    "on_plane": ("as_.plane", {"point": 3, "normal": 3}),
    "on_sphere": ("as_.sphere", {"at": 3, "radius": 1}),
    "watch_apsis": ("", {"at": 3, **WATCH}),
    "watch_plane": ("", {"point": 3, "normal": 3, **WATCH}),
    "watch_distance": ("", {"at": 3, "radius": 1, **WATCH}),
    "gravity": ("as_.gravity", {"mu": "array", "softening": 1, "sources": "count", "softening_each": "array"}),
}
# These members have another name than their keyword.
OTHER = {("watch_plane", "point"): "at", ("watch_distance", "radius"): "distance", "stop": "action"}
KINDS = {"uniform_acceleration": 0, "uniform_force": 1, "spring": 2, "drag": 3, "quadratic_drag": 4, "electromagnetic": 5, "centre": 6, "driven": 7, "on_rod": 0,
         "on_rope": 1, "on_plane": 2, "on_sphere": 3, "plane": 0, "sphere": 1, "box": 2, "watch_apsis": 1, "watch_plane": 2, "watch_distance": 3, "gravity": 0}
# Other tests below check these, or they are not part of a struct.
HELD_ELSEWHERE = {"Grid", "field", "fields", "watch", "periodic", "absorbing"}


def value_of(kind, numbers):
    """Returns a value for a keyword, and the value that its member must then have."""
    if kind == 1:
        number = next(numbers)
        return number, number
    if kind == 3:
        vector = tuple(itertools.islice(numbers, 3))
        return vector, vector
    if kind == "array":
        array = numpy.full(COUNT, next(numbers))
        return array, array.ctypes.data
    if kind == "arrays":
        arrays = [numpy.full(COUNT, next(numbers)) for _ in range(3)]
        return arrays, tuple(array.ctypes.data for array in arrays)
    return {"flag": (True, True), "count": (3, 3), "contribution": ("average", library.enumerator("contribution", "average")), "crossing": ("falling", 2),
            "stop": ("run", 2)}[kind]


def at(struct, path):
    for name in filter(None, path.split(".")):
        struct = getattr(struct, name)
    return struct


def plain(value):
    return tuple(value) if isinstance(value, ctypes.Array) else value


class Keywords(unittest.TestCase):
    def expect(self, function, struct, arm, wanted):
        for keyword, expected in wanted.items():
            member = OTHER.get((function, keyword), OTHER.get(keyword, keyword))
            union = at(struct, arm)
            found = getattr(union, member) if hasattr(union, member) else getattr(struct, member)
            self.assertEqual(plain(found), expected, f"{function}({keyword}=...)")

    def test_forces_colliders_constraints_and_watches(self):
        for function, (arm, kinds) in ENTRIES.items():
            call = getattr(kickdrift, function)
            self.assertEqual(set(inspect.signature(call).parameters), set(kinds), function)
            numbers = (0.5 + 0.125 * n for n in itertools.count(1))
            given = {keyword: value_of(kind, numbers) for keyword, kind in kinds.items()}
            entry = call(**{keyword: value for keyword, (value, _) in given.items()})
            self.expect(function, entry.struct, arm, {keyword: expected for keyword, (_, expected) in given.items()})
            self.assertEqual(entry.struct.kind, KINDS[function], function)

    def test_every_function_is_in_the_table(self):
        self.assertEqual(set(kickdrift.forces.__all__), set(ENTRIES) - {"gravity"} | HELD_ELSEWHERE)

    def test_parameters_of_fields(self):
        for name, parameters in kickdrift.fields().items():
            given, numbers = {}, (2.0 + 0.125 * n for n in itertools.count(1))
            known = kickdrift.forces.parameters_of(kickdrift.forces.named_fields()[name])
            for parameter in parameters:
                if parameter != "grid":
                    given[parameter] = tuple(itertools.islice(numbers, known[parameter][1]))
            struct = kickdrift.field(name, **{key: value if len(value) == 3 else value[0] for key, value in given.items()}).struct
            for parameter, value in given.items():
                first = known[parameter][0]
                self.assertEqual(tuple(struct.as_.custom.parameter[first:first + len(value)]), value, f"field({name!r}, {parameter}=...)")

    def test_boundaries_grids_and_clocks(self):
        for kind, function in ((1, kickdrift.periodic), (2, kickdrift.absorbing)):
            self.assertEqual(list(inspect.signature(function).parameters), ["min", "max"])
            made = function(min=(1, 2, 3), max=(4, 5, 6))
            self.assertEqual((made.kind, tuple(made.min), tuple(made.max)), (kind, (1, 2, 3), (4, 5, 6)))
        self.assertEqual(list(inspect.signature(kickdrift.Grid).parameters), ["values", "spacing", "origin", "edges"])
        values = numpy.zeros((2, 3, 4, 5))
        grid = kickdrift.Grid(values=values, spacing=(1, 2, 3), origin=(4, 5, 6), edges=("periodic", "clamped", "periodic")).struct
        self.assertEqual((grid.dims, grid.components, tuple(grid.nodes), tuple(grid.edge)), (3, 5, (2, 3, 4), (1, 0, 1)))
        self.assertEqual((tuple(grid.spacing), tuple(grid.origin), grid.values), ((1, 2, 3), (4, 5, 6), values.ctypes.data))
        self.assertEqual((tuple(grid.stride), grid.component_stride), ((60, 20, 5), 1))
        clock = kickdrift.Clock(dt=0.5, t0=2.0, step=7)
        self.assertEqual((clock.dt, clock.t0, clock.step), (0.5, 2.0, 7))

    def test_springs_and_rods(self):
        self.assertEqual(list(inspect.signature(kickdrift.spring_network).parameters), ["between", "k", "length", "damping", "contribution"])
        rows = kickdrift.spring_network(between=[(1, 2), (3, 4)], k=(5, 6), length=(7, 8), damping=(9, 10), contribution="exact").rows
        exact = library.enumerator("contribution", "exact")
        self.assertEqual([tuple(row[name] for name in ("a", "b", "k", "length", "damping", "contribution")) for row in rows],
                         [(1, 2, 5, 7, 9, exact), (3, 4, 6, 8, 10, exact)])
        self.assertEqual(list(inspect.signature(kickdrift.rods).parameters), ["between", "length"])
        self.assertEqual([tuple(row[name] for name in ("a", "b", "length")) for row in kickdrift.rods(between=[(1, 2), (3, 4)], length=(5, 6))],
                         [(1, 2, 5), (3, 4, 6)])

    def described(self, cls, given):
        """Returns the description that the library receives when every keyword of the class is given."""
        self.assertEqual(set(inspect.signature(cls).parameters), set(given), cls.__name__)
        with mock.patch.object(Made, "_create", lambda self: ctypes.c_void_p()):
            return cls(**given)._description

    def motion(self, d, wanted):
        """Checks the members that descriptions of field runs and of system runs share. The lists have different lengths, so that a mix-up
        is seen."""
        self.assertEqual(d.method, library.enumerator("method", "rk4"))
        self.assertEqual((d.real, d.arithmetic, d.backend), (0, library.enumerator("arithmetic", "unfused"), library.enumerator("backend", "scalar")))
        self.assertEqual((d.force_count, d.collider_count, d.constraint_count, d.watch_count), (1, 2, 3, 4))
        self.assertEqual((d.forces[0].kind, d.colliders[1].kind, d.constraints[2].kind, d.watches[3].kind), (1, 1, 2, 2))
        self.assertEqual((d.tableau[0].stages, tuple(d.tableau[0].a[1][:2]), tuple(d.tableau[0].b[:2]), tuple(d.tableau[0].c[:2])),
                         (2, (0.75, 0), (0.25, 0.5), (0, 0.125)))
        self.assertEqual((d.fractions[0].count, tuple(d.fractions[0].kick[:2]), tuple(d.fractions[0].drift[:2])), (2, (0.25, 0.75), (0.375, 0.625)))
        self.assertEqual((d.substeps[0].count, tuple(d.substeps[0].fraction[:3])), (3, (0.25, 0.5, 0.375)))
        self.assertEqual((d.langevin.friction, d.langevin.temperature, d.langevin.seed), (2.0, 3.0, 4))
        self.assertEqual((d.boundary.kind, tuple(d.boundary.min), tuple(d.boundary.max)), (1, (1, 2, 3), (4, 5, 6)))
        self.assertEqual((d.speed_of_light, d.dt), (5.0, 6.0))
        self.assertEqual(bool(d.executor.parallel_for), True)
        for name, value in wanted.items():
            self.assertEqual(getattr(d, name), value, name)

    def all_of_motion(self, **others):
        up = (0, 0, 1)
        return dict(method="rk4", forces=[kickdrift.uniform_force(up)], dtype=numpy.float32, arithmetic="unfused", backend="scalar", threads=2,
                    tableau=([[], [0.75]], [0.25, 0.5], [0, 0.125]), fractions=([0.25, 0.75], [0.375, 0.625]), compose=(0.25, 0.5, 0.375),
                    langevin=(2.0, 3.0, 4), colliders=[kickdrift.plane(up, up), kickdrift.sphere(up, 1)],
                    constraints=[kickdrift.on_rod(up, 1), kickdrift.on_rope(up, 1), kickdrift.on_plane(up, up)],
                    boundary=kickdrift.periodic((1, 2, 3), (4, 5, 6)), watches=[kickdrift.watch_apsis()] * 3 + [kickdrift.watch_plane(up, up)],
                    speed_of_light=5.0, dt=6.0, **others)

    def test_integrators_and_system_runs(self):
        flags = ("compensated", "flush_small_to_zero")
        more = ("velocity_dependent", "levels", "rows")
        for on in flags:
            given = {name: name == on for name in flags}
            self.motion(self.described(kickdrift.Integrator, self.all_of_motion(**given)), given)
        for on in flags + more:
            given = {name: name == on for name in flags + more}
            functions = {name: mock.Mock() for name in ("accelerations", "potential", "magnetic", "slopes")}
            d = self.described(kickdrift.System, self.all_of_motion(interactions=[kickdrift.spring_network([(0, 1)], 1)] * 5, distances=kickdrift.rods([(0, 1)] * 6, 1),
                                                                     tolerance=0.25, sweeps=7, relaxation=1.5, first_id=True, **functions, **given))
            self.motion(d, given)
            self.assertEqual((d.interaction_count, d.distance_count), (5, 6))
            self.assertEqual((d.distance_tolerance, d.distance_sweeps, d.distance_relaxation), (0.25, 7, 1.5))
        for name in functions:
            d = self.described(kickdrift.System, self.all_of_motion(
                interactions=(), distances=None, tolerance=0.25, sweeps=7, relaxation=1.5, first_id=False, **{name_: None for name_ in functions if name_ != name},
                **{name: mock.Mock()}, **dict.fromkeys(flags + more, False)))
            self.assertEqual([other for other in functions if getattr(d, other)], [name])

    def test_pairs_and_distances(self):
        d = self.described(kickdrift.Pairs, dict(interactions=[kickdrift.spring_network([(0, 1)], 1)] * 2, dtype=numpy.float32, arithmetic="unfused", backend="scalar", threads=2,
                                                 box=(4, 5, 6)))
        self.assertEqual((d.force_count, d.real, d.arithmetic, d.backend, tuple(d.box)), (2, 0, 1, 1, (4, 5, 6)))
        d = self.described(kickdrift.DistanceConstraints, dict(distances=kickdrift.rods([(0, 1)] * 3, 1), tolerance=0.25, sweeps=7, relaxation=1.5, dtype=numpy.float32,
                                                     arithmetic="unfused", backend="scalar", threads=2, box=(4, 5, 6)))
        self.assertEqual((d.count, d.tolerance, d.sweeps, d.relaxation, d.real, d.arithmetic, d.backend, tuple(d.box)), (3, 0.25, 7, 1.5, 0, 1, 1, (4, 5, 6)))

    def test_particles(self):
        arrays = {"inverse_mass": "f8", "active": "u1", "level": "u1", "id": "u8", "bounces": "u4", "nonconverged": "u4", "error": "f8", "radius": "f8"}
        given = {name: numpy.ones(COUNT, dtype) for name, dtype in arrays.items()}
        axes = {"x": 3, "v": 3, "dissipated_energy": 2, "images": 3}
        given |= {name: [numpy.zeros(COUNT, "i4" if name == "images" else "f8") for _ in range(count)] for name, count in axes.items()}
        others = {"first_id": 0, "memory": True, "compensation": True, "contacts": 5, "events": 6}
        self.assertEqual(set(inspect.signature(kickdrift.Particles).parameters), set(given) | set(others))
        particles = kickdrift.Particles(**given, **others)
        view = particles._view
        for name in arrays:
            self.assertEqual(getattr(view, name), given[name].ctypes.data, name)
        for name, count in axes.items():
            self.assertEqual(tuple(getattr(view, name))[:count], tuple(array.ctypes.data for array in given[name]), name)
        self.assertEqual((view.contacts[0].capacity, view.events[0].capacity, bool(view.memory[0]), bool(view.compensation[5])), (5, 6, True, True))
        self.assertEqual(kickdrift.Particles([numpy.zeros(2)], [numpy.zeros(2)], first_id=7)._view.first_id, 7)


if __name__ == "__main__":
    unittest.main()
