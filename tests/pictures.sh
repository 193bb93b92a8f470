#!/bin/sh
# pictures.sh SOURCE PROGRAM: each picture of a page is there, is small, and is what the commands below it draw: they run, and leave a picture of its name.
# The benchmark's is left out, since it measures for minutes; experiments are shortened. Where no Python has matplotlib, nothing is drawn: 77, skipped.
set -eu
source=$(cd "$1" && pwd) program=$2
unset KDR_BACKEND
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "pictures: $*" >&2; exit 1; }
most=200000 # bytes

cd "$source"
for page in README.md docs/*/*.md; do
    grep -o '^!\[[^]]*\]([^)]*)' "$page" | sed 's/.*(//; s/)$//; s/^\.\.\///; s/^images/docs\/images/' | while read -r picture; do echo "$picture $page"; done
done >"$work/pictures"
[ "$(wc -l <"$work/pictures")" -ge 6 ] || die "expected six pictures in the pages"
for file in docs/images/*.png docs/images/*.svg; do
    grep -q "^$file " "$work/pictures" || die "$file is in no page"
done
while read -r picture page; do
    [ -s "$picture" ] || die "$page: $picture is not there"
    [ "$(wc -c <"$picture")" -lt $most ] || die "$picture has $(wc -c <"$picture") bytes, expected fewer than $most"
    # Its commands are the first block of sh after it that names it.
    awk -v name="$picture" -v file="${picture##*/}" 'index($0, "/" file ")") && /^!\[/ { seen = 1 } seen && /^```sh$/ { inside = 1; block = ""; next }
        /^```/ { if (inside && index(block, name)) { printf "%s", block; exit } inside = 0 } inside { block = block $0 "\n" }' "$page" >"$work/${picture##*/}.commands"
    [ -s "$work/${picture##*/}.commands" ] || die "$page: no command below $picture draws it"
done <"$work/pictures"

for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import matplotlib' 2>/dev/null || break
done
[ "$python" != none ] || { echo "pictures: no matplotlib, skipped"; exit 77; }
mkdir -p "$work/bin" "$work/tree/docs/images"
ln -s "$source/tools" "$work/tree/tools"
cp docs/images/*.yaml docs/images/*.awk "$work/tree/docs/images"
cat >"$work/bin/kickdrift" <<END
#!/bin/sh
case \$1 in experiment) exec "$program" "\$@" --quick ;; plot) export KICKDRIFT_PLOT="$source/tools/plot" ;; esac
exec "$program" "\$@"
END
chmod +x "$work/bin/kickdrift"
PATH=$work/bin:$PATH
cd "$work/tree"
drawn=0
while read -r picture page; do
    commands=$work/${picture##*/}.commands
    ! grep -q 'kickdrift bench' "$commands" || continue
    sh -e "$commands" >"$work/log" 2>&1 || { cat "$work/log" >&2; die "$page: the commands below $picture fail"; }
    [ -s "$picture" ] || die "$page: its commands do not make $picture"
    cut=$(head -c 4 "$picture" | tail -c 3)
    [ "$cut" = PNG ] || die "$picture is no PNG"
    [ "$(wc -c <"$picture")" -lt $most ] || die "$picture becomes too large"
    drawn=$((drawn + 1))
done <"$work/pictures"
echo "pictures: $drawn drawn"
[ $drawn -ge 5 ]
