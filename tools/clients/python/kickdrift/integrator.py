"""Integrators: describe, run, observe, and compare the kernels of every backend with the scalar reference."""

import ctypes
import weakref
from collections import namedtuple

import numpy

from . import library
from .callbacks import Raised, in_main_thread, in_parts
from .library import Clock as ClockStruct
from .library import Error, byref, call, enumerator, executor_of, lib, natural, number
from .particles import Particles, real_of, view_of

PARTICLE_STEPS = 1 << 16  # particle steps of the first part of a run: a few milliseconds
EXACT = 1000  # KDR_ORDER_EXACT; `Method` has infinity instead

Method = namedtuple("Method", "name family order order_velocity order_estimate evaluations start_evaluations symplectic reversible memory "
                              "compensated stability velocity_forces affine force_sees source system_runs runs_back velocities heat_bath jacobian")
Composition = namedtuple("Composition", "name order fraction source")
Backend = namedtuple("Backend", "name compiled runnable fused_native lanes_f32 lanes_f64 reason")
Observables = namedtuple("Observables", "kinetic potential energy momentum angular_momentum dissipated_energy")


def plain_values(struct, **others):
    """Returns the members of a struct as a dictionary, with texts as str and arrays as tuples."""
    values = {}
    for name, *_ in struct._fields_:
        value = others[name] if name in others else getattr(struct, name)
        values[name] = value.decode() if isinstance(value, bytes) else tuple(value) if isinstance(value, ctypes.Array) else value
    return values


def method_of(row):
    exact = {name: float("inf") if getattr(row, name) == EXACT else getattr(row, name) for name in ("order", "order_velocity")}
    family = plain_values(lib.kdr_family_get(row.family).contents)
    return Method(**plain_values(row, family=family.pop("name"), velocity_forces=lib.kdr_velocity_forces_name(row.velocity_forces), **exact),
                  **family)


def methods():
    """Returns the library's table of methods. An order of infinity means exact."""
    rows = []
    while row := lib.kdr_method_get(len(rows)):
        rows.append(method_of(row.contents))
    return rows


def compositions():
    """Returns the compositions that `compose` takes by name: the order that they give a symmetric method of order 2, and their fractions
    of the step."""
    rows = []
    while info := lib.kdr_composition_get(len(rows) + 1):  # 0 means not composed
        info = info.contents
        rows.append(Composition(info.name.decode(), info.order, tuple(info.fraction[:info.count]), info.source.decode()))
    return rows


def backends():
    """Returns the backends that the library knows, with the reason if one does not run here."""
    rows, info = [], library.Backend()
    while lib.kdr_backend_query(len(rows) + 1, byref(info)) == 0:
        rows.append(Backend(**plain_values(info)))
    return rows


class Clock(ClockStruct):
    """A clock with the time t0 + step dt. A run advances `step`."""

    def __init__(self, dt, t0=0.0, step=0):
        super().__init__(t0, dt, natural(step, "step"))

    @property
    def time(self):
        return lib.kdr_clock_time(byref(self), self.step, 0.0)

    def with_dt(self, dt):
        """Returns a clock at the same time with another step. Methods continue from their memory, except stormer-verlet and
        velocity-verlet-pc."""
        other = lib.kdr_clock_with_dt(byref(self), dt)
        return Clock(other.dt, other.t0, other.step)

    def __repr__(self):
        return f"<kickdrift.Clock: t0 {self.t0}, dt {self.dt}, step {self.step}>"


def clock_of(clock):
    """Returns the clock for a call of the library."""
    if not isinstance(clock, ClockStruct):
        raise TypeError(f"clock is of type {type(clock).__name__}, expected kickdrift.Clock")
    return byref(clock)


