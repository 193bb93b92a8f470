// Loads a module of WebAssembly that Kickdrift's C is compiled to, in a page, a worker or node.

// The C library imports these functions of WASI. There are no files; text that is written goes to `write`.
function wasi(view, write) {
    const nothing = (count, size) => {
        view().setUint32(count, 0, true);
        view().setUint32(size, 0, true);
        return 0;
    };
    const decoder = new TextDecoder();
    return {
        environ_sizes_get: nothing,
        environ_get: () => 0,
        clock_time_get(id, precision, at) {
            view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
            return 0;
        },
        fd_write(file, pieces, count, written) {
            let sum = 0;
            for (let i = 0; i < count; ++i) {
                const [at, size] = [view().getUint32(pieces + 8 * i, true), view().getUint32(pieces + 8 * i + 4, true)];
                write(decoder.decode(new Uint8Array(view().buffer, at, size)));
                sum += size;
            }
            view().setUint32(written, sum, true);
            return 0;
        },
        fd_close: () => 0,
        fd_seek: () => 70, // ESPIPE
        fd_fdstat_get: () => 8, // EBADF
        proc_exit(status) { throw new Error(`the module ended with status ${status}`); },
    };
}

// Returns the module's functions, its memory, and `text`, which reads a text that a function returned. `source` is the bytes of the file,
// a compiled module, or the promise of a response.
export async function load(source, write = console.log) {
    let exports;
    const view = () => new DataView(exports.memory.buffer);
    const imports = { wasi_snapshot_preview1: wasi(view, write) };
    const made = await (source instanceof Promise ? WebAssembly.instantiateStreaming(source, imports) : WebAssembly.instantiate(source, imports));
    exports = (made.instance ?? made).exports; // a compiled module gives the instance itself
    exports._initialize();
    const text = at => {
        const bytes = new Uint8Array(exports.memory.buffer, at);
        return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    };
    return { ...exports, text };
}

// Whether this machine loads a module with these bytes in its one function: () -> v128, whose result must be made by `code`.
const loads = code => WebAssembly.validate(new Uint8Array([
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    1, 5, 1, 0x60, 0, 1, 0x7b,
    3, 2, 1, 0,
    10, code.length + 4, 1, code.length + 2, 0, ...code, 0x0b]));
const zero = [0xfd, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]; // v128.const 0
export const hasSimd = () => loads(zero);
export const hasRelaxed = () => loads([...zero, ...zero, ...zero, 0xfd, 0x85, 2]); // f32x4.relaxed_madd
