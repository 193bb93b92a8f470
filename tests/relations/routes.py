"""Relations about the same physics by two routes through the library."""

import numpy

import tables
from draw import Force, Part, begins_outside, draw_boundary, draw_force, draw_surface, hold
from nothing import bath, magnetic
from others import alone
from relate import Trial, evaluates_all, relation, tolerance
from run import MAKERS, REALS, Run
from transform import first_of, with_frozen

# These are rows of the table as a user would write them.
SPLITTINGS = {"velocity-verlet": ([0.5, 0.5], [1, 0]), "position-verlet": ([0, 1], [0.5, 0.5]), "semi-implicit-euler": ([1], [1]),
              "drift-kick-euler": ([0, 1], [1, 0])}
TABLEAUX = {"explicit-euler": ([[]], [1]), "midpoint": ([[], [0.5]], [0, 1]), "heun": ([[], [1]], [0.5, 0.5]),
            "ralston": ([[], [2 / 3]], [1 / 4, 3 / 4]), "rk3": ([[], [0.5], [-1, 2]], [1 / 6, 2 / 3, 1 / 6]),
            "rk4": ([[], [0.5], [0, 0.5], [0, 0, 1]], [1 / 6, 1 / 3, 1 / 3, 1 / 6]),
            "rk4-38": ([[], [1 / 3], [-1 / 3, 1], [1, -1, 1]], [1 / 8, 3 / 8, 3 / 8, 1 / 8])}
TO_THE_BIT = {*SPLITTINGS, "explicit-euler", "midpoint", "heun"}


def uncoupled(case, rng):
    """Makes the case one without interactions, for a field run or a system run."""
    alone(case, rng)
    case.level = None
    if not case.row.system_runs:
        case.method, case.compose, case.error, case.langevin = "velocity-verlet", None, False, None


def has_no_period(case):
    """Returns True where forces or constraints depend on the image that a particle is in. System runs evaluate after it was put back."""
    return bool(case.boundary and case.boundary[0] == "periodic" and (case.constraints or not set(case.kinds()) <= tables.PLACELESS))


def room_of_system(case):
    """Returns the difference of a system run from the field run. Implicit methods iterate over all particles together. After a bounce a
    system run knows from the whole step what others do: nothing, up to the rounding of a compensated step, or of a time within it."""
    after_bounces = case.colliders and (case.compensated or any(map(tables.sees_time, case.kinds())))
    return tolerance(case) if case.row.family == "implicit" or after_bounces else 0.0


@relation(uncoupled, often=16)
def system_is_field(case, rng):
    """A system run without interactions is the field run."""
    if case.row.family == "kinematic":
        return None
    if has_no_period(case) or evaluates_all(case.copy(runner="system")):
        return None
    is_implicit = case.row.family == "implicit"  # System runs refuse a step that is not solved, field runs count it.
    return Trial(case.copy(runner="field"), case.copy(runner="system"), within=room_of_system(case),
                 without=("nonconverged",) if is_implicit else (), refusable=is_implicit)


@relation(uncoupled, often=4)
def stopped_at_events(case, rng):
    """The counts of a stopped particle end at its event, in system runs as in field runs."""
    if not case.watches or case.row.family in ("kinematic", "implicit") or has_no_period(case):
        return None
    case.v = case.v * 4
    if case.constraints:
        hold(case)
    for watch in case.watches:
        watch.values["stop"] = "particle"
    if evaluates_all(case.copy(runner="system")):
        return None
    return Trial(case.copy(runner="field"), case.copy(runner="system"), within=room_of_system(case))


@relation(lambda case, rng: composable(case, rng), often=4)
def composed_by_hand(case, rng):
    """A composition by name is that of its fractions."""
    case.compose = rng.choice(list(tables.COMPOSITIONS))
    return Trial(case, case.copy(compose=list(tables.COMPOSITIONS[case.compose].fraction)))


