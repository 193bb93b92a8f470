"""Relations about surfaces and constraints: their order, and equal solids and constraints made of other parts."""

import numpy

import kickdrift as kd
from draw import Part, begins_outside, draw_constraints, draw_obstacle, draw_surface, hold
from relate import Trial, relation, tolerance
from run import HOLDERS, Run, particles_of


def several(case, rng):
    """Gives the case two or three surfaces."""
    case.dt = abs(case.dt)
    case.colliders = [draw_surface(rng, case.dims) for _ in range(rng.choice([2, 3]))]


@relation(several, often=4)
def surfaces_in_another_order(case, rng):
    """The order of surfaces changes nothing beyond rounding."""
    order = rng.sample(range(len(case.colliders)), len(case.colliders))
    other = case.copy()
    other.colliders = [other.colliders[n] for n in order]

    def back(found):
        if "contacts" in found:
            rows = found["contacts"].copy()
            rows[:, 2] = [order[int(n)] for n in rows[:, 2]]
            found = dict(found, contacts=rows[numpy.lexsort((rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))])
        return found

    return Trial(case, other, back=back, within=tolerance(case), without=("nonconverged",))


@relation(often=4)
def constraints_in_another_order(case, rng):
    """The order of constraints changes nothing beyond rounding."""
    if case.dims < 3 or case.boundary:
        return None
    while len(case.constraints) < 2:
        case.constraints = draw_constraints(rng, case.dims)
    hold(case)
    if begins_outside(case):
        return None
    return Trial(case, case.copy(constraints=case.constraints[::-1]), within=tolerance(case), without=("nonconverged",))


def box_case(case, rng):
    """Gives the case a box around all particles, which leaves tangential velocities unchanged."""
    case.dt, case.v, case.constraints = abs(case.dt), case.v * 3, []
    restitution = rng.choice([1.0, rng.uniform(0.3, 1)])
    case.colliders = [Part("box", min=[-1.2, -1.1, -1.3], max=[1.1, 1.3, 1.2], inside=True, restitution=restitution)]
    if rng.random() < 0.3:
        case.colliders[0].values.update(velocity=[rng.uniform(-0.3, 0.3) for _ in range(3)], since=case.t0 + case.step * case.dt)


@relation(lambda case, rng: setattr(case, "radius", None))
def radius_of_nothing(case, rng):
    """Balls of radius 0 are points, and without surfaces balls of any radius are."""
    if case.colliders:
        return Trial(case, case.copy(radius=numpy.zeros(case.count)))
    return Trial(case, case.copy(radius=numpy.array([rng.uniform(0, 5) for _ in range(case.count)])))


def farther_out(part, radius, dims):
    """Returns the surface that the centre of a ball meets when the ball meets a surface."""
    values = dict(part.values)
    if part.kind == "plane":
        normal = numpy.array(values["normal"])
        values["point"] = list(values["point"] + radius * normal / numpy.linalg.norm(normal[:dims]))
    elif part.kind == "sphere":
        values["radius"] += -radius if part.is_around() else radius
    else:
        values["min"], values["max"] = [a + radius for a in values["min"]], [a - radius for a in values["max"]]
    return Part(part.kind, **values)


def balls(case, rng):
    """A case of balls of one radius among surfaces that have no edges on the outside."""
    several(case, rng)
    case.radius = None
    solid = draw_obstacle(rng, case)
    case.colliders += [solid] if solid and solid.kind == "sphere" else []


@relation(balls)
def balls_as_points(case, rng):
    """Balls of one radius are points before surfaces that are farther out."""
    radius = rng.uniform(0.01, 0.2)
    other = case.copy(colliders=[farther_out(part, radius, case.dims) for part in case.colliders])
    if begins_outside(other):
        return None
    case.radius = numpy.full(case.count, radius)
    return Trial(case, other, within=tolerance(case), without=("nonconverged",))


@relation(box_case, often=4)
def box_as_planes(case, rng):
    """A box from inside equals the planes of its faces."""
    box, planes = case.colliders[0].values, []
    kept = {name: box[name] for name in ("restitution", "velocity", "since") if name in box}
    for axis in range(case.dims):
        for name, side in (("min", 1.0), ("max", -1.0)):
            normal = [side if n == axis else 0.0 for n in range(3)]
            planes.append(Part("plane", point=list(box[name]), normal=normal, **kept))
    return Trial(case, case.copy(colliders=planes), within=tolerance(case), without=("contacts", "nonconverged"))


@relation(box_case, often=4)
def solid_of_two_boxes(case, rng):
    """Two boxes that touch are one solid box."""
    case.colliders[0].values.pop("velocity", None)
    low, high, cut = [-0.3, -0.4, -0.2], [0.4, 0.3, 0.4], rng.uniform(-0.1, 0.1)
    inner = {"restitution": rng.choice([1.0, 0.7])}
    axis = rng.randrange(case.dims)
    first, second = list(high), list(low)
    first[axis] = second[axis] = cut
    inside = ((case.x > numpy.array(low)[:case.dims, None]) & (case.x < numpy.array(high)[:case.dims, None])).all(0)
    case.x = numpy.where(inside, case.x + 0.9, case.x)  # No particle begins in the solid.
    whole = case.copy(colliders=[*case.colliders, Part("box", min=low, max=high, **inner)])
    if begins_outside(whole):
        return None  # A ball needs more room than a point.
    parts = case.copy(colliders=[*case.colliders, Part("box", min=low, max=first, **inner), Part("box", min=second, max=high, **inner)])
    return Trial(whole, parts, within=tolerance(case), without=("contacts", "nonconverged"))


@relation(often=4)
def held_before(case, rng):
    """Particles that were put on their constraints begin as those that the first step of a run puts there."""
    case.constraints = case.constraints[:1]
    if not case.constraints or case.interacts() or case.real == "f32":
        return None
    # A step of nearly no time only puts particles on their constraints.
    case.colliders, case.boundary, case.watches, case.forces, case.langevin = [], None, [], [], None
    case.x, case.dt, case.steps, case.compose = case.x * (1 + rng.uniform(-0.1, 0.1)), 1e-9, 1, None
    if case.row.heat_bath or case.row.order > 2:
        return None  # Substeps that run backwards carry a particle outwards that a slack rope does not hold.

    def held():
        particles = particles_of(case)
        kd.hold(particles, [HOLDERS[part.kind](**part.values) for part in case.constraints])
        return {"x": numpy.array(particles.x), "v": numpy.array(particles.v)}

    return Trial(lambda: Run(case).go(1).state(), held, within=1e-6)
