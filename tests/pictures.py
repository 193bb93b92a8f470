"""pictures.py SOURCE DATA checks that each kind of picture of tools/plot holds the data that it claims. Its lines, dots, bars and words
are compared with frames that are made here, and with the JSON of the experiments in DATA. The sums are computed here a second time."""

import glob
import json
import math
import sys

sys.path.insert(0, sys.argv[1] + "/tools")
sys.dont_write_bytecode = True
import numpy  # noqa: E402
from plotting import data, frames, style  # noqa: E402
from plotting.kinds import KINDS  # noqa: E402

FRAMES, COUNT = 7, 5
random = numpy.random.default_rng(1)


def made_frames(flat):
    """Returns frames in which no two numbers are equal, with a frozen particle and ids out of order."""
    f = frames.Frames.__new__(frames.Frames)
    f.path, f.step, f.t = "made", numpy.arange(FRAMES), 0.5 + 0.25 * numpy.arange(FRAMES)
    f.id, f.mass = numpy.array([7, 3, 11, 5, 2]), numpy.array([1.5, 0.25, numpy.inf, 3, 2])
    f.x, f.v = random.uniform(-1, 1, (FRAMES, COUNT, 3)), random.uniform(-2, 2, (FRAMES, COUNT, 3))
    if flat:
        f.x[:, :, 2] = 0
    f.observables = {"potential": random.uniform(-1, 1, FRAMES), "energy": random.uniform(-1, 1, FRAMES)}
    return f


def close(one, other):
    one, other = (numpy.atleast_1d(numpy.asarray(values, dtype=float)) for values in (one, other))
    return one.shape == other.shape and numpy.allclose(one, other, rtol=1e-12, atol=1e-13, equal_nan=True)


def points(line):
    return line.get_data_3d() if hasattr(line, "get_data_3d") else line.get_data()


def has(frame, curve, label=None):
    """Checks that the plot has a line of these points, and with this label if one is given."""
    found = [line for line in frame.lines if len(points(line)) == len(curve) and all(map(close, points(line), curve))]
    assert found, f"{frame.get_title()}: no line of {label or curve}"
    assert label is None or label in [line.get_label() for line in found], (label, [line.get_label() for line in found])


def labelled(frame):
    """Returns the lines that a legend names. Lines that others cover have no name."""
    return {line.get_label(): line for line in frame.lines if not line.get_label().startswith("_")}


def exactly(frame, curves):
    """Checks that the labelled lines are these, no more and no fewer."""
    assert set(labelled(frame)) == set(curves), f"{frame.get_title()}: {sorted(set(labelled(frame)) ^ set(curves))}"
    for label, curve in curves.items():
        has(frame, curve, label)


# ---- frames of a run

def name_of(f, n):
    return f"id {f.id[n]}"


def expect_paths(frame, f):
    axes = 2 if not f.x[:, :, 2].any() else 3
    assert len(frame.lines) == 2 * COUNT
    exactly(frame, {name_of(f, n): [f.x[:, n, axis] for axis in range(axes)] for n in range(COUNT)})
    for n in range(COUNT):
        has(frame, [[f.x[-1, n, axis]] for axis in range(axes)])


def expect_sums(energies, momenta, f):
    of = [n for n in range(COUNT) if f.mass[n] < math.inf]
    kinetic = [sum(f.mass[n] * (f.v[k, n] @ f.v[k, n]) / 2 for n in of) for k in range(FRAMES)]
    exactly(energies, {"kinetic": [f.t, kinetic], **{name: [f.t, f.observables[name]] for name in ("potential", "energy")}})
    curves = {}
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        for name, sums in (("p", lambda k: sum(f.mass[n] * f.v[k, n, axis] for n in of)),
                           ("L", lambda k: sum(f.mass[n] * (f.x[k, n, i] * f.v[k, n, j] - f.x[k, n, j] * f.v[k, n, i]) for n in of))):
            curves[f"{name}{'xyz'[axis]}"] = [f.t, [sums(k) for k in range(FRAMES)]]
    exactly(momenta, curves)


