"""Reading what `kickdrift run` and `kickdrift convert` write: frames of CSV, H5MD, extended XYZ and .npy, in one shape."""

import os

import numpy

from .data import Fault

COLUMNS = ["step", "t", "id", "x", "y", "z", "vx", "vy", "vz", "mass"]
IMAGES = ["ix", "iy", "iz"]  # of a periodic boundary, behind them; not drawn


class Frames:
    """step, t (frames); id, mass (particles); x, v (frames, particles, 3); observables: {name: (frames)} where the file has them."""

    def __init__(self, path):
        self.path, self.observables = path, {}
        ending = os.path.splitext(path)[1]
        readers = {".csv": self._csv, ".h5": self._h5md, ".xyz": self._xyz, ".npy": self._npy}
        if ending not in readers:
            raise Fault(f"{path}: expected a name that ends in {', '.join(readers)}")
        if not os.path.isfile(path):
            raise Fault(f"{path}: cannot read: no such file, expected frames of kickdrift run")
        readers[ending]()
        if not len(self.t) or not len(self.id):
            raise Fault(f"{path}: no frames of particles, expected at least one")

    def _rows(self, rows):
        """From a row a particle and frame, all particles in each."""
        steps, first = numpy.unique(rows[:, 0], return_index=True)
        count = len(rows) // max(len(steps), 1)
        if count * len(steps) != len(rows):
            raise Fault(f"{self.path}: {len(rows)} rows in {len(steps)} frames, expected as many particles in each")
        frames = rows.reshape(len(steps), count, rows.shape[1])[numpy.argsort(numpy.argsort(first))] if len(steps) else rows.reshape(0, 0, len(COLUMNS))
        self.step, self.t = (frames[:, 0, k] if count else numpy.zeros(0) for k in (0, 1))
        self.id, self.mass = (frames[0, :, k] if len(steps) else numpy.zeros(0) for k in (2, 9))
        self.x, self.v = frames[:, :, 3:6], frames[:, :, 6:9]

    def _csv(self):
        with open(self.path, encoding="utf-8", errors="replace") as file:
            header, is_empty = file.readline().strip().split(","), not file.readline().strip()
        if header not in (COLUMNS, COLUMNS[:-1], [*COLUMNS, *IMAGES]):
            raise Fault(f"{self.path}: expected the header {','.join(COLUMNS)}, as a scene's output has it")
        if is_empty:
            self._rows(numpy.zeros((0, len(COLUMNS))))
            return
        try:
            rows = numpy.loadtxt(self.path, delimiter=",", skiprows=1, ndmin=2).reshape(-1, len(header))
        except ValueError as error:
            raise Fault(f"{self.path}: {error}, expected numbers") from None
        self._rows(rows[:, : len(COLUMNS)] if len(header) >= len(COLUMNS) else numpy.column_stack([rows, numpy.ones(len(rows))]))

    def _npy(self):
        try:
            rows = numpy.load(self.path)
        except (ValueError, EOFError) as error:
            raise Fault(f"{self.path}: {error}, expected what kickdrift convert writes") from None
        if list(rows.dtype.names or ()) != COLUMNS:
            raise Fault(f"{self.path}: expected records of {', '.join(COLUMNS)}, as kickdrift convert writes them")
        self._rows(numpy.column_stack([rows[name].astype(float) for name in COLUMNS]))

    def _xyz(self):
        rows = []
        with open(self.path, encoding="utf-8", errors="replace") as file:
            while line := file.readline().strip():
                try:
                    about = dict(part.split("=", 1) for part in file.readline().split() if "=" in part)
                    head = [float(about["Step"]), float(about["Time"])]
                    for _ in range(int(line)):
                        cells = [float(cell) for cell in file.readline().split()[1:]]
                        rows.append([*head, cells[7], *cells[:7]])
                except (KeyError, ValueError, IndexError):
                    raise Fault(f"{self.path}: expected frames with Step, Time, pos, velo, mass and id, as kickdrift run writes them") from None
        self._rows(numpy.array(rows).reshape(-1, len(COLUMNS)))

    def _h5md(self):
        try:
            import h5py
        except ImportError:
            raise Fault(f"{self.path}: expected h5py (Debian: python3-h5py), or a file of kickdrift convert {self.path} NAME.csv") from None
        try:
            with h5py.File(self.path) as file:
                particles = file["particles/all"]
                self.x, self.v = particles["position/value"][()], particles["velocity/value"][()]
                self.step, self.t = particles["position/step"][()], particles["position/time"][()]
                count = self.x.shape[1]
                self.id = particles["id"][()] if "id" in particles else numpy.arange(count)
                self.mass = particles["mass"][()] if "mass" in particles else numpy.ones(count)
                self.observables = {name: group["value"][()] for name, group in file.get("observables", {}).items()}
        except (OSError, KeyError) as error:
            raise Fault(f"{self.path}: {str(error)[:80]}, expected an H5MD file with positions and velocities") from None

    @property
    def moves(self):
        """Particles of a finite mass: the others are frozen, and left out of sums."""
        return numpy.isfinite(self.mass)

    @property
    def is_flat(self):
        return not self.x[:, :, 2].any()
