// The page: its controls, the run and its twin, and what is compared with other processors.
import { hasRelaxed, hasSimd, load } from './module.mjs';
import { Run } from './run.mjs';
import { Sky } from './sky.mjs';

const $ = id => document.getElementById(id);
const MOMENTS = [100, 1000, 10000]; // the steps at which fingerprints are compared
const REALS = ['f32', 'f64'], ARITHMETICS = ['fused', 'unfused'], ULPS = ['0.00000012', '0.0000000000000002'];
const calm = matchMedia('(prefers-reduced-motion: reduce)');
const plain = n => n.toLocaleString('en').replaceAll(',', '\u2009');

function trouble(text) {
    $('trouble').textContent = text;
    $('trouble').hidden = false;
}

class Page {
    run; twin;
    playing = !calm.matches;
    prints = new Map(); // by step
    sent = null; // what the link says: step and fingerprint
    times = [];
    modules = {}; // promises, by file
    changed = true; // the picture must be drawn anew
    made = 0; // counts runs, so that an answer for an older one is dropped

    async start() {
        this.sky = new Sky($('sky'));
        this.native = await fetch('native.json').then(answer => answer.json());
        await this.listBackends();
        this.readLink();
        this.listen();
        $('panel').hidden = false;
        await this.restart();
        this.loop();
    }

    // Lists the backends. The best one decides which arithmetic is fast, and so the default.
    async listBackends() {
        const best = hasRelaxed() && !(await this.library('relaxed')).reason;
        for (const name of [...best ? ['relaxed'] : [], 'simd128', 'scalar']) $('backend').add(new Option(name, name));
        $('arithmetic').value = best ? 0 : 1;
        this.verifier = hasRelaxed() ? 'verify-relaxed.wasm' : 'verify-simd128.wasm';
    }

    // Returns the module of a backend, its number there, and why it cannot run.
    async library(backend) {
        const file = `galaxies-${backend}.wasm`;
        const module = await (this.modules[file] ??= WebAssembly.compileStreaming(fetch(file)));
        const library = await load(module);
        for (let number = library.backend_last(); number >= 1; --number) {
            if (library.text(library.backend_name(number)) === backend) return { module, number, reason: library.text(library.backend_reason(number)) };
        }
        throw new Error(`${file} has no backend ${backend}`);
    }

    readLink() {
        const link = new URLSearchParams(location.hash.slice(1));
        const choose = (id, names, name) => { if (names.includes(name)) $(id).value = names.indexOf(name); };
        choose('real', REALS, link.get('real'));
        choose('arithmetic', ARITHMETICS, link.get('arithmetic'));
        if (/^\d{3,7}$/.test(link.get('stars') ?? '')) {
            const stars = link.get('stars');
            if (![...$('count').options].some(option => option.value === stars)) $('count').add(new Option(plain(+stars), stars));
            $('count').value = stars;
        }
        this.seed = /^\d{1,9}$/.test(link.get('seed') ?? '') ? +link.get('seed') : 1;
        this.sent = /^[0-9a-f]{16}$/.test(link.get('print') ?? '') && /^\d{1,6}$/.test(link.get('step') ?? '')
            ? { step: +link.get('step'), print: link.get('print') } : null;
        if (this.sent) this.playing = true;
    }

    get choice() {
        const number = id => +$(id).value;
        return { count: number('count'), seed: this.seed, real: number('real'), arithmetic: number('arithmetic') };
    }

    // The fingerprints that others have at a step of this run.
    elsewhere(step) {
        const { count, real, arithmetic, seed } = this.choice;
        return this.native.filter(one => seed === 1 && one.step === step && one.count === count && one.real === REALS[real]
            && one.arithmetic === ARITHMETICS[arithmetic]);
    }

    async restart() {
        const mine = ++this.made;
        const old = [this.run, this.twin];
        this.run = this.twin = null;
        await this.busy;
        old.forEach(one => one?.end());
        const { choice } = this, planted = $('plant').checked;
        // One core is left to the page. A twin takes its share of the others.
        const workers = Math.max(1, Math.min(8, Math.floor(((navigator.hardwareConcurrency || 2) - 1) / (planted ? 2 : 1))));
        try {
            const { module, number } = await this.library($('backend').value);
            const runs = await Promise.all([false, true].slice(0, planted ? 2 : 1).map(twin =>
                Run.create(module, { ...choice, backend: number, planted: twin }, workers)));
            if (mine !== this.made) return runs.forEach(one => one.end());
            this.sky.hold(choice.count, planted);
            [this.run, this.twin] = runs;
        } catch (error) {
            return trouble(`The stars could not be made: ${error.message}.`);
        }
        this.prints.clear();
        this.times = [];
        this.take();
        const { backend } = this.run;
        $('how').textContent = `${backend}, ${workers} ${workers === 1 ? 'worker' : 'workers'}` +
            (choice.arithmetic === 0 && backend !== 'relaxed' ? '. Fused multiply-adds are computed by other operations here, which is slow.' : '');
        $('ulp').textContent = ULPS[choice.real];
        $('where').textContent = 'Who else has these bits';
        this.show();
    }

