"""Pictures of all methods: amplitude and phase, stability, work and precision, ranking, oracles, long runs, compensation."""

import math

from . import style
from .data import Fault, number

ORDERS = [("order 1", (1,)), ("order 2", (2,)), ("order 3", (3,)), ("order 4", (4,)), ("order 5", (5,)), ("order 6", (6,)), ("order 8", (7, 8))]


def _sorted(rows):
    families = list(style.FAMILIES)
    place = {name: index for index, name in enumerate(families)}
    return sorted(rows, key=lambda row: (place.get(row["family"], len(families)), isinstance(row["order"], str), row["order"], row["method"]))


def _names(frame, rows):
    """Labels one line per method, coloured by family."""
    frame.set_yticks(range(len(rows)), [row["method"] for row in rows], fontsize=7.5)
    frame.set_ylim(len(rows) - 0.4, -0.6)
    for label, row in zip(frame.get_yticklabels(), rows):
        label.set_color(style.ink(style.family_color(row["family"])))


def _dots(frame, rows, value, low, high, marker="o", fill=True):
    """Draws positive values on a logarithmic axis. Values outside it are arrows at the border."""
    for y, row in enumerate(rows):
        x = value(row)
        color = style.family_color(row["family"])
        if x is None:
            continue
        if math.isnan(x) or x > high:
            frame.plot(high, y, ">", color=color, markersize=5, clip_on=False)
        elif x < low:
            frame.plot(low, y, "<", color=color, markersize=5, clip_on=False)
        else:
            frame.plot(x, y, marker, color=color, markersize=5, markerfacecolor=color if fill else "white")
    style.logarithmic(frame, y=False)
    frame.set_xlim(low, high)


def amplitude(experiment):
    """E3: draws amplitude and phase errors at 90 s of every method, for both steps."""
    tables = [("h=0.1", "o", True), ("h=0.25", "s", False)]
    rows = _sorted(experiment.rows(tables[0][0]))
    figure, (left, right) = style.figure(1, 2, 11, 0.19 * len(rows) + 1.6, sharey=True)
    for name, marker, fill in tables:
        found = {row["method"]: row for row in experiment.rows(name)}
        ordered = [found[row["method"]] for row in rows if row["method"] in found]
        _dots(left, ordered, lambda row: abs(number(row["amplitude_mean"]) - 1), 1e-10, 1e3, marker, fill)
        _dots(right, ordered, lambda row: abs(number(row["phase"])), 1e-8, 1e3, marker, fill)
    _names(left, rows)
    left.set(xlabel="|rms amplitude of the last 10 s - 1|", title="Amplitude (dots: h = 0.1, squares: h = 0.25, arrows: beyond)")
    right.set(xlabel="|phase error at 90 s|, rad", title="Phase (dots: h = 0.1, squares: h = 0.25, dashed: a turn)")
    right.axvline(2 * math.pi, color=style.GREY, linewidth=0.8, linestyle="--")
    return figure


