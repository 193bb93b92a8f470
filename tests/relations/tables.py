"""Reads the tables that cases are drawn from: the library's methods, forces, fields, compositions, backends, boundaries and contributions.

A new method or field of the library is drawn without a change here. The name of a parameter says which quantity it is. A field with a
parameter of an unknown name is drawn too, but not scaled or rotated. A new kind of surface, constraint or watch needs a row in draw.py,
whose check() fails without one.
"""

import ctypes
import inspect
import math
import os
from collections import namedtuple

import kickdrift as kd
from kickdrift import forces as constructors
from kickdrift.library import lib, open_field

Quantity = namedtuple("Quantity", "length time mass kind low high")
Parameter = namedtuple("Parameter", "quantity low high each required")
Force = namedtuple("Force", "make parameters known dims grid grid_axes flags built_in module")

# Each quantity has its exponents of length, time and mass, the kind of number that it is, and the range that it is drawn from. "axes" are
# three numbers, one per axis; "place", "polar" and "axial" are vectors.
QUANTITIES = {
    "acceleration": Quantity(1, -2, 0, "polar", -1, 1),
    "force": Quantity(1, -2, 1, "polar", -1, 1),
    "stiffness": Quantity(0, -2, 1, "axes", 0.2, 3),
    "damping": Quantity(0, -1, 1, "axes", 0.05, 0.8),
    "damping of all axes": Quantity(0, -1, 1, "number", 0.05, 0.8),
    "quadratic damping": Quantity(-1, 0, 1, "number", 0.05, 0.5),
    "wind": Quantity(1, -1, 0, "polar", -0.5, 0.5),
    "place": Quantity(1, 0, 0, "place", -0.5, 0.5),
    "charge": Quantity(0, 0, 0, "number", 0.2, 2),
    "electric": Quantity(1, -2, 1, "polar", -1, 1),
    "magnetic": Quantity(0, -1, 1, "axial", -2, 2),
    "attraction": Quantity(3, -2, 0, "number", 0.2, 1.5),
    "length": Quantity(1, 0, 0, "number", 0.4, 1),
    "short length": Quantity(1, 0, 0, "number", 0.1, 0.3),
    "frequency": Quantity(0, -1, 0, "number", 0.3, 3),
    "turning": Quantity(0, -1, 0, "axial", -1, 1),
    "angle": Quantity(0, 0, 0, "number", 0, 6),
    "ratio": Quantity(0, 0, 0, "number", 0.1, 0.6),
    "direction": Quantity(0, 0, 0, "polar", -1, 1),
    "axis": Quantity(0, 0, 0, "axial", -1, 1),
    "half axis": Quantity(1, 0, 0, "polar", -1, 1),
    "swirl": Quantity(2, -2, 0, "number", 0.1, 1),
    "energy": Quantity(2, -2, 1, "number", 0.05, 0.3),
    "interaction": Quantity(3, -2, 1, "number", 0.1, 1),
    "speed": Quantity(1, -1, 0, "number", 0.3, 1),
    "amplitude": Quantity(1, -2, 0, "number", 0.1, 1),
    "rate": Quantity(0, -1, 0, "number", 0, 1),
    "whole": Quantity(0, 0, 0, "number", 0, 8),
}
UNKNOWN, UNKNOWN_VECTOR = Quantity(None, None, None, "number", 0.4, 1.2), Quantity(None, None, None, "polar", -1, 1)

NAMED = {
    "a": "acceleration", "f": "force", "k": "stiffness", "at": "place", "b": "damping", "wind": "wind", "c": "quadratic damping",
    "charge": "charge", "e": "electric", "mu": "attraction", "softening": "length", "omega": "frequency", "phase": "angle",
    "strength": "interaction", "range": "length", "speed": "speed", "core": "length", "flattening": "ratio", "radius": "length",
    "length": "length", "height": "length", "j2": "ratio", "major": "half axis", "minor": "half axis", "eccentricity": "ratio",
    "epsilon": "energy", "sigma": "length", "normal": "direction", "swirl": "swirl", "axis": "axis", "pull": "swirl", "factor": "ratio",
    "cubic": "ratio", "amplitude": "amplitude", "wavelength": "length", "rate": "rate", "seed": "whole",
}
OTHERWISE = {
    ("electromagnetic", "b"): "magnetic", ("rotating-frame", "omega"): "turning", ("grid-wind", "b"): "damping of all axes",
    ("oblate-planet", "radius"): "short length",
}
# The numbers on a grid's nodes are these quantities, three numbers each. The nodes of a table are times, those of other grids are places.
GRIDS = {"grid-acceleration": ["acceleration"], "grid-wind": ["wind"], "grid-electromagnetic": ["electric", "magnetic"],
         "table-centre": ["place"]}
TABLES = {"table-centre"}
# A force is proportional to the first of these parameters that it has. The exceptions are a vortex, which has a second strength, and a
# frame, which is quadratic.
STRENGTHS = ("charge", "a", "f", "k", "b", "c", "mu", "strength", "epsilon", "amplitude", "factor")

# These are KDR_FIELD_ACCELERATION and others of custom_field.h. FLAGS lists them for the forces that have a function of the module.
ACCELERATION, VELOCITY, TIME, POTENTIAL, MAGNETIC = 1, 2, 4, 8, 64
FLAGS = {"uniform-acceleration": ACCELERATION, "centre": ACCELERATION, "driven": ACCELERATION | TIME, "drag": VELOCITY,
         "quadratic-drag": VELOCITY, "electromagnetic": MAGNETIC, "uniform-force": 0, "spring": 0}


