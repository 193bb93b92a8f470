"""Relations about calls: a run in several calls, requests between calls, layouts of arrays, and files of states."""

import os
import tempfile

import numpy

import kickdrift as kd
import tables
from others import alone
from relate import Trial, evaluates_all, relation, tolerance
from run import MAKERS, Run, forces_of, has_module, results


@relation()
def calls_of_one_step(case, rng):
    """A run cut into calls of one step has the bits of one call."""
    return Trial(case, case, calls=[1] * case.steps)


@relation()
def calls_at_random(case, rng):
    """A run cut into calls of any number of steps, some of no step, has the bits of one call."""
    left, calls = case.steps, []
    while left:
        calls.append(rng.randint(0, left))
        left -= calls[-1]
    return Trial(case, case, calls=calls)


@relation()
def without_memory(case, rng):
    """One call has the same bits whether particles have arrays for what a method remembers or not."""
    return Trial(case, case.copy(memory=False))


@relation()
def another_backend(case, rng):
    """Every set of instructions has the same bits."""
    return Trial(case, case.copy(backend=rng.choice(tables.BACKENDS)), refusable=has_module(case))


@relation()
def more_threads(case, rng):
    """Any number of threads has the same bits."""
    return Trial(case, case.copy(threads=rng.choice([2, 3])))


@relation()
def described_step(case, rng):
    """The description may name the step that most runs take, which changes no result."""
    return Trial(case, case.copy(described_dt=rng.choice([case.dt, 2 * case.dt])))


@relation()
def looked_at(case, rng):
    """Energies, samples and counts that are requested between two calls change nothing."""
    fraction = rng.random()

    def seen():
        run = Run(case).go(case.steps)
        run.motion.observe(run.particles, run.clock)
        run.motion.evaluations(run.particles, run.clock, 3)
        if case.method != "stormer-verlet" and not (case.runner == "field" and case.level is not None and case.is_noisy()):
            run.motion.sample(run.particles, run.clock, fraction)
        return run.go(case.steps).results()

    return Trial(lambda: results(case, [case.steps] * 2), seen)


@relation(often=4)
def same_forces_again(case, rng):
    """Forces that are replaced by the same forces give the run whose memory is cleared."""
    def again(replaced):
        run = Run(case).go(5)
        if replaced:
            run.motion.set_forces(forces_of(case))
        else:
            run.particles.changed()
        return run.go(5).results()

    return Trial(lambda: again(False), lambda: again(True))


@relation(often=4)
def same_surfaces_again(case, rng):
    """Surfaces that are replaced by the same surfaces change nothing."""
    if not case.colliders or case.stops():
        return None

    def again():
        run = Run(case).go(case.steps)
        run.motion.set_colliders([MAKERS[part.kind](**part.values) for part in case.colliders])
        return run.go(case.steps).results()

    return Trial(lambda: results(case, [case.steps] * 2), again)


@relation(often=4)
def same_clock_again(case, rng):
    """A clock changed to the step that it has changes nothing but the number of the step."""
    if case.is_noisy() or case.stops():
        return None

    def again(changed):
        run = Run(case).go(5)
        if changed:
            run.clock = run.clock.with_dt(run.clock.dt)
        return run.go(5).results()

    return Trial(lambda: again(False), lambda: again(True), within=tolerance(case), without=("step", "events", "contacts"))


def rows_of(array):
    """Returns a view with a row per axis of a copy that has a row per particle in memory."""
    return numpy.ascontiguousarray(array.T).T


def blocks_of(array):
    """Returns views of two blocks, each with half of the particles, in which the axes follow one another in memory."""
    half = array.shape[1] // 2
    memory = numpy.empty((2, array.shape[0], half), array.dtype)
    for axis in range(array.shape[0]):
        memory[:, axis, :] = array[axis].reshape(2, half)
    return [memory[:, axis, :] for axis in range(array.shape[0])]


def strided(array):
    """Every third element of a larger array, between elements that are NaN, or the largest whole number."""
    memory = numpy.empty((array.shape[0], 3 * array.shape[1]), array.dtype)
    memory.view(numpy.uint8)[...] = 0xFF
    memory[:, ::3] = array
    return memory[:, ::3]


@relation()
def other_layouts(case, rng):
    """Arrays in rows, in blocks or strided have the bits of plain ones."""
    arrange = rng.choice([rows_of, strided, *([blocks_of] if case.count % 2 == 0 and case.count > 2 else [])])
    return Trial(case, lambda: Run(case, arrange).go(case.steps).results())


@relation()
def by_reference(case, rng):
    """The scalar reference has the bits of the kernels."""
    def reference():
        run = Run(case)
        run.motion.reference_run(run.particles, run.clock, case.steps)
        return run.results()

    return Trial(case, reference)


@relation(lambda case, rng: (alone(case, rng), setattr(case, "runner", "system"), setattr(case, "watches", [])), often=4)
def in_blocks(case, rng):
    """A system run in blocks has the bits of one without blocks."""
    if evaluates_all(case):
        return None

    def blocks():
        run = Run(case)
        run.motion.run_blocks(run.particles, run.clock, case.steps)
        return run.results()

    return Trial(case, blocks, refusable=True)


def temporary(suffix):
    return os.path.join(tempfile.gettempdir(), f"relations-{os.getpid()}{suffix}")


