"""A day's work of an artist, done by a script: the pictures say whether it came out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import polyorama as po
from tests.artist_job import JOB

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.edit.editor import Editor

SIZE = (160, 120)


def done(shared_data: Path) -> Editor:
    doc = po.edit(shared_data / "splats" / "plant.splat")
    for name, arguments in JOB:
        doc.run(name, **arguments)
    return doc


def test_the_pot_goes_and_the_leaves_turn(shared_data: Path) -> None:
    doc = done(shared_data)
    frames = [frame.rgba8 for frame in po.film(doc.document, SIZE, background=(1.0, 1.0, 1.0))]
    assert len(frames) == 24
    first, last = frames[0][..., :3].astype(float), frames[-1][..., :3].astype(float)
    green = first[..., 1] - first[..., 0] > 15
    assert green.sum() > 500  # leaves are green
    assert (last[..., 1] - last[..., 0] > 15).sum() < 0.1 * green.sum()  # and are no more
    assert (last[..., 0] - last[..., 1] > 15).sum() > 0.5 * green.sum()
    below = first[-25:]
    assert np.abs(below - 255).mean() < 3.0  # where the pot stood is nothing


def test_all_of_it_can_be_undone(shared_data: Path) -> None:
    doc = done(shared_data)
    start = po.open(shared_data / "splats" / "plant.splat")
    while doc.undo():
        pass
    assert doc.document.nodes[0].deleted is None
    assert doc.document.nodes[0].modifiers == ()
    assert not doc.document.timeline.tracks
    before = po.render(start, size=SIZE).rgba8
    assert np.array_equal(po.render(doc.document, size=SIZE).rgba8, before)
