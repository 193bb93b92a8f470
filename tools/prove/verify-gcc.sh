# Every backend against the reference, with the compiler of build/release: two thirds of the default plan, others with each commit, which are more than a
# thousand million values; and with each custom field of the tests.
. "$root/tools/prove/common.sh"
least=1000000000
left_out=$(turn 3)
: >"$work/log"
for third in 1 2 3; do
    [ "$third" -eq "$left_out" ] || "$program" verify --part "$third/3" >>"$work/log" 2>&1 || failed "$(tail -n 1 "$work/log")"
done
cat "$work/log" >&2
[ "$(here --quick)" = "$golden" ] || failed "the quick fingerprint is not $golden"
fields='swell morse vortex spring_damper'
for field in $fields; do
    cmake --build "$root/build/release" --parallel "$jobs" --target "field_${field}_plugin" >&2 || failed "the field $field does not build"
    "$program" verify --quick --part 1/4 --field "$root/build/release/tests/libfield_${field}_plugin.so" >"$work/field.log" 2>&1 ||
        failed "$field: $(tail -n 1 "$work/field.log")"
done
values=$(awk '/^[0-9]+ values compared$/ { sum += $1 } END { printf "%d", sum }' "$work/log")
[ "$values" -ge $least ] || failed "$values values compared, expected $least"
proved "$(count_values "$work/log") (all but part $left_out/3), fingerprint $golden of the quick plan; custom fields $fields"