def stability(experiment):
    """Draws the stability limits without damping, and for all damping ratios."""
    rows = _sorted(experiment.table("limits")["rows"])
    damped = {label: (x, y) for label, x, y in experiment.series("map") if len(x) > 1}
    figure, (left, right) = style.figure(1, 2, 12.5, 0.19 * len(rows) + 1.4, width_ratios=[1, 1.25])
    for y, row in enumerate(rows):
        color = style.family_color(row["family"])
        limit = number(row.get("zeta_0"))
        if math.isnan(limit):
            left.plot(8, y, ">", color=color, clip_on=False)
        elif number(row.get("table")) == 0:
            left.plot(0, y, "x", color=color, markersize=5, clip_on=False)
        else:
            left.plot([0, limit], [y, y], color=color, linewidth=1)
            left.plot(limit, y, "o", color=color, markersize=5)
    _names(left, rows)
    left.set_xlim(0, 8)
    left.set(xlabel="largest stable omega h", title="Without damping (x: none; arrow: no limit seen)")
    shown = [row for row in rows if row["method"] in damped]
    zetas = damped[shown[0]["method"]][0]
    step = math.sqrt(zetas[1] / zetas[0])  # half a column of the map
    mesh = right.pcolormesh([zetas[0] / step, *(zeta * step for zeta in zetas)], [y - 0.5 for y in range(len(shown) + 1)],
                            [damped[row["method"]][1] for row in shown], cmap="viridis", norm=style.matplotlib.colors.LogNorm(0.05, 8))
    style.logarithmic(right, y=False)
    right.set_yticks(range(len(shown)), [row["method"] for row in shown], fontsize=7.5)
    for label, row in zip(right.get_yticklabels(), shown):
        label.set_color(style.ink(style.family_color(row["family"])))
    right.invert_yaxis()
    right.grid(False)
    for y, row in enumerate(shown):
        x, limits = damped[row["method"]]
        for zeta in (0.01, 0.1, 0.5, 1, 2):
            value = number(row.get(f"zeta_{zeta:g}"))  # from the table, because the map has other damping ratios
            column = min(range(len(x)), key=lambda i: abs(math.log(x[i] / zeta)))
            right.text(zeta, y, ">8" if math.isnan(value) else f"{value:.2g}", ha="center", va="center", fontsize=7,
                       color=style.on(mesh.cmap(mesh.norm(limits[column]))[:3]))
    right.set(xlabel="damping ratio zeta", title="With damping, methods that accept drag")
    bar = figure.colorbar(mesh, ax=right, ticks=[0.05, 0.1, 0.2, 0.5, 1, 2, 4, 8])
    bar.ax.set_yticklabels(["0.05", "0.1", "0.2", "0.5", "1", "2", "4", ">= 8"])
    bar.set_label("largest stable omega h")
    return figure


def _by_order(experiment, name, groups):
    """Returns the rows of a table in groups of orders, with composed methods last. Empty groups are left out."""
    rows = experiment.rows(name)
    made = [(title, [row for row in rows if row["order"] in orders and " by " not in row["method"]]) for title, orders in groups]
    made.append(("composed", [row for row in rows if " by " in row["method"]]))
    return [(title, members) for title, members in made if members]


def _maps(members, series):
    """Returns the series of methods. Methods that are the same map on this problem, such as the forms of Verlet, share a label."""
    made = []
    for row in members:
        if row["method"] not in series:
            continue
        x, y = series[row["method"]]
        half = (len(y) + 1) // 2  # in the second half rounding makes them differ
        for entry in made:
            if entry[1][:half] == x[:half] and all(abs(a - b) <= 1e-3 * abs(a) for a, b in zip(entry[2][:half], y)):
                entry[0] += f"\n = {row['method']}"
                break
        else:
            made.append([row["method"], x, y])
    return made


def _small_multiples(experiment, table, figure_name, groups, columns, height):
    """Draws one frame per group of orders. Each has all series in grey, and the group's in colour on top."""
    series = {label: (x, y) for label, x, y in experiment.series(figure_name)}
    made = _by_order(experiment, table, groups)
    rows = math.ceil(len(made) / columns)
    figure, frames = style.figure(rows, columns, 4.1 * columns if columns > 2 else 12.5, height * rows, sharex=True, sharey=True)
    for frame in frames[len(made):]:
        frame.set_axis_off()
    for frame, (title, members) in zip(frames, made):
        for x, y in series.values():
            frame.plot(x, y, color="#dddddd", linewidth=0.7, zorder=1)
        for index, (label, x, y) in enumerate(_maps(members, series)):
            line = ["-", "--", ":"][index // len(style.CYCLE) % 3]
            frame.plot(x, y, line, color=style.CYCLE[index % len(style.CYCLE)], marker="o", markersize=2.4, label=label)
        style.logarithmic(frame)
        frame.set_title(title)
    for index, frame in enumerate(frames[:len(made)]):
        frame.tick_params(labelbottom=index + columns >= len(made))
    return figure, frames[:len(made)]


def work(experiment):
    """E7: draws the error against the evaluations, one frame per order."""
    figure, frames = _small_multiples(experiment, "cost", "work", ORDERS, 4, 3.7)
    for index, frame in enumerate(frames):
        frame.set_ylim(1e-14, 10)
        if frame.get_title() == "composed":
            frame.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7)
        else:
            frame.legend(loc="lower left", fontsize=7)
        if index % 4 == 0:
            frame.set_ylabel("error after ten orbits")
        if index + 4 >= len(frames):
            frame.set_xlabel("evaluations an orbit")
    return figure


