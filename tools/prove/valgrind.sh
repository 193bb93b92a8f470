# Memory that was never written, and what is lost: valgrind over the scalar backend, the scenes and files.
. "$root/tools/prove/common.sh"
need valgrind
build valgrind kickdrift_program -- -DCMAKE_BUILD_TYPE=RelWithDebInfo -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX2=OFF -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_TESTS=OFF
here=$root/build/prove/valgrind/tools/kickdrift runs=0
watched() {
    # The threads of gcc's OpenMP stay until the process ends.
    OMP_NUM_THREADS=1 valgrind --quiet --error-exitcode=66 --leak-check=full --errors-for-leak-kinds=definite "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "$*"; }
    runs=$((runs + 1))
}
watched "$here" verify --quick --part 7/400 --threads 1
for method in coupled levels blocks nets distances observables; do watched "$here" verify --quick --part 1/24 --threads 1 --method $method; done
for scene in kepler gyration heat-bath box asteroids fountain pendulum; do
    watched "$here" run "$root/tools/scenes/$scene.yaml" --steps 3 --out "$work/out.csv" --checkpoint "$work/out.checkpoint"
done
watched "$here" diff "$work/out.csv" "$work/out.csv"
watched "$here" methods --program rk4
proved "$runs runs without an error or a leak"
