"""The process that parses for us may crash, hang, eat memory or babble; the next file goes on."""

from __future__ import annotations

import io
import json
import struct
import sys
import threading

import numpy as np
import pytest

from polyorama.errors import FileFormatError, UnavailableError
from polyorama.io.mesh_parts import MAX_CORNERS, Part
from polyorama.scene.mesh import Material
from polyorama.shapes.load import load_asset
from polyorama.shapes.loaders import remote
from polyorama.shapes.loaders.parcel import Found, Surface, receive, refuse, send
from polyorama.shapes.loaders.remote import Remote
from tests.engine.model_samples import CORNERS, FACES

# A parser as bad as they come: its files are named after what it does with them.
HOSTILE = """
import ctypes, os, sys, time, types
import numpy as np
from polyorama.errors import FileFormatError
from polyorama.io.mesh_parts import Part
from polyorama.shapes.loaders import worker
from polyorama.shapes.loaders.parcel import Found, Surface

served = 0

def read(path):
    global served
    served += 1
    name = path.stem
    if name == "abort" or (name == "old-abort" and served > 1):
        os.abort()
    if name == "segfault":
        ctypes.string_at(0)
    if name == "exit":
        os._exit(7)
    if name == "hang":
        time.sleep(600)
    if name == "eat":
        np.ones(1 << 40, np.uint8)
    if name == "refuse":
        raise FileFormatError("It will not do")
    if name == "raise":
        raise RuntimeError("something\\nodd")
    if name == "missing":
        import no_such_package
    if name == "babble":
        print("loading...")
        os.write(1, b"from C")
    if name == "nonsense":
        answers.write(b"\\xff" * 64)
        answers.flush()
    surface = Surface()
    faces = np.array([[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]])
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 0, 3], [0, 2, 0]])
    if name == "count":
        corners = served * corners
    return Found([Part(corners, faces, material=surface.material)], [surface])

worker.READERS = dict.fromkeys(worker.READERS, "hostile")
sys.modules["hostile"] = types.SimpleNamespace(read=read)
real = worker.serve

def serve(requests, out):
    global answers
    answers = out
    real(requests, out)

worker.serve = serve
worker.main()
"""


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    """The hostile parser takes the place of the real ones."""
    script = tmp_path / "hostile_worker.py"
    script.write_text(HOSTILE)
    made = Remote((sys.executable, str(script)), seconds=20.0)
    monkeypatch.setattr(remote, "_shared", made)
    yield made
    made.close()


def file(tmp_path, name):
    path = tmp_path / f"{name}.fbx"
    path.write_bytes(b"content")
    return path


@pytest.mark.parametrize(("name", "said"), [
    ("abort", "SIGABRT"), ("segfault", "SIGSEGV"), ("exit", "status 7"),
    ("nonsense", "makes no sense"),
])  # fmt: skip
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no signals")
def test_a_crash_costs_one_file(tmp_path, hostile, name, said):
    assert load_asset(file(tmp_path, "good")).polygons == 4
    path = file(tmp_path, name)
    with pytest.raises(FileFormatError, match=said) as caught:
        load_asset(path)
    assert str(caught.value).endswith(str(path))
    assert "\n" not in str(caught.value)
    assert load_asset(file(tmp_path, "good")).polygons == 4


def test_a_hang_ends_at_the_limit_and_costs_one_file(tmp_path, hostile):
    assert load_asset(file(tmp_path, "good")).polygons == 4
    hostile._seconds = 1.0
    with pytest.raises(FileFormatError, match=r"took longer than 1 s .*hang\.fbx"):
        load_asset(file(tmp_path, "hang"))
    hostile._seconds = 20.0
    assert load_asset(file(tmp_path, "good")).polygons == 4


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of memory are Linux's")
def test_memory_has_a_limit(tmp_path, hostile):
    with pytest.raises(FileFormatError, match=r"not enough memory .*eat\.fbx"):
        load_asset(file(tmp_path, "eat"))
    assert load_asset(file(tmp_path, "good")).polygons == 4


@pytest.mark.parametrize(("name", "said"), [
    ("refuse", "It will not do: "), ("raise", "RuntimeError: something odd"),
    ("missing", r"no_such_package.*; pip install 'polyorama\[shapes\]' brings it: "),
])  # fmt: skip
def test_a_refusal_is_passed_on_and_the_process_stays(tmp_path, hostile, name, said):
    first = load_asset(file(tmp_path, "count"))
    with pytest.raises(FileFormatError, match=said) as caught:
        load_asset(file(tmp_path, name))
    assert str(caught.value).endswith(f"{name}.fbx")
    assert "\n" not in str(caught.value)
    third = load_asset(file(tmp_path, "count"))
    # It counts what it served since it started.
    assert third.size == pytest.approx([3 * s for s in first.size])


