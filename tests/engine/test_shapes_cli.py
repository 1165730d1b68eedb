"""``polyorama shapes`` and the verbs behind it, with models of one line each."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from PIL import Image

import polyorama as po
from polyorama.cli import main
from polyorama.shapes.library.asking import read_picture
from polyorama.shapes.library.asset import Query
from polyorama.verbs.shapes import library_folder
from tests.engine.shapes_library_samples import FakeDescriber, FakeEmbedder, library, model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of the fakes, wherever one is opened without saying how."""
    monkeypatch.setenv("POLYORAMA_LIBRARY", str(tmp_path / "lib"))
    monkeypatch.setattr("polyorama.verbs.shapes.Library", library)
    return tmp_path / "lib"


@pytest.fixture
def models(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    model(folder / "wooden_chair.glb", "red wooden chair", 1200)
    model(folder / "table.obj", "green table", 40)
    model(folder / "plant.splat", "splatty green plant", 5000)
    model(folder / "bad.glb", "broken")
    return folder


def test_index_then_search(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shapes", "index", str(models)]) == 0
    out, err = capsys.readouterr()
    assert "3 models indexed: 3 new, 1 failed" in out
    assert err == f"The model is broken; export it again: {models / 'bad.glb'}\n"
    assert main(["shapes", "search", "wooden", "chair", "--limit", "2"]) == 0
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert len(lines) == 5
    head, first = lines[0], lines[1]
    assert head.split() == ["Score", "Name", "Polygons", "Licence", "View", "Path"]
    assert "wooden chair" in first
    assert "1,200" in first
    assert first.endswith(str(models / "wooden_chair.glb"))
    assert lines[-1] == "Compared by words that are counted"
    assert main(["shapes", "index"]) == 0
    out, _ = capsys.readouterr()
    assert "3 unchanged, 1 failed before (--retry looks again)" in out


def test_search_as_json(models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["shapes", "index", str(models), "--json"])
    report = json.loads(capsys.readouterr().out)
    assert (report["added"], [f["path"] for f in report["failures"]]) == (
        3, [str(models / "bad.glb")],
    )  # fmt: skip
    view = FakeDescriber().describe(models / "plant.splat").views[2]
    Image.fromarray(view).save(tmp_path / "photo.png")

    def found(*arguments: str) -> list[str]:
        assert main(["shapes", "search", *arguments, "--json"]) == 0
        answer = json.loads(capsys.readouterr().out)
        assert answer["embedder"] == "words that are counted"
        return [os.path.basename(match["path"]) for match in answer["matches"]]

    assert found("--image", str(tmp_path / "photo.png"))[0] == "plant.splat"
    assert found("--like", str(models / "table.obj"), "--limit", "1") == ["table.obj"]
    outside = model(tmp_path / "elsewhere" / "t.glb", "green table with drawers")
    assert found("--like", str(outside), "--limit", "1") == ["table.obj"]
    assert found("green", "--without", "table", "--no-names")[0] == "plant.splat"
    assert found("--filter", "polys < 5000 and not format = obj") == ["wooden_chair.glb"]
    assert found("--filter", "kind = splats") == ["plant.splat"]


def test_wrong_questions_are_told_in_a_sentence(
    models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def told(*arguments: str) -> str:
        assert main(["shapes", *arguments]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err.count("\n") == 1
        return err

    assert "polyorama shapes index FOLDER" in told("search", "chair")
    assert "watches no folder" in told("index")
    assert "no such folder" in told("index", str(tmp_path / "nowhere"))
    main(["shapes", "index", str(models)])
    capsys.readouterr()
    assert "'colour' at letter 1" in told("search", "--filter", "colour = red")
    assert "no such file" in told("search", "--like", str(tmp_path / "none.glb"))
    assert "broken" in told("search", "--like", str(models / "bad.glb"))
    assert "not watched" in told("folders", "--remove", str(tmp_path))


def test_nothing_indexed_is_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model(tmp_path / "models" / "bad\nname.glb", "broken")
    assert main(["shapes", "index", str(tmp_path / "models")]) == 2
    out, err = capsys.readouterr()
    assert "0 models indexed: 1 failed" in out
    assert r"bad\nname.glb" in err
    assert err.count("\n") == 1


def test_the_rest_of_the_actions(
    models: Path, tmp_path: Path, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (models / "copy.glb").write_bytes((models / "wooden_chair.glb").read_bytes())
    main(["shapes", "index", str(models)])
    capsys.readouterr()
    assert main(["shapes", "dups"]) == 0
    out = capsys.readouterr().out
    assert "Group 1" in out
    assert "1 group of near-duplicates" in out
    assert main(["shapes", "dups", "--json"]) == 0
    (group,) = json.loads(capsys.readouterr().out)
    assert {os.path.basename(asset["path"]) for asset in group} == {
        "copy.glb", "wooden_chair.glb",
    }  # fmt: skip
    assert main(["shapes", "stats", "--check"]) == 0
    out = capsys.readouterr().out
    for part in ("Models      4", "Failures    1", "3 vectors of fake-1", "Damage      none"):
        assert part in out
    assert main(["shapes", "stats", "--json"]) == 0
    stats = json.loads(capsys.readouterr().out)
    assert (stats["assets"], stats["groups"], stats["library"]) == (4, 1, str(place))
    assert main(["shapes", "folders"]) == 0
    assert capsys.readouterr().out == f"{models}\n"
    assert main(["shapes", "folders", "--remove", str(models)]) == 0
    assert "4 models left" in capsys.readouterr().out
    assert main(["shapes", "folders"]) == 0
    assert "No folder is watched" in capsys.readouterr().out
    other = tmp_path / "other library"
    assert main(["shapes", "index", str(models), "--library", str(other)]) == 0
    assert (other / "library.db").is_file()


def test_verbs(models: Path, place: Path) -> None:
    assert library_folder() == place
    assert po.index_shapes([models]).added == 3
    matches = po.search_shapes("wooden chair", filters="format = glb")
    assert [match.asset.path.name for match in matches] == ["wooden_chair.glb"]
    assert matches[0].score > 0.5
    assert 1 <= matches[0].view <= 4
    shelves = po.library(place)
    number = shelves.search(Query(words="table"), 1).ids[0]
    (best,) = po.search_shapes(like=[int(number)], limit=1, library=shelves)
    assert best.asset.path.name == "table.obj"
    with pytest.raises(po.PolyoramaError, match="no shape of number 99"):
        po.search_shapes(like=[99], library=shelves)
    picture = np.zeros((4, 4, 4), np.uint8)
    with pytest.raises(po.PolyoramaError, match=r"\(H, W, 3\)"):
        po.search_shapes(images=[picture], library=shelves)


def test_photographs_stand_upright_and_on_white(tmp_path: Path) -> None:
    scene = np.zeros((20, 30, 3), np.uint8)
    scene[:10, :15] = (250, 0, 0)
    scene[:10, 15:] = (0, 250, 0)
    scene[10:, :15] = (0, 0, 250)
    # What the camera stores so that Exif's orientation makes the scene of it.
    stored = {
        1: scene, 2: scene[:, ::-1], 3: scene[::-1, ::-1], 4: scene[::-1],
        5: scene.transpose(1, 0, 2), 6: np.rot90(scene), 7: scene[::-1, ::-1].transpose(1, 0, 2),
        8: np.rot90(scene, -1),
    }  # fmt: skip
    for orientation, pixels in stored.items():
        exif = Image.Exif()
        exif[0x0112] = orientation
        path = tmp_path / f"{orientation}.png"
        Image.fromarray(np.ascontiguousarray(pixels)).save(path, exif=exif)
        np.testing.assert_array_equal(read_picture(path), scene)
    clear = np.zeros((4, 4, 4), np.uint8)
    clear[:2] = (10, 20, 30, 255)
    Image.fromarray(clear).save(tmp_path / "clear.png")
    found = read_picture(tmp_path / "clear.png")
    assert found[0, 0].tolist() == [10, 20, 30]
    assert found[3, 3].tolist() == [255, 255, 255]


def test_help_is_there_without_a_model(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["shapes", "search", "--help"])
    assert left.value.code == 0
    assert "polys, splats and size" in capsys.readouterr().out
    assert FakeEmbedder().origin


def test_one_of_a_kind_is_one_and_a_wrong_folder_adds_none(models: Path, tmp_path: Path) -> None:
    """A text is no list of its letters, of which the first would be the whole disk."""
    assert po.index_shapes(str(models)).added == 3
    chair = models / "wooden_chair.glb"
    (first, *_) = po.search_shapes(like=chair)
    assert first.asset.path == chair
    view = FakeDescriber().describe(chair).views[0]
    Image.fromarray(view).save(tmp_path / "photo.png")
    for picture in (str(tmp_path / "photo.png"), view):
        assert po.search_shapes(images=picture)[0].asset.path == chair
    (tmp_path / "more").mkdir()
    with pytest.raises(po.PolyoramaError, match="no such folder"):
        po.index_shapes([tmp_path / "more", tmp_path / "none"])
    library = po.library()
    assert [folder.name for folder in library.folders()] == ["models"]
