#!/bin/sh
# readme.sh SOURCE PROGRAM: the scenes of the README run as they are written there. (Its C example is consumer.sh's.)
set -eu
source=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND
cp "$source/tools/scenes/asteroids.csv" "$work"
cd "$work"

# Block n of yaml; a block of several documents becomes several files, n-1.yaml, n-2.yaml, ...
awk '/^```yaml$/ { inside = 1; block++; part = 1; next }
     /^```/ { inside = 0 }
     inside && /^---$/ { part++; next }
     inside { print > (block "-" part ".yaml") }' "$source/README.md"
for file in 1-1 2-1 2-2 2-3 3-1 3-2 3-3 3-5 4-1 4-2 4-3; do
    [ -s $file.yaml ] || { echo "readme: README.md has no part $file among its yaml blocks" >&2; exit 1; }
done

"$program" run 1-1.yaml
[ "$(wc -l <out.csv)" -ge 2 ] || { echo "readme: the whole scene wrote no states" >&2; exit 1; }
# What the parts leave out; a key that is there twice would be refused.
for part in 2-1 2-2 2-3; do
    grep -q '^forces:' $part.yaml || echo 'forces: []' >>$part.yaml
    printf 'method: rk4\ndt: 0.5\nsteps: 2\n' >>$part.yaml
    "$program" run $part.yaml
done
for part in 4-1 4-2 4-3; do
    grep -q '^forces:' $part.yaml || echo 'forces: []' >>$part.yaml
    printf 'method: velocity-verlet\ndt: 0.001\nsteps: 2\n' >>$part.yaml
    "$program" run $part.yaml
done
for part in 3-1 3-2 3-3 3-5; do
    printf 'particles: {file: asteroids.csv}\nforces: [centre: {mu: 0.0002959122082855911}]\ndt: 0.5\nsteps: 2\n' >>$part.yaml
    "$program" run $part.yaml
done
