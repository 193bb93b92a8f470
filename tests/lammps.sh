#!/bin/sh
# lammps.sh SOURCE BUILD CMAKE builds tools/clients/lammps against the installed packages of LAMMPS and Kickdrift, and loads its plugin. A
# melt is run by fix nve and by fix nve/kickdrift on one rank and on two, and a step that is too long by a billionth must be found. Heat
# baths by fix langevin/kickdrift must have the same bits on one rank and on two, and the right temperatures. Wrong arguments must be
# refused. The script exits with 77, skipped, without LAMMPS (tools/dev setup installs Debian's), or with a library that only runs in a
# sanitizer's program.
set -eu
source=$1 build=$2 cmake=$3
case ${CFLAGS-} in *-fsanitize*) echo "lammps: the library needs a sanitizer's run-time, skipped"; exit 77 ;; esac
command -v mpirun >/dev/null || { echo "lammps: no mpirun (Debian: liblammps-dev brings it), skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND

# logged COMMAND... runs a command and prints its output only if it fails.
logged() {
    if ! "$@" >"$work/log" 2>&1; then
        if grep -q 'LAMMPS not found' "$work/log"; then
            echo "lammps: no LAMMPS (Debian: liblammps-dev), skipped"
            exit 77
        fi
        cat "$work/log" >&2
        exit 1
    fi
}
logged "$cmake" --install "$build" --prefix "$work/prefix"
logged "$cmake" -S "$source/tools/clients/lammps" -B "$work/built" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
logged "$cmake" --build "$work/built" --parallel 2

# These are settings of Open MPI: it may run as root and on fewer cores than ranks, binds ranks to no core, and does not spin while another
# rank has the core.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_plm_rsh_agent=false OMPI_MCA_odls_base_sigkill_timeout=0
plugin=$work/built/kickdriftplugin.so scripts=$source/tests/lammps
fail() { echo "lammps: $*" >&2; cat "$work/log" >&2; exit 1; }

# melt RANKS ARGUMENTS... runs the melt with the plugin on this many ranks.
melt() {
    ranks=$1
    shift
    mpirun -n "$ranks" "$work/built/kickdrift-melt" "$plugin" "$@"
}
melt 1 --cells 5 --steps 1000
melt 2 --cells 5 --steps 1000
melt 2 --cells 5 --steps 200 --masses two
melt 2 --cells 5 --steps 200 --group half
melt 2 --cells 5 --steps 200 --masses two --group half
if melt 1 --cells 4 --steps 20 --spoil 1e-9 >"$work/log" 2>&1; then
    fail "a step that is too long by a billionth passed for fix nve's"
fi
grep -q 'is not fix nve to rounding' "$work/log" || fail "the melt failed for another reason"

# script NAME RANKS VARIABLES... runs an input script of LAMMPS. Its output is in the log.
script() {
    name=$1 ranks=$2
    shift 2
    mpirun -n "$ranks" "$work/built/kickdrift-lammps" "$plugin" -log none -in "$scripts/$name.in" "$@" >"$work/log" 2>&1
}
# springs RANKS DIMENSION FIX FIRST SECOND OUT [UNITS K COMMAND OVER] runs the script of springs: two runs of FIRST and SECOND steps with
# the fix. K is the constant of the springs, COMMAND a further command of LAMMPS. OVER are words that end the command `run`.
springs() {
    script springs "$1" -var units "${7:-lj}" -var dimension "$2" -var data "$work/springs.$2" -var k "${8:-40}" -var fix "$3" \
        -var first "$4" -var second "$5" -var out "$work/$6" -var beside "${9:-}" -var over "${10:-}"
}
# mean LOW HIGH checks that the mean that the script printed is in this range.
mean() {
    sed -n 's/^mean \([0-9].*\)/\1/p' "$work/log" | awk -v low="$1" -v high="$2" '{ ++n; good = $1 >= low && $1 <= high }
        END { exit !(n == 1 && good) }' || fail "expected a mean from $1 to $2"
}
same() { cmp -s "$work/$1" "$work/$2" || fail "$1 and $2 differ, expected the same bits"; }
differ() { ! cmp -s "$work/$1" "$work/$2" || fail "$1 and $2 have the same bits"; }
# refused TEXT FIX [COMMAND] checks that LAMMPS refuses the fix with this error.
refused() {
    if springs 2 3 "$2" 1 1 refused lj 40 "${3:-}"; then
        fail "fix $2 was taken"
    fi
    grep -qF "ERROR: fix $1" "$work/log" || fail "expected the error: fix $1"
}
awk -v side=8 -v dimension=3 -v edge=1.26 -f "$scripts/start.awk" >"$work/springs.3"
awk -v side=24 -v dimension=2 -v edge=1.4 -f "$scripts/start.awk" >"$work/springs.2"
awk -v side=8 -v dimension=3 -v edge=1.0772173 -f "$scripts/start.awk" >"$work/fluid"

# Forces that depend on one atom alone give the same bits on one rank and on two, and in one run or in two. At omega h = 0.63 the mean is
# BAOAB's k T, while fix langevin together with fix nve gives 1.64.
bath='all langevin/kickdrift 1.5 1.5 0.5 4242'
springs 1 3 "$bath" 200 2000 one
mean 1.48 1.52
springs 2 3 "$bath" 200 2000 two
same one two
springs 2 3 "$bath" 1300 900 cut
same one cut
springs 2 3 'all langevin/kickdrift 1.5 1.5 0.5 4243' 200 2000 seed
differ one seed
springs 2 3 "$bath arithmetic unfused" 200 2000 unfused
differ one unfused
springs 2 3 'all langevin/kickdrift 4.5 0.5 0.5 4242' 200 2000 ramp
mean 2.43 2.57
# A temperature goes from one to the other between start and stop, wherever a run of those steps begins and ends.
for cut in '200 2000' '1300 900'; do
    springs 2 3 'all langevin/kickdrift 4.5 0.5 0.5 4242' ${cut% *} ${cut#* } "over${cut% *}" lj 40 '' 'start 0 stop 2200'
done
same over200 over1300
differ over200 ramp
springs 1 3 'all langevin/kickdrift 300 300 0.5 4242' 200 2000 real real 95600
mean 0.590 0.602
springs 2 2 "$bath" 200 2000 plane
mean 1.48 1.52
awk 'NR > 9 && ($4 != 0 || $7 != 0) { ++off } END { exit off > 0 || NR != 585 }' "$work/plane" || fail "a plane's atoms have left it"
springs 2 3 'lower langevin/kickdrift 1.5 1.5 0.5 4242' 0 100 lower
awk 'NR > 9 { moved += $2 % 1.26 != 0.63 && ($5 != 0.25 || $6 != -0.5 || $7 != 0) } END { exit moved != 50 }' "$work/lower" ||
    fail "expected 50 atoms of the group to move, and no other"

# This is a liquid. Ranks add forces in another order in LAMMPS, so after 10 steps they differ by rounding.
script fluid 1 -var data "$work/fluid" -var fix 'all langevin/kickdrift 1.2 1.2 0.2 77' -var steps 1500 -var out "$work/early.1"
mean 1.176 1.224
script fluid 2 -var data "$work/fluid" -var fix 'all langevin/kickdrift 1.2 1.2 0.2 77' -var steps 1500 -var out "$work/early.2"
mean 1.176 1.224
paste "$work/early.1" "$work/early.2" | awk 'NR > 9 { for (i = 2; i < 8; ++i) { d = $i - $(i + 7); far += d > 1e-13 || d < -1e-13 } ++n }
    END { exit far > 0 || n != 512 }' || fail "one rank and two are further apart than by rounding"

refused 'langevin/kickdrift: expected Tstart Tstop damp seed, found 3 of them' 'all langevin/kickdrift 1 1 1'
refused 'langevin/kickdrift: Tstart -1, expected a temperature, 0 or more' 'all langevin/kickdrift -1 1 1 5'
refused 'langevin/kickdrift: Tstop x, expected a temperature, 0 or more' 'all langevin/kickdrift 1 x 1 5'
refused 'langevin/kickdrift: damp 0, expected a time above 0' 'all langevin/kickdrift 1 1 0 5'
refused 'langevin/kickdrift: seed -5, expected a whole number from 0 to' 'all langevin/kickdrift 1 1 1 -5'
refused 'langevin/kickdrift: colour red, expected arithmetic fused, arithmetic unfused or backend NAME' 'all langevin/kickdrift 1 1 1 5 colour red'
refused 'nve/kickdrift: arithmetic half, expected arithmetic fused' 'all nve/kickdrift arithmetic half'
refused 'langevin/kickdrift: fix other nve moves atoms of its group too, expected this fix alone' "$bath" 'fix other all nve'
if mpirun -n 1 "$work/built/kickdrift-lammps" "$work/built/libhost.a" -log none -in none >"$work/log" 2>&1; then
    fail "an archive was taken for a plugin"
fi
grep -q 'libhost.a: not a LAMMPS plugin: ' "$work/log" || fail "expected what is wrong with the plugin"
echo "lammps: the heat bath has its bits on one rank and two, and its temperatures"
