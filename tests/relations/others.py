"""Relations about the set of particles: without interactions, a particle has the bits that it has alone."""

import numpy

import kickdrift as kd
from relate import Trial, evaluates_all, relation, together, tolerance
from run import Run, gather
from tables import FORCES
from transform import Units, chosen, first_of, results_of_chosen, with_frozen


def alone(case, rng):
    """Removes interactions from the case, so that each particle has its own step."""
    case.interactions, case.rods, case.lengths = [], [], None
    if case.levels:
        case.levels, case.level = False, None


@relation(often=16)
def units(case, rng):
    """Scaling lengths, times and masses by powers of two scales every result, to the bit."""
    if not all(FORCES[kind].known for kind in case.kinds()):
        return None
    most = 3 if case.real == "f32" else 40
    length, time = rng.randint(-most, most), rng.randint(-most, most)
    mass = rng.randint(-most, most) if case.inverse_mass is not None else 0
    if case.is_noisy():
        mass *= 2  # The noise is proportional to the square root of a mass.
    change = Units(length, time, mass)
    without = ("potential",) if "logarithmic-halo" in case.kinds() else ()  # The zero of this potential depends on the unit of length.
    return Trial(case, change.of_case(case), expected=change.of_results, without=without)


@relation(alone)
def one_among_others(case, rng):
    """Particles have the same bits with and without the others."""
    if evaluates_all(case):
        return None
    index = sorted(rng.sample(range(case.count), rng.randint(1, case.count)))
    return Trial(case, chosen(case, index), expected=lambda found: results_of_chosen(found, index), **together(case))


@relation(alone)
def unmarked_as_absent(case, rng):
    """Particles that are not active have no effect on the others."""
    if evaluates_all(case):
        return None
    keep = [n for n in range(case.count) if rng.random() < 0.6 and (case.active is None or case.active[n])]
    marked = case.copy(active=numpy.isin(numpy.arange(case.count), keep).astype(numpy.uint8))
    without = chosen(marked, keep)
    without.active = None
    return Trial(marked, without, expected=lambda found: results_of_chosen(found, keep),
                 without=("active", "nonconverged"), within=together(case).get("within", 0.0))


@relation(alone)
def permuted(case, rng):
    """Particles in another order have the same bits."""
    index = rng.sample(range(case.count), case.count)
    return Trial(case, chosen(case, index), expected=lambda found: results_of_chosen(found, index), **together(case))


@relation(lambda case, rng: (alone(case, rng), setattr(case, "langevin", None if not case.row.heat_bath else [case.langevin[0], 0.0, 1])))
def doubled(case, rng):
    """Particles that are there twice have the same bits twice."""
    index = [*range(case.count)] * 2
    other = chosen(case, index)
    other.id = None
    return Trial(case, other, expected=lambda found: results_of_chosen(found, index), **together(case))


@relation()
def frozen_beside(case, rng):
    """Additional frozen particles that attract nobody change nothing."""
    more = rng.randint(1, 9)
    other = with_frozen(case, more)
    room = together(case) if case.inverse_mass is not None else {"within": tolerance(case), "without": ("nonconverged",)}
    return Trial(case, other, back=first_of(case.count), **room)


@relation()
def named_by_place(case, rng):
    """Ids that equal first_id plus the index give the results of no ids."""
    case.id = None
    named = case.copy(id=case.first_id + numpy.arange(case.count, dtype=numpy.uint64), first_id=0)
    named.id = named.id.astype(numpy.uint64)
    return Trial(case, named)


@relation(lambda case, rng: (alone(case, rng), setattr(case, "watches", [])))
def in_slices(case, rng):
    """Particles run in two slices, each with its first_id, have the bits of one run."""
    if case.count < 2 or evaluates_all(case):
        return None
    case.id, cut = None, rng.randint(1, case.count - 1)

    def halves():
        found = []
        for begin, end in ((0, cut), (cut, case.count)):
            part = chosen(case, range(begin, end))
            part.id, part.first_id = None, case.first_id + begin
            found.append(Run(part).go(case.steps).results())
        return {name: numpy.concatenate([found[0][name], found[1][name]], -1) for name in ("x", "v", "bounces", "nonconverged", "dissipated_energy")}

    return Trial(case, halves, **together(case))


def born_case(case, rng):
    alone(case, rng)
    case.runner = "field"
    for force in case.forces:
        force.each = {}


