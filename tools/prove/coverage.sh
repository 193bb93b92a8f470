# How much of src/ the tests reach, by lines: gcov over all tests of C and the quick plan, scalar and the narrow backend. The lines of a header that is
# compiled into many units are one: reached when one unit reaches them.
. "$root/tools/prove/common.sh"
need gcov
least=97
build coverage all -- -DCMAKE_BUILD_TYPE=Debug -DKICKDRIFT_DEBUG_KERNELS=ON -DKICKDRIFT_AVX2=OFF -DKICKDRIFT_AVX512=OFF \
    "-DCMAKE_C_FLAGS=-O1 -g --coverage -fprofile-update=atomic" "-DCMAKE_CXX_FLAGS=-O1 -g --coverage"
here=$root/build/prove/coverage
find "$here" -name '*.gcda' -exec rm -f {} +
ctest --test-dir "$here" --parallel "$jobs" --output-on-failure --timeout 1800 \
    --exclude-regex '^(headers|symbols|consumer|fields|python|lammps|embedding|examples|toys|experiments_.*|docs|engine|readme|verify|stack|abi|floors|mutants.*)$' >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; failed "$(grep -m 3 -E '\(Failed\)|\(Timeout\)|\(SEGFAULT\)' "$work/log" | tr '\n' ' ')"; }
"$here/tools/kickdrift" verify --quick >&2 || failed "verify"
cd "$work"
find "$here" -name '*.gcda' -path '*/src/*' -exec gcov --stdout --preserve-paths --relative-only --source-prefix "$root" {} + 2>/dev/null |
    awk -F: -v root="$root/" '
        $2 + 0 == 0 && $3 == "Source" { file = $4; sub(root, "", file); next }
        file !~ /^src\// { next }
        { line = $2 + 0; count = $1; gsub(/[ *]/, "", count) }
        line == 0 || count == "-" { next }
        { at = file ":" line; seen[at] = 1; if (count !~ /^[#=]/) reached[at] = 1 }
        END { for (at in seen) print (at in reached) ? "reached" : "not", at }' >lines
grep '^not ' lines | cut -d' ' -f2 | sort -t: -k1,1 -k2,2n >unreached || true
all=$(wc -l <lines) not=$(wc -l <unreached)
awk -F: '{ n[$1]++ } END { for (f in n) print n[f], f }' unreached | sort -rn >&2
[ "$all" -gt 3000 ] || failed "only $all lines of src/ were seen"
percent=$(awk -v all="$all" -v not="$not" 'BEGIN { printf "%.2f", 100 * (all - not) / all }')
awk -v p="$percent" -v least=$least 'BEGIN { exit !(p >= least) }' || failed "$percent % of $all lines of src/, expected $least"
proved "$percent % of $all lines of src/; the $not others are in build/prove/coverage/unreached"
