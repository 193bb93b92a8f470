#!/bin/sh
# cross_sources.sh TRIPLE CC [CXX]: builds the program's libraries for a system that Debian has no packages for, into build/sysroot/TRIPLE.
# It builds static libyaml, libcsv and Jansson with the compiler CC and, if CXX is given, Google Benchmark for kickdrift-bench. The sources
# are Debian's; apt checks their signatures and has its own state there. The headers SIMDe, xxHash and Random123 are this system's. A
# library is built only once.
# It needs cmake, ninja and dpkg-source (dpkg-dev). Exit status 1: they cannot be had, and standard error says why; 2: wrong arguments.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
say() { printf 'cross_sources.sh: %s\n' "$*" >&2; }
case $# in
2 | 3) ;;
*) say "expected TRIPLE CC [CXX], got $# arguments"; exit 2 ;;
esac
triple=$1 cc=$2 cxx=${3-}
into=$root/build/sysroot/$triple
sources='libyaml libcsv jansson'
[ -z "$cxx" ] || sources="$sources benchmark"
[ "$(cat "$into/complete" 2>/dev/null)" != "$sources" ] || exit 0
case $triple in
*mingw*) system=Windows ;;
*) system=Linux ;;
esac
for program in "$cc" $cxx cmake ninja dpkg-source apt-get; do
    command -v "$program" >/dev/null 2>&1 || { say "no $program"; exit 1; }
done

work=$into/work
rm -rf "$into"
mkdir -p "$work/apt/lists/partial" "$work/apt/archives/partial" "$into/include" "$into/lib/pkgconfig"
: >"$work/apt/status"
# shellcheck disable=SC2016 # apt's own words
apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 'Created-By: Packages' 'Component: main' 'Label: Debian' | head -n 1 | {
    read -r mirror release && [ -n "$release" ] &&
        echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$work/apt/list"
} || { say "apt knows no mirror of Debian's"; exit 1; }
apt="apt-get -qq --yes -o Acquire::Retries=3 -o APT::Sandbox::User=root -o Dir::State=$work/apt -o Dir::State::status=$work/apt/status
    -o Dir::Cache=$work/apt -o Dir::Etc::sourcelist=$work/apt/list -o Dir::Etc::sourceparts=/dev/null"
# shellcheck disable=SC2086 # lists of words
(cd "$work" && $apt update && $apt --download-only --only-source source $sources) >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }

for header in simde xxhash.h xxh3.h Random123; do
    [ ! -e "/usr/include/$header" ] || ln -sfn "/usr/include/$header" "$into/include/$header"
done

# by_cmake SOURCE OPTION...: builds and installs static libraries.
by_cmake() {
    from=$1
    shift
    cmake -S "$work/$from" -B "$work/$from-build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_SYSTEM_NAME=$system -DCMAKE_C_COMPILER="$cc" \
        ${cxx:+-DCMAKE_CXX_COMPILER="$cxx"} -DCMAKE_INSTALL_PREFIX="$into" -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_SHARED_LIBS=OFF "$@" &&
        cmake --build "$work/$from-build" --parallel "${JOBS:-2}" && cmake --install "$work/$from-build"
}

libyaml() {
    by_cmake libyaml -DBUILD_TESTING=OFF -DINSTALL_CMAKE_DIR=lib/cmake/yaml &&
        printf '%s\n' 'Name: yaml' 'Description: YAML' 'Version: 0.1' "Libs: -L$into/lib -lyaml" "Cflags: -I$into/include" >"$into/lib/pkgconfig/yaml-0.1.pc"
}
libcsv() {
    cd "$work/libcsv" && "$cc" -O2 -c libcsv.c && "$("$cc" -print-prog-name=ar)" rcs "$into/lib/libcsv.a" libcsv.o && cp csv.h "$into/include"
}
jansson() { by_cmake jansson -DJANSSON_BUILD_DOCS=OFF -DJANSSON_WITHOUT_TESTS=ON -DJANSSON_EXAMPLES=OFF; }
benchmark() {
    by_cmake benchmark -DGIT_VERSION=0.0.0 -DBENCHMARK_ENABLE_TESTING=OFF -DBENCHMARK_ENABLE_GTEST_TESTS=OFF -DBENCHMARK_ENABLE_WERROR=OFF \
        -DBENCHMARK_INSTALL_DOCS=OFF
}

for source in $sources; do
    say "$triple: $source"
    (dpkg-source --no-check -x "$work/$source"_*.dsc "$work/$source" && "$source") >>"$work/log" 2>&1 || { tail -n 20 "$work/log" >&2; exit 1; }
done
rm -rf "$work"
echo "$sources" >"$into/complete"
