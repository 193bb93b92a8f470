"""Relations about user-defined functions and watches, and about compiled fields and grids."""

import os

import numpy

import kickdrift as kd
import tables
from draw import Force, draw_force
from relate import Trial, relation, tolerance
from routes import uncoupled
from run import Run

SETS = ("velocity-verlet", "position-verlet", "rk4", "pefrl", "boris", "dopri-5")


def missing_morse():
    """Returns None where the compiled field morse exists, otherwise the reason."""
    return None if any("morse" in os.path.basename(kind) for kind in tables.FORCES) else "no compiled field morse"


def function_case(case, rng):
    """Makes the case a system run whose accelerations are set by a function."""
    uncoupled(case, rng)
    case.runner, case.method, case.compose, case.error, case.langevin, case.light = "system", rng.choice(SETS), None, False, None, 0.0
    case.forces, case.inverse_mass, case.watches = [], None, []
    case.colliders = []  # For a flight between surfaces, the function is only evaluated at its beginning.


@relation(function_case, often=4, needs=missing_morse)
def compiled_field_by_hand(case, rng):
    """A compiled field has the results of a Python function with the same formula."""
    kind = next(kind for kind in tables.FORCES if "morse" in os.path.basename(kind))
    depth, steepness, radius = rng.uniform(0.2, 1), rng.uniform(0.5, 1.5), rng.uniform(0.5, 1)

    def sets(x, v, t, out):
        distance = numpy.sqrt(sum(axis.astype(float) ** 2 for axis in x))
        fading = numpy.exp(-steepness * (distance - radius))
        factor = -2 * depth * steepness * (1 - fading) * fading / distance
        for axis, array in enumerate(out):
            array[...] = factor * x[axis]

    field = case.copy(forces=[Force(kind, {"depth": depth, "steepness": steepness, "radius": radius})])
    return Trial(field, lambda: Run(case, accelerations=sets).go(case.steps).results(), within=tolerance(case), without=("potential",))


def spring_of(k):
    """Returns a function that sets a = -k x."""
    def sets(x, v, t, out, *first_id):
        for axis, array in enumerate(out):
            array[...] = -k * x[axis]
    return sets


@relation(function_case, often=4)
def forces_by_functions(case, rng):
    """A spring and a drag are what functions set that return their accelerations, slopes and energy."""
    implicit = [name for name, row in tables.METHODS.items() if row.family == "implicit" and row.system_runs]
    case.method, k, b = rng.choice(["velocity-verlet", "rk4", "dopri-5", *implicit]), rng.uniform(0.5, 2), rng.uniform(0.1, 0.8)

    def sets(x, v, t, out):
        for axis, array in enumerate(out):
            array[...] = -k * x[axis] - b * v[axis]

    def slopes(x, v, t, th, out):
        for n, array in enumerate(out):
            array[...] = -b - th * k if n < case.dims else 0

    def energy(x, v, t):
        return 0.5 * k * sum((axis.astype(float)**2).sum() for axis in x)

    field = case.copy(forces=[Force("spring", {"k": [k] * 3, "at": [0.0] * 3}), Force("drag", {"b": [b] * 3, "wind": [0.0] * 3})])
    functions = {"accelerations": sets, "potential": energy, "velocity_dependent": True, **({"slopes": slopes} if case.method in implicit else {})}
    return Trial(field, lambda: Run(case, **functions).go(case.steps).results(), within=tolerance(case), without=("nonconverged",))


@relation(function_case, often=4)
def function_in_blocks(case, rng):
    """A function that is called for a block at a time gives the results of one call for all particles."""
    if case.colliders:
        return None
    sets = spring_of(rng.uniform(0.5, 2))

    def blocks():
        run = Run(case, accelerations=sets, first_id=True)
        run.motion.run_blocks(run.particles, run.clock, case.steps)
        return run.results()

    return Trial(lambda: Run(case, accelerations=sets).go(case.steps).results(), blocks, without=("potential",), refusable=True)


