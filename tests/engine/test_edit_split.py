"""Applying stacks, separating, duplicating and merging splats."""

import numpy as np
import pytest

from polyorama.edit.editor import Editor
from polyorama.errors import UsageError
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node, Source
from polyorama.scene.modifiers import make_modifier
from polyorama.scene.placement import matrix_of
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.stack import stacked
from polyorama.scene.timeline import Key, Timeline, Track
from tests.engine.splat_samples import sample_cloud

COUNT = 120
RNG = np.random.default_rng(8)


def some(share=0.3):
    return BitSet.of_mask(RNG.random(COUNT) < share)


def plant(**fields):
    return Node("plant", sample_cloud(COUNT), id="plant", **fields)


def world_means(document, name):
    node = document.node(name)
    matrix = document.world(node.id)
    shown = stacked(document, node)
    return shown.means()[~shown.deleted()] @ matrix[:3, :3].T + matrix[:3, 3]


def a_track(low, high):
    return Track((Key(0.0, (low,)), Key(1.0, (high,))))


def test_applying_a_stack_changes_nothing_that_is_seen():
    turn = make_modifier("transform", id="t", rotation=(0, 40, 10), scale=(1, 2, 1), mask=some())
    grade = make_modifier("grade", id="g", hue=50.0, mask="opacity > 0.4")
    cut = make_modifier("delete", id="d", rule="opacity < 0.2")
    off = make_modifier("opacity", id="off", factor=0.5, enabled=False, mask=some())
    deleted, hidden, selected = some(), some(), some()
    node = plant(
        modifiers=(turn, grade, off, cut), deleted=deleted, hidden=hidden,
        source=Source("plant.ply"),
    )  # fmt: skip
    tracks = {
        "plant/g/hue": a_track(50.0, 90.0), "plant/off/factor": a_track(0.5, 1.0),
        "plant/visible": a_track(1.0, 0.0),
    }  # fmt: skip
    document = Document(
        (node,), selection={"plant": selected}, timeline=Timeline(tracks=tracks),
        selections=(NamedSelection("mine", bits={"plant": selected}),),
    )  # fmt: skip
    shown = stacked(document, node)
    editor = Editor(document)
    after = editor.apply_modifiers("plant")
    fresh = after.node("plant")
    expected = shown.baked()
    for name in ("means", "quats", "scales", "opacities", "sh"):
        np.testing.assert_array_equal(getattr(fresh.splats, name), getattr(expected, name))
    rows = np.flatnonzero(~shown.deleted())
    assert 0 < len(rows) < COUNT - len(deleted)
    assert [m.id for m in fresh.modifiers] == ["off"]
    np.testing.assert_array_equal(fresh.modifiers[0].mask.mask(), off.mask.mask()[rows])
    np.testing.assert_array_equal(fresh.hidden.mask(), hidden.mask()[rows])
    np.testing.assert_array_equal(after.selection["plant"].mask(), selected.mask()[rows])
    assert after.selections[0].bits["plant"] == after.selection["plant"]
    assert set(after.timeline.tracks) == {"plant/off/factor", "plant/visible"}
    assert fresh.deleted is None
    assert fresh.source is None
    editor.undo()
    assert editor.document.node("plant").splats is node.splats
    assert editor.document.timeline.tracks == tracks


def test_applying_takes_the_stack_at_time_zero():
    node = plant(modifiers=(make_modifier("opacity", id="o", factor=1.0),))
    timeline = Timeline(tracks={"plant/o/factor": a_track(0.25, 1.0)})
    after = Editor(Document((node,), timeline=timeline)).apply_modifiers("plant")
    np.testing.assert_allclose(
        after.node("plant").splats.opacities, node.splats.opacities * 0.25, rtol=1e-6
    )


