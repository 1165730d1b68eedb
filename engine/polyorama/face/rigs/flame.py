"""FLAME, from the pickle that its owner has, which is read as data and never run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UsageError
from polyorama.face.rigs.building import Plan, built, check_counts
from polyorama.face.rigs.fitting import fitted_rig
from polyorama.face.rigs.inert_pickle import Kept, array_of, read_inert
from polyorama.face.rigs.parts import TURN
from polyorama.face.rigs.seal import with_seal
from polyorama.io.limits import read_bytes
from polyorama.scene.faces.morphs import Rotor
from polyorama.scene.mesh import Mesh

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["flame_rig"]

_MAX_FILE = 512 << 20
_CREDIT = "FLAME, (c) Max-Planck-Gesellschaft; its own licence holds"
_NECK, _JAW, _LEFT_EYE, _RIGHT_EYE = 1, 2, 3, 4
_EXPRESSIONS = 50
_JAW_TURNS = {
    "jawOpen": (-0.42, 0.0, 0.0),
    "jawLeft": (0.0, -0.14, 0.0),
    "jawRight": (0.0, 0.14, 0.0),
}
"""Rotation vectors in our axes, rad; a person's jaw opens by about 24 degrees."""


def flame_rig(
    path: str | os.PathLike[str],
    *,
    identity: Sequence[float] = (),
    template: MorphRig | None = None,
) -> MorphRig:
    """Read a FLAME model: its 50 first expressions, its jaw, eyes and neck.

    The expressions are the extras flameExp00 to flameExp49; jawOpen, jawLeft and jawRight turn the
    jaw by the model's skinning weights, and mouthClose is solved for. Pose correctives
    (`posedirs`) are left out.

    Parameters
    ----------
    path
        `generic_model.pkl` or a like.
    identity
        Weights of the modes of shape.
    template
        A rig whose ARKit shapes are carried over, such as the puppet; None for the model's own.

    Returns
    -------
    The rig, metres.

    Raises
    ------
    FileFormatError
        If it is no such model or holds more than arrays.
    UsageError
        If there are more weights than modes, or they are not finite.
    """
    source = Path(path)
    model = read_inert(read_bytes(source, _MAX_FILE), source)
    if isinstance(model, Kept):
        model = model.state
    if not isinstance(model, dict):
        raise FileFormatError(f"The pickle is no FLAME model: {source}")
    rest, faces = _numbers(model, "v_template", 2, source), _numbers(model, "f", 2, source)
    modes, weights = _numbers(model, "shapedirs", 3, source), _numbers(model, "weights", 2, source)
    regressor = _numbers(model, "J_regressor", 2, source)
    count, size = len(rest), modes.shape[2]
    check_counts(count, min(size, _EXPRESSIONS), source)
    fine = rest.shape == (count, 3) and faces.shape[1:] == (3,) and modes.shape[:2] == (count, 3)
    fine &= weights.shape == (count, 5) and regressor.shape == (5, count) and size >= 3
    if not fine:
        raise FileFormatError(f"The arrays of the FLAME model do not fit together: {source}")
    # 300 shapes and 100 expressions, or 100 and 50: a later part of the same basis.
    first = 300 if size >= 400 else 2 * size // 3
    if len(identity) > first or not np.isfinite(list(identity)).all():
        raise UsageError(f"The FLAME model has {first} modes of shape; give as many numbers.")
    rest = rest + modes[:, :, : len(identity)] @ np.asarray(identity, np.float64)
    joints = (regressor @ rest) * TURN
    vertices = (rest * TURN).astype(np.float32)
    mesh = Mesh(vertices, faces.astype(np.int64), name=source.stem)
    shapes = {
        f"flameExp{n:02d}": (modes[:, :, first + n] * TURN).astype(np.float32)
        for n in range(min(_EXPRESSIONS, size - first))
    }
    eyes = [np.flatnonzero(weights[:, joint] > 0.99) for joint in (_LEFT_EYE, _RIGHT_EYE)]
    plan = Plan(
        mesh=mesh, shapes=shapes, left_eye=eyes[0], right_eye=eyes[1],
        rotors=(
            _turning("jaw", weights[:, _JAW], joints[_JAW], _JAW_TURNS),
            _turning("head", 1.0 - weights[:, 0], joints[_NECK], {
                "headYaw": (0.0, -1.0, 0.0), "headPitch": (1.0, 0.0, 0.0),
                "headRoll": (0.0, 0.0, -1.0),
            }),
        ),
        name=source.stem, credit=_CREDIT,
    )  # fmt: skip
    if template is not None:
        fitted = run(fitted_rig(mesh, template))
        plan.shapes |= {
            name: fitted.shapes.dense(name, count)
            for name in fitted.shapes.names
            if name in template.channels and name not in _JAW_TURNS
        }
    return with_seal(built(plan))


def _turning(
    name: str,
    amounts: NDArray[np.floating],
    pivot: NDArray[np.float64],
    channels: dict[str, tuple[float, float, float]],
) -> Rotor:
    ids = np.flatnonzero(amounts > 1e-4).astype(np.int32)
    return Rotor(name, ids, np.clip(amounts[ids], 0.0, 1.0).astype(np.float32), pivot, channels)


def _numbers(model: dict[str, Any], name: str, sides: int, path: Path) -> NDArray[np.float64]:
    if name not in model:
        raise FileFormatError(f"The pickle has no {name!r}, so is no FLAME model: {path}")
    array = np.asarray(array_of(model[name], name, path), np.float64)
    if array.ndim != sides or not np.isfinite(array).all():
        raise FileFormatError(f"{name!r} of the FLAME model is of a wrong kind: {path}")
    return array
