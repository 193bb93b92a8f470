"""Draws cases from a seed, and holds the relations of the table on them.

    python3 tests/relations [--seed N] [--seconds N] [--jobs N] [--only RELATION,...] [--case N] [--list]

Each case has a number and is of one relation: --seed S --case N repeats it, where the same compiled fields are there. A round has every
relation, most of them several times. The first round is finished whatever --seconds says. Faults are planted first, and every relation
must see them. The exit status is 1 where a relation does not hold, was never drawn, or has not seen a fault. In the environment, PYTHONPATH and KICKDRIFT_LIBRARY name the module and
the library, KDR_PROGRAM names the program, and KDR_MODULES the compiled fields, with colons between."""

import argparse
import collections
import faulthandler
import json
import os
import subprocess
import sys
import time
import traceback

import numpy

import books, calls, functions, nothing, others, routes, scenes, symmetries, walls  # noqa: E401,F401 they fill the table
from draw import check
from relate import RELATIONS, Outcome, draw_and_hold, schedule
from run import Fault, described
from shrink import shrink

SHOWN = 3  # So many failures of a relation are printed.
CANARIES = 40  # One of these cases of a relation must see a planted fault.

Count = collections.namedtuple("Count", "held failed numbers seconds")


def say(text):
    print(text, file=sys.stderr, flush=True)


def nudged(trial, expected, found):
    """Changes one number of the second results by a unit in the last place, or by more than the relation leaves room for."""
    for name in ("x", "v", *found):
        if name in found and name in expected and name not in trial.without and numpy.size(found[name]):
            value = numpy.array(found[name], float)
            at = numpy.unravel_index(numpy.argmax(numpy.nan_to_num(numpy.abs(value), nan=0, posinf=0)), value.shape)
            value[at] = value[at] + 4 * trial.within * max(1.0, abs(value[at])) if trial.within else numpy.nextafter(value[at], numpy.inf)
            found[name] = value
            return


def sees(row, seed, steps):
    """Returns True where a relation sees a planted fault: a run that takes a step less, or a result that is off by little."""
    for n in range(CANARIES):
        Fault.steps, Fault.taken = steps, False
        try:
            found = draw_and_hold(row, f"{seed}/canary", n, None if steps else nudged)
        except Exception:  # noqa: BLE001 a run that ends early may leave nothing to look at
            return steps
        finally:
            Fault.steps = False
        if found and found.failure:
            return True
    return False


def blind(rows, seed):
    """Returns a text for each planted fault that a relation has not seen."""
    found = []
    for row in rows:
        for steps in (False, True):
            if not (steps and row.keeps) and not sees(row, seed, steps):
                found.append(f"{row.name}: {'a run that takes a step less' if steps else 'a number that is off'} was not seen")
    return found


def hold_case(row, seed, number, refused, wrong=False):
    """Returns the outcome of a case. An exception is a failure too, unless the library refuses the case. `wrong`: its second run is made so."""
    try:
        return draw_and_hold(row, seed, number, nudged if wrong else None, refused=refused)
    except Exception as error:  # noqa: BLE001 any of them is a failure of this case
        say(traceback.format_exc())
        return Outcome(f"{type(error).__name__}: {error}", 0, None, "", None)


def report(row, seed, number, found):
    """Prints one line that repeats a failure, with the smallest case that was found."""
    small = shrink(row, found) if found.case is not None else found
    what = described(small.made) if small.made is not None else ""
    say(f"{row.name} does not hold: --seed {seed} --case {number}: {small.failure}; {what}")
    return f"{row.name} --seed {seed} --case {number}"


def hold_all(rows, names, options):
    """Returns the counts of each relation, the failures and the refusals, of as many rounds as time allows."""
    counts, failures, refused = {name: Count(0, 0, 0, 0.0) for name in names}, [], {}
    end, number = time.monotonic() + options.seconds, 0
    while number < len(rows) or time.monotonic() < end:
        row, began = rows[number % len(rows)], time.monotonic()
        if options.at:
            with open(options.at, "w", encoding="utf-8") as file:
                file.write(f"--seed {options.seed} --case {number}")
        found = hold_case(row, options.seed, number, refused, options.wrong) if row.name in counts else None
        if found:
            held, failed, numbers, seconds = counts[row.name]
            counts[row.name] = Count(held + 1, failed + bool(found.failure), numbers + found.compared, seconds + time.monotonic() - began)
            if found.failure and failed < SHOWN:
                failures.append(report(row, options.seed, number, found))
        number += 1
    return counts, failures, refused