def test_applying_a_decimation_keeps_sets_of_those_that_are_left():
    hidden = some(0.5)
    node = plant(modifiers=(make_modifier("decimate", id="d", percent=40.0),), hidden=hidden)
    shown = stacked(Document((node,)), node)
    fresh = Editor(Document((node,))).apply_modifiers("plant").node("plant")
    assert len(fresh.splats) == 48
    np.testing.assert_array_equal(fresh.hidden.mask(), hidden.mask()[shown.rows])


def test_nothing_to_apply_is_told():
    with pytest.raises(UsageError, match="nothing to apply"):
        Editor(Document((plant(),))).apply_modifiers("plant")


def test_separate():
    selected, mask, hidden = some(), some(), some()
    hidden = hidden - selected
    mine = make_modifier("grade", id="mine", hue=10.0, mask=mask)
    others = make_modifier("grade", id="others", hue=30.0, mask=~selected)
    every = make_modifier("size", id="every", factor=2.0)
    node = plant(
        modifiers=(mine, others, every),
        hidden=hidden,
        transform=matrix_of((1, 2, 3), (0, 9, 0), (2, 2, 2)),
    )
    tracks = {
        "plant/mine/hue": a_track(10.0, 20.0), "plant/others/hue": a_track(1.0, 2.0),
        "plant/visible": a_track(1.0, 0.0),
    }  # fmt: skip
    document = Document(
        (node, Node("child", parent="plant")), selection={"plant": selected},
        timeline=Timeline(tracks=tracks),
        selections=(NamedSelection("all", bits={"plant": BitSet.all(COUNT)}),),
    )  # fmt: skip
    editor = Editor(document)
    after = editor.separate("pot")
    left, part = after.node("plant"), after.node("pot")
    chosen = selected.mask()
    np.testing.assert_array_equal(part.splats.means, node.splats.means[chosen])
    np.testing.assert_array_equal(left.splats.means, node.splats.means[~chosen])
    np.testing.assert_array_equal(left.hidden.mask(), hidden.mask()[~chosen])
    assert part.hidden is None
    np.testing.assert_array_equal(part.transform, node.transform)
    assert [m.kind for m in part.modifiers] == ["grade", "size"]
    np.testing.assert_array_equal(part.modifiers[0].mask.mask(), mask.mask()[chosen])
    np.testing.assert_array_equal(left.modifiers[0].mask.mask(), mask.mask()[~chosen])
    ids = [m.id for n in after.nodes for m in n.modifiers]
    assert len(set(ids)) == len(ids)
    first = part.modifiers[0].id
    assert set(after.timeline.tracks) == {*tracks, f"{part.id}/{first}/hue", f"{part.id}/visible"}
    assert after.chosen == (part.id,)
    assert after.selection == {}
    assert len(after.selections[0].bits["plant"]) == len(left.splats)
    # Together they look like what was there.
    both = np.concatenate([world_means(after, "plant"), world_means(after, "pot")])
    np.testing.assert_array_equal(
        np.sort(both, axis=0), np.sort(world_means(document, "plant"), axis=0)
    )
    editor.undo()
    assert [n.id for n in editor.document.nodes] == [n.id for n in document.nodes]
    assert editor.document.node("plant").splats is node.splats
    assert editor.document.node("plant").modifiers == node.modifiers
    assert editor.document.selection == document.selection


def test_separating_all_or_nothing_is_told():
    document = Document((plant(),))
    with pytest.raises(UsageError, match="No splats are selected"):
        Editor(document).separate()
    editor = Editor(document)
    editor.select_all()
    with pytest.raises(UsageError, match="nothing to separate"):
        editor.separate()


def test_duplicating_a_selection_leaves_the_old_ones():
    selected = some()
    other = Node("pot", sample_cloud(COUNT, seed=3), id="pot")
    document = Document((plant(), other), selection={"plant": selected, "pot": ~selected})
    after = Editor(document).duplicate_selected()
    assert [n.name for n in after.nodes] == ["plant", "plant copy", "pot", "pot copy"]
    assert after.node("plant").splats is document.node("plant").splats
    rows = selected.indices()
    np.testing.assert_array_equal(
        after.node("plant copy").splats.sh, document.node("plant").splats.sh[rows]
    )
    names = [n.name for n in Editor(document).duplicate_selected("twin").nodes]
    assert names == ["plant", "twin 1", "pot", "twin 2"]
    assert len(after.chosen) == 2


