# Every backend against the reference, with the compiler of build/release; and with each custom field of the tests.
. "$root/tools/prove/common.sh"
most=1000000000
$quick && part="--part 1/8" || part=
# shellcheck disable=SC2086 # an option and its value
"$program" verify $part >"$work/log" 2>&1 || failed "$(tail -n 1 "$work/log")"
cat "$work/log" >&2
[ "$(here --quick)" = "$golden" ] || failed "the quick fingerprint is not $golden"
fields='swell morse vortex spring_damper'
for field in $fields; do
    cmake --build "$root/build/release" --parallel "$jobs" --target "field_${field}_plugin" >&2 || failed "the field $field does not build"
    "$program" verify --quick --part 1/4 --field "$root/build/release/tests/libfield_${field}_plugin.so" >"$work/field.log" 2>&1 ||
        failed "$field: $(tail -n 1 "$work/field.log")"
done
values=$(sed -n 's/^\([0-9]*\) values compared$/\1/p' "$work/log")
$quick || [ "$values" -ge $most ] || failed "$values values compared, expected $most"
proved "$(count_values "$work/log"), $(grep -o '^fingerprint [0-9a-f]*' "$work/log"); custom fields $fields"
