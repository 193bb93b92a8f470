#!/bin/sh
# manners.sh PART SOURCE PROGRAM PAGES checks that the program's texts about itself are complete, because they are made from its tables. The
# PARTs are `help` and `version`; `manual`, the pages in the folder PAGES, as groff and mandoc read them; `bash`, `zsh` and `fish`, the
# completions, asked as the shells ask; `json`, the output of --json, checked with tools/schema. The script exits with 77, skipped, and
# names the package that is missing.
set -eu
part=$1 source=$2 program=$3 pages=${4-}
unset KDR_BACKEND COLUMNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "manners: $*" >&2; exit 1; }
skip() { echo "manners: $1 is not here (Debian: $2), skipped"; exit 77; }
mkdir "$work/bin" "$work/here"
ln -s "$program" "$work/bin/kickdrift"
PATH=$work/bin:$PATH
cd "$work/here"
touch a.yaml b.csv
mkdir folder

commands=$(kickdrift --help | awk '/^commands:/ { inside = 1; next } /^$/ { inside = 0 } inside && /^  [a-z]/ { print $1 }')
[ "$(echo "$commands" | wc -l)" -ge 12 ] || die "expected at least 12 commands in --help, got" $commands
options_of() { kickdrift help "$1" | awk '/^options:/ { inside = 1 } inside && /^  --/ { sub(/[[ ].*/, "", $1); print $1 }'; }
pages_there() { [ -n "$pages" ] && [ -f "$pages/$1" ] || { echo "manners: a build without install rules, or for another system, has no $1, skipped"; exit 77; }; }

case $part in
help)
    # No line is wider than the terminal where it can be broken between words. The width neither loses nor adds anything.
    for command in $commands; do
        kickdrift help "$command" | tr -s ' \n' ' ' >"$work/words"
        for width in 40 60 80 120; do
            COLUMNS=$width kickdrift help "$command" >"$work/help"
            tr -s ' \n' ' ' <"$work/help" | cmp -s - "$work/words" || die "help $command: $width columns have other words"
            awk -v width=$width 'length > width && $2 != "" && !/^ *usage/ && !/^  --/ { print; wrong = 1 }' "$work/help" >"$work/wide" && continue
            die "help $command: wider than $width columns: $(cat "$work/wide")"
        done
        [ "$(COLUMNS=60 kickdrift help "$command" | wc -l)" -gt "$(COLUMNS=120 kickdrift help "$command" | wc -l)" ] || [ "$command" = cpu ] ||
            die "help $command: as many lines in 60 columns as in 120"
    done
    for width in 0 -3 x 1e9 99999999999999999999; do
        COLUMNS=$width kickdrift help diff >"$work/odd"
        COLUMNS=80 kickdrift help diff | cmp - "$work/odd" || die "COLUMNS=$width: expected the text of 80 columns"
    done
    # The program asks a terminal for its width.
    if command -v script >/dev/null; then
        script -qec 'stty cols 50; kickdrift help verify' /dev/null </dev/null | tr -d '\r' >"$work/seen"
        COLUMNS=50 kickdrift help verify | cmp - "$work/seen" || die "a terminal of 50 columns: expected its width"
    fi
    ;;
version)
    kickdrift --version >"$work/version"
    kickdrift -V | cmp - "$work/version" || die "-V: expected what --version prints"
    sed -n 1p "$work/version" | grep -qx 'kickdrift [0-9.]*' || die "expected kickdrift and its number in the first line"
    chosen=$(kickdrift cpu --json | sed -n 's/^  "chosen": "\(.*\)",$/\1/p')
    for line in "backend      $chosen, fused arithmetic .*" 'kernels      scalar.*' 'compiler     \(gcc\|clang\) [0-9].*' \
        'options      openmp o[nf]*, hdf5 o[nf]*, mpi o[nf]*, kernels.*'; do
        grep -qx "$line" "$work/version" || die "--version has no line '$line'"
    done
    KDR_BACKEND=scalar kickdrift --version | grep -q '^backend      scalar,' || die "KDR_BACKEND=scalar: expected the scalar backend"
    KDR_BACKEND=avx3 kickdrift --version | grep -q '^backend      none: .*avx3' || die "KDR_BACKEND=avx3: expected to be told that it is none"
    golden=$(sed -n 's/.*UINT64_C(0x\([0-9a-f]*\)).*/\1/p' "$source/tests/golden.h")
    grep -qx "fingerprint  $golden, shipped, of kickdrift verify --quick" "$work/version" || die "expected the fingerprint of tests/golden.h"
    ;;
