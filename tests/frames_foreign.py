"""frames_foreign.py PROGRAM foreign | ase | mdanalysis: h5py and NumPy write each dialect of H5MD, CSV and .npy; ASE and this file write
extended XYZ. The files are converted, and compared to the bit with what these libraries read. ASE and MDAnalysis open the program's own
files.
"""

import os
import subprocess
import sys
import warnings

import h5py
import numpy

import frames_random

warnings.simplefilter("ignore")
PROGRAM = os.path.abspath(sys.argv[1])
failures = []
COLUMNS = ["step", "t", "id", "x", "y", "z", "vx", "vy", "vz", "mass"]


def fail(text):
    failures.append(text)
    print("frames_foreign:", text, file=sys.stderr)


def convert(source, target, *options):
    """Returns the exit status and the standard error of `kickdrift convert`."""
    if os.path.exists(target):
        os.remove(target)
    done = subprocess.run([PROGRAM, "convert", *options, source, target], capture_output=True, text=True)
    if done.returncode not in (0, 2) or done.stderr.count("\n") > 1 or (done.returncode == 2) == os.path.exists(target):
        fail(f"{source}: status {done.returncode}, {done.stderr!r}")
    return done.returncode, done.stderr


def frame(step, t, x, v=None, ids=None, mass=None):
    x = numpy.asarray(x, float)
    count = len(x)
    return {"step": numpy.full(count, step), "t": numpy.full(count, t), "id": numpy.arange(count) if ids is None else numpy.asarray(ids),
            "x": x, "v": numpy.zeros_like(x) if v is None else numpy.asarray(v, float), "mass": numpy.ones(count) if mass is None else numpy.asarray(mass, float)}


def rows_of(frames):
    rows = numpy.zeros(sum(len(f["x"]) for f in frames), [(name, "u8" if name in ("step", "id") else "f8") for name in COLUMNS])
    at = 0
    for f in frames:
        part = rows[at : at + len(f["x"])]
        for name in ("step", "t", "id", "mass"):
            part[name] = f[name]
        for axis, name in enumerate("xyz"):
            part[name], part["v" + name] = f["x"][:, axis], f["v"][:, axis]
        at += len(f["x"])
    return rows


def expect(source, frames, left="", *options):
    """Checks that the file holds these frames, and still does after a conversion to each other kind. `left` is part of the line that says
    what was left out; with "" there must be no such line."""
    wanted = rows_of(frames)
    for way in ("", "way.h5", "way.xyz", "way.csv"):
        if way == "way.h5" and len({len(f["x"]) for f in frames}) > 1:
            continue  # H5MD has one count of particles for all frames.
        status, said = convert(source, way or "o.npy", *options)
        if status != 0:
            fail(f"{source}: {said}")
            return
        if way and convert(way, "o.npy")[0] != 0:
            fail(f"{source}, by {way}: not read back")
            continue
        found = numpy.load("o.npy")
        if found.tobytes() != wanted.tobytes():
            fail(f"{source}, by {way or 'itself'}:\n{found}\nexpected\n{wanted}")
        if not way and (all(word not in said for word in [left]) if left else said):
            fail(f"{source}: said {said!r}, expected {left!r}")


def refuse(source, text, *options, target="o.npy"):
    status, said = convert(source, target, *options)
    if status != 2 or text not in said:
        fail(f"{source}: status {status}, {said!r}, expected {text!r}")


# ---- H5MD ----

X = numpy.arange(1, 19, dtype=float).reshape(2, 3, 3) / 7
V = -X
S, T = numpy.array([0, 10]), numpy.array([0, 0.5])
two = [frame(0, 0, X[0], V[0]), frame(10, 0.5, X[1], V[1])]


def h5(name, **parts):
    """Writes a file whose /particles/all has these elements. An element is an array that holds for all frames, or a tuple (value, step,
    time). Returns the name."""
    with h5py.File(name, "w") as file:
        file.create_group("h5md").attrs["version"] = [1, 1]
        for path, part in parts.items():
            path = "particles/" + (path.replace("__", "/") if "__" in path else "all/" + path)
            if isinstance(part, tuple):
                group = file.create_group(path)
                for key, value in zip(("value", "step", "time"), part):
                    group[key] = value
            else:
                file[path] = part
    return name


