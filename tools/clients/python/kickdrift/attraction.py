"""Gravity of sources at targets. The two may be in different arrays."""

import numpy

from .library import Gravity, PassOptions, byref, call, enumerator, executor_of, lib, natural
from .particles import layout_of, lent, real_of


def lie(array, name, dtype, shape, written=False):
    """Returns the addresses of an array of this shape, which has one row per axis, and the layout that all rows have."""
    rows = array if len(shape) == 2 else [array]
    if len(shape) == 2 and (not isinstance(array, numpy.ndarray) or array.shape != shape):
        raise ValueError(f"{name} is {getattr(array, 'shape', array)!r}, expected an array of the shape {shape}, one row per axis")
    for row in rows:
        lent(row, name, dtype, shape[-1], written)
    return tuple(row.ctypes.data for row in rows) + (None,) * (3 - len(rows)), layout_of(rows[0], name)


def add_gravity(targets, sources, mu, a=None, potential=None, *, softening=0.0, source_softening=None, target_softening=None, first_source=None,
            arithmetic="fused", backend="auto", threads=None):
    """Adds the accelerations of the targets to `a`, their potentials to `potential`, or both; with neither returns new accelerations.

    targets, sources, a    arrays of the shape (axes, count), one to three axes, float32 or float64
    mu                     G m of each source, any sign
    softening              one length for all pairs; source_softening and target_softening are lengths per particle; all squares are added
    first_source           None, or: target n is source first_source + n, and is left out of its own potential; negative if the targets begin
                           before the sources
    arithmetic, backend, threads   as in Integrator

    Elements may have any strides, as in `positions.T` of an array of rows. Sources are summed in blocks, and the sum of each block is
    added as a whole. So sources that are passed in several calls, all but the last a multiple of 128, give the bits of one call, and
    targets may be cut anywhere. Arrays are lent. A refusal of the library is raised as kickdrift.Error.
    """
    lent(mu, "mu")
    dtype, real = mu.dtype, real_of(mu.dtype)
    dims, count = getattr(targets, "shape", None) if getattr(targets, "ndim", 0) == 2 else (0, 0)
    if not 1 <= dims <= 3:
        raise ValueError(f"targets is {getattr(targets, 'shape', targets)!r}, expected an array of the shape (axes, count), 1 to 3 axes")
    a = numpy.zeros((dims, count), dtype) if a is None and potential is None else a
    g = Gravity(dims=dims, real=real, softening=softening, sources=mu.size, targets=count)
    g.source_x, g.source_x_layout = lie(sources, "sources", dtype, (dims, mu.size))
    g.target_x, g.target_x_layout = lie(targets, "targets", dtype, (dims, count))
    if a is not None:
        g.a, g.a_layout = lie(a, "a", dtype, (dims, count), written=True)
    for name, array, size in (("mu", mu, mu.size), ("potential", potential, count), ("source_softening", source_softening, mu.size),
                              ("target_softening", target_softening, count)):
        if array is not None:
            (address, *_), layout = lie(array, name, dtype, (size,), written=name == "potential")
            setattr(g, name, address)
            setattr(g, name + "_layout", layout)
    if first_source is not None:
        g.targets_are_sources, g.first_source = True, natural(first_source, "first_source", 2**63, -2**63)
    options = PassOptions()
    call(lib.kdr_pass_options_init, enumerator("arithmetic", arithmetic), enumerator("backend", backend), executor_of(threads), byref(options))
    call(lib.kdr_gravity_add, byref(g), byref(options))
    return a