def work(options):
    """Holds the cases of one seed, and prints the counts as a line of JSON."""
    rows = schedule()
    chosen = {row.name: row for row in rows if not options.only or row.name in options.only.split(",")}
    unseen = blind(chosen.values(), options.seed)
    counts, failures, refused = hold_all(rows, chosen, options)
    for text, times in sorted(refused.items(), key=lambda pair: -pair[1])[:20]:
        say(f"refused {times} times: {text}")
    print(json.dumps({"counts": counts, "failures": failures + unseen}))


def gathered(options, arguments):
    """Runs a process for each of several seeds, and adds up what they count."""
    seeds = range(options.seed, options.seed + options.jobs)
    places = [f"{options.places}{seed}" if options.places else "" for seed in seeds]
    command = [sys.executable, os.path.dirname(os.path.abspath(__file__)), *arguments, "--jobs", "0"]
    jobs = [subprocess.Popen([*command, "--seed", str(seed), "--at", place], stdout=subprocess.PIPE, text=True)
            for seed, place in zip(seeds, places)]
    counts, failures = {}, []
    for job, place in zip(jobs, places):
        told, _ = job.communicate()
        if job.returncode or not told:
            where = open(place, encoding="utf-8").read() if place and os.path.exists(place) else "?"
            failures.append(f"a process ended with status {job.returncode} at {where}")
            continue
        told = json.loads(told.splitlines()[-1])
        failures += told["failures"]
        for name, row in told["counts"].items():
            counts[name] = [a + b for a, b in zip(counts.get(name, [0] * 4), row)]
    return counts, failures


def finish(options, counts, failures):
    """Prints what was counted, the last line in one sentence; returns the exit status."""
    for name, (held, failed, numbers, seconds) in sorted(counts.items()):
        say(f"{name:28} {held:7} cases {failed:4} failed {numbers:10} numbers {1000 * seconds / max(held, 1):8.1f} ms")
    failures = failures + [f"{name} was never drawn" for name, row in counts.items() if row[0] == 0]
    absent = sorted({row.needs() for row in RELATIONS.values() if row.needs and row.needs()})
    if failures:
        print(f"{len(failures)} failures: {'; '.join(failures[:3])}")
        return 1
    least = min((row[0], name) for name, row in counts.items() if row[0])
    cases, numbers = (sum(row[n] for row in counts.values()) for n in (0, 2))
    print(f"{len(counts)} of {len(RELATIONS)} relations, {cases} cases (at least {least[0]}, of {least[1]}), {numbers} numbers, "
          f"seed {options.seed}; " + "; ".join(["every relation saw its planted faults", *absent]))
    return 0


def repeat(options):
    """Repeats one case, and prints it whole."""
    rows = schedule()
    row = rows[options.case % len(rows)]
    found = hold_case(row, options.seed, options.case, {})
    if not found:
        print(f"{row.name}: the library takes no such case")
        return 1
    print(f"{row.name}: {row.text}\n{found.failure or 'holds'}\n{described(found.made) if found.made is not None else ''}")
    if found.failure and found.case is not None:
        report(row, options.seed, options.case, found)
    return bool(found.failure)


def main():
    faulthandler.enable()
    check()
    parser = argparse.ArgumentParser(prog="relations", description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="of the cases")
    parser.add_argument("--seconds", type=float, default=20, help="after which no further case is begun")
    parser.add_argument("--jobs", type=int, default=1, help="processes, each of a seed of its own from --seed on")
    parser.add_argument("--only", default="", help="relations by name, with commas between")
    parser.add_argument("--case", type=int, help="the number of a case that is repeated")
    parser.add_argument("--places", default="", help="the beginning of the names of files that say which case a process is at")
    parser.add_argument("--at", default="", help=argparse.SUPPRESS)
    parser.add_argument("--wrong", action="store_true", help="make each second run wrong by little: no relation may hold then")
    parser.add_argument("--list", action="store_true", help="print the table of relations")
    options = parser.parse_args()
    if options.list:
        for row in RELATIONS.values():
            print(f"{row.name:28} {row.text}")
        return 0
    if options.case is not None:
        return repeat(options)
    if options.jobs == 0:
        return work(options) or 0
    arguments = ["--seconds", str(options.seconds), "--only", options.only, *(["--wrong"] if options.wrong else [])]
    return finish(options, *gathered(options, arguments))


sys.exit(main())
