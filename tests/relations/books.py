"""Relations about what is counted: bounces, impulses, energies and what surfaces took."""

import numpy

from draw import Part, draw_gravity, draw_spring_network, draw_surface
from others import alone
from relate import Trial, relation
from run import Run


def bouncing(case, rng):
    """Makes the case a field run of particles that fly between surfaces. None starts outside."""
    alone(case, rng)
    case.runner, case.level, case.boundary, case.constraints, case.watches = "field", None, None, [], []
    case.method, case.compose, case.langevin, case.light, case.error = "velocity-verlet", None, None, 0.0, False
    case.real, case.flush, case.forces, case.v = "f64", False, [], case.v * 4
    case.dt, case.steps = abs(case.dt), 40
    case.x = case.x * 0.9
    case.colliders = [draw_surface(rng, case.dims)]
    if case.colliders[0].kind == "plane":
        case.colliders.append(Part("sphere", at=[0.0, 0.0, 0.0], radius=2.5, inside=True, restitution=rng.uniform(0, 1)))


@relation(bouncing, often=4)
def hits_are_contacts(case, rng):
    """Each bounce is counted once, and is once in the list."""
    def bounces():
        found = Run(case).go(case.steps).results()
        return {"x": found["x"], "bounces": found["bounces"]}

    def contacts():
        found = Run(case).go(case.steps).results()
        return {"x": found["x"], "bounces": numpy.bincount(found["contacts"][:, 1].astype(int), minlength=case.count)}

    return Trial(bounces, contacts)


def moving_mass(case):
    """Returns the mass of each particle that moves, and 0 for the others."""
    mass = numpy.ones(case.count)
    if case.inverse_mass is not None:
        mass = numpy.where(case.inverse_mass > 0, 1 / numpy.maximum(case.inverse_mass, 1e-9), 0)
    return mass if case.active is None else mass * (case.active > 0)


@relation(bouncing, often=4)
def impulses_are_momentum(case, rng):
    """Without forces the momentum of each particle changes by the impulses of its bounces."""
    for part in case.colliders:
        part.values["restitution"] = 1.0

    def listed():
        found = Run(case).go(case.steps).results()
        changed = numpy.zeros((case.dims, case.count))
        for row in found["contacts"]:
            changed[:, int(row[1])] += row[7:7 + case.dims]
        return {"x": found["x"], "momentum": moving_mass(case) * case.v + changed}

    def momentum():
        found = Run(case).go(case.steps).results()
        return {"x": found["x"], "momentum": moving_mass(case) * found["v"]}

    return Trial(listed, momentum, within=1e-10)


@relation(bouncing, often=4, keeps=True)
def energy_and_loss(case, rng):
    """The energy and what bounces absorbed add up to the energy at the start."""
    for part in case.colliders:
        for name in ("sliding", "static_friction", "friction", "friction_normal")[:0 if part.values["restitution"] == 1 else 4]:
            part.values.pop(name, None)  # A particle that rests on a surface with friction has errors of second order.
        if part.kind == "sphere":
            part.values["restitution"] = 1.0  # A particle that slides along a sphere has them too.

    def before():
        return {"kinetic": Run(case).results()["kinetic"]}

    def after():
        found = Run(case).go(case.steps).results()
        return {"kinetic": found["kinetic"] + found["dissipated_energy"].sum()}

    return Trial(before, after, within=1e-10)


@relation(bouncing, often=4, keeps=True)
def work_of_a_moving_wall(case, rng):
    """At a moving wall without friction, energy changes by the impulse times the wall's velocity, and by what is dissipated."""
    speed = [rng.uniform(-0.3, 0.3) for _ in range(3)]
    case.colliders = [Part("box", min=[-1.5] * 3, max=[1.5] * 3, inside=True, restitution=rng.choice([1.0, 0.8]), velocity=speed)]
    case.t0, case.step = 0.0, 0

    def before():
        run = Run(case)
        return {"x": numpy.zeros(1), "kinetic": run.results()["kinetic"]}

    def after():
        found = Run(case).go(20).results()
        work = sum(numpy.dot(row[7:7 + case.dims], speed[:case.dims]) for row in found["contacts"])
        return {"x": numpy.zeros(1), "kinetic": found["kinetic"] + found["dissipated_energy"].sum() - work}

    return Trial(before, after, within=1e-10)


@relation(alone, often=4, keeps=True)
def momentum_of_springs(case, rng):
    """Springs and attraction between particles conserve momentum and angular momentum."""
    if not case.row.system_runs or case.row.family in ("kinematic", "implicit") or case.count < 2:
        return None
    case.runner, case.forces, case.colliders, case.constraints, case.boundary, case.watches = "system", [], [], [], None, []
    case.langevin, case.level, case.active = None, None, None
    if case.row.heat_bath:
        return None
    if case.inverse_mass is not None:
        case.inverse_mass = numpy.maximum(case.inverse_mass, 0.2)
    case.interactions = [draw_spring_network(rng, case.count)]
    if case.inverse_mass is None and rng.random() < 0.5:
        gravity = draw_gravity(rng, case.count)
        gravity.values["mu"], gravity.values["sources"] = numpy.full(case.count, 0.2), case.count
        case.interactions.append(gravity)

    def seen(steps):
        found = Run(case).go(steps).results()
        return {"x": found["x"] * 0, "momentum": found["momentum"]}

    return Trial(lambda: seen(0), lambda: seen(case.steps), within=1e-4 if case.real == "f32" else 1e-11)
