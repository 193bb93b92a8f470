#!/bin/sh
# walk.sh SOURCE runs the shell blocks of README.md, CONTRIBUTING.md and docs/ word for word and in their order, the quick start first. They
# run in a fresh clone of what is checked in, with a new home folder and environment, as for a new user. Commands that are not run are
# listed below with the reason. The script exits with 77, skipped, if SOURCE is not a git checkout, or if no compiler cache makes the
# clone's build short and WALK_ANYWAY is not set.
set -eu
source=$1
git -C "$source" rev-parse --verify -q HEAD >/dev/null 2>&1 || { echo "walk: no checkout of git's, skipped"; exit 77; }
case ${CFLAGS-} in *-fsanitize*) echo "walk: sanitizers have builds of their own, skipped"; exit 77 ;; esac
command -v ccache >/dev/null || [ -n "${WALK_ANYWAY-}" ] || { echo "walk: no ccache, a build would take minutes: skipped (WALK_ANYWAY=1 walks)"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git clone -q "$source" "$work/clone"
# Changes that are not checked in are tested too.
git -C "$source" diff HEAD --binary >"$work/changes"
[ ! -s "$work/changes" ] || git -C "$work/clone" apply "$work/changes"
mkdir "$work/home"
cache=$(ccache -k cache_dir 2>/dev/null || echo "$HOME/.cache/ccache")
cd "$work/clone"

# These patterns are lines that are not run, each with its reason.
cat >"$work/left-out" <<'END'
tools/dev test*		this test is one of those
tools/dev experiments*		minutes; it has tests of its own
tools/dev bench*		minutes, and a library of Google's
kickdrift bench*		likewise
*/kickdrift bench*		likewise
tools/plot*		tests/pictures.sh draws the pictures
kickdrift experiment*		likewise
tools/dev build*		all tests and the benchmark: minutes; tools/dev run builds what is needed
kickdrift plot*		matplotlib, which need not be there; tests/experiments_plot.sh walks it
kickdrift diff here.csv there.csv		the second file is another machine's
tools/dev setup cross*		compilers of other processors; tools/dev cross walks it
cmake --preset cross-*		likewise
wine *		likewise
qemu-*		likewise
cmake --preset wasm*		likewise, and minutes; tests/wasm.sh builds these
node *verify.wasm		likewise
tools/dev web*		likewise, and a server that runs until it is stopped
*-DLAMMPS_HEADER_DIR=.../lammps/src*		LAMMPS' own sources are the reader's; tests/lammps.sh builds it with Debian's
cmake --build build/lammps*		likewise
*kickdrift-lammps*		likewise
END
is_left_out() {
    while IFS='	' read -r pattern _; do
        # shellcheck disable=SC2254 # This is a pattern.
        case $1 in $pattern) return 0 ;; esac
    done <"$work/left-out"
    return 1
}

# This collects the lines of the blocks, with "# PAGE" before those of a page.
for page in README.md CONTRIBUTING.md docs/use/quickstart.md $(ls docs/*/*.md | grep -v '^docs/use/quickstart.md$'); do
    awk -v page="$page" '/^```sh$/ { inside = 1; print "# " page ":" NR; next } /^```/ { inside = 0 } inside' "$page"
done >"$work/lines"
[ "$(grep -c '^# ' "$work/lines")" -ge 10 ] || { echo "walk: README.md and docs/ have hardly any shell blocks" >&2; exit 1; }

# These files stand for the reader's own: C programs of the README and of a page, a scene and its output.
awk '/^```c$/ && !done { inside = 1; next } inside && /^```/ { inside = 0; done = 1 } inside' README.md >app.c
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' docs/use/kernels.md >kernel.c
cat >SCENE.yaml <<'END'
particles: {random: {count: 64, seed: 1, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0, 0]}}}
forces: [spring: {k: 1}]
method: velocity-verlet
dt: 0.01
steps: 100
output: {file: out.csv, every: 50}
checkpoint: {file: SCENE.checkpoint}
END
sed 's/SCENE.checkpoint/run.checkpoint/' SCENE.yaml >run.yaml

# All lines become one script, so that variables of one line are known in the next. The command `kickdrift` is the program of the clone.
# verify runs one method only.
{
    cat <<'END'
kickdrift() {
    [ -e run.checkpoint ] || build/release/tools/kickdrift run run.yaml >/dev/null
    case $* in verify*--kernel*) ;; verify*) shift; set -- verify --quick --method rk4 "$@" ;; esac
    build/release/tools/kickdrift "$@"
}
END
    while read -r line; do
        case $line in
        '# '*) echo "at='${line#\# }'" ;;
        *) ! is_left_out "$line" || continue
            case $line in
            mpirun*)
                command -v mpirun >/dev/null || continue
                line=$(echo "$line" | sed 's| kickdrift | build/release/tools/kickdrift |')
                ;;
            esac
            printf 'echo "walk: $at: %s" >&2\n' "$(printf %s "$line" | sed 's/[\\"$`]/\\&/g')"
            printf '%s || { echo "walk: $at: that ended with status $?" >&2; exit 1; }\n' "$(echo "$line" | sed 's/ *#.*//; s/PREFIX/$HOME\/kickdrift/g')" ;;
        esac
    done <"$work/lines"
} >"$work/script"
env -i HOME="$work/home" PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" JOBS="${JOBS-2}" LC_ALL=C.UTF-8 CCACHE_DIR="$cache" \
    CMAKE_C_COMPILER_LAUNCHER="$(command -v ccache || true)" CMAKE_CXX_COMPILER_LAUNCHER="$(command -v ccache || true)" \
    CCACHE_BASEDIR="$work/clone" CCACHE_NOHASHDIR=1 CCACHE_IGNOREOPTIONS=-Werror CCACHE_SLOPPINESS=locale OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none sh "$work/script" >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" >&2; exit 1; }
walked=$(grep -c '^walk: ' "$work/log")

# The program was linked as the README says. It must find its library without help.
[ "$(env -i ./app | wc -l)" -eq 2 ] || { echo "walk: app does not run" >&2; exit 1; }
# The files that headers and the Python module refer to must be installed, and so must those that the pages refer to.
docs=$work/home/kickdrift/share/doc/kickdrift
for page in $(grep -ohE '[A-Za-z/-]+\.md' "$work"/home/kickdrift/include/kickdrift/*.h "$work"/home/kickdrift/share/kickdrift/python/kickdrift/*.py | sort -u); do
    [ -e "$docs/$page" ] || [ -e "$docs/docs/$page" ] || { echo "walk: a header or the Python module points at $page, which is not installed" >&2; exit 1; }
done
for page in README.md docs/use/quickstart.md docs/methods/methods.md docs/images/rates.svg tools/examples/morse.c tools/scenes/asteroids.yaml; do
    [ -e "$docs/$page" ] || { echo "walk: $page is not installed" >&2; exit 1; }
done
# The install step of an incomplete build must name what is missing and what builds it.
rm build/release/src/libkickdrift.so*
if cmake --install build/release --prefix "$work/nothing" >"$work/log" 2>&1 || ! grep -q 'tools/dev install PREFIX' "$work/log" || [ -e "$work/nothing" ]; then
    cat "$work/log" >&2
    echo "walk: expected cmake --install to say what to build, and to install nothing" >&2
    exit 1
fi
echo "walk: $walked lines walked"
[ "$walked" -ge 10 ]
