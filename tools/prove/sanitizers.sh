# Addresses and undefined behaviour: gcc's sanitizers over all tests of C, with the scalar backend and one of vectors.
. "$root/tools/prove/common.sh"
flags='-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'
build sanitize all -- -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_DEBUG_KERNELS=ON "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_CXX_FLAGS=$flags" -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX512=OFF
# Scripts build the project again, or measure; two tests look at how much stack and how many threads there are.
ctest --test-dir "$root/build/prove/sanitize" --parallel "$jobs" --output-on-failure --timeout 1800 \
    --exclude-regex '^(headers|symbols|consumer|fields|python|lammps|embedding|examples|toys|experiments_.*|docs|engine|readme|verify|stack|abi|executors|mutants.*)$' >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; failed "$(grep -m 3 -E '\(Failed\)|\(Timeout\)|\(SEGFAULT\)' "$work/log" | tr '\n' ' ')"; }
proved "$(sed -n 's/.*out of \([0-9]*\)$/\1 tests/p' "$work/log")"
