"""Particles: NumPy arrays that are lent to the library. Nothing is copied: a run writes into the given arrays."""

import contextlib
import ctypes

import numpy

from . import library
from .library import Layout, byref, call, enumerator, lib, natural, pointers

REALS = {numpy.dtype(numpy.float32): "f32", numpy.dtype(numpy.float64): "f64"}

CONTACT = numpy.dtype([("particle", "u8"), ("step", "u8"), ("surface", "u8"), ("time", "f8"), ("x", "f8", 3), ("impulse", "f8", 3), ("speed", "f8")])

LENT = ("x", "v", "inverse_mass", "radius", "active", "level", "id", "bounces", "nonconverged", "error", "dissipated_energy", "images", "memory", "compensation")

EVENT = numpy.dtype([("step", "u8"), ("particle", "u8"), ("watch", "u8"), ("direction", "i8"), ("time", "f8"), ("x", "f8", 3), ("v", "f8", 3)])


def real_of(dtype):
    """Returns f32 or f64, as the library's enumerator, for a dtype."""
    name = REALS.get(numpy.dtype(dtype))
    if name is None or not numpy.dtype(dtype).isnative:
        raise TypeError(f"elements of type {numpy.dtype(dtype)}, expected float32 or float64 in this machine's byte order")
    return enumerator("real", name)


def lent(array, name, dtype=None, count=None, written=False):
    """Checks an array that is lent, and returns it. dtype may be several, of which messages name the first."""
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"{name} is of type {type(array).__name__}, expected a NumPy array (arrays are lent, not copied)")
    dtypes = dtype if isinstance(dtype, tuple) else (dtype,)
    if dtype is not None and array.dtype not in dtypes:
        raise TypeError(f"{name} has elements of type {array.dtype}, expected {numpy.dtype(dtypes[0])}")
    if array.ndim not in (1, 2):
        raise ValueError(f"{name} has the shape {array.shape}, expected one element per particle, or rows that are blocks of particles")
    if count is not None and array.size != count:
        raise ValueError(f"{name} has {array.size} elements, expected {count}")
    if written and not array.flags.writeable:
        raise ValueError(f"{name} is read-only, and a run writes to it")
    return array


def layout_of(array, name):
    """Returns the kdr_layout of an array with one dimension, or with two: one row per block."""
    if array.size <= 1 or array.flags.c_contiguous:
        return Layout()
    array = array.squeeze()
    if min(array.strides) <= 0:
        raise ValueError(f"{name} has strides of {array.strides} bytes, expected positive ones")
    if array.ndim == 1:
        return Layout(stride=array.strides[0])
    return Layout(stride=array.strides[1], block=array.shape[1], block_stride=array.strides[0])


def lent_axes(arrays, name, dtype, count):
    """Returns the addresses of a vector's arrays, and the layout that they all have."""
    layouts = [layout_of(lent(array, f"{name}[{axis}]", dtype, count, written=True), f"{name}[{axis}]") for axis, array in enumerate(arrays)]
    for axis, layout in enumerate(layouts):
        if bytes(layout) != bytes(layouts[0]):
            raise ValueError(f"{name}[{axis}] has strides of {arrays[axis].strides} bytes, expected {arrays[0].strides}, as {name}[0]")
    return [array.ctypes.data for array in arrays], layouts[0]


def twins(arrays):
    """Returns copies of the arrays that have the same strides and the same positions relative to each other."""
    low = min(array.ctypes.data for array in arrays)
    ends = [array.ctypes.data + array.itemsize + sum((n - 1) * step for n, step in zip(array.shape, array.strides)) for array in arrays if array.size]
    memory = numpy.empty(max(ends, default=low) - low, numpy.uint8)
    copies = [numpy.ndarray(array.shape, array.dtype, memory, array.ctypes.data - low if array.size else 0, array.strides) for array in arrays]
    for copy, array in zip(copies, arrays):
        copy[...] = array
    return copies


