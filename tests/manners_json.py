"""Checks what the program prints with --json with the schemas of tools/schema.

    python3 tests/manners_json.py SOURCE PROGRAM FOLDER

A schema names every key and allows no other, so a key that is new, missing or of another type fails here. A schema that no output was
checked with fails too, and so does a schema that accepts an object with a key too many or too few.
"""
import copy
import json
import pathlib
import subprocess
import sys

import jsonschema

SOURCE, PROGRAM, FOLDER = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
SCENES = SOURCE / "tools/scenes"
SCHEMAS = {path.stem: json.loads(path.read_text()) for path in sorted((SOURCE / "tools/schema").glob("*.json"))}
ROWS = "--benchmark_filter=^step/velocity-verlet/uniform/f32/unfused/(sse2|neon)/512$"
VALIDATORS = {}
for name, schema in SCHEMAS.items():
    jsonschema.Draft202012Validator.check_schema(schema)
    VALIDATORS[name] = jsonschema.Draft202012Validator(schema)
held = set()


def fail(text):
    sys.exit(f"manners_json: {text}")


def output(*arguments, status=(0,)):
    done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True)
    if done.returncode not in status:
        fail(f"{' '.join(map(str, arguments))}: status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def hold(name, *arguments, status=(0,), read=None):
    """Checks an output, or the file `read` that a run writes, with its schema, and returns it. The schema must refuse the output with an
    additional key, and without each required key."""
    if read:
        subprocess.run([PROGRAM, *map(str, arguments)], cwd=FOLDER, capture_output=True, check=True)
        found = json.loads((FOLDER / read).read_text())
    else:
        found = output(*arguments, status=status)
    errors = sorted(VALIDATORS[name].iter_errors(found), key=str)
    for error in errors:
        detail = error.context and min(error.context, key=lambda e: -len(e.absolute_path)) or error
        print(f"{'/'.join(map(str, error.absolute_path))}: {detail.message[:300]}", file=sys.stderr)
    if errors:
        fail(f"{' '.join(map(str, arguments))}: not as tools/schema/{name}.json says")
    held.add(name)
    first = found[0] if isinstance(found, list) else found
    for key in ["a key too many", *first]:
        other = copy.deepcopy(found)
        target = other[0] if isinstance(other, list) else other
        if key in target:
            del target[key]
        else:
            target[key] = 1
        if VALIDATORS[name].is_valid(other) and (key not in first or key not in OPTIONAL.get(name, ())):
            fail(f"tools/schema/{name}.json takes an output with another key: {key}")
    return found


def optional_keys(schema):
    parts = schema.get("$defs", {"": schema}).values()
    parts = [part.get("items", part) for part in parts]
    return set().union(*(set(part["properties"]) - set(part["required"]) for part in parts))


OPTIONAL = {name: optional_keys(schema) for name, schema in SCHEMAS.items()}


def text(name, content):
    (FOLDER / name).write_text(content)
    return name


def main():
    seen = set()
    for scene in sorted(SCENES.glob("*.yaml")):
        if scene.stem != "elliptical-galaxy":  # The particles of this scene take six seconds to place.
            seen |= set(hold("run", "run", scene, "--steps", 2, "--json", status=(0, 1)))
    body = "method: velocity-verlet\nparticles: {state: [{x: [1, 2, 0.5], v: [0.5, 1, -1], id: 3}]}\ndt: 0.1\nsteps: 4\nforces: [uniform-acceleration: {a: [0, 0, -1]}]\n"
    scenes = {
        "walls": body + "boundary: {absorbing: {min: [-1, -1, -1], max: [9, 2.2, 9]}}\n"
        "colliders:\n  - plane: {point: [0, 0, 0], normal: [0, 0, 1], restitution: 0.5}\n",
        "watch": body + "watch:\n  - plane: {point: [0, 0, 0.4], normal: [0, 0, 1], stop: run, name: low}\n",
        "lost": body.replace("dt: 0.1", "dt: 1e200").replace("steps: 4", "steps: 40"),
    }
    for name, content in scenes.items():
        seen |= set(hold("run", "run", text(f"{name}.yaml", content), "--json", status=(0, 1)))
    seen |= set(hold("run", "run", SCENES / "kepler.yaml", "--error", "--compose", "yoshida-6", "--steps", 8, "--json"))
    seen |= set(hold("run", "run", SCENES / "kepler.yaml", "--converge", 3, "--steps", 8, "--json"))
    hold("run", "run", SCENES / "kepler.yaml", "--steps", 8, "--checkpoint", "k.checkpoint", "--json")
    hold("run", "resume", "k.checkpoint", "--steps", 16, "--json")
    missing = {"energy", "error", "runs", "compose", "dissipated_energy", "events", "absorbed", "first_non_finite", "distances"} - seen
    if missing:
        fail(f"no run printed {missing}")
    hold("verify", "verify", "--quick", "--method", "explicit-euler", "--json", status=(0, 1))
    hold("verify", "verify", "--part", "1/500", "--json", status=(0, 1))
    for name in ("methods", "fields", "cpu"):
        hold(name, name, "--json")
    text("a.csv", "step,id,x,y,z,vx,vy,vz\n0,1,1,2,3,4,5,6\n0,2,3,4,5,6,7,8\n")
    text("b.csv", "step,id,x,y,z,vx,vy,vz\n0,1,1,2,3,4,5,6\n0,2,3.5,4,5,6,7,8\n")
    hold("diff", "diff", "a.csv", "b.csv", "--json", status=(1,))
    hold("diff", "diff", "a.csv", "a.csv", "--json")
    hold("experiment-list", "experiment", "list", "--json")
    for name in ("e1", "e6-pulses"):
        if name in [row["name"] for row in output("experiment", "list", "--json")]:
            hold("experiment", "experiment", name, "--quick", "--json")
    # A build may have no benchmark, and a row of the scalar backend has no opponent.
    against = ("bench", "--against", "autovec", ROWS, "--benchmark_format=json")
    has_opponents = subprocess.run([PROGRAM, *against], capture_output=True).returncode != 2
    if has_opponents:
        hold("bench-against", *against, status=(0, 1))
    has_suite = subprocess.run([PROGRAM, "bench", "report"], capture_output=True, text=True).stderr.find("--out FILE") >= 0
    if has_suite:
        result = hold("bench-result", "bench", "--suite", "--time", "0.01", "--out", "result.json",
                      "--benchmark_filter=^(affine/euler/f32|affine/verlet/f64@scalar)$", read="result.json")
        if not result["rows"] or result["void"]:
            fail(f"the suite's result has no rows, or is void: {result}")
        for shipped in sorted((SOURCE / "bench/results").glob("*.json")):
            for error in VALIDATORS["bench-result"].iter_errors(json.loads(shipped.read_text())):
                fail(f"{shipped}: {error.message[:300]}")
    absent = (set() if has_opponents else {"bench-against"}) | (set() if has_suite else {"bench-result"})
    if set(SCHEMAS) - held - absent:
        fail(f"nothing was held against {set(SCHEMAS) - held}")


main()
