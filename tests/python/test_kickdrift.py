"""Tests the module tools/clients/python/kickdrift. python.sh runs this file with the folder of the module on the path.

The environment variable KDR_SOURCE names the sources, KDR_PROGRAM the program kickdrift.
"""

import contextlib
import copy
import gc
import io
import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import weakref
from unittest import mock

import numpy

import kickdrift
from kickdrift import library

SOURCE, PROGRAM = os.environ["KDR_SOURCE"], os.environ["KDR_PROGRAM"]
ORIGIN = os.path.dirname(kickdrift.__file__)
REALS = (numpy.float32, numpy.float64)


def draw(count, dims=3, dtype=numpy.float64, seed=7):
    """Returns random positions and velocities with one row per axis."""
    random = numpy.random.default_rng(seed)
    return random.uniform(-2, 2, (dims, count)).astype(dtype), random.uniform(-2, 2, (dims, count)).astype(dtype)


def rows(cls):
    """Returns the names, offsets and sizes of a struct's members, preceded by the struct's own size."""
    return [((), library.ctypes.sizeof(cls)), *((name, (offset, size)) for name, offset, size in library.members(cls))]


def python(code, **environment):
    """Runs the code in another interpreter. Returns its status and its standard error."""
    done = subprocess.run([sys.executable, "-B", "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


class Layout(unittest.TestCase):
    """A module whose structs are not those of the library cannot be imported."""

    def test_own(self):
        library.check(library.lib)
        self.assertEqual(library.VERSION, kickdrift.version)

    def test_every_struct_is_one_of_the_library(self):
        size = library.c_size_t()
        library.lib.kdr_abi.restype = library.POINTER(library.Abi)
        table = library.lib.kdr_abi(library.byref(size))
        rows = {(row.structure.decode(), row.member.decode()): (row.offset, row.size) for row in table[:size.value]}
        for name, cls in library.structures.items():
            own = {(name, ""): (0, library.ctypes.sizeof(cls))}
            own.update({(name, path.decode()): (offset, size) for path, offset, size in library.members(cls)})
            self.assertEqual(own, {key: row for key, row in rows.items() if key[0] == name})

    def test_planted_in_the_process(self):
        for name, cls in library.structures.items():
            fields = list(cls._fields_)
            for i, (member, *_) in enumerate(fields):
                for wrong in (fields[:i] + fields[i + 1:], fields[:i] + [(member, library.c_char * 3)] + fields[i + 1:]):
                    planted = type(name, (library.Structure,), {"_fields_": wrong})
                    if dict(rows(planted)).items() <= dict(rows(cls)).items():
                        continue  # The removed member had filled a gap, so all other members are where they were.
                    with self.assertRaises(ImportError) as caught:
                        library.check(library.lib, {name: planted})
                    self.assertIn(name, str(caught.exception))

    def planted(self, old, new, expected):
        """Checks that a copy of the module with `new` in the place of `old` cannot be imported."""
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "kickdrift")
            shutil.copytree(ORIGIN, copy, ignore=shutil.ignore_patterns("__pycache__"))
            path = os.path.join(copy, "library.py")
            with open(path, encoding="utf-8") as file:
                text = file.read()
            self.assertEqual(text.count(old), 1, old)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(old, new))
            status, said = python("import kickdrift", PYTHONPATH=folder, KICKDRIFT_LIBRARY=library.lib._name)
            self.assertEqual(status, 1)
            self.assertIn("ImportError", said)
            self.assertIn(expected, said)

    def test_planted_in_the_sources(self):
        self.planted("member=c_char_p, offset=c_size_t", "member=c_char_p, of=c_size_t", "no kdr_abi_row.of")
        self.planted("memory_key=c_uint64, id=c_void_p", "memory_key=c_uint32, id=c_void_p", "kdr_particles.memory_key is 8 bytes at offset")
        self.planted("kinetic=c_double, potential=c_double", "potential=c_double, kinetic=c_double", "kdr_observables.potential")
        self.planted("status=c_int, message=c_char * 252", "status=c_int, message=c_char * 120", "kdr_error is 256 bytes")
        self.planted('VERSION = "', 'VERSION = "9', "written for version 9")

    def test_another_library(self):
        for path, expected in (("/nowhere/libkickdrift.so", "no Kickdrift library"), ("libm.so.6", "has no kdr_abi_check")):
            status, said = python("import kickdrift", KICKDRIFT_LIBRARY=path)
            self.assertEqual(status, 1)
            self.assertIn("ImportError", said)
            self.assertIn(expected, said)


# These functions of the headers are not called by the module, for the reason given.
LEFT_OUT = {
    "Python has the names themselves": (
        "kdr_arithmetic_name kdr_collider_kind_name kdr_constraint_kind_name kdr_contribution_name kdr_interaction_kind_name kdr_edge_name "
        "kdr_force_kind_from_name kdr_force_kind_name kdr_real_name"),
    "NumPy has the arrays, and slices them (with first_id)": (
        "kdr_particles_create kdr_particles_destroy kdr_particles_slice kdr_real_size kdr_workspace_create kdr_workspace_destroy"),
    "the caller has just said it": "kdr_integrator_langevin kdr_system_langevin kdr_executor_serial",
    "another function says it: a run, read_checkpoint, backends(), fields(), field()": (
        "kdr_system_check kdr_checkpoint_check kdr_checkpoint_check_system kdr_backend_choose kdr_cpu_query kdr_custom_field_axis_count "
        "kdr_custom_field_flags kdr_custom_field_grid_axis_count kdr_custom_field_has_backend kdr_custom_field_parameter_range "
        "kdr_field_from_name"),
    "of particles in pieces on several machines; a Stream has those of a file": (
        "kdr_fingerprint_begin kdr_fingerprint_add kdr_fingerprint_end kdr_integrator_digest_begin kdr_integrator_digest_add "
        "kdr_integrator_digest_end kdr_checkpoint_begin kdr_checkpoint_needs_more kdr_checkpoint_add kdr_checkpoint_end"),
    "read_checkpoint gives arrays of their own, to be copied where they are wanted": "kdr_checkpoint_restore",
    "the files are H5MD, which h5py reads and writes": (
        "kdr_trajectory_append kdr_trajectory_append_chunk kdr_trajectory_append_slice kdr_trajectory_chunk kdr_trajectory_close "
        "kdr_trajectory_commit kdr_trajectory_create kdr_trajectory_desc_init kdr_trajectory_note kdr_trajectory_open "
        "kdr_trajectory_open_group kdr_trajectory_pack kdr_trajectory_query kdr_trajectory_read kdr_trajectory_set_box kdr_trajectory_set_mass"),
    "add_gravity is held against NumPy's": "kdr_reference_gravity_add",
    "for the test of the structs alone": "kdr_abi",
}


def declared(name):
    """Returns the functions that one header declares, or all headers except those of other libraries."""
    folder = os.path.join(SOURCE, "include", "kickdrift")
    headers = [name] if name else [file for file in os.listdir(folder) if file not in ("mpi.h", "io.h", "check.h")]
    found = set()
    for header in headers:
        with open(os.path.join(folder, header), encoding="utf-8") as file:
            found.update(re.findall(r"KDR_API [^;(]*\b(kdr_[a-z0-9_]+)\(", file.read()))
    return found


class Names(unittest.TestCase):
    """The module binds every function of the headers, except those of mpi.h, whose ranks are processes of C programs."""

    def sources(self):
        texts = []
        for name in sorted(os.listdir(ORIGIN)):
            if name.endswith(".py"):
                with open(os.path.join(ORIGIN, name), encoding="utf-8") as file:
                    texts.append(file.read())
        return "\n".join(texts)

    def test_every_function(self):
        left_out = [name for names in LEFT_OUT.values() for name in names.split()]
        bound = {"kdr_abi_check", *library.functions, *kickdrift.files.functions, *kickdrift.checks.functions}
        expected = declared(None) | declared("io.h") | declared("check.h")
        self.assertGreater(len(expected), 150)
        self.assertEqual(len(left_out), len(set(left_out)))
        self.assertEqual(sorted(bound & set(left_out)), [])
        self.assertEqual(sorted(bound | set(left_out)), sorted(expected))

    def test_what_is_bound_is_called(self):
        text, unused = self.sources(), []
        for name in {*library.functions, *kickdrift.files.functions, *kickdrift.checks.functions}:
            of_kind = re.sub("^kdr_(integrator|system|pairs|distance_constraints)_", "kdr_{self._kind}_", name)
            of_what = re.sub("^kdr_[a-z]+_from_name$", "kdr_{what}_from_name", name)
            if not re.search(rf"\.{name}\b", text) and f'f"{of_kind}"' not in text and f'f"{of_what}"' not in text:
                unused.append(name)
        self.assertEqual(sorted(unused), [])

    def test_every_member_of_the_descriptions(self):
        """The module sets every member, except those that only a C program needs."""
        text = self.sources()
        for struct, left_out in ((library.Description, {"size"}), (library.SystemDescription, {"size", "context", "communicator"}),
                                 (library.PairsDescription, {"size", "communicator"}), (library.CheckDescription, {"size", "context", "reference_context", "system"}), (library.DistanceConstraintsDescription, {"size"})):
            members = {name for name, *_ in struct._fields_}
            found = {name for name in members if re.search(rf"\b(d|desc|_description)\.{name}\b", text) or f'("{name}", {name})' in text}
            self.assertEqual(members - found, left_out, struct.__name__)


class Checks(unittest.TestCase):
    """kickdrift.check finds what tests/kernels.c plants in C, by the same library. Here the functions are Python's."""

    def setUp(self):
        self.spring = kickdrift.Integrator("semi-implicit-euler", [kickdrift.spring(1.5)], arithmetic="unfused")

    @staticmethod
    def euler(x, v, *rest):
        *inverse_mass, dt, steps = rest
        for _ in range(steps):
            for position, velocity in zip(x, v):
                force = 1.5 * (0 - position)
                velocity += dt * (force * inverse_mass[0]) if inverse_mass else dt * force
                position += dt * velocity

    def test_a_correct_kernel(self):
        for given in (dict(places=["strided", "structures"]), dict(dims=1, counts=[7, 8]), dict(max_steps=1, one_call=True, dt=0.01, low=1, high=2)):
            report = kickdrift.check(self.euler, self.spring, cases=200, **given)
            self.assertTrue(report, str(report))
            self.assertEqual((report.cases, report.failed, report.max_ulp, report.case), (200, 0, 0, None))
        system = kickdrift.System("semi-implicit-euler", forces=[kickdrift.spring(1.5)], arithmetic="unfused")
        self.assertTrue(kickdrift.check(self.euler, system, cases=50))
        self.assertTrue(kickdrift.check(self.euler, self.euler, cases=50, dtype="f4", inverse_mass=True))

    def test_a_mistake(self):
        def wrong(x, v, dt, steps):
            self.euler(x, v, dt, steps)
            if len(x[0]) == 11:
                v[1][3] = numpy.nextafter(v[1][3], 9)

        report = kickdrift.check(wrong, self.spring, max_steps=1, one_call=True, lanes=2)
        self.assertFalse(report)
        self.assertIn("count 11, ", str(report))
        self.assertIn("v[1] at 3, lane 1", str(report))
        self.assertEqual((report.case, report.max_ulp), (11, 1))
        again = kickdrift.check(wrong, self.spring, max_steps=1, one_call=True, lanes=2, first=11, cases=1)
        self.assertEqual((again.cases, again.failed), (1, 1))
        self.assertTrue(kickdrift.check(wrong, self.spring, max_steps=1, one_call=True, max_ulp=1))

    def test_functions_on_arrays(self):
        add = lambda a, b, to: numpy.add(a, b, out=to)  # noqa: E731
        self.assertTrue(kickdrift.check(add, lambda a, b, to: numpy.add(b, a, out=to), inputs=2, cases=100))
        twice = lambda a, to: numpy.add(to, a, out=to)  # noqa: E731
        self.assertTrue(kickdrift.check(twice, lambda a, to: numpy.multiply(a, 2, out=to), inputs=1, in_place=True, cases=100))
        self.assertFalse(kickdrift.check(twice, lambda a, to: numpy.multiply(a, 2, out=to), inputs=1, cases=100))

    def test_exceptions(self):
        def broken(*arguments):
            raise KeyError("mine")

        for given in (dict(), dict(inputs=1)):
            with self.assertRaisesRegex(KeyError, "mine"):
                kickdrift.check(broken, broken if given else self.spring, **given)
        for error, text, given in ((ValueError, "dims is 4", dict(dims=4)), (ValueError, "values has 'x', expected some of zeros", dict(values=["x"])),
                                   (ValueError, "threads is 2", dict(threads=2)), (TypeError, "against is an integrator", dict(inputs=2)),
                                   (ValueError, "cases is 0", dict(cases=0)), (kickdrift.Error, "places: expected", dict(places=[])),
                                   (kickdrift.Error, "dt: expected a finite number", dict(dt=0))):
            with self.assertRaisesRegex(error, text):
                kickdrift.check(self.euler, self.spring, **given)


class Tables(unittest.TestCase):
    def test_methods_are_the_program_s(self):
        program = json.loads(subprocess.run([PROGRAM, "methods", "--json"], capture_output=True, check=True).stdout)
        rows = [row._asdict() for row in kickdrift.methods()]
        for row in rows:
            for name in ("order", "order_velocity", "stability"):
                row[name] = None if row[name] == float("inf") else row[name]
        self.assertEqual(rows, program)
        self.assertGreaterEqual(len(rows), 40)

    def test_backends(self):
        rows = {row.name: row for row in kickdrift.backends()}
        self.assertTrue(rows["scalar"].runnable)
        self.assertTrue(all(row.runnable != bool(row.reason) for row in rows.values()))
        self.assertEqual(kickdrift.Integrator(backend="scalar").backend, "scalar")
        runnable = [name for name, row in rows.items() if row.runnable]
        self.assertIn(kickdrift.Integrator().backend, runnable)
        for name, row in rows.items():
            if not row.runnable:
                with self.assertRaises(kickdrift.Error) as caught:
                    kickdrift.Integrator(backend=name)
                self.assertEqual(caught.exception.status, "unavailable here")


