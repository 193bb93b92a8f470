"""Random files that h5py and ASE write and read. What `kickdrift convert` makes of each is compared with what these libraries find in it."""

import random

import numpy

H5MD, ASE = 120, 60  # These are the numbers of files.


def fixed_or_list(element, name, count):
    """Returns the steps, or the times, of an element's values, which the file gives as a list, or as an increment with an offset. Returns
    None if the element has none."""
    if name not in element:
        return None
    value = element[name][()]
    return value if numpy.ndim(value) else element[name].attrs.get("offset", 0) + value * numpy.arange(count)


def element_of(group, name):
    """Returns (values, [(step, time)]) for an element that is given per frame, (values, None) for one that holds for all frames, and None
    if there is no such element."""
    if name not in group:
        return None
    if not hasattr(group[name], "keys"):
        return group[name][()], None
    value = group[name]["value"][()]
    step, time = (fixed_or_list(group[name], key, len(value)) for key in ("step", "time"))
    return value, [(int(step[i]), None if time is None else float(time[i])) for i in range(len(value))]


def frames_of(group):
    """Yields the frames as the format defines them: the positions at whose step and time every element that varies has a value."""
    position = element_of(group, "position")
    others = {name: element for name in ("velocity", "id", "mass", "image") if (element := element_of(group, name))}
    for value, (step, time) in zip(*position):
        frame = {"step": step, "t": float(step) if time is None else time, "position": value}
        for name, (values, moments) in others.items():
            rows = [0] if moments is None else [row for row, (s, t) in enumerate(moments) if s == step and (t is None or time is None or t == time)]
            frame[name] = None if not rows else values if moments is None else values[rows[0]]
        if all(value is not None for value in frame.values()):
            yield frame


class Writer:
    """Writes elements of random shapes, types, steps and storage."""

    def __init__(self, rng):
        self.rng, self.frames, self.count, self.dims = rng, random.randint(1, 6), random.randint(1, 5), random.choice([3, 3, 3, 2, 1])
        self.is_scalar, self.is_timed, self.has_offset = random.random() < 0.2, random.random() < 0.8, random.random() < 0.4

    def numbers(self, name, shape):
        if name == "id":
            ids = numpy.array([self.rng.permutation(200)[: self.count] for _ in range(shape[0] if len(shape) == 2 else 1)])
            return ids.reshape(shape).astype(random.choice(["<u8", ">i4", "<f8", "u1"]))
        if name == "image":
            return self.rng.integers(-9, 9, shape).astype(random.choice(["i1", "<i8", "<f4"]))
        kind = random.choice(["<f8", ">f8", "<f4", ">f4", "<f2", "<i4", ">i2", "u1"])
        low = 1 if name == "mass" or kind == "u1" else -90
        return (self.rng.integers(low, 90, shape) / (4 if "f" in kind else 1)).astype(kind)

    def put(self, group, name, shape):
        is_position = name == "position"
        if name in ("id", "mass") and random.random() < 0.4:
            group[name] = self.numbers(name, shape)
            return
        rows = range(self.frames) if is_position or random.random() < 0.6 else sorted(random.sample(range(self.frames + 2), random.randint(1, self.frames)))
        count = self.frames if self.is_scalar else len(rows)
        element = group.create_group(name)
        element.create_dataset("value", data=self.numbers(name, (count, *shape)), **random.choice([{}, {"compression": "gzip", "shuffle": True}]))
        if self.is_scalar:
            element["step"] = 5
            element["step"].attrs["offset"] = 7 if self.has_offset else 0
        else:
            element["step"] = 5 * numpy.array(rows, random.choice(["<i4", ">i8", "u2"]))
        if self.is_timed and self.is_scalar:
            element["time"] = 0.25
        elif self.is_timed and (is_position or random.random() < 0.9):
            element["time"] = numpy.array(rows, random.choice(["<f8", ">f4"])) / 4


def h5md(convert, fail):
    import h5py

    rng = numpy.random.default_rng(1)
    random.seed(1)
    for n in range(H5MD):
        groups = random.choice([["all"], ["b", "a"], ["atoms"]])
        with h5py.File("random.h5", "w") as file:
            for name in groups:
                to, group = Writer(rng), file.create_group("particles/" + name)
                to.put(group, "position", (to.count, to.dims))
                for element, shape, share in (("velocity", (to.count, to.dims), 0.8), ("id", (to.count,), 0.5), ("mass", (to.count,), 0.5),
                                              ("image", (to.count, to.dims), 0.3), ("force", (to.count, to.dims), 0.3)):
                    if random.random() < share:
                        to.put(group, element, shape)
        chosen = random.choice(groups)
        status, said = convert("random.h5", "random.csv", "--group", chosen)
        with h5py.File("random.h5", "r") as file:
            group = file["particles"][chosen]
            wanted = list(frames_of(group))
            named = [("force" in group, "force"), (len(groups) > 1, "of /particles"), (len(wanted) < len(group["position/value"]), "frames, at whose steps")]
        if status != 0:
            if wanted or "at which position and" not in said:
                fail(f"random.h5 {n}: {said}")
            continue
        compare_h5md(f"random.h5 {n}", wanted, said, fail)
        for is_left, word in named:
            if is_left and word not in said:
                fail(f"random.h5 {n}: said {said!r}, expected {word!r}")


