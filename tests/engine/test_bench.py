"""The benchmarks say what they did, and the picture is the one that `render` makes."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.core.types import Camera
from polyorama.errors import UsageError
from polyorama.io.formats import write_splats
from polyorama.render.resolve import draw
from polyorama.verbs.bench import bench_files, bench_render, synthetic_cloud
from polyorama.verbs.open import open_document


@pytest.fixture
def capture(tmp_path):
    path = tmp_path / "small.splat"
    write_splats(synthetic_cloud(2000, sh_degree=0), path)
    return path


def test_render_ends_with_one_json_line_and_the_starting_picture(capture, tmp_path, capsys):
    picture = tmp_path / "start.png"
    status = main(
        ["bench", "render", str(capture), "--eye", "-1,-2,9", "--target", "0,0,0", "--up", "0,-1,0",
         "--size", "160x90", "--frames", "3", "--warmup", "1", "--png", str(picture)]
    )  # fmt: skip
    assert status == 0
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert 0 < figures["needed_pairs"] <= figures["pairs"]
    assert figures["splats"] == 2000
    assert {"ms_per_frame", "load_ms", "sort_ms", "draw_ms", "ns_per_pair", "share_of_peak"} <= set(
        figures
    )
    camera = Camera.look_at((-1, -2, 9), (0, 0, 0), (0, -1, 0), fov=45, size=(160, 90))
    expected = draw(open_document(capture), camera).rgba8
    assert np.array_equal(np.asarray(Image.open(picture).convert("RGB")), expected[..., :3])


def test_harmonics_can_be_padded(capture):
    camera = Camera.look_at((0, 0, 9), (0, 0, 0), size=(64, 36))
    figures, _ = run(
        bench_render(
            capture, camera, target=(0, 0, 0), up=(0, -1, 0), frames=1, warmup=0, sh_degree=3
        )
    )
    assert figures["sh_degree"] == 3


def test_no_frames_is_refused(capture):
    camera = Camera.look_at((0, 0, 9), (0, 0, 0), size=(64, 36))
    with pytest.raises(UsageError, match="at least one frame"):
        run(bench_render(capture, camera, target=(0, 0, 0), up=(0, -1, 0), frames=0))
    with pytest.raises(UsageError, match="ask for 1 to"):
        run(bench_files(0))


def test_files_are_timed_in_every_format():
    figures = run(bench_files(3000))
    endings = (".ply", ".compressed.ply", ".spz", ".sog", ".glb")
    for ending in endings:
        assert {f"write{ending}_s", f"read{ending}_s"} <= set(figures)
    # Uncompressed, then half precision and less.
    assert figures["bytes.ply"] > 3 * figures["bytes.compressed.ply"]
    assert figures["bytes.compressed.ply"] > figures["bytes.spz"]
    assert "read.ply_peak_over_file" in figures
