# Every source at other levels of optimisation: scalar and the narrow backend, one fingerprint. Without optimisation it is an eighth of the quick plan, another
# with each commit.
. "$root/tools/prove/common.sh"
for level in 0 2 3; do
    build "O$level" kickdrift_program -- -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O$level" -DKICKDRIFT_KERNEL_FLAGS= -DKICKDRIFT_AVX2=OFF \
        -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_TESTS=OFF
    if [ $level -eq 0 ]; then
        part=$(turn 8)/8
        verified "$root/build/prove/O0/tools/kickdrift" "$work/O0" "$(here --quick --part "$part")" --quick --part "$part"
    else
        verified "$root/build/prove/O$level/tools/kickdrift" "$work/O$level" "$golden" --quick
    fi
done
cat "$work"/O* >"$work/log"
proved "-O0 (part $part), -O2, -O3: $(count_values "$work/log"), fingerprint $golden"