def compare_h5md(name, wanted, said, fail):
    rows = numpy.atleast_1d(numpy.genfromtxt("random.csv", delimiter=",", names=True, dtype=None))
    count = len(rows) // len(wanted)
    for n, frame in enumerate(wanted):
        part, dims = rows[n * count : (n + 1) * count], frame["position"].shape[1]
        pairs = [("step", frame["step"]), ("t", frame["t"]), ("id", frame.get("id", numpy.arange(count))), ("mass", frame.get("mass", numpy.ones(count)))]
        for element, columns in (("position", "xyz"), ("velocity", ("vx", "vy", "vz")), ("image", ("ix", "iy", "iz"))):
            pairs += [(columns[axis], frame[element][:, axis]) for axis in range(dims) if element in frame]
        wrong = [column for column, value in pairs if len(part) != len(frame["position"]) or (part[column] != numpy.asarray(value, float)).any()]
        if wrong or len(rows) != count * len(wanted):
            fail(f"{name}, frame {n}: {wrong} differ; {said}")


def atoms_of(rng, n, has):
    import ase

    count = random.randint(1, 5)
    atoms = ase.Atoms(random.choices(["H", "Ar", "X", "Na"], k=count), positions=rng.normal(size=(count, 3)))
    atoms.set_masses(rng.uniform(0.5, 50, count))
    if has["velocities"]:
        atoms.set_velocities(rng.normal(size=(count, 3)))
    if has["ids"]:
        atoms.arrays["id"] = rng.permutation(100)[:count]
    if has["cell"]:
        atoms.set_cell({"box": [10, 11 + n, 12], "slab": [10, 11, 12], "tilted": [[10, 0, 0], [3, 11, 0], [0, 0, 12]]}[has["cell"]])
        atoms.pbc = [True, has["cell"] != "slab", True]
    if has["others"]:
        atoms.arrays.update(charge=rng.normal(size=count), stress=rng.normal(size=(count, 6)), flag=numpy.array([True] * count))
        atoms.info.update(energy=1.5, matrix=numpy.eye(3), text='a "quoted" = b', more={"a": [1, 2]}, good=True, list=[1, 2, 3])
    if has["step"]:
        atoms.info[has["step"]] = 10 * n
    if has["time"]:
        atoms.info["time"] = 0.25 * n
    return atoms


def ase(convert, fail):
    import ase.io

    rng = numpy.random.default_rng(1)
    random.seed(1)
    for n in range(ASE):
        has = {"velocities": random.random() < 0.8, "ids": random.random() < 0.4, "cell": random.choice([None, "box", "slab", "tilted"]),
               "others": random.random() < 0.5, "step": random.choice([None, "step", "Step", "Timestep"]), "time": random.random() < 0.5}
        ase.io.write("random.xyz", [atoms_of(rng, frame, has) for frame in range(random.randint(1, 4))], format="extxyz")
        status, said = convert("random.xyz", "random.npy")
        if status != 0:
            fail(f"random.xyz {n}: {said}")
            continue
        rows, at = numpy.load("random.npy"), 0
        for frame, atoms in enumerate(ase.io.read("random.xyz", ":")):
            part = rows[at : at + len(atoms)]
            at += len(atoms)
            step = atoms.info[has["step"]] if has["step"] else frame
            pairs = [("step", step), ("t", atoms.info["time"] if has["time"] else step), ("mass", atoms.get_masses()),
                     ("id", atoms.arrays["id"] if has["ids"] else numpy.arange(len(atoms)))]
            for axis in range(3):
                pairs += [("xyz"[axis], atoms.positions[:, axis]), (("vx", "vy", "vz")[axis], atoms.get_velocities()[:, axis])]
            wrong = [column for column, value in pairs if len(part) != len(atoms) or (part[column] != value).any()]
            if wrong:
                fail(f"random.xyz {n}, frame {frame}: {wrong} differ; {said}")
        words = (["charge", "stress", "flag", "energy", "matrix", "text", "more", "good", "list"] if has["others"] else [])
        words += {None: [], "tilted": ["Lattice, which is not of a rectangular box"]}.get(has["cell"], ["the box"])
        if at != len(rows) or any(word not in said for word in words):
            fail(f"random.xyz {n}: {at} of {len(rows)} rows, said {said!r}")
