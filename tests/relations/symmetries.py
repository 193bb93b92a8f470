"""Relations about symmetries of space and time, and of charges."""

import numpy

import kickdrift as kd
import tables
from draw import draw_force
from relate import Trial, relation, tolerance
from run import Run
from transform import Linear, moved


def is_symmetric(case, about_z=False):
    """Returns True where a case can be rotated: all quantities are known, and no force prefers a direction. With about_z, forces may
    prefer z."""
    for force in case.forces:
        row = tables.FORCES[force.kind]
        if not row.known or force.grid or force.kind in tables.WITHOUT_SYMMETRY or not about_z and force.kind in tables.ABOUT_Z:
            return False
    return not case.is_noisy()


@relation()
def mirrored(case, rng):
    """The mirror image of a run is the run of the mirror image."""
    if not is_symmetric(case, True) or case.stops() and case.boundary:
        return None
    axis = rng.randrange(case.dims)

    def bounds(low, high):
        low, high = list(low), list(high)
        low[axis], high[axis] = -high[axis], -low[axis]
        return low, high

    mirror = Linear(lambda a: [-c if n == axis else c for n, c in enumerate(a)],
                    lambda a: [c if n == axis else -c for n, c in enumerate(a)], lambda a: a, bounds)
    events = ("events",) if case.boundary and case.boundary[0] == "periodic" else ()  # A particle at min belongs to the period, one at max does not.
    return Trial(case, mirror.of_case(case), expected=mirror.of_results, without=("images", *events), tame=True)


@relation()
def turned(case, rng):
    """Rotating a run by a right angle, or renaming its axes cyclically, gives the run of the rotated case."""
    if case.dims == 1 or not is_symmetric(case, True):
        return None
    if case.dims == 3 and rng.random() < 0.6 and is_symmetric(case):
        def renamed(a):
            return [a[2], a[0], a[1]]

        turn = Linear(renamed, renamed, renamed, lambda low, high: (renamed(low), renamed(high)))
    else:
        def quarter(a):
            return [-a[1], a[0], a[2]]

        turn = Linear(quarter, quarter, lambda a: [a[1], a[0], a[2]],
                      lambda low, high: ([-high[1], low[0], low[2]], [-low[1], high[0], high[2]]))
    return Trial(case, turn.of_case(case), expected=turn.of_results, within=tolerance(case), without=("images", "nonconverged"))


@relation()
def translated(case, rng):
    """Moving a run to another place gives the run of the moved case."""
    if not all(tables.FORCES[kind].known for kind in case.kinds()) or set(case.kinds()) & tables.WITHOUT_SYMMETRY:
        return None
    by = [rng.randint(-8, 8) / 8 if axis < case.dims else 0.0 for axis in range(3)]

    def back(found):
        other = dict(found, x=found["x"] - numpy.array(by[:case.dims])[:, None])
        for name, first in (("events", 5), ("contacts", 4)):
            if name in found:
                other[name] = found[name].copy()
                other[name][:, first:first + 3] -= by
        return other

    return Trial(case, moved(case, by), back=back, within=tolerance(case), without=("angular", "potential", "nonconverged"))


@relation(lambda case, rng: setattr(case, "rest", False))
def another_epoch(case, rng):
    """Only the time t0 + step dt matters, and not how it is split."""
    if case.is_noisy():
        return None
    case.dt = 1 / 32 if case.dt > 0 else -1 / 32
    other = case.copy(step=case.step + 7, t0=case.t0 - 7 * case.dt)

    def back(found):
        other = dict(found)
        for name in ("events", "contacts"):
            if name in found:
                other[name] = found[name].copy()
                other[name][:, 0] -= 7
        return other

    return Trial(case, other, back=back, within=tolerance(case), without=("step", "contacts", "nonconverged"))


def free_fall(case, rng):
    """Makes the case one whose results in a moving frame differ by the velocity of the frame alone."""
    case.forces = [force for force in case.forces if force.kind in tables.PLACELESS]
    case.constraints, case.watches, case.boundary, case.light, case.level = [], [], None, 0.0, None
    case.levels = False
    if case.langevin:
        case.langevin[0] = 0.0


