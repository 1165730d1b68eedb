"""FLAME's pickle: its numbers come out, nothing in it is run."""

from __future__ import annotations

import copyreg
import os
import pickle
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UsageError
from polyorama.face.rigs import inert_pickle
from polyorama.face.rigs.check import SEALED, check_rig
from polyorama.face.rigs.flame import flame_rig
from polyorama.face.rigs.inert_pickle import array_of, read_inert
from tests.engine.test_face_rigs_heads import head, head_arrays

TURN = np.array([-1.0, -1.0, 1.0])
HERE = Path("made-up.pkl")


def _stand_in(monkeypatch: pytest.MonkeyPatch, module: str, name: str) -> Any:
    """A class that pickles under another module's name, as chumpy's and scipy's do."""
    parent = module.partition(".")[0]
    if parent not in sys.modules:
        monkeypatch.setitem(sys.modules, parent, types.ModuleType(parent))
    made = types.ModuleType(module)
    kind = type(name, (), {"__module__": module, "__qualname__": name})
    setattr(made, name, kind)
    monkeypatch.setitem(sys.modules, module, made)
    return kind


def _model(monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    vertices, triangles, shapes, _ = head_arrays()
    count = len(vertices)
    rng = np.random.default_rng(4)
    modes = 0.01 * rng.normal(size=(count, 3, 9))
    jaw = shapes["jawOpen"][:, 1] / shapes["jawOpen"][:, 1].max()
    weights = np.zeros((count, 5))
    weights[:, 2], weights[:, 1] = jaw, 1.0 - jaw
    regressor = np.zeros((5, count))
    regressor[:, :4] = 0.25
    regressor[2, :] = 0.0
    regressor[2, [900, 920]] = 0.5
    chumpy = _stand_in(monkeypatch, "chumpy.ch", "Ch")()
    chumpy.__dict__.update(x=modes, dr=None)
    sparse = _stand_in(monkeypatch, "scipy.sparse.csc", "csc_matrix")()
    rows, columns = np.nonzero(regressor)
    order = np.lexsort((rows, columns))
    starts = np.concatenate([[0], np.cumsum(np.bincount(columns, minlength=count))])
    sparse.__dict__.update(
        data=regressor[rows, columns][order], indices=rows[order].astype(np.int32),
        indptr=starts.astype(np.int32), _shape=(5, count), maxprint=50,
    )  # fmt: skip
    model = {
        "v_template": vertices * TURN, "f": triangles.astype(np.uint32), "shapedirs": chumpy,
        "J_regressor": sparse, "weights": weights, "bs_type": "lrotmin",
    }  # fmt: skip
    return model, {"modes": modes, "regressor": regressor, "vertices": vertices}


@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_a_flame_model_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: int
) -> None:
    model, truth = _model(monkeypatch)
    path = tmp_path / "flame.pkl"
    path.write_bytes(pickle.dumps(model, protocol))
    monkeypatch.undo()
    rig = flame_rig(path)
    assert {"flameExp00", "flameExp02"} <= set(rig.shapes.names)
    assert "flameExp03" not in rig.shapes.names  # 9 modes: 6 of shape, 3 of expression
    count = len(truth["vertices"])
    got = rig.shapes.dense("flameExp01", count)
    assert np.allclose(got, truth["modes"][:, :, 7] * TURN, atol=1e-5)
    jaw = next(rotor for rotor in rig.rotors if rotor.name == "jaw")
    joints = truth["regressor"] @ (truth["vertices"] * TURN) * TURN
    assert np.allclose(jaw.pivot, joints[2], atol=1e-5)
    opened = rig.posed({"jawOpen": 1.0}) - rig.mesh.vertices
    assert opened[jaw.indices, 1].max() > 0.05
    assert max(seal.gap for seal in check_rig(rig).seals) < SEALED
    wide = flame_rig(path, identity=[2.0])
    away = np.abs(wide.mesh.vertices - rig.mesh.vertices - 2.0 * truth["modes"][:, :, 0] * TURN)
    assert np.quantile(away, 0.9) < 1e-4
    with pytest.raises(UsageError, match="6 modes"):
        flame_rig(path, identity=[0.0] * 7)


