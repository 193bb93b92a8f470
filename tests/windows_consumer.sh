#!/bin/sh
# windows_consumer.sh SOURCE BUILD EMULATOR checks that what is installed for Windows serves programs there. The DLLs must export what the
# headers declare and nothing else. The README's example is compiled for Windows through find_package and pkg-config, with the DLLs and with
# the static libraries. Under the emulator (wine) it must print the README's digits. A user-defined field must work. BUILD is that of the
# preset cross-windows; tools/cross.sh calls it.
set -eu
source=$1 build=$2 emulator=$3
triple=x86_64-w64-mingw32
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
runs=0 failures=0
fail() {
    failures=$((failures + 1))
    echo "windows_consumer: $*" >&2
}

# The output of the build is shown only when it fails.
logged() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
}

block() {
    awk -v fence="\`\`\`$1" '$0 == fence && !done { inside = 1; next } inside && /^```/ { inside = 0; done = 1 } inside' "$source/README.md"
}
block c >"$work/example.c"
block text >"$work/expected"
[ -s "$work/example.c" ] && [ -s "$work/expected" ] || { echo "windows_consumer: README.md has no c block or no text block" >&2; exit 1; }

# run PROGRAM NAME runs a program with the DLLs on the path. Its output has the line ends of Windows.
run() {
    runs=$((runs + 1))
    WINEPATH=$work/prefix/bin "$emulator" "$1" 2>/dev/null | tr -d '\r' >"$work/got"
    cmp -s "$work/got" "$work/expected" || fail "$2: expected the README's digits, got $(cat "$work/got")"
}

logged cmake --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"

# exports DLL HEADER... checks that the DLL exports what the headers declare, and nothing else.
exports() {
    dll=$work/prefix/bin/$1
    shift
    $triple-objdump -p "$dll" | awk '/Ordinal\/Name Pointer/ { inside = 1; next } inside && NF == 0 { exit } inside { print $NF }' | sort >"$work/exported"
    cat "$@" | tr '\n' ' ' | grep -oE 'KDR_API [^;(]*\(' | grep -oE 'kdr_[a-z0-9_]+\($' | tr -d '(' | sort -u >"$work/declared"
    cmp -s "$work/exported" "$work/declared" || fail "$dll: exported alone, or declared alone: $(comm -3 "$work/exported" "$work/declared" | tr -s '\n\t' ' ')"
}
include=$source/include/kickdrift
# shellcheck disable=SC2046 # This is a list of words.
exports libkickdrift.dll $(find "$include" -name '*.h' ! -name check.h ! -name io.h ! -name mpi.h)
exports libkickdrift-check.dll "$include/check.h"
exports libkickdrift-io.dll "$include/io.h"

logged cmake -S "$source/tests/consumer" -B "$work/consumer" -G Ninja -DEXAMPLE="$work/example.c" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/mingw.cmake" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH -Dkickdrift_DIR="$work/prefix/lib/cmake/kickdrift"
logged cmake --build "$work/consumer" --parallel 2
for program in c_kickdrift c_static cpp_kickdrift cpp_static c_io c_io_static; do
    run "$work/consumer/$program.exe" "find_package, $program"
done

export PKG_CONFIG_LIBDIR="$work/prefix/lib/pkgconfig:$source/build/sysroot/$triple/lib/pkgconfig"
# shellcheck disable=SC2046 # These are lists of words.
logged $triple-gcc-posix -std=c11 "$work/example.c" $(pkg-config --cflags --libs kickdrift) -o "$work/shared.exe"
run "$work/shared.exe" "pkg-config, DLL"
# shellcheck disable=SC2046
logged $triple-gcc-posix -std=c11 "$work/example.c" "$source/tests/consumer/files.c" $(pkg-config --cflags --libs kickdrift-io) -o "$work/files.exe"
run "$work/files.exe" "pkg-config, kickdrift-io"
# shellcheck disable=SC2046
logged $triple-gcc-posix -std=c11 -static "$work/example.c" $(pkg-config --static --cflags --libs kickdrift) -o "$work/static.exe"
run "$work/static.exe" "pkg-config, static"

# A user-defined field works in a program, and as a module that the installed program opens.
logged cmake -S "$source/tools/examples" -B "$work/field" -G Ninja -DTRAP_BACKENDS=scalar -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_TOOLCHAIN_FILE="$source/cmake/toolchains/mingw.cmake" -DCMAKE_FIND_ROOT_PATH_MODE_PACKAGE=BOTH -Dkickdrift_DIR="$work/prefix/lib/cmake/kickdrift"
logged cmake --build "$work/field" --target trap morse_plugin
logged env KDR_BACKEND=scalar WINEPATH="$work/prefix/bin" "$emulator" "$work/field/trap.exe"
logged "$emulator" "$work/prefix/bin/kickdrift.exe" verify --quick --method velocity-verlet --backend scalar --field "$work/field/libmorse_plugin.dll"
grep -q '^all bits equal' "$work/log" || fail "a field's module: expected equal bits, got $(tail -n 1 "$work/log")"
runs=$((runs + 2))

echo "windows_consumer: $runs programs run, $failures failures"
[ $failures -eq 0 ]
