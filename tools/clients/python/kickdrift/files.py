"""Checkpoints: everything that a run carries, in a file that is there whole or not at all. By the library kickdrift-io, looked for beside the
other one when the first function is called; KICKDRIFT_IO_LIBRARY names another."""

import ctypes
import ctypes.util
import os

import numpy

from . import library
from .coupled import Coupled
from .integrator import Clock, Motion
from .library import byref, call, lib
from .particles import REALS, Particles

functions = {
    "kdr_checkpoint_write": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, library.view, library.clock, ctypes.c_char_p, ctypes.c_size_t,
                                            library.failure]),
    "kdr_checkpoint_read": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(library.Checkpoint), library.failure]),
    "kdr_checkpoint_write_coupled": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, library.view, library.clock, ctypes.c_char_p,
                                                    ctypes.c_size_t, library.failure]),
    "kdr_checkpoint_read_coupled": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(library.Checkpoint), library.failure]),
    "kdr_checkpoint_release": (None, [ctypes.POINTER(library.Checkpoint)]),
}
loaded = []


def places():
    """Where the library may be: $KICKDRIFT_IO_LIBRARY alone when it is set; else beside the stepping library, and where the system looks."""
    given = os.environ.get("KICKDRIFT_IO_LIBRARY")
    if given:
        return [given]
    folder, name = os.path.split(lib._name)
    name = name.replace("libkickdrift", "libkickdrift-io", 1)
    found = [path for path in (os.path.join(folder, "io", name), os.path.join(folder, name)) if folder and os.path.exists(path)]
    return [*found, ctypes.util.find_library("kickdrift-io") or name]


def io():
    """The library kickdrift-io."""
    if not loaded:
        for path in places():
            try:
                found = ctypes.CDLL(path)
                break
            except OSError as error:
                why = error
        else:
            raise ImportError(f"no library kickdrift-io: {why}; set KICKDRIFT_IO_LIBRARY to libkickdrift-io.so")
        for name, (returned, taken) in functions.items():
            function = getattr(found, name)
            function.restype, function.argtypes = returned, taken
        loaded.append(found)
    return loaded[0]


def write_checkpoint(path, integrator, particles, clock, note=b""):
    """Writes everything that the run carries to a file, beside it first, flushed and renamed. `integrator`: an Integrator or a Coupled. `note`: bytes
    of the caller's own."""
    handle = integrator._handle if isinstance(integrator, Motion) else integrator
    call(io().kdr_checkpoint_write_coupled if isinstance(integrator, Coupled) else io().kdr_checkpoint_write, os.fsencode(path), handle, byref(particles._view), byref(clock), bytes(note), len(note))


def read_checkpoint(path, integrator):
    """(particles, clock, note) of a file, in arrays of their own, which `integrator` goes on with; None: any integrator's, for a look. What is
    damaged, cut or foreign, or was written with another description, is kickdrift.Error."""
    saved = library.Checkpoint()
    handle = integrator._handle if isinstance(integrator, Motion) else integrator
    call(io().kdr_checkpoint_read_coupled if isinstance(integrator, Coupled) else io().kdr_checkpoint_read, os.fsencode(path), handle, byref(saved))
    try:
        return particles_of(saved.particles), Clock(saved.clock.dt, saved.clock.t0, saved.clock.step), ctypes.string_at(saved.note, saved.note_size)
    finally:
        io().kdr_checkpoint_release(byref(saved))


def particles_of(view):
    """Copies of a view's plain arrays."""
    real = next(dtype for dtype in REALS if library.enumerator("real", REALS[dtype]) == view.real)

    def copied(address, dtype=real):
        if not address:
            return None
        return numpy.frombuffer(ctypes.string_at(address, view.count * numpy.dtype(dtype).itemsize), dtype).copy()

    axes = range(view.dims)
    made = Particles([copied(view.x[axis]) for axis in axes], [copied(view.v[axis]) for axis in axes], copied(view.inverse_mass),
                     active=copied(view.active, "u1"), level=copied(view.level, "u1"), id=copied(view.id, "u8"), first_id=view.first_id,
                     hits=copied(view.hits, "u4"), unsolved=copied(view.unsolved, "u4"), error=copied(view.error),
                     dissipated=[copied(array, "f8") for array in view.dissipated] if view.dissipated[0] else None,
                     images=[copied(view.images[axis], "i4") for axis in axes] if view.images[0] else None,
                     memory=bool(view.memory[0]), compensation=bool(view.compensation[0]))
    for axis in axes:
        if made.memory is not None:
            made.memory[axis] = copied(view.memory[axis])
        if made.compensation is not None:
            made.compensation[0, axis], made.compensation[1, axis] = copied(view.compensation[axis]), copied(view.compensation[3 + axis])
    made._view.memory_key = view.memory_key
    return made
