import gc
import threading
import weakref
from dataclasses import replace

import numpy as np
import pytest

from polyorama.core.jobs import Progress
from polyorama.errors import UsageError
from polyorama.scene import stack as stack_module
from polyorama.scene.contents import CameraRig
from polyorama.scene.document import Document, Node
from polyorama.scene.kept import Kept, Same, array_bytes
from polyorama.scene.mesh import Mesh
from polyorama.scene.modifiers import MODIFIERS, make_modifier
from polyorama.scene.selection import BitSet, NamedSelection
from polyorama.scene.splats import SplatCloud
from polyorama.scene.stack import DELETED, HIDDEN, LOCKED, SELECTED, stacked, stacking
from tests.engine.splat_samples import sample_cloud

COUNT = 300
MASK = np.random.default_rng(1).random(COUNT) < 0.4
BITS = BitSet.of_mask(MASK)

STRONG = {
    "transform": {"translation": (1, 2, 3), "rotation": (10, 20, 30), "scale": (2, 1, 0.5)},
    "grade": {"exposure": 1.0, "gamma": 2.0, "hue": 40.0},
    "crop": {"size": (2, 2, 2), "soft": 0.3},
    "delete": {"rule": "opacity < 0.5"},
    "opacity": {"factor": 0.3},
    "size": {"factor": 3.0},
    "fill": {},
    "noise": {"amplitude": 0.5, "speed": 1.0},
    "wind": {"amplitude": 0.5},
    "sh-level": {"level": 0.5},
    "decimate": {"percent": 30.0},
}
"""Values with which each kind changes something."""


def a_modifier(kind, **more):
    return make_modifier(kind, **({"id": kind} | STRONG[kind] | more))


def a_node(*modifiers, cloud=None, **fields):
    cloud = sample_cloud(COUNT) if cloud is None else cloud
    return Node("plant", cloud, modifiers=modifiers, id="plant", **fields)


def of(node, selection=None, time=0.0):
    chosen = {} if selection is None else {node.id: selection}
    return stacked(Document((node,), selection=chosen), node, time)


def same(first, second):
    """Whether two results hold equal numbers."""
    pairs = [(getattr(first.cloud, n), getattr(second.cloud, n)) for n in
             ("means", "quats", "scales", "opacities", "sh")]  # fmt: skip
    pairs.append((first.means(), second.means()))
    pairs.append((first.deleted(), second.deleted()))
    return all(a.shape == b.shape and np.array_equal(a, b) for a, b in pairs)


def test_without_modifiers_nothing_is_copied():
    node = a_node()
    result = of(node)
    assert result.cloud is node.splats
    assert result.state is result.palette is result.palette_index is result.rows is None
    assert result.in_source
    assert result.means() is node.splats.means
    assert result.baked() is node.splats


def test_every_kind_is_tried():
    assert STRONG.keys() == MODIFIERS.keys()


@pytest.mark.parametrize("kind", STRONG)
def test_full_strength_changes_something_none_does_nothing(kind):
    node = a_node()
    plain = of(node)
    assert not same(of(replace(node, modifiers=(a_modifier(kind),))), plain)
    for off in ({"strength": 0.0}, {"enabled": False}):
        result = of(replace(node, modifiers=(a_modifier(kind, **off),)))
        assert result.cloud is node.splats
        assert result.state is result.palette is None


@pytest.mark.parametrize("kind", [k for k in STRONG if k not in ("decimate", "delete")])
def test_a_mask_keeps_the_other_splats_what_they_are(kind):
    node = a_node(a_modifier(kind, mask=BITS))
    result = of(node)
    everywhere = of(a_node(a_modifier(kind), cloud=node.splats))
    for name in ("means", "scales", "opacities", "sh"):
        got = result.means() if name == "means" else getattr(result.cloud, name)
        full = everywhere.means() if name == "means" else getattr(everywhere.cloud, name)
        np.testing.assert_array_equal(got[~MASK], getattr(node.splats, name)[~MASK])
        if full.shape == got.shape:
            np.testing.assert_array_equal(got[MASK], full[MASK])
    assert not result.deleted()[~MASK].any()


@pytest.mark.parametrize("kind", STRONG)
@pytest.mark.parametrize("mask", ["opacity > 2", BitSet.none(COUNT)], ids=["rule", "bits"])
def test_a_mask_of_no_splat_does_nothing(kind, mask):
    if kind != "decimate":
        node = a_node(a_modifier(kind, mask=mask))
        assert of(node).cloud is node.splats
        assert of(node).palette is None


