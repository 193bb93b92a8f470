# Finds uninitialised memory and leaks: runs scenes and files under valgrind, with the scalar backend. The program is the one in
# build/release, as it is shipped. If it finds something, a build of type RelWithDebInfo gives the line.
. "$root/tools/prove/common.sh"
need valgrind
export KDR_BACKEND=scalar
runs=0
watched() {
    # There is one OpenMP thread, because gcc's OpenMP keeps its threads until the process ends.
    OMP_NUM_THREADS=1 valgrind --quiet --error-exitcode=66 --leak-check=full --errors-for-leak-kinds=definite "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "$*"; }
    runs=$((runs + 1))
}
wrong_program unwritten cc -O1 -g <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(void) {
    volatile int *a = malloc(8);
    if (a[1] > 3) puts("more than 3");
    free((void *)a);
    return 0;
}
END
wrong_program loses cc -O1 -g <<'END'
#include <stdlib.h>
static void lose(void) { volatile char *a = malloc(7); a[0] = 1; }
int main(void) { lose(); volatile char other[256]; for (int i = 0; i < 256; ++i) other[i] = 0; return 0; }
END
echo 'int main(void) { return 0; }' | wrong_program right cc -O1 -g
control 'a program that is right' watched "$work/right"
canary 'a decision by what was never written' watched "$work/unwritten"
canary 'memory that is lost' watched "$work/loses"
canaries_end
watched "$program" verify --quick --part 7/400 --threads 1
for method in system levels blocks spring-networks distances observables; do watched "$program" verify --quick --part 1/24 --threads 1 --method $method; done
# Scenes that draw more than a thousand particles draw only a thousand here.
cp "$root"/tools/scenes/*.csv "$work"
for scene in kepler gyration heat-bath box asteroids fountain pendulum; do
    sed 's/^\( *count:\) *[0-9]\{4,\}$/\1 1000/' "$root/tools/scenes/$scene.yaml" >"$work/$scene.yaml"
    watched "$program" run "$work/$scene.yaml" --steps 3 --out "$work/out.csv" --checkpoint "$work/out.checkpoint"
done
watched "$program" diff "$work/out.csv" "$work/out.csv"
watched "$program" methods --program rk4
proved "$runs runs without an error or a leak"
