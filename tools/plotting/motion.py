"""Pictures over time: positions and the exact curve, energies, phases, and the output of a run."""

import math

from . import style
from .data import Fault


def _draw(frame, series, only=style.METHODS, markers=True, **more):
    """Draws the methods that the sources discuss, on top of the exact curve."""
    for label, x, y in series:
        if label == "exact":
            frame.plot(x, y, color=style.BLACK, linewidth=2.6, alpha=0.35, label="exact", zorder=1)
    drawn = [(label, x, y) for label, x, y in series if label in only]
    swings = [sum(abs(b - a) for a, b in zip(y, y[1:])) for _, _, y in drawn]
    for (label, x, y), swing in zip(drawn, swings):
        color, line, marker = style.METHODS[label]
        above = 2 + sum(other > swing for other in swings) / 100  # the curve that swings least is on top
        frame.plot(x, y, color=color, linestyle=line, marker=marker if markers else None, markersize=3.2, linewidth=1, label=label, zorder=above, **more)


def _limits(frame, series, margin):
    """Sets the limits of the axes to those of the exact curve, which diverging curves leave."""
    exact = [value for label, _, y in series if label == "exact" for value in y]
    low, high = min(exact), max(exact)
    frame.set_ylim(low - margin * (high - low), high + margin * (high - low))


def fall(experiment):
    figure, (left, right) = style.figure(1, 2, 10, 4)
    series = experiment.series("fall")
    _draw(left, series)
    left.set(xlabel="t, s", ylabel="x", title="Acceleration 10 from rest, h = 1 s")
    left.legend(loc="upper left")
    rows = experiment.rows("methods")
    drawn = [row for row in rows if abs(row["error"]) > 1e-9]
    for row in drawn:
        right.barh(row["method"], row["error"], color=style.family_color(row["family"]))
    right.invert_yaxis()
    right.axvline(0, color=style.BLACK, linewidth=0.8)
    right.set(xlabel="x - 500 after 10 s", title=f"The {len(drawn)} of {len(rows)} methods that are not exact")
    style.family_legend(right, {row["family"] for row in drawn}, loc="best")
    return figure


def contributions(experiment):
    """E6: draws the error over half a period, one frame per number of springs, on a logarithmic axis. Exact methods are below it."""
    panels = experiment.panels("error")
    figure, frames = style.figure(1, len(panels), 5.5 * len(panels), 4.2)
    for frame, panel in zip(frames, panels):
        for label, x, y in experiment.series("error", panel):
            frame.plot(x, [max(value, 1e-17) for value in y], linewidth=1.2, label=label)
        frame.set_yscale("log")
        frame.set_ylim(1e-17, 1)
        frame.set(xlabel="time, half periods", ylabel="error of x, amplitudes", title=panel)
    frames[0].legend(loc="best")
    return figure


def bounce(experiment):
    """E6: draws the error of a bounce against the step."""
    figure, (frame,) = style.figure(1, 1, 5.5, 3.8)
    for (label, x, y), color, marker in zip(experiment.series("bounce"), (style.RED, style.BLUE), "os"):
        frame.plot(x, y, color=color, marker=marker, markersize=4, label=label)
    style.logarithmic(frame)
    frame.set(xlabel="step, s", ylabel="rms error of x", title="64 balls that bounce once")
    frame.legend(loc="best")
    return figure


def _cut(series, exact):
    """Cuts each curve one step after it has left the picture by far: a diverging curve would fill it with vertical lines."""
    reach = 4 * max(abs(value) for value in exact)
    cut = []
    for label, x, y in series:
        last = next((index + 1 for index, value in enumerate(y) if not abs(value) <= reach), len(y))
        cut.append((label, x, y) if label == "exact" else (label, x[:last], y[:last]))
    return cut


