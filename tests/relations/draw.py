"""Draws random cases. A case is a method, forces, walls, watches and particles, as plain data that relations can change."""

import copy
import inspect
import random

import numpy

import kickdrift as kd
import run
import tables
from run import HOLDERS
from tables import FORCES, METHODS

SURFACES = ("plane", "sphere", "box")
HELD = ("rod", "rope", "plane", "sphere")
WATCHED = ("apsis", "plane", "distance")
# Arguments that are not drawn here: functions.py draws functions, a looser tolerance allows what relations refuse, and System takes the default
# contribution of springs.
OTHERWISE = {"System": {"method", "accelerations", "potential", "magnetic", "slopes", "velocity_dependent", "rows", "first_id", "tolerance",
                         "sweeps"},
             "spring_network": {"contribution"}}


def check():
    """Raises an error where the module has a kind of surface, constraint or watch that is not drawn here."""
    watches = {name.removeprefix("watch_") for name in tables.functions_with("crossing")} - {"watch"}  # The function for user-defined watches is not a kind of watch.
    held = {name.removeprefix("on_") for name in kd.forces.__all__ if name.startswith("on_")}
    for drawn, there in ((SURFACES, tables.functions_with("restitution")), (HELD, held), (WATCHED, watches)):
        if set(drawn) != there:
            raise SystemExit(f"relations: the module has {', '.join(sorted(there))}, and draw.py draws {', '.join(drawn)}")
    system = Case()
    system.runner, system.rods, system.lengths, system.x, system.v = "system", [(0, 1)], [1.0], numpy.eye(1, 2), numpy.zeros((1, 2))
    rng = random.Random(1)
    for made, given in ((kd.Integrator, run.arguments_of(Case())), (kd.System, run.arguments_of(system)), (kd.Particles, run.arrays_of(Case())),
                        (kd.gravity, draw_gravity(rng, 2).values), (kd.spring_network, draw_spring_network(rng, 2).values)):
        if missing := set(inspect.signature(made).parameters) - set(given) - OTHERWISE.get(made.__name__, {"method"}):
            raise SystemExit(f"relations: {made.__name__} takes {', '.join(sorted(missing))}, which draw.py does not draw")


class Case:
    """A case says everything about a run: the description, the particles and the clock."""

    def __init__(self):
        self.runner, self.method, self.real, self.arithmetic, self.backend = "field", "velocity-verlet", "f64", "fused", "auto"
        self.dims, self.x, self.v = 1, numpy.zeros((1, 1)), numpy.zeros((1, 1))
        self.inverse_mass = self.radius = self.active = self.level = self.id = None
        self.first_id, self.levels = 0, False
        self.forces, self.colliders, self.constraints, self.watches, self.boundary = [], [], [], [], None
        self.interactions, self.rods, self.lengths, self.relaxation = [], [], None, 1.0
        self.compose = self.tableau = self.fractions = self.langevin = self.threads = None
        self.compensated = self.flush = self.error = False
        self.memory, self.contacts, self.light, self.described_dt = True, True, 0.0, 0.0
        self.dt, self.t0, self.step, self.steps = 1 / 32, 0.0, 0, 4

    @property
    def count(self):
        return self.x.shape[1]

    @property
    def row(self):
        return METHODS[self.method]

    def copy(self, **changes):
        other = copy.deepcopy(self)
        for name, value in changes.items():
            if not hasattr(other, name):
                raise AttributeError(name)
            setattr(other, name, value)
        return other

    def kinds(self):
        return [force.kind for force in self.forces]

    def stops(self):
        return any(watch.stop for watch in self.watches)

    def interacts(self):
        return bool(self.interactions or self.rods)

    def is_noisy(self):
        return bool(self.langevin and self.langevin[1])

    def has_walls(self):
        return bool(self.colliders or self.constraints or self.boundary)

    def each(self):
        """Returns True where a force has an array of one number per particle."""
        return any(force.each for force in self.forces)


class Force:
    """A force is an entry of a list of forces. `values` holds a parameter for all particles, `each` an array with one value per particle."""

    def __init__(self, kind, values, each=None, contribution="default", grid=None):
        self.kind, self.values, self.each, self.contribution, self.grid = kind, values, each or {}, contribution, grid

    def __repr__(self):
        return f"{self.kind} {self.values}" + (f" each {sorted(self.each)}" if self.each else "") + (
            f" {self.contribution}" if self.contribution != "default" else "") + (" grid" if self.grid else "")


class Part:
    """A part is a surface, a constraint, a watch or an interaction. It has a kind, and the arguments of the module's function."""

    def __init__(self, kind, **values):
        self.kind, self.values = kind, values

    @property
    def stop(self):
        return self.values.get("stop")

    def is_around(self):
        """True for a surface that is flat, or that particles live inside."""
        return self.kind == "plane" or self.values.get("inside", False)

    def __repr__(self):
        return f"{self.kind} {self.values}"