def h5md():
    state = {"position": (X, S, T), "velocity": (V, S, T)}
    expect(h5("plain.h5", **state), two)
    expect(h5("fixed.h5", position=(X, 10, 0.5), velocity=(V, 10, 0.5)), two)
    name = h5("offset.h5", position=(X, 10, 0.5), velocity=(V, S + 7, T + 1))
    with h5py.File(name, "a") as file:
        file["particles/all/position/step"].attrs["offset"], file["particles/all/position/time"].attrs["offset"] = 7, 1.0
    expect(name, [frame(7, 1, X[0], V[0]), frame(17, 1.5, X[1], V[1])])
    expect(h5("no-time.h5", position=(X, S), velocity=(V, S)), [frame(0, 0, X[0], V[0]), frame(10, 10, X[1], V[1])])
    expect(h5("still.h5", position=(X, S, T)), [frame(0, 0, X[0]), frame(10, 0.5, X[1])], "velocities, of which it has none")
    expect(h5("types.h5", position=(X.astype(">f4"), S.astype(">i2"), T.astype("f2")), velocity=(V.astype("f8"), S.astype("u1"), T)),
           [frame(0, 0, X[0].astype("f4"), V[0]), frame(10, 0.5, X[1].astype("f4"), V[1])])
    # Elements may have steps of their own.
    long = numpy.concatenate([X, X + 100])
    expect(h5("sparse.h5", position=(long, [0, 10, 20, 30], [0, 0.5, 1, 1.5]), velocity=(V, [0, 20], [0, 1.0])),
           [frame(0, 0, long[0], V[0]), frame(20, 1, long[2], V[1])], "2 of 4 frames, at whose steps velocity has no value")
    expect(h5("sparse-x.h5", position=(X, [10, 30]), velocity=(-long, [30, 20, 10, 0])), [frame(10, 10, X[0], -long[2]), frame(30, 30, X[1], -long[0])],
           "2 of 4 values of velocity")
    refuse(h5("apart.h5", position=(X, S, T), velocity=(V, S + 5, T)), "expected steps at which position and velocity have values")
    refuse(h5("other-times.h5", position=(X, S, T), velocity=(V, S, T + 1)), "expected steps at which position and velocity have values")
    # Ids and masses are given once for all frames, or for each frame.
    ids, mass = numpy.array([[1, 2, 3], [3, 1, 2**63 + 5]], "u8"), numpy.array([[2.0, 49, 1 / 3], [0.1, 1e300, numpy.inf]])
    expect(h5("ids.h5", **state, id=(ids, S, T)), [frame(0, 0, X[0], V[0], ids[0]), frame(10, 0.5, X[1], V[1], ids[1])])
    expect(h5("masses.h5", **state, mass=(mass, S, T), id=ids[0].astype("f4")),
           [frame(0, 0, X[0], V[0], ids[0], mass[0]), frame(10, 0.5, X[1], V[1], ids[0], mass[1])])
    expect(h5("mass.h5", **state, mass=mass[0]), [frame(0, 0, X[0], V[0], mass=mass[0]), frame(10, 0.5, X[1], V[1], mass=mass[0])])
    expect(h5("ids-late.h5", **state, id=(ids[1:], S[1:], T[1:])), [frame(10, 0.5, X[1], V[1], ids[1])], "1 of 2 frames, at whose steps id has no value")
    refuse(h5("id-negative.h5", **state, id=numpy.array([1, -1, 2])), "id: number 1: expected a whole number from 0")
    refuse(h5("id-twice.h5", **state, id=numpy.array([4, 5, 4])), "particles 0 and 2 both have id 4")
    refuse(h5("mass-zero.h5", **state, mass=numpy.array([1.0, 0, 2])), "mass: number 1: expected a positive mass")
    refuse(h5("mass-small.h5", **state, mass=numpy.array([1.0, 1e-320, 2])), "mass: number 1: expected a positive mass")
    refuse(h5("step-negative.h5", position=(X, S - 10, T)), "position/step: number 0: expected a whole number from 0")
    # Elements that a frame cannot hold are named, and groups are chosen by name.
    expect(h5("others.h5", **state, force=(X, S, T), charge=X[0, 0], image=(X[:, :1], S)), two, "image, whose shape is not that of the positions; charge; force")
    name = h5("units.h5", **state, mass=mass[0])
    with h5py.File(name, "a") as file:
        for path, unit in (("position/value", "nm"), ("position/time", numpy.bytes_("ps")), ("mass", "u")):
            file["particles/all/" + path].attrs["unit"] = unit
    expect(name, [frame(0, 0, X[0], V[0], mass=mass[0]), frame(10, 0.5, X[1], V[1], mass=mass[0])], "units (position in nm, time in ps, mass in u)")
    # HDF5 would store the nearest number that the type has.
    for key, value in (("far", 2**40), ("half", 1.5), ("nan", numpy.nan)):
        refuse(h5(f"image-{key}.h5", **state, image=(numpy.full((2, 3, 3), value), S, T)), "image has a number that whole numbers of 32 bits do not hold")
    refuse(h5("whole.h5", position=(numpy.full((2, 3, 3), 2**53 + 1), S, T)), "position has a number that a double does not hold")
    refuse(h5("long.h5", position=(X.astype(numpy.longdouble), S, T)), "more than 64 bits")
    groups = h5("groups.h5", A__position=(X, S, T), B__position=(X + 1, S, T), C__mass=X[0, 0])
    expect(groups, [frame(0, 0, X[0]), frame(10, 0.5, X[1])], "of /particles: B, C")
    expect(groups, [frame(0, 0, X[0] + 1), frame(10, 0.5, X[1] + 1)], "of /particles: A, C", "--group", "B")
    refuse(groups, "in /particles are: A, B, C", "--group", "D")
    with h5py.File("lzf.h5", "w") as file:
        file.create_dataset("particles/all/position/value", data=X, compression="lzf")
    refuse("lzf.h5", "filter lzf (32000), which is not here")
    with open("plain.h5", "rb") as whole, open("cut.h5", "wb") as cut:
        cut.write(whole.read()[:2000])
    refuse("cut.h5", "it was cut")