@relation(often=4)
def from_checkpoint(case, rng):
    """A run that is written to a checkpoint, read back and continued is the run without the checkpoint."""
    if case.stops():
        return None

    def read():
        run, path = Run(case).go(5), temporary(".checkpoint")
        try:
            kd.write_checkpoint(path, run.motion, run.particles, run.clock, b"a note")
            particles, clock, note = kd.read_checkpoint(path, run.motion)
        finally:
            if os.path.exists(path):
                os.remove(path)
        assert note == b"a note"
        run.particles, run.clock = particles, clock
        found = run.go(5).state()
        for name in ("bounces", "nonconverged", "dissipated_energy", "images", "error"):
            if getattr(particles, name) is not None:
                found[name] = numpy.array(getattr(particles, name), float)
        found["step"] = clock.step
        return found

    return Trial(lambda: results(case, [5, 5]), read)


def streamed_case(case, rng):
    alone(case, rng)
    case.runner, case.watches, case.active, case.level = "field", [], None, None
    case.contacts = False
    for force in case.forces:
        force.each = {}


@relation(streamed_case, often=4)
def from_stream(case, rng):
    """Particles in slices of a file have the bits of a run in memory."""
    def streamed():
        run, path = Run(case), temporary(".checkpoint")
        try:
            kd.write_checkpoint(path, run.motion, run.particles, run.clock)
            last = case.step + case.steps
            with kd.Stream(path, path, run.motion, last) as slices:
                for piece, clock in slices:
                    run.motion.run(piece, clock, last - clock.step)
            particles, clock, _ = kd.read_checkpoint(path, run.motion)
        finally:
            for name in (path, path + ".part"):
                if os.path.exists(name):
                    os.remove(name)
        return {"x": numpy.array(particles.x, float), "v": numpy.array(particles.v, float), "bounces": particles.bounces,
                "dissipated_energy": numpy.array(particles.dissipated_energy), "step": clock.step}

    return Trial(case, streamed)


@relation(lambda case, rng: setattr(case, "rest", False))
def sampled(case, rng):
    """A sample within a step is the state after a shortened step. At the ends of the step it has the bits of the states there."""
    fraction = rng.choice([0.0, 1.0, 0.5, 0.3])
    if case.method == "stormer-verlet" or case.is_noisy() or case.stops() or case.runner == "field" and case.level is not None:
        return None  # Field runs also shorten the steps of a level.
    if case.method == "velocity-verlet-pc" and fraction not in (0.0, 1.0):
        return None  # This method begins its shortened step afresh.

    def sample():
        run = Run(case).go(3)
        found = run.motion.sample(run.particles, run.clock, fraction)
        names = ("x", "v", "images") if fraction and found.images is not None else ("x", "v")
        return {name: numpy.array(getattr(found, name), float) for name in names}

    def shortened():
        run = Run(case).go(3)
        if fraction == 0:
            return run.results()
        if fraction != 1:
            run.clock = kd.Clock(case.dt * fraction, run.clock.time)
        return run.go(1).results()

    exact = fraction in (0.0, 1.0) and not case.compensated
    return Trial(shortened, sample, within=0.0 if exact else tolerance(case))


@relation(lambda case, rng: setattr(case, "rest", False), often=4)
def sampled_at_once(case, rng):
    """A sample just after the beginning of a step is close to the state there."""
    if case.method == "stormer-verlet" or case.is_noisy() or case.stops() or case.colliders or case.boundary:
        return None
    fraction = 10 ** rng.uniform(-6, -4) if case.real == "f32" else 10 ** rng.uniform(-15, -8)

    def sample():
        run = Run(case).go(3)
        found = run.motion.sample(run.particles, run.clock, fraction)
        return {"x": numpy.array(found.x, float), "v": numpy.array(found.v, float)}

    return Trial(lambda: Run(case).go(3).state(), sample, within=max(1e-6, tolerance(case)))


@relation(keeps=True)
def events_are_samples(case, rng):
    """The state of an event is the state after a step that is shortened to it."""
    if not case.watches or case.method == "stormer-verlet" or case.is_noisy() or case.level is not None or case.stops():
        return None
    if case.boundary and case.boundary[0] == "periodic" or case.colliders or case.constraints:
        return None  # Near a face or a wall, rounding decides whether the state is the one before or after it.

    def pairs():
        run, got, want = Run(case).go(2), [], []
        for _ in range(case.steps):
            before, clock = run.particles.copy(), kd.Clock(run.clock.dt, run.clock.t0, run.clock.step)
            run.particles.events()
            run.go(1)
            for event in run.particles.events()[0]:
                part = (float(event["time"]) - clock.time) / clock.dt
                assert -1e-6 <= part <= 1 + 1e-6, part
                state = run.motion.sample(before, clock, min(1.0, max(0.0, part)))
                got.append([*event["x"][:case.dims], *event["v"][:case.dims]])
                want.append([row[event["particle"]] for rows in (state.x, state.v) for row in rows])
        return numpy.array(got, float), numpy.array(want, float)

    kept = []

    def events():
        kept.append(pairs())
        return {"x": kept[0][0]}

    return Trial(events, lambda: {"x": kept[0][1]}, within=1e-2 if case.real == "f32" else 1e-7)


@relation()
def stopped_and_gone_on(case, rng):
    """A run that a watch stops, called again until its end, is the run without the stop."""
    if not case.watches or case.stops():
        return None

    def pieces():
        other = case.copy()
        for watch in other.watches:
            watch.values["stop"] = "run"
        run, end = Run(other), case.step + case.steps
        run.go(end - run.clock.step)
        for _ in range(case.steps + 1):
            if run.clock.step < end:
                run.motion.run(run.particles, run.clock, end - run.clock.step)
        return run.results()

    return Trial(case, pieces)