def vector(rng, low, high, dims=3):
    return [rng.uniform(low, high) if axis < dims else 0.0 for axis in range(3)]


def unit(rng, dims):
    direction = numpy.array(vector(rng, -1, 1, dims))
    return direction / max(numpy.linalg.norm(direction), 1e-9)


def draw_value(rng, parameter, dims):
    """Draws a number or a vector for a parameter, within its range."""
    quantity = parameter.quantity
    low, high = max(quantity.low, parameter.low), min(quantity.high, parameter.high)
    if not low <= high:
        low = high = parameter.low if quantity.low < parameter.low else parameter.high
    if quantity is tables.QUANTITIES["whole"]:
        return float(rng.randint(int(low), int(high)))
    if quantity.kind == "number":
        return rng.uniform(low, high)
    if quantity.kind == "axes":
        return [rng.uniform(low, high)] * 3 if rng.random() < 0.6 else vector(rng, low, high)
    if quantity.kind == "axial":
        return vector(rng, low, high) if dims == 3 else [0.0, 0.0, rng.uniform(low, high)]
    return vector(rng, low, high, dims)


def draw_grid(rng, kind, dims):
    """Draws numbers on nodes around the particles, or on times."""
    row = FORCES[kind]
    is_table, axes = kind in tables.TABLES, row.grid_axes or rng.randint(1, dims)
    nodes = [rng.randint(2, 6) for _ in range(axes)]
    values = numpy.array([rng.uniform(-0.5, 0.5) for _ in range(int(numpy.prod(nodes)) * row.grid)]).reshape(*nodes, row.grid)
    if is_table:
        values[..., dims:] = 0
    return {"values": values, "spacing": rng.uniform(0.2, 0.8), "origin": -1.0 if not is_table else rng.uniform(-3, 0),
            "edges": [rng.choice(tables.EDGES) for _ in range(axes)]}


def draw_force(rng, kind, dims, count, arrays=True):
    row = FORCES[kind]
    values = {name: draw_value(rng, parameter, dims) for name, parameter in row.parameters.items()}
    if kind in tables.FAR:
        values["at"] = list(5 * unit(rng, dims))
    if "normal" in values and "at" in values:
        values["normal"] = list(unit(rng, dims))
        values["at"] = [-6 * part for part in values["normal"]]
    force = Force(kind, values, grid=draw_grid(rng, kind, dims) if row.grid else None)
    if arrays and rng.random() < 0.3:
        lent = [name for name, parameter in row.parameters.items() if parameter.each and name not in ("normal", "axis", "seed")]
        if kind in tables.FAR or "normal" in values:
            lent = [name for name in lent if name != "at"]
        for name in rng.sample(lent, min(len(lent), rng.choice([1, 1, 2]))):
            force.each[name] = draw_each(rng, row.parameters[name], dims, count)
    return force


def draw_each(rng, parameter, dims, count):
    """Returns an array of one value per particle. For a vector parameter it has one row per axis."""
    drawn = [draw_value(rng, parameter, dims) for _ in range(count)]
    if parameter.quantity.kind == "number":
        return numpy.array(drawn)
    rows = numpy.array(drawn).T.reshape(3, count)
    return rows[0].copy() if parameter.quantity.kind == "axes" else rows.copy()


def draw_surface(rng, dims, moving=False):
    """Draws a wall with most particles on its right side. Some of them will reach it."""
    kind = rng.choice(SURFACES)
    if kind == "plane":
        normal = unit(rng, dims)
        values = {"point": list(-rng.uniform(1.2, 1.9) * normal), "normal": list(rng.uniform(0.5, 2) * normal)}
    elif kind == "sphere":
        values = {"at": vector(rng, -0.1, 0.1, dims), "radius": rng.uniform(1.9, 2.2), "inside": True}
    else:
        values = {"min": vector(rng, -1.3, -1.05), "max": vector(rng, 1.05, 1.3), "inside": True}
    values["restitution"] = rng.choice([1.0, rng.uniform(0, 1)])
    for name in tables.COEFFICIENTS:
        if name != "restitution" and rng.random() < 0.2:
            values[name] = rng.uniform(0, 0.5)
    if "static_friction" in values:
        values["static_friction"] += values.get("sliding", 0.0)
    if moving:
        values["velocity"], values["since"] = vector(rng, -0.5, 0.5, dims), 0.0
    return Part(kind, **values)