def cost(experiment):
    """E7: draws the evaluations per orbit for a given error, for every method."""
    rows = [row for row in experiment.rows("cost") if not math.isnan(number(row.get("cost_1e-2")))]
    rows.sort(key=lambda row: (math.isnan(number(row["cost_1e-6"])), number(row["cost_1e-6"]), number(row["cost_1e-2"])))
    figure, (frame,) = style.figure(1, 1, 8.5, 0.19 * len(rows) + 1.5)
    shades = {2: "#9ecae1", 4: "#6baed6", 6: "#3182bd", 8: "#08519c", 10: "#08306b"}
    for y, row in enumerate(rows):
        found = [(exponent, number(row.get(f"cost_1e-{exponent}"))) for exponent in shades]
        found = [(exponent, value) for exponent, value in found if not math.isnan(value)]
        frame.plot([value for _, value in found], [y] * len(found), color="#cccccc", linewidth=1, zorder=1)
        for exponent, value in found:
            frame.plot(value, y, "o", color=shades[exponent], markersize=5)
    for exponent, color in shades.items():
        frame.plot([], [], "o", color=color, label=f"error 1e-{exponent}")
    _names(frame, rows)
    style.logarithmic(frame, y=False)
    frame.set(xlabel="evaluations an orbit", title="What an error costs, in the order of cost for 1e-6")
    frame.legend(loc="lower right")
    return figure