class Lending(unittest.TestCase):
    def test_nothing_is_copied(self):
        for dtype in REALS:
            whole = numpy.full((2, 3, 40), 77, dtype)
            x, v = whole[0, :, 5:37], whole[1, :, 5:37]  # These are rows of larger arrays, and not aligned to vectors.
            x[...], v[...] = draw(32, 3, dtype)
            start, speed = x.copy(), v.copy()
            particles = kickdrift.Particles(x, v)
            self.assertTrue(all(numpy.shares_memory(particles.x[i], whole) for i in range(3)))
            clock = kickdrift.Clock(dt=0.5)
            kickdrift.Integrator(dtype=dtype).run(particles, clock, 4)
            self.assertEqual((clock.step, clock.time), (4, 2.0))
            numpy.testing.assert_allclose(x, start + 2 * speed, rtol=1e-5, atol=1e-6)
            self.assertTrue((whole[:, :, :5] == 77).all() and (whole[:, :, 37:] == 77).all())

    def test_separate_arrays(self):
        """The C example of the README gives the numbers that are printed below it."""
        x, y = numpy.array([1.0, 2.0]), numpy.zeros(2)
        planets = kickdrift.Particles((x, y), (numpy.zeros(2), numpy.array([1.0, 0.75])))
        orbit = kickdrift.Integrator("velocity-verlet", [kickdrift.centre(mu=1)])
        orbit.run(planets, kickdrift.Clock(dt=1 / 64), 640)
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            printed = file.read().split("```text\n")[1].split("```")[0]
        self.assertEqual(printed, f"{x[0]:.17g} {y[0]:.17g}\n{x[1]:.17g} {y[1]:.17g}\n")

    def test_the_module_s_own_example(self):
        """The example in the module's documentation runs, and gives the numbers of the C example."""
        lines = [line[4:] for line in kickdrift.__doc__.split("\n") if line.startswith("    ")]
        self.assertGreaterEqual(len(lines), 6)
        names = {}
        exec("\n".join(lines), names)
        with open(os.path.join(SOURCE, "README.md"), encoding="utf-8") as file:
            printed = [float(word) for word in file.read().split("```text\n")[1].split("```")[0].split()]
        self.assertEqual(names["x"].T.ravel().tolist(), printed)

    def test_one_axis_and_none(self):
        x, v = numpy.ones(5), numpy.ones(5)
        kickdrift.Integrator().run(kickdrift.Particles(x, v), kickdrift.Clock(dt=1), 1)
        self.assertTrue((x == 2).all())
        empty = kickdrift.Particles(numpy.empty((3, 0)), numpy.empty((3, 0)))
        kickdrift.Integrator().run(empty, kickdrift.Clock(dt=1), 1)
        self.assertEqual(len(empty), 0)

    def test_read_only_where_nothing_is_written(self):
        x, v = draw(9)
        mass, names = numpy.ones(9), numpy.arange(9, dtype=numpy.uint64)
        mass[4] = 0
        mass.flags.writeable = names.flags.writeable = False
        frozen = x[:, 4].copy()
        kickdrift.Integrator().run(kickdrift.Particles(x, v, mass, id=names), kickdrift.Clock(dt=1), 1)
        self.assertTrue((x[:, 4] == frozen).all() and (x[:, 5] != draw(9)[0][:, 5]).all())

    def test_wrong_arrays(self):
        x, v = draw(6)
        read_only = x.copy()
        read_only.flags.writeable = False
        for error, says, arguments, more in (
                (TypeError, "x[0] is of type list, expected a NumPy array", ([[1.0], [2.0]], v), {}),
                (TypeError, "expected float32 or float64", (x.astype(int), v), {}),
                (TypeError, "expected float32 or float64", (x.astype(">f8"), v), {}),
                (TypeError, "v[0] has elements of type float32, expected float64", (x, v.astype(numpy.float32)), {}),
                (TypeError, "x[1] has elements of type float32, expected float64", ((x[0], x[1].astype(numpy.float32)), v[:2]), {}),
                (TypeError, "x is of type float64, expected one array per axis", (numpy.float64(3), v), {}),
                (ValueError, "v has 2 axes, expected 3", (x, v[:2]), {}),
                (ValueError, "x has 6 axes, expected 1 to 3; for an array with one row per particle give its transpose", (x.T, v.T), {}),
                (ValueError, "x has 0 axes", ([], []), {}),
                (ValueError, "v[0] has 5 elements, expected 6", (x, v[:, :5]), {}),
                (ValueError, "x[2] has 5 elements, expected 6", ((x[0], x[1], x[2, :5]), v), {}),
                (ValueError, "x[0] is read-only", (read_only, v), {}),
                (ValueError, "v[0] is read-only", (x, numpy.broadcast_to(0.0, (3, 6))), {}),
                (TypeError, "inverse_mass has elements of type float32", (x, v, numpy.ones(6, numpy.float32)), {}),
                (ValueError, "inverse_mass has 7 elements, expected 6", (x, v, numpy.ones(7)), {}),
                (ValueError, "inverse_mass has the shape (6, 1, 1)", (x, v, numpy.ones((6, 1, 1))), {}),
                (ValueError, "x[0] has strides of (-8,) bytes, expected positive ones", (x[:, ::-1], v), {}),
                (ValueError, "x[2] has strides of (16,) bytes, expected (8,), as x[0]", ((x[0], x[1], numpy.zeros(12)[::2]), v), {}),
                (ValueError, "id has strides of (-8,) bytes, expected positive ones", (x, v), {"id": numpy.zeros(6, numpy.uint64)[::-1]}),
                (ValueError, "contacts is -1", (x, v), {"contacts": -1}),
                (TypeError, "active has elements of type int64, expected bool", (x, v), {"active": numpy.ones(6, int)}),
                (TypeError, "level has elements of type bool, expected uint8", (x, v), {"level": numpy.ones(6, bool)}),
                (TypeError, "id has elements of type int64, expected uint64", (x, v), {"id": numpy.arange(6)}),
                (TypeError, "bounces has elements of type uint64, expected uint32", (x, v), {"bounces": numpy.zeros(6, numpy.uint64)}),
                (TypeError, "error has elements of type float32, expected float64", (x, v), {"error": numpy.zeros(6, "f")}),
                (ValueError, "dissipated_energy has 3 arrays", (x, v), {"dissipated_energy": numpy.zeros((3, 6))}),
                (TypeError, "dissipated_energy[1] has elements of type float32", (x, v), {"dissipated_energy": (numpy.zeros(6), numpy.zeros(6, "f"))}),
                (ValueError, "first_id is -1", (x, v), {"first_id": -1}),
                (TypeError, "memory is of type int, expected one array per axis", (x, v), {"memory": 1}),
                (ValueError, "memory has 2 axes, expected 3, as x", (x, v), {"memory": numpy.zeros((2, 6))}),
                (TypeError, "memory[0] has elements of type float32, expected float64", (x, v), {"memory": numpy.zeros((3, 6), "f")}),
                (ValueError, "memory[0] has 5 elements, expected 6", (x, v), {"memory": numpy.zeros((3, 5))}),
                (ValueError, "memory[0] is read-only", (x, v), {"memory": read_only}),
                (ValueError, "memory[0] has strides of (-8,)", (x, v), {"memory": numpy.zeros((3, 6))[:, ::-1]}),
                (TypeError, "memory[0] is of type list", (x, v), {"memory": [[0.0] * 6] * 3}),
                (ValueError, "compensation is 1, expected True, or two parts", (x, v), {"compensation": 1}),
                (ValueError, "expected True, or two parts, of x and of v", (x, v), {"compensation": numpy.zeros((3, 6))}),
                (ValueError, "compensation[0] has 2 axes, expected 3, as x", (x, v), {"compensation": numpy.zeros((2, 2, 6))}),
                (TypeError, "compensation[1][2] has elements of type float32",
                 (x, v), {"compensation": (numpy.zeros((3, 6)), [numpy.zeros(6), numpy.zeros(6), numpy.zeros(6, "f")])}),
                (ValueError, "compensation[1] has other strides", (x, v), {"compensation": (numpy.zeros((3, 6)), numpy.zeros((3, 12))[:, ::2])}),
                (ValueError, "images has 2 axes, expected 3, as x", (x, v), {"images": numpy.zeros((2, 6), "i4")}),
        ):
            with self.subTest(says), self.assertRaises(error) as caught:
                kickdrift.Particles(*arguments, **more)
            self.assertIn(says, str(caught.exception))

    def test_overlap(self):
        x, v = draw(6)
        whole = numpy.zeros(30)
        for arrays in ((x, x), ((x[0], x[0]), v[:2]), ((whole[0:6], whole[5:11]), v[:2]), (x, (v[0], v[1], x[2]))):
            with self.assertRaises(kickdrift.Error) as caught:
                kickdrift.Particles(*arrays)
            self.assertEqual(caught.exception.status, "overlapping arrays")
            self.assertIn("share memory", str(caught.exception))
        with self.assertRaises(kickdrift.Error):
            kickdrift.Particles(x, v, x[0])
        for lent in ({"memory": x}, {"compensation": (numpy.zeros((3, 6)), v)}):
            with self.assertRaises(kickdrift.Error) as caught:
                kickdrift.Particles(x, v, **lent)
            self.assertEqual(caught.exception.status, "overlapping arrays")
        close = numpy.lib.stride_tricks.as_strided(whole, (3, 6), (64, 4))
        with self.assertRaises(kickdrift.Error) as caught:
            kickdrift.Particles(close, v)
        self.assertIn("stride", str(caught.exception))
        for marks in ({"active": numpy.ones(5, bool)}, {"level": numpy.zeros(7, numpy.uint8)}):
            with self.assertRaises(kickdrift.Error) as caught:
                kickdrift.Particles(x, v, **marks)
            self.assertEqual(caught.exception.status, "mismatch")
        with self.assertRaises(kickdrift.Error) as caught:
            kickdrift.Particles(x, v, level=numpy.full(6, 33, numpy.uint8))
        self.assertEqual(caught.exception.status, "argument out of range")


