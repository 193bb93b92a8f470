#!/bin/sh
# bench_files.sh SOURCE PROGRAM checks the suite's result files. A short run writes one. `compare` finds a loss that is planted, and none
# between equal results. `report` makes a page that needs nothing else. Wrong files are refused in one line that says what was expected.
# A file that is refused, or cannot be written, leaves the target as it was.
set -eu
source=$1 program=$2
command -v python3 >/dev/null || { echo 'bench_files: no python3, skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND
die() { echo "bench_files: $*" >&2; exit 1; }
cd "$work"
bench() { "$program" bench "$@"; }

# refused WORDS ARGUMENT... expects status 2 and one line on stderr that contains the words.
refused() {
    words=$1
    shift
    status=0
    bench "$@" >out 2>err || status=$?
    [ $status -eq 2 ] || die "bench $*: status $status, expected 2: $(cat err)"
    [ "$(wc -l <err)" -eq 1 ] || die "bench $*: expected one line, got $(cat err)"
    grep -q 'expected' err || die "bench $*: does not say what was expected: $(cat err)"
    grep -qF -e "$words" err || die "bench $*: expected \"$words\", got $(cat err)"
}

# A short run prints its rows, headline numbers and whether the machine was quiet, and nothing of Google Benchmark's.
bench --suite --time 0.01 --benchmark_filter='^(affine/verlet/f32|centre/verlet/f64@scalar)$' --out a.json >table 2>progress
grep -q '^affine/verlet/f32  *evaluations/s' table || die "no row in $(cat table)"
grep -q '^  Field .*G evaluations/s' table || die "no headline in $(cat table)"
grep -Eq '^quiet: (true|false),' table || die "no verdict in $(cat table)"
grep -q 'rows in turns' progress || die "no progress in $(cat progress)"
bench --benchmark_filter='^step/rk4/drag/f32/unfused/scalar/512$' --benchmark_min_time=0.001 >table 2>err
! grep -q 'built as DEBUG' table err || die "Google Benchmark's warning is there: $(cat err)"
grep -q '^compiler: ' err || die "the context is lost: $(cat err)"
bench --all --benchmark_list_tests >table
[ "$(grep -c '^step/.*/512$' table)" -gt 1000 ] && grep -q '^lj/' table || die "--benchmark_list_tests prints $(wc -l <table) names"
bench --benchmark_list_tests=off --benchmark_filter='^step/rk4/drag/f32/unfused/scalar/512$' --benchmark_min_time=0.001 >table 2>err
grep -q 'evals/s' table || die "--benchmark_list_tests=off measured nothing: $(cat table)"
[ "$(ls)" = "$(printf 'a.json\nerr\nprogress\ntable')" ] || die "a run leaves other files: $(ls)"

# Synthetic results with noise of 1 %, of which b has a loss of 5 % in one row, and e another unit, name and so on.
python3 - <<'END_PYTHON'
import copy, json, random
random.seed(56)
base = json.load(open("a.json"))
first = base["rows"][0]
def rows(loss=None):
    return [dict(first, name=f"row{i}", values=[1e9 * (i + 1) * (0.95 if i == loss else 1) * random.gauss(1, 0.01) for _ in range(20)]) for i in range(12)]
def write(name, **change):
    other = copy.deepcopy(base)
    other.update(change)
    json.dump(other, open(name, "w"))
write("equal1.json", rows=rows())
write("equal2.json", rows=rows())
write("slow.json", rows=rows(3))
write("void.json", fingerprint="0123456789abcdef", void=True)
write("format.json", format="something else")
write("version.json", format_version=2)
write("suite.json", suite_version=99)
write("norows.json", rows=[])
write("novalues.json", rows=[dict(first, values=[])])
write("negative.json", rows=[dict(first, values=[1, -1])])
write("text.json", rows=[dict(first, values=["1"])])
write("twice.json", rows=[first, first])
write("unit.json", rows=[dict(first, unit="pairs/s")])
write("others.json", rows=[dict(first, name="no such row")])
write("machine.json", machine={})
write("evil.json", machine=dict(base["machine"], processor="</script><script>alert(1)</script>"))
open("broken.json", "w").write(open("a.json").read()[:-50])
open("list.json", "w").write("[1, 2]")
END_PYTHON
bench compare equal1.json equal2.json --fail-below 0.97 >table || die "a loss between equal results: $(cat table)"
grep -q 'rows significantly below 0.97: 0 of 12' table || die "$(cat table)"
grep -Eq 'geometric mean of B/A over 12 rows .*: (1\.00|0\.99)' table || die "$(cat table)"
status=0
bench compare equal1.json slow.json --fail-below 0.97 >table || status=$?
[ $status -eq 1 ] || die "a loss of 5 %: status $status, expected 1: $(cat table)"
[ "$(grep -c ' loss$' table)" -eq 1 ] && grep -q '^row3 .* loss$' table || die "expected a loss in row3: $(cat table)"
bench compare equal1.json slow.json >table || die "status without --fail-below: expected 0"
bench compare slow.json equal1.json --fail-below 0.97 >table || die "a gain is no loss: $(cat table)"
grep -q '^row3 .* gain$' table || die "expected a gain in row3: $(cat table)"
status=0
bench compare equal1.json equal2.json slow.json --fail-below 0.97 >table || status=$?
[ $status -eq 1 ] || die "the third of three files: status $status, expected 1"

refused 'expected two result files' compare a.json
refused 'missing.json: cannot be read' compare a.json missing.json
refused 'broken.json:' compare a.json broken.json
refused 'list.json: "format": expected "kickdrift-bench-result"' compare a.json list.json
refused '"format": expected "kickdrift-bench-result"' compare a.json format.json
refused '"format_version" is 2, expected 1' compare version.json a.json
refused '"suite_version" is 99, expected' compare a.json suite.json
refused 'void: its fingerprint is 0123456789abcdef, expected' compare a.json void.json
refused '"rows": expected a list' compare a.json norows.json
refused '"values": expected a list of numbers' compare a.json novalues.json
refused 'value 1: expected a positive number' compare a.json negative.json
refused 'value 0: expected a positive number' compare a.json text.json
refused 'is there twice' compare a.json twice.json
refused 'unit "pairs/s", expected "evaluations/s"' compare a.json unit.json
refused 'have no row in common' compare a.json others.json
refused '"processor": expected a text' compare a.json machine.json
refused '--fail-below: expected a ratio' compare a.json a.json --fail-below 2
refused 'compare: expected --fail-below with it, found --out' compare a.json a.json --out x.json
refused 'compare: expected --fail-below with it, found --benchmark_repetitions' compare a.json a.json --benchmark_repetitions=3
refused '--suite: expected --time, --out and --benchmark_filter with it, found --fail-below' --suite --fail-below 0.9
refused '--time: expected --suite with it' --time 3
refused '--out: expected --suite or report with it' --out x.json
refused '--fail-below: expected compare with it' --fail-below 0.9
refused 'expected compare, report or no arguments' repeat
refused '--time: expected seconds' --suite --time 0
refused 'no row matches' --suite --benchmark_filter=nothing
refused 'expected result files and --out FILE' report a.json
refused 'expected result files and --out FILE' report --out page.html
refused 'expected a file that can be written' report a.json --out folder/that/is/not/page.html
refused 'expected a file that can be written' --suite --out folder/that/is/not/a.json
echo kept >page.html
refused 'void' report a.json void.json --out page.html
[ "$(cat page.html)" = kept ] || die "a refused report changed its target"

bench report a.json evil.json --out page.html >out
[ "$(cat out)" = page.html ] || die "report printed $(cat out)"
! grep -Eq '(src|href)=|@import|url\(' page.html || die "the page refers to other files"
grep -Eo "(https?:)?//[a-z0-9.]+\.[a-z]+/[^\"' ]*" page.html | grep -v '^http://www.w3.org/2000/svg$' >links || true
[ ! -s links ] || die "the page names addresses: $(cat links)"
! grep -q '<script>alert' page.html || die "a text of a result became markup"
python3 - <<'END_PYTHON'
import json, re
page = open("page.html").read()
inside = re.search(r'<script type="application/json" id="results">(.*?)</script>', page, re.S)[1]
assert [r["file"] for r in json.loads(inside)] == ["a.json", "evil.json"], inside[:200]
END_PYTHON
# The reference result has a score of 1000 by its own measure.
python3 - "$source/bench/results/amd-turin-virtual.json" <<'END_PYTHON'
import json, math, sys
result = json.load(open(sys.argv[1]))
scores, medians = result["scores"], {row["name"]: row["median"] for row in result["rows"]}
backends = {}
for name, median in medians.items():
    stem, _, backend = name.partition("@")
    if backend:
        backends.setdefault(backend, []).append(median / medians[stem])
expected = {name: 1000 * math.prod(ratios) ** (1 / len(ratios)) for name, ratios in backends.items()}
expected[result["machine"]["best_backend"]] = 1000
assert all(abs(scores[key] - 1000) < 1e-6 for key in ("all", "f32", "f64", "one_thread", "all_threads")), scores
assert scores["backends"].keys() == expected.keys(), scores
assert all(abs(scores["backends"][key] / expected[key] - 1) < 1e-6 for key in expected), (scores, expected)
END_PYTHON
# The shipped results can be compared and drawn.
bench report "$source"/bench/results/*.json --out page.html >out
for shipped in "$source"/bench/results/*.json; do
    bench compare "$shipped" "$shipped" --fail-below 0.97 >table || die "$shipped: a loss against itself"
done
