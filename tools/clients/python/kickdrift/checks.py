"""Checks of kernels: a function of yours and a reference on the same random cases, compared bit for bit. The library kickdrift-check is
loaded when the first check begins; KICKDRIFT_CHECK_LIBRARY names it."""

import ctypes

import numpy

from . import library
from .callbacks import Raised
from .integrator import Integrator, Motion
from .library import byref, call, lib, natural, number
from .particles import real_of

functions = {
    "kdr_check_desc_init": (None, [ctypes.POINTER(library.CheckDescription), ctypes.c_size_t]),
    "kdr_check_kernel": (ctypes.c_int, [ctypes.POINTER(library.CheckDescription), ctypes.POINTER(library.CheckReport), library.failure]),
    "kdr_check_report_describe": (ctypes.c_char_p, [ctypes.POINTER(library.CheckReport), ctypes.c_char_p, ctypes.c_size_t]),
}
VALUES = {"zeros": 1, "subnormals": 2, "huge": 4, "ties": 8, "infinities": 16, "nans": 32}
PLACES = {"aligned": 1, "unaligned": 2, "strided": 4, "structures": 8}


class Report:
    """The result of a check. bool(report) tells whether no case failed. str(report) says what was compared, and the first fault.

    cases, values, failed    cases run, elements compared, cases with a fault
    max_ulp                  largest distance of an element from the reference's, in units in the last place
    case                     the number of the first case with a fault; None if there is none
    """

    def __init__(self, report, text):
        self._text = text
        self.cases, self.values, self.failed, self.max_ulp = report.cases, report.values, report.failed, report.max_ulp
        self.case = report.case_number if report.failed else None

    def __bool__(self):
        return self.failed == 0

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<kickdrift check: {self._text.splitlines()[0]}>"


def bits_of(names, known, what):
    """Returns the sum of the bits of names."""
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"{what} has {unknown[0]!r}, expected some of {', '.join(known)}")
    return sum(known[name] for name in set(names))


def array_at(address, count, dtype, stride=0):
    """Returns an array on memory of the library's. Without elements the address may be NULL."""
    if count == 0:
        return numpy.empty(0, dtype)
    stride = stride or dtype.itemsize
    memory = (ctypes.c_char * ((count - 1) * stride + dtype.itemsize)).from_address(address)
    return numpy.ndarray((count,), dtype, memory, 0, (stride,))


def step_function(function, dtype, raised):
    """Wraps function(x, v, dt, steps), or function(x, v, inverse_mass, dt, steps), for C."""
    def step(_, view, clock, steps, failure):
        try:
            p, clock = view.contents, clock.contents
            given = [[array_at(axes[i], p.count, dtype, layout.stride) for i in range(p.dims)]
                     for axes, layout in ((p.x, p.x_layout), (p.v, p.v_layout))]
            if p.inverse_mass:
                given.append(array_at(p.inverse_mass, p.count, dtype, p.inverse_mass_layout.stride))
            function(*given, clock.dt, steps)
            clock.step += steps
            return 0
        except BaseException as error:  # raised again in check
            return raised.keep(error)
    return library.step_fn(step)


def array_function(function, inputs, outputs, dtype, errors):
    """Wraps function(input, ..., output, ...) for C. A C function of the type kdr_check_array_fn is taken as it is."""
    if isinstance(function, ctypes._CFuncPtr):
        return ctypes.cast(function, library.array_fn)

    def compute(_, count, given, made):
        try:
            if not errors:
                function(*(array_at(given[i], count, dtype) for i in range(inputs)), *(array_at(made[i], count, dtype) for i in range(outputs)))
        except BaseException as error:  # raised again in check
            errors.append(error)
    return library.array_fn(compute)


def check(kernel, against, *, inputs=None, outputs=1, in_place=False, dtype=numpy.float64, dims=3, inverse_mass=False, counts=None,
          max_steps=8, one_call=False, dt=1 / 64, low=-2, high=2, values=("zeros", "subnormals", "ties"), places=("aligned", "unaligned"), max_ulp=0,
          seed=1, first=0, cases=1000, threads=1, lanes=0):
    """Runs a kernel and a reference on random cases, and returns a Report.

    kernel     steps particles: kernel(x, v, dt, steps) makes `steps` steps in place. x and v are lists of arrays, one per axis. With
               inverse_mass=True it is kernel(x, v, inverse_mass, dt, steps).
    against    the reference: an Integrator or System, whose reference is run, or a function of the same kind

    With inputs=N both are functions on arrays: kernel(input, ..., output, ...) fills `outputs` arrays, or is a ctypes function of the
    type kdr_check_array_fn. With in_place=True output i holds input i before the call.

    The other keywords are the members of kdr_check_desc. values: some of zeros, subnormals, huge, ties, infinities, nans; places: some of
    aligned, unaligned, strided, structures. Python functions are called by one thread, and a fault in one ends the process.
    """
    desc, report, raised, errors = library.CheckDescription(), library.CheckReport(), Raised(), []
    checks = library.companion("check", functions)
    checks.kdr_check_desc_init(byref(desc), ctypes.sizeof(desc))
    is_motion = isinstance(against, Motion)
    desc.real = against._description.real if is_motion else real_of(dtype)
    dtype = numpy.dtype({4: numpy.float32, 8: numpy.float64}[lib.kdr_real_size(desc.real)])
    if inputs is None:
        desc.step = step_function(kernel, dtype, raised)
        if is_motion:
            setattr(desc, "integrator" if isinstance(against, Integrator) else "system", ctypes.pointer(against._description))
        else:
            desc.step_reference = step_function(against, dtype, raised)
    elif is_motion:
        raise TypeError("against is an integrator, expected a function on arrays, as inputs is given")
    else:
        desc.inputs, desc.outputs = natural(inputs, "inputs", 17, 1), natural(outputs, "outputs", 17, 1)
        desc.array = array_function(kernel, inputs, outputs, dtype, errors)
        desc.array_reference = array_function(against, inputs, outputs, dtype, errors)
    desc.unguarded = not isinstance(kernel, ctypes._CFuncPtr)
    desc.dims, desc.inverse_mass, desc.in_place, desc.one_call = natural(dims, "dims", 4, 1), inverse_mass, in_place, one_call
    if counts is not None:
        desc.counts = (ctypes.c_size_t * len(counts))(*(natural(count, "counts") for count in counts))
        desc.count_count = len(counts)
    desc.max_steps, desc.dt = natural(max_steps, "max_steps"), number(dt, "dt")
    desc.low, desc.high = number(low, "low"), number(high, "high")
    desc.values, desc.places = bits_of(values, VALUES, "values"), bits_of(places, PLACES, "places")
    desc.max_ulp, desc.seed, desc.first = natural(max_ulp, "max_ulp"), natural(seed, "seed"), natural(first, "first")
    desc.cases, desc.threads, desc.lanes = natural(cases, "cases", least=1), natural(threads, "threads", 1025, 1), natural(lanes, "lanes", 2**31)
    if desc.threads > 1 and desc.unguarded:
        raise ValueError(f"threads is {threads}, expected 1 with a function of Python")
    try:
        call(checks.kdr_check_kernel, byref(desc), byref(report))
    except library.Error as refused:
        raise raised.errors.get(refused.number, refused) from None
    for error in [*raised.errors.values(), *errors]:
        raise error
    text = ctypes.create_string_buffer(2048)
    checks.kdr_check_report_describe(byref(report), text, len(text))
    return Report(report, text.value.decode().rstrip("\n"))