def test_what_parsers_print_comes_not_between(tmp_path, hostile):
    for _ in range(3):
        assert load_asset(file(tmp_path, "babble")).polygons == 4


def test_a_file_is_not_blamed_for_an_earlier_one(tmp_path, hostile):
    load_asset(file(tmp_path, "good"))
    assert load_asset(file(tmp_path, "old-abort")).polygons == 4


def test_processes_are_replaced_after_many_files(tmp_path, hostile, monkeypatch):
    monkeypatch.setattr(remote, "_MOST_FILES", 3)
    heights = [round(load_asset(file(tmp_path, "count")).size[1]) for _ in range(5)]
    assert heights == [2, 4, 6, 2, 4]


def test_threads_take_turns(tmp_path, hostile):
    paths = [file(tmp_path, name) for name in ("good", "abort", "refuse", "good", "babble", "good")]
    results = {}

    def work(k):
        try:
            results[k] = load_asset(paths[k]).polygons
        except FileFormatError:
            results[k] = 0

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(paths))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [results[k] for k in range(len(paths))] == [4, 0, 0, 4, 4, 4]


def test_a_process_that_cannot_start_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "_shared", Remote((str(tmp_path / "no such program"),)))
    with pytest.raises(UnavailableError, match="cannot be started"):
        load_asset(file(tmp_path, "good"))


# --- what is handed over ----------------------------------------------------------------------


def parcel(found):
    out = io.BytesIO()
    send(out, found)
    return out.getvalue()


def sample():
    surface = Surface(Material((0.1, 0.2, 0.3, 0.4)), (1.0, 0.5, 0.25, 1.0), "a.png", b"bytes")
    plain = Surface()
    full = Part(
        CORNERS.astype(np.float32), np.array(FACES), np.full((4, 3), 0.5, np.float32),
        CORNERS[:, :2].astype(np.float32), surface.material,
    )  # fmt: skip
    bare = Part(2 * CORNERS.astype(np.float32), np.array(FACES)[:1], material=plain.material)
    return Found([full, bare, full], [plain, surface], "z", ("a note",))


def test_all_that_is_sent_arrives():
    sent = sample()
    got = receive(io.BytesIO(parcel(sent)))
    assert (got.up, got.notes) == ("z", ("a note",))
    assert [(s.painted, s.name, s.picture) for s in got.surfaces] == [
        (s.painted, s.name, s.picture) for s in sent.surfaces
    ]
    for a, b in zip(sent.parts, got.parts, strict=True):
        for name in ("vertices", "triangles", "colors", "uvs"):
            values = getattr(a, name)
            assert np.array_equal(values, getattr(b, name)) if values is not None else (
                getattr(b, name) is None
            )  # fmt: skip
        assert a.material.color == b.material.color
    assert got.parts[0].material is got.parts[2].material is got.surfaces[1].material


def test_a_parcel_that_is_cut_short_is_noticed():
    whole = parcel(sample())
    for size in range(0, len(whole), 7):
        with pytest.raises((EOFError, ValueError, struct.error)):
            receive(io.BytesIO(whole[:size]))


def _row(**changes):
    return {"parts": [{"surface": 0, "vertices": 3, "triangles": 1, **changes}],
            "surfaces": [{"color": [1] * 4, "emission": [0] * 3, "painted": [1] * 4, "name": "",
                          "bytes": 0}], "up": "y", "notes": []}  # fmt: skip


@pytest.mark.parametrize("header", [
    [], {}, {"parts": 3}, _row(vertices=-1), _row(vertices=1.5), _row(vertices=True),
    _row(triangles=MAX_CORNERS), _row(vertices=MAX_CORNERS + 1), _row(surface=1), _row(surface=-1),
    _row(colors=2), {**_row(), "surfaces": []}, {**_row(), "notes": 3},
    {**_row(), "surfaces": [{**_row()["surfaces"][0], "bytes": 1 << 40}]},
    {**_row(), "surfaces": [{**_row()["surfaces"][0], "color": [float("nan")] * 4}]},
    {**_row(), "surfaces": [{**_row()["surfaces"][0], "color": [1]}]},
])  # fmt: skip
def test_headers_that_make_no_sense_take_no_memory(header):
    text = json.dumps(header).encode()
    with pytest.raises(ValueError, match=r"\w"):
        receive(io.BytesIO(struct.pack("<Q", len(text)) + text + b"\0" * 1000))


def test_headers_that_are_too_long_are_not_read():
    with pytest.raises(ValueError, match="too long"):
        receive(io.BytesIO(struct.pack("<Q", 1 << 40)))


def test_a_reason_arrives_as_an_error():
    out = io.BytesIO()
    refuse(out, "no good")
    with pytest.raises(FileFormatError, match="no good"):
        receive(io.BytesIO(out.getvalue()))
