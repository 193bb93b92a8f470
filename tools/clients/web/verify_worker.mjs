// Verifies one method after the other, and tells the page how each ended.
import { load } from './module.mjs';

onmessage = async ({ data: file }) => {
    const check = await load(fetch(new URL(file, import.meta.url)));
    const backends = [], runners = [];
    for (let b = 1; b <= check.backend_last(); ++b) {
        if (check.text(check.backend_reason(b))) continue;
        backends.push(check.text(check.backend_name(b)));
        runners.push(check.add_backend(b));
    }
    const subjects = check.subjects();
    postMessage({ names: Array.from({ length: subjects }, (_, s) => check.text(check.subject_name(s))) });
    const sum = what => runners.reduce((all, r) => all + check.tally(r, what), 0);
    let all = true, wrong = 0;
    for (let subject = 0; subject < subjects; ++subject) {
        if (!check.run(subject, 1, 0, 1)) throw new Error('out of memory');
        const equal = sum(2) === wrong && runners.every(r => check.is_shipped(r, subject));
        wrong = sum(2);
        all &&= equal;
        postMessage({ subject, equal, values: sum(1), backends });
    }
    const prints = new Set(runners.map(r => check.text(check.fingerprint(r))));
    postMessage({ ended: { equal: all && prints.size === 1, values: sum(1), backends, fingerprint: [...prints].join(', '),
        mismatch: check.text(check.mismatch()) } });
};
