"""Reads the data for pictures, and describes in one line what is wrong with them."""

import csv
import json
import math
import os


class Fault(Exception):
    """A fault in the data: where, what was found, what was expected."""


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise Fault(f"{path}: cannot read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise Fault(f"{path}: expected text in UTF-8") from None


class Experiment:
    """The results of an experiment, as `kickdrift experiment NAME --json` prints them; tools/experiments/report.h describes the format."""

    def __init__(self, path):
        text = _read(path)
        try:
            value = json.loads(text)
        except ValueError as error:
            raise Fault(f"{path}: not JSON: {error}, expected what kickdrift experiment --json prints") from None
        if not isinstance(value, dict):
            raise Fault(f"{path}: expected an object, as kickdrift experiment --json prints it")
        for key, kind in (("experiment", str), ("title", str), ("about", str), ("claims", list), ("tables", list), ("series", list)):
            if not isinstance(value.get(key), kind):
                raise Fault(f'{path}: no "{key}", expected what kickdrift experiment --json prints')
        self.path = path
        self.name, self.title, self.about = value["experiment"], value["title"], value["about"]
        self.claims, self.tables, self.quick = value["claims"], value["tables"], bool(value.get("quick"))
        self._series = value["series"]

    def table(self, name):
        for table in self.tables:
            if table.get("name") == name:
                return table
        raise Fault(f'{self.path}: no table "{name}" in experiment {self.name}')

    def rows(self, name):
        """Returns the rows of a table that have numbers, which leaves out the refused ones."""
        return [row for row in self.table(name)["rows"] if "refused" not in row]

    def series(self, figure, panel=None):
        """Returns (label, x, y) of each series of a picture. A number that is null becomes NaN."""
        found = []
        for series in self._series:
            if series.get("figure") == figure and panel in (None, series.get("panel")) and series["x"]:
                found.append((series["label"], number_list(series["x"]), number_list(series["y"])))
        if not found:
            raise Fault(f'{self.path}: no series "{figure}"{f" of {panel}" if panel else ""} in experiment {self.name}')
        return found

    def panels(self, figure):
        names = []
        for series in self._series:
            if series.get("figure") == figure and series.get("panel") not in names:
                names.append(series.get("panel"))
        if not names:
            raise Fault(f'{self.path}: no series "{figure}" in experiment {self.name}')
        return names


def number(value):
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def number_list(values):
    return [number(value) for value in values]


class Bench:
    """The results of `kickdrift bench --benchmark_out=FILE`: the rate of each row, from its fastest call in all repetitions."""

    def __init__(self, path):
        try:
            value = json.loads(_read(path))
            self.rows = {}
            for row in value["benchmarks"]:
                if row["name"].startswith("step/") and row.get("run_type") != "aggregate":
                    self.rows[row["name"]] = max(number(row["best"]), self.rows.get(row["name"], 0.0))
            self.processor = value["context"]["processor"]
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Fault(f"{path}: expected what kickdrift bench --benchmark_out writes") from None
        if not self.rows:
            raise Fault(f"{path}: no rows step/..., expected those that kickdrift bench has by default")
        _, _, field, real, _, _, count = (next(iter(self.rows)).split("/") + [""] * 7)[:7]
        self.what = f"{field}, {real}, {count} particles"


class Run:
    """A CSV file of `kickdrift run` with the states of its output: one list of rows per particle."""

    def __init__(self, path):
        rows = list(csv.reader(_read(path).splitlines()))
        wanted = ["step", "t", "id", "x", "y", "z", "vx", "vy", "vz"]
        if not rows or rows[0] not in (wanted, [*wanted, "mass"], [*wanted, "mass", "ix", "iy", "iz"]):
            raise Fault(f"{path}: expected the header {','.join(wanted)}, as a scene's output has it")
        self.path = path
        self.particles = {}
        for line, row in enumerate(rows[1:], start=2):
            try:
                state = [float(cell) for cell in row]
            except ValueError:
                raise Fault(f"{path}:{line}: expected numbers, found {','.join(row)[:60]}") from None
            if len(state) != len(rows[0]):
                raise Fault(f"{path}:{line}: expected {len(rows[0])} numbers, found {len(state)}")
            self.particles.setdefault(row[2], []).append(state[:len(wanted)])
        if not self.particles:
            raise Fault(f"{path}: no states, expected at least one")


def experiments_of(folder):
    """Returns all experiments of a folder, by name."""
    if not os.path.isdir(folder):
        raise Fault(f"{folder}: not a folder, expected one with the JSON files of kickdrift experiment")
    found = [Experiment(os.path.join(folder, name)) for name in sorted(os.listdir(folder)) if name.endswith(".json")]
    if not found:
        raise Fault(f"{folder}: no JSON file, expected those of kickdrift experiment")
    return {experiment.name: experiment for experiment in found}
