"""Forces, colliders, constraints and boundaries, as in the headers. Vectors are sequences of one number per axis; missing numbers are 0."""

import ctypes
import math
import os

import numpy

from . import library
from .callbacks import deliver
from .library import Boundary, Error, WatchFunction, enumerator, lib, natural, number, open_field, vector
from .particles import axes_of, layout_of, lent as checked

__all__ = ["Grid", "absorbing", "box", "centre", "drag", "driven", "electromagnetic", "field", "fields", "on_plane", "on_rod", "on_rope", "on_sphere", "periodic",
           "plane", "quadratic_drag", "sphere", "spring", "uniform_acceleration", "uniform_force", "watch", "watch_apsis", "watch_distance", "watch_plane"]

NOWHERE = (0.0, 0.0, 0.0)


def three(value, name, each=""):
    """Returns a vector of three numbers from one to three numbers. each: the argument that takes one per particle, if there is one, for
    messages."""
    hint = each and f"; {each} takes one value per particle"
    try:
        numbers = [float(each) for each in value]
    except TypeError:
        raise TypeError(f"{name} is {value!r}, expected a sequence of numbers{hint}") from None
    if not 1 <= len(numbers) <= 3:
        raise ValueError(f"{name} has {len(numbers)} numbers, expected 1 to 3{hint}")
    return vector(*numbers, *[0.0] * (3 - len(numbers)))


def one(value, name):
    """Returns the value as one number for all particles, and refuses arrays."""
    if numpy.ndim(value) > 0:
        raise TypeError(f"{name} is an array, expected one number for all particles; a field by name or of your own takes an array here")
    return number(value, name)


def all_axes(value, name):
    """Returns one coefficient per axis, from one number for all or a vector."""
    try:
        return vector(*[float(value)] * 3)
    except TypeError:
        return three(value, name, f"{name}_each")


