"""Reads mutated files in a process of its own, whose memory is limited; used by test_io_fuzz.

    python -m tests.engine.fuzz_worker KIND FOLDER FIRST LAST

FOLDER holds the valid files, KIND (see `READERS`) says how they are read. The last line printed is
JSON: how often reading succeeded and how often it ended in an error, what else came of it, and the
slowest file.
"""

from __future__ import annotations

import copy
import faulthandler
import gzip
import io
import json
import re
import struct
import sys
import time
import traceback
import warnings
import zipfile
from pathlib import Path

import numpy as np

from polyorama.errors import PolyoramaError
from polyorama.io.cameras import read_cameras
from polyorama.io.formats import read_splats
from polyorama.io.mesh import read_mesh
from polyorama.io.project import read_project
from polyorama.scene.rules import parse_rule
from tests.engine.splat_samples import sample_cloud

ROOM = 1 << 30
"""Bytes of address space that reading may take beyond what the process has at the start."""

HANGS_AFTER = 60.0
"""Seconds after which one file counts as a hang; the process then prints where it is and ends."""

EXTREMES = [0, 1, 2, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFE, 0xFFFFFFFF]
ODD_VALUES = [
    None, True, -1, 0, 0.5, 1e308, -1e308, 2**31, 2**63, 10**400, "", "../x", "\0", [], {}, [[]],
]  # fmt: skip


CLOUD = sample_cloud(20, 1, extras={"label": np.arange(20)})


def use_rule(path: Path) -> bool:
    rule = parse_rule(path.read_bytes().decode("latin-1"))
    return rule.mask(CLOUD).shape == (20,)


READERS = {
    "splats": lambda path: len(read_splats(path)) > 0,
    "meshes": lambda path: len(read_mesh(path).triangles) > 0,
    "projects": lambda path: read_project(path).nodes is not None,
    "cameras": lambda path: len(read_cameras(path)) > 0,
    "rules": use_rule,
}
"""What is done with a file of each kind; true where something came of it."""


WORDS = (
    *("x", "hue", "scale", "label", "min", "not ", " and ", " or ", " in ", "..", "<", ">="),
    *("(", ")", ",", "0", "1e999", "-3", "1e-45", "0x1", "nan", ".", "**", "/", "color", "x.x"),
)


def mutated_bytes(data: bytes, rng: np.random.Generator) -> bytes:
    """One to three random damages."""
    data = bytearray(data)
    for _ in range(rng.integers(1, 4)):
        if not data:
            break
        # Headers lie at the front, so half of the damage goes there.
        reach = len(data) if rng.random() < 0.5 else min(len(data), 96)
        at = int(rng.integers(reach))
        length = int(rng.integers(1, 33))
        match rng.integers(7):
            case 0:
                for _ in range(rng.integers(1, 9)):
                    data[int(rng.integers(reach))] ^= 1 << int(rng.integers(8))
            case 1:
                del data[int(rng.integers(len(data))) :]
            case 2:
                start = int(rng.integers(len(data)))
                data[at : at + length] = data[start : start + length]
            case 3:
                del data[at : at + length]
            case 4:
                data[at:at] = rng.bytes(length)
            case 5:
                width, code = [(2, "<H"), (4, "<I"), (8, "<Q")][int(rng.integers(3))]
                at = at // width * width
                if at + width <= len(data):
                    value = EXTREMES[int(rng.integers(len(EXTREMES)))]
                    struct.pack_into(code, data, at, value & ((1 << 8 * width) - 1))
            case 6:
                data[at : at + length] = rng.bytes(length)
    return bytes(data)


def mutated_words(text: str, rng: np.random.Generator) -> bytes:
    """A rule of which a word or two are gone, doubled, or other ones."""
    words = re.findall(r"\s+|\d+\.?\d*|\w+|[<>=!*]+|\S", text)
    for _ in range(rng.integers(1, 3)):
        at = int(rng.integers(len(words)))
        match rng.integers(3):
            case 0:
                words[at : at + 1] = []
            case 1:
                words[at:at] = [words[at]]
            case 2:
                words[at] = WORDS[int(rng.integers(len(WORDS)))]
        words = words or ["x"]
    return "".join(words).encode()


