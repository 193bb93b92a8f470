#!/bin/sh
# engine.sh SOURCE PROGRAM checks that the program shown in docs/internals/engine.md is what the command above it prints. Every file that
# the pages of docs/internals and CONTRIBUTING.md name must exist.
set -eu
source=$1 program=$2
doc=$source/docs/internals/engine.md
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset KDR_BACKEND

sed -n '/^<!-- program -->$/,/^<!-- \/program -->$/p' "$doc" | sed '/^<!--/d; /^```/d' >"$scratch/shown"
command=$(sed -n '1s/^\$ kickdrift //p' "$scratch/shown")
[ -n "$command" ] || { echo "engine: $doc shows no command" >&2; exit 1; }
sed -i 1d "$scratch/shown"
# shellcheck disable=SC2086 # The command is a list of words.
if ! "$program" $command >"$scratch/printed" 2>/dev/null; then
    # Other processors have another tile and another instance. Everything from the rows on must be the same.
    # shellcheck disable=SC2086
    "$program" $(echo "$command" | sed 's/--backend [a-z0-9]*/--backend scalar/') >"$scratch/printed"
    for file in shown printed; do sed -i '1,/^rows of the tile$/d' "$scratch/$file"; done
fi
[ -s "$scratch/printed" ] && diff "$scratch/shown" "$scratch/printed" || { echo "engine: $doc is not up to date: kickdrift $command" >&2; exit 1; }

cat "$doc" "$source"/docs/internals/*.md "$source/CONTRIBUTING.md" | grep -o '`[A-Za-z_./-]*/[A-Za-z0-9_./-]*`' | tr -d '`' | grep -v "^build/" | sort -u >"$scratch/files"
[ "$(wc -l <"$scratch/files")" -ge 40 ] || { echo "engine: too few files are named" >&2; exit 1; }
while read -r file; do
    [ -e "$source/$file" ] || { echo "engine: $file is named, and is not there" >&2; exit 1; }
done <"$scratch/files"
