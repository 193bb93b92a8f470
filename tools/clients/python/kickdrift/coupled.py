"""Coupled runs: particles that feel each other, or a force that only a function of the caller's can compute for all particles at once.

    import kickdrift, numpy
    x, v = numpy.array([[0.0, 1.0, 2.0]]), numpy.zeros((1, 3))            # three beads on a line, a row an axis
    beads = kickdrift.Coupled(coupled=[kickdrift.net([(0, 1), (1, 2)], k=4, length=0.9)])
    clock = kickdrift.Clock(dt=0.01)
    beads.run(kickdrift.Particles(x, v), clock, 100)                      # observe() tells energy and momentum"""

import ctypes

import numpy

from . import library
from .callbacks import Raised, deliver
from .forces import Entry
from .integrator import Motion, Observables, clock_of, describe, entries, plain_values
from .library import byref, call, enumerator, lib, natural, number
from .particles import layout_of, lent, view_of

KEPT = 4  # workspaces that wait for the next run

FUNCTIONS = {"accelerations": library.accelerations_fn, "magnetic": library.accelerations_fn, "potential": library.potential_fn,
             "slopes": library.slopes_fn}


def gravity(mu, softening=0.0, sources=None, softening_each=None):
    """Attraction of all particles by the first `sources` of them (default: as many as mu has elements), a = sum of mu_j d / (d^2 + e^2)^(3/2), e^2 =
    softening^2 + e_i^2 + e_j^2. mu: an array of G m_j, of the particles' type; lent, as a spring's k_each, with any strides, and so is softening_each,
    None or a length e_i for each particle."""
    lent(mu, "mu")
    sources = mu.size if sources is None else natural(sources, "sources", mu.size + 1)
    force, arrays = lib.kdr_coupled_gravity(mu.ctypes.data, sources, softening), [("mu", mu)]
    force.as_.gravity.mu_layout = layout_of(mu, "mu")
    if softening_each is not None:
        lent(softening_each, "softening_each")
        force.as_.gravity.softening_each, force.as_.gravity.softening_count = softening_each.ctypes.data, softening_each.size
        force.as_.gravity.softening_each_layout = layout_of(softening_each, "softening_each")
        arrays.append(("softening_each", softening_each))
    return Entry(force, arrays)


def pairs_of(between):
    """An array of two columns, of indices that fit."""
    pairs = numpy.asarray(between)
    if pairs.size == 0:
        return numpy.zeros((0, 2), numpy.uint32)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
        raise ValueError(f"between has the shape {pairs.shape} and elements of type {pairs.dtype}, expected two whole numbers a row, (n, 2)")
    if pairs.min() < 0 or pairs.max() >= 2**32:
        raise ValueError(f"between holds {pairs.min() if pairs.min() < 0 else pairs.max()}, expected particles by index, from 0")
    return pairs


def table(struct, between, **columns):
    """An array of structs, a row of `between` each; the other members from numbers, or arrays of as many."""
    pairs = pairs_of(between)
    rows = numpy.zeros(len(pairs), numpy.dtype(struct))
    rows["a"], rows["b"] = pairs[:, 0], pairs[:, 1]
    for name, values in columns.items():
        if numpy.ndim(values) > 1 or numpy.size(values) not in (1, len(pairs)):
            raise ValueError(f"{name} has the shape {numpy.shape(values)}, expected a number, or {len(pairs)} of them, one a pair")
        rows[name] = values
    return rows


def net(between, k, length=0.0, damping=0.0, *, contribution="default"):
    """Springs between pairs of particles, by index: F = k (d - length) + damping of the speed along them. `between`: an (n, 2) array, or a list of
    pairs; k, length and damping: a number, or one a spring. contribution: to Pairs.map() alone, by name, as that of a force."""
    rows = table(library.PairSpring, between, k=k, length=length, damping=damping, contribution=enumerator("contribution", contribution))
    entry = Entry(lib.kdr_coupled_net(rows.ctypes.data_as(ctypes.POINTER(library.PairSpring)), len(rows)))
    entry.rows = rows
    return entry


def rods(between, length):
    """Distances that are kept, for Coupled's `distances`: pairs of particles as net() takes them, and a length, or one a rod."""
    return table(library.Distance, between, length=length)


def rods_of(distances):
    """Those of rods(), one after the other."""
    if getattr(distances, "dtype", None) != numpy.dtype(library.Distance):
        raise TypeError(f"distances is {distances!r}, expected what rods() returns")
    return numpy.ravel(distances)


def worst_of(distances, particles, dt):
    """As kdr_distances_worst."""
    position, velocity = ctypes.c_double(), ctypes.c_double()
    call(lib.kdr_distances_worst, distances, view_of(particles), number(dt, "dt"), byref(position), byref(velocity))
    return position.value, velocity.value