def composable(case, rng):
    """Selects a method that can be composed, mostly in a field run."""
    rows = [name for name, row in tables.METHODS.items() if row.reversible and row.order == 2]
    case.method, case.error, case.langevin, case.light = rng.choice(rows), False, None, 0.0
    if rng.random() < 0.7:
        case.runner, case.interactions, case.rods, case.levels = "field", [], [], False


@relation(lambda case, rng: written(case, rng))
def method_by_hand(case, rng):
    """A method of the table is the same by user-defined coefficients."""
    if case.method in SPLITTINGS:
        return Trial(case, case.copy(fractions=SPLITTINGS[case.method]))
    within = 0.0 if case.method in TO_THE_BIT else tolerance(case)
    return Trial(case, case.copy(tableau=TABLEAUX[case.method]), within=within)


def written(case, rng):
    case.method, case.compose, case.error = rng.choice([*SPLITTINGS, *TABLEAUX]), None, False
    case.langevin, case.light = None, 0.0


@relation(lambda case, rng: (magnetic(case, rng), setattr(case, "light", 0.0)), often=4)
def turns_alike(case, rng):
    """Without a speed of light, all methods that rotate velocities are the same."""
    others = [name for name, row in tables.METHODS.items() if row.family == "magnetic"]
    return Trial(case, case.copy(method=rng.choice(others)))


@relation()
def number_for_each(case, rng):
    """One number for all particles has the results of an array with this number for each, beyond rounding."""
    places = [(force, name) for force in case.forces for name, parameter in tables.FORCES[force.kind].parameters.items() if parameter.each]
    if not places or case.method in ("kinematic", "strang-affine"):
        return None
    n, (force, name) = rng.choice(list(enumerate(places)))
    other = case.copy()
    del force.each
    case.forces = [Force(f.kind, f.values, {}, f.contribution, f.grid) for f in other.forces]
    other.forces = [Force(f.kind, f.values, {}, f.contribution, f.grid) for f in other.forces]
    value = force.values[name]
    force = next(f for f in other.forces if f.kind == force.kind and f.values == force.values)
    quantity = tables.FORCES[force.kind].parameters[name].quantity
    if quantity.kind == "axes":
        if len(set(value)) > 1:
            return None
        force.each[name] = numpy.full(case.count, value[0])
    elif isinstance(value, list):
        force.each[name] = numpy.array([numpy.full(case.count, part) for part in value])
    else:
        force.each[name] = numpy.full(case.count, value)
    return Trial(case, other, within=tolerance(case), without=("nonconverged",))


def replaced(case, kind, others):
    """Returns the case with the first force of a kind replaced by others, or None where it has none."""
    at = next((n for n, force in enumerate(case.forces) if force.kind == kind and not force.each), None)
    if at is None:
        return None
    other = case.copy()
    other.forces[at:at + 1] = others(other.forces[at].values)
    return other


def with_kind(kind):
    """Returns a function that makes the case one with a force of this kind, and with a method that treats all forces alike."""
    def shape(case, rng):
        if case.row.family == "kinematic":
            case.method, case.compose = "velocity-verlet", None
        case.forces = [force for force in case.forces if not force.contribution != "default"]
        if not any(force.kind == kind and not force.each for force in case.forces):
            case.forces.append(draw_force(rng, kind, case.dims, case.count, arrays=False))
    return shape


@relation(with_kind("uniform-acceleration"), often=4)
def drive_that_rests(case, rng):
    """A drive of frequency 0 is a uniform acceleration."""
    other = replaced(case, "uniform-acceleration", lambda values: [Force("driven", {"a": values["a"], "omega": 0.0, "phase": 0.0})])
    return Trial(case, other, within=tolerance(case), without=("potential", "nonconverged"))


@relation(with_kind("centre"), often=4)
def orbit_that_rests(case, rng):
    """A centre on an orbit of frequency 0 stays where the orbit begins."""
    if case.dims == 1:
        return None

    def orbiting(values):
        at = [values["at"][0] - 0.5 * (1 - 0.2), *values["at"][1:]]
        return [Force("orbiting-centre", {"mu": values["mu"], "omega": 0.0, "major": [0.5, 0, 0], "minor": [0, 0.5, 0], "eccentricity": 0.2,
                                          "phase": 0.0, "softening": values["softening"], "at": at})]

    return Trial(case, replaced(case, "centre", orbiting), within=tolerance(case), without=("nonconverged",))


