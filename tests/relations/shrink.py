"""Makes a failing case smaller: removes its parts one after another, for as long as the relation still fails."""

import time

import numpy

import kickdrift as kd
from relate import REFUSED, hold
from transform import chosen

SECONDS = 5  # This is the time for one case.
LISTS = ("forces", "colliders", "constraints", "watches", "interactions")
PLAIN = {"inverse_mass": None, "active": None, "level": None, "id": None, "boundary": None, "compose": None, "compensated": False,
         "rest": False, "radius": None, "error": False, "light": 0.0, "langevin": None, "levels": False, "first_id": 0, "backend": "auto",
         "arithmetic": "fused", "real": "f64", "t0": 0.0, "step": 0, "threads": None, "method": "velocity-verlet", "runner": "field"}
MORE = {"friction", "friction_normal", "sliding", "static_friction", "velocity", "since", "crossing", "stop"}


def without_lists(case):
    """Yields the case without one force, surface, constraint, watch or interaction."""
    for name in LISTS:
        for n in range(len(getattr(case, name))):
            left = list(getattr(case, name))
            del left[n]
            yield case.copy(**{name: left})
    if case.rods:
        yield case.copy(rods=[], lengths=None)


def plainer(case):
    """Yields the case with one part set to its default."""
    for name, value in PLAIN.items():
        now = getattr(case, name)
        if name == "runner" and case.interacts() or name == "level" and case.levels:
            continue
        if isinstance(now, numpy.ndarray) or now != value:
            yield case.copy(**{name: value})
    for n, force in enumerate(case.forces):
        if force.each:
            other = case.copy()
            other.forces[n].each = {}
            yield other
    for name in ("colliders", "watches"):
        for n, part in enumerate(getattr(case, name)):
            for key in set(part.values) & MORE:
                if part.values[key] is not None:
                    other = case.copy()
                    del getattr(other, name)[n].values[key]
                    yield other


def fewer(case):
    """Yields the case with fewer steps, particles or axes."""
    if case.steps > 1:
        yield case.copy(steps=case.steps // 2)
        yield case.copy(steps=case.steps - 1)
    if not case.interacts() and case.count > 1:
        for index in (range(case.count // 2), range(case.count // 2, case.count), range(1, case.count)):
            other = chosen(case, index)
            other.id = None if case.id is None else other.id
            yield other


def shrink(row, outcome):
    """Returns the outcome of the smallest case that was found."""
    is_refusal = outcome.failure.startswith(REFUSED)
    best, end = outcome, time.monotonic() + SECONDS
    found = True
    while found and time.monotonic() < end:
        found = False
        for make in (without_lists, fewer, plainer):
            for case in make(best.case):
                try:
                    tried = hold(row, case, best.key)
                except (kd.Error, ValueError, TypeError, IndexError, KeyError, AttributeError):
                    continue
                if tried and tried.failure and (is_refusal or not tried.failure.startswith(REFUSED)):
                    best, found = tried, True
                    break
                if time.monotonic() > end:
                    break
    return best
