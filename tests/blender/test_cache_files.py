"""Frames on disk: what is written is read back, and a file truncated at any point can still be opened."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest
from flotsam.engine import SpringGraphSpec, WorldSpec, cache


@pytest.fixture
def samples() -> np.ndarray:
    return np.random.default_rng(1).normal(size=(5, 7, 3)).astype(np.float32)


@pytest.fixture
def pc2(tmp_path, samples):
    path = tmp_path / "Ring.pc2"
    cache.begin({path: samples[0]}, 1000.0)
    for sample in samples[1:]:
        cache.append_sample(path, sample.astype(np.float64))
    return path


def test_samples_come_back(pc2, samples):
    header = cache.read_header(pc2)
    assert (header.points, header.start, header.samples) == (7, 1000.0, 5)
    for k, sample in enumerate(samples):
        assert np.array_equal(cache.read_sample(pc2, k), sample)
    assert pc2.stat().st_size == 32 + 5 * 7 * 12


def test_half_written_sample_is_not_counted(pc2, samples):
    with pc2.open("ab") as file:
        file.write(b"\x01" * 40)
    assert cache.read_header(pc2).samples == 5
    cache.append_sample(pc2, samples[0])
    assert np.array_equal(cache.read_sample(pc2, 5), samples[0])
    assert np.array_equal(cache.read_sample(pc2, 4), samples[4])


def test_truncate_forgets_the_tail_only(pc2, samples):
    cache.truncate(pc2, 3)
    assert cache.read_header(pc2).samples == 3
    assert np.array_equal(cache.read_sample(pc2, 2), samples[2])
    with pytest.raises(cache.CacheFileError, match="there is no frame number 3"):
        cache.read_sample(pc2, 3)
    with pytest.raises(cache.CacheFileError, match="holds 3 frames, not 4"):
        cache.truncate(pc2, 4)


def test_overwriting_changes_the_first_sample_only(pc2, samples):
    cache.overwrite_sample(pc2, samples[3].astype(np.float64))
    assert np.array_equal(cache.read_sample(pc2, 0), samples[3])
    assert np.array_equal(cache.read_sample(pc2, 1), samples[1])
    assert cache.read_header(pc2).samples == 5
    with pytest.raises(cache.CacheFileError, match="holds 7"):
        cache.overwrite_sample(pc2, samples[0][:6])


def test_wrong_count_of_points_is_refused(pc2):
    with pytest.raises(cache.CacheFileError, match="holds 7 vertices"):
        cache.append_sample(pc2, np.zeros((8, 3)))
    assert cache.read_header(pc2).samples == 5


def test_other_files_are_refused_by_name(tmp_path):
    path = tmp_path / "photo.pc2"
    path.write_bytes(b"\x89PNG")
    with pytest.raises(cache.CacheFileError, match=r"photo\.pc2 is not a PC2 file"):
        cache.read_header(path)


def test_short_file_is_named(pc2):
    pc2.write_bytes(pc2.read_bytes()[:-4])
    with pytest.raises(cache.CacheFileError, match="ends within frame number 4"):
        cache.read_sample(pc2, 4)


def test_index_comes_back(tmp_path):
    index = cache.Index("abc", 1000, 1010, 4, 3, {"Ring.001": cache.BodyEntry("Ring.001.pc2", 26)})
    assert cache.read_index(tmp_path) is None
    cache.write_index(tmp_path, index)
    assert cache.read_index(tmp_path) == index
    assert (index.total, index.last_frame) == (11, 1003)
    assert [p.name for p in tmp_path.iterdir()] == ["index.json"]


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"version": 99}', '{"version": 2, "bodies": {}, "colour": 1}'])
def test_damaged_index_is_named(tmp_path, text):
    (tmp_path / "index.json").write_text(text)
    with pytest.raises(cache.CacheFileError, match="bake without resuming"):
        cache.read_index(tmp_path)


def _spec(**changes) -> WorldSpec:
    vertices = np.arange(9.0).reshape(3, 3)
    body = SpringGraphSpec("Ring", vertices, np.array([[0, 1, 2]], dtype=np.int32))
    return WorldSpec(systems=(dataclasses.replace(body, **changes),))


def test_fingerprint_follows_every_part():
    base = cache.fingerprint(_spec())
    moved = np.arange(9.0).reshape(3, 3)
    moved[2, 2] += 1e-9
    assert base == cache.fingerprint(_spec())
    others = [
        _spec(stiffness=1001.0), _spec(name="Ring2"), _spec(vertices=moved), _spec(pins=(1,)),
        _spec(triangles=np.array([[0, 2, 1]], dtype=np.int32)), dataclasses.replace(_spec(), substeps=11),
        dataclasses.replace(_spec(), gravity=(0.0, 0.0, 0.0)),
    ]
    prints = [cache.fingerprint(spec) for spec in others]
    assert len({base, *prints}) == len(others) + 1


@dataclasses.dataclass
class _State:
    x: np.ndarray
    frame: int
    kind: str = "ring"


def test_saved_state_comes_back_with_the_same_bits(tmp_path):
    x = np.random.default_rng(2).normal(size=(4, 3))
    saved = {"state": _State(x, 12), "memory": [None, (x[0], 3.5), {"volume": np.float64(0.1), 7: [True]}]}
    like = {"state": _State(np.zeros((4, 3)), 0), "memory": [None, (x[1], 0.0), {}]}
    cache.save_state(tmp_path / "state.npz", saved)
    back = cache.load_state(tmp_path / "state.npz", like)
    assert isinstance(back["state"], _State) and back["state"].frame == 12 and back["state"].kind == "ring"
    assert back["state"].x.tobytes() == x.tobytes()
    assert back["memory"][0] is None and back["memory"][1][0].tobytes() == x[0].tobytes()
    assert back["memory"][1][1] == 3.5 and back["memory"][2] == {"volume": 0.1, 7: [True]}


def test_saved_state_holds_no_code(tmp_path):
    with pytest.raises(TypeError, match="cannot hold function"):
        cache.save_state(tmp_path / "state.npz", {"x": lambda: None})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("raw", [b"", b"PK\x03\x04 cut off", b"nonsense"])
def test_damaged_state_is_named(tmp_path, raw):
    path = tmp_path / "state.npz"
    path.write_bytes(raw)
    with pytest.raises(cache.CacheFileError, match=r"state\.npz cannot be read"):
        cache.load_state(path, {})


def test_index_is_plain_json(tmp_path):
    cache.write_index(tmp_path, cache.Index("abc", 1, 2))
    assert json.loads((tmp_path / "index.json").read_text())["fingerprint"] == "abc"
