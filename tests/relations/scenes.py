"""Relations about the program: scenes, frames, files, times, resuming and ranks."""

import csv
import os

import numpy

from program import Job, missing_hdf5, missing_program, missing_ranks, scene_of, steps_of, table_of, together
from relate import Trial, relation
from run import Run, has_module
from tables import BACKENDS


def scene(case, rng):
    """Makes the case one that a scene can describe: in space, each particle active and with a mass that is a power of two."""
    more = 3 - case.dims
    case.x, case.v = (numpy.vstack([rows, numpy.zeros((more, case.count))]) for rows in (case.x, case.v))
    case.dims, case.active, case.error, case.first_id = 3, None, False, 0
    case.backend, case.runner = "auto", "system" if case.interacts() else "field"
    case.levels = case.runner == "system" and case.level is not None
    case.inverse_mass = numpy.array([rng.choice([0.0, 0.5, 1.0, 1.0, 2.0]) for _ in range(case.count)])
    case.step = rng.choice([0, 3])
    for part in case.interactions:
        if part.values.get("softening_each") is not None:
            part.values["softening"] = 0.0  # A scene has one length for all pairs, or one per particle.
        for name in {"k", "length", "damping"} & set(part.values):
            part.values[name] = [part.values[name][0]] * len(part.values[name])


def program_run(case, *options, files=(), ranks=0, **more):
    """Returns a function that runs a scene of a case and returns results."""
    def run():
        with Job(scene_of(steps_of(case), **more)) as job:
            return job.run(*options, ranks=ranks).results(*files)
    return run


def sorted_by_id(case, found):
    """Returns results of the module in the order of ids, as the program writes them."""
    order = numpy.argsort(case.id) if case.id is not None else slice(None)
    return {name: found[name][..., order] for name in ("x", "v", "images") if name in found}


@relation(scene, often=2, needs=missing_program)
def scene_as_module(case, rng):
    """A scene has the bits of the same run in Python."""
    if case.rods:
        return None  # The program first removes velocities along rods.

    def module():
        run = Run(case)
        run.motion.run(run.particles, run.clock, case.steps)
        found = run.results()
        return {"x": found["x"], "v": found["v"], "momentum": found["momentum"],
                **({"times": found["events"][:, 4], "at": found["events"][:, 5:8].T} if case.watches else {})}

    def by_program():
        with Job(scene_of(steps_of(case))) as job:
            found = job.run().results()
            if case.watches:
                events = table_of(job.path("events.csv"))
                found["times"], found["at"] = events["t"], together(events, *"xyz")
            return found

    return Trial(module, by_program)


@relation(scene, often=1, needs=missing_program)
def other_cadences(case, rng):
    """Reports, frames and checkpoints, however often they are written, change nothing else."""
    more = {"report": rng.randint(1, 9), "output": {"file": "frames.csv", "every": rng.randint(1, 9)},
            "checkpoint": {"file": "run.checkpoint", "every": rng.randint(1, 7)}}
    return Trial(program_run(case), program_run(case, **more))


@relation(scene, often=1, needs=missing_program)
def stopped_and_resumed(case, rng):
    """A run that ends at some step and is resumed has the results and the files of the run without a stop."""
    case.steps, cut = max(2, case.steps), rng.randint(1, max(1, case.steps - 1))
    more = {"output": {"file": "frames.csv", "every": rng.randint(1, 4)}}

    def unbroken():
        with Job(scene_of(steps_of(case), **more)) as job:
            found = job.run("--checkpoint", "end.checkpoint").results("frames.csv")
            return {name: found[name] for name in ("fingerprint", "frames.csv", "events.csv", "contacts.csv") if name in found}

    def resumed():
        with Job(scene_of(case, **more)) as job:
            job.run("--steps", str(cut), "--checkpoint", "cut.checkpoint")
            if case.stops() and not os.path.exists(job.path("cut.checkpoint")):
                return unbroken()
            os.remove(job.path("out.csv"))
            job.resume("cut.checkpoint", "--steps", str(case.steps))
            found = job.told()
            for name in ("frames.csv", "events.csv", "contacts.csv"):
                if os.path.exists(job.path(name)):
                    found[name] = numpy.array(list(table_of(job.path(name)).values()))
            return found

    return Trial(unbroken, resumed)


