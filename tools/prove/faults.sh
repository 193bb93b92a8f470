# Memory that is refused at every call, in the library and in the program; files that cannot be written whole; executors that do what they must not.
. "$root/tools/prove/common.sh"
: >"$work/log"
for test in faults dissipation checkpoints trajectories executors scenes_wrong; do
    [ -x "$root/build/release/tests/test_$test" ] || [ $test != trajectories ] || continue # they need HDF5
    "$root/build/release/tests/test_$test" >>"$work/log" 2>&1 || { cat "$work/log" >&2; failed "test_$test"; }
done
proved "$(awk '/Tested: / { tests += $4 } /^allocations refused: / { refused += $3 } END { print tests " tests, " refused " allocations refused" }' "$work/log")"