manual)
    pages_there kickdrift.1
    command -v groff >/dev/null || skip groff groff-base
    for command in '' $commands; do
        page=$pages/kickdrift${command:+-$command}.1
        kickdrift help --man $command | cmp - "$page" || die "$page is not what kickdrift help --man $command prints"
        groff -man -Tascii -ww -rHY=0 -rLL=78n "$page" >"$work/text" 2>"$work/err" || die "groff refused $page"
        [ ! -s "$work/err" ] || die "$page: $(cat "$work/err")"
        sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' "$work/text" >"$work/plain"
        if command -v mandoc >/dev/null; then
            mandoc -T lint -W warning "$page" | grep -v 'missing date, using ""' >"$work/lint" && die "$page: $(cat "$work/lint")"
        fi
        for option in $([ -n "$command" ] && options_of "$command" || echo "--help --version $commands"); do
            grep -qE -e "^ +$option( |\$|\[)" "$work/plain" || die "$page does not explain $option"
        done
        [ -z "$command" ] || grep -q "kickdrift-$command(1)" "$work/program" || die "kickdrift.1 does not name kickdrift-$command"
        [ -n "$command" ] || cp "$work/plain" "$work/program"
    done
    [ "$(ls "$pages" | grep -c '[.]1$')" -eq "$(($(echo "$commands" | wc -l) + 1))" ] || die "expected a page for each command: $(ls "$pages")"
    ;;
bash | zsh | fish)
    case $part in bash) file=kickdrift ;; zsh) file=_kickdrift ;; fish) file=kickdrift.fish ;; esac
    pages_there $file
    command -v "$part" >/dev/null || skip "$part" "$part"
    kickdrift completion "$part" | cmp - "$pages/$file" || die "$file is not what kickdrift completion $part prints"
    # offered WORDS prints what the shell offers after the last word, one a line, without explanations.
    offered() { sh "$source/tests/completed.sh" "$part" "$pages/$file" "$1" 2>&1 | sort -u; }
    holds() {
        offered "$1" >"$work/offered"
        shift
        for word; do
            grep -qxF -e "$word" "$work/offered" || die "$part: expected $word, got $(tr '\n' ' ' <"$work/offered")"
        done
    }
    holds 'kickdrift ' help $commands
    holds 'kickdrift --v' --version
    for command in $commands; do
        holds "kickdrift $command --" $(options_of "$command")
        ! grep -q '^--version' "$work/offered" || die "$part: $command has no --version"
    done
    holds 'kickdrift run --method ' $(kickdrift methods --json | sed -n 's/^    "name": "\(.*\)",$/\1/p')
    holds 'kickdrift run --method ve' velocity-verlet velocity-verlet-pc vefrl
    ! grep -q rk4 "$work/offered" || die "$part: ve is not the beginning of rk4"
    holds 'kickdrift methods --real ' f32 f64
    [ "$part" = fish ] && before=--real= || before= # fish offers whole words.
    holds 'kickdrift methods --real=f' ${before}f32 ${before}f64
    holds 'kickdrift completion ' bash zsh fish
    holds 'kickdrift experiment ' list e1 ranking
    holds 'kickdrift help ' run diff
    holds 'kickdrift run ' a.yaml
    [ "$part" = fish ] || ! grep -qx b.csv "$work/offered" || die "$part: b.csv is no scene" # fish offers other files last.
    holds 'kickdrift diff a b' b.csv
    holds 'kickdrift run a.yaml --out b' b.csv
    holds 'kickdrift run a.yaml --steps '
    ! grep -qE 'yaml|csv|run' "$work/offered" || die "$part: expected nothing in the place of a number, got $(tr '\n' ' ' <"$work/offered")"
    ;;
json)
    for python in python3 /usr/bin/python3 none; do
        ! "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null || break
    done
    [ "$python" != none ] || skip "a Python that imports jsonschema" python3-jsonschema
    PYTHONDONTWRITEBYTECODE=1 "$python" "$source/tests/manners_json.py" "$source" "$program" "$work"
    ;;
*) die "expected help, version, manual, bash, zsh, fish or json, found $part" ;;
esac
