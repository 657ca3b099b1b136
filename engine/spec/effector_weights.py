"""`EffectorWeights`: factors of the fields that act on a body, as in Blender's own physics."""

from __future__ import annotations

from collections.abc import Sequence

from .param import choice, param
from .settings import spec

# Name of the weight that applies to each type of field.
WEIGHT_OF = {
    "FORCE": "force", "WIND": "wind", "VORTEX": "vortex", "MAGNET": "magnetic", "HARMONIC": "harmonic",
    "CHARGE": "charge", "LENNARDJ": "lennardjones", "TURBULENCE": "turbulence", "DRAG": "drag", "TEXTURE": "texture",
}

_WEIGHT = {"limits": (-200.0, 200.0), "soft": (0.0, 1.0), "group": "field_weights", "keyable": True}


@spec
class EffectorWeights:
    """Factors of the fields that act on one body.

    Attributes:
        fields: names of the fields that act on it; None for all.
    """

    fields: Sequence[str] | None = None

    gravity: float = param(1.0, "Gravity", "Share of the scene's gravity", **_WEIGHT)
    all: float = param(1.0, "All", "Share of every field", **_WEIGHT)
    force: float = param(1.0, "Force", "Share of force fields", **_WEIGHT)
    vortex: float = param(1.0, "Vortex", "Share of vortex fields", **_WEIGHT)
    magnetic: float = param(1.0, "Magnetic", "Share of magnetic fields", **_WEIGHT)
    harmonic: float = param(1.0, "Harmonic", "Share of harmonic fields", **_WEIGHT)
    charge: float = param(1.0, "Charge", "Share of charge fields", **_WEIGHT)
    lennardjones: float = param(1.0, "Lennard-Jones", "Share of Lennard-Jones fields", **_WEIGHT)
    wind: float = param(1.0, "Wind", "Share of wind fields", **_WEIGHT)
    turbulence: float = param(1.0, "Turbulence", "Share of turbulence fields", **_WEIGHT)
    drag: float = param(1.0, "Drag", "Share of drag fields", **_WEIGHT)
    texture: float = param(1.0, "Texture", "Share of texture fields", **_WEIGHT)
    share_by: str = choice(
        "MASS", "Fields Give", "What the strength of a field means for this body",
        choices=(
            ("MASS", "Acceleration", "Every part gets the same acceleration, whatever the body weighs"),
            ("BODY", "Force", "Newtons for the whole body, shared by mass: heavy bodies move less"),
        ),
        group="field_weights",
    )
