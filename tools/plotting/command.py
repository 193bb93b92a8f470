"""The command line of tools/plot."""

import sys

from . import data, output, page
from .kinds import KINDS

USAGE = "usage: tools/plot KIND DATA OUT.svg|OUT.png    or    tools/plot page FOLDER OUT.html"


def _help():
    print(f"{USAGE}\n\nDraws what `kickdrift experiment NAME --json` printed into DATA.\n\nkinds (and the experiments they are of):")
    for name, kind in KINDS.items():
        print(f"  {name:<10} {kind.caption}{' (' + ', '.join(kind.experiments) + ')' if kind.experiments else ''}")
    print(f"  {'page':<10} an HTML page, and next to it the pictures, of all JSON files in FOLDER")


def _draw(name, source, target):
    kind = KINDS.get(name)
    if not kind:
        raise data.Fault(f'unknown kind "{name}", expected one of {", ".join(KINDS)}, page')
    if not target.endswith(kind.endings):
        raise data.Fault(f'{target}: expected a name that ends in {" or ".join(kind.endings)}')
    if not kind.experiments:
        output.save(kind.draw(kind.read(source)), target)
        return
    experiment = data.Experiment(source)
    if experiment.name not in kind.experiments:
        raise data.Fault(f'{source}: experiment "{experiment.name}", expected {" or ".join(kind.experiments)} for kind {name}')
    output.save(kind.draw(experiment), target)


def main(arguments):
    if arguments and arguments[0] in ("--help", "-h"):
        _help()
        return 0
    try:
        if len(arguments) != 3:
            raise data.Fault(f"expected three arguments, found {len(arguments)}; {USAGE}")
        name, source, target = arguments
        if name == "page":
            page.make(source, target)
        else:
            _draw(name, source, target)
    except data.Fault as fault:
        print(f"plot: {fault}", file=sys.stderr)
        return 2
    except ImportError as error:
        print(f"plot: {error}, expected matplotlib (Debian: python3-matplotlib)", file=sys.stderr)
        return 2
    except (KeyError, TypeError, IndexError, ValueError) as error:
        print(f"plot: {arguments[1]}: {type(error).__name__} {error}, expected what kickdrift experiment --json prints", file=sys.stderr)
        return 2
    return 0