@relation(with_kind("centre"), often=4)
def table_that_rests(case, rng):
    """A centre on a table of one place is a centre."""
    def tabled(values):
        grid = {"values": numpy.array([values["at"]] * 3), "spacing": 0.5, "origin": -1.0, "edges": ["clamped"]}
        return [Force("table-centre", {"mu": values["mu"], "softening": values["softening"], "cubic": rng.choice([0.0, 1.0])}, grid=grid)]

    return Trial(case, replaced(case, "centre", tabled), within=tolerance(case), without=("nonconverged",))


def constant_grid(numbers, rng):
    """Returns a grid that has the same numbers on all nodes."""
    values, edges = numpy.array([[numbers] * 2] * 3), [rng.choice(tables.EDGES)] * 2
    return {"values": values, "spacing": rng.uniform(0.3, 1), "origin": -0.7, "edges": edges}


@relation(lambda case, rng: with_kind(rng.choice(["uniform-acceleration", "electromagnetic"]))(case, rng))
def grid_of_one_value(case, rng):
    """A grid with one value everywhere is the uniform field."""
    def accelerations(values):
        return [Force("grid-acceleration", {"factor": 1.0}, grid=constant_grid(values["a"], rng))]

    def fields(values):
        return [Force("grid-electromagnetic", {"charge": values["charge"]}, grid=constant_grid([*values["e"], *values["b"]], rng))]

    other = replaced(case, "electromagnetic", fields) or replaced(case, "uniform-acceleration", accelerations)
    if other is None or case.dims == 1:
        return None
    return Trial(case, other, within=tolerance(case), without=("nonconverged", "potential"))


@relation(with_kind("rotating-frame"), often=4)
def frame_as_field_and_spring(case, rng):
    """Without masses, a rotating frame about z is a magnetic field and a repelling spring."""
    if case.dims == 1:
        return None
    case.inverse_mass = None
    turn = rng.uniform(-1, 1)
    for force in case.forces:
        if force.kind == "rotating-frame":
            force.values["omega"], force.each = [0.0, 0.0, turn], {}

    def both(values):
        return [Force("electromagnetic", {"charge": 1.0, "e": [0.0] * 3, "b": [0.0, 0.0, 2 * turn]}),
                Force("spring", {"k": [-turn**2, -turn**2, 0.0], "at": values["at"]})]

    return Trial(case, replaced(case, "rotating-frame", both), within=tolerance(case), without=("error", "nonconverged"),
                 refusable=True)  # Surfaces together with rods refuse magnetic fields, and accept frames.


@relation()
def force_in_two_parts(case, rng):
    """A force is the sum of two forces of parts of its strength."""
    if not case.forces or case.row.family == "kinematic":
        return None
    at = rng.randrange(len(case.forces))
    row = tables.FORCES[case.forces[at].kind]
    name = next((name for name in tables.STRENGTHS if name in row.parameters), None)
    if not row.known or name is None or case.forces[at].kind in ("rotating-frame", "vortex", "logarithmic-halo"):
        return None
    other, share = case.copy(), rng.choice([0.5, 0.25])
    other.forces.append(case.copy().forces[at])
    for force, part in ((other.forces[at], share), (other.forces[-1], 1 - share)):
        values = force.values[name]
        force.values[name] = [value * part for value in values] if isinstance(values, list) else values * part
        if name in force.each:
            force.each[name] = force.each[name] * part
    return Trial(case, other, within=tolerance(case), without=("nonconverged",), refusable=True)


@relation()
def forces_in_another_order(case, rng):
    """The order of forces changes nothing beyond rounding."""
    if len(case.forces) < 2:
        return None
    other = case.copy()
    rng.shuffle(other.forces)
    return Trial(case, other, within=tolerance(case), without=("nonconverged",))


