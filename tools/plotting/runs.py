"""Pictures of a run's frames: paths, phase portraits, conserved quantities, distributions, sections, positions, films."""

import numpy

from . import style
from .data import Fault

NAMED, PATHS = 8, 400  # NAMED: the largest number of particles with different colours; PATHS: the largest number of paths
AXES = "xyz"


def _shown(frames, most=PATHS):
    """Returns the indices of the particles to draw: all, or some at equal distances in the list."""
    count = len(frames.id)
    return numpy.arange(count) if count <= most else numpy.linspace(0, count - 1, most).astype(int)


def _look(frames, n, of):
    """Returns colour, width and label of path n of so many."""
    if of > NAMED:
        return style.BLUE, max(0.25, 1.2 - of / 200), None
    return style.CYCLE[n], 1.2, f"id {int(frames.id[n])}"


def _equal(frame, frames, flat):
    """Sets the same scale on all axes, about all finite positions."""
    places = frames.x[numpy.isfinite(frames.x).all(axis=2)]
    low, high = (numpy.quantile(places, q, axis=0) for q in (0.001, 0.999)) if len(places) > 2000 else (places.min(axis=0), places.max(axis=0))
    middle, reach = (low + high) / 2, max(0.55 * (high - low).max(), 1e-12)
    for axis in range(2 if flat else 3):
        getattr(frame, f"set_{AXES[axis]}lim")(middle[axis] - reach, middle[axis] + reach)
    frame.set_aspect("equal") if flat else frame.set_box_aspect((1, 1, 1))
    frame.locator_params(nbins=6 if flat else 4)
    frame.set(xlabel="x", ylabel="y", **({} if flat else {"zlabel": "z"}))


def _space(figure, place, frames):
    return figure.add_subplot(*place, **({} if frames.is_flat else {"projection": "3d"}))


def _paths(frame, frames):
    some, dims = _shown(frames), 2 if frames.is_flat else 3
    for n in some:
        color, width, label = _look(frames, n, len(some))
        frame.plot(*frames.x[:, n, :dims].T, color=color, linewidth=width, label=label)
        frame.plot(*[[c] for c in frames.x[-1, n, :dims]], ".", color=color, markersize=5 if len(some) <= NAMED else 1.5)
    _equal(frame, frames, frames.is_flat)
    frame.set_title(f"paths of {'all' if len(some) == len(frames.id) else len(some)} of {len(frames.id)}")


def paths(frames):
    figure = style.pyplot.figure(figsize=(7, 6.4))
    frame = _space(figure, (1, 1, 1), frames)
    _paths(frame, frames)
    if len(frames.id) <= NAMED:
        frame.legend(loc="best")
    return figure


def portrait(frames):
    """Draws velocity against position, one frame per axis."""
    axes = range(2 if frames.is_flat else 3)
    figure, places = style.figure(1, len(axes), 4.2 * len(axes), 4)
    some = _shown(frames)
    for axis, frame in zip(axes, places):
        for n in some:
            color, width, label = _look(frames, n, len(some))
            frame.plot(frames.x[:, n, axis], frames.v[:, n, axis], color=color, linewidth=width, label=label)
        frame.set(xlabel=AXES[axis], ylabel=f"v{AXES[axis]}", title=f"phase portrait, {AXES[axis]}")
    if len(some) <= NAMED:
        places[0].legend(loc="best")
    return figure


def sums(frames):
    """Returns kinetic energy, momentum and angular momentum of each frame. Frozen particles have none."""
    moves = frames.moves
    mass, x, v = frames.mass[moves], frames.x[:, moves], frames.v[:, moves]
    return 0.5 * (mass * (v**2).sum(axis=2)).sum(axis=1), (mass[:, None] * v).sum(axis=1), (mass[:, None] * numpy.cross(x, v)).sum(axis=1)


def _energies(frame, frames):
    kinetic, _, _ = sums(frames)
    curves = {"kinetic": kinetic, **{name: frames.observables[name] for name in ("potential", "energy") if name in frames.observables}}
    for (name, values), color in zip(curves.items(), (style.ORANGE, style.SKY, style.BLACK)):
        frame.plot(frames.t, values, color=color, label=name)
    frame.set(xlabel="t", ylabel="energy", title="energy" if "energy" in curves else "kinetic energy (only H5MD has the others)")
    frame.legend(loc="best")


def _momenta(frame, frames):
    _, momentum, turning = sums(frames)
    for values, line, name in ((momentum, "-", "p"), (turning, "--", "L")):
        for axis in range(3):
            if values[:, axis].any():
                frame.plot(frames.t, values[:, axis], line, color=style.CYCLE[axis], label=f"{name}{AXES[axis]}")
    frame.set(xlabel="t", title="momentum p, angular momentum L")
    if frame.lines:
        frame.legend(loc="best")


def conserved(frames):
    """Draws energies, the change of the energy, momentum and angular momentum against time."""
    has_energy = "energy" in frames.observables
    figure, places = style.figure(1, 2 + has_energy, 4.8 * (2 + has_energy), 4)
    _energies(places[0], frames)
    _momenta(places[1], frames)
    if has_energy:
        energy = frames.observables["energy"]
        places[2].plot(frames.t, energy - energy[0], color=style.BLACK)
        places[2].set(xlabel="t", ylabel="E - E(0)", title="the energy's change")
    return figure


