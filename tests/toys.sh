#!/bin/sh
# toys.sh SOURCE CMAKE checks that docs/internals/adding.md lists the files that must be changed to add something. Each patch of tests/toys
# adds a toy. The page's list of that name must have the patch's files and no others; <name> in it stands for anything. With all patches
# applied, the library has the toys with the bits of the reference, and the checks of the tables accept them.
set -eu
source=$1 cmake=$2
command -v git >/dev/null || { echo "toys: git is missing"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
mkdir "$tree"
export GIT_CEILING_DIRECTORIES="$scratch" # The copy is not part of a repository around it.
unset KDR_BACKEND KDR_SEED
die() { echo "toys: $*" >&2; exit 1; }
for entry in CMakeLists.txt README.md bench cmake docs include src tests tools; do cp -R "$source/$entry" "$tree"; done

# touched FILE prints the names in backquotes that the file has, one a line.
touched() { grep -o '`[^` ]*[/.][^` ]*`' "$1" | tr -d '`' | sort -u; }
for patch in "$source"/tests/toys/*.patch; do
    name=$(basename "$patch" .patch | tr - ' ')
    (cd "$tree" && git apply --check "$patch") || die "$patch does not apply: repair it, and what docs/internals/adding.md says of $name"
    sed -n 's,^+++ b/,,p' "$patch" | sort >"$scratch/files"
    awk -v name="$name" 'tolower($0) == "## " name { inside = 1; next } /^##/ { inside = 0 } inside && /^([0-9]|   )/' \
        "$source/docs/internals/adding.md" >"$scratch/list"
    touched "$scratch/list" >"$scratch/said" || die "docs/internals/adding.md names no files for $name"
    while read -r said; do
        pattern=$(printf '%s\n' "$said" | sed 's/[.]/[.]/g; s/<[a-z]*>/[a-z0-9_]*/g')
        grep -qx -e "$pattern" "$scratch/files" || die "docs/internals/adding.md has $said for $name, which the patch does not touch"
        grep -vx -e "$pattern" "$scratch/files" >"$scratch/left" || true
        mv "$scratch/left" "$scratch/files"
    done <"$scratch/said"
    [ ! -s "$scratch/files" ] || die "docs/internals/adding.md does not have for $name: $(tr '\n' ' ' <"$scratch/files")"
done

for patch in "$source"/tests/toys/*.patch; do
    (cd "$tree" && git apply "$patch") || die "$patch does not apply beside the others"
done
isas=$(sed -n 's/^kickdrift_isa(\([a-z0-9]*\) .*/\1/p' "$source/cmake/backends.cmake" | tr a-z A-Z)
# shellcheck disable=SC2046,SC2086 # This is a list of options.
"$cmake" -S "$tree" -B "$scratch/build" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 -DKICKDRIFT_KERNEL_FLAGS= -DKICKDRIFT_BENCH=OFF \
    -DKICKDRIFT_INSTALL=OFF $(printf -- '-DKICKDRIFT_%s=OFF ' $isas) >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; die "cannot configure"; }
tests='methods_table methods_conditions physics_oracle physics_field'
# shellcheck disable=SC2046,SC2086
"$cmake" --build "$scratch/build" --target kickdrift_program $(printf 'test_%s ' $tests) >"$scratch/log" 2>&1 || { tail -n 50 "$scratch/log" >&2; die "the toys do not build"; }
kickdrift=$scratch/build/tools/kickdrift
verify() {
    "$kickdrift" verify --quick --seed 1 "$@" >"$scratch/log" || true
    grep -q '^all bits equal' "$scratch/log" || { cat "$scratch/log" >&2; die "verify $*"; }
}
for method in toy-verlet toy; do
    "$kickdrift" methods | grep -q "^$method " || die "kickdrift methods does not list $method"
done
# The first two methods are toys. All of them step the toy force. The implicit method needs its derivative, and the kinematic one a
# contribution.
for method in toy-verlet toy implicit-midpoint; do verify --method "$method" --backend scalar; done
verify --method kinematic --backend scalar --part 1/8
printf 'particles: {state: [{x: [1, 0, 0], v: [0, 0, 0]}]}\nforces: [quartic: {c: 2}]\nmethod: velocity-verlet\ndt: 0.5\nsteps: 4\n' >"$scratch/scene.yaml"
"$kickdrift" run --explain "$scratch/scene.yaml" | grep -qF 'a -= 2 x^3' || die "the toy force is not in the program of a scene"
if "$kickdrift" cpu | grep -q '^toy  *yes  *yes'; then
    verify --part 1/64 --backend toy
elif "$kickdrift" cpu | grep -q '^features.* sse2'; then
    die "the instruction set cannot run"
fi
# Cases that take many steps are left out: without optimisation they take a minute, and they test nothing of the tables.
long='!(*/compensated|*/executors|*/runs_cut_into_calls|*/batches_cut_into_slices|*/frozen_particles|*/damped_limits_of_the_predictor)'
for test in $tests; do
    "$scratch/build/tests/test_$test" --filter "$long" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&2; die "$test fails with the toys"; }
done
echo "toys: $(find "$source/tests/toys" -name '*.patch' | wc -l) added"