def free_of_walls(case, rng):
    """Makes the case a system run of particles without surfaces, boundaries and watches."""
    with_kind("centre")(case, rng)
    uncoupled(case, rng)
    case.boundary, case.colliders, case.watches = None, [], []


@relation(free_of_walls, often=4)
def centre_as_frozen_source(case, rng):
    """A centre is the attraction of a frozen particle at its place."""
    other = replaced(case, "centre", lambda values: [])
    if case.row.family == "kinematic" or other is None:
        return None
    values = next(force.values for force in case.forces if force.kind == "centre" and not force.each)
    other = with_frozen(other, 1, values["at"][:case.dims])
    mu = numpy.array([0.0] * case.count + [values["mu"]])
    other.interactions = [Part("gravity", mu=mu, softening=values["softening"], sources=case.count + 1)]
    other.runner = "system"
    return Trial(case.copy(runner="system"), other, back=first_of(case.count), within=tolerance(case), without=("nonconverged",))


@relation(lambda case, rng: (with_kind("spring")(case, rng), free_of_walls(case, rng)), often=4)
def spring_as_net(case, rng):
    """A spring to a place is a spring of length 0 to a frozen particle at that place."""
    round_ones = [force.kind == "spring" and not force.each and len(set(force.values["k"])) == 1 for force in case.forces]
    at = round_ones.index(True) if any(round_ones) else None
    if at is None or case.row.family == "kinematic":
        return None
    values = case.forces[at].values
    other = case.copy(runner="system")
    del other.forces[at]
    other = with_frozen(other, 1, values["at"][:case.dims])
    other.interactions = [Part("spring_network", between=[(n, case.count) for n in range(case.count)], k=values["k"][0], length=0.0, damping=0.0)]
    return Trial(case.copy(runner="system"), other, back=first_of(case.count), within=tolerance(case), without=("potential", "nonconverged"))


@relation(uncoupled, often=4)
def function_of_the_caller(case, rng):
    """A uniform acceleration that a function sets has the bits of the force."""
    if case.inverse_mass is not None or case.row.family in ("kinematic", "implicit"):
        return None
    a = [rng.randint(-8, 8) / 8 for _ in range(3)]
    case.forces, case.runner = [Force("uniform-acceleration", {"a": a})], "system"

    def sets(x, v, t, out):
        for axis, array in enumerate(out):
            array[...] = a[axis]

    def by_function():
        return Run(case.copy(forces=[]), accelerations=sets).go(case.steps).results()

    return Trial(case, by_function, without=("potential",), within=room_of_system(case))


@relation()
def rod_as_sphere(case, rng):
    """A rod to a place is a sphere about it."""
    case.constraints = [Part("rod", to=[rng.uniform(-0.2, 0.2) for _ in range(3)], length=rng.uniform(0.7, 1.5))]
    hold(case)
    if begins_outside(case):
        return None
    values, other = case.constraints[0].values, case.copy()
    other.constraints[0] = Part("sphere", at=values["to"], radius=values["length"])
    return Trial(case, other)


@relation(lambda case, rng: (alone(case, rng), setattr(case, "boundary", ["periodic", *draw_boundary(rng)[1:]])))
def unwrapped(case, rng):
    """A period only renames positions where forces do not depend on places: x and its images give the run without it."""
    if not set(case.kinds()) <= tables.PLACELESS or any(force.each for force in case.forces if force.kind == "curl-noise"):
        return None
    case.colliders, case.constraints, case.watches, case.v = [], [], [], case.v * 5
    case.steps, case.dt = 60, abs(case.dt)
    width = numpy.array(case.boundary[2][:case.dims]) - numpy.array(case.boundary[1][:case.dims])

    def unfolded(found):
        other = {name: value for name, value in found.items() if name not in ("images", "angular", "potential")}
        other["x"] = found["x"] + found["images"] * width[:, None]
        return other

    return Trial(case, case.copy(boundary=None), expected=unfolded, within=tolerance(case), without=("nonconverged",))


