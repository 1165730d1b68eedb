"""Splats, meshes, sound and faces as `.npz`: every array bit for bit, and a few words beside them.

Such a file is a zip, stored and not packed, of arrays in plain `.npy` form and of `content.json`,
which says what they make up; without it they are splats.
"""

from __future__ import annotations

import json
import tokenize
import zipfile
from typing import IO, TYPE_CHECKING, Any, cast, get_args

import numpy as np

from polyorama.core.params import parameters_of
from polyorama.errors import FileFormatError, OutputError, PolyoramaError
from polyorama.io.face_parts import FACE_KINDS, face_content, face_parts
from polyorama.io.json_fields import FieldError, direction_of, numbers_of, object_of, text_of
from polyorama.scene.contents import Audio
from polyorama.scene.faces.morphs import MorphRig
from polyorama.scene.faces.performance import Performance
from polyorama.scene.mesh import Material, Mesh
from polyorama.scene.splats import SplatCloud, SplatModel

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = [
    "EPOCH", "Heavy", "Part", "content_of", "npy_header", "parts_of", "read_npy", "read_npz",
    "write_npz",
]  # fmt: skip

Heavy = SplatCloud | Mesh | Audio
"""Contents of nodes that are large arrays."""
Part = Heavy | MorphRig | Performance | np.ndarray
"""Those, and what faces are made of: rigs, performances and tables, (n, m) float32."""

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The date of every member, so that the same content gives the same bytes."""

_SPLATS = {"means": 2, "quats": 2, "scales": 2, "opacities": 1, "sh": 3}
"""Arrays of a cloud and their dimensions."""
_MESH = ("vertices", "triangles", "colors", "uvs", "material_ids")
_EXTRA, _TEXTURE = "extra.", "texture."
_WORDS = "content.json"
_PLAIN = "fiub"
"""Kinds of numbers in arrays."""
_MAX_WORDS = 4 << 20
_PIECE = 1 << 22
"""Bytes that are read at a time: a member of a zip makes a copy of each piece."""
_MAX_MATERIALS = 65536


def parts_of(content: Part) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What a content is made of: plain words for JSON, and its arrays by name."""
    if isinstance(content, SplatCloud):
        words: dict[str, Any] = {
            "kind": "splats",
            "model": content.model,
            "up": None if content.up is None else list(content.up),
            "comments": list(content.comments),
        }
        arrays: dict[str, NDArray[Any]] = {name: getattr(content, name) for name in _SPLATS}
        arrays |= {_EXTRA + name: column for name, column in content.extras.items()}
        return words, arrays
    if isinstance(content, Mesh):
        words = {
            "kind": "mesh",
            "name": content.name,
            "parameters": {p.name: getattr(content, p.name) for p in parameters_of(Mesh)},
            "materials": [
                {"color": list(m.color), "emission": list(m.emission), "softness": m.softness}
                for m in content.materials
            ],
        }
        arrays = {n: getattr(content, n) for n in _MESH if getattr(content, n) is not None}
        for i, material in enumerate(content.materials):
            if material.texture is not None:
                arrays[f"{_TEXTURE}{i}"] = np.ascontiguousarray(material.texture)
        return words, arrays
    if not isinstance(content, Audio):
        return face_parts(content, parts_of)
    words = {
        "kind": "audio", "rate": content.rate, "start": content.start, "gain": content.gain,
    }  # fmt: skip
    return words, {"samples": content.samples}


def content_of(
    words: Any, arrays: Mapping[str, NDArray[Any]], source: str | os.PathLike[str]
) -> Part:
    """The content of the parts that `parts_of` gives; `source` is what messages name.

    Raises
    ------
    FileFormatError
        If they do not fit each other.
    """
    try:
        fields = object_of(words, _WORDS)
        kind = fields.get("kind")
        if kind == "splats":
            return _cloud(fields, arrays, source)
        if kind == "mesh":
            return _mesh(fields, arrays, source)
        if kind == "audio":
            return _audio(fields, arrays, source)
        if kind in FACE_KINDS:
            return face_content(
                fields, arrays, source,
                lambda mesh, columns: content_of(mesh, columns, source),
            )  # fmt: skip
        raise FieldError("kind is unknown")
    except FieldError as error:
        raise FileFormatError(f"Its {error}: {source}") from error


