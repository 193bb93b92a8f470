// Steps a slice of the stars. Each message is a function's name and its arguments; the answer is what it returns.
import { load } from './module.mjs';

let stars, slice;

const done = failed => {
    if (failed) throw new Error(stars.text(stars.message()));
};

// The fingerprint's state in the module's memory.
const state = () => new Uint8Array(stars.memory.buffer, stars.state(), stars.state_size());

const functions = {
    async create({ module, count, begin, end, seed, real, arithmetic, backend, planted }) {
        stars ??= await load(module);
        slice = { size: end - begin, type: real === 1 ? Float64Array : Float32Array };
        done(stars.create(count, begin, end, seed, real, arithmetic, backend));
        if (planted) stars.plant();
        return { backend: stars.text(stars.backend()) };
    },
    // Takes steps, and writes the coordinates into the buffer, all x before all y.
    step({ steps, buffer }) {
        const began = performance.now();
        done(stars.step(steps));
        const seconds = (performance.now() - began) / 1e3;
        buffer ??= new Float32Array(2 * slice.size);
        for (const axis of [0, 1]) {
            buffer.set(new slice.type(stars.memory.buffer, stars.column(axis), slice.size), axis * slice.size);
        }
        return { buffer, seconds, centres: [0, 1].map(k => [stars.centre(k, 0), stars.centre(k, 1)]) };
    },
    hash({ from, begins, ends }) {
        if (begins) done(stars.fingerprint_begin());
        else state().set(from);
        done(stars.fingerprint_add());
        return ends ? { fingerprint: stars.text(stars.fingerprint_end()) } : { state: state().slice() };
    },
};

onmessage = async ({ data: { name, given } }) => {
    try {
        const answer = await functions[name](given);
        postMessage({ answer }, answer.buffer ? [answer.buffer.buffer] : []);
    } catch (error) {
        postMessage({ error: error.message });
    }
};