class Grid:
    """Numbers on the nodes of a regular grid, for a field that reads one. values: an array of the particles' dtype and of the shape (nx,
    components), (nx, ny, components) or (nx, ny, nz, components), with any positive strides, lent as a spring's arrays are; values[0]
    is at `origin`. spacing, origin: a number for all axes, or one per axis. edges: "clamped" or "periodic" for all axes, or one per
    axis."""

    def __init__(self, values, spacing, origin=0.0, edges="clamped"):
        if not isinstance(values, numpy.ndarray):
            raise TypeError(f"values is of type {type(values).__name__}, expected a NumPy array (arrays are lent, not copied)")
        if not 2 <= values.ndim <= 4:
            raise ValueError(f"values has the shape {values.shape}, expected one extent per axis, and that of the components")
        if min(values.strides) <= 0 or any(step % values.itemsize for step in values.strides):
            raise ValueError(f"values has strides of {values.strides} bytes, expected positive ones of whole elements")
        self.values, axes = values, values.ndim - 1
        strides = [step // values.itemsize for step in values.strides]
        names = [edges] * axes if isinstance(edges, str) else list(edges)
        if len(names) != axes:
            raise ValueError(f"edges has {len(names)} names, expected one, or one for each of {axes} axes")
        self.struct = library.Grid(dims=axes, components=values.shape[-1], values=values.ctypes.data, component_stride=strides[-1])
        self.struct.spacing, self.struct.origin = all_axes(spacing, "spacing"), all_axes(origin, "origin")
        for axis in range(axes):
            self.struct.nodes[axis] = natural(values.shape[axis], f"values.shape[{axis}]", 2**31)
            self.struct.stride[axis] = strides[axis]
            self.struct.edge[axis] = enumerator("edge", names[axis])


class Entry:
    """A force, a collider or a constraint: its struct, and the arrays and the grid that it lends."""

    def __init__(self, struct, arrays=(), contribution=None, grid=None):
        self.struct, self.arrays, self.grid = struct, tuple(arrays), grid
        if contribution is not None:
            struct.contribution = enumerator("contribution", contribution)

    def lend(self, dtype):
        """Checks the arrays against the particles' type."""
        for name, array in self.arrays:
            checked(array, name, dtype)
        if self.grid is not None and self.grid.values.dtype != dtype:
            raise TypeError(f"grid has elements of type {self.grid.values.dtype}, expected {dtype}")

    def __repr__(self):
        return f"<kickdrift {type(self.struct).__name__[4:]}>"


def uniform_acceleration(a, *, contribution="default"):
    return Entry(lib.kdr_force_uniform_acceleration(*three(a, "a")), (), contribution)


def uniform_force(f, *, contribution="default"):
    return Entry(lib.kdr_force_uniform_force(*three(f, "f")), (), contribution)


def each(struct, parameters, lent):
    """Puts the arrays with one value per particle of a spring or a drag into its parameters: `lent` has (name, array, set)."""
    given = [(name, array, put) for name, array, put in lent if array is not None]
    counts = {checked(array, name).size for name, array, _ in given}
    if len(counts) > 1:
        raise ValueError(f"{given[0][0]} and {given[-1][0]} have different numbers of elements")
    for name, array, put in given:
        put(array.ctypes.data)
        layout = layout_of(array, name)
        if name != given[0][0] and bytes(layout) != bytes(struct.each_layout):
            raise ValueError(f"{name} has strides of {array.strides} bytes, expected {given[0][1].strides}, as {given[0][0]}")
        struct.each_layout = layout
    parameters.count = counts.pop() if counts else 0
    return [(name, array) for name, array, _ in given]


def spring(k=1.0, at=NOWHERE, *, k_each=None, at_each=None, contribution="default"):
    """Returns a spring, F = -k (x - at). k_each: an array with one k per particle. at_each: anchors, one array per axis. Both are lent:
    they must not change while an integrator uses them, and it keeps them alive."""
    struct = lib.kdr_force_spring(0.0, *three(at, "at", "at_each"))
    parameters = struct.as_.spring
    parameters.k = all_axes(k, "k")
    lent = [("k_each", k_each, lambda address: setattr(parameters, "k_each", address))]
    for axis, array in enumerate(axes_of(at_each, "at_each") if at_each is not None else ()):
        lent.append((f"at_each[{axis}]", array, lambda address, axis=axis: parameters.at_each.__setitem__(axis, address)))
    return Entry(struct, each(struct, parameters, lent), contribution)


def drag(b=1.0, wind=NOWHERE, *, b_each=None, contribution="default"):
    """Returns a drag, F = -b (v - wind). b_each: an array with one b per particle, lent as a spring's."""
    struct = lib.kdr_force_drag(0.0, *three(wind, "wind"))
    parameters = struct.as_.drag
    parameters.b = all_axes(b, "b")
    return Entry(struct, each(struct, parameters, [("b_each", b_each, lambda address: setattr(parameters, "b_each", address))]), contribution)


def quadratic_drag(c, wind=NOWHERE, *, contribution="default"):
    return Entry(lib.kdr_force_quadratic_drag(c, *three(wind, "wind")), (), contribution)


def electromagnetic(charge=1.0, e=NOWHERE, b=NOWHERE, *, contribution="default"):
    """Returns F = charge (e + v cross b), with one charge for all. For one charge per particle use field("grid-electromagnetic", ...) or a
    user-defined field."""
    return Entry(lib.kdr_force_electromagnetic(one(charge, "charge"), three(e, "e"), three(b, "b")), (), contribution)


def centre(mu, at=NOWHERE, softening=0.0, *, contribution="default"):
    return Entry(lib.kdr_force_centre(one(mu, "mu"), *three(at, "at"), one(softening, "softening")), (), contribution)


def driven(a, omega, phase=0.0, *, contribution="default"):
    return Entry(lib.kdr_force_driven(*three(a, "a"), one(omega, "omega"), one(phase, "phase")), (), contribution)


def parameters_of(field_):
    """Returns {name: (index, numbers, required)} of a field's parameters. Three whose names end in .x, .y, .z are one of three numbers."""
    found, k = {}, 0
    while k < lib.kdr_custom_field_parameter_count(field_):
        name = lib.kdr_custom_field_parameter_name(field_, k).decode()
        length = 3 if name.endswith(".x") else 1
        found[name.removesuffix(".x")] = (k, length, k < lib.kdr_custom_field_required_parameter_count(field_))
        k += length
    return found


def named_fields():
    """Returns {name: address} of the fields that the library has by name."""
    found = {}
    while address := lib.kdr_field_get(len(found)):
        found[lib.kdr_custom_field_name(address).decode()] = address
    return found


def fields():
    """Returns {name: names of its parameters, and "grid" if it reads one} of the fields that the library has by name. docs/use/forces.md
    describes them."""
    return {name: (*parameters_of(address), *["grid"][:lib.kdr_custom_field_grid_component_count(address)]) for name, address in named_fields().items()}


def field(name, /, *, grid=None, contribution="default", **parameters):
    """Returns a field by name, field("nfw", mu=1, radius=2), or the field of a module of kickdrift_add_field,
    field("./libmorse_plugin.so", depth=1, ...), given as a path or a str with a slash. A parameter is a number, a vector of three, an
    array of one number per particle, or one array per axis. Arrays are lent as a spring's are. grid: a Grid, for a field that reads
    one."""
    named = named_fields()
    if isinstance(name, os.PathLike) or "/" in name:
        address = open_field(name)
    elif name in named:
        address = named[name]
    else:
        raise Error("unknown name", f'unknown field "{name}", expected one of {", ".join(named)}, or the path of a module, with a slash')
    struct, known = lib.kdr_force_custom(address, None), parameters_of(address)
    custom, lent = struct.as_.custom, []
    for key, value in parameters.items():
        if key not in known:
            raise TypeError(f"{name} has no parameter {key}, expected some of {', '.join(known)}")
        k, length, _ = known[key]
        if length == 3 and any(hasattr(axis, "ctypes") and numpy.ndim(axis) > 0 for axis in value):
            for i, array in enumerate(axes_of(value, key)):
                lent.append((f"{key}[{i}]", array, lambda address, k=k + i: custom.each.__setitem__(k, address)))
        elif length == 3:
            custom.parameter[k:k + 3] = three(value, key)
        elif hasattr(value, "ctypes"):
            lent.append((key, value, lambda address, k=k: custom.each.__setitem__(k, address)))
        else:
            custom.parameter[k] = float(value)
    missing = [key for key, (_, _, required) in known.items() if required and key not in parameters]
    if missing:
        raise TypeError(f"{name} needs {', '.join(missing)}")
    if grid is not None:
        custom.grid = ctypes.pointer(grid.struct)
    return Entry(struct, each(struct, custom, lent), contribution, grid)


def surface(struct, restitution, friction, friction_normal, sliding, static_friction, velocity, since):
    struct.restitution, struct.friction, struct.friction_normal = restitution, friction, friction_normal
    struct.sliding, struct.static_friction = sliding, static_friction
    struct.velocity, struct.since = three(velocity, "velocity"), since
    return Entry(struct)


def plane(point, normal, *, restitution=1.0, friction=0.0, friction_normal=0.0, sliding=0.0, static_friction=0.0, velocity=(0, 0, 0),
          since=0.0):
    struct = lib.kdr_collider_plane(three(point, "point"), three(normal, "normal"))
    return surface(struct, restitution, friction, friction_normal, sliding, static_friction, velocity, since)


def sphere(at, radius, inside=False, *, restitution=1.0, friction=0.0, friction_normal=0.0, sliding=0.0, static_friction=0.0, velocity=(0, 0, 0),
           since=0.0):
    struct = lib.kdr_collider_sphere(three(at, "at"), one(radius, "radius"), inside)
    return surface(struct, restitution, friction, friction_normal, sliding, static_friction, velocity, since)


def box(min, max, inside=False, *, restitution=1.0, friction=0.0, friction_normal=0.0, sliding=0.0, static_friction=0.0, velocity=(0, 0, 0),
        since=0.0):
    struct = lib.kdr_collider_box(three(min, "min"), three(max, "max"), inside)
    return surface(struct, restitution, friction, friction_normal, sliding, static_friction, velocity, since)


def on_rod(to, length):
    return Entry(lib.kdr_constraint_rod(three(to, "to"), length))


def on_rope(to, length):
    return Entry(lib.kdr_constraint_rope(three(to, "to"), length))


def on_plane(point, normal):
    return Entry(lib.kdr_constraint_plane(three(point, "point"), three(normal, "normal")))


def on_sphere(at, radius):
    return Entry(lib.kdr_constraint_sphere(three(at, "at"), radius))


CROSSINGS = {None: 0, "rising": 1, "falling": 2}
ACTIONS = {None: 0, "particle": 1, "run": 2}


def watched(struct, crossing, stop, kept=()):
    if crossing not in CROSSINGS:
        raise ValueError(f"crossing is {crossing!r}, expected None, 'rising' or 'falling'")
    if stop not in ACTIONS:
        raise ValueError(f"stop is {stop!r}, expected None, 'particle' or 'run'")
    struct.crossing, struct.action = CROSSINGS[crossing], ACTIONS[stop]
    return Entry(struct, kept)


def watch_apsis(at=NOWHERE, crossing=None, stop=None):
    """Returns a watch for pericentres ("rising") and apocentres ("falling") about a point, and the other way round if time runs backwards.
    stop is the action on an event, as in every watch. "particle": the particle stops there, and its mark in Particles.active becomes 0.
    "run": run() returns True at the end of the step."""
    return watched(lib.kdr_watch_apsis(three(at, "at")), crossing, stop)


def watch_plane(point, normal, crossing=None, stop=None):
    return watched(lib.kdr_watch_plane(three(point, "point"), three(normal, "normal")), crossing, stop)


def watch_distance(at, radius, crossing=None, stop=None):
    """Returns a watch for a particle that leaves a sphere ("rising") or enters it ("falling")."""
    return watched(lib.kdr_watch_distance(three(at, "at"), one(radius, "radius")), crossing, stop)


def watch(value, crossing=None, stop=None):
    """Returns a watch of a function value(x, v, t) of one particle's position and velocity, tuples of three numbers, and the time. It is
    called for each particle and step, at the speed of Python, and must depend on its arguments alone. An exception in it is raised
    after the run; for the rest of the run the function is not called, and counts as 0."""
    errors = []

    def called(context, x, v, t):
        try:
            found = 0.0 if errors else float(value(tuple(x[:3]), tuple(v[:3]), t))
            deliver()
        except BaseException as error:  # raised again in Raised.call
            errors.append(error)
            found = 0.0
        return found

    function = WatchFunction(called)
    entry = watched(lib.kdr_watch_function(function, None), crossing, stop)
    entry.function, entry.errors = function, errors
    return entry


def bounds(kind, min, max):
    wanted, names = kind.encode(), []
    while (name := lib.kdr_boundary_kind_name(len(names))) not in (b"?", wanted):
        names.append(name)
    return Boundary(len(names), three(min, "min"), three(max, "max"))


def periodic(min, max):
    return bounds("periodic", min, max)


def absorbing(min, max):
    return bounds("absorbing", min, max)