class Layouts(unittest.TestCase):
    """Arrays that are not contiguous are stepped in place, to the same bits."""

    def places(self, count, dtype):
        """Yields (name, memory, x, v, inverse_mass). The arrays are views of `count` particles in one piece of memory, whose bytes are
        0xa5 at first."""
        def memory(shape, kind):
            array = numpy.empty(shape, kind)
            array.reshape(-1).view(numpy.uint8)[...] = 0xa5
            return array

        rows = memory((2, count, 3), dtype)
        yield "(n, 3)", rows, rows[0].T, rows[1].T, None
        columns = memory((count, 8), dtype)
        yield "columns", columns, columns[:, 0:3].T, (columns[:, 4], columns[:, 5], columns[:, 7]), columns[:, 3]
        flags = [("tag", "u1"), ("x", dtype, 3), ("m", dtype), ("v", dtype, 3)]
        packed = memory(count, flags)  # The fields of this array are not aligned.
        yield "structures", packed, packed["x"].T, packed["v"].T, packed["m"]
        every = memory((6, 3 * count), dtype)
        yield "every third", every, every[0:3, ::3], every[3:6, 2::3], every[0, 1::3]
        blocks = memory((count // 5, 7, 5), dtype)
        yield "blocks", blocks, blocks[:, 0:3].swapaxes(0, 1), blocks[:, 3:6].swapaxes(0, 1), blocks[:, 6]

    def test_same_bits(self):
        for dtype in REALS:
            for count in (5, 35, 500):
                for name, memory, x, v, inverse in self.places(count, dtype):
                    for method in ("velocity-verlet", "rk4", "rkn-4-3", "implicit-midpoint"):
                        with self.subTest(name, dtype=dtype.__name__, count=count, method=method):
                            memory.reshape(-1).view(numpy.uint8)[...] = 0xa5
                            start, speed = draw(count, 3, dtype)
                            masses = numpy.linspace(0, 2, count, dtype=dtype)
                            for axis in range(3):
                                x[axis].flat, v[axis].flat = start[axis], speed[axis]
                            if inverse is not None:
                                inverse.flat = masses
                            untouched = memory.copy()
                            integrator = kickdrift.Integrator(method, [kickdrift.centre(1, softening=0.4), kickdrift.spring(0.3)], dtype=dtype)
                            lent = kickdrift.Particles(x, v, inverse)
                            plain = kickdrift.Particles(start, speed, None if inverse is None else masses)
                            integrator.verify(lent, kickdrift.Clock(dt=0.05), 3)
                            for particles in (lent, plain):
                                integrator.run(particles, kickdrift.Clock(dt=0.05), 3)
                            for axis in range(3):
                                self.assertEqual(x[axis].tobytes(), start[axis].tobytes())
                                self.assertEqual(v[axis].tobytes(), speed[axis].tobytes())
                            self.assertEqual(lent.fingerprint(), plain.fingerprint())
                            # The state is put back. Everything else in the memory must be unchanged.
                            before = untouched.copy()
                            start, speed = draw(count, 3, dtype)
                            for axis in range(3):
                                x[axis].flat, v[axis].flat = start[axis], speed[axis]
                            self.assertEqual(memory.tobytes(), before.tobytes())

    def test_active_and_level(self):
        integrator = kickdrift.Integrator("rk4", [kickdrift.centre(1, softening=0.4)])
        x, v = draw(64)
        some = numpy.random.default_rng(3).uniform(size=64) < 0.4
        level = numpy.arange(64, dtype=numpy.uint8) % 3
        kickdrift.Integrator.verify(integrator, kickdrift.Particles(x, v, active=some, level=level), kickdrift.Clock(dt=0.1), 4)
        integrator.run(kickdrift.Particles(x, v, active=some, level=level), kickdrift.Clock(dt=0.1), 4)
        self.assertTrue((x[:, ~some] == draw(64)[0][:, ~some]).all())
        for one in range(3):
            chosen = some & (level == one)
            fine, speed = (array[:, chosen].copy() for array in draw(64))
            integrator.run(kickdrift.Particles(fine, speed), kickdrift.Clock(dt=0.1 / 2**one), 4 * 2**one)
            self.assertEqual(x[:, chosen].tobytes(), fine.tobytes())
        numbers = kickdrift.Particles(*draw(64), active=some.astype(numpy.uint8), level=level)
        integrator.run(numbers, kickdrift.Clock(dt=0.1), 4)
        self.assertEqual(numpy.array(numbers.x).tobytes(), x.tobytes())


class Running(unittest.TestCase):
    """Field runs with every method of the table, and their features."""

    def field(self, method):
        forces = [kickdrift.spring([1.5, 2, 0.5], [0.1, 0, -0.2]), kickdrift.uniform_acceleration((0, 0.3, -0.1)), kickdrift.uniform_force([0.2])]
        if method.velocity_forces != "none":
            forces.append(kickdrift.electromagnetic(0.7, e=(0.1, 0.2, 0), b=(0.3, -0.2, 0.4)))
        if method.velocity_forces == "any":
            forces.append(kickdrift.drag(0.2, wind=(0.5, 0, 0)))
        if not method.affine:
            forces += [kickdrift.centre(0.8, (0.2, 0.1, 0.1), softening=0.3), kickdrift.driven((0.1, 0, 0.2), omega=1.5, phase=0.3)]
            if method.velocity_forces == "any":
                forces.append(kickdrift.quadratic_drag(0.05, (0, 0.1, 0)))
        return forces

    def test_every_method_has_the_reference_s_bits(self):
        runnable = [row.name for row in kickdrift.backends() if row.runnable]
        for method in kickdrift.methods():
            for dtype in REALS:
                for arithmetic in ("fused", "unfused"):
                    with self.subTest(method=method.name, dtype=dtype.__name__, arithmetic=arithmetic):
                        x, v = draw(37, 3, dtype)
                        mass = numpy.linspace(0, 2, 37, dtype=dtype)
                        bath = (0.4, 0.9, 11) if method.family == "langevin" else None
                        integrator = kickdrift.Integrator(method.name, self.field(method), dtype=dtype, arithmetic=arithmetic, langevin=bath,
                                                          dt=0.05 if dtype is numpy.float64 else 0)
                        self.assertEqual(integrator.method, method)
                        particles, clock = kickdrift.Particles(x, v, mass), kickdrift.Clock(dt=0.05, t0=-1)
                        self.assertEqual(integrator.verify(particles, clock, 7), runnable)
                        self.assertEqual(clock.step, 0)
                        self.assertTrue((x == draw(37, 3, dtype)[0]).all(), "verify wrote to the particles")
                        expected = particles.copy()
                        integrator.run(particles, clock, 7)
                        integrator.reference_run(expected, kickdrift.Clock(dt=0.05, t0=-1), 7)
                        self.assertEqual(x.tobytes(), numpy.array(expected.x).tobytes())
                        self.assertEqual(particles.fingerprint(), expected.fingerprint())
                        self.assertFalse((x[:, 1:] == draw(37, 3, dtype)[0][:, 1:]).any(), "nothing moved")

    def test_verify_finds_one_bit(self):
        integrator = kickdrift.Integrator("rk4", [kickdrift.spring(2)])
        particles, clock = kickdrift.Particles(*draw(20)), kickdrift.Clock(dt=0.1)
        honest = kickdrift.Integrator.reference_run

        def spoilt(self, p, *arguments):
            honest(self, p, *arguments)
            p.v[1].view(numpy.uint64)[13] ^= numpy.uint64(1)

        with mock.patch.object(kickdrift.Integrator, "reference_run", spoilt), self.assertRaises(kickdrift.Mismatch) as caught:
            integrator.verify(particles, clock, 3)
        self.assertIn("backend scalar, rk4: 1 elements differ, the first is v[1] of particle 13", str(caught.exception))
        self.assertEqual(caught.exception.status, "mismatch")
        with mock.patch.object(kickdrift.Integrator, "reference_run", lambda *_: None), self.assertRaises(kickdrift.Mismatch):
            integrator.verify(particles, clock, 3)

    def test_cut_runs(self):
        """With a memory and a compensation, a run in several calls has the bits of one call."""
        for dtype in REALS:
            drag = [kickdrift.spring(3), kickdrift.drag(0.3)]
            integrator = kickdrift.Integrator("velocity-verlet", drag, dtype=dtype, compensated=True)
            results = []
            for parts in ((12,), (5, 1, 6)):
                particles, clock = kickdrift.Particles(*draw(21, 2, dtype), memory=True, compensation=True), kickdrift.Clock(dt=0.1)
                for steps in parts:
                    integrator.run(particles, clock, steps)
                results.append(particles.fingerprint())
            self.assertEqual(*results)
            once = integrator.evaluations(kickdrift.Particles(*draw(21, 2, dtype)), kickdrift.Clock(dt=0.1), 12)
            self.assertEqual(once, 21 * 13)

    def test_what_is_remembered_is_lent(self):
        """A run continues from user-defined memory arrays, after a file and in another layout. Without the key it starts afresh."""
        drag = [kickdrift.spring(3), kickdrift.drag(0.3)]
        for dtype in REALS:
            for motion in (kickdrift.Integrator("velocity-verlet", drag, dtype=dtype, compensated=True),
                           kickdrift.System("velocity-verlet", forces=drag, dtype=dtype, compensated=True)):
                memory, lost = numpy.zeros((3, 21), dtype), numpy.zeros((2, 3, 21), dtype)
                begun, clock = kickdrift.Particles(*draw(21, dtype=dtype), memory=memory, compensation=lost), kickdrift.Clock(dt=0.1)
                motion.run(begun, clock, 7)
                self.assertTrue(memory.any() and lost.any())
                self.assertEqual(begun.memory_key, motion.memory_key(begun, clock))
                self.assertNotEqual(begun.memory_key, motion.memory_key(begun, kickdrift.Clock(dt=0.1)))
                with tempfile.TemporaryDirectory() as folder:
                    path = os.path.join(folder, "run.npz")
                    numpy.savez(path, x=begun.x, v=begun.v, memory=memory, lost=lost)
                    saved = dict(numpy.load(path))

                def made(one_by_one=False):
                    """Returns the saved particles, with the memory and the compensation in strided arrays, or with memory arrays that only
                    the particles own."""
                    rows, lost = numpy.ascontiguousarray(saved["memory"].T), numpy.zeros((2, 3, 42), dtype)[:, :, ::2]
                    lost[...] = saved["lost"]
                    return kickdrift.Particles(saved["x"].copy(), saved["v"].copy(), compensation=lost,
                                               memory=(axis.copy() for axis in saved["memory"]) if one_by_one else rows.T)

                gone_on, by_one, afresh = made(), made(one_by_one=True), made()
                gc.collect()
                for particles in (gone_on, by_one):
                    self.assertEqual(particles.memory_key, 0)
                    particles.memory_key = motion.memory_key(particles, clock)
                motion.verify(gone_on, clock, 3)
                ends = []
                for particles in (begun, gone_on.copy(), by_one.copy(alike=True), gone_on, by_one, afresh):
                    motion.run(particles, kickdrift.Clock(dt=0.1, step=7), 5)
                    ends.append(particles.fingerprint())
                self.assertEqual(len(set(ends[:-1])), 1)
                self.assertNotEqual(ends[-1], ends[0])
                for alike in (False, True):
                    empty = kickdrift.Particles(numpy.zeros((3, 0), dtype), numpy.zeros((3, 0), dtype), memory=True, compensation=True).copy(alike)
                    self.assertEqual((len(empty), len(empty.memory), len(empty.compensation[1])), (0, 3, 3))
                with self.assertRaisesRegex(ValueError, "memory_key is -1"):
                    begun.memory_key = -1

    def test_explained(self):
        for motion, says in ((kickdrift.Integrator("rk4", [kickdrift.spring(1)], backend="scalar"), "rk4 on scalar, f64, fused; 2 axes, with masses"),
                             (kickdrift.System("baoab", [kickdrift.spring_network([(0, 1), (1, 2)], k=1)], dtype="f4", arithmetic="unfused", backend="scalar"),
                              "baoab on scalar, f32, unfused; 2 axes, with masses")):
            text = motion.explain(2, masses=True)
            self.assertEqual(text.split("\n")[0], says)
            self.assertTrue(text.endswith("\n") and "\0" not in text)
            self.assertIn("3 axes, without masses", motion.explain())
            for dims in (0, 4, "2"):
                with self.assertRaisesRegex(ValueError, "dims is .*, expected 1 to 3"):
                    motion.explain(dims)
        self.assertIn("springs", text)

    def test_digests(self):
        springs = [kickdrift.Integrator(forces=[kickdrift.spring(k)], backend=backend) for k, backend in ((1, "auto"), (1, "scalar"), (2, "auto"))]
        nets = [kickdrift.System(interactions=[kickdrift.spring_network([(0, 1)], k)], backend=backend) for k, backend in ((1, "auto"), (1, "scalar"), (2, "auto"))]
        for one, other_backend, other in (springs, nets):
            self.assertEqual(one.digest, other_backend.digest)
            self.assertNotEqual(one.digest, other.digest)
            self.assertNotEqual(one.digest, 0)

    def test_flush_small(self):
        """Values that are nearly 0 become 0 at the 128th step, as in the reference."""
        for rests in (False, True):
            integrator = kickdrift.Integrator("velocity-verlet", [kickdrift.drag(0.5)], dtype=numpy.float32, flush_small_to_zero=rests)
            particles = kickdrift.Particles(numpy.float32([[1.0], [2.0]]), numpy.float32([[1e-31], [1.0]]))
            integrator.verify(particles, kickdrift.Clock(dt=0.01), 128)
            integrator.run(particles, kickdrift.Clock(dt=0.01), 128)
            self.assertEqual((particles.v[0][0] == 0, particles.v[1][0] > 0), (rests, True))
            system = kickdrift.System("velocity-verlet", [kickdrift.spring_network([(0, 1)], k=1, length=1)], flush_small_to_zero=rests)
            particles = kickdrift.Particles(numpy.array([[1.0, 2.0], [0.0, 0.0]]), numpy.array([[0.0, 0.0], [1e-280, 0.0]]))
            system.run(particles, kickdrift.Clock(dt=0.01, step=127), 1)
            self.assertEqual(particles.v[1][0] == 0, rests)

    def test_compositions(self):
        for row in kickdrift.compositions():
            with self.subTest(row.name):
                self.assertAlmostEqual(sum(row.fraction), 1, places=12)
                self.assertEqual(kickdrift.Integrator(compose=row.name).method.order, row.order)
                named, listed = (kickdrift.Integrator("boris", [kickdrift.spring(1)], compose=compose) for compose in (row.name, row.fraction))
                ends = [kickdrift.Particles(*draw(5)) for _ in range(2)]
                named.run(ends[0], kickdrift.Clock(dt=0.1), 3)
                listed.run(ends[1], kickdrift.Clock(dt=0.1), 3)
                self.assertEqual(kickdrift.compare(*ends).mismatches, 0)
        self.assertEqual(row.name, "kahan-li-8")

    def test_composed(self):
        """A composition by name equals the one by its fractions. A method that cannot be composed is refused."""
        q = 1 / (4 - 4 ** (1 / 3))
        named = kickdrift.Integrator("boris", [kickdrift.centre(mu=1)], compose="suzuki-4")
        self.assertEqual((named.method.order, named.method.evaluations), (4, 5))
        listed = kickdrift.Integrator("boris", [kickdrift.centre(mu=1)], compose=[q, q, 1 - 4 * q, q, q])
        ends = []
        for integrator in (named, listed):
            x, v = numpy.array([[1.0], [0.0]]), numpy.array([[0.0], [1.0]])
            particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=0.05)
            integrator.verify(particles, clock, 3)
            integrator.run(particles, clock, 20)
            ends.append(float(x[0, 0]))
        self.assertAlmostEqual(ends[0], numpy.cos(1.0), delta=1e-6)
        self.assertAlmostEqual(*ends, delta=1e-14)
        with self.assertRaisesRegex(kickdrift.Error, "compose: expected a method that is the same backwards, and rk4 is not"):
            kickdrift.Integrator("rk4", compose="suzuki-4")
        with self.assertRaisesRegex(ValueError, "0 substeps, expected 1 to 39"):
            kickdrift.Integrator("boris", compose=[])

    def test_changed(self):
        integrator = kickdrift.Integrator("velocity-verlet", [kickdrift.spring(3), kickdrift.drag(0.3)])
        x, v = draw(4)
        particles, clock = kickdrift.Particles(x, v, memory=True), kickdrift.Clock(dt=0.1)
        integrator.run(particles, clock, 2)
        self.assertNotEqual(particles._view.memory_key, 0)
        x += 1
        particles.changed()
        fresh = kickdrift.Particles(x.copy(), v.copy(), memory=True)
        integrator.run(fresh, kickdrift.Clock(dt=0.1, step=2), 3)
        integrator.run(particles, clock, 3)
        self.assertEqual(particles.fingerprint(), fresh.fingerprint())

    def test_rows_of_the_caller_s_own(self):
        forces = [kickdrift.centre(1, softening=0.5)]
        third = 1 / 3
        own = {"velocity-verlet": {"fractions": ([0.5, 0.5], [1, 0])},
               "rk4": {"tableau": ([[], [0.5], [0, 0.5], [0, 0, 1]], [third / 2, third, third, third / 2])}}
        for name, row in own.items():
            pair = [kickdrift.Particles(*draw(10)) for _ in range(2)]
            for particles, integrator in zip(pair, (kickdrift.Integrator(name, forces), kickdrift.Integrator(forces=forces, **row))):
                integrator.run(particles, kickdrift.Clock(dt=0.1), 5)
            numpy.testing.assert_allclose(pair[0].x, pair[1].x, rtol=1e-12)
        self.assertEqual(kickdrift.Integrator(**own["rk4"]).verify(kickdrift.Particles(*draw(10)), kickdrift.Clock(dt=0.1), 5)[0], "scalar")
        for row in ({"fractions": ([1, 2], [1])}, {"tableau": ([[]], [0.5, 0.5])}, {"tableau": ([[0, 1, 2], []], [0.5, 0.5])}):
            with self.assertRaises(ValueError):
                kickdrift.Integrator(**row)
        with self.assertRaises(kickdrift.Error):
            kickdrift.Integrator(fractions=([0.5, 0.25], [1, 0]))

    def test_arrays_a_particle(self):
        """Forces may have one k, anchor or drag per particle. The arrays live as long as the integrator."""
        x, v = draw(50, 2)
        k, b, at = numpy.linspace(1, 4, 50), numpy.linspace(0, 1, 50), (numpy.linspace(-1, 1, 50), numpy.zeros(50))
        kept = weakref.ref(k)
        integrator = kickdrift.Integrator("rk4", [kickdrift.spring(k_each=k, at_each=at), kickdrift.drag(b_each=b)])
        single = [kickdrift.Integrator("rk4", [kickdrift.spring(k[i], (at[0][i], 0)), kickdrift.drag(b[i])]) for i in (3, 49)]
        del k, b, at
        gc.collect()
        self.assertIsNotNone(kept())
        particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=0.1)
        alone = [kickdrift.Particles(x[:, i].reshape(2, 1).copy(), v[:, i].reshape(2, 1).copy()) for i in (3, 49)]
        integrator.verify(particles, clock, 3)
        integrator.run(particles, clock, 10)
        for one, i, own in zip(alone, (3, 49), single):
            own.run(one, kickdrift.Clock(dt=0.1), 10)
            self.assertEqual((one.x[0][0], one.x[1][0]), (x[0, i], x[1, i]))
        del integrator, single, own
        gc.collect()
        self.assertIsNone(kept())
        with self.assertRaises(TypeError):
            kickdrift.Integrator(forces=[kickdrift.spring(k_each=numpy.ones(5, numpy.float32))])
        with self.assertRaises(ValueError):
            kickdrift.spring(k_each=numpy.ones(5), at_each=(numpy.ones(4),))
        with self.assertRaises(kickdrift.Error) as caught:
            kickdrift.Integrator(forces=[kickdrift.spring(k_each=numpy.ones(5))]).run(particles, clock, 1)
        self.assertEqual(caught.exception.status, "mismatch")

    def test_errors(self):
        self.assertEqual({m.name: m.order_estimate for m in kickdrift.methods() if m.order_estimate},
                         {"dopri-5": 4, "rkn-4-3": 3, "dprkn-5": 4, "dprkn-6": 4})
        for dtype in REALS:
            x, v = draw(30, 2, dtype)
            error = numpy.zeros(30, dtype)
            particles, clock = kickdrift.Particles(x, v, error=error), kickdrift.Clock(dt=0.25)
            orbit = kickdrift.Integrator("dopri-5", [kickdrift.spring(k=2)], dtype=dtype)
            orbit.verify(particles, clock, 5)
            self.assertFalse(error.any())
            orbit.run(particles, clock, 5)
            self.assertTrue((error > 0).all())
            again = numpy.zeros(30, dtype)
            kickdrift.System("dopri-5", forces=[kickdrift.spring(k=2)], dtype=dtype).run(
                kickdrift.Particles(*draw(30, 2, dtype), error=again), kickdrift.Clock(dt=0.25), 5)
            self.assertEqual(list(again), list(error))
            with self.assertRaises(kickdrift.Error) as caught:
                kickdrift.Integrator("rk4", [kickdrift.spring(k=2)], dtype=dtype).run(particles, clock, 1)
            self.assertEqual(caught.exception.status, "unsupported combination")
            self.assertIn("particles.error: rk4 has no weights", str(caught.exception))

    def test_nonconverged_equations(self):
        x, v, nonconverged = numpy.array([[3.0, 1.0, 1.25]]), numpy.zeros((1, 3)), numpy.zeros(3, numpy.uint32)
        particles, clock = kickdrift.Particles(x, v, nonconverged=nonconverged), kickdrift.Clock(dt=0.5)
        fall = kickdrift.Integrator("implicit-euler", [kickdrift.centre(mu=2)])
        fall.verify(particles, clock, 1)
        fall.run(particles, clock, 1)
        self.assertEqual(list(nonconverged), [0, 1, 1])
        self.assertTrue(numpy.isfinite(x).all())

    def test_colliders_constraints_boundaries(self):
        for dtype in REALS:
            x, v = draw(30, 3, dtype)
            bounces = numpy.zeros(30, numpy.uint32)
            taken = numpy.zeros((2, 30)) if dtype is numpy.float32 else (numpy.zeros(30), numpy.zeros(30))
            particles, clock = kickdrift.Particles(x, v, bounces=bounces, dissipated_energy=taken), kickdrift.Clock(dt=0.05)
            fall = kickdrift.Integrator(forces=[kickdrift.uniform_acceleration((0, 0, -9.81))], dtype=dtype, colliders=[
                kickdrift.plane((0, 0, -3), (0, 0, 1), restitution=0.5, sliding=0.2, static_friction=0.4),
                kickdrift.sphere((9, 9, 9), 1), kickdrift.box((-3, -3, -4), (3, 3, 40), inside=True)])
            fall.verify(particles, clock, 60)
            fall.run(particles, clock, 60)
            numpy.testing.assert_allclose(fall.observe(particles, clock).dissipated_energy, numpy.sum(taken, axis=1), rtol=1e-12)
            self.assertTrue(bounces.all() and taken[0].all() and taken[1].any())
            self.assertTrue((x[2] >= -3.00001).all() and (abs(x[:2]) <= 3).all())
            pendulum = kickdrift.Integrator(forces=[kickdrift.uniform_acceleration((0, -1))], dtype=dtype,
                                            constraints=[kickdrift.on_rod((0, 0), 2)])
            bob = kickdrift.Particles(*draw(11, 2, dtype))
            pendulum.verify(bob, kickdrift.Clock(dt=0.01), 20)
            pendulum.run(bob, kickdrift.Clock(dt=0.01), 20)
            numpy.testing.assert_allclose(numpy.hypot(*bob.x), 2, rtol=1e-6)
            x, v = draw(40, 2, dtype)
            start, images = x.astype(float), numpy.zeros((2, 40), numpy.int32)
            tile, wraps = kickdrift.Particles(x, v, images=images), kickdrift.Integrator(dtype=dtype, boundary=kickdrift.periodic((-1, -1), (1, 1)))
            wraps.verify(tile, kickdrift.Clock(dt=0.5), 9)
            wraps.run(tile, kickdrift.Clock(dt=0.5), 9)
            self.assertTrue((abs(numpy.array(tile.x)) <= 1).all() and images.any())
            numpy.testing.assert_allclose(x + 2 * images, start + 4.5 * v, atol=1e-5)
            with self.assertRaisesRegex(ValueError, "images has 1 axes, expected 2"):
                kickdrift.Particles(x, v, images=images[:1])
            out = kickdrift.Integrator(dtype=dtype, boundary=kickdrift.absorbing((-1, -1, -1), (1, 1, 1)))
            cloud = kickdrift.Particles(*draw(40, 3, dtype))
            out.run(cloud, kickdrift.Clock(dt=1), 1)
            self.assertEqual(out.absorbed(cloud), int((abs(numpy.array(cloud.x)) > 1).any(axis=0).sum()))

    def test_observe(self):
        x, v = draw(100)
        inverse = numpy.linspace(0.5, 2, 100)
        integrator = kickdrift.Integrator(forces=[kickdrift.spring(2, (1, 0, 0))])
        seen = integrator.observe(kickdrift.Particles(x, v, inverse), kickdrift.Clock(dt=1))
        self.assertAlmostEqual(seen.kinetic, ((v**2).sum(axis=0) / inverse / 2).sum())
        self.assertAlmostEqual(seen.potential, ((x - [[1], [0], [0]])**2).sum())
        self.assertEqual(seen.energy, seen.kinetic + seen.potential)
        numpy.testing.assert_allclose(seen.momentum, (v / inverse).sum(axis=1))
        numpy.testing.assert_allclose(seen.angular_momentum, (numpy.cross(x.T, v.T).T / inverse).sum(axis=1))
        self.assertIsNone(kickdrift.Particles(x, v).first_non_finite())
        v[1, 70] = numpy.nan
        self.assertEqual(kickdrift.Particles(x, v).first_non_finite(), 70)

    def test_threads(self):
        """OpenMP's threads and the user's own threads give the same bits."""
        forces, results = [kickdrift.centre(1, softening=0.2)], []
        views = [kickdrift.Particles(*draw(20000)) for _ in range(4)]
        try:
            kickdrift.Integrator("rk4", forces, threads=2).run(views[0], kickdrift.Clock(dt=0.01), 20)
        except kickdrift.Error as error:
            self.assertEqual(error.status, "unavailable here")
            views.pop(0)
        shared = kickdrift.Integrator("rk4", forces)
        threads = [threading.Thread(target=shared.run, args=(view, kickdrift.Clock(dt=0.01), 20)) for view in views[-3:]]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        results = {view.fingerprint() for view in views}
        self.assertEqual(len(results), 1)

    def test_games(self):
        """Particles die and are born, and forces and the step change. Each particle has the bits of a run of its own."""
        def one(i):
            return [numpy.array([0.1 * i + axis]) for axis in range(3)], [numpy.array([0.3 - 0.05 * i]) for _ in range(3)]
        motion = kickdrift.Integrator("velocity-verlet", [kickdrift.drag(b=0.5)])
        rows = [numpy.array([[a[axis][0] for a in column] for axis in range(3)]) for column in zip(*(one(i) for i in range(8)))]
        game, clock = kickdrift.Particles(*rows, memory=True), kickdrift.Clock(dt=0.125)
        motion.run(game, clock, 4)
        game.move(2, 7)
        game.resize(7)
        self.assertEqual(len(game), 7)
        for axis in range(3):
            game.x[axis][6], game.v[axis][6] = one(20)[0][axis][0], one(20)[1][axis][0]
        motion.init_memory(game, clock, 6, 1)
        motion.run(game, clock, 4)
        for place, i, steps in ((0, 0, 8), (2, 7, 8), (6, 20, 4)):
            alone = kickdrift.Particles(*one(i), memory=True)
            motion.reference_run(alone, kickdrift.Clock(dt=0.125, step=8 - steps), steps)
            self.assertEqual([a[0] for a in alone.x + alone.v], [a[place] for a in (*game.x, *game.v)])
        self.assertEqual(len(game.copy()), 7)
        changed = clock.with_dt(0.25)
        self.assertEqual((changed.time, changed.dt, changed.step), (clock.time, 0.25, clock.step))
        self.assertEqual(motion.evaluations(game, changed, 3), 7 * 3)
        with self.assertRaises(kickdrift.Error):
            motion.set_forces([kickdrift.spring(float("nan"))])
        motion.set_forces([kickdrift.spring(k=2)])
        other = kickdrift.Integrator("velocity-verlet", [kickdrift.spring(k=2)])
        twin, twin_clock = game.copy(), kickdrift.Clock(changed.dt, changed.t0)
        motion.run(game, changed, 5)
        other.run(twin, twin_clock, 5)
        self.assertEqual(game.fingerprint(), twin.fingerprint())
        with self.assertRaises(kickdrift.Error):
            game.move(0, 7)
        with self.assertRaises(ValueError):
            game.resize(9)

    def test_every_array_in_structures(self):
        """Fields of structured arrays give the bits of separate arrays."""
        kind = numpy.dtype([("x", "f8", 3), ("v", "f8", 3), ("w", "f8"), ("k", "f8"), ("id", "u8"), ("bounces", "u4"), ("on", "?"), ("level", "u1")])
        results = []
        for apart in (True, False):
            game = numpy.zeros(50, kind)
            game["x"], game["v"] = numpy.arange(150).reshape(50, 3) % 17 / 8, numpy.arange(150).reshape(50, 3) % 13 - 6
            game["w"], game["k"], game["id"], game["on"], game["level"] = 0.5, numpy.arange(50) / 9, numpy.arange(50) * 7, numpy.arange(50) % 3 != 1, numpy.arange(50) % 2
            a = {name: game[name] if apart else game[name].copy() for name in kind.names}
            view = kickdrift.Particles(a["x"].T, a["v"].T, a["w"], id=a["id"], bounces=a["bounces"], active=a["on"], level=a["level"], contacts=900)
            motion = kickdrift.Integrator("baoab", [kickdrift.spring(k_each=a["k"])], langevin=(1, 0.5, 3),
                                          colliders=[kickdrift.box((-1, -1, -1), (3, 3, 3), True)])
            motion.verify(view, kickdrift.Clock(dt=0.05), 5)
            motion.run(view, kickdrift.Clock(dt=0.05), 20)
            list_, lost = view.contacts()
            self.assertEqual((lost, len(list_)), (0, int(a["bounces"].sum())))
            self.assertTrue((list_["time"] > 0).all() and (abs(list_["impulse"]).sum(axis=1) > 0).all())
            self.assertEqual(len(view.contacts()[0]), 0)
            results.append((view.fingerprint(), a["bounces"].tobytes(), list_.tobytes()))
        self.assertEqual(results[0], results[1])
        with self.assertRaises(ValueError):
            kickdrift.spring(k_each=game["k"], at_each=[numpy.zeros(50)])

    def test_events_and_samples(self):
        """Pericentres give the period of an orbit. A Python function can be a watch, and a sample can be taken between two steps."""
        x, v = numpy.array([[-1.3], [0.0], [0.0]]), numpy.array([[0.0], [-((0.7 / 1.3) ** 0.5)], [0.0]])
        watches = [kickdrift.watch_apsis(crossing="rising"), kickdrift.watch_plane((0, 0, 0), (0, 1, 0)), kickdrift.watch_distance((0, 0, 0), 1),
                   kickdrift.watch(lambda x, v, t: t - 2.5)]
        orbit = kickdrift.Integrator("pefrl", [kickdrift.centre(mu=1)], watches=watches)
        planet, clock = kickdrift.Particles(x, v, events=100, memory=True), kickdrift.Clock(dt=2 * numpy.pi / 1000.5)
        orbit.verify(planet, clock, 900)
        orbit.run(planet, clock, 3000)
        list_, lost = planet.events()
        self.assertEqual((lost, len(planet.events()[0])), (0, 0))
        passages = list_["time"][list_["watch"] == 0]
        self.assertEqual(len(passages), 3)
        self.assertLess(abs(numpy.diff(passages) - 2 * numpy.pi).max(), 1e-8)
        self.assertLess(abs(list_["x"][list_["watch"] == 1, 1]).max(), 1e-13)
        self.assertEqual(list_["direction"][list_["watch"] == 2].tolist(), [-1, 1] * 3)
        self.assertEqual((list_["watch"] == 3).sum(), 1)
        self.assertAlmostEqual(list_["time"][list_["watch"] == 3][0], 2.5, places=12)
        before, start = planet.fingerprint(), x[0].copy()
        half, end = orbit.sample(planet, clock, 0.5), orbit.sample(planet, clock, 1)
        self.assertEqual((planet.fingerprint(), clock.step), (before, 3000))
        orbit.run(planet, clock, 1)
        self.assertEqual(end.x[0].tobytes() + end.v[1].tobytes(), planet.x[0].tobytes() + planet.v[1].tobytes())
        self.assertLess(abs(half.x[0][0] - (x[0][0] + start[0]) / 2), 1e-4)
        with self.assertRaises(kickdrift.Error):
            orbit.sample(planet, clock, 1.5)
        with self.assertRaises(ValueError):
            kickdrift.watch_apsis(crossing="upwards")
        with self.assertRaises(ValueError):
            kickdrift.watch_apsis(stop="all")

    def test_forces_of_system_runs_change(self):
        def cloth(forces):
            return kickdrift.System(interactions=[kickdrift.spring_network([(0, 1), (1, 2)], k=1, length=1)], forces=forces)

        start = numpy.arange(9.0).reshape(3, 3), numpy.zeros((3, 3))
        motion, wind = cloth([kickdrift.spring(k=2)]), [kickdrift.uniform_acceleration((1, 0, 0)), kickdrift.drag(b=0.5)]
        ours, theirs = kickdrift.Particles(*start, memory=True), kickdrift.Particles(*start, memory=True)
        clocks = kickdrift.Clock(dt=0.125), kickdrift.Clock(dt=0.125)
        motion.run(ours, clocks[0], 3)
        cloth([kickdrift.spring(k=2)]).run(theirs, clocks[1], 3)
        with self.assertRaises(kickdrift.Error):
            motion.set_forces([kickdrift.spring(float("nan"))])
        motion.verify(ours, clocks[0], 1)  # The run still uses its old forces.
        motion.set_forces(wind)
        motion.run(ours, clocks[0], 4)
        cloth(wind).run(theirs, clocks[1], 4)
        self.assertEqual(ours.fingerprint(), theirs.fingerprint())
        self.assertEqual(motion.on("scalar").verify(ours, clocks[0], 2), motion.verify(ours, clocks[0], 2))

    def test_colliders_move(self):
        belt = kickdrift.plane((0, 0, 0), (0, 0, 1), restitution=0, sliding=0.3, velocity=(2, 0, 0), since=1)
        motion = kickdrift.Integrator(forces=[kickdrift.uniform_acceleration((0, 0, -9.81))], colliders=[belt])
        particles, clock = kickdrift.Particles(numpy.zeros((3, 1)), numpy.zeros((3, 1))), kickdrift.Clock(dt=0.125)
        motion.run(particles, clock, 16)
        self.assertAlmostEqual(particles.v[0][0], 2, 12)
        motion.verify(particles, clock, 3)
        wall = kickdrift.box((-1, -1, -2), (1, 1, 0), velocity=(0, 0, 0.5))
        motion = kickdrift.Integrator(forces=[], colliders=[wall])
        particles, clock = kickdrift.Particles(numpy.array([[0.0], [0], [1]]), numpy.array([[0.0], [0], [-1]]), contacts=2), kickdrift.Clock(dt=0.125)
        motion.run(particles, clock, 16)
        self.assertAlmostEqual(particles.v[2][0], 2, 12)
        self.assertAlmostEqual(particles.contacts()[0]["speed"][0], 1.5, 12)

    def test_colliders_change(self):
        floor = kickdrift.plane((0, 0, 0), (0, 0, 1), restitution=0.5)
        fall = [kickdrift.uniform_acceleration((0, 0, -1))]
        for kind in kickdrift.Integrator, kickdrift.System:
            motion, particles, clock = kind(forces=fall), kickdrift.Particles(numpy.array([[0.0], [0], [1]]), numpy.zeros((3, 1))), kickdrift.Clock(dt=0.125)
            motion.set_colliders([floor])
            motion.run(particles, clock, 100)
            self.assertEqual(particles.x[2][0], 0)
            motion.verify(particles, clock, 3)
            with self.assertRaises(TypeError):
                motion.set_colliders(fall)
            motion.set_colliders([])
            motion.run(particles, clock, 100)
            self.assertLess(particles.x[2][0], -50)

    def test_samples_of_system_runs(self):
        """Samples of two bodies that attract each other are taken in the middle and at the end of a step, which is then run."""
        x, v = numpy.array([[-0.325, 0.975], [0.0, 0.0], [0.0, 0.0]]), numpy.array([[0.0, 0.0], [-0.18344984642633569, 0.55034953927900707], [0.0, 0.0]])
        motion = kickdrift.System("velocity-verlet", [kickdrift.gravity(mu=numpy.array([0.75, 0.25]))])
        bodies, clock = kickdrift.Particles(x, v, memory=True), kickdrift.Clock(dt=0.01)
        motion.run(bodies, clock, 30)
        before, start = bodies.fingerprint(), x.copy()
        half, end = motion.sample(bodies, clock, 0.5), motion.sample(bodies, clock, 1)
        self.assertEqual(kickdrift.compare(half, motion.reference_sample(bodies, clock, 0.5)).mismatches, 0)
        self.assertEqual((bodies.fingerprint(), clock.step), (before, 30))
        motion.run(bodies, clock, 1)
        self.assertEqual(end.x[0].tobytes() + end.v[1].tobytes(), x[0].tobytes() + v[1].tobytes())
        self.assertLess(abs(half.x[1] - (x[1] + start[1]) / 2).max(), 1e-4)
        with self.assertRaises(kickdrift.Error):
            motion.sample(bodies, clock, -0.5)

    def test_watches_that_stop(self):
        """A watch stops a particle, or the whole run. The reference and every backend agree, in field runs and in system runs."""
        mu = numpy.array([1.0, 1e-3])
        for runs in (True, False):
            watches = [kickdrift.watch_distance((0, 0, 0), 0.9, crossing="falling", stop="run" if runs else "particle")]
            for motion in (kickdrift.Integrator("rk4", [kickdrift.centre(mu=1)], watches=watches),
                           kickdrift.System("velocity-verlet", [kickdrift.gravity(mu, 0.0)], watches=watches)):
                x, v = [numpy.array([0.0, -1.3]), numpy.zeros(2)], [numpy.zeros(2), numpy.array([0.0, -0.7])]
                if isinstance(motion, kickdrift.Integrator):
                    x, v = [axis[1:].copy() for axis in x], [axis[1:].copy() for axis in v]
                active = numpy.ones(len(x[0]), bool)
                bodies, clock = kickdrift.Particles(x, v, active=active, events=9, memory=True), kickdrift.Clock(dt=0.01)
                motion.verify(bodies, clock, 300)
                self.assertTrue(active.all())
                self.assertEqual(motion.run(bodies, clock, 300), runs)
                event = bodies.events()[0][0]
                self.assertEqual(int(event["step"]) + 1 if runs else 300, clock.step)
                self.assertEqual(active[-1], runs)
                self.assertEqual(x[0][-1] == event["x"][0], not runs)
                self.assertAlmostEqual(numpy.hypot(*event["x"][:2]), 0.9, places=12)

    def test_the_library_s_words(self):
        """A request that the library refuses raises its message, and nothing is changed."""
        particles, clock = kickdrift.Particles(*draw(3)), kickdrift.Clock(dt=0.1)
        before = particles.fingerprint()
        refused = (
            ("unknown name", '"verlet"', lambda: kickdrift.Integrator("verlet")),
            ("unknown name", '"half"', lambda: kickdrift.Integrator(arithmetic="half")),
            ("unknown name", '"mmx"', lambda: kickdrift.Integrator(backend="mmx")),
            ("unknown name", '"best"', lambda: kickdrift.Integrator(forces=[kickdrift.spring(contribution="best")])),
            ("not finite", "forces[1].spring.k", lambda: kickdrift.Integrator(forces=[kickdrift.drag(), kickdrift.spring(float("nan"))])),
            ("argument out of range", "", lambda: kickdrift.Integrator(forces=[kickdrift.centre(1, softening=-1)])),
            ("unsupported combination", "", lambda: kickdrift.Integrator("rkn-4-3", [kickdrift.drag(1)])),
            ("argument out of range", "dt", lambda: kickdrift.Integrator().run(particles, kickdrift.Clock(dt=0), 1)),
            ("mismatch", "", lambda: kickdrift.Integrator(dtype=numpy.float32).run(particles, clock, 1)),
            ("argument out of range", "threads is 5000", lambda: kickdrift.Integrator(threads=5000)),
        )
        for status, says, act in refused:
            with self.subTest(status=status, says=says), self.assertRaises(kickdrift.Error) as caught:
                act()
            self.assertEqual(caught.exception.status, status)
            self.assertIn(says, str(caught.exception))
            self.assertTrue(str(caught.exception))
        wrong = (
            (TypeError, "method is 4", lambda: kickdrift.Integrator(4)),
            (TypeError, "forces holds", lambda: kickdrift.Integrator(forces=[kickdrift.plane((0,), (1,))])),
            (TypeError, "expected float32 or float64", lambda: kickdrift.Integrator(dtype=int)),
            (TypeError, "expected a sequence of numbers", lambda: kickdrift.uniform_force(3)),
            (ValueError, "at has 4 numbers", lambda: kickdrift.centre(1, (1, 2, 3, 4))),
            (ValueError, "steps is -1", lambda: kickdrift.Integrator().run(particles, clock, -1)),
            (ValueError, "threads is 4294967297", lambda: kickdrift.Integrator(threads=2**32 + 1)),
            (ValueError, "step is -1", lambda: kickdrift.Clock(dt=1, step=-1)),
            (TypeError, "", lambda: kickdrift.Integrator().run(particles, clock, 1.5)),
        )
        for error, says, act in wrong:
            with self.subTest(says), self.assertRaises(error) as caught:
                act()
            self.assertIn(says, str(caught.exception))
        self.assertEqual((particles.fingerprint(), clock.step), (before, 0))

    def test_checkpoints(self):
        for dtype in REALS:
            spring = kickdrift.spring(k=2)
            there = kickdrift.Integrator("velocity-verlet", [spring], dtype=dtype, compensated=True)
            here = there.on("scalar")
            x, v = draw(33, dtype=dtype)
            unbroken = kickdrift.Particles(x, v, id=numpy.arange(33, dtype=numpy.uint64) * 3, memory=True, compensation=True)
            clock = kickdrift.Clock(dt=1 / 32, t0=2)
            there.run(unbroken, clock, 5)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.checkpoint")
                kickdrift.write_checkpoint(path, there, unbroken, clock, b"a note")
                again, again_clock, note = kickdrift.read_checkpoint(path, here)
                with self.assertRaises(kickdrift.Error) as caught:
                    kickdrift.read_checkpoint(path, kickdrift.Integrator("rk4", [spring], dtype=dtype, compensated=True))
                self.assertEqual(os.listdir(folder), ["run.checkpoint"])
            self.assertIn("another description", str(caught.exception))
            self.assertEqual((note, again_clock.step, again.id[32], again.dtype), (b"a note", 5, 96, dtype))
            there.run(unbroken, clock, 5)
            here.run(again, again_clock, 5)
            self.assertEqual(kickdrift.compare(unbroken, again).mismatches, 0)
            self.assertEqual(unbroken.compensation.tobytes(), again.compensation.tobytes())


    def test_streams(self):
        """A stream from a file to a file has the bits, the energy and the masses of the run in memory."""
        for dtype in REALS:
            orbit = kickdrift.Integrator("velocity-verlet", [kickdrift.spring(k=2)], dtype=dtype)
            x, v = draw(5000, dtype=dtype)
            masses = numpy.linspace(0.5, 2, 5000).astype(dtype)
            whole, clock = kickdrift.Particles(x.copy(), v.copy(), masses, memory=True), kickdrift.Clock(dt=1 / 32, t0=2)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "cloud.checkpoint")
                with kickdrift.Stream(None, path, orbit, 3, memory=150000, clock=clock, count=5000, dtype=dtype, inverse_mass=True, remembers=True) as slices:
                    for slice, at in slices:
                        begin = slices.info.begin
                        for axis in range(3):
                            slice.x[axis][:] = x[axis][begin:begin + len(slice)]
                            slice.v[axis][:] = v[axis][begin:begin + len(slice)]
                        slice.inverse_mass[:] = masses[begin:begin + len(slice)]
                        orbit.run(slice, at, 3)
                    self.assertLess(slices.info.most, 5000)
                sums, seen = kickdrift.Sums(), 0
                with kickdrift.Stream(path, path, orbit, last_step=8, memory=150000) as slices:
                    for slice, at in slices:
                        orbit.run(slice, at, slices.last_step - at.step)
                        sums.add(orbit, slice, at)
                        seen += len(slice)
                orbit.run(whole, clock, 8)
                again, again_clock, _ = kickdrift.read_checkpoint(path, orbit)
                self.assertEqual(os.listdir(folder), ["cloud.checkpoint"])
                self.assertEqual((seen, again_clock.step, kickdrift.compare(whole, again).mismatches), (5000, 8, 0))
                self.assertEqual(sums.observe(), orbit.observe(whole, clock))
                with self.assertRaises(kickdrift.Error) as caught:
                    kickdrift.Stream(path, path, orbit, last_step=7)
                self.assertIn("last_step is 7", str(caught.exception))
                for wrong in (dict(count=3), dict(bounces=True)):
                    with self.assertRaises(TypeError):
                        kickdrift.Stream(path, **wrong)
                with self.assertRaises(TypeError):
                    kickdrift.Stream(None, path, count=3, wings=True)


