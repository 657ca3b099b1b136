"""`ForceFieldSpec`: one of Blender's force fields; parameters have the names and values of Blender's own settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits

if TYPE_CHECKING:
    import numpy as np

    from ..texture_grid import TextureGrid

_ANY = {"group": "field", "keyable": True}
_DISTANCE = {"unit": "m", "limits": (0.0, None), **_ANY}
_POWER = {"limits": (0.0, 10.0), **_ANY}


@spec
class ForceFieldSpec:
    """One field object. Its force is an acceleration: the force on a particle of one kilogram.

    Attributes:
        name: unique in its world.
        matrix: (4, 4) object to world at the start.
        vertices: (n, 3) of its mesh in object space [m], for the shapes SURFACE and POINTS; None for other shapes.
        triangles: (t, 3) corner indices, for the shape SURFACE.
        normals: (n, 3) of the vertices in object space, for the shape POINTS; None takes them from the triangles.
        owner: name of the body that carries the field; the field does not act on it. "" for none.
        texture: samples of its texture, for the law TEXTURE.
    """

    kind: ClassVar[str] = "FORCE_FIELD"
    traits: ClassVar[Traits] = Traits()
    kernels: ClassVar[tuple[str, ...]] = ("FIELDS",)

    name: str
    matrix: np.ndarray
    vertices: np.ndarray | None = None
    triangles: np.ndarray | None = None
    normals: np.ndarray | None = None
    owner: str = ""
    texture: TextureGrid | None = None

    type: str = choice(
        "FORCE", "Type", "What the field does",
        choices=(
            ("FORCE", "Force", "Pushes away from its place, or pulls with a strength below 0"),
            ("WIND", "Wind", "Pushes along its axis"),
            ("VORTEX", "Vortex", "Carries around its axis"),
            ("MAGNET", "Magnetic", "Turns what moves"),
            ("HARMONIC", "Harmonic", "A spring to its place, with damping"),
            ("CHARGE", "Charge", "Pushes the more, the further away"),
            ("LENNARDJ", "Lennard-Jones", "Pushes near and pulls far, measured by the thickness of what it acts on"),
            ("TURBULENCE", "Turbulence", "Pushes every way, by a noise in space"),
            ("DRAG", "Drag", "Brakes"),
            ("TEXTURE", "Texture", "Pushes as the colors or the slope of a texture say"),
        ),
        group="field",
    )
    shape: str = choice(
        "POINT", "Shape", "From where distance is measured",
        choices=(
            ("POINT", "Point", "The object's origin"),
            ("LINE", "Line", "The object's Z axis"),
            ("PLANE", "Plane", "The object's XY plane"),
            ("SURFACE", "Surface", "The nearest point of the object's surface"),
            ("POINTS", "Every Point", "Each vertex of the object acts"),
        ),
        group="field",
    )
    strength: float = param(0.0, "Strength", "How strongly the field acts", unit="m/s²", **_ANY)
    flow: float = param(0.0, "Flow", "Share of the velocity that is taken away in each second", unit="1/s", **_ANY)
    wind_factor: float = param(
        0.0, "Wind Factor", "Share that acts on faces as wind and not on vertices as a force", limits=(0.0, 1.0), **_ANY
    )
    noise: float = param(0.0, "Noise", "Random part of the strength, new in every frame", limits=(0.0, 10.0), **_ANY)
    seed: int = param(1, "Seed", "Start of the random numbers", limits=(0, 128), **_ANY)
    size: float = param(0.0, "Size", "Of turbulence", unit="m", limits=(0.0, None), **_ANY)
    rest_length: float = param(0.0, "Rest Length", "Of a harmonic field's spring", **_DISTANCE)
    harmonic_damping: float = param(0.0, "Damping", "Of a harmonic field; 1 is critical", **_ANY)
    linear_drag: float = param(
        0.0, "Linear", "Drag; as in Blender it goes by the square of velocity", unit="1/m", **_ANY
    )
    quadratic_drag: float = param(
        0.0, "Quadratic", "Drag; as in Blender it goes by velocity itself", unit="1/s", **_ANY
    )
    falloff_type: str = choice(
        "SPHERE", "Falloff", "How the field grows weaker",
        choices=(
            ("SPHERE", "Sphere", "By the distance to its place"),
            ("TUBE", "Tube", "Along its axis and across it"),
            ("CONE", "Cone", "Along its axis and by the angle to it"),
        ),
        group="field",
    )
    z_direction: str = choice(
        "BOTH", "Z Direction", "On which side of the field it acts",
        choices=(
            ("POSITIVE", "+Z", "In front"), ("NEGATIVE", "-Z", "Behind"), ("BOTH", "Both Z", "On both sides"),
        ),
        group="field",
    )
    falloff_power: float = param(0.0, "Power", "Of distance by which the field grows weaker", **_POWER)
    use_min_distance: bool = param(False, "Min", "Whether it is whole up to a distance", **_ANY)
    distance_min: float = param(0.0, "Min Distance", "Up to here the field is whole", **_DISTANCE)
    use_max_distance: bool = param(False, "Max", "Whether it ends at a distance", **_ANY)
    distance_max: float = param(0.0, "Max Distance", "Beyond here there is no field", **_DISTANCE)
    radial_falloff: float = param(0.0, "Radial Power", "Of distance across the axis, or of the angle", **_POWER)
    use_radial_min: bool = param(False, "Radial Min", "Whether it is whole near the axis", **_ANY)
    radial_min: float = param(0.0, "Radial Min", "Up to here it is whole; meters, or degrees of a cone", **_POWER | {
        "limits": (0.0, 1000.0)})
    use_radial_max: bool = param(False, "Radial Max", "Whether it ends away from the axis", **_ANY)
    radial_max: float = param(0.0, "Radial Max", "Beyond here there is none; meters, or degrees of a cone", **_POWER | {
        "limits": (0.0, 1000.0)})
    use_gravity_falloff: bool = param(False, "Gravitation", "Force weaker by the square of distance", **_ANY)
    use_absorption: bool = param(False, "Absorption", "Whether colliders in between keep a share of it off", **_ANY)
    apply_to_location: bool = param(True, "Location", "Whether it pushes at all", **_ANY)
    use_global_coords: bool = param(False, "Global", "Whether turbulence lies still while the field moves", **_ANY)
    texture_mode: str = choice(
        "RGB", "Texture Mode", "What of the texture is the force",
        choices=(
            ("CURL", "Curl", "The curl of its colors"),
            ("GRADIENT", "Gradient", "The slope of its brightness"),
            ("RGB", "RGB", "Its colors, gray for none"),
        ),
        group="field",
    )
    texture_nabla: float = param(
        0.025, "Nabla", "Step over which slopes of the texture are measured", unit="m", limits=(0.0, 1.0), **_ANY
    )
    use_object_coords: bool = param(False, "Use Coordinates", "Whether the texture moves with the field", **_ANY)
    use_2d_force: bool = param(False, "2D", "Whether the texture acts along the field's XY plane only", **_ANY)
