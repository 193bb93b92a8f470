"""Draws cases from a seed, and holds each relation of the table on them.

    python3 tests/relations [--seed N] [--seconds N] [--only RELATION,...] [--case N] [--list]

Cases are numbered; each is of one relation, and --seed S --case N repeats one. A round has every relation; it is finished whatever --seconds says.
First faults are planted, which every relation must see. Exit status 1: a relation does not hold, was never drawn, or has not seen a fault."""

import argparse
import sys
import time
import traceback

import numpy

import books, calls, nothing, others, routes, symmetries  # noqa: E401,F401 they fill the table
from relate import RELATIONS, draw_and_hold, hold, schedule
from shrink import shrink
from run import Fault, described


def main():
    parser = argparse.ArgumentParser(prog="relations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--only", default="")
    parser.add_argument("--case", type=int)
    a = parser.parse_args()
    rows = schedule()
    end = time.time() + a.seconds
    number, tally, bad, refused, spent = 0, {}, {}, {}, {}
    if a.case is not None:
        number, end = a.case, time.time() + 1e9
    while time.time() < end:
        if a.case is not None and number > a.case: break
        row = rows[number % len(rows)]
        if a.only and row.name not in a.only.split(","):
            number += 1
            continue
        began = time.time()
        try:
            found = draw_and_hold(row, a.seed, number, refused=refused)
        except Exception:
            print(row.name, number); traceback.print_exc(); found = None
        spent[row.name] = spent.get(row.name, 0) + time.time() - began
        if found is None:
            print("never", row.name, number)
        else:
            tally[row.name] = tally.get(row.name, 0) + 1
            if found.failure:
                bad[row.name] = bad.get(row.name, 0) + 1
                if bad[row.name] < 4:
                    print(f"{row.name} seed {a.seed} case {number}: {found.failure}")
                    small = shrink(row, found)
                    print(f"    {small.failure}\n    {described(small.made)}", flush=True)
        number += 1
    for name in tally:
        print(f"{name:28} {tally[name]:6} {bad.get(name, 0):5} {1000 * spent[name] / tally[name]:8.1f} ms")
    print(number)
    for text, n in sorted(refused.items(), key=lambda t: -t[1])[:20]:
        print(n, text)


main()
