# Every backend against the reference, with the compiler of build/release: sixths of the default plan until a thousand million values were compared, others
# first with each commit (of six, all four backends of x86-64 need four, and three need all); and with each custom field of the tests.
. "$root/tools/prove/common.sh"
least=1000000000
values() { awk '/^[0-9]+ values compared$/ { sum += $1 } END { printf "%d", sum }' "$work/log"; }
: >"$work/log"
sixths=0 sixth=$(turn 6)
while [ $sixths -lt 6 ] && [ "$(values)" -lt $least ]; do
    "$program" verify --part "$sixth/6" >>"$work/log" 2>&1 || failed_in "$work/log"
    sixths=$((sixths + 1)) sixth=$((sixth % 6 + 1))
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
proved "$(count_values "$work/log") ($sixths of six parts), fingerprint $golden of the quick plan; custom fields $fields"
