"""Makes the library's objects of a case, runs it, and gathers all results of the run. Plants faults in runs."""

import numpy

import kickdrift as kd
import tables

ROOM = 2000  # This is the room for contacts and for events.
REALS = {"f32": numpy.float32, "f64": numpy.float64}
MAKERS = {"plane": kd.plane, "sphere": kd.sphere, "box": kd.box}
HOLDERS = {"rod": kd.on_rod, "rope": kd.on_rope, "plane": kd.on_plane, "sphere": kd.on_sphere}
WATCHERS = {"apsis": kd.watch_apsis, "plane": kd.watch_plane, "distance": kd.watch_distance}
BOUNDS = {name: getattr(kd, name) for name in tables.BOUNDARIES}


class Fault:
    """A planted fault. If `steps` is set, one call of a run takes one step less."""

    steps, taken = False, False

    @classmethod
    def cut(cls, steps):
        """Returns how many of `steps` steps a call takes."""
        if cls.steps and not cls.taken and steps > 0:
            cls.taken = True
            return steps - 1
        return steps


def force_of(force, dtype):
    """Returns the module's entry of a force."""
    row, values, arrays = tables.FORCES[force.kind], dict(force.values), {}
    for name, array in force.each.items():
        lent = numpy.ascontiguousarray(array, dtype)
        if row.built_in:
            arrays[name + "_each"] = lent
        else:
            values[name] = lent if lent.ndim == 1 else tuple(lent)
    if force.grid:
        values["grid"] = kd.forces.Grid(numpy.ascontiguousarray(force.grid["values"], dtype), force.grid["spacing"], force.grid["origin"],
                                        force.grid["edges"])
    return row.make(**values, **arrays, contribution=force.contribution)


def forces_of(case):
    """Returns the entries of all forces. A spring has anchors for the axes of the case alone."""
    dtype, made = REALS[case.real], []
    for force in case.forces:
        if tables.FORCES[force.kind].built_in:
            each = {name: array[:case.dims] if array.ndim > 1 else array for name, array in force.each.items()}
            force = type(force)(force.kind, force.values, each, force.contribution)
        made.append(force_of(force, dtype))
    return made


def interaction_of(part, dtype):
    """Returns the module's entry of an interaction."""
    if part.kind == "gravity":
        values, lengths = part.values, part.values.get("softening_each")
        return kd.gravity(numpy.ascontiguousarray(values["mu"], dtype), values["softening"], values["sources"],
                          None if lengths is None else numpy.ascontiguousarray(lengths, dtype))
    return kd.spring_network(**part.values)


def arguments_of(case):
    """The arguments of the Integrator or the System of a case, but for the method."""
    common = {
        "forces": forces_of(case), "dtype": REALS[case.real], "arithmetic": case.arithmetic, "backend": case.backend, "compensated": case.compensated, "flush_small_to_zero": case.flush,
        "colliders": [MAKERS[part.kind](**part.values) for part in case.colliders],
        "constraints": [HOLDERS[part.kind](**part.values) for part in case.constraints],
        "watches": [WATCHERS[part.kind](**part.values) for part in case.watches],
        "langevin": None if case.langevin is None else tuple(case.langevin), "compose": case.compose, "tableau": case.tableau,
        "fractions": case.fractions, "speed_of_light": case.light, "threads": case.threads, "dt": case.described_dt,
    }
    common["boundary"] = BOUNDS[case.boundary[0]](*case.boundary[1:]) if case.boundary else None
    if case.runner == "field":
        return common
    rods = {"distances": kd.rods(case.rods, case.lengths), "relaxation": case.relaxation} if case.rods else {}
    return {**common, **rods, "interactions": [interaction_of(part, REALS[case.real]) for part in case.interactions], "levels": case.levels}


def motion_of(case, **more):
    """The Integrator or the System of a case."""
    return (kd.Integrator if case.runner == "field" else kd.System)(case.method, **{**arguments_of(case), **more})


