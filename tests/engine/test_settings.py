"""Specifications made by `@spec` behave like frozen dataclasses."""

from dataclasses import KW_ONLY, FrozenInstanceError, field, fields, replace

import pytest
from flotsam.engine.spec.param import param
from flotsam.engine.spec.settings import spec


@spec
class _Base:
    _: KW_ONLY
    tear: bool = param(False, "Tear", "A tip")


@spec
class _Thing(_Base):
    name: str
    size: float = 2.0
    parts: dict = field(default_factory=dict)


def test_fields_come_in_order_by_name_or_from_their_default():
    thing = _Thing("a", 3.0, tear=True)
    assert (thing.name, thing.size, thing.tear, thing.parts) == ("a", 3.0, True, {})
    assert _Thing("a").parts is not _Thing("a").parts
    changed = replace(thing, size=4.0)
    assert (changed.name, changed.size, changed.tear) == ("a", 4.0, True)
    assert [one.name for one in fields(thing)] == ["tear", "name", "size", "parts"]


@pytest.mark.parametrize(
    ("given", "named", "said"),
    [
        ((), {}, "lacks name"), (("a",), {"name": "b"}, "got name twice"), (("a",), {"colour": 1}, "no field colour"),
        (("a", 1.0, {}, True), {}, "takes 3 arguments"),
    ],
)
def test_wrong_arguments_are_refused(given, named, said):
    with pytest.raises(TypeError, match=said):
        _Thing(*given, **named)


def test_a_specification_never_changes():
    thing = _Thing("a")
    with pytest.raises(FrozenInstanceError):
        thing.size = 5.0
    with pytest.raises(FrozenInstanceError):
        del thing.size
    assert thing.size == 2.0
