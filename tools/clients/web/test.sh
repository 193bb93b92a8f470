#!/bin/sh
# test.sh ROOT PAGE: opens the built page in Chromium (test.mjs). npm fetches playwright-core, which drives it, into build/node. Pictures go
# to build/web-pictures. Exit status 77: there is no npm or no Chromium.
set -eu
root=$1 page=$2
for program in npm node chromium; do
    command -v $program >/dev/null || { echo "web: no $program"; exit 77; }
done
[ -d "$root/build/node/node_modules/playwright-core" ] ||
    npm install --silent --no-audit --no-fund --prefix "$root/build/node" playwright-core@1.56.1 >&2
exec node "$root/tools/clients/web/test.mjs" "$root/build/node/node_modules/playwright-core" "$page" "$root/build/web-pictures"
