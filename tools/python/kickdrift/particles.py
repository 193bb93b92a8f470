"""Particles: NumPy arrays lent to the library. Nothing is copied: a run writes into the arrays that were given."""

import ctypes

import numpy

from .library import View, byref, call, enumerator, lib, natural

REALS = {numpy.dtype(numpy.float32): "f32", numpy.dtype(numpy.float64): "f64"}


def real_of(dtype):
    """f32 or f64, as the library's enumerator, of a dtype."""
    name = REALS.get(numpy.dtype(dtype))
    if name is None or not numpy.dtype(dtype).isnative:
        raise TypeError(f"elements of type {numpy.dtype(dtype)}, expected float32 or float64 in this machine's byte order")
    return enumerator("real", name)


def lent(array, name, dtype=None, count=None, written=False):
    """Checks an array that is lent, and gives it back."""
    if not isinstance(array, numpy.ndarray):
        raise TypeError(f"{name} is of type {type(array).__name__}, expected a NumPy array (arrays are lent, not copied)")
    if dtype is not None and array.dtype != dtype:
        raise TypeError(f"{name} has elements of type {array.dtype}, expected {numpy.dtype(dtype)}")
    if array.ndim != 1:
        raise ValueError(f"{name} has the shape {array.shape}, expected one dimension, an element a particle")
    if count is not None and array.size != count:
        raise ValueError(f"{name} has {array.size} elements, expected {count}")
    if written and not array.flags.writeable:
        raise ValueError(f"{name} is read-only, and a run writes to it")
    return array


def plain(array, name, dtype=None, count=None, written=False):
    """Likewise of one whose elements must lie one after the other."""
    lent(array, name, dtype, count, written)
    if array.size > 1 and array.strides[0] != array.itemsize:
        raise ValueError(f"{name} has its elements {array.strides[0]} bytes apart, expected {array.itemsize}: one after the other")
    return array


def axes_of(arrays, name):
    """The arrays of a vector, one an axis: of a sequence of arrays, or of an array with a row an axis."""
    if isinstance(arrays, numpy.ndarray) and arrays.ndim == 1:
        return (arrays,)
    try:
        axes = tuple(arrays)
    except TypeError:
        raise TypeError(f"{name} is of type {type(arrays).__name__}, expected one array an axis") from None
    if not 1 <= len(axes) <= 3:
        hint = "; for an array with a row a particle give its transpose, .T" if isinstance(arrays, numpy.ndarray) else ""
        raise ValueError(f"{name} has {len(axes)} axes, expected 1 to 3{hint}")
    return axes


class Particles:
    """A view of particles in the caller's arrays.

    x, v             positions and velocities: a sequence of one array an axis, or an array with a row an axis (of an (n, 3) array its .T);
                     all float32, or all float64
    inverse_mass     an array of the same type, or None: all masses are 1. 0 freezes a particle
    id               an array of uint64, or None: first_id + index. Noise is keyed by it
    hits             an array of uint32 that counts each particle's bounces, or None
    dissipated       two arrays of float64, or one of two rows: the energy that restitution and friction took from each particle; or None
    memory           True: the view keeps what a method remembers from one run to the next, in arrays of its own, so that a run in two parts
                     gives the bits of one
    compensation     True: likewise what rounding took, of compensated integrators

    After writing to x, v or an inverse mass between two runs with a memory or a compensation, call changed()."""

    def __init__(self, x, v, inverse_mass=None, *, id=None, first_id=0, hits=None, dissipated=None, memory=False,
                 compensation=False):
        self.x, self.v = axes_of(x, "x"), axes_of(v, "v")
        first = lent(self.x[0], "x[0]")
        self.dtype, self.count = first.dtype, first.size
        view = self._view = lib.kdr_particles_default()
        view.count, view.dims, view.real = self.count, len(self.x), real_of(self.dtype)
        if len(self.x) != len(self.v):
            raise ValueError(f"v has {len(self.v)} axes, expected {len(self.x)}, as x")
        for name in ("x", "v"):
            for axis, array in enumerate(getattr(self, name)):
                getattr(view, name)[axis] = plain(array, f"{name}[{axis}]", self.dtype, self.count, written=True).ctypes.data
        self.inverse_mass, self.id, self.hits = inverse_mass, id, hits
        if inverse_mass is not None:
            view.inverse_mass = plain(inverse_mass, "inverse_mass", self.dtype, self.count).ctypes.data
        if id is not None:
            view.id = plain(id, "id", numpy.uint64, self.count).ctypes.data
        if hits is not None:
            view.hits = plain(hits, "hits", numpy.uint32, self.count, written=True).ctypes.data
        self.dissipated = dissipated
        if dissipated is not None:
            if len(dissipated) != 2:
                raise ValueError(f"dissipated has {len(dissipated)} arrays, expected 2: of restitution and of friction")
            for i, array in enumerate(dissipated):
                view.dissipated[i] = plain(array, f"dissipated[{i}]", numpy.float64, self.count, written=True).ctypes.data
        view.first_id = natural(first_id, "first_id")
        dims = len(self.x)
        self.memory = numpy.zeros((dims, self.count), self.dtype) if memory else None
        self.compensation = numpy.zeros((2, dims, self.count), self.dtype) if compensation else None
        for axis in range(dims):
            if memory:
                view.memory[axis] = self.memory[axis].ctypes.data
            if compensation:
                view.compensation[axis] = self.compensation[0, axis].ctypes.data
                view.compensation[3 + axis] = self.compensation[1, axis].ctypes.data
        call(lib.kdr_particles_check, byref(view))

    def __len__(self):
        return self.count

    def __repr__(self):
        return f"<kickdrift.Particles: {self.count} of {len(self.x)} axes, {self.dtype}>"

    @property
    def dims(self):
        return len(self.x)

    def changed(self):
        """Forgets what methods remember: x, v or an inverse mass was written to."""
        self._view.memory_key = 0

    def copy(self):
        """The same particles in plain arrays of their own; inverse masses and ids, which no run writes to, are shared."""
        other = Particles([array.copy() for array in self.x], [array.copy() for array in self.v], self.inverse_mass, id=self.id,
                          first_id=self._view.first_id, hits=None if self.hits is None else self.hits.copy(),
                          dissipated=None if self.dissipated is None else [array.copy() for array in self.dissipated],
                          memory=self.memory is not None, compensation=self.compensation is not None)
        for kept in ("memory", "compensation"):
            if getattr(self, kept) is not None:
                getattr(other, kept)[...] = getattr(self, kept)
        other._view.memory_key = self._view.memory_key
        return other

    def counted(self):
        """The bytes of hits and dissipated."""
        return [array.tobytes() for array in (self.hits, *([] if self.dissipated is None else self.dissipated)) if array is not None]

    def fingerprint(self):
        """64 bits over count, axes, type and the bits of x and v: equal on every platform for equal bits."""
        value = ctypes.c_uint64()
        call(lib.kdr_fingerprint, byref(self._view), byref(value))
        return value.value

    def first_non_finite(self):
        """The index of the first particle with a NaN or an infinity in x or v, or None."""
        index = ctypes.c_size_t()
        call(lib.kdr_first_non_finite, byref(self._view), byref(index))
        return None if index.value == self.count else index.value
