"""System runs: particles that interact, or a force that only a user-defined function can compute, for all particles at once.

    import kickdrift, numpy
    x, v = numpy.array([[0.0, 1.0, 2.0]]), numpy.zeros((1, 3))            # three beads on a line, one row per axis
    beads = kickdrift.System(interactions=[kickdrift.spring_network([(0, 1), (1, 2)], k=4, length=0.9)])
    clock = kickdrift.Clock(dt=0.01)
    beads.run(kickdrift.Particles(x, v), clock, 100)                      # observe() returns energy and momentum
"""

import ctypes

import numpy

from . import library
from .callbacks import Raised, deliver
from .forces import Entry
from .integrator import Motion, Observables, clock_of, describe, entries, plain_values
from .library import byref, call, enumerator, lib, natural, number
from .particles import layout_of, lent, view_of

KEPT = 4  # number of workspaces that are kept for later runs

FUNCTIONS = {"accelerations": library.accelerations_fn, "magnetic": library.accelerations_fn, "potential": library.potential_fn,
             "slopes": library.slopes_fn}


def gravity(mu, softening=0.0, sources=None, softening_each=None):
    """Returns the attraction of all particles by the first `sources` of them (default: as many as mu has elements), a = sum of mu_j d /
    (d^2 + e^2)^(3/2), e^2 = softening^2 + e_i^2 + e_j^2. mu: an array of G m_j, of the particles' type. It is lent, as a spring's
    k_each is, and may have any strides. The same holds for softening_each, which is None or has a length e_i per particle."""
    lent(mu, "mu")
    sources = mu.size if sources is None else natural(sources, "sources", mu.size + 1)
    force, arrays = lib.kdr_interaction_gravity(mu.ctypes.data, sources, softening), [("mu", mu)]
    force.as_.gravity.mu_layout = layout_of(mu, "mu")
    if softening_each is not None:
        lent(softening_each, "softening_each")
        force.as_.gravity.softening_each, force.as_.gravity.softening_count = softening_each.ctypes.data, softening_each.size
        force.as_.gravity.softening_each_layout = layout_of(softening_each, "softening_each")
        arrays.append(("softening_each", softening_each))
    return Entry(force, arrays)


def pairs_of(between):
    """Returns an array of two columns, with indices that fit the library's type."""
    pairs = numpy.asarray(between)
    if pairs.size == 0:
        return numpy.zeros((0, 2), numpy.uint32)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"between has the shape {pairs.shape} and elements of type {pairs.dtype}, expected two whole numbers a row, (n, 2)")
    if pairs.min() < 0 or pairs.max() >= 2**32:
        raise ValueError(f"between holds {pairs.min() if pairs.min() < 0 else pairs.max()}, expected particles by index, from 0")
    return pairs


def table(struct, between, **columns):
    """Returns an array of structs, one per row of `between`. The other members come from numbers, or from arrays with one number per row."""
    pairs = pairs_of(between)
    rows = numpy.zeros(len(pairs), numpy.dtype(struct))
    rows["a"], rows["b"] = pairs[:, 0], pairs[:, 1]
    for name, values in columns.items():
        if numpy.ndim(values) > 1 or numpy.size(values) not in (1, len(pairs)):
            raise ValueError(f"{name} has the shape {numpy.shape(values)}, expected a number, or {len(pairs)} of them, one a pair")
        rows[name] = values
    return rows


def spring_network(between, k, length=0.0, damping=0.0, *, contribution="default"):
    """Returns springs between pairs of particles, by index: F = k (d - length) + damping times the speed along the spring. between: an (n,
    2) array, or a list of pairs. k, length and damping: a number, or one per spring. contribution: for Pairs.map() only, by name, as
    for forces."""
    rows = table(library.PairSpring, between, k=k, length=length, damping=damping, contribution=enumerator("contribution", contribution))
    entry = Entry(lib.kdr_interaction_spring_network(rows.ctypes.data_as(ctypes.POINTER(library.PairSpring)), len(rows)))
    entry.rows = rows
    return entry


def rods(between, length):
    """Returns distance constraints for System's `distances`: pairs of particles as spring_network() takes them, and a length, or one per rod."""
    return table(library.Distance, between, length=length)