def write_npz(content: Part, stream: IO[bytes]) -> None:
    """Write a content to a stream that is open for writing.

    Raises
    ------
    OutputError
        If `read_npz` would refuse it.
    """
    words, arrays = parts_of(content)
    try:
        text = json.dumps(words, allow_nan=False)
        content_of(json.loads(text), arrays, "")
    except (FileFormatError, ValueError) as error:
        raise OutputError(f"A {words['kind']} content cannot be saved ({error}).") from error
    bad = [name for name, array in arrays.items() if array.dtype.kind not in _PLAIN]
    if bad:
        raise OutputError(f"The column {bad[0]!r} holds no numbers and cannot be saved.")
    with zipfile.ZipFile(stream, "w") as inner:
        inner.writestr(zipfile.ZipInfo(_WORDS, EPOCH), text)
        for name, array in arrays.items():
            info = zipfile.ZipInfo(f"{name}.npy", EPOCH)
            with inner.open(info, "w", force_zip64=True) as out:
                np.lib.format.write_array(out, array, allow_pickle=False)


def read_npz(stream: IO[bytes], size: int, source: str | os.PathLike[str]) -> Part:
    """Read a content of `write_npz` from a seekable stream of `size` bytes.

    Raises
    ------
    FileFormatError
        If it is damaged, or claims more than it holds; `source` is what it names.
    """
    arrays: dict[str, NDArray[Any]] = {}
    words: Any = {"kind": "splats"}
    with zipfile.ZipFile(stream) as inner:
        # Inner members are stored as they are, so together they cannot exceed the outer one.
        declared = sum(info.file_size for info in inner.infolist())
        if declared > size:
            raise FileFormatError(f"Its arrays claim {declared} bytes in {size}: {source}")
        for info in inner.infolist():
            plain = info.compress_type == zipfile.ZIP_STORED
            if info.filename == _WORDS and plain and info.file_size <= _MAX_WORDS:
                words = _parsed(inner.read(info), source)
                continue
            if not info.filename.endswith(".npy") or not plain:
                raise FileFormatError(f"Its array {info.filename!r} is not plain: {source}")
            name = info.filename[: -len(".npy")]
            if name in arrays:
                raise FileFormatError(f"Its array {name!r} is there twice: {source}")
            with inner.open(info) as file:
                arrays[name] = read_npy(file, info.file_size, name, source)
    return content_of(words, arrays, source)


def _parsed(data: bytes, source: str | os.PathLike[str]) -> Any:
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"Its {_WORDS} is damaged: {source}") from error


def npy_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether it is in Fortran's order, and dtype of an array in `.npy` form, version 1.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("of another version")
    try:
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except (SyntaxError, tokenize.TokenError, MemoryError, RecursionError, TypeError) as error:
        # numpy reads the header as Python, whose reader has all these for what is none.
        raise ValueError("its header is no header") from error
    if min(shape, default=0) < 0:
        raise ValueError("of a negative size")
    return shape, fortran, dtype


def read_npy(file: IO[bytes], size: int, name: str, source: str | os.PathLike[str]) -> NDArray[Any]:
    """One array in `.npy` form; its header is checked before its memory is taken.

    Raises
    ------
    FileFormatError
        If it is damaged or larger than `size` bytes.
    """
    problem = f"Its array {name!r} is damaged: {source}"
    try:
        shape, fortran, dtype = npy_header(file)
    except ValueError as error:
        raise FileFormatError(problem) from error
    if fortran or dtype.hasobject or dtype.kind not in _PLAIN or len(shape) > 3:
        raise FileFormatError(problem)
    count = 1
    for side in shape:
        count *= int(side)
    if count * dtype.itemsize > size:
        raise FileFormatError(problem)
    array = np.empty(shape, dtype)
    view = memoryview(array.reshape(-1).view(np.uint8).data)
    read = 0
    while read < len(view):
        got = file.readinto(view[read : read + _PIECE])  # type: ignore[attr-defined]
        if not got:
            raise FileFormatError(problem)
        read += got
    if file.read(1):
        raise FileFormatError(problem)
    return array


