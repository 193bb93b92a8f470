// A run of the stars on several workers. Each has an instance of the module and a slice of the stars, which do not act on each other, so the
// bits are those of one instance. Nothing is shared, so the page needs no special headers.
export const ARRAYS = 4; // of the fingerprint: two coordinates, two velocities

class Slice {
    #worker = new Worker(new URL('./worker.mjs', import.meta.url), { type: 'module' });
    buffer;

    // Calls a function of the worker. A worker has one call at a time.
    ask(name, given, transfer = []) {
        return new Promise((resolve, reject) => {
            this.#worker.onmessage = ({ data }) => data.error ? reject(new Error(data.error)) : resolve(data.answer);
            this.#worker.onerror = event => reject(new Error(event.message ?? 'a worker could not start'));
            this.#worker.postMessage({ name, given }, transfer);
        });
    }
    end() { this.#worker.terminate(); }
}

export class Run {
    step = 0;
    backend = '';
    centres = [];
    #slices = [];

    // `choice` is { count, seed, real, arithmetic, backend, planted }; the last three are the library's enumerators, and a truth.
    static async create(module, choice, workers) {
        const run = new Run();
        run.count = choice.count;
        run.#slices = Array.from({ length: workers }, () => new Slice());
        const bound = i => Math.round(choice.count * i / workers);
        try {
            const made = await Promise.all(run.#slices.map((slice, i) => {
                slice.begin = bound(i);
                return slice.ask('create', { module, ...choice, begin: bound(i), end: bound(i + 1) });
            }));
            run.backend = made[0].backend;
            await run.advance(0);
        } catch (error) {
            run.end();
            throw error;
        }
        return run;
    }

    // Takes steps. Returns the seconds of the slowest worker.
    async advance(steps) {
        const answers = await Promise.all(this.#slices.map(slice =>
            slice.ask('step', { steps, buffer: slice.buffer }, slice.buffer ? [slice.buffer.buffer] : [])));
        answers.forEach((answer, i) => this.#slices[i].buffer = answer.buffer);
        this.centres = answers[0].centres;
        this.step += steps;
        return Math.max(...answers.map(answer => answer.seconds));
    }

    // Calls use(axis, first star, coordinates) for each slice and axis.
    coordinates(use) {
        for (const { begin, buffer } of this.#slices) {
            const size = buffer.length / 2;
            for (const axis of [0, 1]) use(axis, begin, buffer.subarray(axis * size, (axis + 1) * size));
        }
    }

    // Each array is hashed slice by slice, in their order.
    async fingerprint() {
        let at = {};
        const last = ARRAYS * this.#slices.length - 1;
        for (let i = 0; i <= last; ++i) {
            at = await this.#slices[i % this.#slices.length].ask('hash', { from: at.state, begins: i === 0, ends: i === last });
        }
        return at.fingerprint;
    }

    end() { this.#slices.forEach(slice => slice.end()); }
}