def tableau_of(rows):
    """Returns a kdr_tableau from (a, b) or (a, b, c). a has one row per stage, as long as the row needs; the default of c is the sums of
    the rows."""
    rows = tuple(rows)
    if len(rows) not in (2, 3) or len(rows) == 3 and len(rows[2]) != len(rows[1]):
        raise ValueError(f"a tableau of {[len(row) for row in rows]} rows and numbers, expected (a, b) or (a, b, c), c as long as b")
    a, b, *c = rows
    if not 1 <= len(b) <= library.MAX_STAGES or len(a) != len(b) or any(len(row) > len(b) for row in a):
        raise ValueError(f"a tableau of {len(a)} rows and {len(b)} weights, expected as many, 1 to {library.MAX_STAGES}")
    tableau = library.Tableau(stages=len(b))
    for i, row in enumerate(a):
        tableau.a[i][:len(row)] = row
        tableau.b[i], tableau.c[i] = b[i], c[0][i] if c else sum(row)
    return tableau


def fractions_of(kick, drift):
    if len(kick) != len(drift) or not 1 <= len(kick) <= library.MAX_FRACTIONS:
        raise ValueError(f"{len(kick)} kicks and {len(drift)} drifts, expected as many, 1 to {library.MAX_FRACTIONS}")
    fractions = library.Fractions(count=len(kick))
    fractions.kick[:len(kick)], fractions.drift[:len(drift)] = kick, drift
    return fractions


def substeps_of(fraction):
    if not 1 <= len(fraction) <= library.MAX_SUBSTEPS:
        raise ValueError(f"{len(fraction)} substeps, expected 1 to {library.MAX_SUBSTEPS}")
    substeps = library.Substeps(count=len(fraction))
    substeps.fraction[:len(fraction)] = fraction
    return substeps


TAKEN_BY = {library.Force: "forces", library.Interaction: "interactions", library.Collider: "colliders", library.Constraint: "constraints",
            library.Watch: "watches"}


def entries(list_, kind, name):
    """Returns an array of structs, and their number."""
    list_ = tuple(list_)
    for entry in list_:
        struct = getattr(entry, "struct", None)
        if not isinstance(struct, kind):
            here = TAKEN_BY.get(type(struct))
            raise TypeError(f"{name} holds {entry!r}, expected {f'it in {here}' if here else f'what functions of kickdrift return for {name}'}")
    return (kind * len(list_))(*[entry.struct for entry in list_]), len(list_)


def hold(particles, constraints):
    """Moves particles on to constraints, and their velocities along them, as the first step of a run does: kdr_constraints_hold."""
    list_, count = entries(constraints, library.Constraint, "constraints")
    call(lib.kdr_constraints_hold, list_, count, view_of(particles))


class Mismatch(Error):
    """Raised by verify() if a backend's bits differ from the reference's."""

    def __init__(self, message):
        super().__init__("mismatch", message)

    def __reduce__(self):
        return Mismatch, (str(self),)


def describe(d, dtype, *, method="velocity-verlet", arithmetic="fused", backend="auto", threads=None, tableau=None, fractions=None, compose=None,
             compensated=False, langevin=None, colliders=(), constraints=(), boundary=None, speed_of_light=0.0, watches=(), flush_small_to_zero=False):
    """Fills in the members that the descriptions of field runs and of system runs share, except the forces."""
    d.method, d.real = enumerator("method", method), real_of(dtype)
    d.arithmetic, d.backend = enumerator("arithmetic", arithmetic), enumerator("backend", backend)
    d.executor = executor_of(threads)
    d.colliders, d.collider_count = entries(colliders, library.Collider, "colliders")
    d.constraints, d.constraint_count = entries(constraints, library.Constraint, "constraints")
    if tableau is not None:
        d.tableau = ctypes.pointer(tableau_of(tableau))
    if fractions is not None:
        d.fractions = ctypes.pointer(fractions_of(*fractions))
    if isinstance(compose, str):
        d.compose = enumerator("composition", compose)
    elif compose is not None:
        d.substeps = ctypes.pointer(substeps_of(tuple(compose)))
    d.compensated, d.speed_of_light, d.flush_small_to_zero = compensated, speed_of_light, flush_small_to_zero
    if langevin is not None:
        if len(tuple(langevin)) != 3:
            raise ValueError(f"langevin is {langevin!r}, expected (friction, temperature, seed)")
        friction, temperature, seed = langevin
        d.langevin = library.Langevin(friction, temperature, natural(seed, "the seed"))
    if boundary is not None:
        d.boundary = boundary
    d.watches, d.watch_count = entries(watches, library.Watch, "watches")