class System(unittest.TestCase):
    """Particles interact in system runs."""

    def several(self, dtype):
        """Yields (name, arguments, number of axes) for features that go together."""
        mu = numpy.linspace(0.1, 0.5, 24).astype(dtype)
        springs = kickdrift.spring_network([(n, n + 1) for n in range(23)], k=numpy.linspace(1, 2, 23), length=0.5)
        damped = kickdrift.spring_network(numpy.array([[0, 5], [3, 4]]), k=1, length=0.2, damping=0.3)
        chain = kickdrift.rods([(0, 1), (1, 2), (2, 3)], [0.5, 0.75, 0.5])
        attraction = kickdrift.gravity(mu, softening=0.2)
        down = kickdrift.uniform_acceleration((0, 0, -1))
        yield "gravity", {"interactions": [attraction, kickdrift.gravity(mu, 0.3, sources=4)]}, 3
        yield "lengths", {"interactions": [kickdrift.gravity(mu, sources=4, softening_each=numpy.abs(mu))]}, 3
        table = numpy.stack([mu, mu[::-1], mu]).T.copy()
        yield "columns of a table", {"interactions": [kickdrift.gravity(table[:, 0], softening_each=table[:, 1])]}, 3
        yield "springs", {"method": "rk4", "interactions": [springs, damped], "forces": [down]}, 3
        yield "a plane", {"method": "pefrl", "interactions": [springs, attraction], "compensated": True}, 2
        yield "rods", {"distances": chain, "forces": [down], "sweeps": 50, "relaxation": 1.2}, 3
        yield "levels", {"interactions": [attraction], "levels": True}, 3
        yield "a bath", {"method": "baoab", "interactions": [springs], "langevin": (1, 0.5, 9)}, 3
        yield "maps", {"method": "strang-affine", "interactions": [springs, damped], "forces": [down, kickdrift.spring(k=400)]}, 3
        yield "contributions", {"method": "kinematic", "interactions": [attraction], "forces": [kickdrift.drag(b=2), kickdrift.spring(k=400)]}, 2
        yield "walls", {"interactions": [springs], "forces": [down], "colliders": [kickdrift.plane((0, 0, -1), (0, 0, 1), restitution=0.5)]}, 3
        yield "absorbing", {"interactions": [attraction], "boundary": kickdrift.absorbing((-1, -1, -1), (1, 1, 1))}, 3
        yield "composed", {"interactions": [springs], "compose": "kahan-li-8", "arithmetic": "unfused"}, 3

    def test_the_reference_s_bits(self):
        for dtype in REALS:
            for name, arguments, dims in self.several(dtype):
                with self.subTest(name, dtype=dtype.__name__):
                    x, v = draw(24, dims, dtype)
                    level = (numpy.arange(24) % 3).astype(numpy.uint8) if "levels" in arguments else None
                    particles = kickdrift.Particles(x, v, numpy.linspace(0, 2, 24, dtype=dtype), level=level, memory=True,
                                                    compensation="compensated" in arguments)
                    motion, clock = kickdrift.System(dtype=dtype, **arguments), kickdrift.Clock(dt=1 / 64)
                    self.assertIn("scalar", motion.verify(particles, clock, 7))
                    cut, whole = particles.copy(), particles.copy()
                    for steps in (3, 4):
                        motion.run(cut, clock, steps)
                    motion.run(whole, kickdrift.Clock(dt=1 / 64), 7)
                    self.assertEqual(kickdrift.compare(cut, whole).mismatches, 0)
                    self.assertEqual(clock.step, 7)

    def test_energy_and_momentum(self):
        x, v = draw(30)
        attraction = kickdrift.System(interactions=[kickdrift.gravity(numpy.full(30, 0.1), softening=0.1)], method="rk4", threads=2)
        particles, clock = kickdrift.Particles(x, v, numpy.full(30, 10.0)), kickdrift.Clock(dt=1 / 256)
        first = attraction.observe(particles, clock)
        away = numpy.linalg.norm(x[:, :, None] - x[:, None, :], axis=0)
        pairs = numpy.sqrt(away**2 + 0.01)[numpy.triu_indices(30, 1)]
        self.assertAlmostEqual(first.potential, -0.1 * 0.1 * (1 / pairs).sum(), places=12)
        self.assertEqual(attraction.evaluations(particles, clock, 10), 40)
        attraction.run(particles, clock, 256)
        last = attraction.observe(particles, clock)
        self.assertLess(abs(last.energy / first.energy - 1), 1e-6)
        numpy.testing.assert_allclose(last.momentum, first.momentum, atol=1e-13)
        numpy.testing.assert_allclose(last.angular_momentum, first.angular_momentum, atol=1e-6)
        self.assertEqual((attraction.method.name, attraction.absorbed(particles)), ("rk4", 0))

    def test_functions(self):
        """A Python function has the bits of the field that it computes, in every layout of the particles. A function of ctypes works too."""
        calls = []

        def spring(x, v, t, a):
            calls.append(t)
            for axis, place in enumerate(x):
                a[axis][...] = (-2.0 * place).ravel()

        for dtype in REALS:
            for made in (lambda: numpy.empty((40, 3), dtype).T, lambda: numpy.empty((8, 3, 5), dtype).swapaxes(0, 1), lambda: numpy.empty((3, 40), dtype)):
                start, speed = draw(40, 3, dtype)
                x, v = made(), made()
                for axis in range(3):
                    x[axis].flat, v[axis].flat = start[axis], speed[axis]
                for method in ("velocity-verlet", "rk4"):
                    particles, field = kickdrift.Particles(x, v), kickdrift.Integrator(method, [kickdrift.spring(k=2)], dtype=dtype, arithmetic="unfused")
                    own = kickdrift.System(method, accelerations=spring, dtype=dtype, arithmetic="unfused",
                                            potential=lambda x, v, t: float(sum((axis.astype(float)**2).sum() for axis in x)))
                    expected = particles.copy()
                    field.run(expected, kickdrift.Clock(dt=0.01), 9)
                    clock = kickdrift.Clock(dt=0.01)
                    own.run(particles, clock, 9)
                    self.assertEqual(kickdrift.compare(particles, expected).mismatches, 0)
                    self.assertAlmostEqual(own.observe(particles, clock).energy / field.observe(expected, clock).energy, 1, places=5)
        self.assertIn(0.05, calls)

        @library.accelerations_fn
        def nothing(context, view, t, a):
            library.ctypes.memset(a.contents[0], 0, 8 * 40)
            return 0

        x, v = numpy.zeros(40), numpy.ones(40)
        kickdrift.System(accelerations=nothing).run(kickdrift.Particles(x, v), kickdrift.Clock(dt=0.5), 4)
        self.assertTrue((x == 2).all())

    def test_rows(self):
        """A function of rows has the bits of the field, and of the function of one array per axis. So have the reference and samples."""
        seen = set()

        def spring(x, v, t, a):
            seen.add((x.shape, v.shape, a.shape, x.flags.writeable, v.flags.writeable))
            a[...] = -2 * x - v

        def potential(x, v, t):
            return float((x.astype(float)**2).sum())

        for dtype in REALS:
            for dims in (1, 2, 3):
                x, v = (numpy.ascontiguousarray(axes.T) for axes in draw(40, dims, dtype))
                particles, clock = kickdrift.Particles(x.T, v.T), kickdrift.Clock(dt=1 / 64)
                motion = kickdrift.System("position-verlet", accelerations=spring, potential=potential, rows=True, dtype=dtype)
                expected, plain = particles.copy(), particles.copy()
                self.assertIn("scalar", motion.verify(particles, clock, 5))
                end = motion.sample(particles, clock, 1)
                self.assertEqual(kickdrift.compare(motion.sample(particles, clock, 0.3), motion.reference_sample(particles, clock, 0.3)).mismatches, 0)
                motion.run(particles, kickdrift.Clock(dt=1 / 64), 1)
                self.assertEqual(kickdrift.compare(particles, end).mismatches, 0)
                motion.run(particles, kickdrift.Clock(dt=1 / 64, step=1), 19)
                own = kickdrift.System("position-verlet", dtype=dtype, accelerations=lambda x, v, t, a: [a[i].__setitem__(..., -2 * x[i] - v[i]) for i in range(dims)])
                own.run(expected, kickdrift.Clock(dt=1 / 64), 20)
                self.assertEqual(kickdrift.compare(particles, expected).mismatches, 0)
                for each in (particles, expected):  # observe() accepts any layout, and gives the function rows.
                    self.assertAlmostEqual(motion.observe(each, clock).potential / (x.astype(float)**2).sum(), 1, places=6)
                if dims > 1:
                    with self.assertRaisesRegex(kickdrift.Error, "rows: expected x and v as rows"):
                        motion.run(plain, clock, 1)
                self.assertEqual(seen, {((40, dims), (40, dims), (40, dims), False, False)})
                seen.clear()
        motion = kickdrift.System(accelerations=spring, rows=True)
        x, v = (numpy.ascontiguousarray(axes.T) for axes in draw(4))
        with self.assertRaisesRegex(kickdrift.Error, "particles.memory: an array an axis cannot hold rows"):
            motion.run(kickdrift.Particles(x.T, v.T, memory=True), kickdrift.Clock(dt=1), 1)
        with self.assertRaisesRegex(kickdrift.Error, "take kdr_system_run"):
            motion.run_blocks(kickdrift.Particles(x.T, v.T), kickdrift.Clock(dt=1), 1)
        motion.run(kickdrift.Particles(numpy.zeros((0, 3)).T, numpy.zeros((0, 3)).T), kickdrift.Clock(dt=1), 1)
        for function, error, says in ((lambda x, v, t, a: x.fill(0), ValueError, "read-only"), (lambda x, v, t, a: a.__setitem__(..., numpy.ones(7)), ValueError, "")):
            with self.assertRaisesRegex(error, says):
                kickdrift.System(accelerations=function, rows=True).run(kickdrift.Particles(x.T, v.T), kickdrift.Clock(dt=1), 1)
        for wrong in ({"forces": [kickdrift.spring(1)]}, {"method": "rk4"}, {"watches": [kickdrift.watch_apsis()]}):
            with self.assertRaisesRegex(kickdrift.Error, "rows: "):
                kickdrift.System(accelerations=spring, rows=True, **wrong)

    def test_blocks(self):
        """run_blocks() has the bits of run() and of the field, with any threads, memory and layout. The function finds its own arrays by
        first_id."""
        count = 3001
        for dtype in REALS:
            k = numpy.random.default_rng(2).uniform(1, 2, count).astype(dtype)
            for threads in (None, 3):
                for method, made in (("velocity-verlet", lambda: numpy.empty((3, count), dtype)), ("rk4", lambda: numpy.empty((count, 3), dtype).T),
                                     ("velocity-verlet", lambda: numpy.empty((count, 9), dtype).T[::3])):
                    seen = []

                    def springs(x, v, t, a, first):
                        here = slice(first - 7, first - 7 + len(x[0]))
                        seen.append((here.start, here.stop))
                        for axis, place in enumerate(x):
                            a[axis][...] = -k[here] * place

                    x, v = made(), made()
                    x[...], v[...] = draw(count, dtype=dtype)
                    blocks, clock = kickdrift.Particles(x, v, memory=True, first_id=7), kickdrift.Clock(dt=1 / 64)
                    whole, field = blocks.copy(), blocks.copy()
                    motion = kickdrift.System(method, accelerations=springs, first_id=True, dtype=dtype, threads=threads)
                    for steps in (4, 3):
                        motion.run_blocks(blocks, clock, steps)
                    self.assertEqual((clock.step, {begin for begin, _ in seen} > {0}, max(end for _, end in seen)), (7, True, count))
                    self.assertLessEqual(max(end - begin for begin, end in seen), 2000)
                    seen.clear()
                    motion.run(whole, kickdrift.Clock(dt=1 / 64), 7)
                    self.assertEqual(set(seen), {(0, count)})
                    kickdrift.Integrator(method, [kickdrift.spring(k_each=k)], dtype=dtype).run(field, kickdrift.Clock(dt=1 / 64), 7)
                    for other in (whole, field):
                        self.assertEqual(kickdrift.compare(blocks, other).mismatches, 0)
                    self.assertEqual((blocks.memory.tobytes(), blocks.memory_key), (whole.memory.tobytes(), whole.memory_key))
        for wrong, particles in ((kickdrift.System(interactions=[kickdrift.spring_network([(0, 1)], k=1)]), kickdrift.Particles(*draw(3))),
                                 (kickdrift.System(forces=[kickdrift.spring(1)], method="implicit-euler"), kickdrift.Particles(*draw(3))),
                                 (kickdrift.System(forces=[kickdrift.spring(1)], levels=True), kickdrift.Particles(*draw(3), level=numpy.ones(3, "u1"))),
                                 (kickdrift.System(forces=[kickdrift.spring(1)], watches=[kickdrift.watch_apsis()]), kickdrift.Particles(*draw(3), events=1))):
            with self.assertRaisesRegex(kickdrift.Error, "take kdr_system_run"):
                wrong.run_blocks(particles, kickdrift.Clock(dt=0.1), 1)
        for arguments, error, says in (((draw(3)[0], kickdrift.Clock(dt=1), 1), TypeError, "particles is of type ndarray"),
                                       ((particles, 0.1, 1), TypeError, "clock is of type float"), ((particles, kickdrift.Clock(dt=1), -1), ValueError, "steps is -1")):
            with self.assertRaisesRegex(error, says):
                motion.run_blocks(*arguments)

    def test_exceptions_of_blocks(self):
        """An exception of any thread leaves the run that it belongs to. The memory becomes invalid, and nothing of the exception is kept."""
        def fails(x, v, t, a, first):
            for axis in a:
                axis[...] = 0
            if first >= 1000 and t > 0.15:
                raise LookupError(first // 10**6)

        for threads in (None, 4):
            motion, raised = kickdrift.System(accelerations=fails, first_id=True, threads=threads), {}

            def run(n):
                x, v = draw(5000, seed=n)
                particles, clock = kickdrift.Particles(x, v, memory=True, first_id=10**6 * n), kickdrift.Clock(dt=0.1)
                particles.memory_key = 1
                try:
                    motion.run_blocks(particles, clock, 4)
                except LookupError as error:
                    raised[n] = error.args[0], clock.step, particles.memory_key, bool(numpy.isfinite(x).all())

            runs = [threading.Thread(target=run, args=(n,)) for n in range(6)]
            for thread in runs:
                thread.start()
            for thread in runs:
                thread.join()
            self.assertEqual(raised, {n: (n, 0, 0, True) for n in range(6)})
            self.assertEqual((motion._raised.errors, motion._raised.calls), ({}, 0))

    def test_particles_that_come_and_go(self):
        """Particles die, are born and are moved by hand. With changed() the run equals one that starts there; without it, it differs."""
        mu = numpy.full(12, 0.3)
        motion = kickdrift.System(interactions=[kickdrift.gravity(mu, softening=0.2, sources=3)])
        for forgets in (True, False):
            x, v = draw(12)
            particles, clock = kickdrift.Particles(x, v, memory=True), kickdrift.Clock(dt=1 / 32)
            particles.resize(10)
            motion.run(particles, clock, 5)
            particles.move(4, 9)
            particles.resize(9)
            x[:, 9], v[:, 9] = 0.5, 0.25
            particles.resize(10)
            x[0, 2] += 1
            if forgets:
                particles.changed()
            afresh = kickdrift.Particles(x[:, :10].copy(), v[:, :10].copy(), memory=True)
            self.assertEqual(motion.evaluations(particles, clock, 5), 5 + forgets)
            motion.run(particles, kickdrift.Clock(dt=1 / 32, step=5), 5)
            motion.run(afresh, kickdrift.Clock(dt=1 / 32, step=5), 5)
            self.assertEqual(x[:, :10].tobytes() == numpy.array(afresh.x).tobytes(), forgets)

    def test_magnetic(self):
        def nothing(x, v, t, a):
            for axis in a:
                axis[...] = 0

        def along_z(x, v, t, m):
            m[0][...], m[1][...], m[2][...] = 0, 0, 2

        x, v = draw(12)
        turning = kickdrift.System("boris", accelerations=nothing, magnetic=along_z)
        before = numpy.hypot(v[0], v[1])
        turning.run(kickdrift.Particles(x, v), kickdrift.Clock(dt=0.1), 50)
        numpy.testing.assert_allclose(numpy.hypot(v[0], v[1]), before, rtol=1e-13)
        self.assertGreater(abs(v[0] - draw(12)[1][0]).max(), 0.1)

        def across(x, v, t, m):
            m[0][...] = 2

        x, v = draw(12)
        kickdrift.System("boris", accelerations=nothing, magnetic=across).run(kickdrift.Particles(x[:2], v[:2]), kickdrift.Clock(dt=0.1), 50)
        numpy.testing.assert_allclose(numpy.hypot(v[0], v[1]), before, rtol=1e-13)

    def test_slopes(self):
        """Implicit Euler for a stiff spring between two particles divides x + i v / w by 1 + i w h. Without slopes the step is not solved."""
        k, h = 5000.0, 0.5

        def pull(x, v, t, a):
            for i in range(2):
                a[i][...] = k * (x[i][::-1] - x[i])

        def slopes(x, v, t, th, g):
            self.assertEqual((len(g), th), (3, h))
            g[0][...], g[1][...], g[2][...] = -k * th, -k * th, 0

        x, v = numpy.array([[1.0, -1], [0.5, -0.5]]), numpy.zeros((2, 2))
        particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=h)
        kickdrift.System("implicit-euler", accelerations=pull, slopes=slopes).run(particles, clock, 3)
        wh = h * (2 * k) ** 0.5
        numpy.testing.assert_allclose(x[:, 0], numpy.array([1, 0.5]) * ((1 / (1 + 1j * wh)) ** 3).real, rtol=1e-9, atol=1e-16)
        with self.assertRaisesRegex(kickdrift.Error, "was not solved by 100 iterations"), numpy.errstate(all="ignore"):
            kickdrift.System("implicit-euler", accelerations=pull).run(particles, clock, 1)
        with self.assertRaisesRegex(kickdrift.Error, "slopes: expected an implicit method"):
            kickdrift.System(accelerations=pull, slopes=slopes)

    def test_an_exception_stops_the_run_at_a_whole_step(self):
        def fails(x, v, t, a):
            if t > 0.45:
                raise LookupError("no more forces")
            a[0][...] = -x[0]

        def writes(x, v, t, a):
            x[0][0] = 1

        x, v = numpy.ones(5), numpy.zeros(5)
        particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=0.1)
        motion = kickdrift.System(accelerations=fails)
        with self.assertRaisesRegex(LookupError, "no more forces"):
            motion.run(particles, clock, 10)
        self.assertEqual(clock.step, 4)
        whole = kickdrift.Particles(numpy.ones(5), numpy.zeros(5))
        motion.run(whole, kickdrift.Clock(dt=0.1), 4)
        self.assertEqual(kickdrift.compare(whole, particles).mismatches, 0)
        with self.assertRaisesRegex(ValueError, "read-only"):
            kickdrift.System(accelerations=writes).run(particles, kickdrift.Clock(dt=0.1), 1)
        with self.assertRaises(ZeroDivisionError):
            kickdrift.System(accelerations=fails, potential=lambda x, v, t: 1 / 0).observe(particles, clock)

    def test_what_is_lent_lives_as_long_as_the_run(self):
        x, v = draw(9)
        motion = kickdrift.System(interactions=[kickdrift.gravity(numpy.full(9, 0.5)), kickdrift.spring_network([(0, 1)], k=1)], distances=kickdrift.rods([(2, 3)], 1.0),
                                   accelerations=lambda x, v, t, a: [axis.fill(0) for axis in a])
        other, handle = motion.on("scalar"), weakref.ref(motion)
        gc.collect()
        del motion
        gc.collect()
        self.assertIsNotNone(handle())
        other.run(kickdrift.Particles(x, v), kickdrift.Clock(dt=0.01), 5)
        self.assertTrue(numpy.isfinite(x).all())

    def test_many_threads(self):
        motion = kickdrift.System(interactions=[kickdrift.gravity(numpy.full(50, 0.02), softening=0.1)])
        sets = [kickdrift.Particles(*draw(50, seed=n)) for n in range(8)]
        threads = [threading.Thread(target=motion.run, args=(each, kickdrift.Clock(dt=0.01), 40)) for each in sets]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for n, each in enumerate(sets):
            alone = kickdrift.Particles(*draw(50, seed=n))
            motion.run(alone, kickdrift.Clock(dt=0.01), 40)
            self.assertEqual(kickdrift.compare(each, alone).mismatches, 0)

    def test_checkpoints(self):
        x, v = draw(20)
        boundary = kickdrift.periodic((-3, -3, -3), (3, 3, 3))

        def springs(x, v, t, a):
            for axis, place in enumerate(x):
                a[axis][...] = -numpy.sin(place)

        for arguments in ({"interactions": [kickdrift.spring_network([(0, 1), (5, 9)], k=3, length=0.4)]}, {"accelerations": springs, "boundary": boundary}):
            images = numpy.zeros((3, 20), numpy.int32) if "boundary" in arguments else None
            particles, clock = kickdrift.Particles(x.copy(), v.copy(), memory=True, images=images), kickdrift.Clock(dt=0.1)
            motion = kickdrift.System(**arguments)
            motion.run(particles, clock, 30)
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "run.checkpoint")
                kickdrift.write_checkpoint(path, motion, particles, clock, b"kept")
                again, again_clock, note = kickdrift.read_checkpoint(path, motion.on("scalar"))
                for other in (kickdrift.System(interactions=[kickdrift.spring_network([(0, 1), (5, 9)], k=3, length=0.5)]), kickdrift.Integrator()):
                    with self.assertRaisesRegex(kickdrift.Error, "another description"):
                        kickdrift.read_checkpoint(path, other)
            self.assertEqual((note, again_clock.step), (b"kept", 30))
            motion.run(particles, clock, 9)
            motion.run(again, again_clock, 9)
            self.assertEqual(kickdrift.compare(particles, again).mismatches, 0)
            if images is not None:
                self.assertTrue(images.any() and numpy.array_equal(images, again.images))

    def test_wrong(self):
        mu = numpy.ones(5)
        for error, says, make in (
                (TypeError, "mu is of type list, expected a NumPy array", lambda: kickdrift.gravity([1.0])),
                (ValueError, "mu has strides of (-8,) bytes, expected positive ones", lambda: kickdrift.gravity(mu[::-1])),
                (ValueError, "softening_each has strides of", lambda: kickdrift.gravity(mu, softening_each=mu[::-2])),
                (ValueError, "sources is 6, expected 0 to 5", lambda: kickdrift.gravity(mu, sources=6)),
                (TypeError, "mu has elements of type float64, expected float32", lambda: kickdrift.System(interactions=[kickdrift.gravity(mu)], dtype="f4")),
                (ValueError, "between has the shape (2,)", lambda: kickdrift.spring_network([0, 1], k=1)),
                (ValueError, "elements of type float64, expected two whole numbers a row", lambda: kickdrift.spring_network([[0.5, 1]], k=1)),
                (ValueError, "between holds -1, expected particles by index", lambda: kickdrift.spring_network([[0, -1]], k=1)),
                (ValueError, "k has the shape (3,), expected a number, or 2 of them", lambda: kickdrift.spring_network([[0, 1], [1, 2]], k=[1, 2, 3])),
                (kickdrift.Error, "interactions[0].springs[1]: expected two particles, got 2 twice",
                 lambda: kickdrift.System(interactions=[kickdrift.spring_network([[0, 1], [2, 2]], k=1)])),
                (kickdrift.Error, "distances[0].length: expected more than 0", lambda: kickdrift.System(distances=kickdrift.rods([[0, 1]], 0))),
                (TypeError, "expected what rods() returns", lambda: kickdrift.System(distances=[(0, 1, 2.0)])),
                (TypeError, "interactions holds", lambda: kickdrift.System(interactions=[kickdrift.spring()])),
                (TypeError, "accelerations is 3, expected a function", lambda: kickdrift.System(accelerations=3)),
                (kickdrift.Error, "exact-affine moves each particle as its own forces alone would", lambda: kickdrift.System("exact-affine")),
                (kickdrift.Error, "gravity acts between particles as they lie",
                 lambda: kickdrift.System(interactions=[kickdrift.gravity(mu)], boundary=kickdrift.periodic((0, 0, 0), (1, 1, 1)))),
                (TypeError, "unexpected keyword argument", lambda: kickdrift.System(friction=1)),
        ):
            with self.subTest(says), self.assertRaises(error) as caught:
                make()
            self.assertIn(says, str(caught.exception))
        few = kickdrift.Particles(*draw(3))
        with self.assertRaises(kickdrift.Error) as caught:
            kickdrift.System(interactions=[kickdrift.gravity(mu)]).run(few, kickdrift.Clock(dt=1), 1)
        self.assertEqual(caught.exception.status, "mismatch")

    def test_the_module_s_own_example(self):
        lines = [line[4:] for line in kickdrift.system.__doc__.split("\n") if line.startswith("    ")]
        names = {}
        exec("\n".join(lines), names)
        self.assertEqual(names["clock"].step, 100)
        self.assertAlmostEqual(names["x"].sum(), 3, places=13)

    def test_the_examples_of_the_documentation(self):
        """The programs of the pages run in a folder with the page's CSV files, and print what the page shows."""
        found = 0
        for page in ("README.md", "docs/use/python.md", "docs/use/cookbook.md"):
            with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
                text = file.read()
            with tempfile.TemporaryDirectory() as folder:
                for block in text.split("```csv\n")[1:]:
                    with open(os.path.join(folder, "stars.csv"), "w", encoding="utf-8") as file:
                        file.write(block.split("```")[0])
                for block in text.split("```python\n")[1:]:
                    program, rest = block.split("```", 1)
                    names, printed = {}, io.StringIO()
                    before = os.getcwd()
                    os.chdir(folder)
                    try:
                        with contextlib.redirect_stdout(printed):
                            exec(program, names)
                    finally:
                        os.chdir(before)
                    found += 1
                    self.assertTrue(numpy.isfinite(names["v"]).all())
                    if rest.lstrip().startswith("```text\n"):
                        self.assertEqual(printed.getvalue(), rest.split("```text\n")[1].split("```")[0])
                    for line in program.splitlines():
                        if line.startswith("print(") and "# " in line:
                            self.assertEqual(printed.getvalue(), line.split("# ")[1] + "\n")
        self.assertEqual(found, 4)


