#!/bin/sh
# cross.sh [--eighth | --quick | --libraries]: proves the bits of other systems: of processors that this machine is not, under qemu; of
# 32-bit x86; of musl; of Windows, under wine; of WebAssembly, in node. `tools/dev cross` installs and builds what it needs.
# On each processor the quick plan of `kickdrift verify` must be equal, with the fingerprint of tests/golden.h. Scenes and the cloth
# (tools/examples/cloth.c) must give the same files as here. A run and a stream must continue there from checkpoints of this machine. The
# whole takes half an hour.
# --eighth: runs an eighth of the plan on each processor, another each day, whose fingerprint must be the one it has here.
# --quick: runs a sixteenth, under qemu a 64th, or a 128th where only scalar runs, another each day. The programs are compiled in half the
# time (-O1) and also run scenes and checkpoints. Each day takes one processor under qemu, one other system, and no model of qemu that needs
# a build of its own.
# --libraries: only fetches the libraries of the processors, of musl and of Windows.
# WebAssembly has no files, so its module runs the plan alone, and no scenes.
# The program for Windows runs on this processor, so it runs the whole plan, or the same part as this machine, and all of tests/windows.sh;
# in a quick run with two backends.
# qemu up to 9.0 ignores the index of a gather in ymm4 (gitlab.com/qemu-project/qemu/-/issues/2474), so the program for AVX2 is compiled
# without ymm4. qemu runs x86-64 code at a hundredth of the speed here, so those processors run a twentieth of such a part.
# The programs of one processor are checked while those of the next are compiled. Each prints one line when it ends. Exit status 1:
# something differs, or could not run.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
work=$root/build/cross
here=$root/build/release/tools/kickdrift
cloth= # the program cloth, if it is run too
files=true # whether scenes and checkpoints are run
golden=$(sed -n 's/.*UINT64_C(0x\([0-9a-f]*\)).*/\1/p' "$root/tests/golden.h")
unset KDR_BACKEND KDR_SEED
# With a compiler cache CMake would get paths of another build when it asks the compiler for its headers.
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
day=$(date +%j)
quick=false parts=1 fetches=false options=
case ${1-} in
'') ;;
--eighth) parts=8 ;;
--quick) quick=true parts=16 options='-DCMAKE_C_FLAGS_RELEASE=-O1 -DKICKDRIFT_KERNEL_FLAGS=-O1' ;;
--libraries) fetches=true ;;
*) echo "cross.sh: unknown argument $1, expected --eighth, --quick or --libraries" >&2; exit 2 ;;
esac

# Each line is a processor, its turn in quick runs, Debian's name of it, the releases whose libraries may be used, and the backends that
# must run. The first release that the mirror has completely is used: the index and the files of a release may be of different days, and
# riscv64 is in no release before trixie.
processors='aarch64 0 arm64 bookworm,trixie scalar,neon
s390x 1 s390x bookworm,trixie scalar
riscv64 2 riscv64 trixie,forky,sid scalar
i686 0 i386 bookworm,trixie scalar'
libraries='libc6-dev libgomp1 libsimde-dev libxxhash-dev libyaml-dev libcsv-dev libjansson-dev librandom123-dev'
# Each line is a model of qemu, the build whose program runs on it, the backends that it must run, and one that it must refuse.
models='Opteron_G1,-pni release scalar,sse2 avx2
Haswell cross-avx2 avx2 avx512'
# musl is another C library on this processor.
musl=x86_64-linux-musl
# Windows: MinGW compiles the program and wine runs it, in its own folder and without the parts that open windows.
windows=x86_64-w64-mingw32
export WINEPREFIX="$root/build/wine" WINEDEBUG=-all WINEDLLOVERRIDES='winemenubuilder.exe=d;mscoree=;mshtml='
# Each line is a scene and its number of steps.
scenes='kepler 64
gyration 200
heat-bath 5
box 20
asteroids 5'

