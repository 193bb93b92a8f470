"""Interactions of particles, and passes over them, for user-defined step loops: the parts that System is made of.

    import kickdrift, numpy
    x, v = numpy.array([[0.0, 1.0, 2.0]]), numpy.array([[0.0, 0.0, 1.0]])   # three beads on a line, one row per axis
    beads, dt = kickdrift.Particles(x, v), 0.01
    springs, rod = kickdrift.Pairs([kickdrift.spring_network([(1, 2)], k=4, length=0.9)]), kickdrift.DistanceConstraints(kickdrift.rods([(0, 1)], 1.0))
    a = springs.add(beads)
    for step in range(100):                                               # velocity Verlet; with the rod it is RATTLE
        start = x.copy()
        kickdrift.kick_drift(beads, dt / 2, dt, a)
        rod.shake(beads, start, dt)
        a = springs.add(beads)
        kickdrift.kick(beads, dt / 2, a)
        rod.rattle(beads, dt)

Accelerations and similar arrays have the particles' type, one contiguous array per axis with one element per particle: an array of the
shape (axes, n), or a sequence of arrays. They are lent during a call. All results have the same bits on every backend and for every
number of threads; the methods reference_... compute them by the scalar reference. A refusal of the library is raised as
kickdrift.Error.
"""

import ctypes
import weakref

import numpy

from . import library
from .system import rods_of, worst_of
from .forces import NOWHERE, three
from .integrator import Made, entries
from .library import PassOptions, byref, call, enumerator, executor_of, lib, natural, number
from .particles import plain_axes, real_of, view_of


def options_of(arithmetic, backend, threads):
    options = PassOptions()
    call(lib.kdr_pass_options_init, enumerator("arithmetic", arithmetic), enumerator("backend", backend), executor_of(threads), byref(options))
    return options


def kick(particles, h, a, *, arithmetic="fused", backend="auto", threads=None):
    """Computes v += h a. a: an array (axes, n), or an (n, axes) array's .T if x and v are rows; it must not overlap x and v. Frozen and
    inactive particles keep every bit, levels are refused, and the memory of the particles becomes void. arithmetic, backend, threads:
    as in Integrator."""
    call(lib.kdr_kick, view_of(particles), number(h, "h"), plain_axes(a, "a", particles, rows=True), byref(options_of(arithmetic, backend, threads)))


def drift(particles, h, *, arithmetic="fused", backend="auto", threads=None):
    """Computes x += h v, with the same rules as kick()."""
    call(lib.kdr_drift, view_of(particles), number(h, "h"), byref(options_of(arithmetic, backend, threads)))


def kick_drift(particles, h_kick, h_drift, a, *, arithmetic="fused", backend="auto", threads=None):
    """Computes v += h_kick a, x += h_drift v in one pass, with the same rules as kick()."""
    call(lib.kdr_kick_drift, view_of(particles), number(h_kick, "h_kick"), number(h_drift, "h_drift"), plain_axes(a, "a", particles, rows=True),
         byref(options_of(arithmetic, backend, threads)))


def added_to(arrays, name, particles):
    """Returns the arrays to add to, new ones of zeros for None, and their addresses."""
    view_of(particles)
    arrays = numpy.zeros((particles.dims, particles.count), particles.dtype) if arrays is None else arrays
    return arrays, plain_axes(arrays, name, particles, written=True)


class Between(Made):
    """The base of Pairs and DistanceConstraints, which makes them."""

    def _begin(self, description, dtype, arithmetic, backend, threads, box):
        d = self._description = description
        getattr(lib, f"kdr_{self._kind}_desc_init")(byref(d), ctypes.sizeof(d))
        self.dtype, d.real = numpy.dtype(dtype), real_of(dtype)
        d.arithmetic, d.backend = enumerator("arithmetic", arithmetic), enumerator("backend", backend)
        d.executor, d.box = executor_of(threads), three(NOWHERE if box is None else box, "box")
        return d


class Pairs(Between):
    """Gravity and spring networks, checked once. It may be used from many threads at once.

    interactions a list from gravity() and spring_network()
    dtype        type of the particles: float64 or float32
    box          None, or the length of a periodic box on each axis, for spring networks: springs act between nearest images
    arithmetic, backend, threads   as in Integrator

    x, v and inverse masses of the particles must be contiguous; System takes strided ones too.
    """

    _kind = "pairs"

    def __init__(self, interactions, *, dtype=numpy.float64, arithmetic="fused", backend="auto", threads=None, box=None):
        d = self._begin(library.PairsDescription(), dtype, arithmetic, backend, threads, box)
        self._interactions = tuple(interactions)
        d.forces, d.force_count = entries(self._interactions, library.Interaction, "interactions")
        for entry in self._interactions:
            entry.lend(self.dtype)
        self._handle = self._create()

    def add(self, particles, a=None):
        """Adds the accelerations of all particles, frozen ones included, to `a`, (axes, n), and returns it. Without `a`, returns new
        arrays."""
        a, addresses = added_to(a, "a", particles)
        call(lib.kdr_pairs_add, self._handle, view_of(particles), addresses)
        return a

    def reference_add(self, particles, a=None):
        """Does the same as add(), by the scalar reference."""
        a, addresses = added_to(a, "a", particles)
        call(lib.kdr_reference_pairs_add, byref(self._description), view_of(particles), addresses)
        return a

    def potential(self, particles):
        """Returns the potential energy. Pairs with a frozen particle are left out, as is the attraction of test particles."""
        energy = ctypes.c_double()
        call(lib.kdr_pairs_potential, self._handle, view_of(particles), byref(energy))
        return energy.value

    def map(self, particles, dt):
        """Returns the PairMap of these particles, with their present masses, for steps of dt."""
        return PairMap(self, particles, dt)


