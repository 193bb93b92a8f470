# Proves that, with each compiler, specialised kernels are not slower than the program that they replace. If a compiler leaves an array in
# memory, or does not inline a function, that costs more than half of the speed, and no bit shows it. The limit is 0.7, because some kernels
# are tuned on other processors, and machines are busy.
. "$root/tools/prove/common.sh"
need clang clang++
rows='^step/(semi-implicit-euler|velocity-verlet|position-verlet|pefrl|explicit-euler|rk4|dopri-5|suvat|nystrom-5|implicit-midpoint|exact-affine)/(uniform|spring|drag|spring-damper|centre|box)/f64/.*/16384$'
least=0.7
# slow TABLE: prints the rows below the limit. Fails if there are any, or too few rows in all.
slow() {
    awk -v least=$least '/^step\// { rows += 1; if ($4 < least) { print $1, $4; slow = 1 } } END { exit slow || rows < 100 }' "$1"
}
rows_of() { awk -v slowest="$1" 'BEGIN { for (n = 0; n < 120; ++n) print "step/row" n, 1, 1, (n == 77 ? slowest : 1) }'; }
rows_of 0.5 >"$work/slow"
rows_of 1 | head -n 50 >"$work/few"
canary 'an instance of half the speed' slow "$work/slow"
canary 'fifty rows of more than a hundred' slow "$work/few"
canaries_end
counted=
for compiler in gcc/g++ clang/clang++; do
    c=${compiler%/*}
    build "$c" kickdrift_bench_program -- -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 "-DCMAKE_C_COMPILER=$c" "-DCMAKE_CXX_COMPILER=${compiler#*/}" \
        -DKICKDRIFT_TESTS=OFF -DKICKDRIFT_BENCH=ON
    status=0
    "$directory/tools/kickdrift-bench" --against program --benchmark_filter "$rows" >"$work/$c" 2>&1 || status=$?
    [ $status -le 1 ] || failed_in "$work/$c" "$c: "
    cat "$work/$c" >&2
    slower=$(slow "$work/$c") || failed "$c: $(echo "$slower" | sort -k 2 -n | head -n 3 | tr '\n' ' ') of $(grep -c '^step/' "$work/$c" || true) rows"
    counted="$counted$(awk -v c="$c" '/^step\// { rows += 1; if (least == "" || $4 < least) least = $4 }
        END { if (rows < 100) exit 1; printf "%s: %d rows, the least %s of the program; ", c, rows, least }' "$work/$c")" || failed "$c: too few rows"
done
proved "${counted%; }"
