"""The kinds of picture: what each draws, from which experiments."""

import importlib


class Kind:
    """`draw` is a module of this package and a function in it: matplotlib is imported when there is something to draw."""

    def __init__(self, draw, experiments, caption):
        self._draw, self.experiments, self.caption = draw, experiments, caption

    def draw(self, source):
        module, function = self._draw.split(".")
        return getattr(importlib.import_module(f"plotting.{module}"), function)(source)


TURNS = "; curves that coincide take turns in dashes"

# In the order of the page. Those without experiments draw a CSV file.
KINDS = {
    "fall": Kind("motion.fall", ["e1"], "positions against the exact curve, and the methods that miss it" + TURNS),
    "damped": Kind("motion.damped", ["e2"], "x(t) against the closed form, and the distance from it" + TURNS),
    "position": Kind("motion.position", ["e3", "e4", "e5"], "x(t) against the exact curve" + TURNS),
    "energy": Kind("motion.energy", ["e2", "e3"], "energy against time" + TURNS),
    "phase": Kind("motion.phase", ["e3"], "the phase error against time" + TURNS),
    "amplitude": Kind("methods.amplitude", ["e3"], "amplitude and phase errors of every method"),
    "errors": Kind("methods.errors", ["ranking"], "mean errors at equal cost" + TURNS),
    "ranking": Kind("methods.ranking", ["ranking"], "VDrift's ranks (bold) beside the measurements"),
    "contributions": Kind("motion.contributions", ["e6"], "errors of one spring and of two, every kind of contribution" + TURNS),
    "bounce": Kind("motion.bounce", ["e6"], "errors of a bounce against the step, by the source's pulses and by colliders"),
    "work": Kind("methods.work", ["e7"], "work and precision, a frame an order"),
    "cost": Kind("methods.cost", ["e7"], "evaluations an orbit for a given error"),
    "oracles": Kind("methods.oracles", ["e8"], "differences from exact arithmetic"),
    "stability": Kind("methods.stability", ["stability"], "the stability map"),
    "drift": Kind("methods.drift", ["energy"], "energy errors over the long run"),
    "loss": Kind("methods.loss", ["compensation"], "what float loses, plain and compensated"),
    "run": Kind("motion.run", [], "a CSV file that kickdrift run wrote"),
    "cloud": Kind("space.cloud", [], "the same, of many particles at a few moments: where they are, seen along z"),
    "cloth": Kind("space.cloth", [], "the same, of a cloth whose particles are named 1000 row + column"),
}


def kinds_of(name):
    return [(kind, row) for kind, row in KINDS.items() if name in row.experiments]
