# Addresses and undefined behaviour: gcc's sanitizers over all tests of C, with the scalar backend and one of vectors.
. "$root/tools/prove/common.sh"
instrumented
[ ! -s "$checked/failing" ] || { cat "$checked/log" >&2; failed "$(head -n 3 "$checked/failing" | tr '\n' ' ')"; }
proved "$(sed -n 's/.*out of \([0-9]*\)$/\1 tests/p' "$checked/log")"
