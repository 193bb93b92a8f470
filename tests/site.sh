#!/bin/sh
# site.sh SOURCE PROGRAM LIBRARY... checks that `tools/dev site` makes the site without a warning, with one experiment. No link may be dead,
# and every public name must have an anchor. Planted mistakes must be found: a dead link, a link to no heading, a name without its anchor.
# The script exits with 77, skipped, and names the packages that are missing.
set -eu
source=$1 program=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() { echo "site: $*" >&2; exit 1; }
for python in python3 /usr/bin/python3 none; do
    ! "$python" -c 'import sphinx, myst_parser, furo' 2>/dev/null || break
done
[ "$python" != none ] || { echo "site: no Python that imports sphinx, myst_parser and furo (Debian: python3-sphinx python3-myst-parser furo), skipped"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1

mkdir -p "$work/experiments" "$work/extra/experiments"
"$program" experiment e1 --quick --json >"$work/experiments/e1.json"
echo '<!doctype html><title>pictures</title>' >"$work/experiments/index.html"
cp "$work/experiments/index.html" "$work/extra/experiments"
"$source/tools/site/make" "$python" "$source" "$work/made" "$work/experiments" "$work/extra" >"$work/log" 2>&1 || die "the site was not made: $(cat "$work/log")"
[ ! -s "$work/log" ] || die "a warning: $(cat "$work/log")"
"$python" "$source/tests/site.py" "$work/made/html" "$source" "$@" || die "see above"

# All mistakes are planted at once, and site.py must name each.
sed -i 's/particles\.html/particlez.html/; s/<\/article>/<a href="particles.html#nowhere">x<\/a><\/article>/' "$work/made/html/docs/use/quickstart.html"
sed -i 's/id="kdr_particles_move"/id="other"/' "$work/made/html/include/kickdrift/particles.h.html"
echo 'import "x";' >>"$work/made/html/_static/scripts/furo.js"
! "$python" "$source/tests/site.py" "$work/made/html" "$source" >"$work/log" 2>&1 || die "did not find mistakes that were planted"
for found in 'quickstart.html: no file docs/use/particlez.html' 'quickstart.html: no anchor nowhere' 'particles.h: no anchor for kdr_particles_move' 'furo.js: a module'; do
    grep -qF "$found" "$work/log" || die "did not find '$found', but $(cat "$work/log")"
done