def names_of(function, first=0):
    """Returns the names of an enumeration. `function` is the library's function that gives them."""
    function, found = getattr(lib, function), []
    function.restype, function.argtypes = ctypes.c_char_p, [ctypes.c_int]
    while (name := function(first + len(found))) not in (None, b"?"):
        found.append(name.decode())
    return found


def quantity_of(force, name, length=1):
    """Returns the quantity of a parameter. A new name stands for a number or a vector that is otherwise unknown."""
    found = OTHERWISE.get((force, name)) or NAMED.get(name)
    return QUANTITIES[found] if found else UNKNOWN_VECTOR if length == 3 else UNKNOWN


def length_of(make, name):
    """Returns 1 where a parameter is a number and 3 where it is a vector: the function refuses the other one."""
    needed = [key for key, taken in inspect.signature(make).parameters.items() if taken.default is inspect.Parameter.empty and key != name]
    for value, length in ((0.5, 1), ([0.5, 0.5, 0.5], 3)):
        for others in ([0.5] * len(needed), [[0.5, 0.5, 0.5]] * len(needed)):
            try:
                make(**dict(zip(needed, others)), **{name: value})
                return length
            except (TypeError, ValueError):
                pass
    return 1


def built_in():
    """Returns the forces that the module has a function for. They are the functions that take a contribution."""
    found = {}
    for name, make in inspect.getmembers(constructors, inspect.isfunction):
        taken = inspect.signature(make).parameters
        if "contribution" not in taken or name == "field":
            continue
        own = [key for key in taken if key != "contribution" and not key.endswith("_each")]
        scene = name.replace("_", "-")
        quantities = {key: quantity_of(scene, key, length_of(make, key)) for key in own}
        parameters = {key: Parameter(quantities[key], -math.inf, math.inf, key + "_each" in taken, True) for key in own}
        found[scene] = Force(make, parameters, all_known(parameters), 0, 0, 0, FLAGS.get(scene, VELOCITY | TIME), True, False)
    return found


def declare():
    """Tells ctypes the types of the functions that describe fields."""
    described = {"kdr_custom_field_flags": ctypes.c_uint, "kdr_custom_field_axis_count": ctypes.c_int, "kdr_custom_field_grid_axis_count": ctypes.c_int}
    for name, returned in described.items():
        getattr(lib, name).restype, getattr(lib, name).argtypes = returned, [ctypes.c_void_p]
    double = ctypes.POINTER(ctypes.c_double)
    lib.kdr_custom_field_parameter_range.restype = ctypes.c_int
    lib.kdr_custom_field_parameter_range.argtypes = [ctypes.c_void_p, ctypes.c_int, double, double]


def all_known(parameters):
    return all(parameter.quantity.length is not None for parameter in parameters.values())


def field_of(name, address, module):
    """Returns the row of a field, by its name or by the path of a compiled module, whose parameters are unknown quantities."""
    parameters, least, most = {}, ctypes.c_double(), ctypes.c_double()
    for key, (k, length, required) in constructors.parameters_of(address).items():
        lib.kdr_custom_field_parameter_range(address, k, ctypes.byref(least), ctypes.byref(most))
        quantity = quantity_of(None, "", length) if module else quantity_of(name, key, length)
        parameters[key] = Parameter(quantity, least.value, most.value, True, required)
    grid = lib.kdr_custom_field_grid_component_count(address)

    def make(**values):
        return kd.field(name, **values)

    known = not module and all_known(parameters) and (not grid or name in GRIDS)
    return Force(make, parameters, known, lib.kdr_custom_field_axis_count(address), grid, lib.kdr_custom_field_grid_axis_count(address),
                 lib.kdr_custom_field_flags(address), False, module)


def forces_of(modules):
    """Returns every force: those with a function, fields by name, and fields that were compiled into modules."""
    declare()
    found = built_in()
    for name, address in constructors.named_fields().items():
        found[name] = field_of(name, address, False)
    for path in modules:
        found[os.path.abspath(path)] = field_of(os.path.abspath(path), open_field(path), True)
    return found


def functions_with(parameter):
    """Returns the names of the module's functions that take a parameter. Each is a kind of surface or of watch."""
    found = inspect.getmembers(constructors, inspect.isfunction)
    return {name for name, make in found if parameter in inspect.signature(make).parameters and make.__name__ in constructors.__all__}


METHODS = {method.name: method for method in kd.methods()}
COMPOSITIONS = {composition.name: composition for composition in kd.compositions()}
BACKENDS = [backend.name for backend in kd.backends() if backend.runnable]
CONTRIBUTIONS = names_of("kdr_contribution_name")
BOUNDARIES = [name for name in names_of("kdr_boundary_kind_name") if name != "none"]
EDGES = names_of("kdr_edge_name")
FORCES = forces_of([path for path in os.environ.get("KDR_MODULES", "").split(":") if path])

COEFFICIENTS = [name for name, taken in inspect.signature(kd.plane).parameters.items() if taken.default in (0.0, 1.0) and name != "since"]
FAR = {"yukawa", "oblate-planet"}  # These fields grow without bound at their place.
ABOUT_Z = {"logarithmic-halo", "miyamoto-nagai", "oblate-planet"}
WITHOUT_SYMMETRY = {"curl-noise"}
# These fields are the same in every place, so a frame, a period or another origin changes nothing.
PLACELESS = {"uniform-acceleration", "uniform-force", "drag", "quadratic-drag", "driven"}


def sees_velocity(kind):
    return bool(FORCES[kind].flags & (VELOCITY | MAGNETIC))


def sees_time(kind):
    return bool(FORCES[kind].flags & TIME)