@relation(born_case)
def begun_later(case, rng):
    """Particles that are born among others have the bits of a run that begins then."""
    if case.count < 2 or case.method == "stormer-verlet" or case.stops():
        return None
    first = rng.randint(1, case.count - 1)
    case.id = numpy.arange(case.count, dtype=numpy.uint64) if case.id is None else case.id

    def together():
        run = Run(case)
        run.particles.resize(first)
        run.go(5)
        run.particles.resize(case.count)
        run.motion.init_memory(run.particles, run.clock, first, case.count - first)
        return run.go(5).state()

    def apart():
        early, late = chosen(case, range(first)), chosen(case, range(first, case.count))
        late.step = case.step + 5
        a, b = Run(early).go(10).state(), Run(late).go(5).state()
        return {name: numpy.hstack([a[name], b[name]]) for name in a}

    return Trial(apart, together)


@relation(born_case)
def one_has_died(case, rng):
    """The last particle takes the index of one that dies, and all remaining particles go on as before."""
    if case.count < 2 or case.stops():
        return None
    dead, last = rng.randrange(case.count), case.count - 1
    case.id = numpy.arange(case.count, dtype=numpy.uint64) if case.id is None else case.id

    def after():
        run = Run(case).go(4)
        run.particles.move(dead, last)
        run.particles.resize(last)
        run.go(4)
        return {name: value[..., :last] for name, value in run.state().items()}

    def before():
        found = Run(case).go(4, 4).state()
        for value in found.values():
            value[..., dead] = value[..., last]
        return {name: value[..., :last] for name, value in found.items()}

    return Trial(before, after)


@relation(lambda case, rng: setattr(case, "runner", "system" if case.row.system_runs else "field"), often=4)
def far_groups(case, rng):
    """Two copies of springs or rods that share no particle each have the results that one has alone."""
    case.interactions = [part for part in case.interactions if part.kind != "gravity"]
    if case.runner != "system" or case.levels or case.is_noisy() or case.row.family == "implicit":
        return None
    index, count = [*range(case.count)] * 2, case.count
    other = chosen(case, index)
    other.id = None
    for part in other.interactions:
        values = part.values
        values["between"] = [*values["between"], *((a + count, b + count) for a, b in values["between"])]
        for name in ("k", "length", "damping"):
            values[name] = values[name] * 2
    other.rods = [*case.rods, *((a + count, b + count) for a, b in case.rods)]
    other.lengths = case.lengths and case.lengths * 2
    return Trial(case, other, expected=lambda found: results_of_chosen(found, index), without=("nonconverged",),
                 within=tolerance(case) if case.rods or case.interactions else 0.0)


@relation(alone, often=4)
def observed_as_sum(case, rng):
    """Energies and momentum are the sums of those of each particle."""
    if case.count < 2:
        return None

    def whole():
        found = Run(case).go(1).results()
        return {name: found[name] for name in ("kinetic", "potential", "momentum", "angular")}

    def summed():
        parts = [Run(chosen(case, [n])).go(1).results() for n in range(case.count)]
        return {name: sum(part[name] for part in parts) for name in ("kinetic", "potential", "momentum", "angular")}

    return Trial(whole, summed, within=1e-4 if case.real == "f32" else 1e-11)


@relation(alone, often=2)
def observed_in_slices(case, rng):
    """Sums over slices of a multiple of 1024 particles have the bits of those over all."""
    case.runner = "field"
    index = [rng.randrange(case.count) for _ in range(2500)]
    many = chosen(case, index)
    many.id = None

    def whole():
        run = Run(many).go(1)
        return gather(run.motion, run.particles, run.clock, many)

    def slices():
        run, sums = Run(many).go(1), kd.Sums()
        for begin in range(0, many.count, 1024):
            part = chosen(many, range(begin, min(begin + 1024, many.count)))
            part.x, part.v = (numpy.array(rows, float)[:, begin:begin + 1024] for rows in (run.particles.x, run.particles.v))
            part.active = None if run.particles.active is None else run.particles.active[begin:begin + 1024].astype(numpy.uint8)
            other = Run(part)
            sums.add(other.motion, other.particles, run.clock)
        seen = sums.observe()
        return {"kinetic": seen.kinetic, "potential": seen.potential, "momentum": seen.momentum, "angular": seen.angular_momentum}

    return Trial(whole, slices)

