#!/bin/sh
# wasm.sh SOURCE CMAKE builds the backends of WebAssembly, and holds them against the reference in node: the first 32nd of the quick plan
# on all of them. Then V8 is told that the processor has no fused multiply-add. There the backend `relaxed` must be refused, and the others
# must be equal. The test takes two minutes, so it runs only with `ctest -C wasm`, where the planted mistakes ask for it.
set -eu
source=$1 cmake=$2
for program in clang-19 wasm-ld-19 node; do
    command -v $program >/dev/null || { echo "wasm: no $program"; exit 77; }
done
[ -e /usr/include/wasm32-wasi ] || { echo "wasm: no wasi-libc"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "wasm: $*" >&2; cat "$work/out" >&2; exit 1; }

launcher=
! command -v ccache >/dev/null || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
"$cmake" -G Ninja -S "$source" -B "$work/build" --toolchain "$source/cmake/toolchains/wasm.cmake" $launcher -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS_RELEASE=-O1 -DKICKDRIFT_KERNEL_FLAGS=-O1 -DKICKDRIFT_RELAXED=ON -DKICKDRIFT_OPENMP=OFF -DKICKDRIFT_HDF5=OFF \
    -DKICKDRIFT_MPI=OFF -DKICKDRIFT_INSTALL=OFF -DKICKDRIFT_BENCH=OFF -DKICKDRIFT_TESTS=OFF >"$work/out" 2>&1 || die "cannot configure"
"$cmake" --build "$work/build" --target web_verify >"$work/out" 2>&1 || die "does not build"

relaxed=$(node --v8-options | grep -o -m 1 -e '--experimental-wasm-relaxed-simd' || true)
# verify OPTION...: runs a part of the plan with options of node.
verify() {
    # shellcheck disable=SC2086 # a list of words
    node $relaxed "$@" --part 1/32 >"$work/out" 2>&1
}
module=$work/build/tools/clients/web/verify.wasm
verify "$source/tools/clients/web/verify.mjs" "$module" || die "the bits are not those of the reference"
for backend in scalar simd128 relaxed; do
    grep -q "^$backend  *[1-9]" "$work/out" || die "$backend did not run"
done
verify --no-enable-fma3 "$source/tools/clients/web/verify.mjs" "$module" || die "without fused multiply-adds the bits are not those of the reference"
grep -q '^relaxed  *skipped: the multiply-add of relaxed SIMD is not fused here' "$work/out" || die "relaxed must be refused where it is not fused"
sed -n '$p' "$work/out"
