# Memory that was never written, and what is lost: valgrind over the scalar backend, the scenes and files. The program is that of build/release, as it is
# shipped; where it is wrong, a build of type RelWithDebInfo says the line.
. "$root/tools/prove/common.sh"
need valgrind
export KDR_BACKEND=scalar
runs=0
watched() {
    # The threads of gcc's OpenMP stay until the process ends.
    OMP_NUM_THREADS=1 valgrind --quiet --error-exitcode=66 --leak-check=full --errors-for-leak-kinds=definite "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "$*"; }
    runs=$((runs + 1))
}
watched "$program" verify --quick --part 7/400 --threads 1
for method in coupled levels blocks nets distances observables; do watched "$program" verify --quick --part 1/24 --threads 1 --method $method; done
# Scenes that draw more than a thousand particles draw a thousand here.
cp "$root"/tools/scenes/*.csv "$work"
for scene in kepler gyration heat-bath box asteroids fountain pendulum; do
    sed 's/^\( *count:\) *[0-9]\{4,\}$/\1 1000/' "$root/tools/scenes/$scene.yaml" >"$work/$scene.yaml"
    watched "$program" run "$work/$scene.yaml" --steps 3 --out "$work/out.csv" --checkpoint "$work/out.checkpoint"
done
watched "$program" diff "$work/out.csv" "$work/out.csv"
watched "$program" methods --program rk4
proved "$runs runs without an error or a leak"