class Alone(unittest.TestCase):
    """Gravity, spring networks, distances and passes work in loops that the user writes."""

    def chain(self, dtype, count=12):
        """Returns particles, their interactions, and rods of length 1 that make the first four a chain."""
        x, v = draw(count, dtype=dtype)
        x[:, :4] = [[0, 1, 2, 3], [0] * 4, [0] * 4]
        particles = kickdrift.Particles(x, v, numpy.linspace(0.5, 2, count).astype(dtype))
        mu = numpy.linspace(0.1, 0.3, count).astype(dtype)
        between = [kickdrift.gravity(mu, softening=0.25, sources=7), kickdrift.spring_network([(3, 4), (4, 5), (9, 4)], [2, 3, 4], 0.5, damping=0.25)]
        return particles, between, kickdrift.rods([(0, 1), (1, 2), (2, 3)], 1.0)

    def test_accelerations_by_numpy(self):
        particles, between, _ = self.chain(numpy.float64)
        x, v, w = numpy.array(particles.x), numpy.array(particles.v), particles.inverse_mass
        d = x[:, None, :7] - x[:, :, None]
        expected = (numpy.linspace(0.1, 0.3, 12)[:7] * d / ((d**2).sum(axis=0) + 0.0625)**1.5).sum(axis=2)
        energy = 0.0
        for a, b, k in ((3, 4, 2), (4, 5, 3), (9, 4, 4)):
            d, u = x[:, b] - x[:, a], v[:, b] - v[:, a]
            r = numpy.linalg.norm(d)
            pull = (k * (r - 0.5) + 0.25 * (u @ d) / r) * d / r
            expected[:, a] += w[a] * pull
            expected[:, b] -= w[b] * pull
            energy += k * (r - 0.5)**2 / 2
        pairs = kickdrift.Pairs(between)
        numpy.testing.assert_allclose(pairs.add(particles), expected, rtol=1e-13, atol=1e-14)
        self.assertAlmostEqual(kickdrift.Pairs(between[1:]).potential(particles), energy, places=13)
        clock = kickdrift.Clock(dt=1)
        self.assertEqual(pairs.potential(particles), kickdrift.System(interactions=between).observe(particles, clock).potential)
        apart = kickdrift.Pairs(between[1:], box=(1.25, 0, 0)).add(particles)
        d = x[:, 5] - x[:, 4]
        self.assertGreater(abs(d[0]), 0.625)
        self.assertFalse(numpy.allclose(apart[:, 5], kickdrift.Pairs(between[1:]).add(particles)[:, 5]))

    def test_the_reference_s_bits(self):
        for dtype in REALS:
            for arithmetic, threads in (("fused", None), ("unfused", 2)):
                particles, between, rods = self.chain(dtype)
                given = dict(dtype=dtype, arithmetic=arithmetic, threads=threads)
                pairs, held, start = kickdrift.Pairs(between, **given), kickdrift.DistanceConstraints(rods, **given), numpy.array(particles.x)
                a = numpy.full((3, 12), 0.5, dtype)
                self.assertIs(pairs.add(particles, a), a)
                self.assertEqual(a.tobytes(), pairs.reference_add(particles, [numpy.full(12, 0.5, dtype) for _ in range(3)])[0].tobytes() + a[1:].tobytes())
                self.assertEqual(a.tobytes(), numpy.array(pairs.reference_add(particles, numpy.full((3, 12), 0.5, dtype))).tobytes())
                step = pairs.map(particles, 0.125)
                for ours, theirs in zip(step.add(particles), step.reference_add(particles)):
                    self.assertTrue(ours.any())
                    self.assertEqual(ours.tobytes(), theirs.tobytes())
                kickdrift.drift(particles, 0.125, arithmetic=arithmetic, threads=threads)
                theirs = particles.copy()
                for function, *arguments in ((held.shake, start), (held.reference_shake, start), (held.rattle,), (held.reference_rattle,)):
                    moved = particles.copy()
                    moved.memory_key = 5
                    function(moved, *arguments, 0.125)
                    self.assertEqual(moved.memory_key, 0)
                self.assertGreater(held.shake(particles, start, 0.125), 1)
                held.reference_shake(theirs, start, 0.125)
                self.assertEqual(kickdrift.compare(particles, theirs).mismatches, 0)
                self.assertGreater(held.rattle(particles, 0.125), 1)
                held.reference_rattle(theirs, 0.125)
                self.assertEqual(kickdrift.compare(particles, theirs).mismatches, 0)
                self.assertLess(max(held.max_violation(particles, 0.125)), 3e-6 if dtype is numpy.float32 else 6e-15)

    def test_worst(self):
        """A rod of length 1 is 2 long, and grows by 3 per unit of time. The errors are 2 / 1 - 1 and 3 * 2 dt."""
        pair = kickdrift.Particles(numpy.array([[0.0, 2.0]]), numpy.array([[-1.0, 2.0]]))
        self.assertEqual(kickdrift.DistanceConstraints(kickdrift.rods([(0, 1)], 1)).max_violation(pair, 0.125), (1, 0.75))
        self.assertEqual(kickdrift.System(distances=kickdrift.rods([(0, 1)], 1)).max_violation(pair, 0.125), (1, 0.75))
        self.assertEqual(kickdrift.System().max_violation(pair, 0.125), (0, 0))

    def test_a_loop_is_a_system_run(self):
        """Velocity Verlet made of passes, with forces between particles and with rods, has the bits of System."""
        for dtype in REALS:
            for arithmetic, one_pass in (("fused", False), ("unfused", True)):
                particles, between, rods = self.chain(dtype)
                given, h = dict(dtype=dtype, arithmetic=arithmetic), 1 / 64
                whole = particles.copy()
                kickdrift.System(interactions=between, distances=rods, **given).run(whole, kickdrift.Clock(dt=h), 20)
                pairs, held = kickdrift.Pairs(between, **given), kickdrift.DistanceConstraints(rods, **given)
                a = pairs.add(particles)
                for _ in range(20):
                    start = numpy.array(particles.x)
                    if one_pass:
                        kickdrift.kick_drift(particles, h / 2, h, a, arithmetic=arithmetic)
                    else:
                        kickdrift.kick(particles, h / 2, a, arithmetic=arithmetic)
                        kickdrift.drift(particles, h, arithmetic=arithmetic)
                    held.shake(particles, start, h)
                    a = pairs.add(particles)
                    kickdrift.kick(particles, h / 2, a, arithmetic=arithmetic)
                    held.rattle(particles, h)
                self.assertEqual(kickdrift.compare(particles, whole).mismatches, 0)

    def test_passes(self):
        """In unfused arithmetic the passes have the bits of NumPy, in rows too. Frozen and inactive particles keep every bit, and memories
        become invalid."""
        for dtype in REALS:
            h, mass, active = dtype(0.3), numpy.ones(9, dtype), numpy.ones(9, bool)
            mass[3], active[5], moves = 0, False, numpy.delete(numpy.arange(9), [3, 5])
            for rows in (False, True):
                x, v = draw(9, dtype=dtype)
                a = draw(9, dtype=dtype, seed=8)[0]
                if rows:
                    x, v, a = (numpy.ascontiguousarray(array.T).T for array in (x, v, a))
                before_x, before_v = x.copy(), v.copy()
                particles = kickdrift.Particles(x, v, mass, active=active, memory=True)
                particles.memory_key = 5
                kickdrift.kick(particles, 0.3, a, arithmetic="unfused")
                self.assertEqual(particles.memory_key, 0)
                kickdrift.drift(particles, -0.3, arithmetic="unfused")
                expected_v, expected_x = before_v.copy(), before_x.copy()
                expected_v[:, moves] += (h * a)[:, moves]
                expected_x[:, moves] -= (h * expected_v)[:, moves]
                self.assertEqual((x.tobytes(), v.tobytes()), (expected_x.tobytes(), expected_v.tobytes()))
                kickdrift.kick_drift(particles, 0.3, 0.3, a, arithmetic="unfused", threads=2)
                expected_v[:, moves] += (h * a)[:, moves]
                expected_x[:, moves] += (h * expected_v)[:, moves]
                self.assertEqual((x.tobytes(), v.tobytes()), (expected_x.tobytes(), expected_v.tobytes()))

    def test_maps(self):
        """Two bodies are on a spring of length 0. "exact" is their oscillation for any step, and momentum is conserved."""
        x, v, w, k, h = numpy.array([[1.0, -0.5]]), numpy.array([[0.25, 0.75]]), numpy.array([1.0, 0.5]), 3.0, 0.7
        particles = kickdrift.Particles(x, v, w)
        step = kickdrift.Pairs([kickdrift.spring_network([(0, 1)], k=k, contribution="exact")]).map(particles, h)
        omega, d, u, start, speed = (k * w.sum())**0.5, x[0, 1] - x[0, 0], v[0, 1] - v[0, 0], (x[0] / w).sum(), (v[0] / w).sum()
        for n in range(1, 9):
            dx, dv = step.add(particles)
            x += h * v + dx
            v += dv
            self.assertAlmostEqual(x[0, 1] - x[0, 0], d * numpy.cos(omega * n * h) + u / omega * numpy.sin(omega * n * h), places=12)
            self.assertAlmostEqual((x[0] / w).sum(), start + speed * n * h, places=12)
        with self.assertRaises(kickdrift.Error):
            kickdrift.spring_network([(0, 1)], k=k, contribution="best")

    def test_the_module_s_own_example(self):
        lines = [line[4:] for line in kickdrift.pairs.__doc__.split("\n") if line.startswith("    ")]
        names = {}
        exec("\n".join(lines), names)
        self.assertAlmostEqual(names["v"].sum(), 1, places=13)
        self.assertAlmostEqual(names["x"][0, 1] - names["x"][0, 0], 1, places=14)
        self.assertGreater(abs(names["v"][0, 0]), 0.1)

    def test_wrong(self):
        particles, between, rods = self.chain(numpy.float64)
        x, v = draw(6)
        few, count = kickdrift.Particles(x, v), 12
        pairs, held = kickdrift.Pairs(between), kickdrift.DistanceConstraints(rods)
        step, read_only, zeros = pairs.map(particles, 0.1), numpy.zeros((3, count)), numpy.zeros((3, count))
        read_only.flags.writeable = False
        shifted = numpy.zeros(count + 2)
        takers = {"a": [(lambda a: pairs.add(particles, a), True, False), (lambda a: kickdrift.kick(particles, 0.1, a), False, True),
                        (lambda a: pairs.reference_add(particles, a), True, False), (lambda a: kickdrift.kick_drift(particles, 0.1, 0.1, a), False, True)],
                  "start": [(lambda start: held.shake(particles, start, 0.1), False, False), (lambda start: held.reference_shake(particles, start, 0.1), False, False)],
                  "dx": [(lambda dx: step.add(particles, dx), True, False), (lambda dx: step.reference_add(particles, dx), True, False)],
                  "dv": [(lambda dv: step.add(particles, zeros, dv), True, False), (lambda dv: step.reference_add(particles, None, dv), True, False)]}
        before = numpy.array(particles.x).tobytes(), numpy.array(particles.v).tobytes()
        for name, functions in takers.items():
            for take, writes, rows in functions:
                wrong = [(TypeError, f"{name} is of type int, expected one array per axis", 3),
                         (TypeError, f"{name}[0] is of type list", [[0.0] * count] * 3),
                         (ValueError, f"{name} has 2 axes, expected 3, as x", numpy.zeros((2, count))),
                         (ValueError, f"{name} has 12 axes, expected 1 to 3", numpy.zeros((count, 3))),
                         (ValueError, f"{name}[0] has the shape (3, 12, 1)", numpy.zeros((3, 3, count, 1))),
                         (TypeError, f"{name}[0] has elements of type float32, expected float64", numpy.zeros((3, count), "f")),
                         (TypeError, f"{name}[2] has elements of type int64, expected float64", [numpy.zeros(count), numpy.zeros(count), numpy.zeros(count, int)]),
                         (ValueError, f"{name}[0] has 11 elements, expected 12", numpy.zeros((3, count - 1))),
                         (ValueError, f"{name}[0] has strides of (16,) bytes, expected elements one after the other", numpy.zeros((3, 2 * count))[:, ::2]),
                         (ValueError, f"{name}[0] has strides of (-8,) bytes", numpy.zeros((3, count))[:, ::-1]),
                         (ValueError, f"{name}[0] has strides of (8,) bytes", [shifted[axis:axis + count] for axis in range(3)]),
                         (kickdrift.Error, f"{name}[0]: expected an array separate", particles.x)]
                if writes:
                    wrong.append((ValueError, f"{name}[0] is read-only", read_only))
                if not rows:
                    wrong.append((ValueError, f"{name}[0] has strides of (24,) bytes", numpy.zeros((count, 3)).T))
                else:
                    wrong.append((kickdrift.Error, "they are rows, and x and v are not", numpy.zeros((count, 3)).T))
                for error, says, array in wrong:
                    with self.subTest(name=name, says=says), self.assertRaises(error) as caught:
                        take(array)
                    self.assertIn(says, str(caught.exception))
        self.assertEqual((numpy.array(particles.x).tobytes(), numpy.array(particles.v).tobytes()), before)
        level = kickdrift.Particles(x, v, level=numpy.ones(6, "u1"))
        for error, says, act in (
                (kickdrift.Error, "particles", lambda: pairs.add(few)),
                (TypeError, "particles is of type ndarray, expected kickdrift.Particles", lambda: pairs.add(x)),
                (TypeError, "particles is of type ndarray", lambda: pairs.potential(x)),
                (TypeError, "particles is of type ndarray", lambda: kickdrift.kick(x, 0.1, x)),
                (TypeError, "particles is of type NoneType", lambda: held.rattle(None, 0.1)),
                (TypeError, "interactions holds", lambda: kickdrift.Pairs([kickdrift.spring()])),
                (TypeError, "mu has elements of type float64, expected float32", lambda: kickdrift.Pairs(between, dtype="f4")),
                (TypeError, "elements of type int64, expected float32 or float64", lambda: kickdrift.Pairs(between, dtype=int)),
                (TypeError, "box is 5, expected a sequence of numbers", lambda: kickdrift.Pairs([], box=5)),
                (ValueError, "box has 4 numbers, expected 1 to 3", lambda: kickdrift.DistanceConstraints(rods, box=(1, 1, 1, 1))),
                (kickdrift.Error, "box", lambda: kickdrift.Pairs(between[1:], box=(-1, 1, 1))),
                (kickdrift.Error, 'unknown backend "fast"', lambda: kickdrift.Pairs(between, backend="fast")),
                (kickdrift.Error, "interactions[0].springs[0]: expected two particles, got 2 twice", lambda: kickdrift.Pairs([kickdrift.spring_network([(2, 2)], 1)])),
                (kickdrift.Error, "dt: expected a number other than 0", lambda: pairs.map(particles, 0)),
                (TypeError, "dt is 'soon', expected a number", lambda: pairs.map(particles, "soon")),
                (TypeError, "dt is None, expected a number", lambda: held.max_violation(particles, None)),
                (kickdrift.Error, "dt: expected a finite number", lambda: held.rattle(particles, float("nan"))),
                (TypeError, "expected what rods() returns", lambda: kickdrift.DistanceConstraints([(0, 1, 2.0)])),
                (kickdrift.Error, "length: expected more than 0", lambda: kickdrift.DistanceConstraints(kickdrift.rods([(0, 1)], -1))),
                (ValueError, "sweeps is -1", lambda: kickdrift.DistanceConstraints(rods, sweeps=-1)),
                (TypeError, "tolerance is 'fine', expected a number", lambda: kickdrift.DistanceConstraints(rods, tolerance="fine")),
                (kickdrift.Error, "relaxation", lambda: kickdrift.DistanceConstraints(rods, relaxation=2)),
                (kickdrift.Error, "particles.active", lambda: held.rattle(kickdrift.Particles(x, v, active=numpy.ones(6, bool)), 0.1)),
                (kickdrift.Error, "particles", lambda: held.rattle(kickdrift.Particles(x[:, :3].copy(), v[:, :3].copy()), 0.1)),
                (kickdrift.Error, "levels", lambda: kickdrift.drift(level, 0.1)),
                (kickdrift.Error, "h: expected a finite number", lambda: kickdrift.drift(few, float("inf"))),
                (TypeError, "h_drift is [], expected a number", lambda: kickdrift.kick_drift(few, 1, [], x)),
                (kickdrift.Error, 'unknown arithmetic "exact"', lambda: kickdrift.drift(few, 1, arithmetic="exact"))):
            with self.subTest(says), self.assertRaises(error) as caught:
                act()
            self.assertIn(says, str(caught.exception))

    def test_what_is_lent_lives_as_long(self):
        """Arrays of rods and couplings that only the library uses stay alive, slices of rods too, and so do the pairs of a map."""
        x, v = draw(4)
        particles = kickdrift.Particles(x, v)
        pairs, held = kickdrift.Pairs([kickdrift.gravity(numpy.full(4, 0.5), 0.1), kickdrift.spring_network([(0, 1)], 1)]), kickdrift.DistanceConstraints(kickdrift.rods([(0, 1), (1, 2), (2, 3)], 1)[::2])
        handle, step = weakref.ref(pairs), pairs.map(particles, 0.1)
        expected = pairs.reference_add(particles)
        gc.collect()
        self.assertEqual(pairs.add(particles).tobytes(), expected.tobytes())
        held.reference_shake(particles, x.copy(), 0.1)
        self.assertAlmostEqual(numpy.linalg.norm(x[:, 3] - x[:, 2]), 1, places=13)
        self.assertNotAlmostEqual(numpy.linalg.norm(x[:, 2] - x[:, 1]), 1, places=3)
        del pairs
        gc.collect()
        self.assertIsNotNone(handle())
        self.assertTrue(step.add(particles)[0].any())
        del step
        gc.collect()
        self.assertIsNone(handle())


