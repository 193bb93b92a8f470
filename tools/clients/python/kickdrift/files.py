"""Checkpoints, which hold everything that a run carries in a file that is written completely or not at all; and streams, which read and
write such files for more particles than fit in memory. The library kickdrift-io is loaded when the first function is called. It is
looked for next to the main library; KICKDRIFT_IO_LIBRARY names another."""

import ctypes

import numpy

from . import library
from .system import System
from .integrator import Clock, Integrator, Motion, clock_of, handle_of
from .library import byref, call, lib, natural, path_of
from .particles import REALS, Particles, real_of, view_of

functions = {
    "kdr_checkpoint_write": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, library.view, library.clock, ctypes.c_char_p, ctypes.c_size_t,
                                            library.failure]),
    "kdr_checkpoint_read": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(library.Checkpoint), library.failure]),
    "kdr_checkpoint_write_system": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, library.view, library.clock, ctypes.c_char_p,
                                                    ctypes.c_size_t, library.failure]),
    "kdr_checkpoint_read_system": (ctypes.c_int, [ctypes.c_char_p, ctypes.c_void_p, ctypes.POINTER(library.Checkpoint), library.failure]),
    "kdr_checkpoint_release": (None, [ctypes.POINTER(library.Checkpoint)]),
    "kdr_stream_desc_init": (None, [ctypes.POINTER(library.StreamDescription), ctypes.c_size_t]),
    "kdr_stream_open": (ctypes.c_int, [ctypes.POINTER(library.StreamDescription), ctypes.POINTER(ctypes.c_void_p), library.failure]),
    "kdr_stream_next": (ctypes.c_int, [ctypes.c_void_p, library.view, library.clock, library.failure]),
    "kdr_stream_query": (ctypes.c_int, [ctypes.c_void_p, ctypes.POINTER(library.StreamInfo), library.failure]),
    "kdr_stream_close": (None, [ctypes.c_void_p]),
}


def io():
    """Returns the library kickdrift-io, loading it if necessary."""
    return library.companion("io", functions)


def write_checkpoint(path, integrator, particles, clock, note=b""):
    """Writes everything that the run carries to a file. The bytes go to a temporary file, which is flushed and renamed. integrator: an
    Integrator or a System. note: user-defined bytes."""
    handle, note = handle_of(integrator, Motion, "integrator"), memoryview(note).tobytes()
    call(io().kdr_checkpoint_write_system if isinstance(integrator, System) else io().kdr_checkpoint_write, path_of(path), handle, view_of(particles),
         clock_of(clock), note, len(note))


def read_checkpoint(path, integrator):
    """Returns (particles, clock, note) of a file, in new arrays, for a run of `integrator`; None accepts files of any integrator, but for
    reading only. A file that is damaged, cut, foreign, or was written with another description raises kickdrift.Error."""
    saved = library.Checkpoint()
    handle = None if integrator is None else handle_of(integrator, Motion, "integrator")
    call(io().kdr_checkpoint_read_system if isinstance(integrator, System) else io().kdr_checkpoint_read, path_of(path), handle, byref(saved))
    try:
        return particles_of(saved.particles), Clock(saved.clock.dt, saved.clock.t0, saved.clock.step), ctypes.string_at(saved.note, saved.note_size)
    finally:
        io().kdr_checkpoint_release(byref(saved))