    take() {
        this.sky.take(this.run);
        if (this.twin) this.sky.take(this.twin, 1);
        this.changed = true;
    }

    // The step at which the run must stop to be compared.
    get next() {
        const stops = [...MOMENTS, ...this.sent ? [this.sent.step] : []].filter(step => step > this.run.step);
        return stops.length ? Math.min(...stops) : Infinity;
    }

    async advance() {
        const { run, twin } = this;
        const steps = Math.min(+$('speed').value, this.next - run.step);
        const seconds = await Promise.all([run, twin].filter(Boolean).map(one => one.advance(steps)));
        this.times = [...this.times.slice(-29), Math.max(...seconds) / steps];
        if (MOMENTS.includes(run.step) || run.step === this.sent?.step) {
            this.prints.set(run.step, [await run.fingerprint(), await twin?.fingerprint()]);
        }
        if (run === this.run) {
            this.take();
            this.show();
        }
    }

    loop() {
        const again = () => requestAnimationFrame(() => this.loop());
        if (this.changed && this.run) {
            this.changed = false;
            this.sky.draw(!!this.twin);
        }
        if (!this.playing || !this.run) return again();
        this.busy = this.advance().catch(error => trouble(`The run ended: ${error.message}.`)).then(() => { this.busy = null; again(); });
    }

    show() {
        const { run } = this;
        $('step').textContent = plain(run.step);
        if (this.times.length) {
            const time = [...this.times].sort((a, b) => a - b)[this.times.length >> 1];
            $('time').textContent = `${(time * 1e3).toFixed(time < 0.01 ? 2 : 1)} ms`;
            $('rate').textContent = `${(run.count / time / 1e6).toFixed(0)} million`;
        }
        $('play').textContent = this.playing ? 'Pause' : 'Play';
        $('play').setAttribute('aria-pressed', this.playing);
        const others = MOMENTS.map(step => this.elsewhere(step));
        $('bits').tBodies[0].replaceChildren(...MOMENTS.map((step, i) => this.line(step, others[i])));
        const names = [...new Set(others.flat().map(one => `${one.processor}\t${one.backend}`))];
        const missing = names.length ? [] : ['No processor has shipped fingerprints of this choice.\t'];
        $('others').replaceChildren(...[...names, ...missing].map(name => {
            const item = document.createElement('li');
            item.append(...name.split('\t').map(part => Object.assign(document.createElement('span'), { textContent: part })));
            return item;
        }));
        if (this.sent) this.showSent();
    }

    // One line of the table: the fingerprint here, and whether all others have it.
    line(step, others) {
        const row = document.createElement('tr'), head = document.createElement('th');
        const [here, twin] = this.prints.get(step) ?? [];
        const there = [...new Set(others.map(one => one.fingerprint))];
        const mine = twin ?? here, equal = mine && there.length === 1 && there[0] === mine;
        head.textContent = plain(step);
        head.scope = 'row';
        row.append(head);
        const cell = (text, kind) => row.append(Object.assign(document.createElement('td'), { textContent: text, className: kind }));
        cell(mine ?? '…', mine && there.length ? (equal ? 'equal' : 'unequal') : 'waits');
        if (!there.length) cell('–', 'waits');
        else if (!mine) cell(there[0], 'waits');
        else cell(equal ? `✓ same on ${others.length}` : '✗ others', equal ? 'equal' : 'unequal');
        row.title = there.join(', ');
        return row;
    }

    showSent() {
        const { step, print } = this.sent, mine = this.prints.get(step)?.[0];
        $('sent').hidden = false;
        $('sent').className = !mine ? '' : mine === print ? 'equal' : 'unequal';
        $('sent').textContent = !mine ? `The link's sender had ${print} at step ${plain(step)}.`
            : mine === print ? `✓ At step ${plain(step)} you have the sender's bits.` : `✗ At step ${plain(step)} you have ${mine}, the sender had ${print}.`;
    }

    async share() {
        this.playing = false;
        await this.busy;
        const print = await this.run.fingerprint(), { count, real, arithmetic, seed } = this.choice;
        const link = new URL(location.href);
        link.hash = new URLSearchParams({ scene: 'galaxies', seed, stars: count, real: REALS[real], arithmetic: ARITHMETICS[arithmetic],
            step: this.run.step, print });
        $('link').textContent = link.href;
        $('link').hidden = false;
        await navigator.clipboard?.writeText(link.href).then(() => { $('share').textContent = 'Copied'; }, () => {});
        this.show();
    }