def is_flag(given):
    """Returns True for True, False or None instead of arrays."""
    return given is None or isinstance(given, (bool, numpy.bool_))


def held(arrays, name):
    """Returns a vector's arrays in a form that keeps them alive: an array with one row per axis, or a tuple of one array per axis."""
    return arrays if isinstance(arrays, numpy.ndarray) and arrays.ndim > 1 else axes_of(arrays, name)


def axes_of(arrays, name):
    """Returns the arrays of a vector, one per axis, from a sequence of arrays or an array with one row per axis."""
    if isinstance(arrays, numpy.ndarray) and arrays.ndim == 1:
        return (arrays,)
    try:
        axes = tuple(arrays)
    except TypeError:
        raise TypeError(f"{name} is of type {type(arrays).__name__}, expected one array per axis") from None
    if not 1 <= len(axes) <= 3:
        hint = "; for an array with one row per particle give its transpose, .T" if isinstance(arrays, numpy.ndarray) else ""
        raise ValueError(f"{name} has {len(axes)} axes, expected 1 to 3{hint}")
    return axes


def plain_axes(arrays, name, particles, written=False, rows=False):
    """Returns the addresses of a vector's contiguous arrays. rows: it may also be rows, an (n, axes) array's .T."""
    axes, size, many = axes_of(arrays, name), particles.dtype.itemsize, particles.count > 1 and particles.dims > 1
    if len(axes) != particles.dims:
        raise ValueError(f"{name} has {len(axes)} axes, expected {particles.dims}, as x")
    for axis, array in enumerate(axes):
        lent(array, f"{name}[{axis}]", particles.dtype, particles.count, written)
    beside = many and all(array.ctypes.data == axes[0].ctypes.data + axis * size for axis, array in enumerate(axes))
    if not (rows and beside and all(array.strides == (particles.dims * size,) for array in axes)):
        for axis, array in enumerate(axes):
            if beside or not array.flags.c_contiguous:
                raise ValueError(f"{name}[{axis}] has strides of {array.strides} bytes, expected elements one after the other, in separate arrays"
                                 + rows * ", or all axes in rows, as of an (n, axes) array's .T")
    made = pointers(*[array.ctypes.data for array in axes])
    made.arrays = axes  # keeps them alive
    return made


def view_of(particles):
    """Returns the view for a call of the library."""
    if not isinstance(particles, Particles):
        raise TypeError(f"particles is of type {type(particles).__name__}, expected kickdrift.Particles")
    return byref(particles._view)


