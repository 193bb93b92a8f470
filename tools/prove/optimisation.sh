# Every source at other levels of optimisation: scalar and the narrow backend, one fingerprint.
. "$root/tools/prove/common.sh"
for level in 0 2 3; do
    build "O$level" kickdrift_program -- -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O$level" -DKICKDRIFT_KERNEL_FLAGS= -DKICKDRIFT_AVX2=OFF \
        -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_TESTS=OFF
    "$root/build/prove/O$level/tools/kickdrift" verify --quick --threads "$jobs" >"$work/O$level" 2>&1 || failed "-O$level: $(tail -n 1 "$work/O$level")"
    grep -q "^fingerprint $golden, that of" "$work/O$level" || failed "-O$level: the fingerprint is not $golden"
done
cat "$work"/O* >"$work/log"
proved "-O0, -O2, -O3: $(count_values "$work/log"), fingerprint $golden"
