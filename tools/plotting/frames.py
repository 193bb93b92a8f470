"""Reads the frames that `kickdrift run` and `kickdrift convert` write, from CSV, H5MD, extended XYZ and .npy, into one form."""

import os
import re

import numpy

from .data import Fault

COLUMNS = ["step", "t", "id", "x", "y", "z", "vx", "vy", "vz", "mass"]
NEEDED = COLUMNS[3:9]
ROW = numpy.dtype([(name, "u8" if name == "id" else "f8") for name in COLUMNS])
PAIR = re.compile(r'''([^\s="]+|"[^"]*")\s*=\s*("[^"]*"|\S+)''')
PROPERTIES = {"pos": NEEDED[:3], "velo": NEEDED[3:], "vel": NEEDED[3:], "velocities": NEEDED[3:], "mass": ["mass"], "masses": ["mass"], "id": ["id"]}


class Frames:
    """Arrays of a run: step, t (frames); id, mass (particles); x, v (frames, particles, 3); observables: {name: (frames)} if the file has
    them.

    A particle is identified by its id, wherever it is in a frame. All frames have the same particles, with the same masses.
    """

    def __init__(self, path):
        self.path, self.observables = path, {}
        ending = os.path.splitext(path)[1]
        readers = {".csv": self._csv, ".h5": self._h5md, ".h5md": self._h5md, ".xyz": self._xyz, ".extxyz": self._xyz, ".npy": self._npy}
        if ending not in readers:
            raise Fault(f"{path}: expected a name that ends in {', '.join(readers)}")
        if not os.path.isfile(path):
            raise Fault(f"{path}: cannot read: no such file, expected frames of kickdrift run")
        readers[ending]()
        if not len(self.t) or not len(self.id):
            raise Fault(f"{path}: no frames of particles, expected at least one")

    def _fault(self, text):
        return Fault(f"{self.path}: {text}; kickdrift convert reads more dialects")

    def _take(self, step, t, ids, mass, x, v):
        """Takes frames whose particles may be in any order, and puts all into the order of the first."""
        self.step, self.t, self.x, self.v = step, t, x, v
        self.id, self.mass = (ids[0], mass[0]) if len(ids) else (numpy.zeros(0), numpy.zeros(0))
        first = numpy.argsort(self.id, kind="stable")
        if len(first) > 1 and (self.id[first][1:] == self.id[first][:-1]).any():
            raise self._fault("two particles of a frame have one id, expected ids that differ")
        back = numpy.argsort(first, kind="stable")
        for n in range(1, len(ids)):
            if not numpy.array_equal(ids[n], self.id):
                order = numpy.argsort(ids[n], kind="stable")
                if not numpy.array_equal(ids[n][order], self.id[first]):
                    born = [*numpy.setdiff1d(ids[n], self.id), *ids[n]]
                    raise self._fault(f"frame {n}: expected the particles of the first frame, once each, found id {born[0]}")
                order = order[back]
                self.x[n], self.v[n], mass[n] = x[n, order], v[n, order], mass[n, order]
            wrong = numpy.flatnonzero(mass[n] != self.mass)
            if len(wrong):
                raise self._fault(f"frame {n}: id {self.id[wrong[0]]} has another mass than in the first frame, expected the same")

    def _rows(self, rows, keys):
        """Takes one row per particle and frame. Rows with the same key are one frame, wherever they are."""
        _, first, frame = numpy.unique(keys, return_index=True, return_inverse=True)
        order = numpy.argsort(first[frame], kind="stable")
        count = len(rows) // max(len(first), 1)
        if (numpy.bincount(frame, minlength=1) != count).any() and len(rows):
            raise self._fault(f"{len(rows)} rows in {len(first)} frames, expected as many particles in each")
        frames = rows[order].reshape(len(first), count)
        if (frames["t"] != frames["t"][:, :1]).any():
            raise self._fault("rows of one step have other times, expected one per step")
        x, v = (numpy.stack([frames[name] for name in names], axis=-1) for names in (NEEDED[:3], NEEDED[3:]))
        self._take(frames["step"][:, 0] if count else numpy.zeros(0), frames["t"][:, 0] if count else numpy.zeros(0), frames["id"], frames["mass"].copy(), x, v)

    def _columns(self, names, take):
        """Takes the rows of a file; take(name) returns a column."""
        lacks = [name for name in NEEDED if name not in names]
        if lacks:
            raise self._fault(f"no {lacks[0]}, expected {', '.join(NEEDED)}")
        columns = {name: take(name) for name in COLUMNS if name in names}
        rows = numpy.zeros(len(columns["x"]), ROW)
        rows["mass"], rows["id"] = 1, numpy.arange(len(rows))
        for name, column in columns.items():
            rows[name] = column
        key = "step" if "step" in names else "t"
        keys = rows[key] if key in names else numpy.zeros(len(rows))
        if "t" not in names:
            rows["t"] = rows["step"]
        if "id" not in names:  # a particle is identified by its place in the frame
            order = numpy.argsort(keys, kind="stable")
            starts = numpy.searchsorted(keys[order], keys[order])
            rows["id"][order] = numpy.arange(len(rows)) - starts
        self._rows(rows, keys)

    def _csv(self):
        with open(self.path, encoding="utf-8-sig", errors="replace") as file:
            names = [name.strip().strip('"') for name in file.readline().strip().lstrip("# ").split(",")]
            is_empty = not file.readline().strip()
        names = names if any(name != name.upper() for name in names) else [name.lower() for name in names]
        known = [name for name in names if name in COLUMNS]
        try:
            rows = {}
            for id_type in ("u8", "f8"):  # ids are integers of 64 bits, or floating-point numbers
                types = [(name, id_type if name == "id" else "f8") for name in known]
                try:
                    rows = numpy.zeros(0, types) if is_empty else numpy.atleast_1d(
                        numpy.loadtxt(self.path, types, delimiter=",", skiprows=1, usecols=[names.index(name) for name in known], encoding="utf-8"))
                    break
                except ValueError:
                    if id_type == "f8":
                        raise
        except ValueError as error:
            raise self._fault(f"{error}, expected numbers") from None
        self._columns(known, lambda name: rows[name])

    def _npy(self):
        try:
            rows = numpy.load(self.path)
        except (ValueError, EOFError) as error:
            raise Fault(f"{self.path}: {error}, expected what kickdrift convert writes") from None
        self._columns(list(rows.dtype.names or ()), lambda name: rows[name])

    def _xyz_frame(self, count, about):
        """Returns the columns of a frame's particles, by the names in Properties."""
        words, at = about["Properties"].split(":"), 0
        rows = numpy.zeros(count, ROW)
        rows["step"], rows["t"], rows["mass"], rows["id"], places = float(about["Step"]), float(about["Time"]), 1, numpy.arange(count), {}
        for name, size in zip(words[::3], words[2::3]):
            for k, column in enumerate(PROPERTIES.get(name, [])):
                places.setdefault(column, at + k)
            at += int(size)
        return rows, places

    def _xyz(self):
        parts, keys = [], []
        with open(self.path, encoding="utf-8", errors="replace") as file:
            for line in file:
                if not line.strip():
                    continue
                try:
                    about = {key.strip('"'): value.strip('"') for key, value in PAIR.findall(file.readline())}
                    rows, places = self._xyz_frame(int(line), about)
                    cells = [file.readline().split() for _ in rows]
                    for name in NEEDED:
                        rows[name] = [float(cell[places[name]]) for cell in cells]
                    for name in set(places) - set(NEEDED):
                        rows[name] = [int(cell[places[name]]) if name == "id" else float(cell[places[name]]) for cell in cells]
                except (KeyError, ValueError, IndexError):
                    raise self._fault("expected frames with Step, Time, pos, velo, mass and id, as kickdrift run writes them") from None
                keys.append(numpy.full(len(rows), len(parts)))
                parts.append(rows)
        self._rows(numpy.concatenate(parts), numpy.concatenate(keys)) if parts else self._rows(numpy.zeros(0, ROW), numpy.zeros(0))

    def _h5md_is_of(self, element, steps, times):
        """Returns whether an element has a value at each of these steps and times, in this order."""
        return numpy.array_equal(element["step"][()], steps) and ("time" not in element or numpy.array_equal(element["time"][()], times))

    def _h5md_element(self, group, name, steps, times, default):
        """Returns an element with a value per frame, or with one for all frames."""
        import h5py
        if name not in group:
            return default
        element = group[name]
        if isinstance(element, h5py.Dataset):
            return numpy.broadcast_to(element[()], (len(steps), *element.shape)).copy()
        if not self._h5md_is_of(element, steps, times):
            raise self._fault(f"{name} has other steps or times than position, expected the same")
        return element["value"][()]

    def _h5md(self):
        try:
            import h5py
        except ImportError:
            raise Fault(f"{self.path}: expected h5py (Debian: python3-h5py), or a file of kickdrift convert {self.path} NAME.csv") from None
        try:
            with h5py.File(self.path) as file:
                groups = list(file["particles"])
                if len(groups) != 1:
                    raise self._fault(f"/particles has {', '.join(groups) or 'nothing'}, expected one group")
                particles = file["particles"][groups[0]]
                x = particles["position/value"][()]
                step, t = particles["position/step"][()], particles["position/time"][()]
                frames, count = x.shape[:2]
                if numpy.ndim(step) != 1 or numpy.ndim(t) != 1:
                    raise self._fault("step and time are increments, expected one per frame")
                v = self._h5md_element(particles, "velocity", step, t, None)
                if v is None or v.shape != x.shape or x.shape[2] != 3:
                    raise self._fault("expected velocities of all positions, on three axes")
                ids = self._h5md_element(particles, "id", step, t, numpy.broadcast_to(numpy.arange(count), (frames, count)))
                self._take(step, t, ids, self._h5md_element(particles, "mass", step, t, numpy.ones((frames, count))), x, v)
                self.observables = {name: group["value"][()] for name, group in file.get("observables", {}).items()
                                    if isinstance(group, h5py.Group) and group["value"].shape == (frames,) and self._h5md_is_of(group, step, t)}
        except (OSError, KeyError) as error:
            raise Fault(f"{self.path}: {str(error)[:80]}, expected an H5MD file with positions and velocities") from None

    @property
    def moves(self):
        """Marks the particles of finite mass. The others are frozen, and left out of sums."""
        return numpy.isfinite(self.mass)

    @property
    def is_flat(self):
        return not self.x[:, :, 2].any()
