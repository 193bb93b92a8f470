"""Transforms a case and its results into other units, other particles, another place or another orientation."""

import numpy

from tables import FORCES, GRIDS, QUANTITIES, TABLES

LENGTHS = {"point", "at", "to", "radius", "length", "min", "max"}
PLACES = {"point", "at", "to", "min", "max"}
SUMS = ("kinetic", "potential", "momentum", "angular")
EACH_PARTICLE = ("x", "v", "bounces", "nonconverged", "dissipated_energy", "error", "images", "active")


def parts_of(case):
    """Returns the surfaces, constraints and watches of a case."""
    return case.colliders + case.constraints + case.watches


def scaled(value, factor):
    return [part * factor for part in value] if isinstance(value, list) else value * factor


class Units:
    """Units are powers of two of length, time and mass, so that products with them are exact."""

    def __init__(self, length, time, mass):
        self.length, self.time, self.mass = 2.0**length, 2.0**time, 2.0**mass
        self.speed, self.energy = self.length / self.time, self.mass * (self.length / self.time) ** 2

    def of(self, quantity):
        return self.length**quantity.length * self.time**quantity.time * self.mass**quantity.mass

    def of_force(self, force):
        """Rescales the parameters, arrays and grid of a force."""
        for name, parameter in FORCES[force.kind].parameters.items():
            factor = self.of(parameter.quantity)
            if name in force.values:
                force.values[name] = scaled(force.values[name], factor)
            if name in force.each:
                force.each[name] = force.each[name] * factor
        if force.grid:
            grid, node = force.grid, self.time if force.kind in TABLES else self.length
            grid["spacing"], grid["origin"] = grid["spacing"] * node, grid["origin"] * node
            for n, name in enumerate(GRIDS[force.kind]):
                grid["values"][..., 3 * n:3 * n + 3] *= self.of(QUANTITIES[name])

    def of_part(self, part):
        for name in part.values:
            if name in LENGTHS:
                part.values[name] = scaled(part.values[name], self.length)
            elif name == "velocity":
                part.values[name] = scaled(part.values[name], self.speed)
            elif name == "since":
                part.values[name] *= self.time

    def of_interaction(self, part):
        values = part.values
        if part.kind == "gravity":
            values["mu"], values["softening"] = values["mu"] * self.of(QUANTITIES["attraction"]), values["softening"] * self.length
            if values.get("softening_each") is not None:
                values["softening_each"] = values["softening_each"] * self.length
        else:
            values["k"], values["length"] = scaled(values["k"], self.mass / self.time**2), scaled(values["length"], self.length)
            values["damping"] = scaled(values["damping"], self.mass / self.time)

    def of_case(self, case):
        """Returns the case in these units."""
        other = case.copy(x=case.x * self.length, v=case.v * self.speed, dt=case.dt * self.time, t0=case.t0 * self.time,
                          light=case.light * self.speed, described_dt=case.described_dt * self.time)
        if other.inverse_mass is not None:
            other.inverse_mass = other.inverse_mass / self.mass
        if other.radius is not None:
            other.radius = other.radius * self.length
        for force in other.forces:
            self.of_force(force)
        for part in parts_of(other):
            self.of_part(part)
        for part in other.interactions:
            self.of_interaction(part)
        if other.boundary:
            other.boundary = [other.boundary[0], *(scaled(bound, self.length) for bound in other.boundary[1:])]
        if other.lengths:
            other.lengths = scaled(other.lengths, self.length)
        if other.langevin:
            other.langevin = [other.langevin[0] / self.time, other.langevin[1] * self.energy, other.langevin[2]]
        return other

    def of_results(self, found):
        """Returns the results in these units."""
        momentum, length, speed = self.mass * self.speed, [self.length] * 3, [self.speed] * 3
        factors = {"x": self.length, "v": self.speed, "dissipated_energy": self.energy, "error": self.length, "kinetic": self.energy,
                   "potential": self.energy, "momentum": momentum, "angular": momentum * self.length,
                   "events": [1, 1, 1, 1, self.time, *length, *speed],
                   "contacts": [1, 1, 1, self.time, *length, *[momentum] * 3, self.speed]}
        return {name: value * numpy.array(factors.get(name, 1.0)) for name, value in found.items()}


def chosen(case, index):
    """Returns the case of these particles alone, in this order, with their ids."""
    index = numpy.asarray(index, int)
    ids = case.first_id + numpy.arange(case.count, dtype=numpy.uint64) if case.id is None else case.id
    other = case.copy(x=case.x[:, index].copy(), v=case.v[:, index].copy(), id=ids[index].astype(numpy.uint64))
    for name in ("inverse_mass", "radius", "active", "level"):
        if getattr(case, name) is not None:
            setattr(other, name, getattr(case, name)[index].copy())
    for force in other.forces:
        force.each = {name: array[..., index].copy() for name, array in force.each.items()}
    return other


def results_of_chosen(found, index):
    """Returns the results of the particles of `index`. A particle that is in it twice has its events twice."""
    index = numpy.asarray(index, int)
    other = {name: found[name][..., index] for name in EACH_PARTICLE if name in found}
    other["step"] = found["step"]
    for name, key in (("events", 2), ("contacts", 3)):
        if name in found:
            rows = [[row[0], new, *row[2:]] for row in found[name] for new, old in enumerate(index) if old == row[1]]
            rows.sort(key=lambda row, key=key: tuple(row[:key]))
            other[name] = numpy.array(rows, float).reshape(-1, found[name].shape[1])
    return other