# turn_of K: whether the K-th of three systems is checked today; in a whole run all are.
turn_of() { ! $quick || [ $((${day#"${day%%[!0]*}"} % 3)) -eq "$1" ]; }

mkdir -p "$work"
rm -rf "$work"/table "$work"/*.csv
status=0
say() { printf 'cross.sh: %s\n' "$*" >&2; }
row() { printf '%-26s %-24s %8s %10s  %-16s  %-7s  %s\n' "$@" | tee -a "$work/table" >&2; }
not_run() { status=1; row "$1" - - - - - "not run: $2"; }

# part_of N: prints the option for one of N parts, another each day; nothing for the whole.
part_of() {
    [ "$1" -eq 1 ] || echo "--part $((${day#"${day%%[!0]*}"} % $1 + 1))/$1"
}

# expected N: prints the fingerprint of that part.
expected() {
    if [ "$1" -eq 1 ]; then echo "$golden"; else
        # shellcheck disable=SC2046 # two words
        "$here" verify --quick --backend scalar $(part_of "$1") | sed -n 's/^fingerprint \([0-9a-f]*\).*/\1/p'
    fi
}

cloud() {
    cat <<'END'
particles: {random: {count: 3000, seed: 3, position: {ball: {at: [0, 0, 0], radius: 1}}, velocity: {point: [0, 0.3, 0.1]}, mass: {uniform: [1, 2]}}}
forces: [spring: {k: 2}]
method: velocity-verlet
dt: 0.001
steps: 16
stream: {file: cloud.checkpoint, memory: 100 KB}
END
}

# all_but_key FILE: prints a checkpoint without the key of its memory, which depends on the machine and is made anew by the reader, and
# without the checksum.
all_but_key() { head -c 72 "$1" && tail -c +81 "$1" | head -c -8; }

# begun PROGRAM...: begins a run and a stream here, continues them with the program from this machine's checkpoints, and prints checksums of
# the results.
begun() {
    rm -f "$at/cloud.checkpoint"
    cloud >"$at/cloud.yaml"
    "$here" run "$at/cloud.yaml" >"$at/run.log" && "$@" run "$at/cloud.yaml" --steps 32 >>"$at/run.log" 2>&1 && all_but_key "$at/cloud.checkpoint" | cksum &&
        "$here" run "$root/tools/scenes/heat-bath.yaml" --steps 4 --checkpoint "$at/begun" --out "$at/part.csv" >"$at/run.log" &&
        "$@" resume "$at/begun" --steps 8 >>"$at/run.log" 2>&1 && cat "$at/part.csv"
}

# files NAME PROGRAM...: writes the results of the scenes into NAME.csv.
files() {
    name=$1 at=$work/$1
    shift
    mkdir -p "$at"
    echo "$scenes" | while read -r scene steps; do
        "$@" run "$root/tools/scenes/$scene.yaml" --steps "$steps" --out "$at/part.csv" >"$at/run.log" 2>&1 </dev/null || exit 1
        cat "$at/part.csv"
    done >"$work/$name.csv" && begun "$@" >>"$work/$name.csv" </dev/null
}

# check NAME BACKENDS N PROGRAM...: runs one of N parts of the plan on the program's backends, and compares the files. Prints a row of the
# table. Fails if something is wrong.
check() {
    name=$1 wanted=$2 count=$3
    shift 3
    log=$work/$name.log
    only=
    case $wanted in *,*) ;; *) only="--backend $wanted" ;; esac
    say "$name"
    began=$(date +%s)
    # shellcheck disable=SC2046,SC2086 # lists of words
    "$@" verify --quick $only $(part_of "$count") >"$log" 2>&1 || true
    backends=$(awk '$2 ~ /^[0-9]+$/ && NF == 5 { print $1 }' "$log" | paste -s -d, -)
    found=$(sed -n 's/^fingerprint \([0-9a-f]*\).*/\1/p' "$log")
    same=equal
    if $files; then
        files "$name" "$@" || say "$name: $(cat "$work/$name/run.log")"
        cmp -s "$work/$name.csv" "$work/here.csv" || same=DIFFER
    else
        same=-
    fi
    [ -z "$cloth" ] || $cloth 2>/dev/null | tr -d '\r' | cmp -s - "$work/cloth.csv" || same=DIFFER # an example prints line ends as the system has them
    verdict="all bits equal, $(($(date +%s) - began)) s"
    if [ "$backends" != "$wanted" ] || ! grep -q '^all bits equal' "$log"; then verdict="WRONG, see $log"
    elif [ "$found" != "$(expected "$count")" ]; then verdict="WRONG: expected the fingerprint $(expected "$count")"
    elif [ "$same" = DIFFER ]; then verdict="WRONG: scenes or the cloth are not what they are here, see $work"; fi
    # shellcheck disable=SC2046 # three words
    row "$name" "$backends" $(awk '$2 ~ /^[0-9]+$/ && NF == 5 { cases += $2; values += $3 } END { print cases + 0, values + 0 }' "$log") \
        "${found:--}" "$same" "$verdict"
    case $verdict in WRONG*) return 1 ;; esac
}

# sysroot TRIPLE ARCHITECTURE RELEASE,...: unpacks the libraries of the first available release into build/sysroot/TRIPLE.
sysroot() {
    into=$root/build/sysroot/$1
    [ ! -e "$into/complete" ] || return 0
    for release in $(echo "$3" | tr , ' '); do
        libraries_of "$2" "$release" && return
        say "$release: its libraries for $2 cannot be had"
    done
    return 1
}

# libraries_of ARCHITECTURE RELEASE: downloads and unpacks them from this system's mirror. The system itself does not change: apt has its
# state in the folder.
libraries_of() {
    command -v apt-get >/dev/null 2>&1 || return 1
    # shellcheck disable=SC2016 # apt's own words
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Component: main' 'Label: Debian' | head -n 1)
    [ -n "$mirror" ] || return 1
    rm -rf "$into"
    mkdir -p "$into/apt/lists/partial" "$into/apt/archives/partial" "$into/usr/lib" "$into/usr/lib64"
    ln -s usr/lib "$into/lib"
    ln -s usr/lib64 "$into/lib64"
    : >"$into/apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $2 main" >"$into/apt/list"
    apt="apt-get -qq --yes -o APT::Architecture=$1 -o APT::Architectures=$1 -o Acquire::Retries=3 -o Dir::State=$into/apt
        -o Dir::State::status=$into/apt/status -o Dir::Cache=$into/apt -o Dir::Etc::sourcelist=$into/apt/list -o Dir::Etc::sourceparts=/dev/null"
    # shellcheck disable=SC2086 # lists of words
    $apt update >&2 && $apt --no-install-recommends --download-only install $libraries >&2 || return 1
    for package in "$into"/apt/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$into" || return 1
    done
    # Absolute links become links within the folder.
    find "$into" -type l -lname '/*' | while read -r link; do ln -sfn "$into$(readlink "$link")" "$link"; done
    rm -rf "$into/apt"
    : >"$into/complete"
}

# built DIRECTORY TARGET... -- CONFIGURE...: configures and builds.
built() {
    directory=$1 targets=
    shift
    while [ "$1" != -- ]; do
        targets="$targets $1"
        shift
    done
    shift
    # shellcheck disable=SC2086 # a list of words
    (cd "$root" && "$@" && cmake --build "$directory" --parallel "${JOBS:-2}" --target $targets) >"$work/build.log" 2>&1 && return
    tail -n 20 "$work/build.log" >&2
    return 1
}

if $fetches; then
    while read -r triple _ architecture releases _; do
        sysroot "$triple-linux-gnu" "$architecture" "$releases" || status=1
    done <<END
$processors
END
    ! command -v musl-gcc >/dev/null || "$root/tools/cross_sources.sh" $musl musl-gcc || status=1
    ! command -v $windows-gcc-posix >/dev/null || "$root/tools/cross_sources.sh" $windows $windows-gcc-posix $windows-g++-posix || status=1
    exit $status
fi

files here "$here"
$quick || "$root/build/release/tools/examples/cloth" >"$work/cloth.csv" 2>/dev/null
row processor backends cases values fingerprint scenes ''
own=$("$here" verify --quick --method suvat | awk '$2 ~ /^[0-9]+$/ && NF == 5 { print $1 }' | paste -s -d, -)
check "$(uname -m), this one" "$own" "$parts" "$here" &
checks=$!

while read -r model build backends refused; do
    name="x86-64, $model"
    if [ "$(uname -m)" != x86_64 ] || ! command -v qemu-x86_64 >/dev/null; then
        not_run "$name" "no qemu-x86_64, or this machine's program is another's"
        continue
    fi
    if [ "$build" != release ] && $quick; then
        : # it would need its own build, for that processor alone
    elif [ "$build" != release ] && ! built "build/$build" kickdrift_program -- cmake --preset "$build"; then
        not_run "$name" "it does not compile, see $work/build.log"
        continue
    else
        check "$name" "$backends" "$((20 * parts))" qemu-x86_64 -cpu "$model" "$root/build/$build/tools/kickdrift" &
        checks="$checks $!"
    fi
    error=$(qemu-x86_64 -cpu "$model" "$here" verify --quick --method suvat --backend "$refused" 2>&1 >"$work/refused.log") && error='no error'
    case $error in
    *"$refused cannot run here: needs "*) row "$name" "$refused" - - - - "refused: ${error##*cannot run here: }" ;;
    *) status=1; row "$name" "$refused" - - - - "WRONG: expected a refusal, got ${error##*
}" ;;
    esac