@relation(function_case, often=4)
def function_of_rows(case, rng):
    """A function of rows has the bits of a function of one array per axis."""
    if case.row.family != "splitting":
        case.method = "position-verlet"
    k, case.memory = rng.uniform(0.5, 2), False

    def sets(x, v, t, out):
        out[...] = -k * x

    def rows():
        return Run(case, lambda array: numpy.ascontiguousarray(array.T).T, accelerations=sets, rows=True).go(case.steps).results()

    return Trial(lambda: Run(case, accelerations=spring_of(k)).go(case.steps).results(), rows, without=("potential",), refusable=True)


@relation(lambda case, rng: (function_case(case, rng), setattr(case, "method", "boris")), often=4)
def magnetic_function(case, rng):
    """A magnetic field that a function sets is the field of the force."""
    if case.dims == 1:
        return None
    b = [rng.uniform(-2, 2) for _ in range(3)] if case.dims == 3 else [0.0, 0.0, rng.uniform(-2, 2)]

    def sets(x, v, t, out):
        for part, array in zip(b if case.dims == 3 else b[2:], out):
            array[...] = part

    field = case.copy(forces=[Force("electromagnetic", {"charge": 1.0, "e": [0.0] * 3, "b": b})])
    return Trial(field, lambda: Run(case, accelerations=spring_of(0.0), magnetic=sets).go(case.steps).results(), within=tolerance(case),
                 without=("potential",))


@relation(often=4)
def watch_by_function(case, rng):
    """A watch by a function has the events of the built-in watch with the same formula."""
    kinds = [n for n, watch in enumerate(case.watches) if watch.kind == "plane" and watch.stop is None]
    if not kinds or case.stops():
        return None
    values = case.watches[kinds[0]].values
    at, normal = ([*values[name][:case.dims]] for name in ("point", "normal"))

    def value(x, v, t):
        return sum((x[axis] - at[axis]) * normal[axis] for axis in range(case.dims))

    def watched():
        run = Run(case)
        watches = list(run.motion._watches)
        watches[kinds[0]] = kd.watch(value, values["crossing"])
        return Run(case, watches=watches).go(case.steps).results()

    return Trial(case, watched, within=tolerance(case))


def kinematic(case, rng):
    """Selects the method that uses a contribution of each force."""
    case.method, case.compose, case.error, case.langevin, case.light = "kinematic", None, False, None, 0.0
    for force in case.forces:
        force.contribution = "default"


@relation(kinematic, often=4)
def contribution_by_name(case, rng):
    """The default contribution of a drag or a uniform force is the exact one."""
    named = ("uniform-acceleration", "uniform-force", "drag")
    if not set(case.kinds()) & set(named):
        return None
    other = case.copy()
    for force in other.forces:
        if force.kind in named:
            force.contribution = "exact"
    return Trial(case, other)


@relation(often=4)
def grid_by_its_period(case, rng):
    """A periodic grid is unchanged when it is moved by its period, or its nodes are rotated cyclically."""
    kind = rng.choice([kind for kind, nodes in tables.GRIDS.items() if kind not in tables.TABLES])
    case.forces = [force for force in case.forces if not force.grid] + [draw_force(rng, kind, case.dims, case.count, arrays=False)]
    grid = case.forces[-1].grid
    grid["edges"] = ["periodic"] * len(grid["edges"])
    other, by = case.copy(), [0.0, 0.0, 0.0]
    moved = other.forces[-1].grid
    for axis in range(len(grid["edges"])):
        nodes = grid["values"].shape[axis]
        turns = rng.randint(-nodes, nodes) if rng.random() < 0.5 else rng.choice([-1, 1]) * nodes
        moved["values"] = numpy.roll(moved["values"], -turns, axis)
        by[axis] = turns * grid["spacing"]
    moved["origin"] = [grid["origin"] + part for part in by]
    return Trial(case, other, within=tolerance(case), without=("nonconverged",))
