#!/bin/sh
# experiments_plot.sh SOURCE PROGRAM: tools/plot draws every kind, of the data that it is given, and says in one line what is wrong with them.
# 77, skipped: no Python here that has matplotlib (tools/dev setup all installs it).
set -eu
source=$1 program=$2
unset KDR_BACKEND
for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import matplotlib' 2>/dev/null || break
done
[ "$python" != none ] || { echo "experiments_plot: no matplotlib, skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "experiments_plot: $*" >&2; exit 1; }
plot() { "$python" "$source/tools/plot" "$@"; }

mkdir data
"$program" experiment list | cut -d ' ' -f 1 | xargs -P "$(nproc)" -I NAME sh -c '"$1" experiment "$2" --quick --json >"data/$2.json" || exit 255' sh "$program" NAME

# The whole page is drawn. Every picture that it names exists, and no file is half-written.
mkdir page
plot page data page/index.html
grep -o 'src="[^"]*"' page/index.html | cut -d '"' -f 2 >pictures
[ "$(wc -l <pictures)" -ge 17 ] || fail "the page has $(wc -l <pictures) pictures"
while read -r picture; do
    grep -q '</svg>' "page/$picture" || fail "$picture is no picture"
done <pictures
! ls page | grep -q part || fail "something half-written is left"
# These details must be in the pictures: the table's limits although the map is coarse, ties in words, nothing in yellow, no curve hidden by
# another.
grep -q '>0.02<' page/stability-stability.svg || fail "explicit Euler's limit at zeta = 0.01 is 0.02"
grep -q '>3 tied<' page/ranking-ranking.svg || fail "NSV and modified Verlet are tied"
! grep -qi 'd8c400' page/*.svg || fail "yellow on white"
grep -q 'stroke-dasharray' page/e6-contributions.svg || fail "pulse-symplectic hides behind euler"
! grep -q 'comes with it' page/index.html || fail "a sentence is left over"
grep -q '499.497070' page/index.html || fail "the page has no tables"
"$python" "$source/tests/pictures.py" "$source" data || fail "what is drawn is not the data"

# Equal data give an equal picture. PNG works too, and so does the output of a run.
plot phase data/e3.json phase.svg
cmp phase.svg page/e3-phase.svg || fail "equal data gave different pictures"
plot ranking data/ranking.json ranking.png
[ "$(head -c 4 ranking.png | tail -c 3)" = PNG ] || fail "ranking.png is no PNG"
cat >scene.yaml <<'YAML'
particles: {state: [{x: [0.5, 0, 0], v: [0, 1.7, 0]}, {x: [1, 0, 0], v: [0, 1, 0]}]}
forces: [centre: {mu: 1}]
method: rk4
dt: 0.01
steps: 600
output: {file: orbit.csv, every: 10}
YAML
"$program" run scene.yaml >/dev/null
plot run orbit.csv orbit.svg

# Frames in every kind of file give one picture, which `kickdrift plot` names. Only H5MD has energies. Each kind of picture is drawn, a film
# too.
export KICKDRIFT_PLOT="$source/tools/plot"
sed 's/orbit.csv, every: 10/orbit.xyz, every: 60/' scene.yaml >frames.yaml
"$program" run frames.yaml >/dev/null
for ending in csv npy; do
    "$program" convert orbit.xyz "same.$ending" 2>/dev/null
    plot paths "same.$ending" "same-$ending.svg"
done
plot paths orbit.xyz same-xyz.svg
cmp same-xyz.svg same-csv.svg && cmp same-csv.svg same-npy.svg || fail "the same frames gave different pictures"
awk -F, '{ print $0 (NR == 1 ? ",ix,iy,iz" : ",0,-1,2") }' same.csv >images.csv # These columns are images, as a periodic boundary writes them. They are not drawn.
plot paths images.csv images.svg
sed 's/images\.csv/same.csv/' images.svg | cmp - same-csv.svg || fail "images gave another picture"
awk -F, '{ print $0 (NR == 1 ? ",ix,iy,iz" : ",0,-1,2") }' orbit.csv >images.csv
plot run images.csv images.svg
for kind in overview paths portrait conserved distributions section snapshot film; do
    "$program" plot same.csv --kind $kind >named || fail "kickdrift plot --kind $kind"
    [ -s "$(cat named)" ] || fail "$kind: $(cat named) is not there"
done
[ "$(head -c 3 same-film.gif)" = GIF ] || fail "same-film.gif is no GIF"
"$program" plot orbit.xyz --out named.svg >/dev/null
grep -q '</svg>' named.svg || fail "named.svg is no picture"
if "$program" convert orbit.xyz same.h5 2>/dev/null && "$python" -c 'import h5py' 2>/dev/null; then
    plot paths same.h5 same-h5.svg
    cmp same-h5.svg same-csv.svg || fail "H5MD gave another picture"
fi
# The picture of the benchmark's rates shows the faster arithmetic of each instruction set, and the plain loop of that arithmetic.
cat >rates.json <<'JSON'
{"context": {"processor": "some processor"}, "benchmarks": [
    {"name": "step/rk4/spring-damper/f32/fused/reference/16384", "best": 5e7}, {"name": "step/rk4/spring-damper/f32/fused/avx2/16384", "best": 4.5e9},
    {"name": "step/rk4/spring-damper/f32/unfused/avx2/16384", "best": 3e9}, {"name": "step/rk4/spring-damper/f32/fused/autovec-avx2/16384", "best": 4e9},
    {"name": "step/rk4/spring-damper/f32/fused/autovec-clang-avx2/16384", "best": 4.2e9}, {"name": "step/rk4/spring-damper/f32/fast-math/autovec-avx2/16384", "best": 9e9}]}
JSON
plot rates rates.json rates.svg
for shown in 'avx2, fused' ' 4.5' ' 4.2' 'some processor'; do grep -q ">$shown<\|>$shown," rates.svg || fail "rates.svg does not show $shown"; done
! grep -q '> 9<' rates.svg || fail "rates.svg shows -ffast-math"
"$python" - "$source" <<'PYTHON' || fail "what is drawn is not what was written"
import sys
sys.path.insert(0, sys.argv[1] + "/tools")
sys.dont_write_bytecode = True
from plotting import frames, runs
read = frames.Frames("orbit.csv")
assert read.x.shape == (61, 2, 3) and read.is_flat and read.t[-1] == 6 and list(read.id) == [0, 1]
kinetic, momentum, turning = runs.sums(read)
assert abs(kinetic[0] - (1.7**2 + 1) / 2) < 1e-15 and abs(turning[:, 2] - (0.85 + 1)).max() < 1e-6 and not momentum[:, 2].any()
# A particle is that of its id, in whatever row a frame has it.
import random
with open("orbit.csv") as file:
    header, *rows = file.read().splitlines()
random.Random(1).shuffle(rows)
rows.sort(key=lambda row: row.split(",")[2])  # This sorts by id, and leaves the rows of one id in random order.
rows.sort(key=lambda row: int(row.split(",")[2]) if int(row.split(",")[0]) % 20 else -int(row.split(",")[2]))
with open("shuffled.csv", "w") as file:
    print(header.upper(), *sorted(rows, key=lambda row: int(row.split(",")[0]) == 0, reverse=True), sep="\n", file=file)
other = frames.Frames("shuffled.csv")
for n, step in enumerate(other.step):
    k, = (read.step == step).nonzero()[0]
    assert other.t[n] == read.t[k] and (other.x[n][other.id.argsort()] == read.x[k]).all() and (other.v[n][other.id.argsort()] == read.v[k]).all(), step
PYTHON

# refused WHAT HOLDS ARGUMENTS... checks that the command ends with status 2 and one line that holds the words, and writes no picture.
refused() {
    what=$1 holds=$2
    shift 2
    status=0
    plot "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || fail "$what: status $status, expected 2"
    [ "$(wc -l <err)" -eq 1 ] || fail "$what: expected one line, it said $(cat err)"
    grep -qF "$holds" err || fail "$what: expected \"$holds\", it said $(cat err)"
    [ ! -e wrong.svg ] || fail "$what: left a picture"
}
echo '{"experiment": "e3"' >broken.json
echo '[1, 2]' >array.json
echo '{"experiment": "e3", "title": "t", "about": "a", "claims": [], "tables": [], "series": []}' >empty.json
echo 'x,y' >other.csv
printf 'step,t,id,x,y,z,vx,vy,vz\n0,0,0,here,0,0,0,0,0\n' >words.csv
refused "a missing file" "missing.json: cannot read" phase missing.json wrong.svg
refused "JSON that ends early" "broken.json: not JSON" phase broken.json wrong.svg
refused "no object" "array.json: expected an object" phase array.json wrong.svg
refused "no series" 'no series "phase"' phase empty.json wrong.svg
refused "another experiment" 'experiment "e1", expected e3' phase data/e1.json wrong.svg
refused "an unknown kind" 'unknown kind "pie"' pie data/e1.json wrong.svg
refused "an unknown format" "ends in .svg or .png" phase data/e3.json wrong.gif
refused "a folder that is not there" "cannot write" phase data/e3.json nowhere/wrong.svg
refused "too few arguments" "expected three arguments" phase data/e3.json
refused "another table" "expected the header" run other.csv wrong.svg
refused "words for numbers" "words.csv:2: expected numbers" run words.csv wrong.svg
printf 'step,t,id,x,y,z,vx,vy,vz,mass\n0,0,0,1,0,0,0,0,0,1\n0,0,1,1,0,0,0,0,0,1\n1,1,0,1,0,0,0,0,0,1\n' >uneven.csv
printf 'step,t,id,x,y,z,vx,vy,vz,mass\n' >empty.csv
printf '1\nStep=0\n' >cut.xyz
printf 'step,t,id,x,y,z,vx,vy,vz,mass\n0,0,0,1,1,0,0,0,0,1\n1,1,0,1,2,0,0,0,0,1\n' >above.csv
printf 'step,t,id,x,y,z,vx,vy,vz,mass\n0,0,0,1,1,0,0,0,0,1\n0,0,1,1,1,0,0,0,0,1\n1,1,1,1,2,0,0,0,0,1\n1,1,2,1,2,0,0,0,0,1\n' >born.csv
printf 'step,t,id,x,y,z,vx,vy,vz,mass\n0,0,0,1,1,0,0,0,0,1\n1,1,0,1,2,0,0,0,0,7\n' >heavier.csv
refused "a birth" "frame 1: expected the particles of the first frame, once each, found id 2" paths born.csv wrong.svg
refused "another mass" "id 0 has another mass" paths heavier.csv wrong.svg
refused "frames of different lengths" "3 rows in 2 frames" paths uneven.csv wrong.svg
refused "no frames" "no frames of particles" paths empty.csv wrong.svg
refused "an XYZ of others" "expected frames with Step, Time" paths cut.xyz wrong.svg
refused "no frames' name" "expected a name that ends in .csv, .h5, .h5md, .xyz, .extxyz, .npy" paths scene.yaml wrong.svg
refused "no file" "no such file" overview missing.csv wrong.svg
refused "nobody goes through" "nobody goes up through y = 0" section above.csv wrong.svg
refused "a film that is no GIF" "ends in .gif" film orbit.csv wrong.svg
refused "a folder without data" "no JSON file" page page wrong.svg
