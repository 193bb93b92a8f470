#!/bin/sh
# verify.sh PROGRAM checks `kickdrift verify`. The cases must be equal on every backend. The fingerprint must depend neither on the backend
# nor on the number of threads. Wrong requests must be refused in one line. One thirty-second of the default plan runs on all backends,
# another part each day. The test `equality` runs every value of every axis, with every method and backend.
set -eu
program=$1
unset KDR_BACKEND KDR_SEED
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

die() {
    echo "verify.sh: $*" >&2
    cat "$scratch/out" "$scratch/err" >&2
    exit 1
}

# with ASSIGNMENT STATUS ARGUMENTS... runs verify with this environment variable. Standard output and standard error are in $scratch.
with() {
    assignment=$1
    wanted=$2
    shift 2
    status=0
    env "$assignment" "$program" verify "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" -eq "$wanted" ] || die "verify $*: expected exit status $wanted, got $status"
    [ "$wanted" -eq 2 ] || [ ! -s "$scratch/err" ] || die "verify $*: expected nothing on stderr in a pipe"
    [ "$wanted" -ne 2 ] || [ "$(wc -l <"$scratch/err")" -eq 1 ] || die "verify $*: expected one line on stderr"
}

expect() { with KDR_SEED= "$@"; }

# The backends that are compared are those that can run on this machine, no more and no fewer.
expect 0 --quick --part 1/400
awk '$1 == "backend" { table = 1; next } table && NF == 0 { exit } table && $3 == "yes" { print $1 }' >"$scratch/runnable" <<END
$("$program" cpu)
END
awk '$1 == "backend" { table = 1; next } table && NF == 5 && $2 ~ /^[1-9][0-9]*$/ && $3 > 0 { print $1 }' "$scratch/out" >"$scratch/held"
[ -s "$scratch/runnable" ] && cmp -s "$scratch/runnable" "$scratch/held" ||
    die "expected the backends that run here, $(tr '\n' ' ' <"$scratch/runnable"), found $(tr '\n' ' ' <"$scratch/held")"

fingerprint() {
    grep -o 'fingerprint"*:* *"*[0-9a-f]\{16\}' "$scratch/out" | grep -o '[0-9a-f]\{16\}' | sort -u
}

day=$(date +%j)
expect 0 --part $((${day#"${day%%[!0]*}"} % 32 + 1))/32
cat "$scratch/out"

expect 0 --quick --method velocity-verlet
constant=$(fingerprint)
[ "$(echo "$constant" | wc -w)" -eq 1 ] || die "expected one fingerprint"
expect 0 --quick --method velocity-verlet --backend scalar
[ "$(fingerprint)" = "$constant" ] || die "expected the fingerprint $constant of the scalar backend"
for threads in 1 2 7; do
    expect 0 --quick --method velocity-verlet --backend scalar --threads "$threads"
    [ "$(fingerprint)" = "$constant" ] || die "expected the fingerprint $constant on $threads threads"
done
expect 0 --quick --method velocity-verlet --json
[ "$(grep -o '^  "fingerprint": "[0-9a-f]*' "$scratch/out" | grep -o '[0-9a-f]\{16\}')" = "$constant" ] || die "expected the fingerprint $constant as JSON"
grep -q "\"velocity-verlet\": \"$constant\"" "$scratch/out" || die "expected the fingerprint of the one method to be that of all"
grep -q '"shipped": true' "$scratch/out" || die "expected the results to be those that were shipped"
with KDR_BACKEND=scalar 0 --quick --method velocity-verlet
[ "$(fingerprint)" = "$constant" ] || die "expected the fingerprint $constant with KDR_BACKEND=scalar"
if grep -q -e avx -e sse -e neon "$scratch/out"; then die "KDR_BACKEND=scalar: expected the scalar backend alone"; fi

expect 0 --quick --method velocity-verlet --backend scalar --seed 5
five=$(fingerprint)
[ "$five" != "$constant" ] || die "expected another fingerprint of another seed"
grep -q '; of this seed there is none shipped with ' "$scratch/out" || die "expected to be told that nothing is compared"
with KDR_SEED=5 0 --quick --method velocity-verlet --backend scalar
[ "$(fingerprint)" = "$five" ] || die "expected KDR_SEED=5 to be --seed 5"

# The results are compared with those that were shipped with this version, in every plan of the default seed.
version=$("$program" --version | awk 'NR == 1 { print $2 }')
expect 0 --quick --method velocity-verlet --backend scalar
grep -q "^fingerprint [0-9a-f]\{16\}, that of $version\$" "$scratch/out" || die "expected the fingerprint to be that of $version: tools/check/shipped.c"
expect 0 --method gravity --backend scalar
grep -q "^fingerprint [0-9a-f]\{16\}; of the quick cases, that of $version\$" "$scratch/out" || die "expected the quick cases to be those of $version"
# If one row of the shipped results is changed, verify names the method, on the backend that was asked for.
if command -v perl >/dev/null; then
    CONSTANT=$constant perl -0777 -pe 'BEGIN { $row = reverse pack("H16", $ENV{CONSTANT}) } s/\Q$row\E/"other..."/eg' "$program" >"$scratch/other"
    chmod +x "$scratch/other"
    status=0
    "$scratch/other" verify --quick --method velocity-verlet --backend scalar >"$scratch/out" 2>"$scratch/err" || status=$?
    [ "$status" -eq 1 ] || die "results that were not shipped: expected exit status 1, got $status"
    grep -q "^not shipped with $version: method velocity-verlet on scalar, .* got $constant\$" "$scratch/out" || die "expected the method to be named"
    grep -q "^all bits equal, and NOT THOSE SHIPPED" "$scratch/out" || die "expected the results to be called others"
fi
for other in "--seed 5" "--part 1/40"; do
    # shellcheck disable=SC2086 # This is an option and its value.
    expect 0 --quick --method velocity-verlet --backend scalar $other
    if grep -q "that of" "$scratch/out"; then die "$other: expected no comparison"; fi
done

expect 2 --backend mmx
expect 2 --method leap
for part in 0/2 3/2 2 1/ 1/2x x; do
    expect 2 --part "$part"
done
expect 2 --threads 0
expect 2 --seed -1
expect 2 --seed
expect 0 --quick --method own-fractions
expect 0 --quick --method gravity
expect 2 --method gravity --field nowhere.so
grep -q "no field acts in cases of gravity; take a method, or system" "$scratch/err" || die "expected a field and gravity to be refused together"
expect 2 --fast
expect 2 something
with KDR_SEED=x 2 --quick
with KDR_BACKEND=mmx 2 --quick
