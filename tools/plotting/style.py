"""How pictures look: colours of families and of the methods that are drawn one by one."""

import zlib

import matplotlib
import matplotlib.ticker

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# Okabe and Ito's colours, which are told apart by all eyes.
BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#e69f00", "#56b4e9", "#009e73", "#d8c400", "#0072b2", "#d55e00", "#cc79a7")
GREY = "#999999"

FAMILIES = {
    "runge-kutta": ORANGE,
    "splitting": BLUE,
    "kinematic": YELLOW,
    "nystrom": GREEN,
    "implicit": PURPLE,
    "multistep": SKY,
    "magnetic": RED,
    "langevin": "#7f5539",
}

SPARE = ["#444444", "#8da0cb", "#a6761d", "#66a61e", "#e7298a"]

# Methods that the sources discuss: colour, line, marker.
METHODS = {
    "explicit-euler": (RED, "-", "o"),
    "suvat": (YELLOW, "-", "s"),
    "semi-implicit-euler": (GREEN, "-", "^"),
    "velocity-verlet": (BLUE, "-", "v"),
    "velocity-verlet-pc": (SKY, "--", "<"),
    "heun": (PURPLE, "-", "D"),
    "rk4": (ORANGE, "-", "P"),
    "implicit-euler": ("#7f5539", "-", "X"),
    "implicit-midpoint": ("#666666", "-.", "*"),
}

# For methods beside each other in one frame.
CYCLE = [BLUE, RED, GREEN, ORANGE, PURPLE, SKY, "#7f5539", YELLOW, *SPARE[:4]]

pyplot.rcParams.update({
    "font.size": 9,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.edgecolor": "#888888",
    "axes.titlesize": 10,
    "legend.fontsize": 8,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "#cccccc",
    "lines.linewidth": 1.3,
    "figure.constrained_layout.use": True,
    "svg.hashsalt": "kickdrift",  # equal data, equal files
    "svg.fonttype": "none",
})


def figure(rows, columns, width, height, **more):
    made, axes = pyplot.subplots(rows, columns, figsize=(width, height), squeeze=False, **more)
    return made, [frame for row in axes for frame in row]


def logarithmic(frame, x=True, y=True):
    """Ticks at powers of ten alone: minor ones would be most of the time that a picture takes."""
    if x:
        frame.set_xscale("log")
        frame.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    if y:
        frame.set_yscale("log")
        frame.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())


def family_color(family):
    """A family that is new has one of the other colours, the same in all pictures."""
    return FAMILIES.get(family) or SPARE[zlib.crc32(family.encode()) % len(SPARE)]


def family_legend(frame, families, **more):
    handles = [pyplot.Line2D([], [], marker="o", linestyle="", color=family_color(name), label=name) for name in [*FAMILIES, *sorted(set(families) - set(FAMILIES))] if name in families]
    frame.legend(handles=handles, **more)