def first_of(count):
    """Returns a function that takes the first `count` particles of results, and leaves the sums unchanged."""
    def back(found):
        return {name: value[..., :count] if name in EACH_PARTICLE else value for name, value in found.items()}
    return back


def with_frozen(case, more, place=0.25):
    """The case with frozen particles after its own."""
    def joined(a, b):
        return numpy.concatenate([a, b], -1)

    count = case.count
    other = case.copy(x=joined(case.x, numpy.full((case.dims, more), 0.0) + numpy.asarray(place).reshape(-1, 1)),
                      v=joined(case.v, numpy.zeros((case.dims, more))))
    other.inverse_mass = joined(numpy.ones(count) if case.inverse_mass is None else case.inverse_mass, numpy.zeros(more))
    for name, fill, kind in (("radius", 0, float), ("active", 1, numpy.uint8), ("level", 0, numpy.uint8)):
        if getattr(case, name) is not None:
            setattr(other, name, joined(getattr(case, name), numpy.full(more, fill, kind)).astype(kind))
    ids = case.first_id + numpy.arange(count, dtype=numpy.uint64) if case.id is None else case.id
    other.id = joined(ids, numpy.arange(5000, 5000 + more, dtype=numpy.uint64)).astype(numpy.uint64)
    for force in other.forces:
        force.each = {name: joined(array, array[..., :1].repeat(more, -1)) for name, array in force.each.items()}
    for part in other.interactions:
        if part.values.get("softening_each") is not None:
            part.values["softening_each"] = joined(part.values["softening_each"], numpy.full(more, 0.2))
    return other


class Linear:
    """A linear map of space that maps axes to axes. It has a function for each kind of vector of three numbers."""

    def __init__(self, polar, axial, axes, bounds):
        self.polar, self.axial, self.axes, self.bounds = polar, axial, axes, bounds

    def of_rows(self, rows):
        """Maps an array with a row per axis."""
        full = numpy.zeros((3, rows.shape[1]))
        full[:rows.shape[0]] = rows
        return numpy.array([self.polar(list(column)) for column in full.T]).T.reshape(3, -1)[:rows.shape[0]]

    def of_force(self, force, dims):
        for name, value in force.values.items():
            kind = FORCES[force.kind].parameters[name].quantity.kind
            maps = {"polar": self.polar, "place": self.polar, "axial": self.axial, "axes": self.axes}
            if kind in maps and isinstance(value, list):
                force.values[name] = maps[kind](value)
        for name, array in force.each.items():
            if array.ndim > 1:
                kind = FORCES[force.kind].parameters[name].quantity.kind
                columns = [(self.axial if kind == "axial" else self.polar)(list(column)) for column in array.T]
                force.each[name] = numpy.array(columns).T.reshape(3, -1)

    def of_case(self, case):
        other = case.copy(x=self.of_rows(case.x), v=self.of_rows(case.v))
        for force in other.forces:
            self.of_force(force, case.dims)
        for part in parts_of(other):
            for name in ("point", "at", "to", "normal", "velocity"):
                if name in part.values:
                    part.values[name] = self.polar(list(part.values[name]))
            if "min" in part.values:
                part.values["min"], part.values["max"] = self.bounds(part.values["min"], part.values["max"])
        if other.boundary:
            other.boundary = [other.boundary[0], *self.bounds(*other.boundary[1:])]
        return other

    def of_results(self, found):
        other = {name: value for name, value in found.items() if name != "images"}
        other["x"], other["v"] = self.of_rows(found["x"]), self.of_rows(found["v"])
        other["momentum"], other["angular"] = numpy.array(self.polar(found["momentum"])), numpy.array(self.axial(found["angular"]))
        for name, first in (("events", 5), ("contacts", 4)):
            if name in found:
                rows = [[*row[:first], *self.polar(row[first:first + 3]), *self.polar(row[first + 3:first + 6]), *row[first + 6:]]
                        for row in found[name]]
                other[name] = numpy.array(rows, float).reshape(found[name].shape)
        return other


def moved(case, by):
    """Returns the case moved by a vector of three numbers: every place is moved."""
    other = case.copy(x=case.x + numpy.array(by[:case.dims])[:, None])

    def there(value):
        return [a + b for a, b in zip(value, by)]

    for force in other.forces:
        for name, value in force.values.items():
            if FORCES[force.kind].parameters[name].quantity.kind == "place":
                force.values[name] = there(value)
                if name in force.each:
                    force.each[name] = force.each[name] + numpy.array(by)[:, None]
        if force.grid and force.kind in TABLES:
            force.grid["values"][..., :] += numpy.array(by)
        elif force.grid:
            force.grid["origin"] = [force.grid["origin"] + b for b in by]
    for part in parts_of(other):
        for name in PLACES & set(part.values):
            part.values[name] = there(part.values[name])
    if other.boundary:
        other.boundary = [other.boundary[0], *(there(bound) for bound in other.boundary[1:])]
    return other