done <<END
$models
END

while read -r name turn debian releases backends; do
    turn_of "$turn" || continue
    triple=$name-linux-gnu
    case $name in
    i686) run="$root/build/sysroot/$triple/lib/ld-linux.so.2 --library-path $root/build/sysroot/$triple/usr/lib/i386-linux-gnu" needs=$triple-gcc ;;
    *) run="qemu-$name -L $root/build/sysroot/$triple" needs=qemu-$name ;;
    esac
    # shellcheck disable=SC2086 # lists of words
    if ! command -v "$needs" >/dev/null || ! command -v "$triple-gcc" >/dev/null; then
        not_run "$name" "no $needs or no $triple-gcc"
    elif [ "$name" = i686 ] && [ "$(uname -m)" != x86_64 ]; then
        not_run "$name" "this machine is another"
    elif ! sysroot "$triple" "$debian" "$releases"; then
        not_run "$name" "the libraries of Debian's $debian cannot be had"
    elif ! built "build/cross-$name" kickdrift_program example_cloth -- cmake --fresh --preset "cross-$name" $options; then
        not_run "$name" "it does not compile, see $work/build.log"
    else
        run="$run $root/build/cross-$name/tools"
        $quick || cloth=$run/examples/cloth
        less=$parts
        if $quick && [ "$name" != i686 ]; then less=$((4 * parts)); fi
        if $quick && [ "$backends" = scalar ] && [ "$name" != i686 ]; then less=$((8 * parts)); fi
        # shellcheck disable=SC2086 # a list of words
        check "$name" "$backends" "$less" $run/kickdrift &
        checks="$checks $!"
        cloth=
    fi
