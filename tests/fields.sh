#!/bin/sh
# fields.sh SOURCE BUILD CMAKE builds tools/examples with the installed package, which was moved, as the examples' comment says. The
# example's field is verified by the installed program. A field with a mistake in its kernels alone must be found.
set -eu
source=$1 build=$2 cmake=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# logged COMMAND... runs a command and prints its output only if it fails.
logged() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
}

logged "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
kickdrift=$work/prefix/bin/kickdrift
cp -r "$source/tools/examples" "$work/examples"

# This build is quick: it has one backend and no optimisation. The bits are the same.
logged "$cmake" -S "$work/examples" -B "$work/build" -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_KERNEL_FLAGS= -DTRAP_BACKENDS=scalar -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_FLAGS="${CFLAGS-} -Wall -Wextra -Wconversion -Wshadow -Werror"
logged "$cmake" --build "$work/build" --parallel 2 --target trap morse_plugin
export KDR_BACKEND=scalar
"$work/build/trap" >"$work/got"
# The energy is conserved as well as velocity Verlet can, and the two lines of positions are finite.
awk 'NR == 1 { split($2, e, ","); d = e[1] - $NF; ok = d < 2e-3 && d > -2e-3 && e[1] > 0.1 } NR > 1 { ok = ok && $1 * $1 + $2 * $2 < 9 && NF == 2 }
    END { exit !(ok && NR == 3) }' "$work/got" || { echo "fields: the example printed"; cat "$work/got"; exit 1; } >&2

# The field, the CMakeLists.txt and the program of the cookbook are built as they stand there.
mkdir "$work/recipe"
awk -v to="$work/recipe/" '/^## / { here = $0 == "## A force of your own"; next }
    here && /^```(c|cmake|text)$/ { kind = substr($0, 4); into = to (kind == "cmake" ? "CMakeLists.txt" : kind == "text" ? "wanted" : programs++ ? "app.c" : "cubic.c"); next }
    /^```/ { into = "" }
    into != "" { print > into }' "$source/docs/use/cookbook.md"
logged "$cmake" -S "$work/recipe" -B "$work/recipe/build" -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_KERNEL_FLAGS= -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_FLAGS="${CFLAGS-}"
logged "$cmake" --build "$work/recipe/build" --parallel 2
"$work/recipe/build/app" >"$work/got"
diff "$work/recipe/wanted" "$work/got" || { echo "fields: the program of docs/use/cookbook.md prints something else" >&2; exit 1; }

plugin=$(find "$work/build" -name '*morse_plugin*' -type f ! -path '*CMakeFiles*')
logged "$kickdrift" verify --quick --method velocity-verlet --field "$plugin"
grep -q "velocity-verlet, field morse" "$work/log" && grep -q "all bits equal" "$work/log"
# The field is also verified for system runs, with implicit methods, which ask for its derivatives.
logged "$kickdrift" verify --quick --method system --field "$plugin"
grep -q "system, field morse" "$work/log" && grep -q "all bits equal" "$work/log"

# This plants an error of 0.1 % in the kernels, and none in the reference.
sed 's|v_constant(-2) \* slope|v_constant(KDR_MISTAKE) * slope|' "$source/tools/examples/morse.c" >"$work/examples/morse.c"
sed -i 's|#include <kickdrift/custom_field.h>|&\n#ifdef KDR_CUSTOM_KERNEL\n#define KDR_MISTAKE -2.002\n#else\n#define KDR_MISTAKE -2\n#endif|' "$work/examples/morse.c"
logged "$cmake" --build "$work/build" --parallel 2 --target morse_plugin
for kind in velocity-verlet system levels blocks; do
    if "$kickdrift" verify --quick --method "$kind" --field "$plugin" >"$work/log" 2>&1 || ! grep -q "NOT EQUAL" "$work/log"; then
        echo "fields: verify --method $kind has not found the mistake:" >&2
        cat "$work/log" >&2
        exit 1
    fi
done