@relation(scene, often=1, needs=missing_program)
def times_of_steps(case, rng):
    """Frames at the times of steps are the frames at these steps."""
    if case.method == "stormer-verlet" or case.stops() or case.is_noisy():
        return None
    steps = sorted({case.steps, *rng.sample(range(case.steps + 1), min(2, case.steps))})
    times = [case.t0 + (case.step + n) * case.dt for n in steps]

    def frames(output, rows):
        with Job(scene_of(steps_of(case), output={"file": "frames.csv", **output})) as job:
            job.run()
            table = table_of(job.path("frames.csv"))
            states = together(table, "x", "y", "z", "vx", "vy", "vz").reshape(6, -1, case.count)
            return {"frames": states if rows is None else states[:, rows]}

    within = 2e-3 if case.real == "f32" else 1e-8
    return Trial(lambda: frames({"every": 1}, steps), lambda: frames({"times": times}, None), within=within)


@relation(scene, often=1, needs=missing_hdf5)
def frames_in_other_files(case, rng):
    """Frames in H5MD and in extended XYZ equal those in CSV, to the bit."""
    case.step, name = 0, rng.choice(["frames.h5", "frames.xyz"])
    every = rng.randint(1, 4)

    def converted():
        with Job(scene_of(steps_of(case), output={"file": name, "every": every})) as job:
            job.run()
            job.call("convert", name, "frames.csv")
            return states(job)

    def written():
        with Job(scene_of(case, output={"file": "frames.csv", "every": every})) as job:
            job.run()
            return states(job)

    def states(job):
        table = table_of(job.path("frames.csv"))
        names = ["step", "t", "id", "x", "y", "z", "vx", "vy", "vz", "mass"]
        return {"frames": together(table, *names, *(["ix", "iy", "iz"] if name.endswith("h5") else []))}

    return Trial(written, converted)


@relation(scene, often=1, needs=missing_program)
def state_from_file(case, rng):
    """Particles from a file give the results of the same particles in the scene."""
    if case.boundary or any(force.each for force in case.forces) or case.level is not None:
        return None
    ids = range(case.count) if case.id is None else case.id

    def by_file():
        text = scene_of(steps_of(case), **({} if case.radius is None else {"radius": {"column": "r"}}))
        begin, end = text.index("particles: "), text.index("\n", text.index("particles: "))
        with Job(text[:begin] + "particles: {file: state.csv}" + text[end:]) as job:
            with open(job.path("state.csv"), "w", newline="", encoding="utf-8") as file:
                rows = csv.writer(file)
                rows.writerow(["id", *"xyz", "vx", "vy", "vz", "mass", "r"])
                for n, name in enumerate(ids):
                    mass = 1 / case.inverse_mass[n] if case.inverse_mass[n] else float("inf")
                    rows.writerow([name, *map(repr, map(float, case.x[:, n])), *map(repr, map(float, case.v[:, n])), mass, 0 if case.radius is None else repr(float(case.radius[n]))])
            return job.run().results()

    return Trial(program_run(case), by_file)


@relation(scene, often=1, needs=missing_program)
def program_by_threads(case, rng):
    """The program has the same results and files on several threads and on every backend."""
    output = {"output": {"file": "frames.csv", "every": rng.randint(1, 5)}}
    options = ["--threads", str(rng.choice([2, 3])), "--backend", rng.choice(BACKENDS)]
    other = program_run(case, *options, files=("frames.csv",), **output)
    return Trial(program_run(case, files=("frames.csv",), **output), other, refusable=has_module(case))


def ranked(case, rng):
    """Makes the case one that ranks accept. Springs, rods, watches and contacts need one process."""
    case.interactions = [part for part in case.interactions if part.kind == "gravity"]
    case.rods, case.lengths, case.watches = [], None, []
    if not case.interactions:
        case.level = None
    scene(case, rng)


@relation(ranked, often=1, needs=missing_ranks)
def on_ranks(case, rng):
    """A job of several ranks has the results and the files of one process."""
    more = {"report": rng.randint(1, 9), "output": {"file": "frames.csv", "every": rng.randint(1, 5)}}

    def run(ranks):
        text = "".join(line + "\n" for line in scene_of(steps_of(case), **more).splitlines() if not line.startswith("contacts:"))
        with Job(text) as job:
            return job.run(ranks=ranks).results("frames.csv")

    return Trial(lambda: run(0), lambda: run(rng.choice([2, 3])))
