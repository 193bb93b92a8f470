// verify.mjs MODULE [verify --quick] [--backend NAME] [--part K/N]: does in node what `kickdrift verify --quick` does, and prints the same
// lines. The words `verify --quick` may be there, so that a script can call it as it calls the program. The module
// is verify.wasm of the preset wasm, or of wasm-relaxed, for which node 20 needs --experimental-wasm-relaxed-simd.
// Exit status: 0 when all bits are equal, 1 when some are not, 2 when the request was wrong.
import { readFileSync } from 'node:fs';
import { load } from './module.mjs';

const fail = text => {
    console.error(`verify.mjs: ${text}`);
    process.exit(2);
};
const [file, ...options] = process.argv.slice(2);
if (options[0] === 'verify' && options[1] === '--quick') options.splice(0, 2);
let wanted = '', part = 1, parts = 1;
if (!file) fail('expected MODULE [--backend NAME] [--part K/N], got nothing');
for (let i = 0; i < options.length; i += 2) {
    const [name, value] = options.slice(i, i + 2);
    const found = /^([1-9]\d*)\/([1-9]\d*)$/.exec(value);
    if (name === '--backend' && value) wanted = value;
    else if (name === '--part' && found && +found[1] <= +found[2]) [part, parts] = found.slice(1).map(Number);
    else fail(`expected --backend NAME or --part K/N, got ${name} ${value ?? ''}`);
}

const check = await load(readFileSync(file));
const began = performance.now();
const runners = [], skipped = [];
for (let b = 1; b <= check.backend_last(); ++b) {
    const name = check.text(check.backend_name(b)), reason = check.text(check.backend_reason(b));
    if (wanted && name !== wanted) continue;
    if (wanted && reason) fail(`backend: ${name} cannot run here: ${reason}`);
    if (reason) skipped.push(`${name.padEnd(10)} skipped: ${reason}`);
    else runners.push({ name, at: check.add_backend(b) });
}
if (!runners.length) fail(`backend: expected a name of a backend, got ${wanted}`);
if (!check.run(0, check.subjects(), part - 1, parts)) fail('out of memory');

const tally = (runner, what) => check.tally(runner.at, what);
console.log('backend         cases       values   mismatches    seconds');
for (const r of runners) {
    console.log(r.name.padEnd(10), ...[[0, 10], [1, 12], [2, 12]].map(([what, width]) => String(tally(r, what)).padStart(width)),
        tally(r, 3).toFixed(2).padStart(10));
    r.fingerprint = check.text(check.fingerprint(r.at));
    r.others = [...Array(check.subjects()).keys()].filter(s => parts === 1 && !check.is_shipped(r.at, s));
}
skipped.forEach(line => console.log(line));
const mismatches = runners.reduce((sum, r) => sum + tally(r, 2), 0);
if (mismatches) console.log(`mismatch: ${check.text(check.mismatch())}`);
if (runners.every(r => r.fingerprint === runners[0].fingerprint)) console.log(`fingerprint ${runners[0].fingerprint}`);
else runners.forEach(r => console.log(`fingerprint of ${r.name}: ${r.fingerprint}`));
for (const r of runners) {
    if (r.others.length) console.log(`not shipped: on ${r.name} ${r.others.map(s => check.text(check.subject_name(s))).join(', ')}`);
}
const others = runners.some(r => r.others.length);
console.log(`${mismatches ? 'NOT EQUAL' : others ? 'all bits equal, and NOT THOSE SHIPPED' : 'all bits equal'}, ` +
    `${((performance.now() - began) / 1e3).toFixed(2)} s`);
process.exitCode = mismatches || others ? 1 : 0;
