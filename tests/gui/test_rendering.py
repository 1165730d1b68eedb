"""One picture in flight, one waiting, on a thread that is not the window's."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.errors import UnavailableError
from polyorama_studio.governor import FULL
from polyorama_studio.orbit import OrbitView
from polyorama_studio.rendering import Picture, RenderLoop, Request, to_image
from tests.gui.fakes import a_document

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.gui.fakes import FakeRasterizer


def a_request(number: int, tmp_path: Path, *, moving: bool = False) -> Request:
    view = OrbitView(yaw=float(number))
    return Request(
        number, a_document([tmp_path / "a.ply"]), view, view.camera(40, 30), FULL, None,
        (0.1, 0.2, 0.3), moving,
    )  # fmt: skip


@pytest.fixture
def pictures() -> list[Picture]:
    return []


@pytest.fixture
def loop(rasterizer: FakeRasterizer, pictures: list[Picture]) -> Iterator[RenderLoop]:
    loop = RenderLoop(rasterizer.make, pictures.append, lambda progress: None)
    yield loop
    rasterizer.gate.set()
    loop.close()


def test_only_the_newest_request_waits(
    qtbot: QtBot, loop: RenderLoop, rasterizer: FakeRasterizer, pictures, tmp_path: Path
) -> None:
    rasterizer.gate.clear()
    loop.submit(a_request(0, tmp_path))
    assert rasterizer.entered.wait(10.0)
    for number in range(1, 9):
        loop.submit(a_request(number, tmp_path))
    assert not pictures
    rasterizer.gate.set()
    qtbot.waitUntil(lambda: any(picture.request.generation == 8 for picture in pictures))
    assert [picture.request.generation for picture in pictures] == [0, 8]


def test_nothing_is_drawn_on_this_thread(
    qtbot: QtBot, loop: RenderLoop, rasterizer: FakeRasterizer, pictures, tmp_path: Path
) -> None:
    loop.submit(a_request(0, tmp_path))
    qtbot.waitUntil(lambda: len(pictures) == 1)
    assert rasterizer.threads
    assert threading.get_ident() not in rasterizer.threads


def test_depth_comes_with_still_pictures_only(
    qtbot: QtBot, loop: RenderLoop, rasterizer: FakeRasterizer, pictures, tmp_path: Path
) -> None:
    loop.submit(a_request(0, tmp_path, moving=True))
    qtbot.waitUntil(lambda: len(pictures) == 1)
    assert pictures[0].depth is None
    loop.submit(a_request(1, tmp_path))
    qtbot.waitUntil(lambda: len(pictures) == 2)
    assert pictures[1].depth is not None
    assert rasterizer.outputs == [{"rgba8"}, {"rgba8", "depth"}]


def test_an_error_is_delivered_and_the_loop_goes_on(
    qtbot: QtBot, loop: RenderLoop, rasterizer: FakeRasterizer, pictures, tmp_path: Path
) -> None:
    rasterizer.error = UnavailableError("There is no light.")
    loop.submit(a_request(0, tmp_path))
    qtbot.waitUntil(lambda: len(pictures) == 1)
    assert pictures[0].error is rasterizer.error
    rasterizer.error = None
    loop.submit(a_request(1, tmp_path))
    qtbot.waitUntil(lambda: len(pictures) == 2)
    assert pictures[1].image is not None


def test_a_rasterizer_that_cannot_be_made_is_tried_again(
    qtbot: QtBot, rasterizer: FakeRasterizer, pictures, tmp_path: Path
) -> None:
    tries: list[int] = []

    def make():
        tries.append(1)
        if len(tries) < 3:
            raise UnavailableError("Not yet.")
        return (yield from rasterizer.make())

    loop = RenderLoop(make, pictures.append, lambda progress: None)
    loop.submit(a_request(0, tmp_path))
    qtbot.waitUntil(lambda: len(pictures) == 1)
    assert isinstance(pictures[0].error, UnavailableError)
    loop.submit(a_request(1, tmp_path))
    qtbot.waitUntil(lambda: len(pictures) == 2)
    assert pictures[1].image is not None
    loop.close()


def test_closing_delivers_nothing_more(
    loop: RenderLoop, rasterizer: FakeRasterizer, pictures, tmp_path: Path
) -> None:
    rasterizer.gate.clear()
    loop.submit(a_request(0, tmp_path))
    assert rasterizer.entered.wait(10.0)
    loop.submit(a_request(1, tmp_path))
    closer = threading.Thread(target=loop.close)
    closer.start()
    rasterizer.gate.set()
    closer.join(10.0)
    assert [picture.request.generation for picture in pictures] in ([], [0])
    loop.submit(a_request(2, tmp_path))
    assert len(rasterizer.states) == 1


def test_images_keep_every_pixel() -> None:
    pixels = np.random.default_rng(1).integers(0, 256, (5, 7, 4)).astype(np.uint8)
    pixels[..., 3] = 255
    image = to_image(pixels)
    assert (image.width(), image.height()) == (7, 5)
    for row in range(5):
        for column in range(7):
            color = image.pixelColor(column, row)
            assert [color.red(), color.green(), color.blue()] == list(pixels[row, column, :3])
