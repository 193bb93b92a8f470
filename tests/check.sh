#!/bin/sh
# check.sh SOURCE BUILD CMAKE PROGRAM builds the kernel of docs/use/kernels.md with the installed library kickdrift-check, as a program and
# as a library for `kickdrift verify --kernel`, with a mistake too. It also runs the examples in C++, Fortran and Python.
set -eu
source=$1 build=$2 cmake=$3 program=$4
case ${CFLAGS-} in *-fsanitize*) echo "check: sanitizers catch the faults first, skipped"; exit 77 ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "check: $*" >&2; exit 1; }

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
mv "$work/first" "$work/prefix"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name kickdrift-check.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir kickdrift-check)
export LD_LIBRARY_PATH="$libdir"
cd "$work"
awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/use/kernels.md" >kernel.c
awk '/^```text$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/use/kernels.md" | sort -u >wanted
cc="${CC:-cc} ${CFLAGS-} -ffp-contract=off"
libraries=$(pkg-config --cflags --libs kickdrift-check)
# shellcheck disable=SC2086 # lists of words
{
    $cc kernel.c $libraries -lm -o kernel
    ./kernel >got || die "the kernel of the page fails: $(cat got)"
    diff wanted got || die "the kernel of the page prints something else"
    $cc -shared -fPIC kernel.c $libraries -lm -o kernel.so
    "$program" verify --kernel kernel.so >got || die "verify --kernel: $(cat got)"
    grep -q ': all bits equal$' got || die "verify --kernel printed $(cat got)"
    "$program" verify --kernel kernel.so --seed 3 --threads 2 --case 40 | grep -q '^1 cases' || die "verify --case runs more than a case"
    # The tail of four is left out.
    sed 's/i < p->count;/i < p->count - p->count % 4;/' kernel.c >tail.c
    $cc -shared -fPIC tail.c $libraries -lm -o tail.so
}
status=0
"$program" verify --kernel tail.so >got || status=$?
[ $status -eq 1 ] || die "a kernel without its tail ended with status $status: $(cat got)"
replay=$(sed -n 's/^replay: kickdrift //p' got)
grep -q 'first fault: results differ' got && [ -n "$replay" ] || die "verify --kernel printed $(cat got)"
status=0
# shellcheck disable=SC2086 # a list of words
"$program" $replay >again || status=$?
[ $status -eq 1 ] && [ "$(grep -A4 'first fault' got)" = "$(grep -A4 'first fault' again)" ] || die "the replay line does not repeat it: $(cat again)"

# refused TEXT ARGUMENT...: verify must refuse the arguments with the text.
refused() {
    text=$1 status=0
    shift
    "$program" verify "$@" >got 2>&1 || status=$?
    [ $status -eq 2 ] && grep -q -- "$text" got || die "verify $*: status $status, $(cat got)"
}
echo 'int nothing;' >nothing.c
# shellcheck disable=SC2086 # a list of words
$cc -shared -fPIC nothing.c -o nothing.so
refused 'expected kdr_check_plugin in ./nothing.so, found none' --kernel nothing.so
refused 'expected a shared library' --kernel absent.so
refused 'goes with --seed, --case and --threads, found --method' --kernel kernel.so --method rk4
refused '--case: expected --kernel too' --case 3

# The kernel in C++ is rounded twice, and the check finds the few sums for which that matters.
status=0
# shellcheck disable=SC2086 # lists of words
"${CXX:-c++}" ${CXXFLAGS-} -std=c++17 -ffp-contract=off "$source/tools/examples/check.cpp" $libraries -o check
./check >got || status=$?
[ $status -eq 1 ] && grep -q 'distance 1 ulp' got || die "the example in C++: status $status, $(cat got)"

for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import numpy' 2>/dev/null || break
done
if [ "$python" != none ]; then
    PYTHONPATH=$work/prefix/share/kickdrift/python
    export PYTHONPATH
    awk '/^```python$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$source/docs/use/kernels.md" >page.py
    "$python" page.py >got
    diff wanted got || die "the page's program in Python prints something else"
    if command -v gfortran >/dev/null; then
        gfortran -O2 -ffp-contract=off -shared -fPIC "$source/tools/examples/check.f90" -o fortran.so
        "$python" - <<'END' || die "the example in Fortran fails"
import ctypes
import kickdrift
import numpy

kernel = ctypes.CDLL("./fortran.so").multiply_add

def reference(a, x, b, y):
    with numpy.errstate(all="ignore"):
        y[:] = a * x + b

report = kickdrift.check(kernel, reference, inputs=3, values=["zeros", "subnormals", "huge", "ties", "infinities", "nans"], cases=500)
assert report and report.cases == 500, str(report)
wrong = kickdrift.check(kernel, lambda a, x, b, y: reference(x, x, b, y), inputs=3, cases=50)
assert not wrong and wrong.case is not None
END
    fi
fi
echo "check: kernels of the page and the examples are as they say"
