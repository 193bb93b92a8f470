# Compares every backend with the reference, with the compiler of build/release. It runs twenty-fourths of the whole plan until a thousand
# million values have been compared, beginning with another one with each commit; then cases with each custom field of the tests.
. "$root/tools/prove/common.sh"
canaries_of_verified
canaries_end
least=1000000000
values() { awk '/^[0-9]+ values compared$/ { sum += $1 } END { printf "%d", sum }' "$work/log"; }
: >"$work/log"
parts=0 part=$(turn 24)
while [ $parts -lt 24 ] && [ "$(values)" -lt $least ]; do
    "$program" verify --full --part "$part/24" >>"$work/log" 2>&1 || failed_in "$work/log"
    parts=$((parts + 1)) part=$((part % 24 + 1))
done
cat "$work/log" >&2
[ "$(here --quick)" = "$golden" ] || failed "the quick fingerprint is not $golden"
fields='swell morse vortex spring_damper'
for field in $fields; do
    cmake --build "$root/build/release" --parallel "$jobs" --target "field_${field}_plugin" >&2 || failed "the field $field does not build"
    "$program" verify --quick --part 1/4 --field "$root/build/release/tests/libfield_${field}_plugin.so" >"$work/field.log" 2>&1 ||
        failed_in "$work/field.log" "$field: "
done
[ "$(values)" -ge $least ] || failed "$(values) values compared, expected $least"
proved "$(count_values "$work/log") ($parts of 24 parts), fingerprint $golden of the quick plan; custom fields $fields"