def rods_of(distances):
    """Returns the rods as one array, however rods() results are nested."""
    if getattr(distances, "dtype", None) != numpy.dtype(library.Distance):
        raise TypeError(f"distances is {distances!r}, expected what rods() returns")
    return numpy.ravel(distances)


def worst_of(distances, particles, dt):
    """Returns the largest errors of the distances, as kdr_distance_constraints_max_violation does."""
    position, velocity = ctypes.c_double(), ctypes.c_double()
    call(lib.kdr_distance_constraints_max_violation, distances, view_of(particles), number(dt, "dt"), byref(position), byref(velocity))
    return position.value, velocity.value


def vector_of(view, name, writeable=False):
    """Returns the arrays of a view's x or v without copying, one per axis."""
    real = numpy.dtype("f4" if view.real == library.enumerator("real", "f32") else "f8")
    layout, made = getattr(view, name + "_layout"), []
    for axis in range(view.dims):
        address = getattr(view, name)[axis]
        shape, strides = (view.count,), (layout.stride or real.itemsize,)
        if layout.block:
            if view.count % layout.block:
                raise ValueError(f"{name} has {view.count} particles in blocks of {layout.block}, expected whole blocks")
            shape, strides = (view.count // layout.block, layout.block), (layout.block_stride, layout.stride or real.itemsize)
        extent = real.itemsize + sum((n - 1) * step for n, step in zip(shape, strides)) if view.count else 0
        array = numpy.ndarray(shape, real, (ctypes.c_char * extent).from_address(address or 0) if extent else b"", 0, strides)
        array.flags.writeable = writeable
        made.append(array)
    return made


def rows_of(view, name):
    """Returns x or v of a view as an array of rows, (n, axes). It is the particles' own memory if they are stored as rows; otherwise, as
    for the reference, a copy."""
    first, *others = arrays = vector_of(view, name)
    size = first.itemsize
    if first.strides == (view.dims * size,) and all(array.ctypes.data == first.ctypes.data + (1 + n) * size for n, array in enumerate(others)):
        return numpy.lib.stride_tricks.as_strided(first, (view.count, view.dims), (view.dims * size, size), writeable=False)
    rows = numpy.stack([array.ravel() for array in arrays], axis=1)
    rows.flags.writeable = False
    return rows


def plain_of(view, addresses, most, columns=1):
    """Returns the first `most` arrays that a function fills: contiguous arrays of the view's type, with `columns` elements per particle."""
    real = numpy.dtype("f4" if view.real == library.enumerator("real", "f32") else "f8")
    size = view.count * columns * real.itemsize
    return [numpy.frombuffer((ctypes.c_char * size).from_address(address), real) if size else numpy.zeros(0, real)
            for address in [given for given in addresses if given][:most]]


def filled_of(view, name, addresses, rows):
    """Returns the arrays that the function `name` fills. They are in a tuple, one per axis, so that a function cannot replace one by
    another array. Slopes have an array for each element of a triangle. Accelerations in rows are one array."""
    if name == "accelerations" and rows:
        return plain_of(view, addresses, 1, view.dims)[0].reshape(view.count, view.dims)
    return tuple(plain_of(view, addresses, view.dims * (view.dims + 1) // 2 if name == "slopes" else view.dims))


def is_nothing(returned, filled):
    """Returns True if a function that returned this may have filled the arrays: it returned None, these arrays, or a sequence of either."""
    each = returned if isinstance(returned, (list, tuple)) else (returned,)
    return all(one is None or any(one is array for array in (filled, *filled)) for one in each)


class System(Motion):
    """A method and the interactions of particles, checked once. It may run many particles, from many threads at once if its functions
    allow it.

    interactions     a list from gravity() and spring_network()
    distances        from rods(), or None; tolerance, sweeps, relaxation: see DistanceConstraints
    forces           a field of kickdrift.forces in addition; colliders, constraints, boundary, watches, langevin, compensated, flush_small_to_zero,
                     method, tableau, fractions, compose, dtype, arithmetic, backend, threads, dt: as in Integrator
    accelerations    None, or a user-defined function f(x, v, t, a) that sets a[axis][...] of all particles. x, v and a are tuples of arrays,
                     one per axis. Those of x and v are read-only, have the particles' strides, and are valid until the function returns.
                     It may be a ctypes function pointer of the type kickdrift.library.accelerations_fn. An exception stops the run at the
                     end of the last whole step and is raised by run(); so does Ctrl-C
    potential        None, or f(x, v, t), which returns the energy of that function's forces; observe() calls it
    magnetic         None, or f(x, v, t, m), which sets charge B / mass, for boris; the forces' magnetic field is added
    slopes           None, or f(x, v, t, th, g), for implicit methods: sets the symmetric part of da_n/dv_n + th da_n/dx_n of each particle
                     by itself; g are arrays: the diagonal, then xy, xz, yz
    velocity_dependent   True: accelerations depend on v
    rows             True: x and v of the particles are rows, (n, axes) arrays whose .T Particles has, and `accelerations` has rows too: its
                     x, v and a are (n, axes) arrays, set as in a[...] = -x. Nothing is then reordered. For splitting methods whose
                     accelerations come from the function alone, and for particles without memory
    first_id         True: functions have one more argument, the last: first_id of the particles that they see. In a block of run_blocks() it
                     is the index of the block's first particle (plus first_id of Particles), which gives access to other arrays
    levels           True: particles may have levels, which run() then obeys

    Call Particles.changed() where particles are added, removed or moved by hand, and where a user-defined function is to compute
    something else: the particles remember their last acceleration.

    A function takes the interpreter lock; built-in interactions run without it.
    """

    _kind = "system"

    def __init__(self, method="velocity-verlet", interactions=(), *, distances=None, tolerance=0.0, sweeps=1000, relaxation=1.0, forces=(),
                 dtype=numpy.float64, accelerations=None, potential=None, magnetic=None, slopes=None, velocity_dependent=False, levels=False, rows=False,
                 first_id=False, arithmetic="fused", backend="auto", threads=None, tableau=None, fractions=None, compose=None, compensated=False,
                 langevin=None, colliders=(), constraints=(), boundary=None, flush_small_to_zero=False, watches=(), speed_of_light=0.0, dt=0.0):
        d = self._description = library.SystemDescription()
        lib.kdr_system_desc_init(byref(d), ctypes.sizeof(d))
        self.dtype = numpy.dtype(dtype)
        self._watches = tuple(watches)
        describe(d, dtype, method=method, arithmetic=arithmetic, backend=backend, threads=threads, tableau=tableau, fractions=fractions,
                 compose=compose, compensated=compensated, langevin=langevin, colliders=colliders, constraints=constraints, boundary=boundary,
                 speed_of_light=speed_of_light, watches=self._watches, flush_small_to_zero=flush_small_to_zero)
        self._lend(forces)
        self._interactions = tuple(interactions)
        d.interactions, d.interaction_count = entries(self._interactions, library.Interaction, "interactions")
        for entry in self._interactions:
            entry.lend(self.dtype)
        if distances is not None:
            self._distances = rods_of(distances)
            d.distances, d.distance_count = self._distances.ctypes.data_as(ctypes.POINTER(library.Distance)), len(self._distances)
        d.distance_tolerance, d.distance_sweeps, d.distance_relaxation = tolerance, natural(sweeps, "sweeps", 2**32), relaxation
        d.velocity_dependent, d.levels, d.rows = velocity_dependent, levels, rows
        self._rows, self._first_id = bool(rows), bool(first_id)
        d.dt = dt
        self._raised, self._workspaces = Raised(self._watches), []
        for name, function in (("accelerations", accelerations), ("magnetic", magnetic), ("potential", potential), ("slopes", slopes)):
            if function is not None:
                setattr(d, name, self._function(name, function))
        self._handle = self._create()

    def _function(self, name, function):
        """Returns a function pointer to a Python function. Exceptions in it are kept."""
        kind = FUNCTIONS[name]
        if isinstance(function, kind):
            return function
        if not callable(function):
            raise TypeError(f"{name} is {function!r}, expected a function")
        raised, rows, first_id = self._raised, self._rows, self._first_id
        raised.functions = True
        of = rows_of if rows else vector_of

        def called(context, address, *rest):
            try:
                view = library.View.from_address(address)
                *times, out = rest
                given, last = (of(view, "x"), of(view, "v"), *times), (view.first_id,) if first_id else ()
                if name == "potential":
                    out[0] = float(function(*given, *last))
                else:
                    filled = filled_of(view, name, out.contents, rows)
                    returned = function(*given, filled, *last)
                    if not is_nothing(returned, filled):
                        raise TypeError(f"{name} returned {type(returned).__name__}, expected None: it sets the elements of what it is given last")
                deliver()
            except BaseException as error:  # raised again in Raised.call
                return raised.keep(error)
            return 0

        return kind(called)

    def _workspace(self, particles):
        """Returns memory for a run, from an earlier run or new."""
        size = lib.kdr_system_workspace_size(self._handle, particles.count, particles.dims)
        try:
            memory = self._workspaces.pop()
        except IndexError:
            memory = None
        return memory if memory is not None and memory.size >= size else numpy.empty(max(size, 1), numpy.uint8)

    def _with_workspace(self, particles, function, *arguments):
        """Calls a function with a workspace in the place of None."""
        memory = self._workspace(particles)
        space = library.Workspace(memory.ctypes.data, memory.size)
        try:
            return self._raised.call(function, self._handle, *(byref(space) if argument is None else argument for argument in arguments))
        finally:
            if len(self._workspaces) < KEPT:
                self._workspaces.append(memory)

    def run(self, particles, clock, steps):
        """Advances the particles by `steps` steps, in their own arrays, and the clock with them. Returns True as Integrator.run() does."""
        def run(part):
            return self._with_workspace(particles, lib.kdr_system_run, view_of(particles), clock_of(clock), part, None)

        if self._raised.functions:  # functions deliver signals themselves
            return run(natural(steps, "steps"))
        return self._in_parts(particles, clock, steps, run)

    def run_blocks(self, particles, clock, steps):
        """Does what run() does, for particles that do not interact: the accelerations must be a field. Blocks of hundreds of particles are
        taken through all steps, each while it is in a cache. The functions see one block at a time, from the executor's threads, with
        the block's first_id if System has first_id=True. A particle must have the same accelerations in any block. The bits are those
        of run(). Interactions, rows, levels, watches and implicit methods are refused.

        An exception in a function is raised by this call. The clock then stays, each particle is at the end of some whole step, and
        memory is void: begin again from a copy.
        """
        return self._raised.call(lib.kdr_system_run_blocks, self._handle, view_of(particles), clock_of(clock), natural(steps, "steps"))

    def max_violation(self, particles, dt):
        """Returns the largest errors of the distances, as DistanceConstraints.max_violation() does; (0, 0) if there are none. Sweeps that end before the
        tolerance is met are no error."""
        kept = lib.kdr_system_distance_constraints(self._handle)
        return worst_of(kept, particles, dt) if kept else (0.0, 0.0)

    def sample(self, particles, clock, fraction):
        """Returns the particles at the time of clock.step + fraction, as Integrator.sample() does, from a shortened step of all particles."""
        other = particles.copy(alike=self._rows)
        self._with_workspace(particles, lib.kdr_system_sample, view_of(particles), clock_of(clock), number(fraction, "fraction"), None, byref(other._view))
        other.changed()
        return other

    def reference_run(self, particles, clock, steps):
        """Does the same as run(), by the scalar reference."""
        return self._raised.call(lib.kdr_reference_system_run, byref(self._description), view_of(particles), clock_of(clock), natural(steps, "steps"))

    def reference_sample(self, particles, clock, fraction):
        """Does the same as sample(), by the scalar reference."""
        other = particles.copy(alike=self._rows)
        self._raised.call(lib.kdr_reference_system_sample, byref(self._description), view_of(particles), clock_of(clock), number(fraction, "fraction"),
                          byref(other._view))
        other.changed()
        return other

    def evaluations(self, particles, clock, steps):
        """Returns how often run() evaluates the accelerations of all particles, and calls `accelerations`."""
        return lib.kdr_system_evaluations(self._handle, view_of(particles), clock_of(clock), natural(steps, "steps"))

    def observe(self, particles, clock):
        """Returns energies, which include those of gravity, springs and `potential`, momentum and angular momentum. Frozen particles are
        left out."""
        values = library.Observables()
        self._raised.call(lib.kdr_system_observe, self._handle, view_of(particles), clock_of(clock), byref(values))
        return Observables(**plain_values(values))

    def absorbed(self, particles):
        """Returns the number of particles that its absorbing boundary holds."""
        count = ctypes.c_size_t()
        call(lib.kdr_system_count_absorbed, self._handle, view_of(particles), byref(count))
        return count.value