def test_merging_moves_nothing_in_the_world():
    group = Node("group", transform=matrix_of((1, 0, 0), (0, 0, 30), (1, 2, 1)), id="group")
    low = sample_cloud(COUNT, degree=1, seed=4)
    deleted, hidden, selected = some(), some(), some()
    turn = make_modifier("transform", id="t", rotation=(0, 90, 0), mask=some())
    fade = make_modifier("delete", id="d", rule="opacity < 0.3")
    first = plant(transform=matrix_of((0, 5, 0), (20, 0, 0), (2, 2, 2)), deleted=deleted)
    second = Node(
        "pot", low, matrix_of((0, 0, 3), (0, 0, 0), (1, 1, 1)), parent="group", id="pot",
        modifiers=(turn, fade), hidden=hidden,
    )  # fmt: skip
    place = matrix_of((1, 1, 1), (0, 0, 5), (1, 1, 1))
    child = Node("child", transform=place, parent="pot", id="child")
    camera = Node("camera", CameraRig(kind="follow", follows="pot"), id="camera")
    tracks = {
        "plant/visible": a_track(1.0, 1.0), "pot/visible": a_track(1.0, 1.0),
        "pot/d/strength": a_track(1.0, 1.0),
    }  # fmt: skip
    document = Document(
        (first, group, second, child, camera), selection={"pot": selected},
        timeline=Timeline(tracks=tracks),
        selections=(
            NamedSelection("hand", bits={"plant": selected, "pot": hidden}),
            NamedSelection("asked", "opacity > 0.5", ("plant", "pot")),
        ),
    )  # fmt: skip
    shown = stacked(document, second)
    kept = np.flatnonzero(~shown.deleted())
    editor = Editor(document)
    after = editor.merge(["pot", "plant"], name="all")
    made = after.node("plant")
    assert [n.id for n in after.nodes] == ["plant", "group", "child", "camera"]
    assert made.name == "all"
    assert made.splats.sh_degree == 3
    assert len(made.splats) == COUNT + len(kept)
    before = np.concatenate([world_means(document, "plant"), world_means(document, "pot")])
    np.testing.assert_allclose(world_means(after, "plant"), before, atol=1e-4)
    np.testing.assert_array_equal(made.deleted.mask()[:COUNT], deleted.mask())
    np.testing.assert_array_equal(made.hidden.mask()[COUNT:], hidden.mask()[kept])
    assert not made.hidden.mask()[:COUNT].any()
    np.testing.assert_array_equal(after.selection["plant"].mask()[COUNT:], selected.mask()[kept])
    hand, asked = after.selections
    np.testing.assert_array_equal(hand.bits["plant"].mask()[:COUNT], selected.mask())
    np.testing.assert_array_equal(hand.bits["plant"].mask()[COUNT:], hidden.mask()[kept])
    assert asked.nodes == ("plant",)
    assert after.node("child").parent == "plant"
    np.testing.assert_allclose(after.world("child"), document.world("child"), atol=1e-12)
    assert after.node("camera").content.follows == "plant"
    assert set(after.timeline.tracks) == {"plant/visible"}
    editor.undo()
    assert editor.document.node("pot").splats is low


def test_what_cannot_be_merged_is_told():
    document = Document((plant(), Node("group", id="group")), chosen=("plant",))
    with pytest.raises(UsageError, match="two nodes or more"):
        Editor(document).merge()
    with pytest.raises(UsageError, match="'group' holds no splats"):
        Editor(document).merge(["plant", "group"])
    flat = Node("flat", sample_cloud(COUNT), np.diag([1.0, 0.0, 1.0, 1.0]), id="flat")
    with pytest.raises(UsageError, match="flattens space"):
        Editor(Document((plant(), flat))).merge(["plant", "flat"])
