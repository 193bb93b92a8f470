# Checks metamorphic relations over random pairs of features: two runs must agree. It shows faults that kernels and reference share. It
# takes ten minutes. It is not in the quick part, because some cases of other seeds still fail where rounding decides. Each job draws its
# own cases, others with each commit. RELATIONS_SECONDS sets another time. `python3 tests/relations --list`, with the environment of
# tests/relations.sh, prints the relations.
. "$root/tools/prove/common.sh"
python3 -c 'import numpy' 2>/dev/null || /usr/bin/python3 -c 'import numpy' 2>/dev/null || not_run "no Python with NumPy here"
relations() {
    sh "$root/tests/relations.sh" "$root" "$root/build/release" "$root/build/release/src/libkickdrift.so" "$program" "$@"
}
control 'a relation that holds' relations --only calls_of_one_step --seconds 1
canary 'second runs that are wrong by little' relations --only calls_of_one_step --seconds 1 --wrong
canaries_end
$quick && seconds=60 fields='' || seconds=600 fields='swell morse vortex spring_damper'
for field in $fields; do
    cmake --build "$root/build/release" --parallel "$jobs" --target "field_${field}_plugin" >&2 || failed "the field $field does not build"
done
status=0
relations --seed "$(turn 100000000)" --seconds "${RELATIONS_SECONDS:-$seconds}" --jobs "$jobs" >"$work/out" || status=$?
cat "$work/out" >&2
case $status in
0) proved "$(tail -n 1 "$work/out")" ;;
77) not_run "no Python with NumPy here" ;;
*) failed "$(tail -n 1 "$work/out")" ;;
esac
