#!/bin/sh
# windows.sh SOURCE HERE EMULATOR EXE checks that the program for Windows, run by the emulator (wine), does what the program HERE does: the
# same bytes in every file, the same exit status, and one line for a wrong request. tools/cross.sh calls it.
set -eu
source=$1 here=$2 emulator=$3 program=$4
there_program() { "$emulator" "$program" "$@"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0 checks=0
mkdir "$scratch/here" "$scratch/there" "$scratch/there/with spaces, é, Ж"
cd "$scratch/there"

fail() {
    failures=$((failures + 1))
    echo "windows: $*" >&2
    tail -n 3 "$scratch/out" "$scratch/err" >&2 || true
}

# both STATUS ARGUMENTS... runs both programs, each in its folder. The standard output of the one for Windows is in $scratch/out, its
# standard error in $scratch/err.
both() {
    wanted=$1
    shift
    checks=$((checks + 1))
    got=0
    (cd "$scratch/here" && "$here" "$@") >"$scratch/expected" 2>/dev/null </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || fail "$*: expected exit status $wanted of the program here, got $got"
    there "$wanted" "$@"
}
there() {
    wanted=$1
    shift
    got=0
    there_program "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || got=$?
    [ "$got" -eq "$wanted" ] || fail "$*: expected exit status $wanted, got $got"
}

# same FILE... checks that the files of both folders have the same bytes.
same() {
    for file; do
        checks=$((checks + 1))
        cmp -s "$scratch/here/$file" "$file" || fail "$file: expected the bytes that it has here"
    done
}

# The reports on the processor and the tables of the library are the same text to the byte.
both 0 methods
cmp -s "$scratch/expected" "$scratch/out" || fail "methods: expected the table that is printed here"
there 0 cpu
grep -q 'chosen' "$scratch/out" || fail "cpu: expected the chosen backend"
there 0 --version

# Files of frames and states may lie in folders of any name.
for scene in kepler gyration figure-eight box asteroids pendulum chain; do
    both 0 run "$source/tools/scenes/$scene.yaml" --steps 100 --out "$scene.csv"
    same "$scene.csv"
done
mkdir "$scratch/here/with spaces, é, Ж"
cp "$source/tools/scenes/asteroids.yaml" "$source/tools/scenes/asteroids.csv" "with spaces, é, Ж"
cp "with spaces, é, Ж"/* "$scratch/here/with spaces, é, Ж"
both 0 run "with spaces, é, Ж/asteroids.yaml" --steps 5 --out "with spaces, é, Ж/ätna.csv"
same "with spaces, é, Ж/ätna.csv"
both 0 run "$source/tools/scenes/kepler.yaml" --steps 100 --out kepler.csv # The file exists, and is replaced.
same kepler.csv
both 0 convert kepler.csv kepler.npy
both 0 convert kepler.npy kepler.xyz
both 0 convert kepler.xyz back.csv
same kepler.npy kepler.xyz back.csv

# diff tells files that differ from files that do not.
both 0 run "$source/tools/scenes/kepler.yaml" --steps 100 --backend scalar --out again.csv
both 0 diff kepler.csv again.csv
both 1 diff kepler.csv gyration.csv
both 2 diff kepler.csv nowhere.csv

# A run continues as if it had not stopped: from its checkpoint, from a checkpoint of the other system, or after Ctrl-C.
cat >cloud.yaml <<'END'
particles: {random: {count: 300, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}, mass: {uniform: [1, 2]}}}
forces: [spring: {k: 2}, quadratic-drag: {c: 0.01}]
method: rk4
dt: 0.001
steps: 400000
report: 70000
checkpoint: {file: cloud.checkpoint, every: 1000}
output: {file: cloud.csv, every: 500}
END
cp cloud.yaml "$scratch/here"
both 0 run cloud.yaml --steps 3000
same cloud.csv
cp "$scratch/here/cloud.checkpoint" cloud.checkpoint
cp "$scratch/here/cloud.csv" cloud.csv
both 0 resume cloud.checkpoint --steps 9000
same cloud.csv
(cd "$scratch/here" && "$here" run cloud.yaml >/dev/null)
rm -f cloud.checkpoint cloud.csv
"$emulator" "$program" run cloud.yaml >"$scratch/out" 2>"$scratch/err" </dev/null &
run=$!
tries=0
while [ ! -e cloud.checkpoint ] && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
kill -INT $run || true
status=0
wait $run || status=$?
if [ $status -eq 0 ]; then fail "Ctrl-C: expected the run to be stopped"; fi
if [ -e cloud.csv ]; then fail "Ctrl-C: expected no finished file"; fi
there 0 resume cloud.checkpoint
same cloud.csv

# A stream is written completely, and another process that would write the same one is refused.
cat >stream.yaml <<'END'
particles: {random: {count: 30000, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}}}
forces: [spring: {k: 2}]
method: velocity-verlet
dt: 0.001
steps: 100
stream: {file: stream.checkpoint, memory: 500 KB}
END
cp stream.yaml "$scratch/here"
both 0 run stream.yaml
both 0 run stream.yaml --steps 200
same stream.checkpoint
sed 's/steps: 100/steps: 300000/; s/stream.checkpoint/long.checkpoint/' stream.yaml >long.yaml
"$emulator" "$program" run long.yaml >/dev/null 2>&1 </dev/null &
run=$!
tries=0
while [ ! -e long.checkpoint.part ] && [ $tries -lt 200 ]; do
    sleep 0.05
    tries=$((tries + 1))
done
there 2 run long.yaml
grep -q 'another process writes it' "$scratch/err" || fail "a stream that another process writes: expected a refusal that says so"
kill -KILL $run 2>/dev/null || true
wait $run 2>/dev/null || true

# bench runs one row where kickdrift-bench lies next to the program.
if [ -e "${program%kickdrift.exe}kickdrift-bench.exe" ]; then
    there 0 bench --benchmark_filter='^step/explicit-euler/uniform/f32/unfused/scalar/16384$' --benchmark_min_time=0.01
    grep -q '^step/explicit-euler' "$scratch/out" || fail "bench: expected a row"
fi

# wrong ARGUMENTS... checks that both programs refuse the request, with the same line.
wrong() {
    checks=$((checks + 1))
    (cd "$scratch/here" && "$here" "$@") >/dev/null 2>"$scratch/expected" </dev/null || true
    there 2 "$@"
    cmp -s "$scratch/expected" "$scratch/err" && [ "$(wc -l <"$scratch/err")" -eq 1 ] || fail "$*: expected one line, $(cat "$scratch/expected")"
}
wrong run nowhere.yaml
wrong run cloud.yaml --method leap
wrong rum
wrong resume cloud.yaml
wrong run cloud.yaml --out nowhere/cloud.csv
wrong verify --backend mmx

echo "windows: $checks checks, $failures failures"
[ $failures -eq 0 ]