def test_order_matters():
    cloud = sample_cloud(COUNT)
    crop, move = a_modifier("crop"), a_modifier("transform")
    assert not same(of(a_node(crop, move, cloud=cloud)), of(a_node(move, crop, cloud=cloud)))
    fill, grade = a_modifier("fill"), a_modifier("grade")
    assert not same(of(a_node(fill, grade, cloud=cloud)), of(a_node(grade, fill, cloud=cloud)))


def test_a_rule_sees_splats_as_they_are_at_its_step():
    cloud = sample_cloud(COUNT)
    move = make_modifier("transform", id="move", translation=(100, 0, 0), mask=BITS)
    there = make_modifier("delete", id="there", rule="x > 50")
    np.testing.assert_array_equal(of(a_node(move, there, cloud=cloud)).deleted(), MASK)
    assert not of(a_node(there, move, cloud=cloud)).deleted().any()
    grow = make_modifier("transform", id="grow", scale=(10, 10, 10), mask=BITS)
    limit = float(cloud.scales.max()) * 1.5
    large = make_modifier("delete", id="large", rule=f"max(scale) > {limit}")
    deleted = of(a_node(grow, large, cloud=cloud)).deleted()
    np.testing.assert_array_equal(deleted, MASK & (cloud.scales.max(axis=1) * 10 > limit))
    dark = make_modifier("opacity", id="dark", factor=0.0)
    faint = make_modifier("delete", id="faint", rule="opacity == 0", mask=BITS)
    np.testing.assert_array_equal(of(a_node(dark, faint, cloud=cloud)).deleted(), MASK)


def test_a_mask_may_be_a_named_selection():
    node = a_node(make_modifier("delete", id="d", mask='selected("mine")', rule="opacity >= 0"))
    by_hand = NamedSelection("mine", bits={"plant": BITS})
    document = Document((node,), selections=(by_hand,))
    np.testing.assert_array_equal(stacked(document, node).deleted(), MASK)
    again = Document((node,), selections=(NamedSelection("mine", bits={"plant": ~BITS}),))
    np.testing.assert_array_equal(stacked(again, node).deleted(), ~MASK)
    asked = Document((node,), selections=(NamedSelection("mine", "opacity < 0.5"),))
    which = node.splats.opacities < 0.5
    np.testing.assert_array_equal(stacked(asked, node).deleted(), which)
    elsewhere = Document((node,), selections=(NamedSelection("mine", "x > 0", ("other",)),))
    assert stacked(elsewhere, node).state is None
    now = replace(node, modifiers=(node.modifiers[0].replaced(mask="selected"),))
    np.testing.assert_array_equal(of(now, BITS).deleted(), MASK)
    assert of(now).state is None


def test_a_query_by_name_is_asked_of_splats_at_the_step():
    dark = make_modifier("opacity", id="dark", factor=0.0)
    cut = make_modifier("delete", id="cut", rule='selected("faint")')
    node = a_node(dark, cut)
    document = Document((node,), selections=(NamedSelection("faint", "opacity == 0"),))
    assert stacked(document, node).deleted().all()


def test_what_a_mask_cannot_know_is_told():
    def ask(rule, *selections):
        node = a_node(make_modifier("delete", id="d", rule=rule))
        stacked(Document((node,), selections=selections), node)

    with pytest.raises(UsageError, match="no selection called 'mine'; there are leaves"):
        ask('selected("mine")', NamedSelection("leaves", "x > 0"))
    with pytest.raises(UsageError, match="'mine' asks for itself"):
        ask('selected("mine")', NamedSelection("mine", 'selected("mine") or x > 0'))
    with pytest.raises(UsageError, match="which a modifier cannot take"):
        ask("visible_from < 3 views")
    with pytest.raises(UsageError, match="called 'pot'"):
        ask('dist(node "pot") < 1')


