"""`FlockSpec`: agents that steer themselves, such as birds, fish and ducklings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from ..param import choice, param
from ..settings import spec
from ..traits import Traits

if TYPE_CHECKING:
    import numpy as np

_WEIGHT = {"limits": (0.0, 100.0), "soft": (0.0, 3.0), "group": "flocking", "keyable": True}


@spec
class FlockSpec:
    """A flock: each agent is a small ball that decides once a frame where it wants to move.

    Attributes:
        name: unique in its world.
        positions: of agents at the start [m], shape (n, 3), world space.
        headings: (n, 3) direction of each agent at the start, of any length; None for towards the goal, or without one
            nearly along +Y.
        goal_path: (k, 3) goal positions [m]: one point, or a path of several; None for no goal. `Controls.flocks` moves
            it.
        perches: (m, 3) points to land on at the goal [m]; None for a disc around it.
        predators: (p, 3) points that agents flee [m]; None for none.
    """

    kind: ClassVar[str] = "FLOCK"
    label: ClassVar[str] = "Flock"
    tip: ClassVar[str] = "Agents that steer themselves, such as birds, fish or ducklings"
    geometry: ClassVar[str] = "MESH"
    output: ClassVar[str] = "POINTS"
    traits: ClassVar[Traits] = Traits(moves=True, steers=True)
    kernels: ClassVar[tuple[str, ...]] = ("FLOCKS",)

    name: str
    positions: np.ndarray
    headings: np.ndarray | None = None
    goal_path: np.ndarray | None = None
    perches: np.ndarray | None = None
    predators: np.ndarray | None = None

    @property
    def vertices(self) -> np.ndarray:
        """Agents, as attachments number them."""
        return self.positions

    motion: str = choice(
        "FLY", "Motion", "How agents move",
        choices=(
            ("FLY", "Fly", "Through the air: they hold themselves up, bank in curves, and stay above water"),
            ("SWIM", "Swim", "Under water or in a fluid: they float, and fall where there is none"),
            ("WALK", "Walk", "On the ground, or on water that carries them: they have weight"),
        ),
        group="flocking",
    )
    start_on: str = choice(
        "VERTICES", "Start On", "Where agents start",
        choices=(
            ("VERTICES", "Vertices", "One at each vertex, along its normal if it has faces"),
            ("FACES", "Faces", "One at the middle of each face, along its normal"),
            ("VOLUME", "Volume", "As many as Agents says, anywhere within the box around the mesh"),
        ),
        group="flocking",
    )
    count: int = param(
        500, "Agents", "How many start within the volume",
        limits=(1, 10_000_000), soft=(1, 20_000), group="flocking", only_with=("start_on", "VOLUME"),
    )
    speed: float = param(
        5.0, "Speed", "Speed at which agents travel, relative to the air or water around them; starling 10, fish 1, "
        "duckling 0.5",
        unit="m/s", limits=(0.0, 1e3), soft=(0.1, 20.0), positive=True, group="flocking", keyable=True,
    )
    sight_radius: float = param(
        5.0, "Sight", "Agents see others within this distance",
        unit="m", limits=(0.0, 1e4), soft=(0.1, 50.0), positive=True, group="flocking",
    )
    view_angle: float = param(
        300.0, "View Angle", "Cone in which agents see others; the rest lies behind their back",
        unit="°", limits=(1.0, 360.0), soft=(60.0, 360.0), group="flocking", precision=1,
    )
    neighbours: int = param(
        7, "Neighbours", "How many of the nearest that it sees each agent heeds; real birds heed six or seven, however "
        "far these are",
        limits=(1, 32), soft=(3, 12), group="flocking",
    )
    distance: float = param(
        0.5, "Personal Space", "Agents nearer than this move apart",
        unit="m", limits=(0.0, 1e3), soft=(0.02, 5.0), group="flocking", keyable=True,
    )
    separation: float = param(1.0, "Separation", "How much they keep their personal space", **_WEIGHT)
    alignment: float = param(
        1.0, "Alignment", "How much they go the way of their neighbours; high makes a school, 0 a swarm", **_WEIGHT
    )
    cohesion: float = param(1.0, "Cohesion", "How much they go to the middle of their neighbours", **_WEIGHT)
    goal: float = param(
        0.5, "Goal", "How much they go to their goal, or along their path", **_WEIGHT
    )
    wander: float = param(0.2, "Wander", "How much each goes its own way", **_WEIGHT)
    leaders: float = param(
        0.0, "Leaders", "Share of agents, at least one, that go for the goal and heed no other; the others go as the "
        "nearest leader they see does, as much as Goal says, and with their neighbours",
        limits=(0.0, 1.0), soft=(0.0, 0.2), group="flocking",
    )
    arrival: str = choice(
        "PASS", "At the Goal", "What agents do that have reached their goal",
        choices=(
            ("PASS", "Pass", "Fly through it and turn back"),
            ("LAND", "Land", "Settle on the goal: on its vertices, or on a disc around a place"),
        ),
        group="flocking",
    )
    fear_radius: float = param(
        5.0, "Fear", "Agents flee predators within this distance",
        unit="m", limits=(0.0, 1e4), soft=(0.1, 50.0), group="flocking", keyable=True,
    )
    slowest: float = param(
        0.5, "Slowest", "Least speed, as a share of the speed; above 0 they cannot stop in the air",
        limits=(0.0, 1.0), group="flight",
    )
    fastest: float = param(
        1.6, "Fastest", "Greatest speed when frightened, as a share of the speed",
        limits=(1.0, 10.0), soft=(1.0, 4.0), group="flight",
    )
    acceleration: float = param(
        15.0, "Acceleration", "Most that an agent can speed up, brake or turn by",
        unit="m/s²", limits=(0.0, 1e4), soft=(0.1, 100.0), positive=True, group="flight", keyable=True,
    )
    turn_rate: float = param(
        240.0, "Turn Rate", "Fastest turn",
        unit="°/s", limits=(0.0, 1e4), soft=(10.0, 720.0), positive=True, group="flight", precision=1, keyable=True,
    )
    climb: float = param(
        45.0, "Steepest Path", "Steepest climb or dive; does not hold agents that land or flee a wall",
        unit="°", limits=(0.0, 90.0), group="flight", precision=1,
    )
    banking: float = param(
        1.0, "Banking", "How far they lean into a curve: 1 as physics asks, 0 never; walkers never lean",
        limits=(0.0, 2.0), group="flight",
    )
    foresight: float = param(
        0.7, "Foresight", "They turn away from what they would hit within this time; no other wish outvotes it",
        unit="s", limits=(0.01, 100.0), soft=(0.1, 3.0), group="flight",
    )
    reaction: float = param(
        0.3, "Reaction", "Time in which they do what they want, as far as their limits allow",
        unit="s", limits=(0.01, 100.0), soft=(0.05, 2.0), group="flight",
    )
    grip: float = param(
        6.0, "Grip", "How fast an agent that was pushed takes up its own course again, and the air, water or fluid "
        "around it carries it along",
        unit="1/s", limits=(0.0, 1e4), soft=(0.5, 20.0), group="flight",
    )
    beat: float = param(
        4.0, "Beat", "Wing or tail beats a second in level travel; climbing, turning and fleeing beat faster",
        unit="1/s", limits=(0.0, 1e3), soft=(0.0, 20.0), group="flight",
    )
    radius: float = param(
        0.05, "Radius", "Size of the ball that touches others",
        unit="m", limits=(0.0, 1e3), soft=(0.005, 1.0), positive=True, group="body", precision=4,
    )
    mass: float = param(
        0.1, "Mass", "Of one agent", unit="kg", limits=(0.0, 1e6), soft=(0.001, 10.0), positive=True, group="body",
    )
    density: float = param(
        500.0, "Density", "Of a walker on water: how deep it lies; above 1000 it sinks",
        unit="kg/m³", limits=(0.0, 1e5), soft=(100.0, 1500.0), positive=True, group="body", precision=1,
    )
    friction: float = param(
        0.0, "Friction", "How much an agent grips what it touches", limits=(0.0, 10.0), soft=(0.0, 1.0),
        group="contact",
    )
    restitution: float = param(
        0.0, "Bounciness", "Share of the impact speed given back", limits=(0.0, 1.0), group="contact",
    )
    velocity: Sequence[float] = param(
        (0.0, 0.0, 0.0), "Velocity", "Of all agents at the start; 0 starts them at their speed, to the goal or to +Y",
        unit="m/s", limits=(-1e3, 1e3), soft=(-20.0, 20.0), group="body",
    )