class Fields(unittest.TestCase):
    def test_named(self):
        self.assertEqual(kickdrift.fields()["nfw"], ("mu", "radius", "at"))
        self.assertEqual(kickdrift.fields()["grid-wind"], ("b", "grid"))
        self.assertIn("rotating-frame", kickdrift.fields())
        x, v = draw(20)
        forces = [kickdrift.field("nfw", mu=2, radius=1.5, at=[0.1, 0, 0]), kickdrift.field("rotating-frame", omega=(0, 0, 0.3)),
                  kickdrift.field("yukawa", strength=numpy.linspace(0, 1, 20), range=0.5), kickdrift.centre(0.5, softening=0.2)]
        integrator = kickdrift.Integrator("rk4", forces)
        particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=1 / 64)
        self.assertIn("scalar", integrator.verify(particles, clock, 20))
        before = integrator.observe(particles, clock).energy
        integrator.run(particles, clock, 64)
        after = integrator.observe(particles, clock)
        self.assertAlmostEqual(after.energy / before, 1, places=5)

    def test_a_place_for_each(self):
        """Two halos each act on one particle, at places of their own. The particles move as each alone."""
        both, at = numpy.zeros((3, 2)), numpy.array([[1.0, -2.0], [0.5, 0.0], [0.0, 3.0]])
        for places in (at, tuple(row.copy() for row in at)):
            v = numpy.zeros((3, 2))
            kickdrift.Integrator("explicit-euler", [kickdrift.field("nfw", mu=3, radius=1, at=places)]).run(
                kickdrift.Particles(both, v), kickdrift.Clock(dt=1), 1)
            for n in range(2):
                x, alone = numpy.zeros((3, 1)), numpy.zeros((3, 1))
                kickdrift.Integrator("explicit-euler", [kickdrift.field("nfw", mu=3, radius=1, at=at[:, n])]).run(
                    kickdrift.Particles(x, alone), kickdrift.Clock(dt=1), 1)
                self.assertEqual(v[:, n].tolist(), alone[:, 0].tolist())
            both[:] = 0

    def test_what_is_taken_elsewhere(self):
        for error, text, make in (
                (TypeError, "interactions holds <kickdrift force>, expected it in forces", lambda: kickdrift.System("boris", [kickdrift.drag(1)])),
                (TypeError, "forces holds <kickdrift collider>, expected it in colliders",
                 lambda: kickdrift.Integrator("rk4", [kickdrift.plane([0, 0, 0], [0, 0, 1])])),
                (ValueError, "k has 5 numbers, expected 1 to 3; k_each takes one value per particle", lambda: kickdrift.spring(numpy.ones(5))),
                (TypeError, "at_each takes one value per particle", lambda: kickdrift.spring(1, numpy.ones((3, 5)))),
                (ValueError, "e has 4 numbers, expected 1 to 3$", lambda: kickdrift.electromagnetic(1, numpy.ones(4))),
                (TypeError, "__init__.* unexpected keyword argument 'metod'", lambda: kickdrift.System(metod="rk4"))):
            with self.assertRaisesRegex(error, text):
                make()

    def test_a_halo_by_hand(self):
        """After one explicit step from rest, v = a dt, where a is that of the mass within r by the formula of the profile."""
        x, v = numpy.array([[2.0], [0.0], [0.0]]), numpy.zeros((3, 1))
        halo = kickdrift.Integrator("explicit-euler", [kickdrift.field("nfw", mu=3, radius=1)])
        halo.run(kickdrift.Particles(x, v), kickdrift.Clock(dt=1), 1)
        self.assertAlmostEqual(v[0, 0], -3 * (numpy.log(3) - 2 / 3) / 4, places=14)
        self.assertEqual((v[1, 0], v[2, 0]), (0, 0))

    def test_on_a_grid(self):
        """A linear field on a grid of any strides equals the field by its formula. A relativistic run conserves gamma in a magnetic field."""
        nodes = numpy.stack(numpy.meshgrid(*[numpy.array([-2.0, 0.0, 2.0])] * 3, indexing="ij"), axis=-1)
        numbers = numpy.concatenate([-nodes, numpy.broadcast_to([0.5, -1.0, 2.0], nodes.shape)], axis=-1)
        known = kickdrift.Integrator("boris", [kickdrift.spring(1), kickdrift.electromagnetic(b=(0.5, -1, 2))])
        for values in numbers, numpy.asfortranarray(numbers), numpy.repeat(numbers, 2, axis=1)[:, ::2]:
            x, v = draw(20)
            there_x, there_v = x * 0.25, v * 0.25
            here_x, here_v = there_x.copy(), there_v.copy()
            grid = kickdrift.Grid(values, spacing=2, origin=-2, edges=["clamped", "clamped", "clamped"])
            integrator = kickdrift.Integrator("boris", [kickdrift.field("grid-electromagnetic", charge=1, grid=grid)])
            here = kickdrift.Particles(here_x, here_v)
            self.assertIn("scalar", integrator.verify(here, kickdrift.Clock(dt=1 / 64), 20))
            integrator.run(here, kickdrift.Clock(dt=1 / 64), 64)
            known.run(kickdrift.Particles(there_x, there_v), kickdrift.Clock(dt=1 / 64), 64)
            self.assertLess(abs(here_x - there_x).max(), 1e-12)
            self.assertLess(abs(here_v - there_v).max(), 1e-12)
        x, v = draw(20)
        fast = kickdrift.Integrator("vay", [kickdrift.electromagnetic(b=(1, 2, 3))], speed_of_light=0.5)
        particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=1 / 8)
        before = fast.observe(particles, clock).kinetic
        gamma = numpy.sqrt(1 + (v**2).sum(axis=0) / 0.25)
        self.assertAlmostEqual(before, ((gamma - 1) * 0.25).sum(), places=10)
        fast.run(particles, clock, 100)
        self.assertAlmostEqual(fast.observe(particles, clock).kinetic, before, places=11)

    def test_of_a_module(self):
        module = os.environ["KDR_MODULE"]
        if not os.path.exists(module):
            self.skipTest("the module is not built")
        x, v = draw(20)
        trap = kickdrift.Integrator("rk4", [kickdrift.field(module, depth=1, steepness=2, radius=1.25), kickdrift.field("nfw", mu=1, radius=2)])
        particles, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=1 / 128)
        before = trap.observe(particles, clock).energy
        trap.run(particles, clock, 128)
        self.assertAlmostEqual(trap.observe(particles, clock).energy / before, 1, places=5)
        self.assertEqual(trap.verify(particles, clock, 4, ["auto"]), ["auto"])

    def test_refused(self):
        numbers = numpy.zeros((3, 6))
        wrong = ((kickdrift.Error, "grid-electromagnetic.grid: expected a grid of 6 components, got NULL",
                  lambda: kickdrift.Integrator("boris", [kickdrift.field("grid-electromagnetic", charge=1)])),
                 (kickdrift.Error, "grid.components: expected 3, got 6",
                  lambda: kickdrift.Integrator(forces=[kickdrift.field("grid-acceleration", factor=1, grid=kickdrift.Grid(numbers, 1))])),
                 (TypeError, "grid has elements of type float32, expected float64", lambda: kickdrift.Integrator(
                     "boris", [kickdrift.field("grid-electromagnetic", charge=1, grid=kickdrift.Grid(numbers.astype(numpy.float32), 1))])),
                 (TypeError, "values is of type list", lambda: kickdrift.Grid([[1, 2], [3, 4]], 1)),
                 (ValueError, "values has the shape (3,)", lambda: kickdrift.Grid(numpy.zeros(3), 1)),
                 (ValueError, "expected positive ones of whole elements", lambda: kickdrift.Grid(numbers[::-1], 1)),
                 (ValueError, "edges has 2 names", lambda: kickdrift.Grid(numbers, 1, edges=["clamped", "periodic"])),
                 (kickdrift.Error, 'unknown edge "open"', lambda: kickdrift.Grid(numbers, 1, edges="open")),
                 (kickdrift.Error, "speed_of_light: rk4 knows velocities alone", lambda: kickdrift.Integrator("rk4", speed_of_light=1)),
                 (kickdrift.Error, 'unknown field "nwf", expected one of yukawa', lambda: kickdrift.field("nwf", mu=1)),
                 (TypeError, "nfw needs radius", lambda: kickdrift.field("nfw", mu=1)),
                 (TypeError, "nfw has no parameter mass", lambda: kickdrift.field("nfw", mass=1, radius=1)),
                 (ValueError, "at has 4 numbers", lambda: kickdrift.field("nfw", mu=1, radius=1, at=(1, 2, 3, 4))),
                 (kickdrift.Error, "nfw.radius: expected a number above 0", lambda: kickdrift.Integrator(forces=[kickdrift.field("nfw", mu=1, radius=0)])),
                 (kickdrift.Error, "vortex.core: expected at least 0", lambda: kickdrift.Integrator(
                     forces=[kickdrift.field("vortex", swirl=1, core=-1, axis=(0, 0, 1))])),
                 (kickdrift.Error, "lennard-jones-wall.normal: expected a vector that is not 0", lambda: kickdrift.Integrator(
                     forces=[kickdrift.field("lennard-jones-wall", epsilon=1, sigma=1, normal=(0, 0, 0))])),
                 (kickdrift.Error, "expected a module of kickdrift_add_field", lambda: kickdrift.field("./libnowhere.so")),
                 (kickdrift.Error, "found none in", lambda: kickdrift.field(library.lib._name)))
        for error, says, act in wrong:
            with self.subTest(says), self.assertRaises(error) as caught:
                act()
            self.assertIn(says, str(caught.exception))