def absorbed_case(case, rng):
    alone(case, rng)
    case.runner, case.level, case.watches, case.colliders, case.constraints = "field", None, [], [], []
    case.compensated = case.flush = case.error = False
    case.boundary, case.v = ["absorbing", [-1.05] * 3, [1.05] * 3], case.v * 3


@relation(absorbed_case, often=4)
def absorbed_as_free(case, rng):
    """An absorbed particle has the position and velocity that it had without the boundary when it left."""
    if case.method == "stormer-verlet":
        return None
    edge = float(REALS[case.real](1.05))

    def free():
        run = Run(case.copy(boundary=None))
        found = run.state()
        gone = (numpy.abs(found["x"]) > edge).any(0)
        for _ in range(25):
            now = run.go(1).state()
            for name in found:
                found[name][:, ~gone] = now[name][:, ~gone]
            gone |= (numpy.abs(found["x"]) > edge).any(0)
        return found

    return Trial(lambda: Run(case).go(25).state(), free)


@relation(lambda case, rng: setattr(case, "rest", False))
def levels_as_short_steps(case, rng):
    """A level for all particles is that many shorter steps."""
    if case.interacts() or case.stops() or case.runner == "system" and (case.has_walls() or case.compose):
        return None
    level = rng.choice([1, 2, 3])
    leveled = case.copy(level=numpy.full(case.count, level, numpy.uint8), levels=case.runner == "system")
    short = case.copy(level=None, levels=False, dt=case.dt / 2**level, step=case.step * 2**level, steps=case.steps * 2**level)
    return Trial(leveled, short, without=("step", "events", "contacts", "error"))


@relation(lambda case, rng: setattr(case, "real", "f64"))
def half_the_digits(case, rng):
    """A run in f32 equals the run in f64 to the digits of f32."""
    if case.is_noisy():
        return None
    without = ("nonconverged", "events", "contacts", "error", "bounces", "images", "dissipated_energy")
    return Trial(case, case.copy(real="f32"), within=3e-2, without=without)


@relation()
def other_arithmetic(case, rng):
    """Fused and unfused arithmetic differ by roundings."""
    other = "unfused" if case.arithmetic == "fused" else "fused"
    return Trial(case, case.copy(arithmetic=other), within=tolerance(case), without=("nonconverged", "error"))


@relation()
def compensated_alike(case, rng):
    """A run that carries its rounding residuals along differs by roundings from one that does not."""
    if not case.row.compensated:
        return None
    return Trial(case, case.copy(compensated=not case.compensated), within=tolerance(case), without=("nonconverged",))


@relation(lambda case, rng: bath(case, rng), often=4)
def bath_in_parts(case, rng):
    """Noise depends on the particle's id and the step, so a heat bath in several calls has the bits of one call."""
    case.id = numpy.array(rng.sample(range(10**6), case.count), numpy.uint64)
    return Trial(case, case, calls=[1, *([case.steps - 1] if case.steps > 1 else [])])


@relation(lambda case, rng: alone(case, rng))
def surface_moved_by_hand(case, rng):
    """A moving surface equals one that is placed at its position, with its velocity, before each call."""
    if case.stops() or case.is_noisy() or case.constraints:
        return None
    case.colliders = [draw_surface(rng, case.dims, True)]
    case.colliders[0].values["since"] = case.t0 + case.step * case.dt

    def by_hand():
        run = Run(case)
        for _ in range(case.steps):
            part, time = case.copy().colliders[0], run.clock.time
            by = [speed * (time - part.values["since"]) for speed in part.values["velocity"]]
            for name in ("point", "at", "min", "max"):
                if name in part.values:
                    part.values[name] = [a + b for a, b in zip(part.values[name], by)]
            part.values["since"] = time
            run.motion.set_colliders([MAKERS[part.kind](**part.values)])
            run.go(1)
        return run.results()

    return Trial(case, by_hand, within=tolerance(case), without=("nonconverged", "contacts") if case.level is not None else ("nonconverged",))

