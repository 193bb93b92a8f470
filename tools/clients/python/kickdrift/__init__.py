"""Kickdrift from Python: the library's integrators on NumPy arrays, which are lent without being copied.

    import kickdrift, numpy
    x, v = numpy.array([[1.0, 2.0], [0.0, 0.0]]), numpy.array([[0.0, 0.0], [1.0, 0.75]])   # one row per axis
    orbit = kickdrift.Integrator("velocity-verlet", [kickdrift.centre(mu=1)])
    planets, clock = kickdrift.Particles(x, v), kickdrift.Clock(dt=1 / 64)
    orbit.verify(planets, clock, 640)      # raises kickdrift.Mismatch unless every backend here has the reference's bits
    orbit.run(planets, clock, 640)         # x and v are those of t = 10

library.places() lists where the shared library is looked for; KICKDRIFT_LIBRARY names another. A refusal of the library is raised as
kickdrift.Error with the library's text. Arrays that cannot be lent raise TypeError or ValueError. A run releases the interpreter lock.
"""

from .system import System, gravity, rods, spring_network
from .files import Stream, read_checkpoint, write_checkpoint
from .forces import *  # noqa: F403
from .attraction import add_gravity
from .checks import check
from .integrator import Backend, Clock, Integrator, Method, Mismatch, Observables, Sums, backends, compare, compositions, hold, methods
from .library import Error, lib
from .pairs import DistanceConstraints, PairMap, Pairs, drift, kick, kick_drift
from .particles import Particles

version = lib.kdr_version().decode()