def test_a_mask_may_ask_for_the_distance_from_another_node():
    near = make_modifier("delete", id="near", rule='dist(node "pot") < 2.5')
    moved = make_modifier("transform", id="moved", translation=(1, 0, 0), mask=BITS)
    node = a_node(moved, near, transform=np.diag([2.0, 2.0, 2.0, 1.0]))
    mesh = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32))
    group = Node("pot", id="group", transform=np.diag([3.0, 1.0, 1.0, 1.0]))
    camera = Node("eye", CameraRig(), parent="group")
    document = Document((group, Node("thing", mesh, parent="group"), camera, node))
    corners = np.eye(3) * [3, 1, 1]
    points = 2.0 * (node.splats.means + np.where(MASK[:, None], [1, 0, 0], 0))
    distances = np.linalg.norm(points[:, None] - corners, axis=2).min(axis=1)
    first = stacked(document, node)
    np.testing.assert_array_equal(first.deleted(), distances < 2.5)
    assert 0 < first.deleted().sum() < COUNT
    assert stacked(document, node) is first
    further = document.replaced(replace(group, transform=np.diag([9.0, 1.0, 1.0, 1.0])))
    assert (stacked(further, node).deleted() != first.deleted()).any()
    inside = Document((replace(node, name="pot", modifiers=(near,)),))
    assert stacked(inside, inside.nodes[0]).deleted().all()
    with pytest.raises(UsageError, match="nothing in 'pot' to measure"):
        stacked(Document((group, node)), node)


def test_the_state_tells_selected_hidden_deleted_and_locked():
    rng = np.random.default_rng(3)
    masks = [rng.random(COUNT) < 0.3 for _ in range(5)]
    selected, hidden, deleted, locked = (BitSet.of_mask(m) for m in masks[:4])
    rule = make_modifier("delete", id="rule", mask=BitSet.of_mask(masks[4]), rule="opacity >= 0")
    node = a_node(rule, hidden=hidden, deleted=deleted, locked=locked)
    expected = (
        SELECTED * masks[0] + HIDDEN * masks[1] + DELETED * (masks[2] | masks[4])
        + LOCKED * masks[3]
    )  # fmt: skip
    result = of(node, selected)
    np.testing.assert_array_equal(result.state, expected)
    assert result.state.dtype == np.uint8
    assert not result.state.flags.writeable
    assert len(result.baked()) == COUNT - (masks[2] | masks[4]).sum()


def test_palettes_follow_each_other():
    node = a_node(
        make_modifier("transform", id="a", translation=(1, 0, 0), mask=BITS),
        make_modifier("transform", id="b", rotation=(0, 0, 90), pivot=(1, 1, 0)),
        make_modifier("transform", id="c", scale=(1, 2, 3), mask="x > 2", strength=0.5),
    )
    result = of(node)
    means = node.splats.means + np.where(MASK[:, None], [1, 0, 0], 0)
    x, y, z = means.T
    means = np.stack([1 - (y - 1), 1 + (x - 1), z], axis=1)
    means = np.where(means[:, :1] > 2, means * [1, 1.5, 2], means)
    np.testing.assert_allclose(result.means(), means, atol=1e-5)
    assert result.cloud is node.splats
    assert result.palette.shape == (5, 3, 4)  # the identity, moved or not, stretched or not
    np.testing.assert_array_equal(result.palette[0], np.eye(3, 4))
    np.testing.assert_array_equal(np.unique(result.palette_index), [1, 2, 3, 4])


def test_baking_carries_the_palette_out():
    node = a_node(
        make_modifier("transform", id="a", rotation=(10, 50, 90), mask=BITS),
        make_modifier("transform", id="b", scale=(1, 2, 3), translation=(5, 0, 0), mask="x > 0"),
    )
    result = of(node)
    baked = result.baked()
    np.testing.assert_allclose(baked.means, result.means(), atol=1e-6)
    for entry, matrix in enumerate(result.palette):
        rows = result.palette_index == entry
        alone = node.splats.subset(rows).transformed(matrix)
        for name in ("means", "quats", "scales", "sh"):
            np.testing.assert_array_equal(getattr(baked, name)[rows], getattr(alone, name))


def test_too_many_different_moves_are_told():
    count = 70_000
    cloud = sample_cloud(count, degree=0)
    bits = [BitSet.of_mask(np.arange(count) >> b & 1) for b in range(17)]
    moves = [
        make_modifier("transform", id=str(b), translation=(1, 0, 0), mask=m)
        for b, m in enumerate(bits)
    ]
    with pytest.raises(UsageError, match="65,536 different ways"):
        of(a_node(*moves, cloud=cloud))
    assert len(of(a_node(*moves[:15], cloud=cloud)).palette) == 2**15