class Gravity(unittest.TestCase):
    def test_by_numpy(self):
        random = numpy.random.default_rng(1)
        for dtype, close in ((numpy.float64, 1e-13), (numpy.float32, 1e-5)):
            x, y = random.uniform(-1, 1, (3, 50)).astype(dtype), random.uniform(-1, 1, (3, 20)).astype(dtype)
            mu, e, f = (random.uniform(0.1, 1, n).astype(dtype) for n in (50, 50, 20))
            d = x[:, None, :].astype(float) - y[:, :, None]
            q = (d**2).sum(0) + 0.01 + e.astype(float)**2 + f.astype(float)[:, None]**2
            potential = numpy.ones(20, dtype)
            a = kickdrift.add_gravity(y, x, mu, numpy.ones((3, 20), dtype), potential, softening=0.1, source_softening=e, target_softening=f, threads=2)
            numpy.testing.assert_allclose(a, 1 + (mu * d / q**1.5).sum(2), rtol=close, atol=close)
            numpy.testing.assert_allclose(potential, 1 - (mu / q**0.5).sum(1), rtol=close, atol=close)

    def test_in_slices(self):
        random = numpy.random.default_rng(2)
        x, mu = random.uniform(-1, 1, (2, 300)), random.uniform(0, 1, 300)
        whole, sliced = kickdrift.add_gravity(x, x, mu), numpy.zeros((2, 300))
        for begin in (0, 128, 256):
            kickdrift.add_gravity(x, numpy.ascontiguousarray(x[:, begin:begin + 128]), mu[begin:begin + 128].copy(), sliced, backend="scalar")
        self.assertEqual(whole.tobytes(), sliced.tobytes())
        own = numpy.zeros(2)
        kickdrift.add_gravity(numpy.array([[0.0, 2.0]]), numpy.array([[0.0, 2.0]]), numpy.array([1.0, 4.0]), potential=own, softening=1, first_source=0)
        numpy.testing.assert_allclose(own, [-4 / 5**0.5, -1 / 5**0.5], rtol=1e-15)
        deep, parts = numpy.zeros(300), numpy.zeros(300)
        kickdrift.add_gravity(x, x, mu, potential=deep, softening=0.1, first_source=0)
        for begin in (0, 128, 256):
            kickdrift.add_gravity(x, numpy.ascontiguousarray(x[:, begin:begin + 128]), mu[begin:begin + 128].copy(), potential=parts, softening=0.1,
                                  first_source=-begin)
        self.assertEqual(deep.tobytes(), parts.tobytes())

    def test_columns_of_tables(self):
        random = numpy.random.default_rng(3)
        for dtype in (numpy.float64, numpy.float32):
            bodies, probes = random.uniform(0.1, 1, (300, 5)).astype(dtype), random.uniform(0.1, 1, (150, 8)).astype(dtype)
            before, given = probes.copy(), dict(softening=0.1, backend="auto")
            plain = [numpy.ascontiguousarray(part) for part in (probes[:, :3].T, bodies[:, :3].T, bodies[:, 3], probes[:, 3:6].T, probes[:, 6])]
            lengths = {"source_softening": bodies[:, 4], "target_softening": probes[:, 7]}
            kickdrift.add_gravity(*plain, **given, **{name: column.copy() for name, column in lengths.items()})
            kickdrift.add_gravity(probes[:, :3].T, bodies[:, :3].T, bodies[:, 3], probes[:, 3:6].T, probes[:, 6], **given, **lengths)
            self.assertEqual(probes[:, 3:6].tobytes(), plain[3].T.tobytes())
            self.assertEqual(probes[:, 6].tobytes(), plain[4].tobytes())
            self.assertEqual(probes[:, [0, 1, 2, 7]].tobytes(), before[:, [0, 1, 2, 7]].tobytes())

    def test_refused(self):
        x, mu = numpy.zeros((3, 4)), numpy.ones(4)
        wrong = ((ValueError, "targets is (4,)", lambda: kickdrift.add_gravity(mu, x, mu)),
                 (ValueError, "sources is (3, 4), expected an array of the shape (3, 3)", lambda: kickdrift.add_gravity(x, x, mu[:3])),
                 (TypeError, "targets has elements of type float32", lambda: kickdrift.add_gravity(x.astype("f4"), x, mu)),
                 (ValueError, "sources has strides of", lambda: kickdrift.add_gravity(x, x[:, ::-1], mu)),
                 (ValueError, "potential has 3 elements, expected 4", lambda: kickdrift.add_gravity(x, x, mu, potential=numpy.zeros(3))),
                 (kickdrift.Error, "gravity.a[0]: expected an array separate from the others, got one that overlaps source_x[0]",
                  lambda: kickdrift.add_gravity(x, x, mu, x)),
                 (kickdrift.Error, "gravity.softening: expected 0, or at least", lambda: kickdrift.add_gravity(x, x, mu, softening=-1)),
                 (kickdrift.Error, "gravity.target_softening[1]", lambda: kickdrift.add_gravity(x, x, mu, target_softening=numpy.array([0, numpy.nan, 0, 0]))),
                 (kickdrift.Error, 'unknown backend "fast"', lambda: kickdrift.add_gravity(x, x, mu, backend="fast")))
        for error, says, act in wrong:
            with self.subTest(says), self.assertRaises(error) as caught:
                act()
            self.assertIn(says, str(caught.exception))


