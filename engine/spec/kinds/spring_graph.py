"""`SpringGraphSpec`: a mesh as particles connected by springs: cloth, trusses, jelly, inflatables."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits
from .self_contact import SelfContactSpec
from .tearing import TearingSpec

if TYPE_CHECKING:
    import numpy as np

# Most cells of a lattice, and approximate memory for each while it is solved [B].
MOST_CELLS = 400_000
BYTES_OF_CELL = 2500
# Cell size 0 means this fraction of the longest side.
CELL_SHARE = 1.0 / 10.0
# Solves of single solid cells that two cores do in a second; one core beside other work was measured at 3.4e6.
SOLVES_A_SECOND = 5e6


def cells_across(extent: Sequence[float], size: float) -> tuple[int, int, int]:
    """Number of cells of `size` [m] along each axis of a mesh of this extent [m]."""
    x, y, z = (max(math.ceil(float(length) / size - 1e-6), 1) for length in extent)
    return x, y, z


@spec
class SpringGraphSpec(TearingSpec, SelfContactSpec):
    """A deforming body: every vertex a particle, every link a spring.

    `stiffness` is that of one spring. On a surface with one ring it is, up to a factor near 1, the stiffness of the
    sheet: the force for each metre of width that stretches it to twice its length, at any resolution. Springs along an
    open edge have half of it, because they represent faces on one side only. More rings add springs and so stiffen the
    sheet. With `graph="EDGES"` every edge has it unchanged. Keep `stiffness`, `bending` and the mass (by area or by a
    density) when you refine a mesh. `damping` is that of one spring too, and acts alike on a sheet of any resolution.

    Attributes:
        name: unique in its world.
        vertices: rest positions [m], shape (n, 3), world space.
        start: positions at the start [m], shape (n, 3); None for the rest positions.
        triangles: corner indices, shape (t, 3), outward by the right-hand rule; None for none.
        edges: vertex pairs, shape (e, 2); None takes them from the triangles.
        rest_lengths: rest length of each edge [m], shape (e,); None measures the vertices.
        pins: indices of particles that are fixed or follow `Controls.pins[name]`. A body whose `animated` is set or
            keyed takes a target for each of its vertices there.
        weights: for fields declared `weighted`, each vertex's factor of the value, 0 to 1, shape (n,); a spring takes
            the mean over its two ends, a hinge that over its four corners.
        velocity: at the start [m/s], shape (3,) or (n, 3).
        keyed: fields that `Controls.values` will change; data that friction, restitution and bending need for it are
            built.
        edge_stiffness, edge_damping: of the springs along `edges`, in place of the body's own [N/m], [N·s/m], shape
            (e,); None for the body's.
        edge_break: strain at which the springs along `edges` break, 0 for never, shape (e,); None for the body's.
        segments: segment of each vertex, integers of shape (n,); None for none.
    """

    kind: ClassVar[str] = "SPRING_GRAPH"
    label: ClassVar[str] = "Soft Body"
    tip: ClassVar[str] = "Deforms: inflatables, balloons, cloth, jelly, trusses"
    geometry: ClassVar[str] = "MESH"
    output: ClassVar[str] = "MESH"
    rare_kernels: ClassVar[tuple[str, ...]] = ("STRUTS", "LATTICES", "SPHERES", "BREAKING")
    traits: ClassVar[Traits] = Traits(moves=True, deforms=True, wets=True, is_grabbable=True, is_springy=True)

    name: str
    vertices: np.ndarray
    triangles: np.ndarray | None = None
    edges: np.ndarray | None = None

    animated: bool = param(
        False, "Animated", "The whole body goes where its keyframes, parents and modifiers lead it, and nothing stops "
        "or bends it. Keyed off, it is released with the velocity that it has then", keyable=True,
    )
    release_pins: bool = param(
        False, "Release Pins", "Pins hold no longer. Keyed on, they are released with the velocity that they have then",
        keyable=True, group="pins",
    )
    graph: str = choice(
        "SURFACE", "Springs", "Which vertices are joined by springs",
        choices=(
            ("SURFACE", "Surface", "Join each vertex to its neighbours on the surface, and across the body"),
            ("EDGES", "Edges", "Make every edge of the mesh a spring, loose edges too: trusses, ropes, nets"),
            ("LATTICE", "Lattice", "Fill the mesh with cells that carry it: jelly, rubber, sponge"),
            ("RADIUS", "Distance", "Join all vertices that are nearer to each other than a reach"),
        ),
        group="springs",
    )
    reach: float = param(
        0.0, "Reach", "How far from each other vertices are still joined; Stiffness is then that of the whole body, "
        "however many springs there are",
        unit="m", limits=(0.0, 1e4), soft=(0.0, 1.0), group="springs", precision=4, only_with=("graph", "RADIUS"),
    )
    max_links: int = param(
        32, "Most Links", "How many springs a vertex has at most, the shortest first",
        limits=(1, 1000), soft=(4, 64), group="springs", only_with=("graph", "RADIUS"),
    )
    keep_inside: bool = param(
        False, "Keep Inside", "Leave out springs that would leave the volume of the mesh",
        group="springs", only_with=("graph", "RADIUS"),
    )
    material: str = choice(
        "SOLID", "Material", "What the cells of a lattice are made of",
        choices=(
            ("SOLID", "Solid", "An elastic solid that keeps its volume, with a true Young's modulus"),
            ("SPRINGS", "Springs", "Springs along the edges and diagonals of every cell, which may yield and break"),
        ),
        group="lattice", only_with=("graph", "LATTICE"),
    )
    voxel_size: float = param(
        0.0, "Cell Size", "Side of the cells that fill the mesh; 0 takes a tenth of its longest side",
        unit="m", limits=(0.0, 1e4), soft=(0.0, 1.0), group="lattice", precision=4, only_with=("graph", "LATTICE"),
    )
    young: float = param(
        20000.0, "Young's Modulus", "Stiffness of the solid: jelly 5e3, sponge 3e4, rubber 1e6 and more",
        unit="Pa", limits=(0.0, 1e11), soft=(1e3, 1e7), positive=True, group="lattice", precision=1,
        only_with=("material", "SOLID"), weighted=True,
    )
    poisson: float = param(
        0.4, "Poisson's Ratio", "How much the solid narrows as it is stretched: cork 0, jelly and rubber 0.49",
        limits=(0.0, 0.49), soft=(0.0, 0.49), group="lattice", only_with=("material", "SOLID"),
    )
    pieces: bool = param(
        False, "Pieces", "Parts of the mesh that share no vertex get cells of their own, held together by springs that "
        "Break Strain breaks: the body falls apart along its cuts",
        group="lattice", only_with=("graph", "LATTICE"),
    )
    cut_strength: float = param(
        0.3, "Cut Strength", "Break Strain across the cuts between pieces as a share of that of the body",
        limits=(0.01, 10.0), soft=(0.01, 1.0), group="lattice", only_with=("graph", "LATTICE"),
    )
    rings: int = param(
        1, "Rings", "How many edges away a vertex is still joined to its neighbours; more rings resist bending",
        limits=(1, 4), group="springs", only_with=("graph", "SURFACE"),
    )
    struts: int = param(
        0, "Struts", "Springs from each vertex straight through the body to the far side; they hold its shape",
        limits=(0, 3), group="springs", only_with=("graph", "SURFACE"),
    )
    stiffness: float = param(
        1000.0, "Stiffness", "Force of one spring for each metre it is stretched",
        unit="N/m", limits=(0.0, 1e9), soft=(1.0, 1e6), positive=True, group="springs", precision=1,
        weighted=True, keyable=True,
    )
    damping: float = param(
        0.0, "Damping", "Force of one spring against each metre a second of stretching",
        unit="N·s/m", limits=(0.0, 1e6), soft=(0.0, 10.0), group="springs", weighted=True, keyable=True,
    )
    bending: float = param(
        0.0, "Bending", "Stiffness of the surface against bending and unfolding: moment for each metre of width and "
        "each 1/m of curvature",
        unit="N·m", limits=(0.0, 1e9), soft=(0.0, 1.0), group="springs", precision=4, only_with=("graph", "SURFACE"),
        weighted=True, keyable=True,
    )
    rest_scale: float = param(
        1.0, "Rest Scale", "Length of all springs at rest against that of the mesh: below 1 the body contracts like a "
        "muscle, above it grows",
        limits=(0.01, 100.0), soft=(0.5, 2.0), group="springs", keyable=True,
    )
    yield_strain: float = param(
        0.0, "Yield Strain", "Stretch beyond which a spring keeps part of its new length, 0.1 for a tenth; 0 for never",
        limits=(0.0, 100.0), soft=(0.0, 1.0), group="plasticity",
    )
    creep: float = param(
        10.0, "Creep", "How fast it yields: after one second exp(-creep) of the way is left",
        unit="1/s", limits=(0.0, 1e6), soft=(0.0, 100.0), group="plasticity", precision=1,
    )
    max_plastic_strain: float = param(
        1.0, "Most Yielding", "Share of its first length by which a spring may grow or shrink for good",
        limits=(0.0, 100.0), soft=(0.0, 1.0), group="plasticity",
    )
    break_strain: float = param(
        0.0, "Break Strain", "Stretch beyond which a spring breaks and is gone, 1 for twice its length; 0 for never",
        limits=(0.0, 1000.0), soft=(0.0, 2.0), group="plasticity", weighted=True,
    )
    mass: float = param(
        1.0, "Mass", "Mass of the whole body",
        unit="kg", limits=(1e-6, 1e6), soft=(0.01, 100.0), only_with=("mass_by", "VERTEX", "AREA"),
    )
    mass_by: str = choice(
        "VERTEX", "Mass From", "What the mass is given by, and how it is shared among the vertices",
        # Files store the indices of these choices: append new ones at the end.
        choices=(
            ("VERTEX", "Total, by Vertex", "Mass of the whole body; every vertex carries the same"),
            ("AREA", "Total, by Area", "Mass of the whole body; every vertex carries its share of the surface"),
            ("AREA_DENSITY", "Area Density", "Mass of each square metre of the surface: cloth, skins of inflatables"),
            ("DENSITY", "Density", "Mass of each cubic metre that the surface encloses, as for rigid bodies: solids"),
        ),
    )
    area_density: float = param(
        0.3, "Area Density", "Mass of a square metre of the surface; silk 0.1, cotton 0.2, vinyl 0.3, leather 1",
        unit="kg/m²", limits=(0.0, 1e5), soft=(0.01, 10.0), positive=True, only_with=("mass_by", "AREA_DENSITY"),
    )
    density: float = param(
        1000.0, "Density", "Mass of a cubic metre; foam 30, jelly and water 1000, rubber 1100",
        unit="kg/m³", limits=(0.0, 1e5), soft=(10.0, 8000.0), positive=True, precision=1,
        only_with=("mass_by", "DENSITY"),
    )
    pressure: float = param(
        0.0, "Pressure",
        "Over-pressure of the air enclosed at the start; with segments, the force in newtons on every vertex",
        unit="Pa", limits=(-1e5, 1e6), soft=(0.0, 10000.0), keyable=True, group="inflation", precision=1,
    )
    pressure_law: str = choice(
        "GAS", "Pressure Law", "How the air inside pushes",
        choices=(
            ("GAS", "Gas", "On the surface, less as the body grows, by the gas law"),
            ("SEGMENT", "Segments", "On every vertex alike, away from the middle of its segment"),
        ),
        group="inflation",
    )
    segment_radius: float = param(
        0.0, "Segment Radius", "Radius of a segment where power repulsion meets it; 0 measures the mesh",
        unit="m", limits=(0.0, 1e4), soft=(0.0, 1.0), group="inflation", only_with=("pressure_law", "SEGMENT"),
    )
    contact: str = choice(
        "SURFACE", "Touched", "What of the body others touch",
        choices=(
            ("SURFACE", "Surface", "Every face and edge: nothing gets through"),
            ("PROXIES", "Spheres", "A few spheres that fill it: fast, for many bodies at once, and rough"),
        ),
        group="contact",
    )
    proxy_count: int = param(
        0, "Spheres", "How many spheres stand for the body at most; 0 takes as few as fit its shape",
        limits=(0, 10000), soft=(0, 100), group="contact", only_with=("contact", "PROXIES"),
    )
    thickness: float = param(
        0.0, "Thickness", "Distance kept from other surfaces; 0 takes a fifth of the mean edge",
        unit="m", limits=(0.0, 10.0), soft=(0.0, 0.1), group="contact", precision=4,
    )
    friction: float = param(
        0.3, "Friction", "Grip against other surfaces",
        limits=(0.0, 10.0), soft=(0.0, 1.0), group="contact", keyable=True,
    )
    restitution: float = param(
        0.0, "Bounciness", "Share of the impact speed given back by the surface itself",
        limits=(0.0, 1.0), group="contact", keyable=True,
    )
    air_drag: float = param(
        0.0, "Air Drag", "How fast the air takes speed away: after one second exp(-drag) of it is left",
        unit="1/s", limits=(0.0, 1000.0), soft=(0.0, 5.0), keyable=True,
    )
    velocity: Sequence[float] | np.ndarray = param(
        (0.0, 0.0, 0.0), "Velocity", "Velocity of the whole body at the first frame",
        unit="m/s", limits=(-1e4, 1e4), soft=(-20.0, 20.0),
    )

    pin_noise: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Pin Noise", "How far noise shakes each pin along the axes of the world, as wheels on a road",
        unit="m", limits=(0.0, 1e3), soft=(0.0, 1.0), group="pin_noise",
    )
    pin_noise_frequency: float = param(
        1.0, "Frequency", "How often a second the slowest part of the noise changes", unit="1/s", limits=(0.0, 1e3),
        soft=(0.0, 10.0), group="pin_noise",
    )
    pin_noise_octaves: int = param(
        2, "Octaves", "Parts of the noise, each twice as fast, half as strong", limits=(1, 8), group="pin_noise",
    )
    pin_noise_seed: int = param(0, "Seed", "Another number gives other noise", limits=(0, 1000000), group="pin_noise")
    start: np.ndarray | None = None
    rest_lengths: np.ndarray | None = None
    edge_stiffness: np.ndarray | None = None
    edge_damping: np.ndarray | None = None
    edge_break: np.ndarray | None = None
    pins: Sequence[int] | np.ndarray = ()
    weights: Mapping[str, np.ndarray] | None = None
    segments: np.ndarray | None = None
    keyed: Sequence[str] = ()

    @property
    def is_led(self) -> bool:
        """Whether animation moves the whole body, at least in some frames."""
        return bool(self.animated) or "animated" in self.keyed

    @property
    def is_filled(self) -> bool:
        """Whether cells fill the body, so that it encloses no air that pressure from all sides would compress."""
        return self.graph == "LATTICE"

    @property
    def may_release(self) -> bool:
        """Whether some of its animated or pinned particles are released, at least in some frames."""
        return bool(self.release_pins) or not {"animated", "release_pins"}.isdisjoint(self.keyed)

    @staticmethod
    def kernels_with(values: Any) -> tuple[str, ...]:
        """Sets of kernels that a body with these values needs; values: a specification, or an object's settings."""
        chosen = {
            "STRUTS": values.struts > 0,
            "LATTICES": values.graph == "LATTICE" or (values.graph == "RADIUS" and values.keep_inside),
            "SPHERES": values.contact == "PROXIES" or (values.self_collision and values.self_contact == "SPHERES"),
            "BREAKING": values.yield_strain > 0.0 or values.break_strain > 0.0 or values.tear,
        }
        return tuple(name for name, is_needed in chosen.items() if is_needed)
