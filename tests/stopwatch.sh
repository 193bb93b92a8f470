#!/bin/sh
# stopwatch.sh PROGRAM compares the rates that the program prints with a stopwatch around it. The seconds of a run must lie within the
# time that the process takes, and be most of it. A row of the benchmark must have the rate of that run within a factor of 5: other
# processes may take the processor from one of the two.
set -eu
program=$1
command -v python3 >/dev/null || { echo 'stopwatch: no python3, skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND
cat >"$work/scene.yaml" <<'END'
particles: {random: {count: 16384, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}}}
forces: [spring: {k: 2}]
method: velocity-verlet
real: f32
dt: 0.001
steps: 2000
END
python3 - "$program" "$work/scene.yaml" <<'END'
import json, subprocess, sys, time

def read(command):
    begun = time.monotonic()
    said = subprocess.run([program] + command, capture_output=True, text=True, check=True).stdout
    return json.loads(said), time.monotonic() - begun

def expect(good, words):
    if not good:
        sys.exit("stopwatch: " + words)

program, scene = sys.argv[1:]
idle = read(["run", scene, "--threads", "1", "--backend", "scalar", "--steps", "1", "--json"])[1]
steps = 2000
while True: # enough steps for two seconds
    run, taken = read(["run", scene, "--threads", "1", "--backend", "scalar", "--steps", str(steps), "--json"])
    if taken > idle + 2 or steps > 10**7:
        break
    steps *= 4
expect(run["evaluations"] == 16384 * (steps + 1), f"{run['evaluations']} evaluations in {steps} steps")
expect(run["seconds"] <= taken, f"{run['seconds']} s inside, {taken} s outside")
expect(run["seconds"] >= 0.5 * (taken - idle), f"{run['seconds']} s inside, {taken - idle} s outside, without the time of a run of one step")
rate = run["evaluations_per_second"]
expect(abs(rate * run["seconds"] - run["evaluations"]) <= 1e-6 * run["evaluations"], f"{rate} is not the ratio of what was printed")

name = "step/velocity-verlet/spring/f32/fused/scalar/16384"
rows, taken = read(["bench", f"--benchmark_filter=^{name}$", "--benchmark_min_time=0.5", "--benchmark_format=json"])
expect([row["name"] for row in rows["benchmarks"]] == [name], f"expected one row, {name}")
row = rows["benchmarks"][0]
expect(0.2 < row["evals/s"] / rate < 5, f"the row says {row['evals/s']:.3g} evaluations/s, the run {rate:.3g}")
expect(row["evals/s"] <= 1.01 * row["best"], f"the mean {row['evals/s']:.3g} is above the best {row['best']:.3g}")
print(f"stopwatch: run {rate:.3g} evaluations/s, {run['seconds']:.2f} s; row {row['evals/s']:.3g}")
END
