# Proves that the bits do not depend on the level of optimisation: compiles every source at other levels, with scalar and the narrowest
# vector backend, and compares the fingerprints. It runs an eighth of the quick plan, another with each commit. The level -O2 is covered by
# the kernels of build/release, and by all sources in verify-clang.
. "$root/tools/prove/common.sh"
canaries_of_verified
canaries_end
part=$(turn 8)/8
expected=$(here --quick --part "$part")
for level in 0 3; do
    build "O$level" kickdrift_program -- -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_C_FLAGS_DEBUG=-O$level" -DKICKDRIFT_KERNEL_FLAGS= -DKICKDRIFT_AVX2=OFF \
        -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_TESTS=OFF
    verified "$root/build/prove/O$level/tools/kickdrift" "$work/O$level" "$expected" --quick --part "$part"
done
cat "$work"/O* >"$work/log"
proved "-O0, -O3: $(count_values "$work/log"), part $part of the quick plan, fingerprint $expected"
