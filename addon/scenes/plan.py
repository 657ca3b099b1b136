"""`Plan`: a scene preset as plain values, read from `presets/scenes/<name>.toml` and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from .flock_plan import Flock, Will
from .ocean_plan import Ocean
from .river import River
from .studio_plan import Studio
from .trampoline_plan import Cushion, Trampoline

Triple = tuple[float, float, float]


class SceneError(Exception):
    """A scene preset cannot be built; its message is one sentence."""


@dataclass(frozen=True)
class Ring:
    """A swim ring. `at` [m]; `tilt` Euler angles [degrees]; `radius` of the ring's centre line and `tube` [m]."""

    name: str
    at: Triple
    tilt: Triple
    radius: float
    tube: float
    pattern: str
    count: int
    colours: tuple[str, ...]


@dataclass(frozen=True)
class Boulder:
    """A rock in the stream. `at` [m]; `size` half axes [m]; `seed` of its random shape."""

    name: str
    at: Triple
    size: Triple
    seed: int


@dataclass(frozen=True)
class Cargo:
    """A crate, barrel, carton or buoy, by `shape`. `at` [m]; `tilt` Euler angles [degrees]; `size` [m].

    `density` [kg/m³] of the volume that its surface encloses; `stain` is a colour factor on its material, 0 to 1;
    `stretch` are its sides as fractions of `size`.
    """

    name: str
    shape: str
    at: Triple
    tilt: Triple
    size: float
    density: float
    stain: Triple
    stretch: Triple = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Quay:
    """A block, deck or pile of a quay. `shape` is "stone", "deck" or "pile"; `at` its centre, `size` its sides [m]."""

    name: str
    shape: str
    at: Triple
    size: Triple


@dataclass(frozen=True)
class Ball:
    """A beach ball. `at` [m]; `tilt` Euler angles [degrees]; `radius` [m]; `pattern`, its `count` around the ball."""

    name: str
    at: Triple
    tilt: Triple
    radius: float
    pattern: str
    count: int
    colours: tuple[str, ...]


@dataclass(frozen=True)
class Towel:
    """A towel. `at` its centre [m]; `tilt` Euler angles [degrees]; `size` [m]; `cuts` faces along both sides."""

    name: str
    at: Triple
    tilt: Triple
    size: tuple[float, float]
    cuts: tuple[int, int]
    stripes: int
    colours: tuple[str, str]


@dataclass(frozen=True)
class Washing:
    """A cloth on a line, held by `pegs`. `at` the middle of its upper edge [m]; `size` [m]; `cuts` faces along both.

    `weight` [kg/m²]; `stripes` and `colours` as of a towel.
    """

    name: str
    at: Triple
    size: tuple[float, float]
    cuts: tuple[int, int]
    pegs: int
    weight: float
    stripes: int
    colours: tuple[str, str]


@dataclass(frozen=True)
class Parachute:
    """A canopy, folded at first. `crate`: its load; `radius` when open, length of `lines` [m]; `mass` [kg]."""

    name: str
    crate: str
    radius: float
    lines: float
    mass: float
    colours: tuple[str, str]


@dataclass(frozen=True)
class Wind:
    """A Blender force field. `kind` is its type; `tilt` Euler angles [degrees]; it moves with `drift` [m/s]."""

    name: str
    kind: str
    at: Triple
    tilt: Triple
    strength: float
    wind_factor: float
    flow: float = 0.0
    noise: float = 0.0
    size: float = 0.0
    drift: Triple = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class View:
    """The camera. `at`, `look_at`, `focus` [m]; `lens` [mm]; `f_stop`."""

    at: Triple
    look_at: Triple
    focus: Triple
    lens: float
    f_stop: float


@dataclass(frozen=True)
class Light:
    """Sun and sky. `azimuth` from +X towards +Y and `elevation` [degrees]; `sun` [W/m²]; `sky` brightness."""

    azimuth: float
    elevation: float
    sun: float
    colour: str
    sky: float
    exposure: float