def draw_obstacle(rng, case):
    """Draws a solid where no particle begins, or None where there is no room for it."""
    for _ in range(8):
        at, size = vector(rng, -0.8, 0.8, case.dims), rng.uniform(0.1, 0.3)
        if rng.random() < 0.5:
            part = Part("sphere", at=at, radius=size)
        else:
            part = Part("box", min=[a - size for a in at], max=[a + rng.uniform(0.5, 1) * size for a in at])
        part.values.update(inside=False, restitution=rng.choice([1.0, rng.uniform(0, 1)]))
        if (outside(part, case) < 0).all():
            return part
    return None


def draw_constraints(rng, dims):
    """Draws one constraint, or in space two that do not contradict each other; otherwise neither would hold."""
    first = draw_constraint(rng, dims)
    if dims < 3 or rng.random() < 0.8:
        return [first]
    return [first, draw_constraint(rng, dims, "plane")] if first.kind != "plane" else [first, draw_constraint(rng, dims, "sphere")]


def draw_constraint(rng, dims, kind=None):
    kind = kind or rng.choice(HELD)
    if kind in ("rod", "rope"):
        return Part(kind, to=vector(rng, -0.2, 0.2, dims), length=rng.uniform(0.7, 1.5))
    if kind == "plane":
        return Part(kind, point=vector(rng, -0.2, 0.2, dims), normal=vector(rng, -1, 1, dims))
    return Part(kind, at=vector(rng, -0.2, 0.2, dims), radius=rng.uniform(0.7, 1.5))


def draw_watch(rng, dims):
    kind = rng.choice(WATCHED)
    values = {"crossing": rng.choice([None, None, "rising", "falling"]), "stop": "particle" if rng.random() < 0.15 else None}
    if kind == "apsis":
        return Part(kind, at=vector(rng, -0.3, 0.3, dims), **values)
    if kind == "plane":
        return Part(kind, point=vector(rng, -0.5, 0.5, dims), normal=vector(rng, -1, 1, dims), **values)
    return Part(kind, at=vector(rng, -0.3, 0.3, dims), radius=rng.uniform(0.3, 1.2), **values)


def draw_boundary(rng, kind=None):
    return [kind or rng.choice(tables.BOUNDARIES), vector(rng, -1.3, -1.05), vector(rng, 1.05, 1.3)]


def draw_spring_network(rng, count):
    pairs = [(n, n + 1) for n in range(count - 1)]
    return Part("spring_network", between=pairs, k=[rng.uniform(0.5, 3) for _ in pairs], length=[rng.uniform(0.1, 0.6) for _ in pairs],
                damping=[rng.choice([0.0, rng.uniform(0, 0.5)]) for _ in pairs])


