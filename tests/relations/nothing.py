"""Relations about things without effect: they are never met, have no strength, or are given twice."""

import numpy

import tables
from draw import Part, draw_force
from relate import Trial, evaluates_all, relation, tolerance

FAR = 1e4
ZERO = [0.0, 0.0, 0.0]


@relation()
def watch_never_met(case, rng):
    """A watch that nothing meets changes nothing, even if it would stop the run."""
    far = Part("plane", point=[1e6, 0, 0], normal=[1.0, 0, 0], stop=rng.choice([None, "run"]))
    case.flush = False
    return Trial(case, case.copy(watches=[*case.watches, far]), tame=True, refusable=True)


@relation()
def not_watched(case, rng):
    """A run without watches has the bits of one with watches."""
    if not case.watches or case.stops():
        return None
    return Trial(case, case.copy(watches=[]), without=("events",))


@relation()
def surface_never_met(case, rng):
    """A surface that nothing meets changes nothing."""
    far = rng.choice([Part("plane", point=[-FAR, 0, 0], normal=[1.0, 0, 0], restitution=0.5),
                      Part("sphere", at=ZERO, radius=FAR, inside=True),
                      Part("box", min=[-FAR] * 3, max=[FAR] * 3, inside=True, sliding=0.5), Part("sphere", at=[FAR, 0, 0], radius=1.0)])
    other = case.copy(colliders=[*case.colliders, far])
    if case.boundary and case.boundary[0] == "periodic" and evaluates_all(other):
        return None  # A particle that is put back is then one that a surface has changed.
    return Trial(case, other, tame=True, refusable=True)


@relation(often=4)
def surface_of_no_velocity(case, rng):
    """A surface with a velocity of 0 does not move, whatever its `since`."""
    if not case.colliders:
        return None
    other = case.copy()
    for part in case.colliders:
        part.values.pop("velocity", None)
    for part in other.colliders:
        part.values["velocity"], part.values["since"] = ZERO, rng.uniform(-3, 3)
    return Trial(case, other)


@relation(lambda case, rng: setattr(case, "boundary", None))
def boundary_never_met(case, rng):
    """A boundary that nothing meets changes nothing."""
    other = case.copy(boundary=[rng.choice(tables.BOUNDARIES), [-FAR] * 3, [FAR] * 3])
    return Trial(case, other, without=("images",), tame=True, refusable=True)


@relation()
def rope_never_taut(case, rng):
    """A rope that is never taut changes nothing."""
    far = Part("rope", to=ZERO, length=FAR)
    if evaluates_all(case.copy(constraints=[far])) or case.rods and case.colliders:  # Molecules meet walls in another way if there are constraints too.
        return None
    within = tolerance(case) if case.constraints or case.colliders or case.compose else 0.0
    without = ("events",) if case.colliders else ()  # At a wall, rounding decides whether a state is the one before or after the bounce.
    return Trial(case, case.copy(constraints=[*case.constraints, far]), within=within, without=without, tame=True, refusable=True)


@relation(lambda case, rng: setattr(case, "active", None))
def all_marked(case, rng):
    """Marking all particles as active changes nothing."""
    return Trial(case, case.copy(active=numpy.ones(case.count, numpy.uint8)), without=("active",))


@relation(lambda case, rng: setattr(case, "level", None))
def level_zero(case, rng):
    """Level 0 for all is a run without levels."""
    if case.rods and case.compose and case.row.family == "magnetic":
        return None  # With levels distances are kept at the end of the whole step alone.
    is_system = case.runner == "system"
    # Runs that may have levels fly parabolas between surfaces, and do not join the drifts of a composed method's parts.
    case.levels = is_system and bool(case.colliders or case.compose and rng.random() < 0.5)
    other = case.copy(level=numpy.zeros(case.count, numpy.uint8), levels=is_system)
    return Trial(case, other, within=tolerance(case) if is_system and case.compose and not case.levels else 0.0, refusable=True)


@relation(lambda case, rng: setattr(case, "inverse_mass", None))
def masses_of_one(case, rng):
    """Masses of 1 give the results of no masses."""
    return Trial(case, case.copy(inverse_mass=numpy.ones(case.count)), within=tolerance(case))


@relation()
def nothing_counted(case, rng):
    """Lists of contacts and estimates of errors change nothing."""
    if not (case.colliders or case.error):
        return None
    return Trial(case, case.copy(contacts=False, error=False), without=("contacts", "error"))