class Made:
    """The library's object for a description. `_kind` is part of the names of its functions, such as kdr_KIND_create."""

    def _create(self):
        handle = ctypes.c_void_p()
        call(getattr(lib, f"kdr_{self._kind}_create"), byref(self._description), byref(handle))
        weakref.finalize(self, getattr(lib, f"kdr_{self._kind}_destroy"), handle)
        return handle

    def __reduce_ex__(self, protocol):
        raise TypeError(f"kickdrift.{type(self).__name__} is neither copied nor pickled: make another, or give it to all who run it")


def handle_of(made, kind, name, hint=""):
    """Returns the library's object, after checking its type, because the library cannot distinguish two kinds of objects."""
    if not isinstance(made, kind):
        expected = "kickdrift.Integrator" if kind is Integrator else "kickdrift.Integrator or kickdrift.System"
        raise TypeError(f"{name} is of type {type(made).__name__}, expected {expected}{hint}")
    return made._handle


class Motion(Made):
    """The base of field runs and system runs: kdr_KIND_run."""

    _rows = False  # True: runs need x and v in rows, the reference too

    def _lend(self, forces):
        forces = tuple(forces)
        lent, count = entries(forces, library.Force, "forces")
        for entry in forces:
            entry.lend(self.dtype)
        self._lent, self._description.forces, self._description.force_count = forces, lent, count

    @property
    def method(self):
        """Returns the properties of its method. For user-defined rows or substeps, the number of evaluations is known, the order is not."""
        return method_of(getattr(lib, f"kdr_{self._kind}_method")(self._handle).contents)

    def _in_parts(self, particles, clock, steps, run):
        """Runs all steps by run(n), so that Ctrl-C ends it within a tenth of a second or one step. It makes one call if no signal can
        come, or if bounces are recorded, because their list is ordered within each call."""
        view_of(particles), clock_of(clock)
        steps = natural(steps, "steps")
        if steps < 2 or not in_main_thread() or particles._view.contacts:
            return run(steps)
        if not hasattr(self, "_memory"):
            self._memory = bool(self.method.memory)
        run(0)  # refuses unsuitable particles before anything is added to them
        with particles.carrying(self._memory, self._description.compensated):
            return in_parts(run, steps, max(1, PARTICLE_STEPS // max(1, particles.count)))

    @property
    def backend(self):
        """Returns the name of the backend that was chosen."""
        return backends()[getattr(lib, f"kdr_{self._kind}_backend")(self._handle) - 1].name

    @property
    def digest(self):
        """Returns 64 bits that differ between two descriptions whose runs differ in a bit. They do not depend on backend, threads and dt,
        nor on what user-defined functions do."""
        return getattr(lib, f"kdr_{self._kind}_digest")(self._handle)

    def memory_key(self, particles, clock):
        """Returns the value of Particles.memory_key after a run of this has left the particles at this clock; 0 if it leaves nothing in
        their arrays. For arrays that come from a file, set `particles.memory_key = orbit.memory_key(particles, clock)`, and the next
        run continues from them."""
        return getattr(lib, f"kdr_{self._kind}_memory_key")(self._handle, view_of(particles), clock_of(clock))

    def explain(self, dims=3, masses=False):
        """Returns a text for people: the operations of a step of particles with `dims` axes, with inverse masses or without."""
        if dims not in (1, 2, 3):
            raise ValueError(f"dims is {dims!r}, expected 1 to 3")
        say = getattr(lib, f"kdr_{self._kind}_explain")
        text = ctypes.create_string_buffer(say(self._handle, dims, masses, None, 0) + 1)
        say(self._handle, dims, masses, text, len(text))
        return text.value.decode()

    def on(self, backend):
        """Returns the same on another backend."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._description = type(self._description).from_buffer_copy(self._description)
        other._description.backend = enumerator("backend", backend)
        other._origin = self
        other._handle = other._create()
        return other

    def set_forces(self, forces):
        """Replaces the forces. No other thread may use it meanwhile."""
        before = self._lent
        self._lend(forces)
        try:
            call(getattr(lib, f"kdr_{self._kind}_set_forces"), self._handle, self._description.forces, self._description.force_count)
        except Error:
            self._lend(before)
            raise

    def set_colliders(self, colliders):
        """Replaces the colliders. No other thread may use it meanwhile."""
        given, count = entries(colliders, library.Collider, "colliders")
        call(getattr(lib, f"kdr_{self._kind}_set_colliders"), self._handle, given, count)
        self._description.colliders, self._description.collider_count = given, count

    def verify(self, particles, clock, steps, backends=None):
        """Compares backends with the reference (default: all backends that run here). Runs copies of the particles: the reference on
        contiguous arrays, or on rows if it needs those; each backend on arrays with the strides of the particles. Compares the bits of
        positions, velocities, bounces, nonconverged equations, errors, dissipation, images and step counts. Returns the names of the backends,
        or raises Mismatch. The particles and the clock do not change."""
        expected, expected_clock = particles.copy(alike=self._rows), Clock(clock.dt, clock.t0, clock.step)
        self.reference_run(expected, expected_clock, steps)
        names = [row.name for row in globals()["backends"]() if row.runnable] if backends is None else list(backends)
        for name in names:
            other = self.on(name)
            got, got_clock = particles.copy(alike=True), Clock(clock.dt, clock.t0, clock.step)
            other.run(got, got_clock, steps)
            difference = compare(expected, got)
            if difference.mismatches:
                array = f"{'xv'[difference.array // 3]}[{difference.array % 3}]"
                raise Mismatch(f"backend {name}, {self.method.name}: {difference.mismatches} elements differ, the first is {array} of particle "
                               f"{difference.index}: {difference.bits[0]:#x} by the reference, {difference.bits[1]:#x} by the kernel")
            if expected.events(again=True)[0].tobytes() != got.events(again=True)[0].tobytes():
                raise Mismatch(f"backend {name}, {self.method.name}: other events than the reference's")
            if got_clock.step != expected_clock.step or got.counted() != expected.counted():
                raise Mismatch(f"backend {name}, {self.method.name}: another clock, other bounces, nonconverged equations, errors, images or another dissipation than the reference's")
        return names


class Integrator(Motion):
    """A method and forces, checked once. It may run many views, from many threads at once.

    method           a name of methods(); or instead tableau=(a, b) or (a, b, c), or fractions=(kick, drift)
    compose          None, or a composition of the method by name ("kahan-li-8"), or fractions of the step, one per substep
    forces           a list from kickdrift.forces, as are colliders, constraints, boundary and watches
    dtype            type of the particles: float64 or float32
    arithmetic       "fused" or "unfused"; backend: "auto" or a name of backends()
    threads          None: the calling thread; a number: that many OpenMP threads; 0: as many as OpenMP chooses
    compensated      True: the rounding errors of x and v are carried to the next step
    flush_small_to_zero     True: numbers near 0 become 0, every 128 steps
    langevin         None, or (friction, temperature, seed) for a method with a heat bath
    speed_of_light   0 for none, or c for "boris", "vay", "higuera-cary": v is then momentum over mass
    dt               0, or the step that most runs will take: whatever depends only on it is then prepared once
    """

    _kind = "integrator"

    def __init__(self, method="velocity-verlet", forces=(), *, dtype=numpy.float64, arithmetic="fused", backend="auto", threads=None,
                 tableau=None, fractions=None, compose=None, compensated=False, langevin=None, colliders=(), constraints=(), boundary=None,
                 dt=0.0, flush_small_to_zero=False, watches=(), speed_of_light=0.0):
        self._watches = tuple(watches)
        d = self._description = library.Description()
        lib.kdr_integrator_desc_init(byref(d), ctypes.sizeof(d))
        self.dtype = numpy.dtype(dtype)
        describe(d, dtype, method=method, arithmetic=arithmetic, backend=backend, threads=threads, tableau=tableau, fractions=fractions,
                 compose=compose, compensated=compensated, langevin=langevin, colliders=colliders, constraints=constraints, boundary=boundary,
                 speed_of_light=speed_of_light, watches=self._watches, flush_small_to_zero=flush_small_to_zero)
        self._lend(forces)
        self._raised = Raised(self._watches)
        d.dt = dt
        self._handle = self._create()

    def run(self, particles, clock, steps):
        """Advances the particles by `steps` steps, in their own arrays, and the clock with them. Returns True if a watch has stopped the
        run, at the last step or before. Ctrl-C ends the run at a whole step, within a tenth of a second or one step if that takes
        longer; at the end of the run if the particles list contacts."""
        return self._in_parts(particles, clock, steps, lambda part: self._raised.call(lib.kdr_integrator_run, self._handle, view_of(particles),
                                                                                      clock_of(clock), part))

    def sample(self, particles, clock, fraction):
        """Returns the particles at the time of clock.step + fraction, in new arrays, with the method's order and without taking the step."""
        other = particles.copy()
        self._raised.call(lib.kdr_integrator_sample, self._handle, view_of(particles), clock_of(clock), number(fraction, "fraction"), byref(other._view))
        other.changed()
        return other

    def reference_sample(self, particles, clock, fraction):
        """Does the same as sample(), by the scalar reference."""
        other = particles.copy()
        self._raised.call(lib.kdr_reference_sample, byref(self._description), view_of(particles), clock_of(clock), number(fraction, "fraction"), byref(other._view))
        other.changed()
        return other

    def init_memory(self, particles, clock, first, count):
        """Makes the memory of `count` particles from `first` on, for new particles among others that have memory."""
        call(lib.kdr_integrator_init_memory, self._handle, view_of(particles), clock_of(clock), natural(first, "first"), natural(count, "count"))

    def reference_run(self, particles, clock, steps):
        """Does the same as run(), by the scalar reference, one particle at a time."""
        return self._raised.call(lib.kdr_reference_run, byref(self._description), view_of(particles), clock_of(clock), natural(steps, "steps"))

    def evaluations(self, particles, clock, steps):
        """Returns how many accelerations run() computes. Each is one particle at one stage."""
        return lib.kdr_integrator_evaluations(self._handle, view_of(particles), clock_of(clock), natural(steps, "steps"))

    def observe(self, particles, clock):
        """Returns energies, momentum and angular momentum. Frozen particles are left out."""
        values = library.Observables()
        call(lib.kdr_observe, self._handle, view_of(particles), clock_of(clock), byref(values))
        return Observables(**plain_values(values))

    def absorbed(self, particles):
        """Returns the number of particles that its absorbing boundary holds."""
        count = ctypes.c_size_t()
        call(lib.kdr_count_absorbed, self._handle, view_of(particles), byref(count))
        return count.value


def compare(a, b):
    """Returns the elements in which two views differ, as kdr_difference describes; NaN equals NaN."""
    if not isinstance(a, Particles) or not isinstance(b, Particles):
        raise TypeError("compare takes two Particles")
    difference = library.Difference()
    call(lib.kdr_compare, byref(a._view), byref(b._view), byref(difference))
    return difference


class Sums:
    """Sums over particles that come in slices, with the bits of Integrator.observe() of all. Slices must be in order, and all but the last
    a multiple of 1024 particles."""

    def __init__(self):
        self._total = library.BlockSums()

    def add(self, integrator, particles, clock):
        """Adds the next slice."""
        handle = handle_of(integrator, Integrator, "integrator")
        count = (len(particles) + library.SUMS_BLOCK - 1) // library.SUMS_BLOCK
        blocks = (library.BlockSums * count)()
        call(lib.kdr_observe_blocks, handle, view_of(particles), clock_of(clock), blocks, count)
        call(lib.kdr_sums_add, byref(self._total), blocks, count)

    def observe(self):
        """Returns energies, momentum and angular momentum of the slices so far."""
        values = library.Observables()
        call(lib.kdr_sums_observe, byref(self._total), byref(values))
        return Observables(**plain_values(values))
