#!/bin/sh
# frames_foreign.sh PROGRAM SOURCE HDF5 PART checks that `kickdrift convert` reads files of h5py, NumPy and ASE as these libraries read
# them. MDAnalysis and ASE must find the program's arrays in its own files. HDF5 is 1 where the program has it. PART is foreign, ase or
# mdanalysis; each is a test of its own. The script exits with 77, skipped, and prints the reason, if the program was built without HDF5, or
# no Python has what the part needs.
set -eu
program=$1 source=$2 part=$4
[ "$3" = 1 ] || { echo "frames_foreign: built without HDF5, skipped"; exit 77; }
case $part in
foreign) modules='h5py, numpy' packages='python3-h5py' ;;
ase) modules='h5py, numpy, ase.io' packages='python3-h5py python3-ase' ;;
mdanalysis) modules='h5py, numpy, MDAnalysis' packages='python3-h5py python3-mdanalysis' ;;
*) echo "frames_foreign: expected foreign, ase or mdanalysis, found $part" >&2; exit 2 ;;
esac
for python in python3 /usr/bin/python3 none; do
    ! "$python" -W ignore -c "import $modules" 2>/dev/null || break
done
[ "$python" != none ] || { echo "frames_foreign: no Python that imports $modules (Debian: $packages), skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
PYTHONDONTWRITEBYTECODE=1 "$python" -W ignore "$source/tests/frames_foreign.py" "$program" "$part"