def plots():
    """Checks what kickdrift plot finds in a file of H5MD. Velocities at other steps are refused; observables at other steps are left out."""
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
    from plotting.data import Fault
    from plotting.frames import Frames

    state = {"position": (X, S, T), "velocity": (V, S, T)}
    name = h5("plots.h5md", **state, id=numpy.array([7, 9, 8]), mass=(numpy.array([[1.0, 2, 3]] * 2), S, T))
    with h5py.File(name, "a") as file:
        for key, step in (("energy", S), ("other", S + 1)):
            group = file.create_group("observables/" + key)
            group["value"], group["step"], group["time"] = [1.0, 2.0], step, T
    found = Frames(name)
    if not (numpy.array_equal(found.x, X) and list(found.id) == [7, 9, 8] and list(found.mass) == [1, 2, 3] and list(found.observables) == ["energy"]):
        fail(f"{name}: plot finds {vars(found)}")
    for what, velocity in (("steps", (V, S + 1, T)), ("times", (V, S, T + 1))):
        try:
            Frames(h5(f"plots-{what}.h5", position=(X, S, T), velocity=velocity))
            fail(f"plots-{what}.h5: plot pairs velocities of other {what} with positions")
        except Fault:
            pass


def boxes():
    """Checks that box edges are those that h5py finds: as a vector or a matrix, fixed or per frame. Only periodic axes have edges."""
    edges = numpy.array([[10.0, 11, 12], [10, 11.5, 13]])
    for boundary in (["periodic"] * 3, ["none"] * 3, ["periodic", "none", "periodic"]):
        for matrix in (False, True):
            for per_frame in (False, True):
                shaped = numpy.array([numpy.diag(e) for e in edges]) if matrix else edges
                name = h5("box.h5", position=(X, S, T), velocity=(V, S, T))
                with h5py.File(name, "a") as file:
                    box = file.create_group("particles/all/box")
                    box.attrs["dimension"], box.attrs["boundary"] = 3, boundary if matrix else numpy.array(boundary, "S")
                    if per_frame:
                        group = box.create_group("edges")
                        group["value"], group["step"], group["time"] = shaped, S, T
                    else:
                        box["edges"] = shaped[0]
                status, said = convert(name, "box-out.h5")
                periodic = numpy.array([kind == "periodic" for kind in boundary])
                wanted = (edges if per_frame else edges[[0, 0]]) * periodic
                with h5py.File("box-out.h5") as file:
                    box = file["particles/all/box"]
                    found = box["edges/value"][()] if "edges" in box else numpy.zeros((2, 3, 3))
                    kinds = [kind.decode() for kind in box.attrs["boundary"]]
                right = numpy.array_equal(found, [numpy.diag(e) for e in wanted]) and kinds == boundary and bool(said) == (not periodic.any())
                if status != 0 or not right:
                    fail(f"box {boundary} {matrix} {per_frame}: {said} {found} {kinds}")
                convert(name, "box-out.xyz")
                convert("box-out.xyz", "box-back.h5")
                with h5py.File("box-back.h5") as file:
                    if periodic.any() and not numpy.array_equal(file["particles/all/box/edges/value"][()], [numpy.diag(e) for e in wanted]):
                        fail(f"box {boundary} by XYZ")
    with h5py.File("box.h5", "a") as file:
        file["particles/all/box/edges/value"][0, 0, 1] = 3
        file["particles/all/box"].attrs["boundary"] = ["periodic"] * 3
    expect("box.h5", two, "box/edges, which is not of a rectangular box")


