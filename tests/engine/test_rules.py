"""Rules between systems: which systems they apply to, and which of them decides."""

from __future__ import annotations

import numpy as np
import pytest
from flotsam.engine import Contact, Ignore, PowerRepulsion, SpecError, SpringGraphSpec, WorldSpec, build_world
from flotsam.engine.interactions.contact.system import Contacts
from flotsam.engine.world.world import World
from shapes import box

NAMES = ("a", "b", "c")


def world_of(*rules: object) -> World:
    """Three boxes side by side, the third with self-collision."""
    vertices, triangles = box(1.0, 1)
    systems = tuple(
        SpringGraphSpec(name, vertices + [2.0 * k, 0.0, 0.0], triangles, friction=0.2, self_collision=name == "c")
        for k, name in enumerate(NAMES)
    )
    return build_world(WorldSpec(systems, rules))


def contacts_of(*rules: object) -> Contacts:
    (contacts,) = (i for i in world_of(*rules).interactions if isinstance(i, Contacts))
    return contacts


def colliding(*rules: object) -> set[str]:
    """The pairs that collide, such as "ab"."""
    meets = contacts_of(*rules).meets.matrix()
    assert np.array_equal(meets, meets.T)
    return {NAMES[i] + NAMES[j] for i, j in zip(*np.nonzero(np.triu(meets)), strict=True)}


def test_without_rules_everything_meets_everything() -> None:
    assert colliding() == {"ab", "ac", "bc", "cc"}


def test_several_names_on_a_side() -> None:
    assert colliding(Ignore(("a", "b"), ("a", "b"))) == {"ac", "bc", "cc"}
    assert colliding(Ignore(("a", "b"), "c")) == {"ab", "cc"}
    assert colliding(Ignore((), "*")) == {"ab", "ac", "bc", "cc"}


def test_only_a_body_named_on_both_sides_passes_through_itself() -> None:
    assert colliding(Ignore("*", "*"), Contact("a", "*")) == {"ab", "ac", "cc"}
    assert colliding(Ignore("c", "c")) == colliding(Ignore(("c",), ("c",))) == {"ab", "ac", "bc"}


def test_the_last_rule_that_fits_decides() -> None:
    assert colliding(Ignore("a", "*"), Contact("b", "a")) == {"ab", "bc", "cc"}
    assert colliding(Contact("b", "a"), Ignore("a", "*")) == {"bc", "cc"}


def test_who_has_no_segments_goes_on_touching() -> None:
    assert colliding(PowerRepulsion()) == {"ab", "ac", "bc", "cc"}


def test_values_of_a_rule_are_those_of_its_pairs_only() -> None:
    contacts = contacts_of(Contact(("a", "b"), "c", friction=0.9, restitution=0.5))
    wanted = np.array([[0.2, 0.2, 0.9], [0.2, 0.2, 0.9], [0.9, 0.9, 0.2]])
    each = np.ix_(contacts.pairs.kind, contacts.pairs.kind)
    assert contacts.pairs.friction[each] == pytest.approx(wanted)
    assert contacts.pairs.restitution[each] == pytest.approx(np.where(wanted > 0.5, 0.5, 0.0))


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (Contact("a", "z"), ("world", "interactions", "z", "a, b, c")),
        (Contact("a", ("b", "y")), ("world", "interactions", "y", "a, b, c")),
        (Contact(friction=-1.0), ("Contact", "friction", "-1", "from 0 to 10")),
        (Contact(restitution=float("nan")), ("Contact", "restitution", "nan", "from 0 to 1")),
    ],
)
def test_a_wrong_rule_is_named(rule: Contact, words: tuple[str, ...]) -> None:
    with pytest.raises(SpecError) as caught:
        world_of(rule)
    assert all(word in str(caught.value) for word in words), str(caught.value)
