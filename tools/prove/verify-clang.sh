# Every backend against the reference, with clang, and the fingerprint that gcc's build has.
. "$root/tools/prove/common.sh"
need clang clang++
build clang kickdrift_program -- -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DKICKDRIFT_TESTS=OFF
clang=$root/build/prove/clang/tools/kickdrift
"$clang" verify --quick >"$work/log" 2>&1 || failed "$(tail -n 1 "$work/log")"
cat "$work/log" >&2
grep -q "^fingerprint $golden, that of" "$work/log" || failed "the quick fingerprint is not $golden"
$quick || "$clang" verify >"$work/log" 2>&1 || failed "$(tail -n 1 "$work/log")"
proved "$(count_values "$work/log"), $(grep -o '^fingerprint [0-9a-f]*' "$work/log")"
