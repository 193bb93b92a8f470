// test.mjs PLAYWRIGHT PAGE PICTURES: opens the page in Chromium, with one processor's software for pictures, and checks what it shows:
// fingerprints equal to the shipped ones, for each precision and arithmetic; a picture that is not black; a planted unit in the last place
// that is seen; a link that carries a moment; the messages where something is missing. Takes pictures, for people to look at.
import { createReadStream, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { pathToFileURL } from 'node:url';

const [playwright, page, pictures] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(join(playwright, 'index.mjs')));
const native = JSON.parse(readFileSync(join(page, 'native.json')));
mkdirSync(pictures, { recursive: true });

const TYPES = { '.html': 'text/html', '.css': 'text/css', '.mjs': 'text/javascript', '.json': 'application/json', '.wasm': 'application/wasm' };
const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname)), file = join(page, path === '/' ? 'index.html' : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'text/plain' });
    createReadStream(file).pipe(response);
}).listen(0);
const address = `http://localhost:${server.address().port}/`;

const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--use-gl=angle', '--use-angle=swiftshader',
    '--enable-unsafe-swiftshader', '--no-sandbox', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
let failures = 0;
const check = (truth, text) => {
    console.log(`${truth ? 'ok' : 'FAILED'}: ${text}`);
    failures += !truth;
};

async function open(hash, options = {}, before) {
    const context = await browser.newContext({ viewport: { width: 1300, height: 800 }, ...options });
    const tab = await context.newPage();
    tab.on('pageerror', error => check(false, `no error in the page: ${error.message}`));
    if (before) await tab.addInitScript(before);
    await tab.goto(address + hash);
    return tab;
}
const steps = (tab, step) => tab.waitForFunction(least => window.kickdrift?.run?.step >= least, step, { timeout: 300000 });
// Pictures take a second each without a graphics processor, so runs take many steps a picture.
const fast = async (tab, step) => {
    await tab.waitForFunction(() => window.kickdrift?.run);
    await tab.evaluate(() => {
        const speed = document.getElementById('speed');
        speed.max = 150;
        speed.value = 150;
    });
    await steps(tab, step);
};
const printed = (tab, step) => tab.waitForFunction(at => window.kickdrift?.prints.get(at)?.[0], step, { timeout: 300000 }).then(handle => handle.jsonValue());
const picture = (tab, name) => tab.screenshot({ path: join(pictures, `${name}.png`), timeout: 60000 });

