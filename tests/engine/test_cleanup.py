"""Clean-up tools: each finds what was planted, shows it first, and removes exactly that."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.scene.document import Document, Node
from polyorama.scene.splats import SplatCloud, concatenate
from polyorama.verbs.cleanup import TOOLS, clutter, clutter_of, heat_document, rescaled

RANDOM = np.random.default_rng(11)


def ball(count: int = 1500, center: tuple[float, float, float] = (0, 0, 0), radius: float = 1.0):
    """A shell of round, solid splats."""
    points = RANDOM.normal(size=(count, 3))
    points *= radius / np.linalg.norm(points, axis=1, keepdims=True)
    return SplatCloud(
        (points + center).astype(np.float32),
        np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1)),
        np.full((count, 3), 0.05 * radius, np.float32),
        np.full(count, 0.9, np.float32),
        RANDOM.normal(0, 0.5, (count, 1, 3)).astype(np.float32),
    )


def planted(kind: str) -> tuple[SplatCloud, np.ndarray]:
    """A ball with clutter of one kind, and which splats that is."""
    body, extra = ball(), ball(12)
    if kind == "floaters":
        extra = ball(12, (3, 0, 0), 0.1)
    elif kind == "outliers":
        extra = replace(extra, means=(np.eye(3)[RANDOM.integers(0, 3, 12)] * 3).astype(np.float32))
        extra = replace(extra, means=extra.means + np.arange(12, dtype=np.float32)[:, None])
    elif kind == "needles":
        extra = replace(extra, scales=np.tile(np.array([0.6, 0.01, 0.01], np.float32), (12, 1)))
    elif kind == "faint":
        extra = replace(extra, opacities=np.full(12, 0.004, np.float32))
    elif kind == "giant":
        extra = replace(extra, scales=np.full((12, 3), 2.0, np.float32))
    elif kind == "duplicates":
        extra = body.subset(np.arange(12))
    elif kind == "invalid":
        means = extra.means.copy()
        means[:4] = np.nan
        scales = extra.scales.copy()
        scales[4:8] = np.inf
        quats = extra.quats.copy()
        quats[8:] = 0.0
        extra = replace(extra, means=means, scales=scales, quats=quats)
    else:  # unseen: at the heart of a closed shell
        extra = ball(12, (0, 0, 0), 0.05)
        body = replace(body, scales=np.full((1500, 3), 0.12, np.float32),
                       opacities=np.full(1500, 0.999, np.float32))  # fmt: skip
    truth = np.repeat([False, True], [len(body), len(extra)])
    return concatenate([body, extra]), truth


@pytest.mark.parametrize("kind", list(TOOLS))
def test_a_tool_finds_what_was_planted(kind: str) -> None:
    cloud, truth = planted(kind)
    document = Document((Node("ball", cloud, id="ball"),))
    scores = run(clutter(document, kind))
    found = clutter_of(scores)["ball"].mask()
    assert found[truth].mean() > 0.9
    assert found[~truth].mean() < 0.02
    assert scores["ball"].dtype == np.float32
    assert np.isfinite(scores["ball"]).all()


def test_what_is_shown_is_what_goes_and_it_comes_back() -> None:
    cloud, _ = planted("faint")
    doc = Editor(Document((Node("ball", cloud, id="ball"),)))
    shown = clutter_of(run(clutter(doc.document, "faint", 0.01)))["ball"]
    doc.select_clutter("faint", 0.01)
    assert doc.document.selection["ball"] == shown
    doc.clean("faint", 0.01)
    assert doc.document.node("ball").deleted == shown
    assert len(clutter_of(run(clutter(doc.document, "faint", 0.01)))["ball"]) == 0
    doc.restore()
    assert doc.document.node("ball").deleted is None


def test_the_heat_map_colours_by_score_and_keeps_the_shape() -> None:
    cloud, truth = planted("giant")
    document = Document((Node("ball", cloud, id="ball"),))
    ramp = np.stack([np.linspace(0, 1, 256)] * 3, axis=1).astype(np.float32)
    hot = heat_document(document, run(clutter(document, "giant")), ramp).node("ball").splats
    assert hot is not None
    assert hot.colors[truth].min() > hot.colors[~truth].max()
    assert hot.opacities[truth].min() >= 0.5
    assert np.array_equal(hot.opacities[~truth], cloud.opacities[~truth])
    assert hot.scales is cloud.scales
    assert hot.means is cloud.means


def test_a_stricter_threshold_never_finds_less() -> None:
    cloud, _ = planted("outliers")
    document = Document((Node("ball", cloud, id="ball"),))
    counts = [
        len(clutter_of(run(clutter(document, "outliers", value)))["ball"]) for value in (20, 6, 2)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_bad_tools_and_thresholds_say_so() -> None:
    doc = Editor(Document((Node("ball", ball(20), id="ball"),)))
    with pytest.raises(UsageError, match="no clean-up tool 'dust'"):
        doc.clean("dust")
    with pytest.raises(UsageError, match="between 2 and 200"):
        doc.clean("needles", 1.0)


@pytest.mark.parametrize("kind", list(TOOLS))
@pytest.mark.parametrize("count", [0, 1, 2])
def test_tiny_clouds_are_cleaned_too(kind: str, count: int) -> None:
    document = Document((Node("few", ball(count), id="few"),))
    assert len(run(clutter(document, kind))["few"]) == count


def test_the_heat_map_leaves_out_what_is_cropped_away() -> None:
    doc = Editor(Document((Node("ball", ball(), id="ball"),)))
    doc.add_modifier("ball", "delete", values={"rule": "x > 0"})
    ramp = np.ones((256, 3), np.float32)
    node = heat_document(doc.document, run(clutter(doc.document, "giant")), ramp).node("ball")
    assert node.splats is not None
    assert node.deleted is not None
    assert np.array_equal(node.deleted.mask(), node.splats.means[:, 0] > 0)
    assert node.modifiers == ()


@pytest.mark.parametrize("kind", [kind for kind, tool in TOOLS.items() if tool.power])
def test_scores_follow_from_those_of_another_threshold(kind: str) -> None:
    cloud, _ = planted("outliers")
    document = Document((Node("ball", cloud, id="ball"),))
    low, high = (TOOLS[kind].threshold.default * factor for factor in (0.7, 1.4))
    scores = run(clutter(document, kind, low))
    again = rescaled(scores, kind, low, high)
    assert again is not None
    assert again["ball"] == pytest.approx(run(clutter(document, kind, high))["ball"], rel=1e-5)


def test_other_scores_must_be_found_anew() -> None:
    scores = {"a": np.ones(3, np.float32)}
    assert rescaled(scores, "floaters", 1.0, 2.0) is None
    assert rescaled(scores, "floaters", 1.0, 1.0) == scores


def test_what_is_deleted_does_not_count() -> None:
    cloud, truth = planted("duplicates")
    doc = Editor(Document((Node("ball", cloud, id="ball"),)))
    first = np.flatnonzero(~truth)[:12]
    from polyorama.scene.selection import BitSet

    doc.select_bits({"ball": BitSet.of_indices(first, len(cloud))})
    doc.delete()
    found = clutter_of(run(clutter(doc.document, "duplicates")))["ball"]
    assert not found.mask()[truth].any()  # their doubles are gone, so these stay


def test_sizes_are_those_after_the_stack() -> None:
    cloud, truth = planted("floaters")
    doc = Editor(Document((Node("ball", cloud, id="ball"),)))
    doc.add_modifier(node="ball", kind="transform", values={"scale": (30.0, 30.0, 30.0)})
    found = clutter_of(run(clutter(doc.document, "floaters")))["ball"].mask()
    assert found[truth].mean() > 0.9
    assert found[~truth].mean() < 0.02
