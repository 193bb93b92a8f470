#!/bin/sh
# lammps.sh SOURCE BUILD CMAKE: tools/clients/lammps, built against LAMMPS' package and against Kickdrift's, installed; its melt by fix nve and by
# fix nve/kickdrift on one rank and on two; and a step that is too long by a billionth is found.
# 77, skipped: no LAMMPS (tools/dev setup installs Debian's), or a library that only runs in a sanitizer's program.
set -eu
source=$1 build=$2 cmake=$3
case ${CFLAGS-} in *-fsanitize*) echo "lammps: the library needs a sanitizer's run-time, skipped"; exit 77 ;; esac
command -v mpirun >/dev/null || { echo "lammps: no mpirun (Debian: liblammps-dev brings it), skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND

# Its output is of interest only when it fails.
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
logged "$cmake" -S "$source/tools/clients/lammps" -B "$work/melt" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_COMPILE_WARNING_AS_ERROR=ON
logged "$cmake" --build "$work/melt" --parallel 2

# Open MPI: as root, on fewer cores than ranks, bound to none, without spinning while another rank has the core.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
    OMPI_MCA_plm_rsh_agent=false
# melt RANKS ARGUMENTS...
melt() {
    ranks=$1
    shift
    mpirun -n "$ranks" "$work/melt/kickdrift-melt" "$@"
}
melt 1 --cells 5 --steps 1000
melt 2 --cells 5 --steps 1000
melt 2 --cells 5 --steps 200 --masses two
melt 2 --cells 5 --steps 200 --group half
melt 2 --cells 5 --steps 200 --masses two --group half
if melt 1 --cells 4 --steps 20 --spoil 1e-9 >"$work/log" 2>&1; then
    echo "lammps: a step that is too long by a billionth passed for fix nve's" >&2
    exit 1
fi
grep -q 'is not fix nve to rounding' "$work/log" || { cat "$work/log" >&2; exit 1; }
