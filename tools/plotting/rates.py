"""Draws rates of the benchmark: acceleration evaluations per second of the library, of the plain loop and of the reference."""

from . import style

SETS = ["scalar", "sse2", "neon", "avx2", "avx512"]
REFERENCE, LIBRARY, PLAIN = "scalar reference", "library", "fastest plain loop"


def _bars(rows):
    """Returns {(method, real, arithmetic): {set: {who: rate}}}. Of the plain loops it takes the fastest without -ffast-math, which gives
    other results."""
    found = {}
    for name, rate in rows.items():
        _, method, _, real, arithmetic, who = name.split("/")[:6]
        if arithmetic not in ("fused", "unfused"):
            continue
        sets = found.setdefault((method, real, arithmetic), {})
        plain = who.startswith("autovec")
        instruction_set = who.rsplit("-", 1)[-1] if plain else who
        bars = sets.setdefault(instruction_set, {})
        label = PLAIN if plain else REFERENCE if who == "reference" else LIBRARY
        bars[label] = max(rate, bars.get(label, 0.0))
    return found


def rates(bench):
    """Draws one frame per method. For each instruction set it shows the faster of the two arithmetics, next to the plain loop with the
    same arithmetic."""
    found = _bars(bench.rows)
    methods = list(dict.fromkeys(method for method, _, _ in found))
    figure, frames = style.figure(1, len(methods), 3.6 * len(methods) + 0.6, 2.9)
    for frame, method in zip(frames, methods):
        best = {}
        for (name, _, arithmetic), sets in found.items():
            for instruction_set, bars in sets.items() if name == method else ():
                rate = bars.get(LIBRARY, bars.get(REFERENCE, 0.0))
                if rate > best.get(instruction_set, (0.0,))[0]:
                    best[instruction_set] = (rate, arithmetic, bars)
        names = [name for name in ["reference", *SETS] if name in best]
        for y, name in enumerate(names):
            bars = best[name][2]
            for offset, label, color in ((0.2, PLAIN, style.GREY), (-0.2 if PLAIN in bars else 0.0, LIBRARY, style.BLUE), (0.0, REFERENCE, style.ORANGE)):
                if label in bars:
                    frame.barh(y + offset, bars[label], 0.38, color=color, label=label)
                    frame.text(bars[label], y + offset, f" {bars[label] / 1e9:.2g}", va="center", fontsize=7)
        frame.set_yticks(range(len(names)), [name if name == "reference" else f"{name}, {best[name][1]}" for name in names])
        frame.set_ylim(len(names) - 0.5, -0.5)
        frame.set_xlim(0, 1.15 * max(rate for _, _, bars in best.values() for rate in bars.values()))
        frame.xaxis.set_major_formatter(lambda value, _: f"{value / 1e9:g}")
        frame.set(title=method, xlabel="1e9 evaluations a second")
        frame.grid(axis="y", visible=False)
    shown = {}
    for frame in frames:
        shown.update(dict(zip(*reversed(frame.get_legend_handles_labels()))))
    frames[-1].legend(shown.values(), shown.keys(), loc="upper right")
    figure.suptitle(f"{bench.processor}, one core: {bench.what}", fontsize=9)
    return figure