# ---- .npy and CSV ----


def arrays():
    ids, mass = [5, 2**63, 9], [49, 1 / 3, numpy.inf]
    frames = [frame(3, 0.25, X[0], V[0], ids, mass), frame(4, 0.5, X[1], V[1], ids[::-1], mass)]
    rows = rows_of(frames)
    numpy.save("plain.npy", rows)
    expect("plain.npy", frames)
    order = [COLUMNS[i] for i in (9, 3, 0, 6, 4, 7, 5, 8, 2, 1)]
    numpy.save("order.npy", numpy.lib.recfunctions.repack_fields(rows[order]))
    expect("order.npy", frames)
    for version in ((1, 0), (2, 0), (3, 0)):
        for swap in (False, True):
            with open("version.npy", "wb") as file:
                numpy.lib.format.write_array(file, rows.astype(rows.dtype.newbyteorder(">")) if swap else numpy.asfortranarray(rows), version=version)
            expect("version.npy", frames)
    padded = numpy.zeros(6, numpy.dtype([("flag", "i1"), ("name", "U5"), ("pos", "f4", (3, 2)), *[(name, rows.dtype[name]) for name in COLUMNS]], align=True))
    for name in COLUMNS:
        padded[name] = rows[name]
    numpy.save("padded.npy", padded)
    expect("padded.npy", frames, "field flag; field name; field pos")
    numpy.save("narrow.npy", rows.astype([(name, "i4" if name == "step" else "u8" if name == "id" else "f4") for name in COLUMNS]))
    expect("narrow.npy", [frame(f["step"][0], f["t"][0], f["x"].astype("f4"), f["v"].astype("f4"), f["id"], f["mass"].astype("f4")) for f in frames])
    numpy.save("bare.npy", numpy.lib.recfunctions.repack_fields(rows[["x", "y", "z", "vx", "vy", "vz"]][:3]))
    expect("bare.npy", [frame(0, 0, X[0], V[0])])
    numpy.save("by-particle.npy", rows[[0, 3, 1, 4, 2, 5]])
    refuse("by-particle.npy", "expected the rows of a frame together")
    for name, array, text in (("six", numpy.zeros((2, 6)), "expected a structured array"), ("matrix", rows.reshape(2, 3), "expected an array of one extent"),
                              ("short", rows[["x", "y"]].copy(), "no field z"), ("negative", rows.astype([(n, "i8" if n == "id" else "f8") for n in COLUMNS]), "id: expected a whole number"),
                              ("complex", rows.astype([(n, "c16" if n == "x" else "f8") for n in COLUMNS]), "field x: expected one number")):
        numpy.save(name + ".npy", array)
        refuse(name + ".npy", text)
    with open("plain.npy", "rb") as whole, open("cut.npy", "wb") as cut:
        cut.write(whole.read()[:-8])
    refuse("cut.npy", "the file ends within row 5")