done <<END
$processors
END

# musl runs on this processor. A quick run has only the backends that musl's functions could change.
only=
$quick && only='-DKICKDRIFT_AVX2=OFF -DKICKDRIFT_AVX512=OFF'
if ! turn_of 1; then
    : # another system's turn
elif [ "$(uname -m)" != x86_64 ] || ! command -v musl-gcc >/dev/null; then
    not_run "x86-64, musl" "no musl-gcc, or this machine is another"
elif ! "$root/tools/cross_sources.sh" $musl musl-gcc; then
    not_run "x86-64, musl" "the libraries cannot be had"
    # shellcheck disable=SC2086 # a list of words
elif ! built build/cross-musl kickdrift_program -- cmake --fresh --preset cross-musl $options $only; then
    not_run "x86-64, musl" "it does not compile, see $work/build.log"
else
    here_too=$own
    $quick && here_too=scalar,sse2
    check "x86-64, musl" "$here_too" "$parts" "$root/build/cross-musl/tools/kickdrift" &
    checks="$checks $!"
fi

# also LOG SCRIPT...: runs a script, and prints its result in a row without a name.
also() {
    log=$1
    shift
    if "$@" >"$log" 2>&1; then row '' - - - - - "$(tail -n 1 "$log")"; else row '' - - - - - "WRONG, see $log"; return 1; fi
}

