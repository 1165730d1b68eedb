"""Exports: what is written, and what the measurements of it say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

import polyorama as po
from polyorama.cli import main
from polyorama.core.jobs import Progress, run
from polyorama.core.types import Camera
from polyorama.errors import OutputError, UsageError
from polyorama.io.formats import read_splats
from polyorama.scene.document import Document, Node
from polyorama.scene.selection import BitSet
from polyorama.verbs.export import Level, export, export_job, provenance
from polyorama.verbs.quality import levels_of, likeness, recommended, size_and_quality
from polyorama.vision.fit.losses import ssim
from tests.engine.splat_samples import sample_cloud

if TYPE_CHECKING:
    from pathlib import Path


def a_document() -> Document:
    moved = np.eye(4)
    moved[:3, 3] = (3.0, 0.0, 0.0)
    nodes = (
        Node("group", transform=moved, id="group"),
        Node("left", sample_cloud(400, degree=1), id="left", parent="group"),
        Node("right", sample_cloud(300, degree=0, seed=5), id="right"),
    )
    return Document(nodes, up=(0.0, -1.0, 0.0))


def written(path: Path, document: Document, **options: object) -> int:
    done = export(document, path, **options)  # type: ignore[arg-type]
    assert done.path == path
    assert done.nbytes == path.stat().st_size
    assert len(read_splats(path)) == done.splats
    return done.splats


def test_what_is_visible_is_written_in_world_space(tmp_path: Path) -> None:
    document = a_document()
    path = tmp_path / "all.ply"
    assert written(path, document) == 700
    cloud = read_splats(path)
    left = document.node("left").splats
    assert left is not None
    assert np.allclose(cloud.means[:400], left.means + np.array((3.0, 0.0, 0.0)), atol=1e-5)
    assert cloud.sh_degree == 1
    assert cloud.up == document.up
    hidden = replace(document.node("right"), visible=False)
    assert written(path, document.replaced(hidden)) == 400


def test_deleted_and_hidden_splats_stay_behind(tmp_path: Path) -> None:
    document = a_document()
    node = replace(
        document.node("right"),
        hidden=BitSet.of_indices(range(100), 300), deleted=BitSet.of_indices(range(90, 150), 300),
    )  # fmt: skip
    assert written(tmp_path / "rest.ply", document.replaced(node)) == 550


def test_selections_and_single_things_can_be_written(tmp_path: Path) -> None:
    document = a_document()
    path = tmp_path / "part.ply"
    with pytest.raises(UsageError, match="No splats are selected"):
        export(document, path, "selection")
    chosen = replace(document, selection={"left": BitSet.of_indices(range(7), 400)})
    assert written(path, chosen, what="selection") == 7
    assert written(path, document, what="right") == 300
    assert written(path, document, what="group") == 400
    with pytest.raises(UsageError, match="no node"):
        export(document, path, "middle")


def test_edit_stacks_are_carried_out_at_their_time(tmp_path: Path) -> None:
    doc = po.edit(a_document())
    doc.add_modifier("right", "transform", values={"translation": (1.0, 2.0, 3.0)})
    path = tmp_path / "moved.ply"
    export(doc.document, path, "right")
    before = doc.document.node("right").splats
    assert before is not None
    assert np.allclose(read_splats(path).means, before.means + np.array((1.0, 2.0, 3.0)), atol=1e-5)


def test_levels_thin_out(tmp_path: Path) -> None:
    path = tmp_path / "few.ply"
    count = written(path, a_document(), degree=0, share=50.0)
    assert count == 350
    assert read_splats(path).sh_degree == 0


def test_projects_keep_their_things(tmp_path: Path) -> None:
    camera = Camera.look_at((0, 0, -5), (0, 0, 0), (0, -1, 0), fov=40.0, size=(64, 48))
    document = replace(a_document(), camera=camera, background=(0.1, 0.2, 0.3))
    path = tmp_path / "plain.poly"
    done = export(document, path)
    assert (done.splats, done.nbytes) == (700, path.stat().st_size)
    again = po.open(path)
    assert [node.name for node in again.nodes] == ["left", "right"]
    assert again.background == (0.1, 0.2, 0.3)
    assert again.camera is not None
    assert not any(node.modifiers for node in again.nodes)


def test_the_file_tells_what_was_done(tmp_path: Path) -> None:
    doc = po.edit(a_document())
    doc.select("opacity < 0.3")
    doc.delete()
    calls = [call for step in doc.done for call in step]
    lines = provenance(calls, ["a.ply"])
    assert lines[0].startswith("made by polyorama")
    assert lines[1:] == ("from a.ply", "doc.select(query='opacity < 0.3')", "doc.delete()")
    path = tmp_path / "told.ply"
    export(doc.document, path, comments=lines)
    assert read_splats(path).comments[-len(lines) :] == lines
    assert "after 5 earlier steps" in provenance(calls[:1] * 405)


def test_nothing_is_left_of_an_export_that_stops(tmp_path: Path) -> None:
    job = export_job(a_document(), tmp_path / "stopped.sog")
    assert isinstance(next(job), Progress)
    job.close()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(OutputError, match="Cannot write this kind"):
        export(a_document(), tmp_path / "scene.txt")
    with pytest.raises(OutputError, match="Nothing is exported"):
        export(Document(), tmp_path / "nothing.ply")
    with pytest.raises(OutputError, match="does not exist"):
        export(a_document(), tmp_path / "no" / "scene.ply")
    assert list(tmp_path.iterdir()) == []


def test_levels_are_checked() -> None:
    assert str(Level(".spz", 1, 50.0)) == ".spz, SH 1, 50 %"
    with pytest.raises(UsageError, match="SH degree"):
        Level(".spz", 4)
    with pytest.raises(UsageError, match="share"):
        Level(".spz", share=0.0)
    with pytest.raises(OutputError, match="Cannot write"):
        Level(".txt")
    assert len(set(levels_of(3))) == len(levels_of(3)) > 12


def view() -> Camera:
    return Camera.look_at((1.5, 0, -9), (1.5, 0, 0), (0, -1, 0), fov=40.0, size=(120, 90))


def test_measurements_come_one_by_one_and_leave_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    levels = [Level(".ply", 1), Level(".splat", 0), Level(".spz", 1), Level(".spz", 1, 25.0)]
    job = size_and_quality(a_document(), view(), levels)
    seen = []
    while True:
        try:
            progress = next(job)
        except StopIteration as stop:
            found = stop.value
            break
        if progress.preview is not None:
            seen.append(progress.preview)
    assert seen[-1] == found
    assert [len(part) for part in seen] == sorted(len(part) for part in seen)
    assert {len(part) for part in seen} == {0, 1, 2, 3, 4}
    assert [m.level for m in found] == levels
    assert [m.splats for m in found] == [700, 700, 700, 175]
    ply, splat, spz, few = found
    assert ply.psnr > 90.0
    assert ply.ssim == pytest.approx(1.0, abs=1e-5)
    assert ply.nbytes > spz.nbytes > few.nbytes
    assert ply.psnr > spz.psnr > few.psnr
    assert splat.nbytes == 32 * 700
    assert list(tmp_path.iterdir()) == []
    stopped = size_and_quality(a_document(), view(), levels)
    for progress in stopped:
        if progress.preview:
            stopped.close()
            break
    assert list(tmp_path.iterdir()) == []


def test_likeness_is_that_of_fitting() -> None:
    random = np.random.default_rng(2)
    first = random.random((40, 50, 3), np.float32)
    second = np.clip(first + 0.1 * random.normal(size=first.shape), 0, 1).astype(np.float32)
    psnr, similar = likeness(second, first)
    assert psnr == pytest.approx(-10.0 * math.log10(((first - second) ** 2).mean()), abs=1e-4)
    slow = ssim(torch.from_numpy(second), torch.from_numpy(first))
    assert similar == pytest.approx(float(slow), abs=1e-5)
    assert likeness(first, first)[0] == math.inf


def test_the_smallest_good_file_is_recommended() -> None:
    found = run(size_and_quality(a_document(), view(), [Level(".ply", 1), Level(".spz", 1)]))
    alike = [replace(m, psnr=50.0, ssim=0.99) for m in found]
    assert recommended(alike) is alike[1]
    assert recommended([alike[0], replace(alike[1], ssim=0.9)]) is alike[0]
    thin = replace(alike[1], level=Level(".spz", 1, 25.0), nbytes=1)
    assert recommended([*alike, thin]) is alike[1], "thinned out, only this view is alike"
    far = [replace(m, psnr=20.0 + number) for number, m in enumerate(found)]
    assert recommended(far) is far[1]
    assert recommended([]) is None


def test_the_command_line_exports(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project, out = tmp_path / "a.poly", tmp_path / "a.spz"
    export(a_document(), project)
    assert main(["export", str(project), "-o", str(out), "--what", "left", "--sh-degree", "0"]) == 0
    assert len(read_splats(out)) == 400
    assert "400 splats" in capsys.readouterr().err
    assert main(["export", str(project)]) == 2
    assert "--measure" in capsys.readouterr().err
    words = ["--measure", "--size", "60x40", "--eye", "1.5,0,-9", "--target", "1.5,0,0"]
    assert main(["export", str(project), "--what", "right", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert sum("best" in line for line in lines) == 1
    assert any(line.startswith(".sog") for line in lines)
