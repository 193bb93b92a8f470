// speed.mjs NATIVE MODULE [MODULE]: measures hot rows of the backends of WebAssembly next to those of this processor, a native row and the
// module's in turn. NATIVE is the program web_speed. Prints ratios, a column for each module.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { load } from './module.mjs';

const [native, ...files] = process.argv.slice(2);
const modules = await Promise.all(files.map(file => load(readFileSync(file))));
const METHODS = ['semi-implicit-euler', 'velocity-verlet', 'rk4'];
const SSE2 = 2, AVX2 = 3, SIMD128 = 6, RELAXED = 7, FUSED = 0, UNFUSED = 1;
console.log('method               field        real  wasm/native of each module');
for (const [arithmetic, wasm, other, name] of [[UNFUSED, SIMD128, SSE2, 'simd128 of sse2, unfused'], [FUSED, RELAXED, AVX2, 'relaxed of avx2, fused']]) {
    console.log(name);
    for (const real of [0, 1]) {
        for (const field of [0, 1]) {
            for (const [number, method] of METHODS.entries()) {
                const best = modules.map(() => 0);
                let theirs = 0;
                for (let round = 0; round < 3; ++round) {
                    theirs = Math.max(theirs, +execFileSync(native, [number, field, real, arithmetic, other].map(String)));
                    modules.forEach((module, i) => { best[i] = Math.max(best[i], module.speed(number, field, real, arithmetic, wasm)); });
                }
                console.log(method.padEnd(20), ['spring-drag', 'centre'][field].padEnd(12), ['f32', 'f64'][real],
                    ' ', ...best.map(rate => (rate / theirs).toFixed(2).padStart(6)));
            }
        }
    }
}
