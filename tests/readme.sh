#!/bin/sh
# readme.sh SOURCE PROGRAM checks that README.md is one page, and that the scenes and sessions of all pages run as they are written there. A
# session is a text block that begins with "$ ". Its commands are run in a folder per page, and must print what stands below them. The scene
# above a command has the name that the command gives it. A csv block is a file, too. Scenes without a session are parts: they run with the
# missing keys added. (The README's C example is tested by consumer.sh, the programs of the other pages by embedding.sh.)
set -eu
source=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KDR_BACKEND
mkdir "$work/bin"
ln -s "$program" "$work/bin/kickdrift"
PATH=$work/bin:$PATH
die() { echo "readme: $*" >&2; exit 1; }
[ "$(wc -l <"$source/README.md")" -le 150 ] && [ "$(wc -c <"$source/README.md")" -le 9216 ] || die "README.md is longer than 150 lines or 9 KB"

# The scene of the README's picture is the one that the page shows.
grep -v '^#' "$source/docs/images/rosettes.yaml" >"$work/scene"
awk '/^```yaml$/ { inside = 1; next } /^```/ { if (inside) exit } inside' "$source/docs/program/scenes.md" | cmp -s - "$work/scene" ||
    die "docs/program/scenes.md begins with another scene than docs/images/rosettes.yaml"

# plain FILE prints the file without what differs from one run to the next: times, rates, the backend.
plain() { sed -E 's/^(backend +).*/\1/; s/^(evaluations +[0-9]+) in .*/\1/' "$1"; }

sessions=0 parts=0
for page in "$source"/README.md "$source"/docs/*/*.md; do
    name=${page#"$source"/}
    folder=$work/$(echo "$name" | tr / -)
    mkdir "$folder"
    cp "$source/tools/scenes/asteroids.csv" "$folder"
    cd "$folder"
    # The blocks are written to n.yaml, n.csv and n.text, and `order` has one line "n kind" for each.
    awk '/^```(yaml|csv|text)$/ { inside = 1; n++; kind = substr($0, 4); print n, kind > "order"; next }
         /^```/ { inside = 0 }
         inside { print > (n "." kind) }' "$page"
    [ -e order ] || continue
    scene=
    while read -r n kind; do
        case $kind in
        yaml) [ -z "$scene" ] || echo "$scene" >>parts; scene=$n.yaml ;;
        csv) file=$n.csv ;;
        text)
            head -n 1 "$n.text" | grep -q '^\$ kickdrift \(run\|resume\|diff\)' || continue
            # The scene gets the name that the command gives it, and so does a file that the scene reads.
            called=$(sed -n 's/^\$ kickdrift run \([a-z0-9-]*[.]yaml\).*/\1/p' "$n.text" | head -n 1)
            if [ -n "$called" ] && [ -n "$scene" ]; then
                cp "$scene" "$called"
                read_by_scene=$(sed -n 's/^particles: {file: \([a-z]*[.]csv\)}.*/\1/p' "$called")
                if [ -n "$read_by_scene" ] && [ -n "${file-}" ]; then cp "$file" "$read_by_scene"; fi
                scene=
            fi
            grep '^\$ ' "$n.text" | while read -r _ command; do
                printf '$ %s\n' "$command"
                sh -c "$command" || echo "status $?"
            done >"$n.got" 2>&1
            plain "$n.text" >"$n.wanted"
            plain "$n.got" >"$n.plain"
            diff "$n.wanted" "$n.plain" || die "$name: a session prints something else"
            echo "$n" >>sessions ;;
        esac
    done <order
    [ -z "$scene" ] || echo "$scene" >>parts
    [ ! -e sessions ] || sessions=$((sessions + $(wc -l <sessions)))
    [ -e parts ] || continue
    while read -r file; do
        awk -v base="${file%.yaml}" 'BEGIN { part = 1 } /^---$/ { part++; next } { print > (base "-" part ".yaml") }' "$file"
        for part in "${file%.yaml}"-*.yaml; do
            grep -q '^\(particles\|system\|distances\):' "$part" || printf 'particles: {state: [{x: [1, 0, 0], v: [0, 1, 0]}]}\n' >>"$part"
            grep -q '^forces:' "$part" || printf 'forces: []\n' >>"$part"
            grep -q '^method:' "$part" || printf 'method: velocity-verlet\n' >>"$part"
            grep -q '^dt:' "$part" || printf 'dt: 0.001\n' >>"$part"
            grep -q '^steps:' "$part" || printf 'steps: 2\n' >>"$part"
            "$program" run "$part" >log 2>&1 || { cat "$part" log >&2; die "$name: a scene does not run"; }
        done
        parts=$((parts + 1))
    done <parts
done
echo "readme: $sessions sessions and $parts blocks of scenes run"
[ "$sessions" -ge 8 ] && [ "$parts" -ge 4 ] || die "expected more sessions and scenes"