def tables():
    frames = [frame(3, 0.25, X[0], V[0], [5, 6, 9], [49, 1 / 3, 2]), frame(4, 0.5, X[1], V[1], [9, 6, 7], [49, 1 / 3, 3])]
    rows = rows_of(frames)
    plain = numpy.column_stack([rows[name].astype(float) for name in COLUMNS])
    header = ",".join(COLUMNS)

    def save(name, columns=COLUMNS, order=slice(None), **more):
        numpy.savetxt(name, plain[order][:, [COLUMNS.index(c) for c in columns]], **{"delimiter": ",", "header": ",".join(columns), "fmt": "%.18e", **more})
        return name

    expect(save("savetxt.csv"), frames)
    expect(save("bare.csv", comments=""), frames)
    expect(save("upper.csv", header=header.upper()), frames)
    wide = numpy.column_stack([rows_of([frame(0, 0, X[0], V[0])])[name].astype(float) for name in COLUMNS] + [numpy.zeros((3, 300))])
    numpy.savetxt("wide.csv", wide, "%.17g", ",", header=",".join(COLUMNS + [f"a_column_of_others_{n}" for n in range(300)]))
    expect("wide.csv", [frame(0, 0, X[0], V[0])], "; and others\n")
    with h5py.File("plain.h5", "r") as source, h5py.File("many.h5", "w") as file:
        source.copy("particles", file)
        for n in range(300):
            file[f"particles/all/an_element_of_others_{n}"] = 1
    expect("many.h5", two, "; and others\n")
    expect(save("order.csv", columns=COLUMNS[::-1]), frames)
    by_t = [dict(f, step=numpy.full(3, n)) for n, f in enumerate(frames)]
    expect(save("by-t.csv", columns=COLUMNS[1:]), by_t)
    same = [frame(3, 0.25, X[0], V[0], [5, 6, 9]), frame(4, 0.5, X[1], V[1], [5, 6, 9])]
    plain[3:, 2] = [5, 6, 9]
    expect(save("by-particle.csv", columns=COLUMNS[:-1], order=[0, 3, 1, 4, 2, 5]), same)
    refuse(save("mixed.csv", columns=COLUMNS[:-1], order=[0, 1, 3, 4, 2, 5]), "expected the rows of a frame together")
    refuse(save("semicolons.csv", delimiter=";", header=header.replace(",", ";")), "separated by semicolons")
    refuse(save("blanks.csv", delimiter=" ", header=header.replace(",", " ")), "separated by blanks")
    refuse(save("case.csv", header=header.replace("x,y,z", "X,Y,Z", 1)), "is X meant for x?")
    refuse(save("tabs.csv", delimiter="\t", header=header.replace(",", "\t")), "separated by tabs")
    refuse(save("twice.csv", order=[0, 0]), "particles 0 and 1 both have id 5")
    refuse(save("units.csv", header=header.replace(",x,", ",x [m],")), "no column x, expected a header with x, y, z, vx, vy, vz, found step,t,id,x [m]")
    refuse(save("dump.lammpstrj", header="id x y z"), "no kind of file ends with .lammpstrj")
    refuse(save("table.csv.gz", header="?"), "no kind of file ends with .gz")
    fewer = [frame(0, 0, X[0], V[0]), frame(1, 1, X[1][:2], V[1][:2])]
    numpy.savetxt("deaths.csv", numpy.column_stack([rows_of(fewer)[name].astype(float) for name in COLUMNS]), "%.17g", ",", header=header)
    expect("deaths.csv", fewer)
    if convert("deaths.csv", "deaths.h5")[0] != 2:
        fail("deaths.csv: H5MD took frames of other counts")


# ---- grids of fields ----


def grids():
    """Checks that the same numbers in any type, byte order, order of extents and version step the same particles."""
    numbers = numpy.arange(4 * 3 * 2 * 3).reshape(4, 3, 2, 3) % 7 + 1.0
    scene = """particles: {state: [{x: [1.25, 1, 0.5], v: [0, 0.5, 0]}]}
forces: [grid-wind: {b: 1, grid: {file: grid.npy, spacing: 1}}]
method: velocity-verlet
dt: 0.125
steps: 10
"""
    with open("grid.yaml", "w", encoding="utf-8") as file:
        file.write(scene)

    def run(array, version=None):
        with open("grid.npy", "wb") as file:
            numpy.lib.format.write_array(file, array, version=version)
        return subprocess.run([PROGRAM, "run", "grid.yaml", "--out", "/dev/stdout"], capture_output=True, text=True)

    wanted = [line for line in run(numbers).stdout.splitlines() if line.startswith("0,")]
    for change in (numpy.asfortranarray, lambda a: a.astype(">f8"), lambda a: a.astype("<f4"), lambda a: a.astype("f2"), lambda a: a.astype(">i2"),
                   lambda a: numpy.asfortranarray(a.astype("u1"))):
        for version in ((1, 0), (2, 0), (3, 0)):
            done = run(change(numbers), version)
            if done.returncode != 0 or [line for line in done.stdout.splitlines() if line.startswith("0,")] != wanted or len(wanted) != 1:
                fail(f"grid {change(numbers).dtype} {version}: {done.stderr} {done.stdout}")
    for where, value, text in (((2, 1, 0, 1), numpy.nan, "node (2, 1, 0), component 1: expected a finite number, found nan"),
                               ((0, 2, 1, 2), numpy.inf, "node (0, 2, 1), component 2: expected a finite number, found inf")):
        for change in (numpy.ascontiguousarray, numpy.asfortranarray):
            spoiled = numbers.copy()
            spoiled[where] = value
            done = run(change(spoiled))
            if done.returncode != 2 or text not in done.stderr:
                fail(f"grid with {value}: {done.stderr}")