def test_dragging_a_selection_rewrites_no_array():
    node = a_node(
        make_modifier("transform", id="drag", mask=BITS), make_modifier("grade", id="g", hue=20.0)
    )
    first = of(node)
    dragged = replace(
        node, modifiers=(node.modifiers[0].replaced(translation=(1, 2, 3)), node.modifiers[1])
    )
    second = of(dragged)
    assert second.cloud is first.cloud
    assert second.palette_index is first.palette_index
    np.testing.assert_array_equal(second.palette[1, :, 3], [1, 2, 3])


def test_what_was_computed_is_the_same_object_again():
    crop = a_modifier("crop", mask="opacity > 0.2")
    node = a_node(a_modifier("transform", mask=BITS), a_modifier("grade"), crop, hidden=BITS)
    first = of(node, BITS)
    assert of(replace(node, name="other", visible=False), BITS) is first
    renamed = replace(node, modifiers=(*node.modifiers[:2], crop.replaced(name="a name")))
    assert of(renamed, BITS) is first
    assert first.means() is first.means()
    softer = of(replace(node, modifiers=(*node.modifiers[:2], crop.replaced(soft=0.1))), BITS)
    assert softer.cloud.sh is first.cloud.sh
    assert softer.palette is first.palette
    assert softer.cloud.opacities is not first.cloud.opacities


def test_another_selection_changes_the_state_alone():
    node = a_node(a_modifier("transform"), a_modifier("grade"), a_modifier("delete"))
    first, second = of(node, BITS), of(node, ~BITS)
    for name in ("cloud", "palette", "palette_index"):
        assert getattr(first, name) is getattr(second, name)
    np.testing.assert_array_equal(first.state ^ second.state, np.full(COUNT, SELECTED))
    # A set that is equal, as undoing makes it, is known again.
    assert of(node, BitSet.of_mask(MASK)).state is first.state


def test_only_what_depends_on_a_change_is_computed_again(monkeypatch):
    asked = []
    families = {
        kind: replace(
            family,
            apply=lambda s, m, p, f=family.apply: (asked.append(m.kind), f(s, m, p))[1],
        )
        for kind, family in stack_module._FAMILIES.items()
    }
    monkeypatch.setattr(stack_module, "_FAMILIES", families)
    stack = [a_modifier(k) for k in ("grade", "noise", "fill", "wind", "opacity", "size")]
    node = a_node(*stack)

    def told(changed, time=0.0):
        asked.clear()
        of(replace(node, modifiers=tuple(changed)), time=time)
        return asked[:]

    assert told(stack) == ["grade", "noise", "fill", "wind", "opacity", "size"]
    assert told(stack) == []
    assert told([*stack[:5], stack[5].replaced(factor=2.0)]) == ["size"]
    assert told([stack[0].replaced(hue=10.0), *stack[1:]]) == ["grade", "fill"]
    assert told(stack, time=1.0) == ["noise", "wind"]
    assert told([*stack[:4], stack[4].replaced(enabled=False), stack[5]], time=1.0) == []


def test_time_matters_only_to_what_moves():
    still = a_node(a_modifier("noise", speed=0.0), a_modifier("wind", frequency=0.0))
    assert of(still, time=0.0) is of(still, time=3.0)
    for kind in ("noise", "wind"):
        moving = a_node(a_modifier(kind))
        assert not same(of(moving, time=0.0), of(moving, time=0.3))


def test_results_go_with_their_cloud():
    cloud = sample_cloud(COUNT)
    node = a_node(a_modifier("grade"), a_modifier("transform", mask=BITS), cloud=cloud)
    gc.collect()
    stack_module._kept.clear()
    of(node, BITS).means()
    assert stack_module._kept.nbytes > COUNT * 16 * 3 * 4
    alive = weakref.ref(cloud)
    del cloud, node
    gc.collect()
    assert alive() is None
    assert stack_module._kept.nbytes == 0


