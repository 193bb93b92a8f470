"""Pictures of many particles in space, at the times in a CSV file of states."""

from . import style
from .data import Fault

MOST = 6  # largest number of pictures next to each other


def _moments(states):
    """Returns time -> {id: (x, y, z)}, in the order of the file."""
    moments = {}
    for name, rows in states.particles.items():
        for row in rows:
            moments.setdefault((row[0], row[1]), {})[int(row[2])] = row[3:6]
    if len(moments) > MOST:
        raise Fault(f"{states.path}: {len(moments)} moments, expected at most {MOST}")
    return [(time, places) for (_, time), places in sorted(moments.items())]


def cloud(states):
    """Draws the particles as seen along z. The two halves of the list have two colours."""
    moments = _moments(states)
    figure, frames = style.figure(1, len(moments), 3 * len(moments), 3.4, sharex=True, sharey=True)
    reach = max(abs(c) for _, places in moments[:1] for place in places.values() for c in place[:2])
    for frame, (time, places) in zip(frames, moments):
        order = sorted(places)
        for half, color in ((order[:len(order) // 2], style.BLUE), (order[len(order) // 2:], style.RED)):
            frame.plot([places[i][0] for i in half], [places[i][1] for i in half], ".", color=color, markersize=1.2)
        frame.set(title=f"t = {time:.2f}", xlabel="x", xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
    frames[0].set_ylabel("y")
    return figure


def cloth(states):
    """Draws a cloth with its threads. The id of a particle is 1000 row + column."""
    moments = _moments(states)
    figure = style.pyplot.figure(figsize=(3.6 * len(moments), 3.8))
    for n, (time, places) in enumerate(moments):
        frame = figure.add_subplot(1, len(moments), n + 1, projection="3d")
        rows = sorted({i // 1000 for i in places})
        columns = sorted({i % 1000 for i in places})
        if len(rows) * len(columns) != len(places):
            raise Fault(f"{states.path}: {len(places)} particles, expected {len(rows)} rows of {len(columns)}, named 1000 row + column")
        for thread in [[1000 * r + c for c in columns] for r in rows] + [[1000 * r + c for r in rows] for c in columns]:
            frame.plot(*[[places[i][axis] for i in thread] for axis in range(3)], color=style.BLUE, linewidth=0.5)
        frame.set(title=f"t = {time:.2f}", xlabel="x", ylabel="y", zlabel="z", xlim=(-0.2, 1.2), ylim=(-0.9, 1.1), zlim=(-1.3, 0.1))
        frame.locator_params(nbins=3)
        frame.view_init(elev=15, azim=-65)
    return figure
