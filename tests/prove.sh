#!/bin/sh
# prove.sh SOURCE checks what tools/prove/run reports of proofs that end well, fail, print nothing, or cannot run. Its list of proofs must
# be that of the folder. Each proof must find its canaries, which are mistakes planted for it.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "prove.sh: $*" >&2; cat "$work/out" >&2; exit 1; }

listed=$(sed -n "s/^all='\(.*\)'/\1/p" "$source/tools/prove/run" | tr ' ' '\n' | sort)
there=$(for file in "$source"/tools/prove/*.sh; do basename "$file" .sh; done | grep -v '^common$' | sort)
: >"$work/out"
[ "$listed" = "$there" ] || die "the list in tools/prove/run is not that of the files beside it"
for name in $(grep -v '^#' "$source/tools/prove/may-not-run" | cut -d' ' -f1); do
    echo "$there" | grep -qx "$name" || die "may-not-run names $name, which is no proof"
done

mkdir -p "$work/tools/prove" "$work/tests"
cp "$source/tools/prove/run" "$source/tools/prove/common.sh" "$work/tools/prove"
cp "$source/tests/golden.h" "$work/tests"
fake() { printf '. "$root/tools/prove/common.sh"\n%s\n' "$2" >"$work/tools/prove/$1.sh"; }
fake well 'proved "12 things"'
fake badly 'failed "one differs"'
fake broken 'false; proved "nothing"'
fake silent ':'
fake nothing 'proved "0 cases, 0 values"'
fake unseen 'canary "a mistake" true; canaries_end; proved "12 things"'
fake seen 'control "what is right" true; canary "a mistake" false; canaries_end; proved "12 things"'
fake always 'control "what is right" false; canary "a mistake" false; canaries_end; proved "12 things"'
fake none 'canaries_end; proved "12 things"'
fake absent 'need a-program-that-is-not-there'
echo 'absent  a reason' >"$work/tools/prove/may-not-run"
# run STATUS NAME... runs these proofs and checks the status. The table is in $work/out.
run() {
    wanted=$1 status=0
    shift
    "$work/tools/prove/run" "$@" >"$work/out" 2>/dev/null || status=$?
    [ "$status" -eq "$wanted" ] || die "$*: expected status $wanted, got $status"
}
run 0 well absent
grep -q '^well  *proved  *[0-9]* s  12 things$' "$work/out" || die "expected the counts of what was proved"
grep -q '^absent  *not run  *[0-9]* s  no a-program-that-is-not-there here$' "$work/out" || die "expected the reason why it could not run"
run 1 well badly
grep -q '^badly  *FAILED  *[0-9]* s  one differs$' "$work/out" || die "expected what failed"
for proof in silent nothing; do
    run 1 $proof
    grep -q "^$proof  *FAILED .*it counts nothing" "$work/out" || die "expected a proof that counts nothing to have failed"
done
run 0 seen
for proof in unseen always none; do
    run 1 $proof
    grep -q "^$proof  *FAILED" "$work/out" || die "expected a proof without a canary that lives and dies as it must to have failed"
done
run 1 broken well
grep -q '^well  *proved' "$work/out" || die "expected the proofs behind one that fails"
: >"$work/tools/prove/may-not-run"
run 1 absent
grep -q 'may-not-run does not name it' "$work/out" || die "expected a proof that may not be absent to be named"
run 2 no-such-proof
run 2 --fast

# This runs each proof's canaries alone. Those of the planted mistakes build a tree: tools/prove/mutants.sh has them, and the list of judges
# has a test of its own.
for name in $there; do
    grep -q '^canaries_end$' "$source/tools/prove/$name.sh" || die "$name has no canary"
    [ "$name" != mutants ] || continue
    status=0
    mkdir -p "$work/canaries/$name"
    CANARIES_ONLY=1 root=$source work=$work/canaries/$name jobs=1 quick=true sh "$source/tools/prove/$name.sh" >"$work/out" 2>&1 || status=$?
    case $status in
    0) tail -n 1 "$work/out" | grep -q '^[1-9][0-9]* mistakes found$' || die "$name: expected its canaries alone" ;;
    77) echo "prove: $name: $(tail -n 1 "$work/out")" ;;
    *) die "$name: status $status" ;;
    esac
done