def _cloud(
    fields: dict[str, Any], columns: Mapping[str, NDArray[Any]], source: str | os.PathLike[str]
) -> SplatCloud:
    missing = [name for name in _SPLATS if name not in columns]
    if missing:
        raise FileFormatError(f"Its arrays {', '.join(missing)} are missing: {source}")
    count = len(columns["means"]) if columns["means"].ndim else 0
    for name, column in columns.items():
        extra = name.startswith(_EXTRA)
        if not extra and name not in _SPLATS:
            raise FileFormatError(f"Its array {name!r} is unknown: {source}")
        dimensions = 1 if extra else _SPLATS[name]
        typed = extra or column.dtype == np.dtype("<f4")
        if column.ndim != dimensions or len(column) != count or not typed:
            raise FileFormatError(
                f"Its array {name!r} is {column.dtype} of shape {column.shape}, which does not fit "
                f"{count} splats: {source}"
            )
    sides = {"means": (3,), "quats": (4,), "scales": (3,), "opacities": ()}
    bad = [name for name, tail in sides.items() if columns[name].shape[1:] != tail]
    if columns["sh"].shape[1] not in (1, 4, 9, 16) or columns["sh"].shape[2] != 3:
        bad.append("sh")
    if bad:
        raise FileFormatError(f"Its arrays {', '.join(bad)} have wrong sides: {source}")
    model, up = fields.get("model", "default"), fields.get("up")
    if model not in get_args(SplatModel):
        raise FieldError("model is unknown")
    comments = fields.get("comments", [])
    if not isinstance(comments, list):
        raise FieldError("comments are no list")
    return SplatCloud(
        columns["means"],
        columns["quats"],
        columns["scales"],
        columns["opacities"],
        columns["sh"],
        model=cast("SplatModel", model),
        up=None if up is None else direction_of(up, "up"),
        extras={n[len(_EXTRA) :]: c for n, c in columns.items() if n.startswith(_EXTRA)},
        comments=tuple(text_of(line, "comments") for line in comments),
    )


def _mesh(
    fields: dict[str, Any], arrays: Mapping[str, NDArray[Any]], source: str | os.PathLike[str]
) -> Mesh:
    entries = fields.get("materials")
    if not isinstance(entries, list) or not 1 <= len(entries) <= _MAX_MATERIALS:
        raise FieldError("materials are missing")
    materials = tuple(_material(entry, i, arrays) for i, entry in enumerate(entries))
    textures = {f"{_TEXTURE}{i}" for i in range(len(materials))}
    unknown = [name for name in arrays if name not in _MESH and name not in textures]
    if unknown:
        raise FileFormatError(f"Its array {unknown[0]!r} is unknown: {source}")
    kinds = {"triangles": "<i4", "material_ids": "<i4"}
    for name in _MESH:
        array = arrays.get(name)
        if array is not None and array.dtype != np.dtype(kinds.get(name, "<f4")):
            raise FileFormatError(f"Its array {name!r} is of {array.dtype}: {source}")
    if "vertices" not in arrays or "triangles" not in arrays:
        raise FileFormatError(f"Its vertices or triangles are missing: {source}")
    numbers = arrays.get("material_ids")
    if numbers is not None and np.any((numbers < 0) | (numbers >= len(materials))):
        raise FileFormatError(f"Its triangles name missing materials: {source}")
    given = object_of(fields.get("parameters"), "parameters")
    parts: dict[str, Any] = {name: arrays.get(name) for name in _MESH}
    parts |= {p.name: given.get(p.name, p.default) for p in parameters_of(Mesh)}
    try:
        return Mesh(**parts, materials=materials, name=text_of(fields.get("name"), "name"))
    except (PolyoramaError, TypeError) as error:
        raise FileFormatError(f"Its mesh is unusable ({error}): {source}") from error


def _material(entry: Any, index: int, arrays: Mapping[str, NDArray[Any]]) -> Material:
    where = f"material {index + 1}"
    fields = object_of(entry, where)
    color = numbers_of(fields.get("color"), (4,), f"{where} color")
    emission = numbers_of(fields.get("emission"), (3,), f"{where} emission")
    (softness,) = numbers_of([fields.get("softness", 0.0)], (1,), f"{where} softness")
    texture = arrays.get(f"{_TEXTURE}{index}")
    if texture is not None:
        if texture.dtype != np.uint8 or texture.ndim != 3 or texture.shape[2] not in (3, 4):
            raise FieldError(f"{where} has a texture that is no picture")
        texture.flags.writeable = False
    return Material(tuple(color), texture, tuple(emission), softness)


def _audio(
    fields: dict[str, Any], arrays: Mapping[str, NDArray[Any]], source: str | os.PathLike[str]
) -> Audio:
    rate = fields.get("rate")
    if isinstance(rate, bool) or not isinstance(rate, int) or not 1 <= rate <= 10_000_000:
        raise FieldError("rate is no number of samples in a second")
    start, gain = numbers_of([fields.get("start"), fields.get("gain")], (2,), "start or gain")
    samples = arrays.get("samples")
    if samples is None or len(arrays) > 1 or samples.dtype != np.dtype("<f4") or samples.ndim != 2:
        raise FileFormatError(f"Its samples are missing or of a wrong kind: {source}")
    try:
        return Audio(samples=samples, rate=rate, start=start, gain=gain)
    except PolyoramaError as error:
        raise FileFormatError(f"Its sound is unusable ({error}): {source}") from error
