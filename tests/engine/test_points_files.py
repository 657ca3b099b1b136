"""Points and attributes on disk: what is written is read back, and interrupted writes do no harm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flotsam.engine import cache

RANDOM = np.random.default_rng(3)


def points(count: int) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    return RANDOM.normal(size=(count, 3)), RANDOM.normal(size=(count, 3)), {
        "id": np.arange(count) + 5, "radius": RANDOM.random(count), "age": RANDOM.random(count),
        "kind": np.arange(count) % 4, "heat": RANDOM.random(count),
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Frames -1 to 3 with 2, 3, 0, 5 and 6 points."""
    made = tmp_path / "Fluid.points"
    for frame, count in enumerate((2, 3, 0, 5, 6), start=-1):
        cache.replace_files({cache.points_file(made, frame): cache.points_content(*points(count))})
    return made


def test_all_values_come_back(tmp_path: Path) -> None:
    positions, velocities, attributes = points(7)
    cache.replace_files({cache.points_file(tmp_path, 3): cache.points_content(positions, velocities, attributes)})
    back = cache.read_points(tmp_path, 3)
    for axis, name in enumerate("xyz"):
        assert back[name] == pytest.approx(positions[:, axis], abs=1e-6)
        assert back["v" + name] == pytest.approx(velocities[:, axis], abs=1e-6)
    for name, values in attributes.items():
        assert back[name] == pytest.approx(values, abs=1e-6), name
    assert cache.points_file(tmp_path, 3).stat().st_size - 7 * (cache.POINT_BYTES + 4) < 400


def test_what_is_not_told_has_a_value_all_the_same(tmp_path: Path) -> None:
    cache.replace_files({cache.points_file(tmp_path, 1): cache.points_content(np.ones((2, 3)))})
    back = cache.read_points(tmp_path, 1)
    assert back["id"].tolist() == [0.0, 1.0] and back["vx"].tolist() == [0.0, 0.0]
    assert back["radius"] == pytest.approx(cache.DEFAULT_RADIUS)


def test_an_empty_frame_is_a_frame(folder: Path) -> None:
    assert len(cache.read_points(folder, 1)["id"]) == 0
    assert cache.points_frames(folder) == range(-1, 4)


def test_a_write_that_was_cut_off_does_not_count(folder: Path) -> None:
    content = cache.points_content(*points(4))
    (folder / "f4.ply.new").write_bytes(content[: len(content) // 2])
    assert cache.points_frames(folder) == range(-1, 4)
    cache.cut_points(folder, 3)
    assert sorted(path.name for path in folder.iterdir()) == ["f-1.ply", "f0.ply", "f1.ply", "f2.ply"]


def test_frames_end_at_the_first_gap(folder: Path) -> None:
    cache.points_file(folder, 1).unlink()
    assert cache.points_frames(folder) == range(-1, 1)
    assert cache.points_frames(folder.parent) == range(0)


@pytest.mark.parametrize(("raw", "said"), [(b"ply\nformat ascii 1.0\n", "not a PLY file"), (None, "promises")])
def test_damaged_files_are_named(folder: Path, raw: bytes | None, said: str) -> None:
    file = cache.points_file(folder, 0)
    file.write_bytes(file.read_bytes()[:-1] if raw is None else raw)
    with pytest.raises(cache.CacheFileError, match=rf"f0\.ply.*{said}"):
        cache.read_points(folder, 0)


def test_files_are_replaced_together_or_not_at_all(tmp_path: Path) -> None:
    old, blocked = tmp_path / "old", tmp_path / "blocked"
    old.write_bytes(b"before")
    (tmp_path / "blocked.new").mkdir()
    with pytest.raises(OSError, match="blocked"):
        cache.replace_files({tmp_path / "fresh" / "file": b"1", old: b"after", blocked: b"2"})
    assert old.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blocked.new", "old"]


@pytest.mark.parametrize("names", [("velocity", "stress"), ("stress",), ("velocity",), ("stress", "age", "velocity")])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_attributes_are_packed_and_unpacked(names: tuple[str, ...], count: int) -> None:
    values = {name: RANDOM.normal(size=(count, 3) if name == "velocity" else count) for name in names}
    packer = cache.Packer(names, count)
    packer.pack({name: value + 1.0 for name, value in values.items()})
    rows = packer.pack(values)
    assert rows.dtype == np.float32 and len(rows) == cache.row_count(names, count)
    assert rows.nbytes < 4 * (count * sum(values[name].ndim * 2 - 1 for name in names) + 3)
    back = cache.unpack(names, rows, count)
    assert set(back) == set(names)
    for name in names:
        assert back[name] == pytest.approx(values[name], abs=1e-6)


def test_an_attribute_that_is_not_known_is_nothing() -> None:
    packer = cache.Packer(("velocity", "stress"), 4)
    packer.pack({"velocity": np.ones((4, 3)), "stress": np.ones(4)})
    assert not packer.pack({}).any()


@pytest.mark.parametrize("count", [5, 20_000])
def test_vectors_are_packed_in_the_space_of_the_file(count: int) -> None:
    vectors = RANDOM.normal(size=(count, 3)).astype(np.float32)
    quarter = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    rows = cache.Packer(("velocity",), count).pack({"velocity": vectors}, quarter)
    assert np.array_equal(rows, vectors[:, [1, 0, 2]] * np.float32([-1.0, 1.0, 1.0]))
