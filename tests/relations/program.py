"""Writes cases as scenes, runs the program kickdrift, and reads its files back."""

import csv
import functools
import json
import os
import shutil
import subprocess
import tempfile

import numpy

import kickdrift as kd
import tables
from run import Fault

PROGRAM = os.environ.get("KDR_PROGRAM", "")
RANKS = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]
WORDS = ("watch", "direction", "surface")
OF_THE_RUN = ("seconds", "evaluations_per_second", "backend", "threads", "ranks", "scene", "checkpoint", "output")


def flow(value):
    """Returns a value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {flow(part)}" for key, part in value.items()) + "}"
    if isinstance(value, (list, tuple, numpy.ndarray)):
        return "[" + ", ".join(flow(part) for part in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, numpy.integer)):
        return str(int(value))
    return ".inf" if value == float("inf") else repr(float(value))


def entry_of(force):
    """Returns a force as a scene writes it."""
    values = dict(force.values)
    for name, array in force.each.items():
        values[name] = {"each": array.T if array.ndim > 1 else array}
    if force.grid:
        origin = force.grid["origin"]
        values["grid"] = {**force.grid, "origin": origin if isinstance(origin, float) else list(origin)}
    if force.contribution != "default":
        values["contribution"] = force.contribution
    if tables.FORCES[force.kind].module:
        return {"field": {"file": force.kind, "parameters": values}}
    return {force.kind: values}


def part_of(part):
    """Returns a surface, a constraint or a watch as a scene writes it."""
    names = {"static_friction": "static", "friction_normal": "friction-normal"}
    return {part.kind: {names.get(key, key): value for key, value in part.values.items() if value is not None}}


def coupling_of(case):
    """Returns the interactions as a scene writes them."""
    found = []
    for part in case.interactions:
        values = part.values
        if part.kind == "gravity":
            lengths = values.get("softening_each")
            softening = values["softening"] if lengths is None else {"each": lengths}
            found.append({"gravity": {"mu": {"each": values["mu"]}, "softening": softening, "sources": values["sources"]}})
        else:
            numbers = {name: values[name][0] for name in ("k", "length", "damping")}
            found.append({"springs": {"between": values["between"], **numbers}})
    return found


def particles_of(case):
    """Returns the states of the particles as a scene lists them, each with a mass."""
    rows = []
    for n in range(case.count):
        row = {"x": case.x[:, n], "v": case.v[:, n], "mass": 1 / case.inverse_mass[n] if case.inverse_mass[n] else float("inf")}
        rows.append({**row, "id": int(case.id[n])} if case.id is not None else row)
    return rows


def scene_of(case, **more):
    """Returns the text of a scene."""
    lines = {"real": case.real, "arithmetic": case.arithmetic, "particles": {"state": particles_of(case)},
             "forces": [entry_of(force) for force in case.forces]}
    for key, parts in (("colliders", case.colliders), ("constraints", case.constraints), ("watch", case.watches)):
        if parts:
            lines[key] = [part_of(part) for part in parts]
    if case.boundary:
        lines["boundary"] = {case.boundary[0]: {"min": case.boundary[1], "max": case.boundary[2]}}
    if case.interactions:
        lines["interactions"] = coupling_of(case)
    if case.rods:
        rods = [{"between": [pair], "length": length} for pair, length in zip(case.rods, case.lengths)]
        lines["distances"] = {"rods": rods, "relaxation": case.relaxation}
    if case.radius is not None:
        lines["radius"] = {"each": case.radius}
    if case.level is not None:
        lines["levels"] = {"each": case.level}
    lines["method"] = case.method
    if case.compose:
        lines["compose"] = case.compose
    lines.update({"compensated": case.compensated, "flush-small-to-zero": case.flush})
    lines.update({"t0": case.t0, "dt": case.dt, "step": case.step, "steps": case.steps})
    if case.langevin:
        lines["langevin"] = dict(zip(("friction", "temperature", "seed"), case.langevin))
    if case.light:
        lines["speed-of-light"] = case.light
    if case.watches:
        lines["events"] = {"file": "events.csv"}
    if case.colliders and not case.stops():
        lines["contacts"] = {"file": "contacts.csv"}
    return "".join(f"{key}: {flow(value)}\n" for key, value in {**lines, **more}.items())


def table_of(path):
    """Returns the columns of a CSV file. Words become numbers, a different one for each word."""
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    words = sorted({word for row in rows[1:] for name, word in zip(rows[0], row) if name in WORDS})
    numbers = {name: [words.index(row[n]) if name in WORDS else float(row[n]) for row in rows[1:]] for n, name in enumerate(rows[0])}
    return {name: numpy.array(column, float) for name, column in numbers.items()}


def together(table, *names):
    """Returns the columns of these names that the table has, one row per name."""
    return numpy.array([table[name] for name in names if name in table])


class Job:
    """A job is a folder in which the program runs a scene and leaves its files."""

    def __init__(self, text):
        self.folder, self.said = tempfile.mkdtemp(prefix="relations-"), {}
        with open(self.path("scene.yaml"), "w", encoding="utf-8") as file:
            file.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *why):
        shutil.rmtree(self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *arguments, before=()):
        """Runs the program and returns its output. A refusal raises kickdrift.Error. A status of 1 is not a refusal: a run whose values
        became infinite ends with it."""
        done = subprocess.run([*before, PROGRAM, *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            said = [line for line in done.stderr.split("\n") if line.strip("-_ ")]
            raise kd.Error("refused", f"status {done.returncode}: {' '.join(said[:1] + said[-1:])[:300]}")
        return done.stdout

    def run(self, *options, ranks=0):
        """Runs the scene with --out, and returns the job."""
        before = [*RANKS, str(ranks)] if ranks else []
        self.said = json.loads(self.call("run", "scene.yaml", "--json", "--out", "out.csv", *options, before=before))
        return self

    def resume(self, name, *options):
        self.said = json.loads(self.call("resume", name, "--json", *options))
        return self

    def results(self, *files):
        """Returns the final state, events, contacts, the printed numbers, and the files named in `files`."""
        out = table_of(self.path("out.csv"))
        names = {"x": "xyz", "v": ("vx", "vy", "vz"), "images": ("ix", "iy", "iz"), "id": ("id",)}
        found = {name: together(out, *columns) for name, columns in names.items()}
        for name in ("events.csv", "contacts.csv", *files):
            if os.path.exists(self.path(name)):
                table = table_of(self.path(name))
                found[name] = numpy.array(list(table.values()))
        return {**found, **self.told()}

    def told(self):
        """Returns the numbers that the program printed, except the largest error, which depends on the steps at which it is measured."""
        said = {key: value for key, value in self.said.items() if key not in OF_THE_RUN}
        found = {"momentum": said["momentum"], "angular": said["angular_momentum"], "fingerprint": int(said["fingerprint"], 16) % 2**52}
        found["energy"] = [said["energy"][key] for key in ("first", "last") if said["energy"].get(key) is not None]
        if "dissipated_energy" in said:
            found["dissipated_energy"] = list(said["dissipated_energy"].values())
        return {name: numpy.array(value, float) for name, value in found.items()}


SMALL = """particles: {state: [{x: [0.5, 0, 0], v: [0, 1, 0]}]}
forces: []
method: velocity-verlet
dt: 0.125
steps: 2
"""


@functools.cache
def missing_program():
    """Returns None where scenes can be run, otherwise the reason."""
    return None if PROGRAM and os.access(PROGRAM, os.X_OK) else "no program, KDR_PROGRAM names none"


@functools.cache
def missing_hdf5():
    """Returns None where H5MD files can be written, otherwise the reason."""
    if missing_program():
        return missing_program()
    with Job(SMALL + "output: {file: frames.h5, every: 1}\n") as job:
        try:
            job.run()
        except kd.Error as error:
            return f"H5MD: {error}"
    return None


@functools.cache
def missing_ranks():
    """Returns None where jobs of several ranks can be run, otherwise the reason."""
    if missing_program():
        return missing_program()
    if not shutil.which("mpirun"):
        return "no mpirun here"
    with Job(SMALL) as job:
        try:
            job.run(ranks=2)
        except (kd.Error, ValueError) as error:
            return f"ranks: {error}"
    return None


def steps_of(case):
    """Returns the case with one step less if that fault is planted."""
    return case.copy(steps=Fault.cut(case.steps))
