#!/bin/sh
# docs.sh SOURCE PROGRAM checks that the pages hold the tables that the program prints today: docs/methods/methods.md its measurements,
# docs/use/interactions.md the choices that go together, docs/use/forces.md the fields by name. Every method must be described, links must
# lead somewhere, and prose must be short and plain (prose.awk).
set -eu
source=$1 program=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
die() { echo "docs: $*" >&2; exit 1; }

# held NAME PAGE checks that the text between <!-- NAME --> and <!-- /NAME --> of the page is $scratch/now.
held() {
    sed -n "/^<!-- $1 -->\$/,/^<!-- \\/$1 -->\$/p" "$source/$2" | sed '1d;$d' >"$scratch/written"
    [ -s "$scratch/now" ] && diff "$scratch/written" "$scratch/now" || die "$2 is not up to date: tools/dev docs"
}
sh "$source/tools/kickdrift/which_table.sh" "$program" >"$scratch/now"
held table docs/methods/methods.md
"$program" methods --system >"$scratch/now"
held system docs/use/interactions.md
"$program" fields --markdown >"$scratch/now"
held fields docs/use/forces.md
! grep -n '| ? |$' "$scratch/now" || die "a field has no formula: tools/kickdrift/fields.c"

# Every method must be described under its name in bold.
"$program" methods | awk 'NR > 1 && NF == 0 { exit } NR > 1 { print $1 }' >"$scratch/names"
tr -s '\n ' ' ' <"$source/docs/methods/methods.md" | grep -o '\*\*[a-z][a-z0-9, -]*\*\*' | tr -d '*' | awk '{ n = split($0, part, /, /); stem = part[1]; sub(/-[0-9a-z]*$/, "", stem)
    for (i = 1; i <= n; i++) print (part[i] ~ /^-/) ? stem part[i] : part[i] }' | sort -u >"$scratch/described"
while read -r name; do
    grep -qx -e "$name" "$scratch/described" || die "docs/methods/methods.md does not describe $name"
done <"$scratch/names"

pages=$(cd "$source" && echo README.md CONTRIBUTING.md CHANGELOG.md bench/README.md bench/measured.md docs/*/*.md)
# Links lead to files and to headings. The anchor of a heading is its text in small letters without signs, with hyphens for blanks.
for page in $pages; do
    folder=$(dirname "$page")
    awk '/^```/ { code = !code; next } !code' "$source/$page" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^https\{0,1\}:' >"$scratch/links" || true
    while read -r link; do
        file=${link%%#*}
        to=$source/$page
        [ -z "$file" ] || to=$source/$folder/$file
        [ -e "$to" ] || die "$page: no file $file, to which it links"
        case $link in
        *.md\#* | \#*)
            awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); print tolower($0) }' "$to" | sed "s/[^a-z0-9 _é-]//g; s/ /-/g" |
                grep -qxF -e "${link#*#}" || die "$page: no heading ${link#*#} in ${file:-the page}" ;;
        esac
    done <"$scratch/links"
done

(cd "$source" && awk -f tests/prose.awk $pages) >&2 || die "prose that docs/internals/style.md rules out"
