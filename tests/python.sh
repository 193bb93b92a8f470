#!/bin/sh
# python.sh SOURCE BUILD LIBRARY PROGRAM CMAKE tests the module of tools/clients/python with the library just built, and then as it is
# installed, from a prefix that was moved. The script exits with 77, skipped, where no Python has NumPy (tools/dev setup installs it), or
# with a library that only runs in a sanitizer's program.
set -eu
source=$1 build=$2 library=$3 program=$4 cmake=$5
case ${CFLAGS-} in *-fsanitize*) echo "python: the library needs a sanitizer's run-time, skipped"; exit 77 ;; esac
for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
[ "$python" != none ] || { echo "python: no NumPy, skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND
export PYTHONDONTWRITEBYTECODE=1
KDR_SOURCE=$source KDR_MODULE=$build/tests/libfield_morse_plugin.so KDR_PROGRAM=$program KICKDRIFT_LIBRARY=$library PYTHONPATH=$source/tools/clients/python \
    "$python" -W error "$source/tests/python/test_kickdrift.py"
KICKDRIFT_LIBRARY=$library PYTHONPATH=$source/tools/clients/python "$python" -W error "$source/tests/python/test_keywords.py"

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mv "$work/first" "$work/prefix"
cd "$work"
unset KICKDRIFT_LIBRARY
found=$(PYTHONPATH=$work/prefix/share/kickdrift/python "$python" -c 'import kickdrift; print(kickdrift.lib._name)')
case $found in "$work"/prefix/*) ;; *) echo "python: installed, the module took $found, expected the library of its prefix" >&2; exit 1 ;; esac
