"""Face rigs, performances and rows of numbers as words and arrays, for projects and journals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.errors import FileFormatError, PolyoramaError
from polyorama.io.json_fields import FieldError, numbers_of, object_of, text_of
from polyorama.scene.faces.morphs import Corrective, MorphRig, Rotor, Shapes
from polyorama.scene.faces.performance import Performance

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from polyorama.scene.mesh import Mesh

__all__ = ["FACE_KINDS", "face_content", "face_parts", "is_rows"]

FACE_KINDS = ("face-rig", "performance", "rows")
"""What `face_parts` calls the contents that it takes."""
_MESH = "mesh."
_MOST_NAMES = 100_000


def is_rows(content: object) -> bool:
    """Whether it is a table of numbers: (n, m) float32."""
    return isinstance(content, np.ndarray) and content.ndim == 2 and content.dtype == np.float32


def face_parts(
    content: MorphRig | Performance | NDArray[np.float32],
    mesh_parts: Callable[[Mesh], tuple[dict[str, Any], dict[str, NDArray[Any]]]],
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Words for JSON, and arrays by name; `mesh_parts` takes the mesh of a rig apart."""
    if isinstance(content, Performance):
        return {"kind": "performance", "fps": content.fps}, {"weights": content.weights}
    if not isinstance(content, MorphRig):
        return {"kind": "rows"}, {"values": content}
    mesh, columns = mesh_parts(content.mesh)
    shapes = content.shapes
    arrays: dict[str, NDArray[Any]] = {_MESH + name: array for name, array in columns.items()}
    arrays |= {"starts": shapes.starts, "indices": shapes.indices, "deltas": shapes.deltas}
    for number, rotor in enumerate(content.rotors):
        arrays[f"rotor.{number}.indices"] = rotor.indices
        arrays[f"rotor.{number}.amounts"] = rotor.amounts
        arrays[f"rotor.{number}.pivot"] = rotor.pivot
    for places in ("regions", "landmarks"):
        for number, ids in enumerate(getattr(content, places).values()):
            arrays[f"{places}.{number}"] = ids
    words = {
        "kind": "face-rig",
        "name": content.name,
        "credit": content.credit,
        "mesh": mesh,
        "shapes": list(shapes.names),
        "rotors": [
            {"name": r.name, "channels": {k: list(v) for k, v in r.channels.items()}}
            for r in content.rotors
        ],
        "correctives": [[c.shape, *c.channels] for c in content.correctives],
        "regions": list(content.regions),
        "landmarks": list(content.landmarks),
    }
    return words, arrays


def face_content(
    fields: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    source: str | os.PathLike[str],
    mesh_of: Callable[[Any, Mapping[str, NDArray[Any]]], object],
) -> MorphRig | Performance | NDArray[np.float32]:
    """The content of what `face_parts` gives; `mesh_of` puts the mesh of a rig together.

    Raises
    ------
    FileFormatError
        If the parts do not fit each other; `source` is what it names.
    FieldError
        If a word is missing or wrong.
    """
    kind = fields["kind"]
    try:
        if kind == "performance":
            (fps,) = numbers_of([fields.get("fps")], (1,), "fps")
            return Performance(_array(arrays, "weights", "<f4", source), fps)
        if kind == "rows":
            values = _array(arrays, "values", "<f4", source)
            if not is_rows(values):
                raise FileFormatError(f"Its table is of a wrong form: {source}")
            values.flags.writeable = False
            return values
        return _rig(fields, arrays, source, mesh_of)
    except PolyoramaError as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"Its face is unusable ({error}): {source}") from error


def _rig(
    fields: dict[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    source: str | os.PathLike[str],
    mesh_of: Callable[[Any, Mapping[str, NDArray[Any]]], object],
) -> MorphRig:
    columns = {n.removeprefix(_MESH): a for n, a in arrays.items() if n.startswith(_MESH)}
    # Nothing but a mesh: not a face of faces, however deep.
    if object_of(fields.get("mesh"), "mesh").get("kind") != "mesh":
        raise FieldError("mesh is of a wrong kind")
    mesh: Any = mesh_of(fields["mesh"], columns)
    shapes = Shapes(
        tuple(_names(fields, "shapes")),
        _array(arrays, "starts", "<i8", source),
        _array(arrays, "indices", "<i4", source),
        _array(arrays, "deltas", "<f4", source),
    )
    rotors = []
    for number, entry in enumerate(_list(fields, "rotors")):
        rotor = object_of(entry, "rotor")
        channels = object_of(rotor.get("channels"), "rotor channels")
        turns = {}
        for name, turn in channels.items():
            x, y, z = numbers_of(turn, (3,), "rotor channels")
            turns[name] = (x, y, z)
        rotors.append(
            Rotor(
                text_of(rotor.get("name"), "rotor name"),
                _array(arrays, f"rotor.{number}.indices", "<i4", source),
                _array(arrays, f"rotor.{number}.amounts", "<f4", source),
                _array(arrays, f"rotor.{number}.pivot", "<f8", source),
                turns,
            )
        )
    correctives = []
    for entry in _list(fields, "correctives"):
        if not isinstance(entry, list) or len(entry) < 2:
            raise FieldError("correctives are damaged")
        shape, *channels_of = (text_of(name, "corrective") for name in entry)
        correctives.append(Corrective(shape, tuple(channels_of)))
    places = {
        kind: {
            name: _array(arrays, f"{kind}.{number}", "<i4", source)
            for number, name in enumerate(_names(fields, kind))
        }
        for kind in ("regions", "landmarks")
    }
    return MorphRig(
        mesh, shapes, tuple(rotors), tuple(correctives), places["regions"], places["landmarks"],
        text_of(fields.get("name"), "name"), text_of(fields.get("credit"), "credit"),
    )  # fmt: skip


def _list(fields: dict[str, Any], name: str) -> list[Any]:
    value = fields.get(name)
    if not isinstance(value, list) or len(value) > _MOST_NAMES:
        raise FieldError(f"{name} are missing")
    return value


def _names(fields: dict[str, Any], name: str) -> list[str]:
    return [text_of(entry, name) for entry in _list(fields, name)]


def _array(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: str, source: str | os.PathLike[str]
) -> NDArray[Any]:
    array = arrays.get(name)
    if array is None or array.dtype != np.dtype(dtype) or array.ndim < 1:
        raise FileFormatError(f"Its array {name!r} is missing or of a wrong kind: {source}")
    return array
