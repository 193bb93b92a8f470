#!/bin/sh
# flags.sh SOURCE CMAKE checks that a parent project's flags do not change what the library computes. A tiny project takes the sources as a
# subdirectory, and is only configured. In each command that would compile a unit, the contract's flags must be the last; in each that would
# link a shared library, the flags that keep crtfastmath.o out. Then some of these commands are run with hostile flags in the three places
# where a project can set them. The objects must be equal to those without such flags, the probe of the configure step
# (src/particles/arithmetic_probe.c) must find nothing, and loading a library must not change the control word. Without the contract's flags
# the probe must find something, otherwise this test could not fail. Flags that no later flag can undo are refused when the project is
# configured. The test runs with the compiler of the build, and with gcc and clang where they are installed.
set -eu
source=$1 cmake=$2
command -v ninja >/dev/null || { echo "flags: no ninja, which prints the commands of a build that has not begun" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objdump=${OBJDUMP:-objdump}
unset CFLAGS CMAKE_C_COMPILER_LAUNCHER

# These are small units of each kind: of the core, of files, of a reference, of kernels, of a field.
units='kickdrift_core.dir/method/affine.c kickdrift_core.dir/observe/compare.c kickdrift_io.dir/arrays.c kickdrift_reference.dir/reference/pairs_f32.c
kickdrift_scalar_f64_fused_maps.dir/kernel/unit.c swell_reference_f64_unfused.dir'

is_clang() { "$1" --version | grep -q clang; }
wrong() { printf 'flags: %s: %s\n' "$cc" "$1"; failures=$((failures + 1)); }

# configured WHERE OPTIONS... configures the parent project.
configured() {
    where=$1
    shift
    "$cmake" -G Ninja -S "$source/tests/flags" -B "$where" -DKICKDRIFT_SOURCE="$source" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=Release "$@" >"$where.log" 2>&1
}

# with COMMAND FLAGS prints the command with these flags in the place of the parent's, and without its output files.
with() { printf '%s\n' "$1" | sed "s/-DKDR_OF_[A-Z]*/$2/g; s/ -M[DTF] [^ ]*\.o\(\.d\)\{0,1\}//g; s/ -MD//; s/ -o [^ ]*//"; }
# bare COMMAND prints the command without the contract's flags.
bare() { printf '%s\n' "$1" | sed 's/-DKDR_OF_DIRECTORY .*-ffp-contract=off/-DKDR_OF_DIRECTORY/'; }

code() { "$objdump" -dr "$1" 2>/dev/null | sed 1,3d; }

# objects_equal KIND FLAGS checks that the units' objects are equal to those without these flags.
objects_equal() {
    for unit in $units; do
        name=$(printf '%s' "$unit" | tr / _)
        sh -c "$(with "$(grep -F "$unit" "$at/compiles" | head -n 1)" "$1") -o $at/object.o" 2>"$at/errors" ||
            { wrong "$unit does not compile with $1: $(grep -m 1 error "$at/errors")"; continue; }
        code "$at/object.o" >"$at/code"
        [ -s "$at/code" ] || wrong "$unit has no code"
        [ -f "$at/$name" ] || cp "$at/code" "$at/$name"
        cmp -s "$at/code" "$at/$name" || wrong "$unit is another with $1"
        objects=$((objects + 1))
    done
}

# probed COMMAND FLAGS LINK_FLAGS prints what the probe finds when it is compiled and linked with these flags.
probed() {
    sh -c "$(with "$1" "$2" | sed 's/ -c [^ ]*//') -w -c $source/src/particles/arithmetic_probe.c -o $at/probe.o" >"$at/errors" 2>&1 ||
        { grep -o 'kickdrift: expected.*' "$at/errors" || cat "$at/errors"; return; }
    # shellcheck disable=SC2086 # These variables are lists of words.
    "$cc" $2 $3 "$at/probe.o" -o "$at/probe" -lm && "$at/probe" || :
}

# loaded COMMAND FLAGS prints what changes when a library is loaded that was linked by this command. One object stands for all of the
# library's objects.
loaded() {
    sh -c "cd $at/build && $(printf '%s\n' "$1" | sed "s/^: && //; s/ && :\$//; s/.* && //; s/-DKDR_OF_[A-Z]*/$2/g; s/ [^ ]*\.o\( [^ ]*\.o\)*/ OBJECTS/; s/ -o [^ ]*//; s| OBJECTS| -o $at/library.so $at/empty.o|")" >"$at/errors" 2>&1 ||
        { cat "$at/errors"; return; }
    "$at/load" "$at/library.so" || :
}

judge() {
    cc=$1 at=$2 failures=0 objects=0 probes=0
    mkdir "$at"
    family=gcc
    ! is_clang "$cc" || family=clang
    sed -n "s/^$family //p" "$source/tests/flags/sets" >"$at/sets"
    # An x86 processor has another unit for floating point.
    if [ "$family $(uname -m)" = 'gcc x86_64' ]; then echo '+ -mfpmath=387' >>"$at/sets"; fi
    link='-O2 -fno-fast-math -fno-unsafe-math-optimizations'
    configured "$at/build" -DCMAKE_C_FLAGS=-DKDR_OF_PROJECT "-DCMAKE_C_FLAGS_RELEASE=-O3 -DKDR_OF_TYPE" -DKICKDRIFT_TOOLS=ON ||
        { wrong 'the project does not configure'; cat "$at/build.log"; return 1; }
    ninja -C "$at/build" -t commands all swell_plugin >"$at/commands"
    grep -e ' -c ' "$at/commands" | grep -F KDR_OF_PROJECT | grep -vF flags/refusals.c | sed 's/.* && //' >"$at/compiles"
    grep -e ' -shared ' -e ' -o [^ ]*tools/kickdrift ' "$at/commands" >"$at/links"
    [ "$(wc -l <"$at/compiles")" -gt 150 ] && [ "$(wc -l <"$at/links")" -ge 4 ] ||
        { wrong "expected over 150 units and 4 links, found $(wc -l <"$at/compiles") and $(wc -l <"$at/links")"; return 1; }
    # The flags between the parent's last flag and the contract's first are not checked. After the contract's flags no flag of arithmetic
    # may stand.
    awk '!/KDR_OF_PROJECT.*KDR_OF_TYPE.*KDR_OF_DIRECTORY.* -fno-fast-math .* -ffp-contract=off / { print; next }
        { after = $0; sub(/.* -ffp-contract=off/, "", after); gsub(/ -fopenmp[^ ]*/, "", after); if (after ~ / -[fOm]/) print }' "$at/compiles" >"$at/others"
    [ ! -s "$at/others" ] || wrong "$(wc -l <"$at/others") units have other flags after the contract's, or not all of it: $(head -n 1 "$at/others")"
    grep -v "KDR_OF_TYPE.* $link " "$at/links" >"$at/others" || :
    [ ! -s "$at/others" ] || wrong "$(wc -l <"$at/others") links have not the contract's flags: $(head -n 1 "$at/others")"

    compile=$(grep -F kickdrift_core.dir/method/affine.c "$at/compiles")
    linked=$(grep -e ' -o [^ ]*libkickdrift\.so' "$at/links")
    echo 'int kdr_nothing;' | "$cc" -fPIC -x c - -c -o "$at/empty.o"
    "$cc" "$source/tests/flags/load.c" -o "$at/load" -ldl
    objects_equal ''
    while read -r kind flags; do
        [ "$kind" = '?' ] || objects_equal "$flags"
        found=$(probed "$compile" "$flags" "$link")
        [ -z "$found" ] || wrong "with $flags the probe says: $found"
        [ "$kind" != + ] || [ -n "$(probed "$(bare "$compile")" "$flags" '')" ] || wrong "with $flags, and without the contract's, the probe sees nothing"
        found=$(loaded "$linked" "$flags")
        [ -z "$found" ] || wrong "with $flags, a library that is loaded: $found"
        probes=$((probes + 1))
    done <"$at/sets"
    # gcc before 13, and clang, link crtfastmath.o into a shared library.
    if "$cc" '-###' -shared -ffast-math "$at/empty.o" 2>&1 | grep -q crtfastmath; then
        for flags in -Ofast -ffast-math; do
            [ -n "$(loaded "$(printf '%s\n' "$linked" | sed "s/ $link / /")" "$flags")" ] || wrong "$flags, without the link's flags, leaves the control word"
        done
    fi

    # A pragma in a header that everything includes comes after all flags. clang has an option of its own instead, which no later flag can
    # undo.
    echo '#pragma GCC optimize ("fast-math")' >"$at/fast.h"
    refused="-include $at/fast.h"
    [ $family = gcc ] || refused='-Xclang -menable-unsafe-fp-math'
    if configured "$at/refused" "-DCMAKE_C_FLAGS=-g $refused"; then wrong "a project with $refused configures"; fi
    grep -qxF "   Kickdrift cannot keep its bits with this project's flags \"$refused\": $(grep -o 'expected [^;]*; leave it out.*' "$at/refused.log")" "$at/refused.log" ||
        { wrong "expected one line that names $refused"; cat "$at/refused.log"; }
    echo "flags: $cc: $(wc -l <"$at/compiles") units, $(wc -l <"$at/links") links, $probes flag sets, $objects objects, $failures failures"
    [ "$failures" -eq 0 ]
}

compilers=${CC:-cc}
for other in gcc clang; do
    command -v $other >/dev/null || continue
    if is_clang "${CC:-cc}"; then [ $other = clang ] || compilers="$compilers $other"; else [ $other = gcc ] || compilers="$compilers $other"; fi
done
n=0
for cc in $compilers; do
    n=$((n + 1))
    (judge "$cc" "$work/$n" || : >"$work/failed") >"$work/out$n" 2>&1 &
done
wait
cat "$work"/out*
[ ! -e "$work/failed" ]
