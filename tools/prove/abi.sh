# Proves that the interface is unchanged: the names that the libraries export and the layouts of every public struct, by the tests; and, if
# there is a dump of the last release (tests/abi/kickdrift-VERSION.abi, made by abidw), the whole interface by abidiff.
. "$root/tools/prove/common.sh"
wrong_program foreign.so cc -shared -fPIC <<'END'
int kdr_canary(void) { return 1; }
int canary(void) { return 2; }
END
canary 'libraries that export other names' sh "$root/tests/symbols.sh" "$work/foreign.so" "$work/foreign.so" "$work/foreign.so"
printf '#include <kickdrift/kickdrift.h>\n%s\n' '_Static_assert(sizeof(kdr_clock) == 25, "a member more");' >"$work/layout.c"
canary 'a struct of another size' cc -fsyntax-only -I"$root/include" "$work/layout.c"
canaries_end
ctest --test-dir "$root/build/release" --output-on-failure --no-tests=error --tests-regex '^(symbols|abi)$' >"$work/log" 2>&1 || { cat "$work/log" >&2; failed "symbols or structs differ"; }
dump=$(ls "$root"/tests/abi/kickdrift-*.abi 2>/dev/null | tail -n 1)
counted="$(wc -l <"$root/tests/abi/names") names"
[ -n "$dump" ] || proved "$counted, every struct; no release to hold them against yet"
need abidiff
abidiff "$dump" "$root/build/release/src/libkickdrift.so" >"$work/abidiff" 2>&1 || { cat "$work/abidiff" >&2; failed "abidiff: differs from ${dump##*/}"; }
proved "$counted, every struct, abidiff with ${dump##*/}"