# This field is for three axes alone and is compiled for one backend: particles on other axes and other backends are skipped, and named.
# System runs are verified too: their reference is compared with what that backend computes.
cp "$source/tests/fields/vortex.c" "$source/tests/fields/picky.c" "$work/examples"
echo 'kickdrift_add_field(vortex vortex.c BACKENDS scalar)
kickdrift_add_field(picky picky.c BACKENDS scalar)' >>"$work/examples/CMakeLists.txt"
logged "$cmake" --build "$work/build" --parallel 2 --target vortex_plugin picky_plugin
compared() {
    if ! env -u KDR_BACKEND "$kickdrift" verify --quick --method "$1" --field "$plugin" >"$work/log" 2>&1 || ! grep -q "all bits equal" "$work/log" ||
        ! awk '$1 == "scalar" && $2 > 0 && $4 == 0 { compared = 1 } $1 ~ /^(sse2|avx2|avx512|neon)$/ && $2 != "skipped:" { exit 1 }
            END { exit !compared }' "$work/log"; then
        echo "fields: expected the scalar backend's cases of $1 with $plugin to be compared, and all others to be skipped:" >&2
        cat "$work/log" >&2
        exit 1
    fi
}
# A magnetic field that claims to depend on the velocity too does not compile, and the error says what to leave out.
sed 's/KDR_FIELD_TIME + KDR_FIELD_MAGNETIC/KDR_FIELD_TIME + KDR_FIELD_MAGNETIC + KDR_FIELD_VELOCITY/' "$source/tests/fields/mirror.c" >"$work/examples/mirror.c"
echo 'kickdrift_add_field(mirror mirror.c BACKENDS scalar)' >>"$work/examples/CMakeLists.txt"
if "$cmake" --build "$work/build" --target mirror_plugin >"$work/log" 2>&1 || ! grep -q "leave KDR_FIELD_VELOCITY out" "$work/log"; then
    echo "fields: expected a magnetic field with KDR_FIELD_VELOCITY to be told to leave that out:" >&2
    cat "$work/log" >&2
    exit 1
fi
cp "$source/tests/fields/mirror.c" "$work/examples"
# This field does not accept a parameter of 0, and reads a grid. It is compiled for a backend all the same.
plugin=$(find "$work/build" -name '*picky_plugin*' -type f ! -path '*CMakeFiles*')
compared velocity-verlet
plugin=$(find "$work/build" -name '*vortex_plugin*' -type f ! -path '*CMakeFiles*')
for kind in system levels blocks velocity-verlet; do
    compared "$kind"
done
if ! grep -q "cases skipped: .* the field is for other axes" "$work/log"; then
    echo "fields: expected to be told of particles on other axes:" >&2
    cat "$work/log" >&2
    exit 1
fi
# A backend that is asked for by name is not skipped.
for backend in $("$kickdrift" cpu | awk '$1 ~ /^(sse2|neon)$/ && $2 == "yes" && $3 == "yes" { print $1 }'); do
    if env -u KDR_BACKEND "$kickdrift" verify --backend "$backend" --field "$plugin" >"$work/log" 2>&1 ||
        ! grep -q "expected a field compiled for $backend, got vortex" "$work/log"; then
        echo "fields: verify --backend $backend took a field that was not compiled for it:" >&2
        cat "$work/log" >&2
        exit 1
    fi
done

# A file that is not a field is refused.
for wrong in "$work/nothing.so" "$(find "$work/prefix" -name 'libkickdrift.so' | head -n 1)"; do
    if "$kickdrift" verify --quick --field "$wrong" >"$work/log" 2>&1 || ! grep -q -- "--field" "$work/log"; then
        echo "fields: verify took $wrong for a field" >&2
        exit 1
    fi
done
echo "fields: the example runs, its field is verified, a mistake is found"

# This measures the time from an edit to a program, for all backends as they are shipped: ten seconds of one core, and as much again for a
# core that others use. It counts the fastest of three builds, for others may use the whole machine.
logged "$cmake" -S "$work/examples" -B "$work/shipped" -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix"
cp "$source/tools/examples/morse.c" "$work/examples/morse.c"
export CCACHE_DISABLE=1
for _ in 1 2 3; do
    (logged "$cmake" --build "$work/shipped" --clean-first --target trap && times >"$work/times")
    cost=$(awk -F'[ms ]+' 'NR == 2 { print 60 * $1 + $2 + 60 * $3 + $4 }' "$work/times")
    echo "fields: a field for all backends and its program take $cost seconds of processor time to build"
    if echo "$cost" | awk '{ exit !($1 > 0.5 && $1 < 20) }'; then
        exit 0
    fi
done
echo "fields: expected less than 20" >&2
exit 1