class Stream:
    """More particles than memory: slices of a checkpoint's particles, which become another checkpoint, with the bits of a run in memory.

        with kickdrift.Stream("cloud.checkpoint", "cloud.checkpoint", orbit, last_step=1000) as slices:
            for slice, clock in slices:
                orbit.run(slice, clock, slices.last_step - clock.step)

    from_        a checkpoint; None: `count` new particles, whose x and v are 0 and are yours to set
    to           the file for the result, which may be `from_`; None: slices are only read
    integrator   the integrator that runs them; None: the memory of the particles is void
    last_step    the step to which each slice is run: the slice and its clock are stored when the next one is asked for
    memory       bytes of a slice
    key          identifies the source of new particles, such as a seed: a stream with another key begins anew

    New particles also take: count, clock, dims, dtype, and whether they have inverse_mass, a method's memory (`remembers`),
    compensation, bounces, dissipated_energy, error, nonconverged, radius

    A slice is Particles in the stream's own memory, valid until the next is asked for or the stream is closed; first_id says where it
    begins. After the last slice the result is complete. A process that stops before leaves TO.part, from which the same stream
    continues.
    """

    def __init__(self, from_, to=None, integrator=None, last_step=0, *, memory=None, key=0, clock=None, count=0, dims=3, dtype=numpy.float64, **arrays):
        self._integrator, self.last_step = integrator, natural(last_step, "last_step")
        self._stream = ctypes.c_void_p()
        desc, new = library.StreamDescription(), library.ParticlesDescription()
        io().kdr_stream_desc_init(byref(desc), ctypes.sizeof(desc))
        desc.from_, desc.to = from_ and path_of(from_), to and path_of(to)
        desc.integrator = None if integrator is None else handle_of(integrator, Integrator, "integrator", ": particles that feel each other have no slices")
        desc.last_step, desc.key = self.last_step, natural(key, "key")
        desc.memory = desc.memory if memory is None else natural(memory, "memory")
        if from_ is None:
            lib.kdr_particles_desc_init(byref(new), ctypes.sizeof(new))
            new.count, new.dims, new.real = natural(count, "count"), dims, real_of(dtype)
            for name, wanted in arrays.items():
                if name not in ("inverse_mass", "remembers", "compensation", "bounces", "dissipated_energy", "error", "nonconverged", "radius"):
                    raise TypeError(f"{name}: new particles have no such array")
                setattr(new, "memory" if name == "remembers" else name, bool(wanted))
            desc.create = ctypes.pointer(new)
            desc.clock = Clock(0.0) if clock is None else clock
        elif arrays or count or clock is not None:
            raise TypeError(f"{', '.join(arrays) or 'count and clock'}: the particles are those of {from_}, expected from_=None")
        call(io().kdr_stream_open, byref(desc), byref(self._stream))

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.close()

    __del__ = __exit__

    def close(self):
        """Closes the files. An unfinished result stays in TO.part."""
        if self._stream:
            io().kdr_stream_close(self._stream)
            self._stream = ctypes.c_void_p()

    @property
    def info(self):
        """Returns the numbers of the stream: count of all particles, begin of the current slice, done when it was opened, most in a slice."""
        found = library.StreamInfo()
        call(io().kdr_stream_query, self._stream, byref(found))
        return found

    def __iter__(self):
        slice, clock = Particles(numpy.zeros((3, 0)), numpy.zeros((3, 0))), Clock(0.0)
        while True:
            call(io().kdr_stream_next, self._stream, byref(slice._view), clock_of(clock))
            if slice._view.count == 0:
                return
            slice = particles_of(slice._view, self)
            yield slice, clock


def particles_of(view, owner=None):
    """Returns Particles with copies of a view's arrays, or with these arrays, which then keep their owner alive."""
    real = next(dtype for dtype in REALS if library.enumerator("real", REALS[dtype]) == view.real)

    def copied(address, dtype=real):
        if not address:
            return None
        size = view.count * numpy.dtype(dtype).itemsize
        if owner is not None:
            lent = (ctypes.c_ubyte * size).from_address(address)
            lent.owner = owner
            return numpy.frombuffer(lent, dtype)
        return numpy.frombuffer(ctypes.string_at(address, size), dtype).copy()

    def vectors(*each):
        arrays = [[copied(address) for address in addresses[:view.dims]] for addresses in each]
        return numpy.array(arrays) if owner is None else arrays

    axes = range(view.dims)
    made = Particles([copied(view.x[axis]) for axis in axes], [copied(view.v[axis]) for axis in axes], copied(view.inverse_mass),
                     active=copied(view.active, "u1"), level=copied(view.level, "u1"), id=copied(view.id, "u8"), first_id=view.first_id,
                     bounces=copied(view.bounces, "u4"), radius=copied(view.radius), nonconverged=copied(view.nonconverged, "u4"), error=copied(view.error),
                     dissipated_energy=[copied(array, "f8") for array in view.dissipated_energy] if view.dissipated_energy[0] else None,
                     images=[copied(view.images[axis], "i4") for axis in axes] if view.images[0] else None,
                     memory=vectors(view.memory)[0] if view.memory[0] else None,
                     compensation=vectors(view.compensation[:3], view.compensation[3:]) if view.compensation[0] else None)
    if owner is not None:
        made._view = view
    made._view.memory_key = view.memory_key
    return made
