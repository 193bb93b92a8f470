# Builds the library and the program in a parent project, for each compiler and each set of flags of tests/flags/sets. The flags are set in
# all three places where a project can set them. An eighth of the quick plan must have the same fingerprint as here, non-finite numbers must
# be refused, and loading the library must not change the floating-point control word. Quick: one set, another with each commit.
. "$root/tools/prove/common.sh"
# With -Ofast, gcc links a start-up file into a library that sets flush-to-zero. This one does the same by hand.
wrong_program load cc "$root/tests/flags/load.c" -ldl -x c <<'END'
END
wrong_program flushes.so cc -shared -fPIC -msse2 -x c <<'END'
#include <xmmintrin.h>
__attribute__((constructor)) static void flush(void) { _mm_setcsr(_mm_getcsr() | 0x8040); }
END
control 'no library' "$work/load"
canary 'a library that flushes subnormal numbers to zero' "$work/load" "$work/flushes.so"
canaries_of_verified
canaries_end
grep -v '^#' "$root/tests/flags/sets" >"$work/sets"
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { sed -i "/^$compiler /d" "$work/sets"; echo "no $compiler here" >&2; }
done
[ -s "$work/sets" ] || not_run 'neither gcc nor clang here'
[ -z "${FLAG_SETS-}" ] || { grep -e "$FLAG_SETS" "$work/sets" >"$work/some" && mv "$work/some" "$work/sets"; }
! $quick || { sed -n "$(turn "$(wc -l <"$work/sets")")p" "$work/sets" >"$work/one" && mv "$work/one" "$work/sets"; }
expected=$(here --quick --part 1/8)
cc "$root/tests/flags/load.c" -o "$work/load" -ldl
: >"$work/log"
while read -r compiler _ flags; do
    at=$work/build
    rm -rf "$at"
    echo "flags: $compiler $flags" >&2
    # shellcheck disable=SC2086 # lists of words
    { cmake -S "$root/tests/flags" -B "$at" -G Ninja $launcher "-DKICKDRIFT_SOURCE=$root" "-DCMAKE_C_COMPILER=$compiler" -DCMAKE_BUILD_TYPE=Release \
        "-DCMAKE_C_FLAGS=$flags" "-DCMAKE_C_FLAGS_RELEASE=-O2 $flags" "-DPARENT_FLAGS=$flags" -DKICKDRIFT_TOOLS=ON -DKICKDRIFT_KERNEL_FLAGS=-O1 \
        -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_HDF5=OFF -DKICKDRIFT_MPI=OFF && \
        cmake --build "$at" --parallel "$jobs" --target kickdrift_program kickdrift_io refusals swell_plugin; } >"$work/build.log" 2>&1 </dev/null ||
        failed_in "$work/build.log" "$compiler $flags: does not build"
    verified "$at/kickdrift/tools/kickdrift" "$work/verified" "$expected" --quick --part 1/8 </dev/null
    cat "$work/verified" >>"$work/log"
    "$at/refusals" >"$work/refusals.log" || failed_in "$work/refusals.log" "$compiler $flags: $(head -n 1 "$work/refusals.log")"
    "$work/load" "$at/kickdrift/src/libkickdrift.so" "$at/kickdrift/src/io/libkickdrift-io.so" "$at/libswell_plugin.so" >"$work/load.log" ||
        failed_in "$work/load.log" "$compiler $flags: $(head -n 1 "$work/load.log")"
    echo "flags: $compiler $flags: $(count_values "$work/verified"), fingerprint $expected" >&2
done <"$work/sets"
rm -rf "$work/build"
proved "$(wc -l <"$work/sets") sets of flags in a parent project, $(count_values "$work/log"), fingerprint $expected"