def expect_histograms(frame, f, of):
    """Checks the density of each bin, for the first frame and the last."""
    for k, patch in zip((0, -1), frame.patches):
        assert patch.get_label() == f"t = {f.t[k]:.4g}"
        edges = sorted(set(patch.get_xy()[:, 0]))
        counts = [sum(low <= value < high or value == high == edges[-1] for value in of(k)) for low, high in zip(edges, edges[1:])]
        assert sum(counts) == COUNT
        heights = numpy.array(counts) / COUNT / numpy.diff(edges)
        drawn = {y for _, y in patch.get_xy()}
        assert all(any(abs(y - height) < 1e-9 * (1 + height) for y in drawn) for height in heights) and max(drawn) <= max(heights) * (1 + 1e-9)
    assert len(frame.patches) == 2


def speeds(f, k):
    return [math.sqrt(v @ v) for v in f.v[k]]


def radii(f, k):
    of = [n for n in range(COUNT) if f.mass[n] < math.inf]
    centre = sum(f.mass[n] * f.x[k, n] for n in of) / sum(f.mass[n] for n in of)
    return [math.sqrt((x - centre) @ (x - centre)) for x in f.x[k]]


def paths(figure, f):
    expect_paths(figure.axes[0], f)


def portrait(figure, f):
    axes = 2 if not f.x[:, :, 2].any() else 3
    assert len(figure.axes) == axes
    for axis in range(axes):
        frame = figure.axes[axis]
        exactly(frame, {name_of(f, n): [f.x[:, n, axis], f.v[:, n, axis]] for n in range(COUNT)})
        assert (frame.get_xlabel(), frame.get_ylabel()) == ("xyz"[axis], "v" + "xyz"[axis])


def conserved(figure, f):
    expect_sums(figure.axes[0], figure.axes[1], f)
    has(figure.axes[2], [f.t, [e - f.observables["energy"][0] for e in f.observables["energy"]]])
    assert figure.axes[2].get_ylabel() == "E - E(0)"


def distributions(figure, f):
    expect_histograms(figure.axes[0], f, lambda k: radii(f, k))
    expect_histograms(figure.axes[1], f, lambda k: speeds(f, k))


def section(figure, f):
    curves = {}
    for n in range(COUNT):
        places = []
        for k in range(FRAMES - 1):
            (y, then), way = f.x[k:k + 2, n, 1], f.x[k + 1, n] - f.x[k, n]
            if y < 0 <= then:
                s = y / (y - then)
                places.append((f.x[k, n, 0] + s * way[0], f.v[k, n, 0] + s * (f.v[k + 1, n, 0] - f.v[k, n, 0])))
        curves[name_of(f, n)] = list(zip(*places)) or [[], []]
    assert sum(len(x) for x, _ in curves.values()) >= 3
    exactly(figure.axes[0], curves)


def expect_dots(frame, f, k):
    dots, = frame.collections
    places = numpy.stack(dots._offsets3d if hasattr(dots, "_offsets3d") else dots.get_offsets().T)
    assert frame.get_title() == f"t = {f.t[k]:.4g}"
    order, own = (numpy.lexsort(some) for some in (places, f.x[k].T[:len(places)]))
    assert close(places[:, order], f.x[k].T[:len(places), own]) and close(dots.get_array()[order], numpy.array(speeds(f, k))[own])