def test_decimation_is_kept_and_stands_for_splats_of_the_source():
    node = a_node(
        a_modifier("transform", mask=BITS), a_modifier("decimate"), a_modifier("grade"),
        hidden=~BITS, deleted=BitSet.of_indices([0, 1, 2], COUNT),
    )  # fmt: skip
    first = of(node, BITS)
    assert not first.in_source
    assert first.palette is None
    assert len(first.cloud) == round(0.3 * (COUNT - 3))
    assert first.rows.min() > 2
    np.testing.assert_array_equal(first.state, np.where(MASK[first.rows], SELECTED, HIDDEN))
    stronger = node.modifiers[2].replaced(exposure=3.0)
    second = of(replace(node, modifiers=(*node.modifiers[:2], stronger)), ~BITS)
    assert second.cloud.means is first.cloud.means
    assert second.rows is first.rows
    job = stacking(Document((node,)), replace(node, deleted=None))
    assert isinstance(next(job), Progress)
    job.close()


def test_splats_picked_by_hand_cannot_be_told_after_decimation():
    late = a_node(a_modifier("decimate"), a_modifier("grade", mask=BITS))
    with pytest.raises(UsageError, match="Grade of node 'plant' is for splats picked by hand"):
        of(late)
    of(a_node(a_modifier("decimate"), a_modifier("grade", mask="opacity > 0.5")))
    whole = a_node(a_modifier("decimate", percent=100.0), a_modifier("grade", mask=BITS))
    assert of(whole).in_source


def test_decimation_twice():
    node = a_node(a_modifier("decimate"), a_modifier("decimate", id="again", percent=50.0))
    result = of(node)
    assert len(result.cloud) == COUNT * 0.3 * 0.5
    assert len(np.unique(result.rows)) == len(result.rows)


def test_other_nodes_have_no_stack():
    mesh = Mesh(np.eye(3, dtype=np.float32), np.array([[0, 1, 2]], np.int32))
    for content in (None, mesh):
        node = Node("thing", content)
        with pytest.raises(UsageError, match="holds no splats"):
            stacked(Document((node,)), node)


def test_an_empty_cloud_goes_through_every_modifier():
    empty = sample_cloud(COUNT).subset(slice(0, 0))
    kinds = [k for k in STRONG if k != "decimate"]
    result = of(a_node(*(a_modifier(k) for k in kinds), cloud=empty))
    assert len(result.cloud) == len(result.means()) == len(result.baked()) == 0


def test_two_threads_share_one_result():
    node = a_node(a_modifier("grade"), a_modifier("noise"))
    found = []
    start = threading.Barrier(4)

    def ask():
        start.wait()
        found.append(of(node))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(result) for result in found}) == 1


# Kept


class Owner:
    pass


def test_a_slot_keeps_the_latest_two():
    kept, owner = Kept(1 << 20), Owner()
    for number in range(3):
        kept.keep(owner, "slot", (number,), np.full(10, number))
    assert kept.find(owner, "slot", (0,)) is None
    # Looking in vain has made room for one more.
    assert [kept.find(owner, "slot", (n,)) is None for n in (1, 2)] == [True, False]
    assert kept.find(owner, "other", (2,)) is None
    assert kept.find(Owner(), "slot", (2,)) is None


def test_least_recently_used_results_make_room():
    kept, owner = Kept(2500), Owner()
    for slot in "abc":
        kept.keep(owner, slot, (), np.zeros(1000, np.uint8))
        kept.find(owner, "a", ())
    assert [kept.find(owner, s, ()) is not None for s in "abc"] == [True, False, True]
    assert kept.nbytes == 2000
    kept.keep(owner, "d", (), np.zeros(9000, np.uint8))  # the last one stays, however large
    assert kept.nbytes == 9000
    kept.clear()
    assert kept.nbytes == 0


def test_results_take_no_more_than_half_of_the_free_memory(monkeypatch):
    monkeypatch.setattr("polyorama.scene.kept.available_bytes", lambda: 1 << 26)
    kept, owner = Kept(1 << 40), Owner()
    large = 1 << 26
    for slot in "ab":
        kept.keep(owner, slot, (), np.zeros(large, np.uint8))
    assert kept.nbytes == large


def test_a_key_of_an_object_that_is_gone_equals_nothing():
    array = np.zeros(3)
    key = Same(array)
    assert key == Same(array)
    assert key != Same(array.copy())
    assert Same(None) == Same(None)
    assert Same(None) != key
    assert key != 0
    del array
    assert key != Same(np.zeros(3))
    assert key != key


def test_bytes_of_a_result():
    a = np.zeros(10, np.uint8)
    assert array_bytes({"x": a, "y": (a, a), "z": 3}) == 30
    cloud = sample_cloud(10)
    assert isinstance(cloud, SplatCloud)
    assert array_bytes(cloud) == cloud.nbytes