@relation(free_fall)
def galilean(case, rng):
    """In a moving frame, with moving surfaces and winds too, a run is the same."""
    still = numpy.zeros(case.count, bool)
    if case.inverse_mass is not None:
        still |= case.inverse_mass == 0
    if case.active is not None:
        still |= case.active == 0
    if case.interacts() and still.any() or case.is_noisy() or case.rods and case.colliders:
        return None
    speed = [rng.randint(-8, 8) / 8 if axis < case.dims else 0.0 for axis in range(3)]
    rows = numpy.array(speed[:case.dims])[:, None]
    other = case.copy(v=case.v + rows)
    for force in other.forces:
        if "wind" in force.values:
            force.values["wind"] = [a + b for a, b in zip(force.values["wind"], speed)]
    start = case.t0 + case.step * case.dt
    for part in other.colliders:
        before, since = part.values.get("velocity", [0.0] * 3), part.values.get("since", 0.0)
        for name in ("point", "at", "min", "max"):
            if name in part.values:
                part.values[name] = [a + b * (start - since) for a, b in zip(part.values[name], before)]
        part.values["velocity"], part.values["since"] = [a + b for a, b in zip(before, speed)], start

    def back(found):
        return dict(found, x=found["x"] - rows * case.dt * case.steps * ~still, v=found["v"] - rows)

    without = ("kinetic", "momentum", "angular", "error", "potential", "contacts", "nonconverged")
    return Trial(case, other, back=back, within=tolerance(case), without=without)


@relation(lambda case, rng: charged(case, rng), often=4)
def charge_and_field(case, rng):
    """Charges of the opposite sign in fields of the opposite sign move alike."""
    other = case.copy()
    for force in other.forces:
        if force.kind == "electromagnetic":
            force.values["charge"] *= -1
            force.values["e"], force.values["b"] = [-a for a in force.values["e"]], [-a for a in force.values["b"]]
        elif force.kind == "grid-electromagnetic" and "charge" not in force.each:
            force.values["charge"] *= -1
            force.grid["values"] *= -1
    return Trial(case, other)


def charged(case, rng):
    """Adds an electromagnetic field to the case."""
    kind = rng.choice(["electromagnetic", "grid-electromagnetic"])
    case.forces.append(draw_force(rng, kind, case.dims, case.count, arrays=False))


def reversible(case, rng):
    rows = [name for name, row in tables.METHODS.items() if row.reversible and row.runs_back and name != "stormer-verlet"]
    case.method, case.langevin, case.error, case.light = rng.choice(rows), None, False, 0.0
    case.colliders, case.constraints, case.watches, case.boundary, case.rods, case.flush = [], [], [], None, [], False
    case.compose = case.compose if case.row.order == 2 else None


@relation(reversible)
def there_and_back(case, rng):
    """A reversible method returns to where it began."""
    damped = any(numpy.any(part.values.get("damping", 0)) for part in case.interactions)
    if damped or any(map(tables.sees_velocity, case.kinds())) and case.row.family in ("splitting", "kinematic"):
        return None

    def back():
        run = Run(case).go(case.steps)
        run.clock = kd.Clock(-case.dt, run.clock.time)
        found = run.go(case.steps).results()
        return {name: found[name] for name in ("x", "v", "kinetic")}

    return Trial(lambda: Run(case).results(), back, within=10 * tolerance(case))


@relation()
def more_axes(case, rng):
    """Particles on a line or in a plane have the same motion in space."""
    if case.dims == 3 or case.is_noisy():
        return None
    if any(not tables.FORCES[force.kind].known or force.grid or force.kind in tables.WITHOUT_SYMMETRY for force in case.forces):
        return None
    if case.dims == 1 and not set(case.kinds()) <= {*tables.PLACELESS, "spring", "centre"}:
        return None
    more = 3 - case.dims if rng.random() < 0.5 else 1
    other = case.copy(x=numpy.vstack([case.x, numpy.zeros((more, case.count))]), v=numpy.vstack([case.v, numpy.zeros((more, case.count))]))
    other.dims = case.dims + more
    for part in other.constraints + other.colliders + other.watches + other.forces:
        for name in ("at", "point", "to", "normal", "wind", "velocity"):
            if name in part.values:
                part.values[name] = [a if axis < case.dims else 0.0 for axis, a in enumerate(part.values[name])]
    for force in other.forces:
        if "at" in force.each and force.kind == "spring":
            force.each["at"] = force.each["at"] * (numpy.arange(3) < case.dims)[:, None]

    def back(found):
        return {name: value[:case.dims] if name in ("x", "v", "images") else value for name, value in found.items()}

    return Trial(case, other, back=back, within=tolerance(case), without=("nonconverged",))
