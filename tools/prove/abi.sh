# The interface: the names that the libraries export and the layouts of every public struct, as the tests hold them; and against the dump of the last
# release (tests/abi/kickdrift-VERSION.abi, made by abidw), where there is one, abidiff.
. "$root/tools/prove/common.sh"
ctest --test-dir "$root/build/release" --output-on-failure --no-tests=error --tests-regex '^(symbols|abi)$' >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "symbols or structs differ"; }
names=$(find "$root/build/release/src" -name 'libkickdrift*.so' -exec nm --dynamic --defined-only --format=posix {} + | awk 'NF >= 2 && $1 ~ /^kdr_/ { print $1 }' | sort -u)
printf '%s\n' "$names" >"$work/names"
# A name that is gone breaks programs that are linked with it.
gone=$(comm -23 "$root/tests/abi/names" "$work/names" | tr '\n' ' ')
[ -z "$gone" ] || failed "exported no more, and in tests/abi/names: $gone"
new=$(comm -13 "$root/tests/abi/names" "$work/names" | tr '\n' ' ')
[ -z "$new" ] || failed "exported, and not in tests/abi/names: $new"
dump=$(ls "$root"/tests/abi/kickdrift-*.abi 2>/dev/null | tail -n 1)
counted="$(printf '%s\n' "$names" | wc -l) names"
[ -n "$dump" ] || proved "$counted, every struct; no release to hold them against yet"
need abidiff
abidiff "$dump" "$root/build/release/src/libkickdrift.so" >"$work/abidiff" 2>&1 || { cat "$work/abidiff" >&2; failed "abidiff: differs from ${dump##*/}"; }
proved "$counted, every struct, abidiff with ${dump##*/}"
