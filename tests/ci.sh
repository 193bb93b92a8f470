#!/bin/sh
# ci.sh SOURCE runs .ci/run with programs that only write down how they are called. All of its stages must be there. It must fail where any
# stage fails, where clang gives other bits, and where a test is skipped that tests/may-skip does not name.
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "ci.sh: $*" >&2; cat "$work/out" >&2; exit 1; }
mkdir -p "$work/.ci" "$work/tools" "$work/tests" "$work/build/ci-clang/tools" "$work/bin"
cp "$source/.ci/run" "$work/.ci"
cat >"$work/bin/stub" <<'END'
#!/bin/sh
call="${0##*/} $*"
printf '%s\n' "$call" >>"$calls"
if [ -n "$fails" ]; then case $call in "$fails"*) exit 1 ;; esac; fi
case $call in
git*) echo 1234567 ;;
ctest*--show-only*) for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do echo "  Test #$n: test$n"; done ;;
'kickdrift verify'*) echo "fingerprint 0123456789abcdef$bits" ;;
'dev test') printf '%s\n' '1/2 Test #1: one ....   Passed 1 sec' "2/2 Test #2: two ....$two 2 sec" '' '100% tests passed, 0 tests failed out of 2' 'Total Test time (real) = 3 sec' ;;
esac
END
chmod +x "$work/bin/stub"
for program in git cmake ctest; do ln -s stub "$work/bin/$program"; done
ln -s ../bin/stub "$work/tools/dev"
ln -s ../bin/stub "$work/tools/words"
ln -s ../../../bin/stub "$work/build/ci-clang/tools/kickdrift"

# run STATUS runs it with the variables fails, bits, two and may, and checks the status. The calls are in $work/calls.
run() {
    : >"$work/calls"
    printf '# a reason\n%s\n' "$may" >"$work/tests/may-skip"
    status=0
    PATH=$work/bin:$PATH calls=$work/calls fails=$fails bits=$bits two=$two "$work/.ci/run" >"$work/out" 2>&1 || status=$?
    [ "$status" -eq "$1" ] || die "fails '$fails', bits '$bits', second test '$two': expected status $1, got $status"
}
fails='' bits=', that of 1.0.0' two='   Passed' may=''
run 0
[ "$(tail -n 1 "$work/out")" = 'Total Test time (real) = 3 sec' ] || die "expected ctest's closing lines to be the last"
grep -q '^0 tests are skipped$' "$work/out" || die "expected the number of tests that are skipped"
# This leaves out what differs with each commit.
sed -n 's/^\(dev setup\|kickdrift\|cmake\|ctest\|dev\|words\) */\1 /p' "$work/calls" | sed 's/ -DKICKDRIFT_[^ ]*//g; s/ --parallel [0-9]*//; s/ test_test[0-9]*//g; s/ --exclude-regex .*//; s/\(--tests-regex ^(\)test.*/\1/; s/ [1-6]\/6$//' >"$work/done"
sort "$work/done" >"$work/sorted"
sort >"$work/stages" <<'END'
dev setup all
dev setup cross
cmake --fresh --preset ci-clang
cmake --build build/ci-clang --target kickdrift_program
kickdrift verify --quick
ctest --test-dir build/ci-clang --show-only
cmake --build build/ci-clang --target
ctest --preset ci-clang --tests-regex ^(
dev build
cmake --fresh --preset bare
cmake --build build/bare --target kickdrift_program test_checkpoints test_streams test_scenes_files test_resume
ctest --preset bare --tests-regex ^(checkpoints|streams|scenes_files|resume|ranks_run_.*)$
dev cross --quick
dev prove --quick
dev lint all
words --commits
dev test
END
cmp -s "$work/stages" "$work/sorted" || { diff "$work/stages" "$work/sorted" >"$work/out" || true; die "the stages are not those of this list"; }
[ "$(tail -n 1 "$work/done")" = 'dev test' ] || die "expected the tests to be last"

# Each stage that fails makes the run fail, except the stages that other processors need, which report this themselves. A program that is
# asked for tests has no other end.
while read -r fails; do
    run 1
done <<'END'
dev setup all
cmake --fresh --preset ci-clang
cmake --build build/ci-clang
kickdrift verify
ctest --preset ci-clang
dev build
cmake --fresh --preset bare
cmake --build build/bare
ctest --preset bare
dev cross
dev prove
words --commits
dev lint
dev test
END
fails='' bits=', NOT that of 1.0.0'
run 1
bits=''
run 1
bits=', that of 1.0.0' two='***Skipped'
run 1
grep -q '^FAILED: tests/may-skip does not name two$' "$work/out" || die "expected the test to be named"
may='two  a reason'
run 0
grep -q '^1 tests are skipped: two$' "$work/out" || die "expected the test that is skipped to be named"
echo "ci: $(wc -l <"$work/stages") stages, and what fails makes .ci/run fail"