def mutated_json(text: bytes, rng: np.random.Generator) -> bytes:
    """A document in which a few values are of another kind, missing, or absurd."""
    document = json.loads(text)
    for _ in range(rng.integers(1, 4)):
        node, key = None, None
        value = document
        while isinstance(value, (dict, list)) and value and (node is None or rng.random() < 0.8):
            node = value
            keys = list(value) if isinstance(value, dict) else range(len(value))
            key = keys[int(rng.integers(len(keys)))]
            value = node[key]
        if node is None:
            break
        if rng.random() < 0.2:
            del node[key]
        elif rng.random() < 0.3 and isinstance(value, (int, float)) and abs(value) < 1e300:
            node[key] = value * [2, -1, 1000, 0.5][int(rng.integers(4))]
        else:
            node[key] = copy.deepcopy(ODD_VALUES[int(rng.integers(len(ODD_VALUES)))])
    return json.dumps(document).encode()


def mutated_file(name: str, data: bytes, rng: np.random.Generator) -> bytes:
    """Damage to a file, or to what lies inside its wrapping."""
    inside = rng.random() < 0.6
    if inside and data[:2] == b"\x1f\x8b":
        return gzip.compress(mutated_bytes(gzip.decompress(data), rng), 1)
    if inside and data[:4] == b"PK\x03\x04":
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = {part: archive.read(part) for part in archive.namelist()}
        part = list(parts)[int(rng.integers(len(parts)))]
        if rng.random() < 0.5:
            described = next(name for name in parts if name.endswith(".json"))
            parts[described] = mutated_json(parts[described], rng)
        else:
            parts[part] = mutated_bytes(parts[part], rng)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for part, content in parts.items():
                archive.writestr(part, content)
        return buffer.getvalue()
    if inside and data[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", data, 12)
        text = mutated_json(data[20 : 20 + length], rng)
        text += b" " * (-len(text) % 4)
        body = struct.pack("<I4s", len(text), b"JSON") + text + data[20 + length :]
        return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body
    if inside and name.endswith(".txt"):
        return mutated_words(data.decode(), rng)
    if inside and name.endswith((".gltf", ".json")):
        return mutated_json(data, rng)
    return mutated_bytes(data, rng)


def limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if sys.platform == "linux" else 0
    if pages:
        limit = pages * resource.getpagesize() + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def main(kind: str, folder: Path, first: int, last: int) -> None:
    warnings.simplefilter("error")
    read = READERS[kind]
    seeds = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}
    names = list(seeds)
    for name in names:  # imports and kernels take their memory before the limit is set
        assert read(folder / name), name
    limit_memory()
    scratch = folder / "scratch"
    scratch.mkdir(exist_ok=True)
    good, errors, failures, slowest = 0, 0, [], (0.0, "")
    for number in range(first, last):
        rng = np.random.default_rng(number)
        name = names[number % len(names)]
        path = scratch / f"{first}-{name}"
        path.write_bytes(mutated_file(name, seeds[name], rng))
        faulthandler.dump_traceback_later(HANGS_AFTER, exit=True)
        start = time.perf_counter()
        try:
            assert read(path)
            good += 1
        except PolyoramaError as error:
            errors += 1
            text = str(error)
            sentence = text.partition("\n")[0] if kind == "rules" else text
            named = kind == "rules" or path.name in text
            if "memory" in text or "\n" in sentence or len(sentence) > 600 or not named:
                failures.append(f"{number} {name}: a poor sentence: {text[:300]}")
        except BaseException as error:  # noqa: BLE001 - anything else is what we look for
            where = traceback.format_exc().splitlines()[-9:]
            failures.append(f"{number} {name}: {error!r:.200}\n" + "\n".join(where))
        faulthandler.cancel_dump_traceback_later()
        slowest = max(slowest, (time.perf_counter() - start, f"{number} {name}"))
    report = {"good": good, "errors": errors, "failures": failures, "slowest": slowest}
    sys.stdout.write(json.dumps(report) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