def _histogram(frame, values, color, label):
    values = values[numpy.isfinite(values)]
    if len(values):
        frame.hist(values, bins=max(8, min(80, int(2 * len(values)**0.4))), range=(0, values.max() or 1), density=True, histtype="step", color=color, linewidth=1.3, label=label)


def _of_first_and_last(frame, frames, of, name):
    for k, color in ((0, style.GREY), (-1, style.BLUE))[1 - (len(frames.t) > 1):]:
        _histogram(frame, of(k), color, f"t = {frames.t[k]:.4g}")
    frame.set(xlabel=name, ylabel="density", title=f"distribution of {name}")
    frame.legend(loc="best")


def _speeds(frame, frames):
    _of_first_and_last(frame, frames, lambda k: numpy.linalg.norm(frames.v[k], axis=1), "speed")


def _speed_curves(frame, frames):
    for n in range(len(frames.id)):
        color, width, label = _look(frames, n, len(frames.id))
        frame.plot(frames.t, numpy.linalg.norm(frames.v[:, n], axis=1), color=color, linewidth=width, label=label)
    frame.set(xlabel="t", ylabel="speed", title="speed")
    frame.legend(loc="best")


def distributions(frames):
    """Draws histograms of the distances from the centre of mass, and of the speeds, in the first frame and in the last."""
    def radii(k):
        weight = numpy.where(frames.moves, frames.mass, 0)
        centre = (weight[:, None] * frames.x[k]).sum(axis=0) / weight.sum() if weight.sum() else frames.x[k].mean(axis=0)
        return numpy.linalg.norm(frames.x[k] - centre, axis=1)

    figure, (left, right) = style.figure(1, 2, 10, 4)
    _of_first_and_last(left, frames, radii, "radius")
    _speeds(right, frames)
    return figure


def section(frames):
    """Draws a Poincare section: x and vx where y rises through 0, interpolated between two frames."""
    figure, (frame,) = style.figure(1, 1, 6, 5)
    some, found = _shown(frames), 0
    for n in some:
        y = frames.x[:, n, 1]
        at = numpy.flatnonzero((y[:-1] < 0) & (y[1:] >= 0))
        share = -y[at] / (y[at + 1] - y[at])
        x, v = ((1 - share) * values[at, n, 0] + share * values[at + 1, n, 0] for values in (frames.x, frames.v))
        color, _, label = _look(frames, n, len(some))
        frame.plot(x, v, ".", color=color, markersize=4 if len(some) <= NAMED else 2, label=label)
        found += len(at)
    if not found:
        raise Fault(f"{frames.path}: nobody goes up through y = 0 between two frames, expected a section; another output.every may do")
    frame.set(xlabel="x", ylabel="vx", title=f"Poincare section y = 0, vy > 0: {found} crossings")
    if len(some) <= NAMED:
        frame.legend(loc="best")
    return figure


def _fastest(frames, moments):
    speeds = numpy.linalg.norm(frames.v[list(moments)], axis=2)
    return speeds[numpy.isfinite(speeds)].max(initial=0) or 1


def _dots(frame, frames, k, fastest):
    dims, size = 2 if frames.is_flat else 3, min(6, max(0.8, 60 / len(frames.id)**0.5))
    speed = numpy.linalg.norm(frames.v[k], axis=1)
    return frame.scatter(*frames.x[k, :, :dims].T, c=speed, s=size**2, cmap="viridis", vmin=0, vmax=fastest, linewidths=0)


def snapshot(frames):
    """Draws the particles at the start, in the middle and at the end, coloured by speed."""
    moments = sorted({0, len(frames.t) // 2, len(frames.t) - 1})
    figure = style.pyplot.figure(figsize=(4.6 * len(moments) + 0.6, 4.4))
    for place, k in enumerate(moments):
        frame = _space(figure, (1, len(moments), place + 1), frames)
        dots = _dots(frame, frames, k, _fastest(frames, moments))
        _equal(frame, frames, frames.is_flat)
        frame.set_title(f"t = {frames.t[k]:.4g}")
    figure.colorbar(dots, ax=figure.axes, label="speed", shrink=0.7)
    return figure


def overview(frames):
    figure = style.pyplot.figure(figsize=(11, 8.6))
    _paths(_space(figure, (2, 2, 1), frames), frames)
    for place, draw in ((2, _speeds if len(frames.id) > NAMED else _speed_curves), (3, _energies), (4, _momenta)):
        draw(figure.add_subplot(2, 2, place), frames)
    return figure


def film(frames):
    """Makes a film of all frames, or of 100 of them."""
    from matplotlib import animation
    chosen = _shown_frames(frames)
    fastest = _fastest(frames, chosen)
    figure = style.pyplot.figure(figsize=(5.4, 5))
    frame = _space(figure, (1, 1, 1), frames)

    def draw(k):
        frame.clear()
        _dots(frame, frames, k, fastest)
        _equal(frame, frames, frames.is_flat)
        frame.set_title(f"t = {frames.t[k]:.4g}")
        return []
    return animation.FuncAnimation(figure, draw, frames=chosen, interval=50, blit=False)


def _shown_frames(frames, most=100):
    return range(len(frames.t)) if len(frames.t) <= most else [int(k) for k in numpy.linspace(0, len(frames.t) - 1, most)]