class OfTheCallersOwn(unittest.TestCase):
    """User-defined functions may raise exceptions. Objects are lent, kept, copied and passed on."""

    def test_interrupts_come_out(self):
        """A signal may arrive anywhere in a run. The run stops at a whole step, and continues as if it had not been interrupted."""
        def force(x, v, t, a):
            for at, to in zip(x, a):
                to[...] = -at

        def late(*caught):
            raise KeyboardInterrupt

        def one(n):
            run = kickdrift.System(accelerations=force)
            x, v = numpy.ones((1, 3)), numpy.zeros((1, 3))
            particles, clock = kickdrift.Particles(x, v, memory=True), kickdrift.Clock(dt=2 * numpy.pi / 4000)
            caught = False
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.001 + n * 0.0005)
                run.run(particles, clock, 4000)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                caught = clock.step < 4000
            run.run(particles, clock, 4000 - clock.step)
            self.assertAlmostEqual(x[0, 0], 1, 5)
            return caught

        before = signal.signal(signal.SIGALRM, late)
        try:
            self.assertGreater(sum(one(n) for n in range(60)), 10)
            self.assertIs(signal.getsignal(signal.SIGALRM), late)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_interrupts_end_what_is_built_in(self):
        """A run without Python functions ends within a tenth of a second after a signal, at a whole step. Its bits, and those of the
        memory and other arrays, are those of one call with that many steps.
        """
        def late(*caught):
            raise KeyboardInterrupt

        mu = numpy.full(200, 1e-3)
        field = [kickdrift.drag(0.1), kickdrift.centre(mu=1, softening=0.5)]
        cases = [(kickdrift.Integrator("velocity-verlet", field), {}), (kickdrift.Integrator("velocity-verlet", field), {"memory": True}),
                 (kickdrift.Integrator("baoab", field[1:], langevin=(0.5, 1, 3)), {}), (kickdrift.Integrator("rk4", field, compensated=True), {"memory": True}),
                 (kickdrift.Integrator("velocity-verlet-pc", field, compensated=True), {}),
                 (kickdrift.Integrator("implicit-midpoint", field), {}), (kickdrift.System("velocity-verlet", [kickdrift.gravity(mu, 0.1)], compensated=True), {})]
        before = signal.signal(signal.SIGALRM, late)
        try:
            for motion, carried in cases:
                particles, clock = kickdrift.Particles(*draw(200), **carried), kickdrift.Clock(dt=1e-4)
                other, whole = particles.copy(), kickdrift.Clock(dt=1e-4)
                begun = time.perf_counter()
                with self.assertRaises(KeyboardInterrupt):
                    signal.setitimer(signal.ITIMER_REAL, 0.2)
                    motion.run(particles, clock, 10**9)
                self.assertLess(time.perf_counter() - begun, 0.2 + 0.1 + 0.2)  # The second 0.2 s allow for a busy machine.
                self.assertTrue(0 < clock.step < 10**9)
                thread = threading.Thread(target=motion.run, args=(other, whole, clock.step))
                thread.start()
                thread.join()
                self.assertEqual((particles.fingerprint(), particles.memory_key), (other.fingerprint(), other.memory_key))
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_handlers_that_do_not_raise(self):
        seen = []
        before = signal.signal(signal.SIGTERM, lambda *caught: seen.append(caught[0]))
        try:
            run = kickdrift.System(accelerations=lambda x, v, t, a: os.kill(os.getpid(), signal.SIGTERM) if t > 0.5 and not seen else a[0].fill(0))
            clock = kickdrift.Clock(dt=0.1)
            run.run(kickdrift.Particles(numpy.zeros((1, 2)), numpy.ones((1, 2))), clock, 10)
        finally:
            signal.signal(signal.SIGTERM, before)
        self.assertEqual((seen, clock.step), ([signal.SIGTERM], 10))

    def test_handlers_behind_the_last_function(self):
        seen = []
        before = signal.signal(signal.SIGTERM, lambda *caught: seen.append(caught[0]))
        try:
            with kickdrift.callbacks.signals_wait():
                os.kill(os.getpid(), signal.SIGTERM)
                self.assertEqual(seen, [])
            self.assertEqual(seen, [signal.SIGTERM])
        finally:
            signal.signal(signal.SIGTERM, before)

    def test_watches_that_raise(self):
        def value(x, v, t):
            if t > 0.35:
                raise LookupError("lost")
            return x[0]

        for run in (kickdrift.Integrator(watches=[kickdrift.watch(value)]), kickdrift.System(forces=[kickdrift.spring(k=1)], watches=[kickdrift.watch(value)])):
            particles = kickdrift.Particles(numpy.ones((1, 2)), numpy.zeros((1, 2)), events=4)
            with self.assertRaisesRegex(LookupError, "lost"):
                run.run(particles, kickdrift.Clock(dt=0.1), 10)
            run.run(particles, kickdrift.Clock(dt=0.1), 2)

    def test_functions_that_set_nothing(self):
        def rebound(x, v, t, a):
            a[0] = -x[0]

        particles = kickdrift.Particles(numpy.ones((1, 2)), numpy.zeros((1, 2)))
        with self.assertRaisesRegex(TypeError, "item assignment"):
            kickdrift.System(accelerations=rebound).run(particles, kickdrift.Clock(dt=0.1), 1)
        with self.assertRaisesRegex(TypeError, "accelerations returned ndarray, expected None"):
            kickdrift.System(accelerations=lambda x, v, t, a: -x[0]).run(particles, kickdrift.Clock(dt=0.1), 1)

    def test_another_kind_is_refused(self):
        particles, clock = kickdrift.Particles(numpy.ones((1, 2)), numpy.zeros((1, 2))), kickdrift.Clock(dt=0.1)
        system = kickdrift.System(interactions=[kickdrift.spring_network([(0, 1)], k=1)])
        for refused in (lambda: kickdrift.Sums().add(system, particles, clock), lambda: kickdrift.Stream("a", None, system),
                        lambda: kickdrift.write_checkpoint("a", 5, particles, clock), lambda: kickdrift.read_checkpoint("a", particles)):
            with self.assertRaisesRegex(TypeError, "expected kickdrift.Integrator"):
                refused()
        for given in (kickdrift.Integrator(), system, kickdrift.Pairs([])):
            for copied in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "make another"):
                    copied(given)

    def test_errors_are_pickled(self):
        for kind, raised in ((kickdrift.Error, lambda: kickdrift.Integrator(dtype="f8", forces=[kickdrift.spring(k=float("nan"))])),):
            with self.assertRaises(kind) as caught:
                raised()
            again = pickle.loads(pickle.dumps(caught.exception))
            self.assertEqual((type(again), str(again), again.status, again.number),
                             (kind, str(caught.exception), caught.exception.status, caught.exception.number))
        again = pickle.loads(pickle.dumps(kickdrift.Mismatch("two bits")))
        self.assertEqual((type(again), str(again), again.status), (kickdrift.Mismatch, "two bits", "mismatch"))

    def test_what_is_lent_stays(self):
        taken = [numpy.zeros(2), numpy.zeros(2)]
        particles = kickdrift.Particles(numpy.ones((1, 2)), numpy.zeros((1, 2)), dissipated_energy=taken)
        for name in kickdrift.particles.LENT:
            with self.assertRaisesRegex(AttributeError, f"{name} is lent"):
                setattr(particles, name, None)
        with self.assertRaises(AttributeError):
            particles.count = 1
        taken.clear()
        self.assertEqual(len(particles.dissipated_energy), 2)
        particles.first_id = 7
        self.assertEqual((particles.copy().first_id, particles.first_id), (7, 7))
        for refused, count in ((TypeError, 1.0), (ValueError, 3), (ValueError, -1)):
            with self.assertRaises(refused):
                particles.resize(count)
        self.assertEqual(len(particles), 2)

    def test_moves_of_copies(self):
        given = {"inverse_mass": numpy.arange(1.0, 4.0), "radius": numpy.arange(3.0), "id": numpy.arange(3, dtype="u8"), "active": numpy.ones(3, "u1"), "level": numpy.arange(3, dtype="u1")}
        for alike in (False, True):
            particles = kickdrift.Particles(numpy.zeros((1, 3)), numpy.zeros((1, 3)), **{name: array.copy() for name, array in given.items()})
            other = particles.copy(alike)
            other.move(0, 2)
            for name, array in given.items():
                self.assertEqual(getattr(particles, name).tolist(), array.tolist())
                self.assertEqual(getattr(other, name)[0], array[2])
        for name, array in given.items():
            fixed = array.copy()
            fixed.flags.writeable = False
            particles = kickdrift.Particles(numpy.zeros((1, 3)), numpy.zeros((1, 3)), **{name: fixed})
            with self.assertRaisesRegex(ValueError, f"{name} is read-only, and move"):
                particles.move(0, 2)

    def test_notes_and_paths(self):
        orbit, clock = kickdrift.Integrator(), kickdrift.Clock(dt=0.1)
        particles = kickdrift.Particles(numpy.ones((1, 2)), numpy.zeros((1, 2)))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.checkpoint")
            for note in (numpy.arange(3.0), memoryview(numpy.arange(3.0)), bytearray(b"abc")):
                kickdrift.write_checkpoint(path, orbit, particles, clock, note)
                self.assertEqual(kickdrift.read_checkpoint(path, orbit)[2], memoryview(note).tobytes())
            for note in (5, "text"):
                with self.assertRaises(TypeError):
                    kickdrift.write_checkpoint(path, orbit, particles, clock, note)
            with self.assertRaisesRegex(ValueError, "null character"):
                kickdrift.write_checkpoint(path + "\0.b", orbit, particles, clock)
            stream = kickdrift.Stream(path)
            slice, _ = next(iter(stream))
            del stream
            gc.collect()
            self.assertEqual(slice.x[0].tolist(), [1.0, 1.0])

    def test_one_number_for_all(self):
        for made in (lambda: kickdrift.electromagnetic(numpy.ones(3)), lambda: kickdrift.centre(mu=numpy.ones(1))):
            with self.assertRaisesRegex(TypeError, "(charge|mu) is an array, expected one number"):
                made()
        with self.assertRaisesRegex(TypeError, "softening is 'a', expected a number"):
            kickdrift.centre(1, softening="a")

    def test_numbers_of_rows(self):
        for given in (((), ()), ([[0, 0], [1, 0]], [0.5, 0.5], [0, 1, 2]), ([[0]], [1], [0], [0])):
            with self.assertRaisesRegex(ValueError, "a tableau of"):
                kickdrift.Integrator(tableau=given)
        with self.assertRaisesRegex(ValueError, "langevin is"):
            kickdrift.Integrator("baoab", langevin=(1, 1))
        with self.assertRaisesRegex(ValueError, r"values.shape\[0\]"):
            kickdrift.Grid(numpy.lib.stride_tricks.as_strided(numpy.zeros(1), (2**31, 1), (8, 8)), 1.0)


if __name__ == "__main__":
    unittest.main()