def test_arkits_shapes_are_carried_over_from_a_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, truth = _model(monkeypatch)
    path = tmp_path / "flame.pkl"
    path.write_bytes(pickle.dumps(model, 2))
    monkeypatch.undo()
    template = head()
    rig = flame_rig(path, template=template)
    count = len(truth["vertices"])
    assert {"mouthSmileLeft", "mouthSmileRight", "flameExp00"} <= set(rig.shapes.names)
    # The model is the template's own head, so its smile is the template's.
    smile, wanted = (r.shapes.dense("mouthSmileLeft", count) for r in (rig, template))
    assert np.sqrt(((smile - wanted) ** 2).sum(1).mean()) < 0.1 * np.sqrt((wanted**2).sum(1).mean())
    # The jaw turns by the model's own joint alone, not by the template's shape too.
    assert "jawOpen" not in rig.shapes.names
    plain = flame_rig(path)
    one, other = (r.posed({"jawOpen": 1.0}) - r.mesh.vertices for r in (rig, plain))
    assert np.abs(one - other).max() < 1e-2 * np.abs(other).max()


class _Bomb:
    def __reduce__(self) -> Any:
        return os.system, ("touch exploded",)


@pytest.mark.parametrize("protocol", range(6))
def test_nothing_in_a_pickle_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: int
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileFormatError, match="nothing in it was run"):
        read_inert(pickle.dumps({"f": _Bomb()}, protocol), HERE)
    for data in (
        b"cos\nsystem\n(S'touch exploded'\ntR.",
        b"(S'touch exploded'\nios\nsystem\n.",
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cnumpy\nload\n(S'x'\ntR.",
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x0etouch exploded\x85R.",
        b"cnumpy\nndarray\n(N}S'state'\nI1\nstb.",  # attributes for the stand-in itself
        b"Pelsewhere\n.",
    ):
        with pytest.raises(FileFormatError):
            read_inert(data, HERE)
    assert not list(tmp_path.iterdir())


def test_registered_extensions_are_refused() -> None:
    copyreg.add_extension("collections", "OrderedDict", 0xF0)
    try:
        from collections import OrderedDict

        data = pickle.dumps(OrderedDict, 2)
        assert pickle.loads(data) is OrderedDict  # now in the cache that no find_class guards
        with pytest.raises(FileFormatError, match="EXT1"):
            read_inert(data, HERE)
    finally:
        copyreg.remove_extension("collections", "OrderedDict", 0xF0)


def test_a_pickle_of_countless_objects_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inert_pickle, "_MAX_STEPS", 50)
    assert read_inert(pickle.dumps([[], []], 2), HERE) == [[], []]
    with pytest.raises(FileFormatError, match="too many parts"):
        read_inert(pickle.dumps([[] for _ in range(100)], 2), HERE)


def test_a_pickle_that_remembers_under_a_huge_number_is_refused() -> None:
    data = b"\x80\x02}r\xff\xff\xff\xf0."  # a dictionary, remembered as number 4042322175
    with pytest.raises(FileFormatError, match="too many parts"):
        read_inert(data, HERE)


def test_arrays_that_lie_about_their_size_are_refused() -> None:
    fine = np.arange(6, dtype=">i4").reshape(2, 3)
    got = array_of(read_inert(pickle.dumps(np.asfortranarray(fine), 2), HERE), "f", HERE)
    assert np.array_equal(got, fine)
    kept = read_inert(pickle.dumps(fine, 2), HERE)
    version, _, kind, order, raw = kept.state
    for shape in ((10**9, 3), (2, 2), (-1, 3), ("a",)):
        kept.state = (version, shape, kind, order, raw)
        with pytest.raises(FileFormatError, match="damaged"):
            array_of(kept, "f", HERE)
    objects = read_inert(pickle.dumps(np.array([1, "a"], object), 2), HERE)
    with pytest.raises(FileFormatError, match="damaged"):
        array_of(objects, "f", HERE)
    with pytest.raises(FileFormatError, match="no array"):
        array_of("text", "f", HERE)


def test_what_is_no_flame_model_is_said(tmp_path: Path) -> None:
    path = tmp_path / "other.pkl"
    for value, what in (([1, 2], "no FLAME model"), ({"f": np.zeros((1, 3))}, "v_template")):
        path.write_bytes(pickle.dumps(value))
        with pytest.raises(FileFormatError, match=what):
            flame_rig(path)
    path.write_bytes(b"\x80\x04 rubbish")
    with pytest.raises(FileFormatError, match="damaged"):
        flame_rig(path)
