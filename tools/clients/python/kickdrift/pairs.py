"""What acts between particles, and the passes over them, for step loops of the caller's own: the parts that Coupled is made of.

    import kickdrift, numpy
    x, v = numpy.array([[0.0, 1.0, 2.0]]), numpy.array([[0.0, 0.0, 1.0]])   # three beads on a line, a row an axis
    beads, dt = kickdrift.Particles(x, v), 0.01
    springs, rod = kickdrift.Pairs([kickdrift.net([(1, 2)], k=4, length=0.9)]), kickdrift.Distances(kickdrift.rods([(0, 1)], 1.0))
    a = springs.add(beads)
    for step in range(100):                                               # velocity Verlet; with the rod it is RATTLE
        start = x.copy()
        kickdrift.kick_drift(beads, dt / 2, dt, a)
        rod.positions(beads, start, dt)
        a = springs.add(beads)
        kickdrift.kick(beads, dt / 2, a)
        rod.velocities(beads, dt)

Arrays of accelerations and the like are of the particles' type, one an axis, each with an element a particle, one after the other: an array of the
shape (axes, n), or a sequence of arrays. They are lent for as long as a call takes. Everything has the same bits on every backend, for every number of
threads; the methods reference_... have them by the scalar reference. What the library refuses is kickdrift.Error."""

import ctypes
import weakref

import numpy

from . import library
from .coupled import rods_of, worst_of
from .forces import NOWHERE, three
from .integrator import Made, entries
from .library import PassOptions, byref, call, enumerator, executor_of, lib, natural, number
from .particles import plain_axes, real_of, view_of


def options_of(arithmetic, backend, threads):
    options = PassOptions()
    call(lib.kdr_pass_options_choose, enumerator("arithmetic", arithmetic), enumerator("backend", backend), executor_of(threads), byref(options))
    return options


def kick(particles, h, a, *, arithmetic="fused", backend="auto", threads=None):
    """v += h a. a: (axes, n), or rows where x and v are rows, an (n, axes) array's .T; apart from x and v. Frozen particles and those that are not
    active keep every bit, levels are refused, and what the particles remember is void. arithmetic, backend, threads: as those of Integrator."""
    call(lib.kdr_kick, view_of(particles), number(h, "h"), plain_axes(a, "a", particles, rows=True), byref(options_of(arithmetic, backend, threads)))


def drift(particles, h, *, arithmetic="fused", backend="auto", threads=None):
    """x += h v. As kick()."""
    call(lib.kdr_drift, view_of(particles), number(h, "h"), byref(options_of(arithmetic, backend, threads)))


def kick_drift(particles, h_kick, h_drift, a, *, arithmetic="fused", backend="auto", threads=None):
    """v += h_kick a, x += h_drift v, in one pass. As kick()."""
    call(lib.kdr_kick_drift, view_of(particles), number(h_kick, "h_kick"), number(h_drift, "h_drift"), plain_axes(a, "a", particles, rows=True),
         byref(options_of(arithmetic, backend, threads)))


def added_to(arrays, name, particles):
    """Arrays that are added to, new ones of 0 for None; and their addresses."""
    view_of(particles)
    arrays = numpy.zeros((particles.dims, particles.count), particles.dtype) if arrays is None else arrays
    return arrays, plain_axes(arrays, name, particles, written=True)


class Between(Made):
    """What Pairs and Distances share: how they are made."""

    def _begin(self, description, dtype, arithmetic, backend, threads, box):
        d = self._description = description
        getattr(lib, f"kdr_{self._kind}_desc_init")(byref(d), ctypes.sizeof(d))
        self.dtype, d.real = numpy.dtype(dtype), real_of(dtype)
        d.arithmetic, d.backend = enumerator("arithmetic", arithmetic), enumerator("backend", backend)
        d.executor, d.box = executor_of(threads), three(NOWHERE if box is None else box, "box")
        return d


class Pairs(Between):
    """Gravity and nets, checked once; may be used from many threads at once.

    coupled      of gravity() and net()
    dtype        of the particles: float64 or float32
    box          None, or how long a periodic box is on each axis, for nets: springs act between nearest images
    arithmetic, backend, threads   as those of Integrator

    x, v and inverse masses of the particles must not lie apart: Coupled takes those too."""

    _kind = "pairs"

    def __init__(self, coupled, *, dtype=numpy.float64, arithmetic="fused", backend="auto", threads=None, box=None):
        d = self._begin(library.PairsDescription(), dtype, arithmetic, backend, threads, box)
        self._couplings = tuple(coupled)
        d.forces, d.force_count = entries(self._couplings, library.CoupledForce, "coupled")
        for entry in self._couplings:
            entry.lend(self.dtype)
        self._handle = self._create()

    def add(self, particles, a=None):
        """Adds the accelerations of all particles, frozen ones too, to `a`, (axes, n), and returns it; without, to new arrays of 0."""
        a, addresses = added_to(a, "a", particles)
        call(lib.kdr_pairs_add, self._handle, view_of(particles), addresses)
        return a

    def reference_add(self, particles, a=None):
        """add() by the scalar reference."""
        a, addresses = added_to(a, "a", particles)
        call(lib.kdr_reference_pairs_add, byref(self._description), view_of(particles), addresses)
        return a

    def potential(self, particles):
        """The potential energy; pairs with a frozen particle are left out, as test particles' attraction is."""
        energy = ctypes.c_double()
        call(lib.kdr_pairs_potential, self._handle, view_of(particles), byref(energy))
        return energy.value

    def map(self, particles, dt):
        """The PairMap of these particles, as heavy as they are now, for steps of dt."""
        return PairMap(self, particles, dt)