# ---- extended XYZ ----


def of_ase():
    import ase
    import ase.io

    images = []
    for n in range(3):
        atoms = ase.Atoms("ArNeX", positions=X[n % 2] + n, cell=[10, 11 + n, 12], pbc=[True, n == 1, True] if n == 1 else [True, False, True])
        atoms.set_masses([39.948, 20.18, 49])
        atoms.set_velocities(V[n % 2] * 3 + n)
        atoms.info.update(step=5 * n, time=0.1 * n)
        images.append(atoms)
    for name, some in (("ase.xyz", images[::2]), ("one.extxyz", images[:1])):
        ase.io.write(name, some, format="extxyz")
        read = ase.io.read(name, ":")
        expect(name, [frame(a.info["step"], a.info["time"], a.positions, a.get_velocities(), mass=a.get_masses()) for a in read], "species")
    convert("ase.xyz", "cell.xyz")
    for before, after in zip(images[::2], ase.io.read("cell.xyz", ":")):
        if list(after.cell.lengths()) != list(before.cell.lengths() * before.pbc) or list(after.pbc) != list(before.pbc):
            fail(f"cell.xyz: ASE finds {after.cell} {after.pbc}, expected {before.cell} {before.pbc}")
    images[1].pbc = [True, True, True]
    ase.io.write("changes.xyz", images[:2], format="extxyz")
    refuse("changes.xyz", "axis 1: expected none", target="o.h5")
    # Without set_masses ASE writes no masses, and reads those of its own table.
    plain = ase.Atoms("Ar", positions=[[1, 2, 3]])
    plain.set_velocities([[1, 2, 3]])
    ase.io.write("plain-ase.xyz", plain, format="extxyz")
    refuse("plain-ase.xyz", "momenta without masses")