def errors(experiment):
    """Draws VDrift's picture: the mean error against the step at equal cost, one frame per damping ratio."""
    panels = experiment.panels("error")
    limits = {"zeta = 1": "limit_1", "zeta = 2": "limit_2", "zeta = 0.1": "limit_0.1"}
    figure, frames = style.figure(1, len(panels), 13, 4, sharey=True)
    for frame, panel in zip(frames, panels):
        for label, x, y in experiment.series("error", panel):
            color, line, marker = style.METHODS.get(label, (style.GREY, "-", "o"))
            frame.plot([1000 * value for value in x], y, color=color, linestyle=line, marker=marker, markersize=3.5, linewidth=1, label=label)
        for row in experiment.rows("ranking"):
            limit = number(row.get(limits.get(panel, "")))
            if limit < 20.5:
                frame.axvline(limit, color=style.METHODS[row["method"]][0], linewidth=0.9, linestyle=":")
        style.logarithmic(frame, x=False)
        frame.set_ylim(1e-6, 10)
        frame.set_xlim(0.5, 20.5)
        frame.set(xlabel="step an evaluation, ms", title=f"{panel} (dotted: limits)")
    frames[0].set_ylabel("mean |x - exact|")
    frames[-1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def ranking(experiment):
    """Draws VDrift's table of ranks next to the measurements. Darker cells have better measurements."""
    rows = experiment.rows("ranking")
    columns = [("accuracy", "error", "Accuracy\nmean error at 2 ms", "{:.2g}", -1), ("critical", "limit_1", "Stability, zeta = 1\nlimit, ms", "{:.3g}", 1),
               ("over", "limit_2", "Stability, zeta = 2\nlimit, ms", "{:.3g}", 1), ("under", "limit_0.1", "Stability, zeta = 0.1\nlimit, ms", "{:.3g}", 1)]
    if not rows:
        raise Fault(f"{experiment.path}: no ranked method")
    figure, (frame,) = style.figure(1, 1, 8.4, 0.55 * len(rows) + 1.2)
    shades = style.matplotlib.colormaps["Blues"]
    for x, (rank, value, _, form, sign) in enumerate(columns):
        logs = [math.log(number(row[value])) * sign for row in rows]
        low, high = min(logs), max(logs)
        for y, row in enumerate(rows):
            shade = 0.65 * (logs[y] - low) / (high - low) if high > low else 0
            frame.add_patch(style.pyplot.Rectangle((x, y), 1, 1, facecolor=shades(shade), edgecolor="white"))
            claimed = number(row[rank])
            tied = sum(number(other[rank]) == claimed for other in rows) > 1
            text = f"{int(claimed)} tied" if tied else f"{claimed:g}"
            frame.text(x + 0.27, y + 0.5, text, ha="center", va="center", fontsize=12, weight="bold")
            frame.text(x + 0.72, y + 0.5, form.format(number(row[value])), ha="center", va="center")
    frame.set_xlim(0, len(columns))
    frame.set_ylim(len(rows), 0)
    frame.set_xticks([i + 0.5 for i in range(len(columns))], [f"{title}" for _, _, title, _, _ in columns])
    frame.xaxis.tick_top()
    frame.set_yticks([i + 0.5 for i in range(len(rows))], [f"{row['name']}\n{row['method']}" for row in rows])
    frame.tick_params(length=0)
    frame.grid(False)
    frame.set_xlabel("bold: the rank on VDrift's page, 1 the best; beside it the measurement, darker the better")
    for spine in frame.spines.values():
        spine.set_visible(False)
    return figure


def oracles(experiment):
    """E8: draws the differences from exact arithmetic, in units in the last place."""
    tables = [(table["name"], table["title"]) for table in experiment.tables]
    rows = _sorted(experiment.rows(tables[0][0]))
    figure, frames = style.figure(1, len(tables), 11, 0.19 * len(rows) + 1.6, sharey=True)
    for frame, (name, title) in zip(frames, tables):
        found = {row["method"]: row for row in experiment.rows(name)}
        for key, marker, fill in (("f64_fused", "o", True), ("f32_fused", "s", False)):
            _dots(frame, rows, lambda row: number(found[row["method"]][key]) if row["method"] in found else None, 0.3, 1000, marker, fill)
        frame.set(xlabel="largest difference, units in the last place (dots: f64, squares: f32)", title=title)
    _names(frames[0], rows)
    return figure


def drift(experiment):
    """Draws the energy errors of long runs, one frame per order, with a line that grows as the square root of time."""
    groups = [("orders 1 and 2", (1, 2)), ("orders 3 and 4 (and RK4)", (3, 4)), ("orders 5 and 6", (5, 6)), ("order 8", (7, 8))]
    figure, frames = _small_multiples(experiment, "energy", "energy", groups, 2, 3.9)
    ends = [min(x[0] for _, x, _ in experiment.series("energy")), max(x[-1] for _, x, _ in experiment.series("energy"))]
    for index, frame in enumerate(frames):
        frame.plot(ends, [3e-15 * math.sqrt(x) for x in ends], color=style.BLACK, linestyle="--", linewidth=0.9)
        frame.text(ends[1], 8e-16 * math.sqrt(ends[1]), "square root of time", fontsize=7.5, va="top", ha="right")
        frame.set_ylim(1e-15, 1)
        frame.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7)
        if index % 2 == 0:
            frame.set_ylabel("rms energy error / |E0|")
        if index + 2 >= len(frames):
            frame.set_xlabel("orbits")
    return figure


def loss(experiment):
    """Draws the errors of float compared with double, plain and compensated."""
    figure, frames = style.figure(1, 2, 10, 3.8)
    for frame, panel in zip(frames, ("position", "energy")):
        for (label, x, y), color, marker in zip(experiment.series("loss", panel), (style.RED, style.BLUE), "os"):
            frame.plot(x, y, color=color, marker=marker, markersize=4, label=label)
        style.logarithmic(frame)
        frame.set(xlabel="steps", ylabel=f"rms {panel} lost", title=f"{panel}, against RK4 in f64")
        frame.legend(loc="upper left")
    return figure
