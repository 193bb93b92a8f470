#!/bin/sh
# relations.sh SOURCE BUILD LIBRARY PROGRAM [OPTION...] checks the relations of tests/relations on random cases, for five seconds of one
# seed, or as the options of `python3 tests/relations` say. The script exits with 77, skipped, where no Python has NumPy (tools/dev setup
# installs it), or with a library that only runs in a sanitizer's program.
set -eu
source=$1 build=$2 library=$3 program=$4
shift 4
case ${CFLAGS-} in *-fsanitize*) echo "relations: the library needs a sanitizer's run-time, skipped"; exit 77 ;; esac
for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
[ "$python" != none ] || { echo "relations: no Python with NumPy here, skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND
modules=
for module in "$build"/tests/libfield_*_plugin.so; do
    [ ! -f "$module" ] || modules=${modules:+$modules:}$module
done
export TMPDIR="$work" PYTHONDONTWRITEBYTECODE=1 OMP_WAIT_POLICY=passive OMPI_MCA_mpi_yield_when_idle=1
KDR_PROGRAM=$program KDR_MODULES=$modules KICKDRIFT_LIBRARY=$library PYTHONPATH=$source/tools/clients/python \
    "$python" -W error "$source/tests/relations" --seed 1 --seconds 5 --places "$work/at-" "$@"