# These parameters are 0 in a force without strength, whatever the others are.
NO_STRENGTH = {
    "uniform-acceleration": {"a": ZERO}, "uniform-force": {"f": ZERO}, "spring": {"k": ZERO}, "drag": {"b": ZERO},
    "quadratic-drag": {"c": 0.0}, "electromagnetic": {"charge": 0.0}, "driven": {"a": ZERO}, "rotating-frame": {"omega": ZERO},
    "logarithmic-halo": {"speed": 0.0},
    "vortex": {"swirl": 0.0, "pull": 0.0},
}


def strength_of(kind):
    """Returns the parameters that are 0 in a force without strength, or None where they are not known."""
    if kind in NO_STRENGTH:
        return NO_STRENGTH[kind]
    row = tables.FORCES[kind]
    name = next((name for name in tables.STRENGTHS if name in row.parameters), None)
    return {name: 0.0} if name and row.known else None


@relation(often=12)
def force_of_no_strength(case, rng):
    """A force without strength changes nothing beyond rounding."""
    kind = rng.choice([kind for kind in tables.FORCES if strength_of(kind)])
    if case.method in ("kinematic", "strang-affine"):
        return None  # These methods treat a force in another way if there are others, as force.h says of springs.
    force = draw_force(rng, kind, case.dims, case.count, arrays=False)
    force.values.update(strength_of(kind))
    other = case.copy()
    other.forces.insert(rng.randint(0, len(other.forces)), force)
    return Trial(case, other, within=tolerance(case), without=("nonconverged",), refusable=True)


@relation(lambda case, rng: setattr(case, "runner", "system"))
def interaction_of_no_strength(case, rng):
    """Attraction by sources without mass, and springs without stiffness, change nothing beyond rounding."""
    if case.count < 2:
        return None
    nothing = rng.choice([Part("gravity", mu=numpy.zeros(case.count), softening=0.5, sources=case.count),
                          Part("spring_network", between=[(0, 1)], k=[0.0], length=[0.5], damping=[0.0])])
    return Trial(case, case.copy(interactions=[*case.interactions, nothing]), within=tolerance(case), without=("nonconverged",), refusable=True)


@relation(lambda case, rng: setattr(case, "compose", None))
def composed_of_one(case, rng):
    """A method composed of one whole step is the method."""
    return Trial(case, case.copy(compose=[1.0]), refusable=True)


@relation()
def put_to_rest(case, rng):
    """The option that turns tiny numbers into 0 does nothing where numbers are not tiny."""
    return Trial(case, case.copy(flush=not case.flush), refusable=True)


@relation(lambda case, rng: magnetic(case, rng), often=4)
def light_is_fast(case, rng):
    """A speed of light far above all speeds has no effect beyond rounding."""
    case.light = 0.0
    other = case.copy(light=1e7 if case.real == "f64" else 1e5)
    return Trial(case, other, within=tolerance(case), without=("kinetic",), refusable=True)


def magnetic(case, rng):
    """Selects a method that rotates velocities by a magnetic field."""
    case.method = rng.choice([name for name, row in tables.METHODS.items() if row.family == "magnetic"])
    case.langevin, case.error = None, False
    case.compose = case.compose if rng.random() < 0.3 else None


@relation(lambda case, rng: bath(case, rng), often=4)
def cold_seed(case, rng):
    """A heat bath of temperature 0 has no noise, whatever its seed."""
    case.langevin[1] = 0.0
    other = case.copy()
    other.langevin[2] += 17
    return Trial(case, other)


def bath(case, rng):
    """Selects a method with a heat bath."""
    case.method, case.error, case.light = rng.choice([name for name, row in tables.METHODS.items() if row.heat_bath]), False, 0.0
    case.langevin = [rng.uniform(0, 2), rng.uniform(0, 1), rng.randrange(5)]


@relation(lambda case, rng: bath(case, rng), often=4)
def bath_without_friction(case, rng):
    """A heat bath without friction and temperature gives the motion of velocity Verlet, beyond rounding."""
    case.langevin = [0.0, 0.0, 1]
    if case.colliders or case.constraints or case.rods:
        return None  # The heat bath meets surfaces in each of its two drifts.
    without = ("events",) if case.level is not None or case.boundary else ()
    return Trial(case, case.copy(method="velocity-verlet", langevin=None), within=tolerance(case), without=without)


@relation(often=4)
def frozen_masses_as_marks(case, rng):
    """Particles that are frozen by their mass give the results of particles that are marked inactive."""
    if case.runner != "field" or case.inverse_mass is None or case.stops():
        return None
    other = case.copy()
    frozen = case.inverse_mass == 0
    active = numpy.ones(case.count, numpy.uint8) if case.active is None else case.active
    other.active = (active.astype(bool) & ~frozen).astype(numpy.uint8)
    other.inverse_mass = numpy.where(frozen, 1.0, case.inverse_mass)
    return Trial(case, other, without=("active", "kinetic", "potential", "momentum", "angular"))