class PairMap:
    """The part of the springs of Pairs in a step of the kinematic method, x += dt v + dx, v += dv: each spring moves its two particles as
    if it acted alone. pairs.h has the rules. It is for one dt and one array of inverse masses."""

    def __init__(self, pairs, particles, dt):
        self._pairs, self._dt, self._handle = pairs, number(dt, "dt"), ctypes.c_void_p()
        call(lib.kdr_pair_map_create, pairs._handle, view_of(particles), self._dt, byref(self._handle))
        weakref.finalize(self, lib.kdr_pair_map_destroy, self._handle)

    def add(self, particles, dx=None, dv=None):
        """Adds the effect of all springs at x and v to dx and dv, (axes, n) each, and returns (dx, dv); None becomes new arrays of zeros."""
        (dx, to_dx), (dv, to_dv) = added_to(dx, "dx", particles), added_to(dv, "dv", particles)
        call(lib.kdr_pair_map_add, self._handle, view_of(particles), to_dx, to_dv)
        return dx, dv

    def reference_add(self, particles, dx=None, dv=None):
        """Does the same as add(), by the scalar reference, with the present masses of the particles."""
        (dx, to_dx), (dv, to_dv) = added_to(dx, "dx", particles), added_to(dv, "dv", particles)
        call(lib.kdr_reference_pair_map_add, byref(self._pairs._description), view_of(particles), self._dt, to_dx, to_dv)
        return dx, dv


class DistanceConstraints(Between):
    """Distance constraints, checked once: SHAKE and RATTLE, by sweeps over the rods. It may be used from many threads at once, on
    different particles.

    distances    from rods()
    tolerance    relative tolerance of |x_b - x_a| / length; 0: 16 units in the last place
    sweeps       the largest number of sweeps in each call
    relaxation   more than 0, less than 2
    dtype, box, arithmetic, backend, threads   as in Pairs

    x, v and inverse masses of the particles must be contiguous, and all particles active; System takes others too. Moved particles
    lose their memory.
    """

    _kind = "distance_constraints"

    def __init__(self, distances, *, tolerance=0.0, sweeps=1000, relaxation=1.0, dtype=numpy.float64, arithmetic="fused", backend="auto", threads=None,
                 box=None):
        d = self._begin(library.DistanceConstraintsDescription(), dtype, arithmetic, backend, threads, box)
        self._distances = rods_of(distances)
        d.distances, d.count = self._distances.ctypes.data_as(ctypes.POINTER(library.Distance)), len(self._distances)
        d.tolerance, d.sweeps = number(tolerance, "tolerance"), natural(sweeps, "sweeps", 2**32)
        d.relaxation = number(relaxation, "relaxation")
        self._handle = self._create()

    def shake(self, particles, start, dt):
        """Moves x and v until every distance holds, after the drift of a step of dt. start: x at the start of the step, (axes, n), which
        is only read. Returns the number of sweeps, which is the largest allowed if the tolerance was not met before."""
        made = ctypes.c_uint32()
        call(lib.kdr_distance_constraints_shake, self._handle, view_of(particles), plain_axes(start, "start", particles), number(dt, "dt"), byref(made))
        particles.changed()
        return made.value

    def rattle(self, particles, dt):
        """Removes the relative velocities along the rods; dt scales the tolerance. Returns the number of sweeps, as positions() does."""
        made = ctypes.c_uint32()
        call(lib.kdr_distance_constraints_rattle, self._handle, view_of(particles), number(dt, "dt"), byref(made))
        particles.changed()
        return made.value

    def max_violation(self, particles, dt):
        """Returns the largest | |x_b - x_a| / length - 1 |, and the largest | (v_b - v_a) . (x_b - x_a) | dt / length^2."""
        return worst_of(self._handle, particles, dt)

    def reference_shake(self, particles, start, dt):
        """Does the same as positions(), by the scalar reference, which does not return the number of sweeps."""
        call(lib.kdr_reference_distance_constraints_shake, byref(self._description), view_of(particles), plain_axes(start, "start", particles), number(dt, "dt"))
        particles.changed()

    def reference_rattle(self, particles, dt):
        """Does the same as velocities(), by the scalar reference."""
        call(lib.kdr_reference_distance_constraints_rattle, byref(self._description), view_of(particles), number(dt, "dt"))
        particles.changed()
