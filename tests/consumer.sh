#!/bin/sh
# consumer.sh SOURCE BUILD CMAKE follows what the README tells people who embed the library. Its C example is cut out of the README, and
# must print the output printed there. The same is done in C++. Both are linked to the shared and to the static library, through
# find_package from an installed prefix that was moved, and with the sources as a subdirectory. packages.sh does it through pkg-config.
set -eu
source=$1 build=$2 cmake=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0 runs=0

# block LANGUAGE prints the first block of a language in the README.
block() {
    awk -v fence="\`\`\`$1" '$0 == fence && !done { inside = 1; next } inside && /^```/ { inside = 0; done = 1 } inside' "$source/README.md"
}
block c >"$work/example.c"
block text >"$work/expected"
if ! [ -s "$work/example.c" ] || ! [ -s "$work/expected" ]; then
    echo "consumer: README.md has no c block or no text block" >&2
    exit 1
fi

run() {
    runs=$((runs + 1))
    if ! "$1" >"$work/got" || ! cmp -s "$work/got" "$work/expected"; then
        echo "consumer: $2: the README says" >&2
        cat "$work/expected" >&2
        echo "and the program printed" >&2
        cat "$work/got" >&2
        failures=$((failures + 1))
    fi
}

# logged COMMAND... runs a command and prints its output only if it fails.
logged() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        exit 1
    fi
}

# cmake_consumer NAME OPTIONS... configures and builds tests/consumer with these options, and compares the output of its programs.
cmake_consumer() {
    name=$1
    shift
    logged "$cmake" -S "$source/tests/consumer" -B "$work/$name" -DEXAMPLE="$work/example.c" "$@"
    logged "$cmake" --build "$work/$name" --parallel 2
    for program in c_kickdrift c_static cpp_kickdrift cpp_static c_io c_io_static; do
        run "$work/$name/$program" "$name, $program"
    done
}

logged "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
# The installed prefix holds what a user's system finds by itself: manual pages, completions and schemas. They are made where the program
# could be run to print them.
if [ -e "$build/tools/program/pages/kickdrift.1" ]; then
    for file in man/man1/kickdrift.1 man/man1/kickdrift-run.1 bash-completion/completions/kickdrift zsh/site-functions/_kickdrift \
        fish/vendor_completions.d/kickdrift.fish kickdrift/schema/run.json; do
        [ -s "$work/prefix/share/$file" ] || { echo "consumer: share/$file is not installed" >&2; exit 1; }
    done
fi
cmake_consumer find_package -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix"
# This build is quick: it has no optimisation and no vectors. The bits are the same.
cmake_consumer subdirectory -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_KERNEL_FLAGS= -DKICKDRIFT_SOURCE="$source" \
    -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX2=OFF -DKICKDRIFT_AVX512=OFF -DKICKDRIFT_NEON=OFF

# wrong TEXT prints an error and the log, and counts a failure.
wrong() {
    echo "consumer: $1" >&2
    cat "$work/log" >&2
    failures=$((failures + 1))
}

# kernels NAME OPTIONS... configures the sources as a subdirectory, and prints how many units of kernels there are and how many of them are
# optimised.
kernels() {
    name=$1
    shift
    logged "$cmake" -S "$source/tests/consumer" -B "$work/$name" -DEXAMPLE="$work/example.c" -DKICKDRIFT_SOURCE="$source" \
        -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@"
    grep '"command".*kernel/unit\.c' "$work/$name/compile_commands.json" >"$work/commands"
    echo "$(grep -c . "$work/commands") $(grep -c -e ' -O2 ' "$work/commands")"
}

# Kernels are optimised in a project that has no build type, and in a debug build. The configure step reports what will be built.
for type in "" Debug MinSizeRel; do
    count=$(kernels "type$type" -DCMAKE_BUILD_TYPE=$type)
    if [ "${count% *}" -lt 3 ] || [ "${count% *}" -ne "${count#* }" ]; then
        wrong "build type \"$type\": ${count#* } of ${count% *} units of kernels are optimised, expected all"
    fi
    [ "$(grep -c -e '^-- Kickdrift .*: kernels scalar.*, optimised in every build type$' "$work/log")" -eq 1 ] ||
        wrong "build type \"$type\": expected one line that says which kernels are built"
    if grep -q "CMake Warning" "$work/log"; then wrong "build type \"$type\": expected no warning"; fi
done
count=$(kernels debugged -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_KERNEL_FLAGS=)
[ "${count#* }" -eq 0 ] || wrong "no KICKDRIFT_KERNEL_FLAGS: ${count#* } units of kernels are optimised, expected none"
case $(uname -m) in x86_64 | aarch64)
    kernels without_simde -DKICKDRIFT_SIMDE_INCLUDE_DIR= >/dev/null
    if ! grep -q "SIMDe was not found" "$work/log" || ! grep -q "CMake Warning" "$work/log"; then wrong "without SIMDe: expected a warning"; fi
    ;;
esac

echo "consumer: $runs programs run, $failures failures"
[ "$runs" -eq 12 ] && [ "$failures" -eq 0 ]
