"""Defines relations, keeps the table of them, and compares the results of two runs."""

import random

import numpy

import kickdrift as kd
import tables
from draw import begins_outside, draw_case
from run import Crowded, results

ATTEMPTS = 400  # A case must be found within so many attempts that the library accepts and to which the relation applies.
FAR_AWAY = 1e3  # A state beyond this has blown up, and is compared to the bit alone.
LOOSE, COUNTS = 1e-2, ("events", "contacts", "bounces", "dissipated_energy")  # A jump of the method changes these results.
REFUSED = "the second run is refused"
RELATIONS = {}


def is_contradictory(case):
    """Returns True where two features want a particle at two places, so that a rounding decides where it goes: rods and constraints of one
    particle, surfaces in a periodic box, and particles that begin on the wrong side of a surface. Interactions together with surfaces count
    too: a flight takes the mean of what others do in the step, which depends on how the forces are written."""
    period = case.boundary and case.boundary[0] == "periodic"
    return bool(case.rods and case.constraints or case.colliders and (period or case.interactions) or begins_outside(case)
                or has_no_direction(case) or stops_at_a_turn(case))


def has_no_direction(case):
    """Returns True where springs join particles that constraints and stops leave one place, so that a rounding says where a spring points."""
    return any(part.kind == "spring_network" for part in case.interactions) and case.dims <= len(case.constraints) + case.stops()


def stops_at_a_turn(case):
    """Returns True where a particle turns round on a line before two watches for apsides: both see it at once, and one stops it."""
    return case.stops() and case.dims - len(case.constraints) <= 1 and sum(watch.kind == "apsis" for watch in case.watches) > 1


class TwinRefused(Exception):
    """The library refused the second run and accepted the first."""


class Trial:
    """A trial is two runs that must agree. Each is a Case, or a function that returns results.

    calls     the steps of each call of the second run
    expected  computes the results that the second run must have from those of the first
    back      transforms the results of the second run, where that is easier to compare
    within    0: the same bits; otherwise the largest difference, relative to the largest element where that is above 1
    without   names of results that are not compared
    tame      True, as where `within` is not 0: a run that has blown up is not compared
    refusable True: the library may refuse the second run and accept the first
    """

    def __init__(self, first, second, *, calls=None, expected=None, back=None, within=0.0, without=(), tame=False, refusable=False):
        self.tame, self.refusable = tame or within > 0, refusable
        self.first, self.second, self.calls, self.expected, self.back = first, second, calls, expected, back
        self.within, self.without = within, (*without, *(COUNTS if within >= LOOSE else ()))

    def run(self):
        """Returns the results of both runs."""
        a = self.first() if callable(self.first) else results(self.first)
        try:
            b = self.second() if callable(self.second) else results(self.second, self.calls)
        except kd.Error as error:
            if self.refusable:
                raise
            raise TwinRefused(str(error)) from None
        return self.expected(a) if self.expected else a, self.back(b) if self.back else b


class Relation:
    """A relation is a row of the table. Its text is the first line of the function's documentation."""

    def __init__(self, name, make, shape, often, needs, keeps):
        self.name, self.make, self.shape, self.often, self.needs, self.keeps = name, make, shape, often, needs, keeps
        self.text = make.__doc__.strip().split("\n")[0]


def relation(shape=None, often=8, needs=None, keeps=False):
    """Puts a function (case, rng) -> Trial or None into the table.

    shape   changes a drawn case into one to which the relation applies
    often   how many cases of a round are of this relation
    needs   a function that returns None where the relation can be drawn, otherwise the reason
    keeps   True: the compared results are the same after any number of steps
    """
    def put(make):
        RELATIONS[make.__name__] = Relation(make.__name__, make, shape, often, needs, keeps)
        return make
    return put


def schedule():
    """Returns the relations of a round of cases, in their order."""
    rows = [row for row in RELATIONS.values() if not (row.needs and row.needs()) for _ in range(row.often)]
    random.Random("schedule").shuffle(rows)
    return rows