class PairMap:
    """What the springs of Pairs add to particles in a step of the kinematic method, x += dt v + dx, v += dv: each along the motion that its two
    particles have under it alone. pairs.h has the rules. It is for one dt and one array of inverse masses."""

    def __init__(self, pairs, particles, dt):
        self._pairs, self._dt, self._handle = pairs, number(dt, "dt"), ctypes.c_void_p()
        call(lib.kdr_pair_map_create, pairs._handle, view_of(particles), self._dt, byref(self._handle))
        weakref.finalize(self, lib.kdr_pair_map_destroy, self._handle)

    def add(self, particles, dx=None, dv=None):
        """Adds what all springs do at x and v to dx and dv, (axes, n) each, and returns (dx, dv); what is None becomes new arrays of 0."""
        (dx, to_dx), (dv, to_dv) = added_to(dx, "dx", particles), added_to(dv, "dv", particles)
        call(lib.kdr_pair_map_add, self._handle, view_of(particles), to_dx, to_dv)
        return dx, dv

    def reference_add(self, particles, dx=None, dv=None):
        """add() by the scalar reference, with the masses that the particles have now."""
        (dx, to_dx), (dv, to_dv) = added_to(dx, "dx", particles), added_to(dv, "dv", particles)
        call(lib.kdr_reference_pair_map_add, byref(self._pairs._description), view_of(particles), self._dt, to_dx, to_dv)
        return dx, dv


class Distances(Between):
    """Distances that are kept, checked once: SHAKE and RATTLE, by sweeps over the rods. May be used from many threads at once, on different particles.

    distances    of rods()
    tolerance    of |x_b - x_a| / length; 0: 16 units in the last place
    sweeps       at most, in each call
    relaxation   more than 0, less than 2
    dtype, box, arithmetic, backend, threads   as those of Pairs

    x, v and inverse masses of the particles must not lie apart, and all be active: Coupled takes those too. What the particles remember is void
    where they were moved."""

    _kind = "distances"

    def __init__(self, distances, *, tolerance=0.0, sweeps=1000, relaxation=1.0, dtype=numpy.float64, arithmetic="fused", backend="auto", threads=None,
                 box=None):
        d = self._begin(library.DistancesDescription(), dtype, arithmetic, backend, threads, box)
        self._distances = rods_of(distances)
        d.distances, d.count = self._distances.ctypes.data_as(ctypes.POINTER(library.Distance)), len(self._distances)
        d.tolerance, d.sweeps = number(tolerance, "tolerance"), natural(sweeps, "sweeps", 2**32)
        d.relaxation = number(relaxation, "relaxation")
        self._handle = self._create()

    def positions(self, particles, start, dt):
        """Moves x and v to where every distance holds, after the drift of a step of dt. start: x at the start of the step, (axes, n), which is
        read. Returns how many sweeps were made: as many as allowed where the tolerance was not met before."""
        made = ctypes.c_uint32()
        call(lib.kdr_distances_positions, self._handle, view_of(particles), plain_axes(start, "start", particles), number(dt, "dt"), byref(made))
        particles.changed()
        return made.value

    def velocities(self, particles, dt):
        """Takes the relative velocities along the rods; dt scales the tolerance. Returns the sweeps, as positions() does."""
        made = ctypes.c_uint32()
        call(lib.kdr_distances_velocities, self._handle, view_of(particles), number(dt, "dt"), byref(made))
        particles.changed()
        return made.value

    def worst(self, particles, dt):
        """The largest | |x_b - x_a| / length - 1 |, and | (v_b - v_a) . (x_b - x_a) | dt / length^2."""
        return worst_of(self._handle, particles, dt)

    def reference_positions(self, particles, start, dt):
        """positions() by the scalar reference, which does not tell its sweeps."""
        call(lib.kdr_reference_distances_positions, byref(self._description), view_of(particles), plain_axes(start, "start", particles), number(dt, "dt"))
        particles.changed()

    def reference_velocities(self, particles, dt):
        """velocities() by the scalar reference."""
        call(lib.kdr_reference_distances_velocities, byref(self._description), view_of(particles), number(dt, "dt"))
        particles.changed()
