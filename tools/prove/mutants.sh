# Planted mistakes: each must be caught. As many parts at once as there are jobs, each in a tree of its own; those of jobs of ranks, which wait for each other
# without a rest, afterwards and alone. Quick: the fortieth that the commit's hash says, with the objects of the build that was there before (-DLAUNCHER); the
# whole compiles too much for that to matter, and optimises less.
. "$root/tools/prove/common.sh"
[ -n "$launcher" ] && options=-DLAUNCHER=ccache || options=
$quick || options="$options -DFLAGS=-O1"
# part K/N NAME JOBS OPTION: one run of the table's rows.
part() {
    # shellcheck disable=SC2086 # a list of words
    CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=$3 cmake "-DWORK=$work/$2" "-DPART=$1" -DTRUSTED=ON $options "$4" "-DNOTE=$work/likely" \
        -P "$root/tests/mutants/run.cmake" >"$work/$2.log" 2>&1
}
rm -f "$work"/*.log "$work/likely"
# passes ROW WORDS: a run of tests/mutants/ROW.cmake alone ends well, or does not say why not.
passes() {
    # shellcheck disable=SC2086 # a list of words
    CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=$jobs cmake "-DWORK=$work/canary_tree" "-DTABLE=$root/tests/mutants/$1.cmake" -DTRUSTED=ON \
        $options -P "$root/tests/mutants/run.cmake" >"$work/canary.said" 2>&1 || ! grep -q "$2" "$work/canary.said"
}
canary 'a row that nobody can see' passes canary_survives 'survived: canary_survives'
canary 'a judge that refuses what it is asked' passes canary_asks 'ended with 2, expected 0 or 1'
canary 'a judge whose case is not there' passes canary_case 'no test was run'
canaries_end
# A fortieth of the rows does not show that the others still compile. Parsing them all takes less than a minute.
if command -v python3 >/dev/null 2>&1; then
    python3 "$root/tests/mutants/compiles.py" "$root/build/release" >"$work/compiles.log" 2>&1 || failed_in "$work/compiles.log"
fi
fortieth=
if $quick; then
    fortieth=$(turn 40)
    echo "mutants: part $fortieth/40; by hand: cmake -DWORK=DIRECTORY -DPART=$fortieth/40 -DTRUSTED=ON -P tests/mutants/run.cmake" >&2
fi
# What all parts compile first the first of them compiles for all.
[ -z "$launcher" ] || $quick || part 1/1 1 "$jobs" -DPREPARE=ON || failed "does not build: $work/1"
n=1 pids=
while [ $n -le "$jobs" ]; do
    if $quick; then rows=$((fortieth + 40 * (n - 1)))/$((40 * jobs)); else rows=$n/$jobs; fi
    part "$rows" "$n" 1 -DEXCEPT=RANKS &
    pids="$pids $!"
    n=$((n + 1))
done
status=0
for pid in $pids; do wait "$pid" || status=1; done
part "${fortieth:-1}/$($quick && echo 40 || echo 1)" ranks "$jobs" -DKIND=RANKS || status=1
cat "$work"/*.log >&2
caught=$(cat "$work"/*.log | grep -c ': caught by' || true) skipped=$(cat "$work"/*.log | grep -c ': skipped: ' || true)
[ $status -eq 0 ] || failed "$caught caught; $(cat "$work"/*.log | grep -E 'SURVIVED|does not build|already fails|expected its pattern' | head -n 3 | tr '\n' ' ')"
proved "$caught mistakes caught, $skipped skipped${fortieth:+ (part $fortieth/40)}"
