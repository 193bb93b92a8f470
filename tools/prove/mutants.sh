# Proves that the tests catch every planted mistake. As many parts run at once as there are jobs, each in its own tree. Rows that start MPI
# ranks run afterwards, alone, because ranks wait busily for each other. The quick part is a 120th of the rows, chosen by the commit's
# hash, with the objects of the earlier build (-DLAUNCHER). The whole compiles so much that a cache does not matter, and optimises less.
. "$root/tools/prove/common.sh"
[ -n "$launcher" ] && options=-DLAUNCHER=ccache || options=
$quick || options="$options -DFLAGS=-O1"
# plant K/N NAME JOBS OPTION: runs a part of the table's rows.
plant() {
    # shellcheck disable=SC2086 # a list of words
    CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=$3 cmake "-DWORK=$work/$2" "-DPART=$1" -DTRUSTED=ON $options "$4" "-DNOTE=$work/likely" \
        -P "$root/tests/mutants/run.cmake" >"$work/$2.log" 2>&1
}
rm -f "$work"/*.log "$work/likely"
# passes ROW WORDS: runs tests/mutants/ROW.cmake alone. Succeeds if the run succeeds, or if its message lacks the words.
passes() {
    # shellcheck disable=SC2086 # a list of words
    CMAKE_GENERATOR=Ninja CMAKE_BUILD_PARALLEL_LEVEL=$jobs cmake "-DWORK=$work/canary_tree" "-DTABLE=$root/tests/mutants/$1.cmake" -DTRUSTED=ON \
        $options -P "$root/tests/mutants/run.cmake" >"$work/canary.said" 2>&1 || ! grep -q "$2" "$work/canary.said"
}
canary 'a row that nobody can see' passes canary_survives 'survived: canary_survives'
canary 'a judge that refuses what it is asked' passes canary_asks 'ended with 2, expected 0 or 1'
canary 'a judge whose case is not there' passes canary_case 'no test was run'
canaries_end
# A 120th of the rows does not show that the others still compile. Parsing all of them takes less than a minute.
if command -v python3 >/dev/null 2>&1; then
    python3 "$root/tests/mutants/compiles.py" "$root/build/release" >"$work/compiles.log" 2>&1 || failed_in "$work/compiles.log"
fi
parts=1 part=1 apart=RANKS
if $quick; then
    apart="RANKS;WASM" # each row of WebAssembly compiles the library anew for minutes, so only the whole has them
    parts=120 part=$(turn 120)
    echo "mutants: part $part/$parts; by hand: cmake -DWORK=DIRECTORY -DPART=$part/$parts -DTRUSTED=ON -P tests/mutants/run.cmake" >&2
fi
# The first part compiles what all parts need, so that the others find it in the cache.
[ -z "$launcher" ] || $quick || plant 1/1 1 "$jobs" -DPREPARE=ON || failed "does not build: $work/1"
n=1 pids=
while [ $n -le "$jobs" ]; do
    plant "$((part + parts * (n - 1)))/$((parts * jobs))" "$n" 1 "-DEXCEPT=$apart" &
    pids="$pids $!"
    n=$((n + 1))
done
status=0
for pid in $pids; do wait "$pid" || status=1; done
plant "$part/$parts" ranks "$jobs" -DKIND=RANKS || status=1
cat "$work"/*.log >&2
caught=$(cat "$work"/*.log | grep -c ': caught by' || true) skipped=$(cat "$work"/*.log | grep -c ': skipped: ' || true)
[ $status -eq 0 ] || failed "$caught caught; $(cat "$work"/*.log | grep -E 'SURVIVED|does not build|already fails|expected its pattern' | head -n 3 | tr '\n' ' ')"
proved "$caught mistakes caught, $skipped skipped (part $part/$parts)"