def xyz():
    """Checks files as people and programs write them."""
    properties, atoms = "Properties=species:S:1:pos:R:3:velo:R:3", "Ar 1 2 3 .1 .2 .3\nAr 4 5 6 .4 .5 .6\n"
    x, v = [[1, 2, 3], [4, 5, 6]], [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]
    one = frame(0, 0, x, v)
    for name, text, wanted, left in (
        ("blank", f"2\n{properties} Step=1\n{atoms}\n\n2\n{properties} Step=2\n{atoms}\n", [frame(1, 1, x, v), frame(2, 2, x, v)], "species"),
        ("timestep", f"2\nTimestep=100 Time=0.5 {properties}\n{atoms}", [frame(100, 0.5, x, v)], "species"),
        ("lower", f"2\nstep = 7 time='1.5' {properties}\n{atoms}", [frame(7, 1.5, x, v)], "species"),
        ("lammps", f"2\nAtoms. Timestep: 300\nAr 1 2 3\nAr 4 5 6\n", [frame(300, 300, x)], "velocities, of which it has none"),
        ("words", f"2\nWallTime=99 TotalTime=8 MDStep=3 {properties} Note=\"Step=9 pos\"\n{atoms}", [one], "WallTime; TotalTime; MDStep; Note; species"),
        ("long", "2\nProperties=species:S:1:pos:R:3:a_property_with_a_name_longer_than_31_characters:R:1:velo:R:3\n" + atoms.replace(" .", " 7 .", 1).replace("6 .", "6 7 ."),
         [one], "a_property_with_a_name_longer_than_31_characters"),
        ("flags", f"2\nis_good {properties} matrix=[[1, 2], [3, 4]] done\n{atoms}", [one], "is_good; matrix; done; species"),
        ("nameless", f"2\n=7 {properties} ''=8\n{atoms}", [one], "what has no name; species"),
        ("counts", "2\nProperties=species:S:2:pos:R:3:id:I:2:velo:R:3:momenta:R:1\n" + atoms.replace("Ar", "Ar b").replace(" .1", " 8 9 .1").replace(" .4", " 8 9 .4")
         .replace(".3", ".3 7").replace(".6", ".6 7"), [one], "species; id; momenta"),
        ("contradiction", "2\nProperties=pos:R:3:velo:R:3:momenta:R:3:mass:R:1\n1 2 3 .1 .2 .3 .2 .4 .6 2\n4 5 6 .4 .5 .6 .4 .5 .6 2\n",
         [frame(0, 0, x, v, mass=[2, 2])], "momenta, which are not mass times velocity"),
        ("quoted", f'2\ncomment="old Properties=species:S:1:pos:R:3" "Properties"="pos:R:3:vel:R:3"\n{atoms.replace("Ar ", "")}', [one], "comment"),
        ("momenta", "2\nProperties=species:S:1:pos:R:3:momenta:R:3:masses:R:1\nX 1 2 3 .4 .8 1.2 4\nX 4 5 6 .8 1 1.2 2\n",
         [frame(0, 0, x, [[0.4 / 4, 0.8 / 4, 1.2 / 4], [0.8 / 2, 0.5, 0.6]], mass=[4, 2])], ""),
        ("crlf", f"\ufeff2\n{properties}\n{atoms}".replace("\n", "\r\n"), [one], "species"),
        ("more", f"2\n{properties}\n{atoms.replace('.3', '.3 # first')}", [one], "columns after those of Properties"),
        ("forces", f"2\n{properties}:forces:R:3\n{atoms.replace('.3', '.3 1 2 3').replace('.6', '.6 1 2 3')}", [one], "forces"),
        ("ids", "2\nProperties=id:I:1:pos:R:3:velo:R:3\n9 1 2 3 .1 .2 .3\n007 4 5 6 .4 .5 .6\n2\nProperties=id:I:1:pos:R:3:velo:R:3\n7 4 5 6 .4 .5 .6\n9 1 2 3 .1 .2 .3\n",
         [frame(0, 0, x, v, [9, 7]), frame(1, 1, x[::-1], v[::-1], [7, 9])], ""),
    ):
        with open(name + ".xyz", "w", encoding="utf-8", newline="") as file:
            file.write(text)
        expect(name + ".xyz", wanted, left)
    for name, text, reason in (
        ("garbage", f"2\n{properties}\n{atoms}\nthis is not xyz\n", "expected the number of particles"),
        ("noon", f"2\nTime=noon {properties}\n{atoms}", "time: expected a finite number, found noon"),
        ("negative", f"2\nStep=-5 {properties}\n{atoms}", "step: expected a whole number from 0, found -5"),
        ("no-velo", f"2\n{properties}\n{atoms}2\n\nAr 1 2 3\nAr 4 5 6\n", "has no velocities, expected them, as in the first frame"),
        ("no-id", "1\nProperties=id:I:1:pos:R:3\n7 1 2 3\n1\nProperties=species:S:1:pos:R:3\nAr 1 2 3\n", "has no ids"),
        ("twice", "2\nProperties=id:I:1:pos:R:3\n7 1 2 3\n7 1 2 3\n", "both have id 7"),
        ("open", f'2\nNote="a {properties}\n{atoms}', "quotes that close"),
        ("lattice", f'2\nLattice="1 2 3" {properties}\n{atoms}', "Lattice: expected nine numbers, found 3"),
        ("masses", "1\nProperties=pos:R:3:mass:R:1:masses:R:1\n1 2 3 4 5\n", "expected one mass"),
        ("two", f"2 atoms\n{properties}\n{atoms}", "found 2 atoms"),
        ("properties", f"2\nProperties=species:S:1:pos:R\n{atoms}", "expected NAME:TYPE:COUNT"),
    ):
        with open(name + "-wrong.xyz", "w", encoding="utf-8") as file:
            file.write(text)
        refuse(name + "-wrong.xyz", reason)


