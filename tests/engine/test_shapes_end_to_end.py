"""From files with bad names to what was sought, with the embedder that comes along."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image

from polyorama.cli import main
from polyorama.shapes.clip.net import Clip
from polyorama.shapes.procedural.family import make_shape
from polyorama.shapes.raster import prepare
from polyorama.shapes.training.pictures import photographs
from tests.engine.clip_samples import CONFIG, duoduo_checkpoint, random_state, write_vocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.scene.mesh import Mesh

NAMES = ("armchair", "burger", "sailing ship", "pine tree", "sword", "mug", "taxi", "gravestone")
SEED = 101
"""Training made shapes of seeds below 100."""


def write_obj(path: Path, mesh: Mesh) -> None:
    """As OBJ with coloured vertices, y up again."""
    assert mesh.colors is not None
    lines = [
        f"v {-x:.5f} {-y:.5f} {z:.5f} {r:.4f} {g:.4f} {b:.4f}"
        for (x, y, z), (r, g, b) in zip(mesh.vertices, mesh.colors, strict=True)
    ]
    lines += [f"f {a} {b} {c}" for a, b, c in mesh.triangles + 1]
    path.write_text("\n".join(lines))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("models")
    for number, name in enumerate(NAMES):
        write_obj(made / f"asset_{number:03d}.obj", make_shape(name, SEED).mesh)
    return made


@pytest.fixture(scope="module")
def place(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("library")
    assert main(["shapes", "index", str(folder), "--library", str(library)]) == 0
    return library


def found(place: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> list[int]:
    """Numbers of the models found, best first."""
    capsys.readouterr()
    assert main(["shapes", "search", *arguments, "--json", "--library", str(place)]) == 0
    matches = json.loads(capsys.readouterr().out)["matches"]
    return [int(match["path"].rpartition("_")[2][:3]) for match in matches]


def test_words_find_what_files_do_not_say(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By chance six or more of eight come first with odds of 1 in 12,000."""
    first = [found(place, capsys, *name.split())[0] for name in NAMES]
    assert sum(a == b for a, b in zip(first, range(len(NAMES)), strict=True)) >= 6


def test_photographs_find_their_shape(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = 0
    for number, name in enumerate(NAMES):
        shape = prepare(make_shape(name, SEED).mesh)
        picture = photographs(shape, 1, 200, np.random.default_rng(number))[0]
        Image.fromarray(picture).save(tmp_path / "photo.jpg")
        right += found(place, capsys, "--image", str(tmp_path / "photo.jpg"))[0] == number
    assert right >= 6


def test_a_shape_finds_its_kind(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = 0
    for number, name in enumerate(NAMES):
        write_obj(tmp_path / "other.obj", make_shape(name, SEED + 1).mesh)
        right += found(place, capsys, "--like", str(tmp_path / "other.obj"))[0] == number
    assert right >= 6


def test_results_as_one_picture(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found(place, capsys, "ship", "--sheet", str(tmp_path / "sheet.png"))
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.size == (5 * 212 + 12, 2 * 246 + 12)
        pixels = np.asarray(sheet.convert("RGB")).astype(int)
    assert np.ptp(pixels[20:200, 20:200].reshape(-1, 3), axis=0).max() > 60  # a model, not a card


def test_another_model_indexes_beside(
    folder: Path, place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.save(duoduo_checkpoint(random_state(Clip(CONFIG))), tmp_path / "tiny_LT1.ckpt")
    write_vocabulary(tmp_path)
    tiny = str(tmp_path / "tiny_LT1.ckpt")
    assert main(["shapes", "search", "ship", "--library", str(place), "--model", tiny]) == 2
    assert "index it again" in capsys.readouterr().err
    assert main(["shapes", "index", str(folder), "--library", str(place), "--model", tiny]) == 0
    assert len(found(place, capsys, "ship", "--model", tiny)) == len(NAMES)
    assert len(found(place, capsys, "ship")) == len(NAMES)  # the first one's vectors stay
    assert main(["shapes", "search", "x", "--library", str(place), "--model", "none-such"]) == 2
    assert "none-such" in capsys.readouterr().err