def vector_of(view, name, writeable=False):
    """The arrays of a view's x or v, one an axis, as they lie."""
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
    """x or v of a view as an array of rows, (n, axes): where they lie so that very memory, else, as the reference has them, a copy."""
    first, *others = arrays = vector_of(view, name)
    size = first.itemsize
    if first.strides == (view.dims * size,) and all(array.ctypes.data == first.ctypes.data + (1 + n) * size for n, array in enumerate(others)):
        return numpy.lib.stride_tricks.as_strided(first, (view.count, view.dims), (view.dims * size, size), writeable=False)
    rows = numpy.stack([array.ravel() for array in arrays], axis=1)
    rows.flags.writeable = False
    return rows


def plain_of(view, addresses, most, columns=1):
    """Arrays that a function fills, the first `most` that there are: plain ones of the view's type, of `columns` elements a particle."""
    real = numpy.dtype("f4" if view.real == library.enumerator("real", "f32") else "f8")
    size = view.count * columns * real.itemsize
    return [numpy.frombuffer((ctypes.c_char * size).from_address(address), real) if size else numpy.zeros(0, real)
            for address in [given for given in addresses if given][:most]]


def filled_of(view, name, addresses, rows):
    """What the function of that name fills: arrays one an axis, in a tuple, for nothing comes of another array in the place of one; for slopes a
    triangle of them; accelerations in rows are one array."""
    if name == "accelerations" and rows:
        return plain_of(view, addresses, 1, view.dims)[0].reshape(view.count, view.dims)
    return tuple(plain_of(view, addresses, view.dims * (view.dims + 1) // 2 if name == "slopes" else view.dims))


def is_nothing(returned, filled):
    """A function that returned this may have set the arrays: None, these, or either, one an axis."""
    each = returned if isinstance(returned, (list, tuple)) else (returned,)
    return all(one is None or any(one is array for array in (filled, *filled)) for one in each)


class Coupled(Motion):
    """A method, and what acts between particles, checked once; may run many particles, from many threads at once where its functions may.

    coupled          of gravity() and net()
    distances        of rods(), or None; tolerance, sweeps, relaxation: how they are kept
    forces           a field of kickdrift.forces beside; colliders, constraints, boundary, watches, langevin, compensated, rest_to_zero, method, tableau, fractions,
                     compose, dtype, arithmetic, backend, threads, dt: as Integrator has them
    accelerations    None, or a function of the caller's, f(x, v, t, a): sets a[axis][...] of all particles; x, v and a are tuples of
                     arrays, one an axis, those of x and v read-only, as they lie, good for as long as the call takes. Or a function pointer of the type kickdrift.library.accelerations_fn, by ctypes. An exception
                     stops the run at the end of the last whole step, and comes out of run(), as Ctrl-C does
    potential        None, or f(x, v, t), which returns the energy of what that function computes; observe() calls it
    magnetic         None, or f(x, v, t, m), which sets charge B / mass, for boris; that of forces is added
    slopes           None, or f(x, v, t, th, g), for implicit methods: sets the symmetric part of da_n/dv_n + th da_n/dx_n of each particle by itself; g are
                     arrays, the diagonal, then xy, xz, yz
    velocity_dependent   True: accelerations depend on v
    rows             True: x and v of the particles are rows, (n, axes) arrays of which Particles has the .T, and `accelerations` has rows too: x and v are
                     (n, axes) arrays, and so is the one that it sets, a[...] = -x. Nothing is then brought into another order. Of splitting methods
                     whose accelerations are the function's alone, and of particles without a memory
    first_id         True: functions have one argument more, the last: the first_id of the particles that they see, which of a block of run_blocks() is
                     the place of its first particle (plus the first_id of Particles), by which it finds arrays of its own
    levels           True: particles may have levels, which run() then obeys

    Where particles are born, die or are moved by hand, and where a function of the caller's computes something else from now on, call
    Particles.changed(): what they remember is the acceleration that they had.

    A function takes the interpreter's lock; what is built in runs without it."""

    _kind = "coupled"

    def __init__(self, method="velocity-verlet", coupled=(), *, distances=None, tolerance=0.0, sweeps=1000, relaxation=1.0, forces=(),
                 dtype=numpy.float64, accelerations=None, potential=None, magnetic=None, slopes=None, velocity_dependent=False, levels=False, rows=False,
                 first_id=False, arithmetic="fused", backend="auto", threads=None, tableau=None, fractions=None, compose=None, compensated=False,
                 langevin=None, colliders=(), constraints=(), boundary=None, rest_to_zero=False, watches=(), speed_of_light=0.0, dt=0.0):
        d = self._description = library.CoupledDescription()
        lib.kdr_coupled_desc_init(byref(d), ctypes.sizeof(d))
        self.dtype = numpy.dtype(dtype)
        self._watches = tuple(watches)
        describe(d, dtype, method=method, arithmetic=arithmetic, backend=backend, threads=threads, tableau=tableau, fractions=fractions,
                 compose=compose, compensated=compensated, langevin=langevin, colliders=colliders, constraints=constraints, boundary=boundary,
                 speed_of_light=speed_of_light, watches=self._watches, rest_to_zero=rest_to_zero)
        self._lend(forces)
        self._couplings = tuple(coupled)
        d.coupled, d.coupled_count = entries(self._couplings, library.CoupledForce, "coupled")
        for entry in self._couplings:
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
        """A function pointer of a Python function; what that raises is kept."""
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
            except BaseException as error:  # it goes on in Raised.call
                return raised.keep(error)
            return 0

        return kind(called)

    def _workspace(self, particles):
        """Memory for a run: some that an earlier one has left, or new."""
        size = lib.kdr_coupled_workspace_size(self._handle, particles.count, particles.dims)
        try:
            memory = self._workspaces.pop()
        except IndexError:
            memory = None
        return memory if memory is not None and memory.size >= size else numpy.empty(max(size, 1), numpy.uint8)

    def _with_workspace(self, particles, function, *arguments):
        """The call with a workspace in the place of None."""
        memory = self._workspace(particles)
        space = library.Workspace(memory.ctypes.data, memory.size)
        try:
            return self._raised.call(function, self._handle, *(byref(space) if argument is None else argument for argument in arguments))
        finally:
            if len(self._workspaces) < KEPT:
                self._workspaces.append(memory)

    def run(self, particles, clock, steps):
        """Advances the particles by `steps` steps, in their own arrays, and the clock with them. True: as Integrator.run()."""
        def run(part):
            return self._with_workspace(particles, lib.kdr_coupled_run, view_of(particles), clock_of(clock), part, None)

        if self._raised.functions:  # they are where signals come in
            return run(natural(steps, "steps"))
        return self._in_parts(particles, clock, steps, run)

    def run_blocks(self, particles, clock, steps):
        """run() where particles do not feel each other, the accelerations being a field: in blocks of hundreds of particles, each taken through all
        steps while it is in a cache. The functions see a block at a time, from the executor's threads, with the block's first_id where
        Coupled(first_id=True) says so; a particle must have the same accelerations whatever block it is in. The bits are those of run(). Coupled forces,
        rows, levels, watches and implicit methods are refused.

        An exception in a function comes out of it; the clock then stays, the particles are each at the end of some whole step, and what they
        remember is void: begin again from a copy."""
        return self._raised.call(lib.kdr_coupled_run_blocks, self._handle, view_of(particles), clock_of(clock), natural(steps, "steps"))

    def worst(self, particles, dt):
        """Of the distances that it keeps, as Distances.worst(): sweeps that end short of the tolerance are no error. (0, 0): it keeps none."""
        kept = lib.kdr_coupled_distances(self._handle)
        return worst_of(kept, particles, dt) if kept else (0.0, 0.0)

    def sample(self, particles, clock, fraction):
        """As Integrator.sample(): a shortened step of all particles."""
        other = particles.copy(alike=self._rows)
        self._with_workspace(particles, lib.kdr_coupled_sample, view_of(particles), clock_of(clock), number(fraction, "fraction"), None, byref(other._view))
        other.changed()
        return other

    def reference_run(self, particles, clock, steps):
        """The same by the scalar reference."""
        return self._raised.call(lib.kdr_reference_coupled_run, byref(self._description), view_of(particles), clock_of(clock), natural(steps, "steps"))

    def reference_sample(self, particles, clock, fraction):
        """sample() by the scalar reference."""
        other = particles.copy(alike=self._rows)
        self._raised.call(lib.kdr_reference_coupled_sample, byref(self._description), view_of(particles), clock_of(clock), number(fraction, "fraction"),
                          byref(other._view))
        other.changed()
        return other

    def evaluations(self, particles, clock, steps):
        """How often run() evaluates the accelerations of all particles, and calls `accelerations`."""
        return lib.kdr_coupled_evaluations(self._handle, view_of(particles), clock_of(clock), natural(steps, "steps"))

    def observe(self, particles, clock):
        """Energies, with those of gravity and springs and what `potential` returns, momentum, angular momentum; frozen particles are left out."""
        values = library.Observables()
        self._raised.call(lib.kdr_coupled_observe, self._handle, view_of(particles), clock_of(clock), byref(values))
        return Observables(**plain_values(values))

    def absorbed(self, particles):
        """How many particles its absorbing boundary holds."""
        count = ctypes.c_size_t()
        call(lib.kdr_coupled_count_absorbed, self._handle, view_of(particles), byref(count))
        return count.value