def position(experiment):
    """Draws x(t) of the methods that the sources discuss, one frame per case. The legend is in a free frame, or next to the last."""
    panels = experiment.panels("position")
    columns = 3 if len(panels) > 4 else 2
    rows = math.ceil(len(panels) / columns)
    figure, frames = style.figure(rows, columns, 12.5, 3.4 * rows)
    for frame in frames[len(panels):]:
        frame.set_axis_off()
    for frame, panel in zip(frames, panels):
        series = experiment.series("position", panel)
        exact = next(y for label, _, y in series if label == "exact")
        series = _cut(series, exact)
        _draw(frame, series, markers=len(series[0][1]) < 80)
        _limits(frame, series, 0.6)
        if experiment.name == "e4":
            frame.set_xlim(0, next(x for label, x, _ in series if label == "exact")[-1])
        frame.set(xlabel="t, s", ylabel="x", title=panel)
    handles, labels = frames[len(panels) - 1].get_legend_handles_labels()
    if len(frames) > len(panels):
        frames[-1].legend(handles, labels, loc="center")
    else:
        frames[columns - 1].legend(handles, labels, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def damped(experiment):
    """E2: draws x(t), and its distance from the exact curve."""
    figure, (left, right) = style.figure(1, 2, 13, 4)
    series = experiment.series("position")
    exact = next(y for label, _, y in series if label == "exact")
    _draw(left, series, markers=False)
    left.set(xlabel="t, s", ylabel="x", title="k = 15, b = 0.1, h = 0.01")
    errors = [(label, x, [abs(a - b) for a, b in zip(y, exact)]) for label, x, y in series if label != "exact"]
    _draw(right, errors, markers=False)
    style.logarithmic(right, x=False)
    right.set_ylim(1e-6, 3e3)
    right.set(xlabel="t, s", ylabel="|x - exact|", title="Distance from the closed form")
    handles, labels = left.get_legend_handles_labels()
    right.legend(handles, labels, loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def energy(experiment):
    """Draws E / E0 over time, on a logarithmic axis."""
    panels = experiment.panels("energy")
    figure, frames = style.figure(1, len(panels), 5.4 * len(panels) + 1.6, 4)
    for frame, panel in zip(frames, panels):
        series = experiment.series("energy", panel)
        _draw(frame, series, markers=False)
        if not any(label == "exact" for label, _, _ in series):
            frame.axhline(1, color=style.BLACK, linewidth=2.6, alpha=0.35, zorder=1, label="exact")
        style.logarithmic(frame, x=False)
        low, high = frame.get_ylim()
        frame.set_ylim(max(low, 1e-5 if experiment.name == "e2" else 1e-3), min(high, 1e3))
        frame.set(xlabel="t, s", ylabel="E / E0", title=panel or experiment.title)
    frames[-1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def phase(experiment):
    """Draws the phase ahead of the exact solution over time, in radians."""
    panels = experiment.panels("phase")
    figure, frames = style.figure(1, len(panels), 5.4 * len(panels) + 1.6, 4)
    for frame, panel in zip(frames, panels):
        series = experiment.series("phase", panel)
        _draw(frame, series, markers=False)
        frame.axhline(0, color=style.BLACK, linewidth=2.6, alpha=0.35, zorder=1, label="exact")
        shown = [abs(y[-1]) for label, _, y in series if label in ("semi-implicit-euler", "velocity-verlet", "heun")]
        reach = 1.3 * max(shown)
        frame.set_ylim(-reach, reach)
        frame.set(xlabel="t, s", ylabel="phase error, rad", title=panel)
    frames[-1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
    return figure


def run(states):
    """Draws the output of a scene: x over time of up to eight particles, and their paths."""
    particles = list(states.particles.items())
    if len(particles) > 1000:
        raise Fault(f"{states.path}: {len(particles)} particles, expected at most 1000")
    figure, (left, right) = style.figure(1, 2, 10, 4)
    for index, (name, rows) in enumerate(particles):
        shown = index < 8
        color = style.CYCLE[index % 8] if shown else style.GREY
        label, width = (f"id {name}" if shown else None), (1.3 if shown else 0.4)
        left.plot([row[1] for row in rows], [row[3] for row in rows], color=color, linewidth=width, label=label)
        right.plot([row[3] for row in rows], [row[4] for row in rows], color=color, linewidth=width)
    left.set(xlabel="t", ylabel="x", title="position over time")
    left.legend(loc="best")
    right.set(xlabel="x", ylabel="y", title="paths")
    right.axis("equal")
    return figure