class Particles:
    """A view of particles in existing arrays.

    x, v             positions and velocities: a sequence of one array per axis, or an array with one row per axis (for an (n, 3) array its
                     .T); all float32, or all float64. Strides may be any: the columns of an (n, 3) array, the fields of a structured one. In
                     an array of two dimensions a row is a block of particles: for blocks["x"] of shape (blocks, 3, 8) give
                     blocks["x"].swapaxes(0, 1)
    inverse_mass     an array of the same type, or None: all masses are 1. 0 freezes a particle
    radius           an array of the same type, or None: all are points. Colliders meet the surface of the ball around x; nothing else uses it
    active           an array of bool or uint8, or None: all are active. No bit of an inactive particle changes
    level            an array of uint8, or None: a particle takes 2^level steps in each step of the clock
    id               an array of uint64, or None: first_id + index. Noise depends on it
    bounces             an array of uint32 that counts each particle's bounces, or None
    images           an array of int32 for each axis, or None: by how many widths of a periodic boundary each particle has been put back
    nonconverged         an array of uint32 that counts each particle's steps whose equation an implicit method has not solved, or None
    dissipated       two arrays of float64, or one of two rows: the energy that restitution and friction took from each particle; or None
    error            an array of the type of x, or None: the largest estimate, over all steps since it was filled with zeros, of what one step
                     adds to the error of x. For methods whose `order_estimate` is not 0; others refuse it
    memory           True: the view has arrays for what a method keeps from one run to the next, so that a run in two parts gives the bits of
                     one. Or an array of the type of x for each axis, whose contents count if memory_key says so
    compensation     True: the view has arrays for the rounding errors that compensated integrators carry. Or arrays, (2, axes, n): those of x,
                     then those of v
    contacts         None, or room for how many bounces off colliders: see contacts()
    events           None, or room for how many events of watches: see events()

    All arrays may have any strides, or be blocks, as x and v.

    With a memory or a compensation, call changed() after writing to x, v, inverse_mass, active or level between two runs. Where
    particles are added or removed, move() and resize() make room. After that, begin() of an Integrator makes the memory of the new
    ones. For a System, the forces on all particles have changed: call changed().
    """

    def __init__(self, x, v, inverse_mass=None, *, active=None, level=None, id=None, first_id=0, bounces=None, nonconverged=None, dissipated_energy=None, error=None,
                 memory=False, compensation=False, contacts=None, images=None, events=None, radius=None):
        self.x, self.v = axes_of(x, "x"), axes_of(v, "v")
        first = lent(self.x[0], "x[0]")
        self.dtype = first.dtype
        view = self._view = lib.kdr_particles_default()
        view.count, view.dims, view.real = first.size, len(self.x), real_of(self.dtype)
        view.x[:self.dims], view.x_layout = lent_axes(self.x, "x", self.dtype, self.count)
        view.v[:self.dims], view.v_layout = self._lend_axes(self.v, "v", self.dtype)
        self.inverse_mass, self.active, self.level, self.id, self.bounces, self.nonconverged = inverse_mass, active, level, id, bounces, nonconverged
        self._lend("inverse_mass", self.dtype)
        self.radius = radius
        self._lend("radius", self.dtype)
        self._lend("active", (numpy.dtype(bool), numpy.dtype("u1")))
        self._lend("level", numpy.dtype("u1"))
        view.active_count, view.level_count = 0 if active is None else active.size, 0 if level is None else level.size
        self._lend("id", numpy.uint64)
        self._lend("bounces", numpy.uint32, written=True)
        self._lend("nonconverged", numpy.uint32, written=True)
        self.error = error
        self.dissipated_energy = dissipated_energy if dissipated_energy is None or isinstance(dissipated_energy, numpy.ndarray) else tuple(dissipated_energy)
        self._lend("error", self.dtype, written=True)
        if dissipated_energy is not None:
            if len(self.dissipated_energy) != 2:
                raise ValueError(f"dissipated_energy has {len(self.dissipated_energy)} arrays, expected 2: of restitution and of friction")
            view.dissipated_energy[:], view.dissipated_energy_layout = lent_axes(self.dissipated_energy, "dissipated_energy", numpy.float64, self.count)
        self.images = None if images is None else held(images, "images")
        if images is not None:
            view.images[:self.dims], view.images_layout = self._lend_axes(self.images, "images", numpy.int32)
        self._contacts, self._noted = library.Contacts(), numpy.zeros(natural(contacts or 0, "contacts", 2**48), CONTACT)
        if contacts is not None:
            self._contacts.list, self._contacts.capacity = self._noted.ctypes.data, self._noted.size
            view.contacts = ctypes.pointer(self._contacts)
        self._events, self._seen = library.Events(), numpy.zeros(natural(events or 0, "events", 2**48), EVENT)
        if events is not None:
            self._events.list, self._events.capacity = self._seen.ctypes.data, self._seen.size
            view.events = ctypes.pointer(self._events)
            if active is not None and active.flags.writeable:
                self._events.active = view.active  # a watch that stops particles writes the marks
        view.first_id = natural(first_id, "first_id")
        self._lend_memory(memory)
        self._lend_compensation(compensation)
        call(lib.kdr_particles_check, byref(view))
        self._made = True

    def __setattr__(self, name, value):
        if name in LENT and hasattr(self, "_made"):
            raise AttributeError(f"{name} is lent since the particles were made: write into the array, or make other Particles")
        object.__setattr__(self, name, value)

    def _lend_axes(self, arrays, name, dtype):
        """Returns the addresses of one array per axis that runs write to, and their layout."""
        axes = axes_of(arrays, name)
        if len(axes) != self.dims:
            raise ValueError(f"{name} has {len(axes)} axes, expected {self.dims}, as x")
        return lent_axes(axes, name, dtype, self.count)

    def _lend_memory(self, memory):
        """Sets memory: new arrays for True, or the given arrays."""
        if is_flag(memory):
            self.memory = numpy.zeros((self.dims, self.count), self.dtype) if memory else None
        else:
            self.memory = held(memory, "memory")
        if self.memory is not None:
            self._view.memory[:self.dims], self._view.memory_layout = self._lend_axes(self.memory, "memory", self.dtype)

    def _lend_compensation(self, compensation):
        """Sets compensation: new arrays for True, or the given ones. Those of x and those of v have one layout."""
        if is_flag(compensation):
            self.compensation = numpy.zeros((2, self.dims, self.count), self.dtype) if compensation else None
        elif not isinstance(compensation, (tuple, list, numpy.ndarray)) or len(compensation) != 2:
            raise ValueError(f"compensation is {compensation!r}, expected True, or two parts, of x and of v, each with one array per axis")
        else:
            self.compensation = compensation if isinstance(compensation, numpy.ndarray) else tuple(held(part, "compensation") for part in compensation)
        if self.compensation is None:
            return
        view = self._view
        view.compensation[:self.dims], view.compensation_layout = self._lend_axes(self.compensation[0], "compensation[0]", self.dtype)
        view.compensation[3:3 + self.dims], layout = self._lend_axes(self.compensation[1], "compensation[1]", self.dtype)
        if bytes(layout) != bytes(view.compensation_layout):
            raise ValueError("compensation[1] has other strides than compensation[0], expected the same")

    def _lend(self, name, dtype, written=False):
        """Gives the view the array of that name, if there is one."""
        array = getattr(self, name)
        if array is not None:
            setattr(self._view, name, lent(array, name, dtype, None if name in ("active", "level") else self.count, written).ctypes.data)
            setattr(self._view, name + "_layout", layout_of(array, name))

    @contextlib.contextmanager
    def carrying(self, memory, compensation):
        """A context in which the view has arrays for memory and compensation: its own, or, if one is wanted and missing, temporary ones. A
        run in parts then has the bits of one."""
        if not (memory and self.memory is None) and not (compensation and self.compensation is None):
            yield
            return
        view, kept = self._view, [(name, bytes(getattr(self._view, name))) for name in ("memory", "memory_layout", "compensation", "compensation_layout")]
        arrays = [numpy.empty(self.count, self.dtype) for _ in range(self.dims * (memory + 2 * compensation))]
        free = iter(arrays)
        try:
            view.memory_key = 0
            view.memory_layout, view.compensation_layout = Layout(), Layout()
            for axis in range(self.dims):
                view.memory[axis] = next(free).ctypes.data if memory else None
                for part in range(2):
                    view.compensation[3 * part + axis] = next(free).ctypes.data if compensation else None
            yield
        finally:
            for name, before in kept:
                field = getattr(view, name)
                ctypes.memmove(ctypes.addressof(field), before, len(before))
            view.memory_key = 0

    def contacts(self):
        """Returns the bounces that runs have recorded since the last call, an array of records (particle, step, surface, time, x, impulse,
        speed), and the number that found no room."""
        count, self._contacts.count = self._contacts.count, 0
        return self._noted[:count].copy(), max(0, count - self._noted.size)

    def events(self, again=False):
        """Returns the events of watches since the last call, an array of records (step, particle, watch, direction, time, x, v), and the
        number that found no room. again: the next call returns them too."""
        count = self._events.count
        self._events.count = count if again else 0
        return self._seen[:count].copy(), max(0, count - self._seen.size)

    def __len__(self):
        return self.count

    def __repr__(self):
        return f"<kickdrift.Particles: {self.count} of {len(self.x)} axes, {self.dtype}>"

    @property
    def dims(self):
        return len(self.x)

    @property
    def count(self):
        """The number of particles, see resize()."""
        return self._view.count

    @property
    def first_id(self):
        """The id of the first particle if there is no `id`."""
        return self._view.first_id

    @first_id.setter
    def first_id(self, first_id):
        self._view.first_id = natural(first_id, "first_id")

    @property
    def memory_key(self):
        """Identifies the run and the time that memory and compensation belong to; 0: their contents do not count. See
        Integrator.memory_key()."""
        return self._view.memory_key

    @memory_key.setter
    def memory_key(self, key):
        self._view.memory_key = natural(key, "memory_key")

    def changed(self):
        """Forgets the memory of methods, because arrays were written to. The next run begins afresh, from x and v."""
        self._view.memory_key = 0

    def move(self, to, from_, count=1):
        """Moves particles [from_, from_ + count) to [to, to + count), in all arrays, as when the last particle takes the place of a
        removed one."""
        for name in LENT:
            if getattr(getattr(self, name), "flags", None) is not None and not getattr(self, name).flags.writeable:
                raise ValueError(f"{name} is read-only, and move() writes to it")
        call(lib.kdr_particles_move, byref(self._view), natural(to, "to"), natural(from_, "from_"), natural(count, "count"))

    def resize(self, count):
        """Makes the first `count` elements of the arrays the particles; at most as many as there are elements."""
        count = natural(count, "count, of the elements of the arrays,", self.x[0].size + 1)
        self._view.count = count
        self._view.active_count, self._view.level_count = 0 if self.active is None else count, 0 if self.level is None else count

    def copy(self, alike=False):
        """Returns the same particles in new arrays: contiguous ones, or with alike=True ones with the same strides."""
        def copied(arrays):
            return twins(arrays) if alike else numpy.array([array.ravel() for array in arrays])

        def same(array):
            return None if array is None else twins([array])[0] if alike else array.copy()

        x, v = copied(self.x), copied(self.v)
        memory = None if self.memory is None else copied(axes_of(self.memory, "memory"))
        lost = None
        if self.compensation is not None:
            lost = copied([array for part in self.compensation for array in axes_of(part, "compensation")])
            lost = (lost[:self.dims], lost[self.dims:]) if alike else lost.reshape(2, self.dims, self.x[0].size)
        names = ("radius", "active", "level", "id", "bounces", "nonconverged", "error")
        other = Particles(x, v, same(self.inverse_mass), first_id=self.first_id, memory=memory, compensation=lost,
                          dissipated_energy=None if self.dissipated_energy is None else [array.copy() for array in self.dissipated_energy],
                          images=None if self.images is None else [array.copy() for array in axes_of(self.images, "images")],
                          contacts=self._noted.size if self._view.contacts else None,
                          events=self._seen.size if self._view.events else None, **{name: same(getattr(self, name)) for name in names})
        other._view.memory_key = self._view.memory_key
        other.resize(self.count)
        return other

    def counted(self):
        """Returns the bytes of bounces, nonconverged, errors, dissipated_energy and images."""
        arrays = (self.bounces, self.nonconverged, self.error, *(self.dissipated_energy if self.dissipated_energy is not None else ()), *(self.images if self.images is not None else ()))
        return [array.tobytes() for array in arrays if array is not None]

    def fingerprint(self):
        """Returns a hash of count, axes, type and the bits of x and v. Equal bits give equal hashes on every platform."""
        value = ctypes.c_uint64()
        call(lib.kdr_fingerprint, byref(self._view), byref(value))
        return value.value

    def first_non_finite(self):
        """Returns the index of the first particle with a NaN or an infinity in x or v, or None."""
        index = ctypes.c_size_t()
        call(lib.kdr_first_non_finite, byref(self._view), byref(index))
        return None if index.value == self.count else index.value
