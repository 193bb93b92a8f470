#!/bin/sh
# packages.sh SOURCE BUILD CMAKE: the packages in an installed prefix that was moved. By pkg-config a program of each library is linked to the shared
# and to the static one, and run; find_package takes the versions and components that are there, and refuses others.
set -eu
source=$1 build=$2 cmake=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "packages: $*" >&2; exit 1; }
# Its output is of interest only when it fails.
logged() {
    if ! "$@" >"$work/log" 2>&1; then
        cat "$work/log" >&2
        fail "$1 failed"
    fi
}
# The first block of a language in the README.
block() {
    awk -v fence="\`\`\`$1" '$0 == fence && !done { inside = 1; next } inside && /^```/ { inside = 0; done = 1 } inside' "$source/README.md"
}
block c >"$work/example.c"
block text >"$work/expected"
[ -s "$work/example.c" ] && [ -s "$work/expected" ] || fail "README.md has no c block or no text block"
logged "$cmake" --install "$build" --prefix "$work/first"
mv "$work/first" "$work/prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name kickdrift.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir kickdrift)
unset LD_LIBRARY_PATH
export ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" # MPI itself leaks, which a sanitizer would not have

# Each library has a package, each package a library: a program goes on with the libraries of its minor version alone.
packages=$(cd "$PKG_CONFIG_PATH" && ls kickdrift*.pc | sed 's/\.pc$//')
version=$(pkg-config --modversion kickdrift)
for package in $packages; do
    [ "$(pkg-config --modversion "$package")" = "$version" ] || fail "$package has another version"
    for library in "lib$package.so.${version%.*}" "lib$package.a"; do
        [ -e "$libdir/$library" ] || fail "$library is not installed, and $package.pc is"
    done
done
[ "$(cd "$libdir" && ls libkickdrift*.a | sed 's/^lib\(.*\)\.a$/\1/')" = "$packages" ] || fail "the libraries in $libdir are not these packages: $packages"

# flags KIND PACKAGE: static: each of our libraries by its archive.
flags() {
    case $1 in
    shared) pkg-config --cflags --libs "$2" ;;
    static) pkg-config --static --cflags --libs "$2" | sed "s|-l\(kickdrift[-a-z]*\)|$libdir/lib\1.a|g" ;;
    esac
}
# run KIND PROGRAM EXPECTED: a shared program finds the libraries where they are, a static one needs none.
run() {
    programs=$((programs + 1))
    path=
    [ "$1" = static ] || path=$libdir
    if ! LD_LIBRARY_PATH=$path "$2" >"$work/got" 2>"$work/err" || ! cmp -s "$work/got" "$3"; then
        cat "$work/got" "$work/err" >&2
        fail "${2##*/} did not print what $(basename "$3") holds"
    fi
}
programs=0
# shellcheck disable=SC2046,SC2086 # lists of words
for package in $packages; do
    for kind in shared static; do
        program=$work/$package-$kind
        c="${CC:-cc} ${CFLAGS-} -std=c11"
        case $package in
        kickdrift)
            $c "$work/example.c" $(flags $kind $package) -o "$program"
            "${CXX:-c++}" ${CXXFLAGS-} -std=c++17 "$source/tests/consumer/consumer.cpp" $(flags $kind $package) -o "$program-cpp"
            run $kind "$program-cpp" "$work/expected"
            run $kind "$program" "$work/expected"
            ;;
        kickdrift-check)
            awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/use/kernels.md" >"$work/kernel.c"
            echo '1000 cases, 1451160 values: all bits equal' >"$work/equal"
            $c -ffp-contract=off "$work/kernel.c" $(flags $kind $package) -lm -o "$program"
            run $kind "$program" "$work/equal"
            ;;
        kickdrift-io)
            $c "$work/example.c" "$source/tests/consumer/files.c" $(flags $kind $package) -o "$program"
            run $kind "$program" "$work/expected"
            ;;
        kickdrift-mpi) # which leaves MPI to the program; it says what the program of the build says
            $c "$source/tools/examples/ranks.c" $(flags $kind $package) $(pkg-config --cflags --libs mpi-c) -o "$program"
            "$build/tools/examples/ranks" 1000 4 >"$work/ranks"
            grep -q 'energy -' "$work/ranks" || fail "the example of ranks printed $(cat "$work/ranks")"
            printf '#!/bin/sh\nexec %s 1000 4\n' "$program" >"$program-run"
            chmod +x "$program-run"
            run $kind "$program-run" "$work/ranks"
            ;;
        *) fail "$package has no program here" ;;
        esac
    done
done

# ask PREFIX TAKEN REFUSED: a version and components each, separated by semicolons.
ask() { logged "$cmake" -S "$source/tests/packages" -B "$work/asked" -DCMAKE_PREFIX_PATH="$1" "-DTAKEN=$2" "-DREFUSED=$3"; }
major=${version%%.*} minor=${version#*.} patch=${version##*.}
minor=${minor%.*}
taken="$major.$minor;$version;$version io" refused="$major.$((minor + 1));$((major + 1)).$minor;$major.$minor.$((patch + 1));$version nonesuch;$version io nonesuch"
[ "$minor" -eq 0 ] || refused="$refused;$major.$((minor - 1))"
case " $(echo $packages) " in *' kickdrift-mpi '*) taken="$taken;$version mpi;$version io mpi" ;; *) refused="$refused;$version mpi" ;; esac
ask "$work/prefix" "$taken" "$refused"
# A build without MPI has no target of it.
: >"$(dirname "$(find "$work/prefix" -name kickdriftConfig.cmake)")/kickdriftTargets.cmake"
ask "$work/prefix" "$version;$version io" "$version mpi;$version io mpi"
echo "packages: $programs programs of $(echo $packages) ran, other versions and components are refused"
