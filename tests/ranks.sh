#!/bin/sh
# ranks.sh JOB DUST GRAVITY runs jobs of 1, 2, 3 and 5 ranks. The ranks together must report what the library reports of the whole
# (tests/ranks_job.c). The examples must print the same on any number of ranks. A rank that dies must end the job. The script exits with 77,
# skipped, if the build has no MPI, without mpirun, or with a sanitizer.
set -eu
job=${1-} dust=${2-} gravity=${3-}
[ -n "$job" ] || { echo "ranks: built without MPI (Debian: libopenmpi-dev), skipped"; exit 77; }
case ${CFLAGS-} in *-fsanitize*) echo "ranks: MPI itself leaks, which a sanitizer would not have, skipped"; exit 77 ;; esac
command -v mpirun >/dev/null || { echo "ranks: no mpirun (Debian: openmpi-bin), skipped"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "ranks: $*" >&2; exit 1; }
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_odls_base_sigkill_timeout=0
unset KDR_BACKEND

for n in 5 3 2 1; do # The larger numbers come first, because mistakes with several ranks are more likely.
    timeout 60 mpirun -n $n "$job"
done
for n in 1 2 3 5; do
    timeout 60 mpirun -n $n "$dust" 10000 8 >"$work/$n"
    timeout 60 mpirun -n $n "$gravity" 6000 8 >>"$work/$n"
    [ "$(wc -l <"$work/$n")" -eq 2 ] || die "the examples printed $(cat "$work/$n")"
    cmp "$work/1" "$work/$n" || die "the examples printed something else on $n ranks: $(cat "$work/1" "$work/$n")"
done
cat "$work/1"
# Some ranks have no dust, and some have no star.
for n in 1 3; do
    timeout 60 mpirun -n $n "$dust" 1000 8 >"$work/few$n"
    timeout 60 mpirun -n $n "$gravity" 20 8 >>"$work/few$n"
done
cmp "$work/few1" "$work/few3" || die "few particles are others on three ranks: $(cat "$work/few1" "$work/few3")"

# A rank that is killed ends the job, which prints an error.
timeout 60 mpirun -n 3 "$dust" 10000000 1000000 >"$work/killed" 2>&1 &
job=$!
until rank=$(pgrep -f "^$dust 10000000 " | tail -n 1) && [ -n "$rank" ]; do sleep 0.1; done
sleep 1
kill -9 "$rank"
! wait $job || die "a job ended well whose rank was killed"
grep -q 'exited on signal 9' "$work/killed" || die "mpirun does not say that a rank was killed: $(cat "$work/killed")"
# They are told to end when mpirun ends, which takes them a moment.
left=600
while pgrep -f "^$dust 10000000 " >/dev/null; do
    left=$((left - 1))
    [ $left -gt 0 ] || die "the other ranks live on"
    sleep 0.1
done