def arrays_of(case, arrange=numpy.array):
    """The arguments of the particles of a case. `arrange` makes arrays of those that have a row per axis."""
    dtype, count = REALS[case.real], case.count
    stops = any(watch.stop == "particle" for watch in case.watches)
    active = numpy.ones(count, numpy.uint8) if case.active is None and stops else case.active

    def one(array, kind):
        return None if array is None else arrange(numpy.array(array, kind)[None])[0]

    none = numpy.zeros(count)
    return {
        "x": arrange(case.x.astype(dtype)), "v": arrange(case.v.astype(dtype)), "inverse_mass": one(case.inverse_mass, dtype),
        "radius": one(case.radius, dtype), "active": one(active, numpy.uint8), "level": one(case.level, numpy.uint8),
        "id": one(case.id, numpy.uint64), "first_id": case.first_id, "bounces": one(none, numpy.uint32), "nonconverged": one(none, numpy.uint32),
        "dissipated_energy": arrange(numpy.zeros((2, count))), "error": one(none, dtype) if case.error else None,
        "images": arrange(numpy.zeros((case.dims, count), numpy.int32)) if case.boundary else None, "memory": case.memory,
        "compensation": case.memory and case.compensated, "contacts": ROOM if case.colliders and case.contacts and not stops else None,
        "events": ROOM if case.watches else None}


def particles_of(case, arrange=numpy.array):
    return kd.Particles(**arrays_of(case, arrange))


def has_module(case):
    """Returns True where a compiled field acts, which may be compiled for some backends only."""
    return any(tables.FORCES[kind].module for kind in case.kinds())


class Crowded(Exception):
    """A run had more events or contacts than there is room for."""


class Run:
    """A run of a case: its motion, particles and clock."""

    def __init__(self, case, arrange=numpy.array, **more):
        self.case, self.motion, self.particles = case, motion_of(case, **more), particles_of(case, arrange)
        self.clock = kd.Clock(case.dt, case.t0, case.step)

    def go(self, *calls):
        """Runs the given number of steps in each call."""
        for steps in calls:
            self.motion.run(self.particles, self.clock, Fault.cut(steps))
        return self

    def results(self):
        return gather(self.motion, self.particles, self.clock, self.case)

    def state(self):
        """Positions and velocities alone."""
        return {name: numpy.array(getattr(self.particles, name), float).reshape(self.case.dims, -1) for name in "xv"}


def events_of(particles):
    """Returns a row of numbers for each event."""
    found, lost = particles.events(again=True)
    if lost:
        raise Crowded
    rows = [(e["step"], e["particle"], e["watch"], e["direction"], e["time"], *e["x"], *e["v"]) for e in found]
    return numpy.array(rows, float).reshape(-1, 11)


def contacts_of(particles):
    """Returns a row of numbers for each bounce. The order is by step, particle, surface and time, which does not depend on the calls."""
    found, lost = particles.contacts()
    if lost:
        raise Crowded
    rows = [(c["step"], c["particle"], c["surface"], c["time"], *c["x"], *c["impulse"], c["speed"]) for c in found]
    return numpy.array(sorted(rows, key=lambda row: (row[0], row[1], row[2], row[3])), float).reshape(-1, 11)


def gather(motion, particles, clock, case):
    """Returns all results of a run by name, each as an array of numbers."""
    found = {"x": particles.x, "v": particles.v, "bounces": particles.bounces, "nonconverged": particles.nonconverged, "dissipated_energy": particles.dissipated_energy,
             "step": clock.step, "error": particles.error, "images": particles.images, "active": particles.active}
    rows = {"x": case.dims, "v": case.dims, "images": case.dims, "dissipated_energy": 2}
    found = {name: numpy.array(value, float) for name, value in found.items() if value is not None}
    found = {name: value.reshape(rows[name], -1) if name in rows else value.reshape(-1) if value.ndim else value for name, value in found.items()}
    if case.watches:
        found["events"] = events_of(particles)
    if particles._view.contacts:
        found["contacts"] = contacts_of(particles)
    seen = motion.observe(particles, clock)
    found.update(kinetic=numpy.array(seen.kinetic), potential=numpy.array(seen.potential), momentum=numpy.array(seen.momentum),
                 angular=numpy.array(seen.angular_momentum))
    return found


def results(case, calls=None):
    return Run(case).go(*(calls or [case.steps])).results()


def described(case):
    """Returns the parts of a case that differ from their defaults, in one line."""
    plain, words = type(case)(), []
    for name, value in vars(case).items():
        before = getattr(plain, name)
        is_array = isinstance(value, numpy.ndarray) or isinstance(before, numpy.ndarray)
        if not (numpy.array_equal(value, before) if is_array else value == before):
            words.append(f"{name}={value.tolist() if isinstance(value, numpy.ndarray) else value}")
    return " ".join(", ".join(words).split())