# ---- files of the program, read by other libraries ----


SCENE = """particles: {random: {count: 20, seed: 3, position: {box: {min: [-1, 0, 0], max: [1, 1, 1]}},
  velocity: {normal: {mean: [0, 0, 0], sigma: 1}}, mass: {uniform: [1, 2]}}}
forces: [spring: {k: 2}]
BOX
method: velocity-verlet
dt: 0.01
steps: 20
output: {file: NAME, every: 5}
"""


def written(kind, look):
    """Runs scenes with open and with periodic boundaries, and converts their frames to another kind and back. `look` compares a file of
    that kind with the rows of the CSV file."""
    for name, box in (("open", ""), ("closed", "boundary: {periodic: {min: [-1, 0, 0], max: [1, 3, 4]}}")):
        for ending in ("csv", kind):
            with open("scene.yaml", "w", encoding="utf-8") as file:
                file.write(SCENE.replace("BOX", box).replace("NAME", f"{name}.{ending}"))
            subprocess.run([PROGRAM, "run", "scene.yaml"], check=True, stdout=subprocess.DEVNULL)
        rows = numpy.genfromtxt(f"{name}.csv", delimiter=",", names=True).reshape(5, 20)
        x, v = (numpy.stack([rows[c] for c in columns], axis=2) for columns in (("x", "y", "z"), ("vx", "vy", "vz")))
        look(f"{name}.{kind}", rows, x, v, [2, 3, 4] if box else [0, 0, 0])
        convert(f"{name}.{kind}", f"way.{'h5' if kind == 'xyz' else 'xyz'}")
        convert(f"way.{'h5' if kind == 'xyz' else 'xyz'}", f"way.{kind}")
        look(f"way.{kind}", rows, x, v, [2, 3, 4] if box else [0, 0, 0])


def look_with_mdanalysis(name, rows, x, v, edges):
    import MDAnalysis

    universe = MDAnalysis.Universe.empty(20, trajectory=False)
    universe.load_new(name, format="H5MD", convert_units=False)
    if len(universe.trajectory) != 5:
        fail(f"{name}: MDAnalysis finds {len(universe.trajectory)} frames")
    for n, ts in enumerate(universe.trajectory):
        box = [0, 0, 0] if ts.dimensions is None else ts.dimensions[:3]
        right = numpy.array_equal(ts.positions, x[n].astype("f4")) and numpy.array_equal(ts.velocities, v[n].astype("f4"))
        if not right or not numpy.array_equal(box, edges) or ts.time != rows["t"][n, 0] or ts.data["step"] != rows["step"][n, 0]:
            fail(f"{name}: frame {n}: MDAnalysis finds another: {box}, t {ts.time}")


def look_with_ase(name, rows, x, v, edges):
    import ase.io

    frames = ase.io.read(name, ":")
    if len(frames) != 5:
        fail(f"{name}: ASE finds {len(frames)} frames")
    for n, atoms in enumerate(frames):
        near = numpy.allclose(atoms.get_velocities(), v[n], rtol=4e-16, atol=0)  # ASE computes velocities as momenta divided by masses, which rounds.
        right = numpy.array_equal(atoms.positions, x[n]) and numpy.array_equal(atoms.get_masses(), rows["mass"][n]) and numpy.array_equal(atoms.arrays["velo"], v[n])
        if not right or not near or list(atoms.cell.lengths()) != edges or list(atoms.pbc) != [edge > 0 for edge in edges]:
            fail(f"{name}: frame {n}: ASE finds another: {atoms}")
        if atoms.info["Step"] != rows["step"][n, 0] or atoms.info["Time"] != rows["t"][n, 0]:
            fail(f"{name}: frame {n}: ASE finds {atoms.info}")


import numpy.lib.recfunctions  # noqa: E402  NumPy does not import it by itself

PARTS = {
    "foreign": (h5md, boxes, arrays, tables, grids, xyz, plots, lambda: frames_random.h5md(convert, fail)),
    "ase": (of_ase, lambda: frames_random.ase(convert, fail), lambda: written("xyz", look_with_ase)),
    "mdanalysis": (lambda: written("h5", look_with_mdanalysis),),
}
for part in PARTS[sys.argv[2]]:
    part()
print(f"frames_foreign: {sys.argv[2]}: {len(failures)} failures")
sys.exit(bool(failures))