// The light of a picture: the mean of its pixels outside the panel, and how many are lit.
async function light(tab) {
    const shot = (await tab.screenshot({ timeout: 60000 })).toString('base64');
    return tab.evaluate(async text => {
        const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${text}`)).blob());
        const canvas = new OffscreenCanvas(bitmap.width, bitmap.height), context = canvas.getContext('2d');
        context.drawImage(bitmap, 0, 0);
        const { data } = context.getImageData(0, 200, Math.round(bitmap.width * 0.7), bitmap.height - 200);
        let lit = 0, red = 0;
        for (let i = 0; i < data.length; i += 4) {
            lit += data[i] + data[i + 1] + data[i + 2] > 150;
            red += data[i] > 90 && data[i] > 1.6 * data[i + 1] && data[i] > 1.6 * data[i + 2];
        }
        return { lit: 4 * lit / data.length, red: 4 * red / data.length };
    }, shot);
}

const shipped = (real, arithmetic, count, step) => native.find(one =>
    one.real === real && one.arithmetic === arithmetic && one.count === count && one.step === step)?.fingerprint;
for (const real of ['f32', 'f64']) {
    for (const arithmetic of ['unfused', 'fused']) {
        const tab = await open(`#stars=100000&real=${real}&arithmetic=${arithmetic}`);
        await fast(tab, 100);
        const print = await printed(tab, 100), backend = await tab.evaluate(() => window.kickdrift.run.backend);
        check(print === shipped(real, arithmetic, 100000, 100), `${real} ${arithmetic} on ${backend}: ${print} at step 100`);
        await tab.context().close();
    }
}

{
    const tab = await open('');
    const first = Date.now();
    await steps(tab, 1);
    console.log(`a million stars: the first step ${Date.now() - first} ms after the page was loaded`);
    await fast(tab, 100);
    check(await printed(tab, 100) === shipped('f32', 'fused', 1000000, 100), 'a million stars at step 100');
    await tab.context().close();
}

{
    const tab = await open('#stars=300000');
    await fast(tab, 700);
    await tab.locator('#play').click();
    const { lit } = await light(tab);
    check(lit > 0.01, `${(100 * lit).toFixed(1)} % of the picture is lit`);
    await picture(tab, 'wide');
    await tab.locator('#share').click();
    await tab.locator('#link').waitFor({ timeout: 60000 });
    const link = await tab.locator('#link').textContent();
    await tab.context().close();
    const guest = await open(new URL(link).hash);
    await fast(guest, 700);
    await guest.waitForFunction(() => document.getElementById('sent').className, null, { timeout: 300000 });
    check(await guest.locator('#sent').getAttribute('class') === 'equal', `a link's receiver has the sender's bits: ${new URL(link).hash}`);
    await guest.context().close();
}

{
    const tab = await open('#stars=100000', { viewport: { width: 1000, height: 640 } });
    await tab.waitForFunction(() => window.kickdrift?.run);
    await tab.locator('#plant').click();
    await tab.waitForFunction(() => window.kickdrift.twin);
    await fast(tab, 1200);
    await tab.waitForFunction(() => window.kickdrift.prints.get(100)?.[1], null, { timeout: 300000 });
    const [one, other] = await tab.evaluate(() => window.kickdrift.prints.get(100));
    check(one !== other && await tab.locator('#bits td.unequal').count() > 0, `a planted ulp is seen: ${one}, ${other}`);
    await picture(tab, 'planted');
    const { red } = await light(tab);
    check(red > 0.002, `${(100 * red).toFixed(1)} % of the picture is red`);
    await tab.context().close();
}

{
    const narrow = await open('#stars=100000', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true });
    await fast(narrow, 600);
    check(await narrow.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'a narrow page does not scroll sideways');
    await picture(narrow, 'narrow');
    await narrow.context().close();
    const calm = await open('#stars=10000', { viewport: { width: 700, height: 500 }, reducedMotion: 'reduce' });
    await calm.waitForFunction(() => window.kickdrift?.run);
    await calm.waitForTimeout(500);
    check(await calm.evaluate(() => window.kickdrift.run.step) === 0, 'with reduced motion nothing moves');
    await calm.locator('#sky').focus();
    await calm.keyboard.press(' ');
    await steps(calm, 2);
    check(true, 'the space bar starts it');
    await calm.context().close();
    const old = await open('', {}, () => { WebAssembly.validate = () => false; });
    check((await old.locator('#trouble').textContent()).includes('no SIMD'), 'without SIMD there is a message');
    await picture(old, 'without-simd');
    await old.context().close();
    const flat = await open('', {}, () => { HTMLCanvasElement.prototype.getContext = () => null; });
    await flat.waitForFunction(() => !document.getElementById('trouble').hidden);
    check((await flat.locator('#trouble').textContent()).includes('WebGL2'), 'without WebGL2 there is a message');
    await flat.context().close();
}
{
    const tab = await open('#stars=10000', { reducedMotion: 'reduce' });
    await tab.waitForFunction(() => window.kickdrift?.run);
    await tab.locator('#verify').click();
    await tab.waitForFunction(() => document.querySelectorAll('#methods li.equal').length >= 3, null, { timeout: 300000 });
    check(await tab.locator('#methods li.unequal').count() === 0, 'the first methods verify');
    await tab.locator('#methods').scrollIntoViewIfNeeded();
    await picture(tab, 'verify');
    await tab.context().close();
}
await browser.close();
server.close();
console.log(failures ? `${failures} checks failed` : 'all checks passed');
process.exitCode = failures ? 1 : 0;