def snapshot(figure, f):
    for frame, k in zip(figure.axes, (0, FRAMES // 2, FRAMES - 1)):
        expect_dots(frame, f, k)


def film(animation, f):
    for k in range(FRAMES):
        animation._func(k)
        expect_dots(animation._fig.axes[0], f, k)
    assert list(animation.new_frame_seq()) == list(range(FRAMES))
    animation._draw_was_started = True  # it need not be drawn


def overview(figure, f):
    expect_paths(figure.axes[0], f)
    exactly(figure.axes[1], {name_of(f, n): [f.t, [speeds(f, k)[n] for k in range(FRAMES)]] for n in range(COUNT)})
    expect_sums(figure.axes[2], figure.axes[3], f)


# ---- states of a run: (step, t, id, x, y, z, vx, vy, vz)

def made_states(ids, moments):
    states = data.Run.__new__(data.Run)
    states.path = "made"
    states.particles = {str(i): [[k, 0.5 * k, i, *random.uniform(-1, 1, 6)] for k in range(moments)] for i in ids}
    return states


def run(figure, states):
    for frame, (x, y) in zip(figure.axes, ((1, 3), (3, 4))):
        for name, rows in states.particles.items():
            has(frame, [[row[x] for row in rows], [row[y] for row in rows]], f"id {name}" if x == 1 else None)
        assert len(frame.lines) == len(states.particles)


def cloud(figure, states):
    for k, frame in enumerate(figure.axes):
        ids = sorted(states.particles, key=int)
        for half in (ids[:len(ids) // 2], ids[len(ids) // 2:]):
            has(frame, [[states.particles[i][k][axis] for i in half] for axis in (3, 4)])
        assert frame.get_title() == f"t = {0.5 * k:.2f}" and len(frame.lines) == 2


def cloth(figure, states):
    for k, frame in enumerate(figure.axes):
        rows, columns = (0, 1, 2), (0, 1)
        for thread in [[1000 * r + c for c in columns] for r in rows] + [[1000 * r + c for r in rows] for c in columns]:
            has(frame, [[states.particles[str(i)][k][axis] for i in thread] for axis in (3, 4, 5)])
        assert len(frame.lines) == len(rows) + len(columns)


# ---- experiments: `given` is the object that they print

def series(given, figure, panel=None):
    """Returns {label: (x, y)}, with NaN for numbers that are not finite."""
    def numbers(values):
        return [math.nan if value is None else value for value in values]
    return {s["label"]: (numbers(s["x"]), numbers(s["y"])) for s in given["series"] if s["figure"] == figure and s["x"] and panel in (None, s.get("panel"))}


def panels(given, figure):
    return list(dict.fromkeys(s.get("panel") for s in given["series"] if s["figure"] == figure))


def rows(given, name):
    return [row for table in given["tables"] if table["name"] == name for row in table["rows"] if "refused" not in row]


def known(curves):
    """Returns the methods that the sources discuss, and the exact curve."""
    return {label: curve for label, curve in curves.items() if label in style.METHODS or label == "exact"}


def by_panel(name, change=lambda curves: curves, of=lambda curves: curves):
    """A frame per panel, with the lines of its series."""
    def check(figure, given):
        for frame, panel in zip(figure.axes, panels(given, name)):
            lines = labelled(frame)
            curves = change(of(series(given, name, panel)))
            assert {*curves, "exact"} == {*lines, "exact"}, sorted(set(curves) ^ set(lines))
            assert not panel or frame.get_title().startswith(panel), frame.get_title()
            for label, curve in curves.items():
                has(frame, curve, label)
    return check


def position(figure, given):
    """A curve that leaves the plot may end there, one step beyond."""
    for frame, panel in zip(figure.axes, panels(given, "position")):
        curves, lines = known(series(given, "position", panel)), labelled(frame)
        assert set(curves) == set(lines) and frame.get_title() == panel, sorted(set(curves) ^ set(lines))
        low, high = frame.get_ylim()
        for label, (x, y) in curves.items():
            drawn = lines[label].get_data()
            count = len(drawn[0])
            assert close(drawn[0], x[:count]) and close(drawn[1], y[:count]), label
            assert count == len(x) or not low < y[count - 1] < high, f"{label} ends within the frame"


def damped(figure, given):
    left, right = figure.axes
    curves = known(series(given, "position"))
    exactly(left, curves)
    exactly(right, {label: (x, [abs(a - b) for a, b in zip(y, curves["exact"][1])]) for label, (x, y) in curves.items() if label != "exact"})


def fall(figure, given):
    left, right = figure.axes
    exactly(left, known(series(given, "fall")))
    expected = {row["method"]: row["error"] for row in rows(given, "methods") if abs(row["error"]) > 1e-9}
    names = [label.get_text() for label in right.get_yticklabels()]
    assert {names[round(bar.get_y() + bar.get_height() / 2)]: bar.get_width() for bar in right.patches} == expected


def expect_rows(frame, expected):
    """Checks that each (method, x) has a dot in the row of the method's name, and that there are no others. A dot outside of the plot is
    at its border."""
    names = [label.get_text() for label in frame.figure.axes[0].get_yticklabels()]
    low, high = frame.get_xlim()
    dots = [line.get_data() for line in frame.lines if line.get_marker() != "None"]
    drawn = sorted((names[round(y[0])], x[0]) for x, y in dots if len(x) == 1)
    wanted = sorted((method, high if math.isnan(x) else min(max(x, low), high)) for method, x in expected)
    assert [method for method, _ in drawn] == [method for method, _ in wanted], f"{frame.get_title()}: {len(drawn)} dots, expected {len(wanted)}"
    for one, other in zip(drawn, wanted):
        assert close(one[1], other[1]), f"{frame.get_title()}: {one}, expected {other}"


def value(row, key):
    """NaN where there are words, such as "none below 8"."""
    return float(row[key]) if isinstance(row.get(key), (int, float)) else math.nan


def amplitude(figure, given):
    names = {row["method"] for row in rows(given, "h=0.1")}
    both = [row for name in ("h=0.1", "h=0.25") for row in rows(given, name) if row["method"] in names]
    for frame, error in zip(figure.axes, (lambda row: abs(value(row, "amplitude_mean") - 1), lambda row: abs(value(row, "phase")))):
        expect_rows(frame, [(row["method"], error(row)) for row in both])


def oracles(figure, given):
    for frame, table in zip(figure.axes, given["tables"]):
        names = {row["method"] for row in rows(given, given["tables"][0]["name"])}
        expect_rows(frame, [(row["method"], value(row, key)) for row in rows(given, table["name"]) for key in ("f64_fused", "f32_fused") if row["method"] in names])
        assert frame.get_title() == table["title"]


def cost(figure, given):
    all_rows = [row for row in rows(given, "cost") if not math.isnan(value(row, "cost_1e-2"))]
    expect_rows(figure.axes[0], [(row["method"], value(row, key)) for row in all_rows for key in row if key.startswith("cost_") and not math.isnan(value(row, key))])


def stability(figure, given):
    left, right = figure.axes[:2]
    table = [row for t in given["tables"] if t["name"] == "limits" for row in t["rows"]]
    limits = [(row["method"], 0.0 if row.get("table") == 0 and not math.isnan(value(row, "zeta_0")) else value(row, "zeta_0")) for row in table]
    expect_rows(left, limits)
    curves = {label: curve for label, curve in series(given, "map").items() if len(curve[0]) > 1}
    names = [label.get_text() for label in right.get_yticklabels()]
    assert set(names) == set(curves)
    mesh = numpy.asarray(right.collections[0].get_array()).reshape(len(names), -1)
    assert all(close(numpy.nan_to_num(mesh[y]), numpy.nan_to_num(curves[name][1])) for y, name in enumerate(names))
    written = {(round(text.get_position()[1]), text.get_position()[0]): text.get_text() for text in right.texts}
    by_name = {row["method"]: row for row in table}
    for y, name in enumerate(names):
        for zeta in (0.01, 0.1, 0.5, 1, 2):
            limit = value(by_name[name], f"zeta_{zeta:g}")
            assert written[y, zeta] == (">8" if math.isnan(limit) else f"{limit:.2g}"), (name, zeta)


def ranking(figure, given):
    frame, = figure.axes
    table, texts = rows(given, "ranking"), {text.get_position(): text.get_text() for text in frame.texts}
    for y, row in enumerate(table):
        assert frame.get_yticklabels()[y].get_text().endswith("\n" + row["method"])
        for x, (rank, measured) in enumerate((("accuracy", "error"), ("critical", "limit_1"), ("over", "limit_2"), ("under", "limit_0.1"))):
            found = {x_y[0] - x: text for x_y, text in texts.items() if x < x_y[0] < x + 1 and x_y[1] == y + 0.5}
            rank_text, number_text = (found[place] for place in sorted(found))
            assert float(rank_text.split()[0]) == int(row[rank]) or float(rank_text) == row[rank]
            assert abs(float(number_text) / row[measured] - 1) < 0.06, (row["method"], measured)


def by_order(name):
    """A frame per order: each method of it in colour, alone or as the same map as another; all others in grey."""
    def check(figure, given):
        curves = series(given, name)
        drawn = [frame for frame in figure.axes if frame.lines]
        seen = []
        for frame in drawn:
            for x, y in curves.values():
                has(frame, (x, y))
            for label in labelled(frame):
                first, *others = label.split("\n = ")
                has(frame, curves[first], label)
                half = (len(curves[first][0]) + 1) // 2
                for other in others:
                    assert numpy.allclose(curves[other][1][:half], curves[first][1][:half], rtol=2e-3)
                seen += [first, *others]
        assert sorted(seen) == sorted(curves), set(seen) ^ set(curves)
    return check


def rates(figure, bench):
    """The faster arithmetic of each instruction set, and the plain loop of that arithmetic."""
    bars = {round(bar.get_width()) for frame in figure.axes for bar in frame.patches}
    assert bars == {50, 900, 800, 300}, bars


def made_rates():
    bench = data.Bench.__new__(data.Bench)
    bench.processor, bench.what = "some", "some"
    bench.rows = {f"step/rk4/spring/f32/{who}/512": rate for who, rate in
                  {"fused/reference": 50, "fused/avx2": 900, "unfused/avx2": 700, "fused/autovec-clang-avx2": 800, "fused/autovec-avx2": 600,
                   "unfused/autovec-avx2": 850, "fast-math/autovec-avx2": 2000, "unfused/sse2": 300, "fused/sse2": 100, "fused/autovec-sse2": 150}.items()}
    return bench


def thousandths(curves):
    return {label: ([1000 * value for value in x], y) for label, (x, y) in curves.items()}


def above_nothing(curves):
    return {label: (x, [max(value, 1e-17) for value in y]) for label, (x, y) in curves.items()}


CHECKS = {
    "overview": overview, "paths": paths, "portrait": portrait, "conserved": conserved, "distributions": distributions, "section": section,
    "snapshot": snapshot, "film": film, "run": run, "cloud": cloud, "cloth": cloth, "rates": rates,
    "position": position, "damped": damped, "fall": fall, "amplitude": amplitude, "oracles": oracles, "cost": cost, "stability": stability, "ranking": ranking,
    "energy": by_panel("energy", of=known), "phase": by_panel("phase", of=known), "contributions": by_panel("error", above_nothing), "bounce": by_panel("bounce"),
    "errors": by_panel("error", thousandths), "loss": by_panel("loss"), "work": by_order("work"), "drift": by_order("energy"),
}
assert set(CHECKS) == set(KINDS), f"kinds without a check, or checks without a kind: {set(CHECKS) ^ set(KINDS)}"
MADE = {"run": lambda: made_states([3, 9, 4], 5), "cloud": lambda: made_states(range(9), 3), "cloth": lambda: made_states([1000 * r + c for r in range(3) for c in range(2)], 2), "rates": made_rates}
experiments = {given["experiment"]: (path, given) for path in glob.glob(sys.argv[2] + "/*.json") for given in [json.load(open(path))]}
held = 0
for name, kind in KINDS.items():
    try:
        for experiment in kind.experiments:
            path, given = experiments[experiment]
            CHECKS[name](kind.draw(data.Experiment(path)), given)
            held += 1
        for source in [] if kind.experiments else [MADE[name]()] if name in MADE else [made_frames(False), made_frames(True)]:
            CHECKS[name](kind.draw(source), source)
            held += 1
    except AssertionError:
        print(f"pictures: {name}", file=sys.stderr)
        raise
    style.pyplot.close("all")
print(f"pictures: {held} pictures of {len(KINDS)} kinds hold their data")