def draw_gravity(rng, count):
    lengths = numpy.array([rng.uniform(0.1, 0.3) for _ in range(count)]) if rng.random() < 0.3 else None
    return Part("gravity", mu=numpy.array([rng.uniform(0.05, 0.3) for _ in range(count)]), softening=rng.uniform(0.3, 0.6),
                sources=rng.choice([count, count, (count + 1) // 2]), softening_each=lengths)


def draw_particles(rng, case):
    """Draws particles within 1 of the origin. Some are frozen, inactive, have ids or have a level."""
    case.dims, count = rng.choice([1, 2, 2, 3, 3, 3]), rng.choice([1, 2, 3, 5, 8, 9, 17, 33])
    case.x, case.v = (numpy.array([[rng.uniform(-1, 1) for _ in range(count)] for _ in range(case.dims)]) for _ in "xv")
    if rng.random() < 0.5:
        case.inverse_mass = numpy.array([rng.choice([0.0, 1.0, 2.0, *(rng.uniform(0.2, 3) for _ in range(3))]) for _ in range(count)])
    if rng.random() < 0.2:
        case.active = numpy.array([rng.random() < 0.7 for _ in range(count)], numpy.uint8)
    if rng.random() < 0.2:
        case.level = numpy.array([rng.choice([0, 0, 1, 2, 3]) for _ in range(count)], numpy.uint8)
    if rng.random() < 0.3:
        case.id = numpy.array(rng.sample(range(1000), count), numpy.uint64)
    case.first_id = rng.choice([0, 0, 7])


def draw_forces(rng, case):
    weights = [6 if row.built_in else 1 for row in FORCES.values()]
    for kind in rng.choices(list(FORCES), weights, k=rng.choice([0, 1, 1, 2, 2, 3])):
        force = draw_force(rng, kind, case.dims, case.count)
        if case.method == "kinematic" and rng.random() < 0.5:
            force.contribution = rng.choice(tables.CONTRIBUTIONS)
        case.forces.append(force)


def draw_method(rng, case):
    case.method, case.real, case.arithmetic = rng.choice(list(METHODS)), rng.choice(["f64", "f64", "f32"]), rng.choice(["fused", "unfused"])
    row = case.row
    if row.heat_bath:
        case.langevin = [rng.uniform(0, 2), rng.uniform(0, 1), rng.randrange(5)]
    if row.family == "magnetic" and rng.random() < 0.2:
        case.light = rng.uniform(2, 5)
    if row.reversible and row.order == 2 and rng.random() < 0.3:
        case.compose = rng.choice([*tables.COMPOSITIONS, [0.3, 0.4, 0.3]])
    case.error = bool(row.order_estimate) and rng.random() < 0.5
    case.compensated, case.flush = rng.random() < 0.2, rng.random() < 0.1


def hold(case):
    """Puts the particles on their constraints. The first step of a run would do this too, but differs from the other steps."""
    x, v = case.x.copy(), case.v.copy()
    for _ in range(3):  # Two constraints need more than one call from far away.
        kd.hold(kd.Particles(x, v), [HOLDERS[part.kind](**part.values) for part in case.constraints])
    case.x, case.v = x, v


def begins_outside(case):
    """Returns True where a particle begins on the wrong side of a surface, to which the first step carries it."""
    return any((outside(part, case) > 0).any() for part in case.colliders)


def outside(part, case):
    """Returns how far each particle is on the wrong side of a surface, or how far its ball reaches there."""
    values = {name: numpy.array(value)[:case.dims, None] if isinstance(value, list) else value for name, value in part.values.items()}
    if part.kind == "plane":
        behind = -((case.x - values["point"]) * values["normal"]).sum(0) / max(numpy.linalg.norm(values["normal"]), 1e-9)
    elif part.kind == "sphere":
        behind = numpy.linalg.norm(case.x - values["at"], axis=0) - values["radius"]
    else:
        behind = numpy.maximum(values["min"] - case.x, case.x - values["max"]).max(0)
    return (behind if part.is_around() else -behind) + (0 if case.radius is None else case.radius)


def draw_walls(rng, case):
    if rng.random() < 0.15:
        case.radius = numpy.array([rng.choice([0.0, rng.uniform(0, 0.2)]) for _ in range(case.count)])
    if rng.random() < 0.3:
        moving = rng.random() < 0.3
        case.colliders = [draw_surface(rng, case.dims, moving and rng.random() < 0.7) for _ in range(rng.choice([1, 1, 2]))]
    if rng.random() < 0.1 and (solid := draw_obstacle(rng, case)):
        case.colliders.append(solid)
    if rng.random() < 0.15:
        case.constraints, before = draw_constraints(rng, case.dims), (case.x, case.v)
        hold(case)
        if begins_outside(case):
            case.constraints, (case.x, case.v) = [], before
    if rng.random() < 0.25:
        case.boundary = draw_boundary(rng, "absorbing" if case.constraints else None)  # Constraints cannot be periodic.
    if rng.random() < 0.3 and not (case.constraints and case.dims == 1):
        case.watches = [draw_watch(rng, case.dims) for _ in range(rng.choice([1, 2]))]


def draw_coupling(rng, case):
    if not case.row.system_runs or rng.random() < 0.65:
        return
    case.runner, case.levels, chosen = "system", case.level is not None and rng.random() < 0.7, rng.random()
    if chosen < 0.3:
        case.interactions = [draw_gravity(rng, case.count)]
    elif chosen < 0.7 and case.count > 1:
        case.interactions = [draw_spring_network(rng, case.count)]
    if rng.random() < 0.15 and case.count > 1 and not (case.constraints and case.dims == 1):
        case.rods = [(n, n + 1) for n in range(0, case.count - 1, 2)]
        case.lengths = [float(numpy.linalg.norm(case.x[:, a] - case.x[:, b])) for a, b in case.rods]
        kept = kd.DistanceConstraints(kd.rods(case.rods, case.lengths))
        case.v = case.v.copy()
        kept.rattle(kd.Particles(case.x, case.v, case.inverse_mass), 1.0)  # Else the first step changes them.
        case.relaxation = rng.choice([1.0, 1.0, rng.uniform(0.8, 1.5)])
    if not case.levels:
        case.level = None


def draw_case(rng):
    """Draws a case. The library may refuse it, because this module does not know which features go together."""
    case = Case()
    draw_particles(rng, case)
    draw_method(rng, case)
    draw_forces(rng, case)
    draw_walls(rng, case)
    draw_coupling(rng, case)
    case.dt = rng.choice([1 / 32, 1 / 64, 0.05, 0.01]) * rng.choice([1, 1, 1, 1, 1, -1])
    case.t0, case.step, case.steps = rng.choice([0.0, 0.0, 1.5, -2.0]), rng.choice([0, 0, 3, 128]), rng.choice([1, 4, 12, 30])
    for part in case.colliders:
        if "since" in part.values:  # The surface must be near its drawn place when the run begins.
            part.values["since"] = case.t0 + case.step * case.dt + rng.choice([0.0, 0.1])
    case.backend = rng.choice(["auto", "auto", "auto", *tables.BACKENDS])
    return case
