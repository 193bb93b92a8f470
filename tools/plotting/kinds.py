"""The kinds of pictures: what each draws, from which experiments."""

import importlib


class Kind:
    """A kind of picture. draw: "module.function" in this package, which is imported only when needed, because matplotlib takes long to
    load."""

    def __init__(self, draw, experiments, caption, reads="data.Run", endings=(".svg", ".png")):
        self._draw, self.experiments, self.caption, self._reads, self.endings = draw, experiments, caption, reads, endings

    def read(self, path):
        """Reads the data for a kind that draws no experiment."""
        module, name = self._reads.split(".")
        return getattr(importlib.import_module(f"plotting.{module}"), name)(path)

    def draw(self, source):
        module, function = self._draw.split(".")
        return getattr(importlib.import_module(f"plotting.{module}"), function)(source)


TURNS = "; curves that coincide take turns in dashes"

# The kinds are in the order of the page. Those without experiments draw a file of states or frames.
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
    "rates": Kind("rates.rates", [], "evaluations per second: rows step/... that kickdrift bench --benchmark_out wrote", "data.Bench"),
    "run": Kind("motion.run", [], "a CSV file that kickdrift run wrote"),
    "cloud": Kind("space.cloud", [], "the same, of many particles at a few moments: where they are, seen along z"),
    **{name: Kind(f"runs.{name}", [], caption, "frames.Frames") for name, caption in {
        "overview": "frames of kickdrift run (.csv, .h5, .xyz, .npy): paths, speeds, energy, momentum",
        "paths": "the same: paths in the plane or in space",
        "portrait": "the same: velocity against place, each axis",
        "conserved": "the same: energies, momentum, angular momentum against time",
        "distributions": "the same: radii and speeds, at first and at last",
        "section": "the same: Poincare's section, x and vx where y goes up through 0",
        "snapshot": "the same: where the particles are at three moments, and how fast",
    }.items()},
    "film": Kind("runs.film", [], "the same, moving", "frames.Frames", (".gif",)),
    "cloth": Kind("space.cloth", [], "the same, of a cloth whose particles are named 1000 row + column"),
}


def kinds_of(name):
    return [(kind, row) for kind, row in KINDS.items() if name in row.experiments]