def tolerance(case):
    """Returns the difference that roundings cause in a short run. One rounding can decide whether a rope is taut or slack, which is a jump
    of the method."""
    if any(part.kind == "rope" for part in case.constraints):
        return 5e-2
    return 5e-3 if case.real == "f32" else 1e-9


def in_order(events):
    """Sorts events by step, particle, watch and time. Rounding may change the order of two watches' events at one time."""
    return events[numpy.lexsort((events[:, 4], events[:, 2], events[:, 1], events[:, 0]))]


def difference(a, b, within, without=()):
    """Returns a text that says which number differs first, or None; and how many numbers were compared."""
    compared = 0
    for name, p in a.items():
        if name in without or name not in b:
            continue
        p, q = numpy.asarray(p, float), numpy.asarray(b[name], float)
        if name == "events" and within:
            p, q = in_order(p), in_order(q)
        if p.shape != q.shape:
            return f"{name} has the shapes {p.shape} and {q.shape}", compared
        compared += p.size
        same = (p == q) | (numpy.isnan(p) & numpy.isnan(q))
        off = numpy.zeros(p.shape)
        if not same.all() and within:
            with numpy.errstate(invalid="ignore", over="ignore"):
                off = numpy.abs(p - q) / max(1.0, numpy.nanmax(numpy.abs(p), initial=0))
            same |= off <= within
        if not same.all():
            at = tuple(map(int, numpy.argwhere(~same)[0]))
            return f"{name}{list(at)} {float(p[at])!r} and {float(q[at])!r}, {(~same).sum()} of {same.size} differ", compared
    return None, compared


def is_tame(found):
    """Returns True for a run that has not blown up."""
    states = [found[name] for name in "xv" if name in found]
    return all(numpy.isfinite(state).all() and numpy.abs(state).max(initial=0) < FAR_AWAY for state in states)


def evaluates_all(case):
    """Returns True for system runs that evaluate all particles again after a wall or a stop, because forces depend on the velocity
    (system.h)."""
    return (case.runner == "system" and case.row.start_evaluations > 0 and bool(case.colliders or case.constraints or case.stops())
            and (any(map(tables.sees_velocity, case.kinds())) or any(numpy.any(part.values.get("damping", 0)) for part in case.interactions)))


def together(case):
    """Returns the options of a trial of system runs whose implicit method iterates until all particles are solved; none for other runs."""
    if case.runner == "system" and case.row.family == "implicit":
        return {"within": tolerance(case), "without": ("nonconverged",)}
    return {}


class Outcome:
    """An outcome of a case: the first difference or None, how many numbers were compared, the case as drawn, and the case as the relation
    changed it."""

    def __init__(self, failure, compared, case, key, made):
        self.failure, self.compared, self.case, self.key, self.made = failure, compared, case, key, made


def hold(row, case, key, planted=None):
    """Tests a relation on a case. Returns None where it does not apply. `planted` changes the results of the second run."""
    made = case.copy()
    trial = row.make(made, random.Random(key + "/relation"))
    if trial is None or trial.within and is_contradictory(made):
        return None
    try:
        a, b = trial.run()
    except TwinRefused as error:
        return Outcome(f"{REFUSED}: {error}", 0, case, key, made)
    if trial.tame and not (is_tame(a) and is_tame(b)):
        return None
    if planted:
        planted(trial, a, b)
    failure, compared = difference(a, b, trial.within, trial.without)
    return Outcome(failure, compared, case, key, made) if compared or failure else None


def draw_and_hold(row, seed, number, planted=None, refused=None):
    """Draws until the library accepts the case and the relation applies. Tests the first such case of this seed and number."""
    for attempt in range(ATTEMPTS):
        key = f"{seed}/{number}/{attempt}"
        rng = random.Random(key)
        case = draw_case(rng)
        if row.shape:
            row.shape(case, rng)
        try:
            found = hold(row, case, key, planted)
        except Crowded:
            continue
        except kd.Error as error:
            if refused is not None:
                text = str(error)[:100]
                refused[text] = refused.get(text, 0) + 1
            continue
        if found:
            return found
    return None
