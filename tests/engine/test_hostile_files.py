"""Damaged files, odd names and full disks: each ends in one sentence of our own words."""

from __future__ import annotations

import errno
import json
import logging
import os
import struct
import zipfile

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.errors import FileFormatError, OutputError, UsageError
from polyorama.io.atomic import atomic_write
from polyorama.io.cameras import read_cameras
from polyorama.io.formats import read_splats, write_splats
from polyorama.io.image import write_float
from polyorama.verbs.convert import convert, stored_bytes
from polyorama.verbs.inspect import inspect
from polyorama.verbs.open import open_document, read_cloud
from tests.engine.splat_samples import sample_cloud


@pytest.fixture
def capture(tmp_path):
    """A small PLY file."""
    write_splats(sample_cloud(50, 1), tmp_path / "a.ply")
    return tmp_path / "a.ply"


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "the disk is full"),
        (errno.EDQUOT, "the disk is full"),
        (errno.EFBIG, "files may not become this large here"),
        (errno.EIO, os.strerror(errno.EIO)),
    ],
)
def test_a_write_that_fails_says_why(tmp_path, number, words):
    with pytest.raises(OutputError) as caught, atomic_write(tmp_path / "a.png"):
        raise OSError(number, os.strerror(number))
    assert str(caught.value) == f"Cannot write ({words}): {tmp_path / 'a.png'}"
    assert not list(tmp_path.iterdir())


def test_encoders_that_pass_on_the_systems_words_are_understood(tmp_path):
    with pytest.raises(OutputError, match=r"\(the disk is full\)"), atomic_write(tmp_path / "a"):
        raise OSError(f"cannot be encoded: {os.strerror(errno.ENOSPC)}.")


def test_float_pictures_say_why_they_cannot_be_written(tmp_path, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    write_float(tmp_path / "a.npy", values)
    np.testing.assert_array_equal(np.load(tmp_path / "a.npy"), values)
    monkeypatch.setattr("polyorama.io.image.write_all", full)
    with pytest.raises(OutputError, match="the disk is full"):
        write_float(tmp_path / "b.npy", values)


def test_an_archive_that_points_outside_itself_is_called_damaged(tmp_path):
    path = tmp_path / "a.sog"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("meta.json", "{}")
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x05\x06")
    # The table of contents is said to be longer than all before it.
    struct.pack_into("<I", data, at + 12, len(data) * 3)
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="archive is damaged"):
        read_splats(path)


def test_what_follows_the_splats_of_an_spz_is_told(tmp_path, caplog):
    for version in (3, 4):
        path = tmp_path / f"{version}.spz"
        write_splats(sample_cloud(20, 1), path, version=version)
        with caplog.at_level(logging.WARNING):
            read_splats(path)
        assert not caplog.records
        path.write_bytes(path.read_bytes() + b"more")
        with caplog.at_level(logging.WARNING):
            assert len(read_splats(path)) == 20
        assert "4 bytes follow the splats" in caplog.text
        caplog.clear()


def test_a_mesh_without_area_names_its_file(tmp_path):
    path = tmp_path / "flat.obj"
    path.write_text("v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n")
    for use in (read_cloud, inspect):
        with pytest.raises(UsageError, match=r"has no area.*flat\.obj"):
            use(path)


def test_the_formats_that_can_be_written_are_all_listed(capture):
    with pytest.raises(OutputError, match=r"\.csv, \.glb, \.gltf, \.ply, \.sog") as caught:
        convert(capture, capture.with_name("a.zzz"))
    assert ".ksplat" not in str(caught.value)


def test_the_size_of_a_gltf_counts_its_buffer(capture):
    target = capture.with_name("b.gltf")
    done = convert(capture, target)
    both = target.stat().st_size + target.with_suffix(".bin").stat().st_size
    assert done.bytes_written == both == stored_bytes(target)


@pytest.mark.parametrize("use", [open_document, read_cloud, inspect, read_splats, read_cameras])
def test_a_file_without_a_name_is_not_the_folder(use):
    with pytest.raises(FileFormatError, match="without a name"):
        use("")


def test_an_output_without_a_name_is_refused(capture):
    with pytest.raises(OutputError, match="without a name"):
        convert(capture, "")


def test_files_after_two_dashes_may_begin_with_one(capture, monkeypatch, capsys):
    monkeypatch.chdir(capture.parent)
    capture.rename("-dash.ply")
    assert main(["convert", "--repair", "--", "-dash.ply", "-out.splat"]) == 0
    assert "-out.splat" in capsys.readouterr().err
    assert len(read_splats("-out.splat")) == 50
    assert main(["convert", "./-dash.ply", "--", "-again.ply"]) == 0
    assert main(["info", "--", "-dash.ply"]) == 0


GOOD = {
    "width": 64, "height": 48, "position": [0, 0, -3], "fx": 50, "fy": 50,
    "rotation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}  # fmt: skip


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("a", "it is no object"),
        ({**GOOD, "width": "a"}, "its width holds something that is no number"),
        ({**GOOD, "width": None}, "its width holds NaN or infinity"),
        ({**GOOD, "height": float("inf")}, "its height holds NaN or infinity"),
        ({**GOOD, "fx": [1]}, "its fx is not one number"),
        ({**GOOD, "fy": {}}, "its fy holds something that is no number"),
        ({**GOOD, "rotation": "x"}, "its rotation holds something that is no number"),
        ({**GOOD, "rotation": [[1, 0], [0]]}, "its rotation holds something that is no number"),
        ({**GOOD, "position": []}, "its position is not 3 numbers"),
        ({**GOOD, "rotation": [1, 2]}, "its rotation is not 3 by 3 numbers"),
        ({k: v for k, v in GOOD.items() if k != "fx"}, "has no 'fx'"),
    ],
)
def test_damaged_cameras_are_described_in_words(tmp_path, entry, words):
    path = tmp_path / "cameras.json"
    path.write_text(json.dumps([GOOD, entry]))
    with pytest.raises(FileFormatError) as caught:
        read_cameras(path)
    assert str(caught.value) in (
        f"Camera 1 is damaged ({words}): {path}", f"Camera 1 {words}: {path}",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"[1,\n 2,,]", "line 2, column 4"),
        (b"[" * 200_000, "it is nested too deeply"),
        (b'["\xff\xfe\xfa"]', "its text is not UTF-8"),
        (b"[" + b"9" * 10_000 + b"]", "it holds a number of too many digits"),
    ],
)
def test_what_is_no_json_is_described_in_words(tmp_path, text, words):
    path = tmp_path / "cameras.json"
    path.write_bytes(text)
    with pytest.raises(FileFormatError) as caught:
        read_cameras(path)
    assert str(caught.value) == f"This is not valid JSON ({words}): {path}"


def test_the_help_of_info_tells_its_status(capsys):
    with pytest.raises(SystemExit):
        main(["info", "--help"])
    assert "exit status is 0" in capsys.readouterr().out
