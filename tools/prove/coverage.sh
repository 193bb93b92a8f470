# Measures how much of src/ the tests reach, by gcov over all tests in C, with scalar and one vector backend. A line of a header that is
# compiled into many units counts once, and is reached if one unit reaches it. Branches are counted only in .c files that are compiled once,
# because code that is inlined into kernels has each branch many times. A file with a lower share has a row in tests/COVERAGE.md, with the
# number of lines that may be missed, and why.
. "$root/tools/prove/common.sh"
need gcov
least=97
mkdir -p "$work/src"
cat >"$work/src/canary.c" <<'END'
int main(int count, char **names) {
    (void)names;
    if (count > 5) {
        return 1;
    }
    return 0;
}
END
# all_reached: fails if gcov finds an unreached line in the canary program.
all_reached() {
    cd "$work/src" && rm -f ./*.gc* && cc -O1 -g1 --coverage -o canary canary.c && ./canary && gcov --stdout ./*.gcda >counted 2>/dev/null &&
        grep -q '1: *3:' counted && { [ "${1-}" = any ] || ! grep -q '#####: *4:' counted; }
}
control 'what gcov counts' all_reached any
canary 'a line that is not reached' all_reached
canaries_end
# Kernels count without locking, which takes a third of the time. Their lines are reached in many units, so a lost count does not matter.
tests_of_c coverage '-O1 -g1 --coverage -fprofile-update=atomic -DKDR_COVERAGE' '-O2;-fprofile-update=single'
cd "$work"
find "$directory" -name '*.gcno' -path '*/src/*' -exec gcov --stdout --branch-probabilities --branch-counts --preserve-paths --relative-only \
    --source-prefix "$root" {} + 2>/dev/null |
    awk -F: -v root="$root/" '
        function branches(    k, b) {
            for (k = 1; k <= n; k++) { b = "branch " at ":" n ":" k; seen[b] = 1; if (taken[k]) reached[b] = 1 }
            n = 0
        }
        /^branch +[0-9]/ { if (at ~ /\.c:/ && at !~ /\/kernel\//) taken[++n] = $0 ~ /taken [1-9]/; next }
        NF < 3 || $2 !~ /^ *[0-9]+$/ { next }
        { branches(); at = "" }
        $2 + 0 == 0 { if ($3 == "Source") { file = $4; sub(root, "", file) } next }
        { count = $1; gsub(/[ *]/, "", count) }
        file !~ /^src\// || count == "-" { next }
        { at = file ":" $2 + 0; seen["line " at] = 1; if (count !~ /^[#=]/) reached["line " at] = 1 }
        END { branches(); for (what in seen) print (what in reached) ? "reached" : "not", what }' >counted
sed -n 's/^not line //p' counted | sort -t: -k1,1 -k2,2n >unreached
cut -d: -f1 unreached | sort | uniq -c | sort -rn >&2
awk -F'|' -v least=$least '
    NR == FNR { if ($2 ~ /^ src\//) { gsub(/ /, "", $2); may[$2] = $3 + 0; why[$2] = length($4) > 20 } next }
    { split($0, word, / line |:/); if ($0 ~ / line /) { all[word[2]]++; missed[word[2]] += word[1] == "not" } }
    END {
        for (file in all) {
            low = 100 * (all[file] - missed[file]) < least * all[file]
            if (low && !why[file]) print file ": " missed[file] " of " all[file] " lines are not reached, and no row says why"
            else if (file in may && missed[file] > may[file]) print file ": " missed[file] " lines are not reached, expected " may[file] " at most"
        }
        for (file in may) if (!(file in all)) print file ": has a row and is not there"
    }' "$root/tests/COVERAGE.md" counted >unexplained
sort unexplained >&2
# percent KIND: prints the share of reached lines or branches, and how many there are.
percent() { awk -v kind="$1" '$2 == kind { n++; if ($1 == "reached") r++ } END { printf "%.2f %% of %d", n ? 100 * r / n : 0, n }' counted; }
lines=$(percent line) branches=$(percent branch)
[ "$(grep -c ' line ' counted)" -gt 3000 ] || failed "only $lines lines of src/ were seen"
awk -v p="${lines%% *}" -v least=$least 'BEGIN { exit !(p >= least) }' || failed "$lines lines of src/, expected $least %"
[ ! -s unexplained ] || failed "$(sort unexplained | head -n 3 | tr '\n' ';') see tests/COVERAGE.md"
proved "$ran, $lines lines of src/, $branches branches; the $(wc -l <unreached) other lines are in build/prove/coverage/unreached"