    pause() {
        this.playing = !this.playing;
        this.show();
    }

    listen() {
        $('play').onclick = () => this.pause();
        $('again').onclick = () => this.restart();
        $('share').onclick = () => this.share();
        $('plant').onchange = () => this.restart();
        for (const id of ['count', 'real', 'arithmetic', 'backend']) $(id).onchange = () => this.restart();
        $('verify').onclick = () => this.verify();
        const sky = $('sky'), fingers = new Map();
        const view = change => { change(); this.changed = true; };
        sky.onpointerdown = event => {
            sky.setPointerCapture(event.pointerId);
            fingers.set(event.pointerId, event);
        };
        sky.onpointerup = sky.onpointercancel = event => fingers.delete(event.pointerId);
        sky.onpointermove = event => {
            const before = fingers.get(event.pointerId);
            if (!before) return;
            const other = [...fingers.values()].find(one => one.pointerId !== event.pointerId);
            if (other) { // two fingers zoom
                const apart = one => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
                view(() => this.sky.zoom(apart(event) / Math.max(apart(before), 1), other.clientX, other.clientY));
            } else {
                view(() => this.sky.drag(event.clientX - before.clientX, event.clientY - before.clientY));
            }
            fingers.set(event.pointerId, event);
        };
        sky.addEventListener('wheel', event => {
            event.preventDefault();
            view(() => this.sky.zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), event.clientX, event.clientY));
        }, { passive: false });
        sky.onkeydown = event => {
            const middle = [sky.clientWidth / 2, sky.clientHeight / 2];
            const action = {
                ' ': () => this.pause(),
                ArrowLeft: () => this.sky.drag(40, 0), ArrowRight: () => this.sky.drag(-40, 0),
                ArrowUp: () => this.sky.drag(0, 40), ArrowDown: () => this.sky.drag(0, -40),
                '+': () => this.sky.zoom(1.2, ...middle), '=': () => this.sky.zoom(1.2, ...middle), '-': () => this.sky.zoom(1 / 1.2, ...middle),
            }[event.key];
            if (!action) return;
            event.preventDefault();
            view(action);
        };
        addEventListener('resize', () => view(() => {}));
        addEventListener('hashchange', () => { this.readLink(); this.restart(); });
    }

    // Verifies every method in a worker, with a bar for each.
    verify() {
        const began = performance.now(), items = [];
        $('verify').disabled = true;
        $('methods').replaceChildren();
        const worker = new Worker(new URL('./verify_worker.mjs', import.meta.url), { type: 'module' });
        worker.onerror = event => { $('verdict').textContent = `The module could not be loaded: ${event.message ?? 'no connection'}.`; };
        worker.onmessage = ({ data }) => {
            if (data.names) {
                items.push(...data.names.map(name => {
                    const item = document.createElement('li');
                    item.append(...[name, ''].map(text => Object.assign(document.createElement('span'), { textContent: text })));
                    return item;
                }));
                $('methods').replaceChildren(...items);
            } else if ('subject' in data) {
                const item = items[data.subject];
                item.style.setProperty('--part', '100%');
                item.className = data.equal ? 'equal' : 'unequal';
                item.lastChild.textContent = data.equal ? '✓' : '✗';
                $('verdict').textContent = `${data.subject + 1} of ${items.length}: ${plain(data.values)} values compared on ${data.backends.join(', ')}.`;
            }
            if (data.ended) {
                const { equal, values, backends, fingerprint, mismatch } = data.ended;
                $('verdict').className = equal ? 'equal' : 'unequal';
                $('verdict').textContent = equal
                    ? `✓ All bits equal: ${plain(values)} values on ${backends.join(', ')}, fingerprint ${fingerprint}, in ${((performance.now() - began) / 1e3).toFixed(0)} s.`
                    : `✗ Not equal. ${mismatch}`;
                $('verify').disabled = false;
                worker.terminate();
            }
        };
        worker.postMessage(this.verifier);
    }
}

if (!hasSimd()) {
    trouble('This browser has no SIMD in WebAssembly, which the stars need. Every browser since 2023 has it: Chrome 91, Firefox 89, Safari 16.4.');
} else {
    const page = new Page();
    window.kickdrift = page; // for tests, and for who opens the console
    page.start().catch(error => trouble(error.message === 'no WebGL2'
        ? 'This browser has no WebGL2, or it is switched off, and the stars are drawn with it.' : `The page could not start: ${error.message}.`));
}
