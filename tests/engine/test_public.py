"""The package as a script sees it: lazy names, what importing costs, five lines for a film."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import av
import numpy as np
import pytest

import polyorama as po
from tests.engine.fakes import ball

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = (
    "torch", "numba", "llvmlite", "scipy", "av", "PIL", "open3d", "PySide6", "shiboken6",
    "pyqtgraph", "vispy",
)  # fmt: skip


def modules_after(code: str) -> set[str]:
    """Top-level names and our own modules that a fresh interpreter has loaded after `code`."""
    script = f"{code}\nimport sys, json\nprint(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script], capture_output=True, check=True, text=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_importing_the_package_loads_next_to_nothing() -> None:
    loaded = modules_after("import polyorama")
    assert loaded.isdisjoint({*HEAVY, "numpy"})
    assert {name for name in loaded if name.startswith("polyorama.")} == set()


def test_values_need_no_compiler() -> None:
    loaded = modules_after(
        "import polyorama as po\npo.Camera.look_at((0, 0, -1), (0, 0, 0))\npo.Document()\npo.Node"
    )
    assert loaded.isdisjoint(HEAVY)


def test_the_command_line_lists_itself_without_numpy() -> None:
    loaded = modules_after(
        "from polyorama.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass"
    )
    assert loaded.isdisjoint({*HEAVY, "numpy"})


def test_help_of_render_needs_no_numpy() -> None:
    loaded = modules_after(
        "from polyorama.cli import main\ntry:\n    main(['render', '--help'])\n"
        "except SystemExit:\n    pass"
    )
    assert loaded.isdisjoint({*HEAVY, "numpy"})


@pytest.mark.parametrize("name", [name for name in dir(po) if not name.startswith("__")])
def test_every_public_name_exists_and_is_documented(name: str) -> None:
    value = getattr(po, name)
    assert value.__doc__
    assert getattr(po, name) is value


def test_unknown_names_are_told() -> None:
    with pytest.raises(AttributeError, match="no attribute 'splat'"):
        po.splat  # noqa: B018


def test_render_is_the_verb_and_the_room(tmp_path: Path) -> None:
    import polyorama.render.state as room

    assert po.render.state is room
    document = po.Document.of([ball()], ["ball"])
    frame = po.render(document, size=(24, 16))
    assert isinstance(frame, po.Frame)
    assert frame.rgba8.shape == (16, 24, 4)
    camera = po.Camera.look_at((0, 0, -4), (0, 0, 0), size=(20, 10))
    assert po.render(document, camera).rgba8.shape == (10, 20, 4)


def test_five_lines_make_a_film(tmp_path: Path) -> None:
    from polyorama.io.formats import write_splats

    write_splats(ball(), tmp_path / "ball.splat")
    doc = po.open(tmp_path / "ball.splat")
    frames = po.turntable(doc, seconds=0.5, fps=12, size=(64, 48))
    po.write_video(tmp_path / "ball.mp4", frames, fps=12)
    with av.open(str(tmp_path / "ball.mp4")) as container:
        shown = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(shown) == 6
    for frame in shown:
        rows, columns = np.nonzero(frame.max(axis=2) > 40)
        assert 20 < np.ptp(rows) <= 47
        assert abs(columns.mean() - 31.5) < 6


def test_a_real_capture_stands_upright_in_the_middle(shared_data: Path) -> None:
    document = po.open(shared_data / "splats" / "plant.splat")
    assert np.dot(document.up, (0, -1, 0)) > 0.97
    frame = po.render(document, size=(128, 128), background=None)
    alpha = frame.rgba8[..., 3] > 60
    rows, columns = np.nonzero(alpha)
    assert 2 < rows.min() < 25
    assert 103 < rows.max() < 126
    assert abs(columns.min() + columns.max() - 127) < 24
    # The white pot is below, green leaves are above.
    colors = frame.rgba8.astype(float)
    pot, leaves = colors[95:][alpha[95:]].mean(axis=0), colors[:60][alpha[:60]].mean(axis=0)
    assert pot[:3].min() > 120
    assert leaves[1] > 1.1 * leaves[2]