# on_windows: runs all checks with the program for Windows, and what else it must do.
on_windows() {
    program=$root/build/cross-windows/tools/kickdrift.exe wrong=0
    here_too=$own
    $quick && here_too=scalar,avx2
    check "x86-64, Windows" "$here_too" "$parts" wine "$program" || wrong=1
    also "$work/windows.log" "$root/tests/windows.sh" "$root" "$here" wine "$program" || wrong=1
    $quick || also "$work/windows_consumer.log" "$root/tests/windows_consumer.sh" "$root" "$root/build/cross-windows" wine || wrong=1
    return $wrong
}

if ! turn_of 2; then
    : # another system's turn
elif [ "$(uname -m)" != x86_64 ] || ! command -v wine >/dev/null || ! command -v $windows-gcc-posix >/dev/null; then
    not_run "x86-64, Windows" "no wine or no $windows-gcc-posix, or this machine is another"
elif ! "$root/tools/cross_sources.sh" $windows $windows-gcc-posix $windows-g++-posix; then
    not_run "x86-64, Windows" "the libraries cannot be had"
elif $quick && ! built build/cross-windows kickdrift_program -- cmake --fresh --preset cross-windows $options -DKICKDRIFT_BENCH=OFF \
    -DKICKDRIFT_SSE2=OFF -DKICKDRIFT_AVX512=OFF; then
    not_run "x86-64, Windows" "it does not compile, see $work/build.log"
elif ! $quick && ! built build/cross-windows all -- cmake --fresh --preset cross-windows; then
    not_run "x86-64, Windows" "it does not compile, see $work/build.log"
else
    $quick || cloth="wine $root/build/cross-windows/tools/examples/cloth.exe"
    on_windows &
    checks="$checks $!"
    cloth=
fi

# refused_in_node: checks that relaxed SIMD is refused where V8 is told that the processor has no fused multiply-add.
refused_in_node() {
    # shellcheck disable=SC2086 # one option or none
    error=$(node $relaxed --no-enable-fma3 "$client/verify.mjs" "$wasm" --backend relaxed 2>&1) && error='no error'
    case $error in
    *'relaxed cannot run here: '*) row 'WebAssembly, no fma' relaxed - - - - "refused: ${error##*cannot run here: }" ;;
    *) row 'WebAssembly, no fma' relaxed - - - - "WRONG: expected a refusal, got ${error##*
}"; return 1 ;;
    esac
}

client=$root/tools/clients/web
wasm=$root/build/wasm-relaxed/tools/clients/web/verify.wasm
if ! turn_of 0; then
    : # another system's turn
elif ! command -v node >/dev/null || ! command -v clang-19 >/dev/null || ! command -v wasm-ld-19 >/dev/null; then
    not_run "WebAssembly, node" "no node, clang-19 or wasm-ld-19"
    # shellcheck disable=SC2086 # a list of words
elif ! built build/wasm-relaxed web_verify -- cmake --fresh --preset wasm-relaxed $options; then
    not_run "WebAssembly, node" "it does not compile, see $work/build.log"
else
    files=false
    # Older versions have relaxed SIMD with an option, which newer ones do not know.
    relaxed=$(node --v8-options | grep -o -m 1 -e '--experimental-wasm-relaxed-simd' || true)
    # shellcheck disable=SC2086 # one option or none
    check "WebAssembly, node" scalar,simd128,relaxed "$parts" node $relaxed "$client/verify.mjs" "$wasm" &
    checks="$checks $!"
    [ "$(uname -m)" != x86_64 ] || refused_in_node || status=1
fi

for check in $checks; do
    wait "$check" || status=1
done
cat "$work/table"
exit $status
