"""`GROUPS`: the headings under which parameters are shown, in the order an artist thinks of them."""

from __future__ import annotations

from typing import NamedTuple


class Group(NamedTuple):
    """A heading that parameters name in `param(group=...)`.

    Attributes:
        label: the heading.
        tip: text below it, one sentence without a final stop.
        closed: collapsed until the artist opens it.
    """

    label: str
    tip: str
    closed: bool = False


GROUPS: dict[str, Group] = {
    "springs": Group("Shape", "What holds the body's shape"),
    "lattice": Group("Lattice", "The cells that fill the mesh and carry it"),
    "voxels": Group("Voxels", "The cubes that say what the body weighs and how it turns"),
    "fluid": Group("Fluid", "How much of it there is, and how it flows"),
    "foam": Group("Foam", "Spray, foam and bubbles that the fluid makes", closed=True),
    "flocking": Group("Flock", "How agents move, whom they heed and where they go"),
    "flight": Group("Body Limits", "What agents can do, and how they look doing it", closed=True),
    "inflation": Group("Air", "The air the body holds"),
    "plasticity": Group("Yielding and Breaking", "What the body takes that is stretched too far", closed=True),
    "tearing": Group("Tearing", "How the mesh opens where it is stretched beyond Break Strain", closed=True),
    "body": Group("Body", "Mass, and how the body moves at first", closed=True),
    "pins": Group("Pins", "Vertices that stay in place, or go where the animated object goes", closed=True),
    "pin_noise": Group("Noise on Pins", "What shakes the pins beside their own animation", closed=True),
    "contact": Group("Contact", "What happens where it touches others", closed=True),
    "water": Group("Water", "What carries and moves the bodies in it"),
    "field": Group("Force Field", "Blender's own settings of a field", closed=True),
    "field_weights": Group("Field Weights", "How much of each field, and of gravity, the body takes", closed=True),
    "air": Group("Air of the Scene", "What faces feel of wind and still air", closed=True),
    "quality": Group("Quality", "How finely time is cut, for all bodies of the scene", closed=True),
}
