# Proves that failures are handled: memory that is refused at every call, in the library and in the program; files that cannot be written
# completely; executors that break their rules.
. "$root/tools/prove/common.sh"
# count LOG: prints how many tests and refused allocations the log has; fails if they are too few.
count() {
    awk '/Tested: / { tests += $4 } /^allocations refused: / { refused += $3 }
        END { print tests " tests, " refused " allocations refused"; exit !(tests >= 20 && refused >= 100) }' "$1"
}
echo '[====] Synthesis: Tested: 0 | Passing: 0 | Failing: 0 | Crashing: 0' >"$work/nothing"
canary 'tests of which none was run' count "$work/nothing"
{ echo '[====] Synthesis: Tested: 30 | Passing: 30 | Failing: 0 | Crashing: 0'; echo 'allocations refused: 0'; } >"$work/nothing"
canary 'memory that was never refused' count "$work/nothing"
canaries_end
: >"$work/log"
for test in faults dissipation checkpoints trajectories executors scenes_wrong; do
    [ -x "$root/build/release/tests/test_$test" ] || [ $test != trajectories ] || continue # needs HDF5
    "$root/build/release/tests/test_$test" >>"$work/log" 2>&1 || { cat "$work/log" >&2; failed "test_$test"; }
done
counted=$(count "$work/log") || failed "too few: $counted"
proved "$counted"
