"""The style of pictures: colours of families, and of the methods that are drawn one by one."""

import zlib

import matplotlib
import matplotlib.colors
import matplotlib.ticker
import numpy

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

# The colours of Okabe and Ito, which colour-blind people can distinguish.
BLACK, ORANGE, SKY, GREEN, BLUE, RED, PURPLE = ("#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7")
OLIVE = "#757500"  # instead of their yellow, which is hard to see on white
GREY = "#999999"

FAMILIES = {
    "runge-kutta": ORANGE,
    "splitting": BLUE,
    "kinematic": OLIVE,
    "nystrom": GREEN,
    "implicit": PURPLE,
    "multistep": SKY,
    "magnetic": RED,
    "langevin": "#7f5539",
}

SPARE = ["#444444", "#8da0cb", "#a6761d", "#66a61e", "#e7298a"]

# The colour, line and marker of methods that the sources discuss.
METHODS = {
    "explicit-euler": (RED, "-", "o"),
    "suvat": (OLIVE, "-", "s"),
    "semi-implicit-euler": (GREEN, "-", "^"),
    "velocity-verlet": (BLUE, "-", "v"),
    "velocity-verlet-pc": (SKY, "--", "<"),
    "heun": (PURPLE, "-", "D"),
    "rk4": (ORANGE, "-", "P"),
    "implicit-euler": ("#7f5539", "-", "X"),
    "implicit-midpoint": ("#666666", "-.", "*"),
    "Verlet, unmodified": ("#222222", ":", "x"),
}

# The colours of methods in the same frame.
CYCLE = [BLUE, RED, GREEN, ORANGE, PURPLE, SKY, "#7f5539", OLIVE, *SPARE[:4]]

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
    "svg.hashsalt": "kickdrift",  # the same data gives the same file
    "svg.fonttype": "none",
})


def figure(rows, columns, width, height, **more):
    made, axes = pyplot.subplots(rows, columns, figsize=(width, height), squeeze=False, **more)
    return made, [frame for row in axes for frame in row]


def logarithmic(frame, x=True, y=True):
    """Sets logarithmic axes with ticks at powers of ten alone. Minor ticks would take most of the time of a picture."""
    if x:
        frame.set_xscale("log")
        frame.xaxis.set_minor_locator(matplotlib.ticker.NullLocator())
    if y:
        frame.set_yscale("log")
        frame.yaxis.set_minor_locator(matplotlib.ticker.NullLocator())


def family_color(family):
    """Returns the colour of a family. A new family gets one of the spare colours, the same in all pictures."""
    return FAMILIES.get(family) or SPARE[zlib.crc32(family.encode()) % len(SPARE)]


def luminance(color):
    """Returns the relative luminance (WCAG 2) of a colour, from 0, black, to 1, white."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in matplotlib.colors.to_rgb(color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ink(color):
    """Returns the colour, darkened until text in it can be read on white."""
    red, green, blue = matplotlib.colors.to_rgb(color)
    while luminance((red, green, blue)) > 0.18:
        red, green, blue = 0.95 * red, 0.95 * green, 0.95 * blue
    return red, green, blue


def on(color):
    """Returns black or white, whichever is easier to read on a colour."""
    return "black" if luminance(color) > 0.18 else "white"


def take_turns(frame, dash=6):
    """Draws curves that coincide, within a pixel and a half in the visible part, as alternating dashes, so that none hides another. Call
    it last, when the axes are final."""
    low, high = sorted(frame.get_ylim())
    groups = []
    for line in frame.lines:
        x, y = (numpy.asarray(values, dtype=float) for values in line.get_data())
        if line.get_label().startswith("_") or line.get_zorder() == 1 or len(x) < 3:
            continue
        path, shown = frame.transData.transform(numpy.column_stack([x, numpy.clip(y, low, high)])), (low < y) & (y < high)
        for others, first, seen in groups:
            if len(seen) == len(shown) and (seen | shown).any() and \
                    numpy.nanquantile(numpy.abs(first - path)[seen | shown], 0.95) < 1.5:
                others.append(line)
                break
        else:
            groups.append(([line], path, shown))
    for lines, _, _ in groups:
        for turn, line in enumerate(lines if len(lines) > 1 else []):
            line.set_linestyle((dash * (len(lines) - turn), (dash, dash * (len(lines) - 1))))
            line.set_dash_capstyle("butt")
            line.set_markevery((turn, len(lines)))


def family_legend(frame, families, **more):
    handles = [pyplot.Line2D([], [], marker="o", linestyle="", color=family_color(name), label=name) for name in [*FAMILIES, *sorted(set(families) - set(FAMILIES))] if name in families]
    frame.legend(handles=handles, **more)
