"""The garbage collector while kernels are loaded."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
from flotsam.engine.compiler.collection import no_collection


class Ring:
    """A reference cycle: garbage as soon as nothing else refers to it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def _thawed() -> Iterator[None]:
    """Unfreeze all objects before and after a test, and collect the garbage of other tests."""
    gc.unfreeze()
    gc.collect()
    yield
    gc.enable()
    gc.unfreeze()


def many() -> list[weakref.ref[Ring]]:
    """Weak references to garbage, to more objects than the collector leaves for long."""
    return [weakref.ref(Ring()) for _ in range(5000)]


def test_nothing_is_collected_meanwhile() -> None:
    assert any(one() is None for one in many())
    with no_collection():
        assert not gc.isenabled()
        garbage = many()
        assert all(one() is not None for one in garbage)
    assert gc.isenabled()


def test_what_is_there_the_first_time_is_not_looked_at_again() -> None:
    with no_collection():
        garbage = many()
    gc.collect()
    assert gc.get_freeze_count() > 5000
    assert all(one() is not None for one in garbage)


def test_the_second_time_all_is_garbage_as_ever() -> None:
    """For example a world that is discarded while more kernels are loaded."""
    with no_collection():
        pass
    count = gc.get_freeze_count()
    with no_collection():
        garbage = many()
    gc.collect()
    assert gc.get_freeze_count() <= count
    assert all(one() is None for one in garbage)


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(KeyboardInterrupt), no_collection():
        raise KeyboardInterrupt
    assert gc.isenabled()


def test_a_collector_that_is_off_stays_so() -> None:
    gc.disable()
    with no_collection():
        pass
    assert not gc.isenabled() and gc.get_freeze_count() == 0