@dataclass(frozen=True)
class Timing:
    """Frames: `start` to `end` are baked; `still` is the picture; the film shows every `film_step`th of `film`."""

    start: int
    end: int
    still: int
    film: tuple[int, int]
    film_step: int
    substeps: int


@dataclass(frozen=True)
class Plan:
    """A whole scene. `material` names a material preset; `seed`: of the random stones and grass.

    The water has a `flow` [m/s] and a `drag` coefficient.

    A `deep` scene is under water: no banks, no grass, and the bed at the depth of `river`. A scene with a `studio`
    has a bare floor instead of water and banks. An `ocean` is open sea at the level of `river`.
    """

    label: str
    tip: str
    seed: int
    flow: Triple
    material: str
    segments: tuple[int, int]
    river: River
    timing: Timing
    view: View
    light: Light
    boulders: tuple[Boulder, ...]
    rings: tuple[Ring, ...]
    cargo: tuple[Cargo, ...] = ()
    quays: tuple[Quay, ...] = ()
    balls: tuple[Ball, ...] = ()
    towels: tuple[Towel, ...] = ()
    cushions: tuple[Cushion, ...] = ()
    trampolines: tuple[Trampoline, ...] = ()
    washing: tuple[Washing, ...] = ()
    line: tuple[Triple, ...] = ()
    parachutes: tuple[Parachute, ...] = ()
    winds: tuple[Wind, ...] = ()
    still_air: bool = False
    flocks: tuple[Flock, ...] = ()
    wills: tuple[Will, ...] = ()
    deep: bool = False
    studio: Studio | None = None
    ocean: Ocean | None = None
    drag: float = 1.0


def read_plan(path: Path) -> Plan:
    """The plan in a TOML file.

    Raises:
        SceneError: the file is missing or broken, or a field is missing, unknown or of the wrong type.
    """
    try:
        with path.open("rb") as stream:
            table = tomllib.load(stream)
    except OSError as error:
        raise SceneError(f"The scene preset {path.name} cannot be read: {error.strerror}.") from error
    except tomllib.TOMLDecodeError as error:
        raise SceneError(f"The scene preset {path.name} is not valid TOML: {error}.") from error
    return _filled(Plan, table, path.name)


def _filled(kind: type, table: Any, where: str) -> Any:
    """A dataclass from a table, field by field."""
    if not isinstance(table, Mapping):
        raise SceneError(f"{where} must be a table of {kind.__name__.lower()} fields, not {table!r}.")
    hints = get_type_hints(kind)
    unknown = sorted(set(table) - set(hints))
    if unknown:
        raise SceneError(f"{where} has an unknown field {unknown[0]!r}; it may have {', '.join(hints)}.")
    missing = [field.name for field in fields(kind) if field.name not in table and field.default is MISSING]
    if missing:
        raise SceneError(f"{where} lacks the field {missing[0]!r}.")
    return kind(**{key: _value(hints[key], value, f"{where}: {key}") for key, value in table.items()})


def _value(kind: Any, value: Any, where: str) -> Any:
    """`value` as `kind`: a number, a string, a dataclass, or a tuple of these."""
    if hasattr(kind, "__dataclass_fields__"):
        return _filled(kind, value, where)
    parts = getattr(kind, "__args__", None)
    if parts and parts[-1] is type(None):
        return _value(parts[0], value, where)
    if parts:
        return _tuple(parts, value, where)
    accepted = (int, float) if kind is float else kind
    if isinstance(value, bool) != (kind is bool) or not isinstance(value, accepted):
        raise SceneError(f"{where} must be of type {kind.__name__}, not {value!r}.")
    return kind(value)


def _tuple(parts: tuple[Any, ...], value: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise SceneError(f"{where} must be a list, not {value!r}.")
    if parts[-1] is Ellipsis:
        return tuple(_value(parts[0], item, f"{where}[{index}]") for index, item in enumerate(value))
    if len(value) != len(parts):
        raise SceneError(f"{where} must have {len(parts)} entries, not {len(value)}.")
    pairs = enumerate(zip(parts, value, strict=True))
    return tuple(_value(part, item, f"{where}[{index}]") for index, (part, item) in pairs)
