"""The engine's library as the workspace asks it: a small one of files that the test writes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import PolyoramaError
from polyorama.scene.document import Document, Node
from polyorama.scene.splats import SplatCloud
from polyorama.shapes.describing import FileDescriber
from polyorama.shapes.embedder import ShapeEmbedding, unit
from polyorama.shapes.library.asset import Query
from polyorama.shapes.library.library import Library
from polyorama_studio.workspaces.shapes.store import EngineStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

COLORS = {"red": (1.0, 0.1, 0.1), "green": (0.1, 1.0, 0.1), "blue": (0.1, 0.1, 1.0)}


class Colors:
    """Understands three colours: by their names, and by what is brightest in pictures."""

    id, dimensions, picture_size = "colors", 3, 64
    origin = "three colours"

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        found = [[float(name in text) for name in COLORS] for text in texts]
        return unit(np.array(found, np.float32) + np.float32(1e-3))

    def embed_images(self, images: Sequence[NDArray[np.uint8]]) -> NDArray[np.float32]:
        return unit(np.stack([self._seen(image) for image in images]))

    def embed_shape(self, views: NDArray[np.uint8]) -> ShapeEmbedding:
        each = unit(np.stack([self._seen(view) for view in views]))
        return ShapeEmbedding(unit(each.mean(axis=0)), each)

    def _seen(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        thing = image[image.min(axis=-1) < 250].astype(np.float32)
        return thing.mean(axis=0) if len(thing) else np.ones(3, np.float32)


def _box(path: Path, color: tuple[float, float, float], size: float = 1.0) -> Path:
    """A box with coloured corners, as OBJ."""
    tint = " ".join(f"{c}" for c in color)
    corners = [(x, y, z) for x in (0, size) for y in (0, 1) for z in (0, 1)]
    lines = [f"v {x} {y} {z} {tint}" for x, y, z in corners]
    faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"]
    path.write_text("\n".join([*lines, *(f"f {face}" for face in faces)]), "utf-8")
    return path


@pytest.fixture
def models(tmp_path: Path) -> Path:
    """Three boxes, two of them in a folder below, and a file that is none."""
    models = tmp_path / "models"
    (models / "more").mkdir(parents=True)
    _box(models / "one.obj", COLORS["red"])
    _box(models / "more" / "two.obj", COLORS["green"], 2.0)
    _box(models / "more" / "three.obj", COLORS["blue"], 3.0)
    (models / "broken.obj").write_text("f 1 2 3", "utf-8")
    return models


@pytest.fixture
def store(tmp_path: Path, models: Path) -> Iterator[EngineStore]:
    """A library of those."""
    library = Library(tmp_path / "library", embedder=Colors(), describer=FileDescriber(4, 64))
    store = EngineStore(library)
    store.add_folder(models)
    run(store.index())
    yield store
    store.close()


def _names(store: EngineStore, ids: Sequence[int]) -> list[str]:
    return [card.asset.path.stem for card in store.cards([int(i) for i in ids])]


def test_an_empty_library_answers(tmp_path: Path) -> None:
    store = EngineStore(Library(tmp_path / "empty", embedder=Colors()))
    assert store.overview().count == 0
    assert len(store.search(Query("chair"), unique=True)) == 0
    assert len(store.plan().ids) == 0
    store.close()


def test_overview(store: EngineStore, models: Path) -> None:
    overview = store.overview()
    assert overview.count == 3
    assert [(folder.path, folder.count) for folder in overview.folders] == [(models, 3)]
    assert overview.formats == ("obj",)
    assert overview.origin == "three colours"
    assert [failure.path.name for failure in overview.failures] == ["broken.obj"]
    assert overview.failures[0].reason
    store.remove_folder(models)
    assert store.overview().count == 0
    assert store.overview().folders == ()


@pytest.mark.parametrize(("words", "first"), [("red", "one"), ("green", "two"), ("blue", "three")])
def test_words_and_reasons(store: EngineStore, words: str, first: str) -> None:
    query = Query(words)
    found = store.search(query, unique=False)
    assert len(found) == 3
    assert found.ranked
    assert _names(store, found.ids)[0] == first
    reason = store.explain(int(found.ids[0]), query)
    assert len(reason.scores) == 4
    assert int(np.argmax(reason.scores)) == found.best_views[0]
    assert [picture.width() for picture in reason.pictures] == [96] * 4
    assert reason.pictures[0].pixelColor(48, 48).alpha() == 255
    assert reason.pictures[0].pixelColor(1, 1).alpha() == 0


def test_without_words_everything_comes_and_filters_are_explained(store: EngineStore) -> None:
    found = store.search(Query(), unique=False)
    assert len(found) == 3
    assert not found.ranked
    assert set(found.copies.tolist()) == {1}
    assert len(store.search(Query(filters="format = glb"), unique=False)) == 0
    with pytest.raises(PolyoramaError, match="nonsense"):
        store.search(Query(filters="nonsense > 3"), unique=False)


def test_cards_have_pictures(store: EngineStore) -> None:
    found = store.search(Query(), unique=False)
    cards = store.cards([*found.ids.tolist(), 9999])
    assert len(cards) == 3, "what is not known is left out"
    for card in cards:
        assert card.image is not None
        assert card.image.width() == 256
        assert card.image.hasAlphaChannel()


def test_turntables_and_maps(store: EngineStore) -> None:
    card = store.cards(store.search(Query(), unique=False).ids[:1].tolist())[0]
    frames = store.turntable(card.asset, 5, 40)
    assert frames.shape == (5, 40, 40, 4)
    assert not np.array_equal(frames[0], frames[1])
    assert np.array_equal(store.look(card.asset, 0.0, 0.0, 40), frames[0])
    assert np.array_equal(store.look(card.asset, 72.0, 0.0, 40), frames[1])
    above, level = (store.look(card.asset, 0.0, height, 40) for height in (50.0, -18.0))
    assert not np.array_equal(above, level)
    plan = store.plan()
    assert sorted(plan.ids.tolist()) == sorted(store.search(Query(), unique=False).ids.tolist())
    assert plan.points.min() >= 0.0
    assert plan.points.max() <= 1.0
    better = run(store.better_plan())
    assert sorted(better.ids.tolist()) == sorted(plan.ids.tolist())


def test_the_best_alone_are_a_part_of_all(store: EngineStore) -> None:
    every = store.search(Query(words="red"), unique=False)
    best = store.search(Query(words="red"), unique=False, limit=2)
    assert best.ids.tolist() == every.ids[:2].tolist()
    assert every.complete
    assert not best.complete
    assert store.search(Query(words="red"), unique=False, limit=99).complete


def test_a_node_of_a_scene_finds_what_has_its_colour(store: EngineStore) -> None:
    rng = np.random.default_rng(2)
    sh = np.full((400, 1, 3), -1.5, np.float32)
    sh[:, 0, 1] = 1.5
    cloud = SplatCloud(
        means=rng.uniform(-1, 1, (400, 3)).astype(np.float32),
        quats=np.tile(np.float32([1, 0, 0, 0]), (400, 1)),
        scales=np.full((400, 3), 0.1, np.float32), opacities=np.full(400, 0.99, np.float32), sh=sh,
    )  # fmt: skip
    document = Document((Node("leaf", cloud, id="leaf"),))
    vectors = store.vectors_of(document, ("leaf",))
    assert vectors.shape == (1, 3)
    found = store.search(Query(vectors=vectors), unique=False)
    assert _names(store, found.ids[:1].tolist()) == ["two"], "which is the green one"


def test_changes_of_folders_are_seen(store: EngineStore, models: Path) -> None:
    assert store.changes() == ""
    _box(models / "late.obj", COLORS["red"])
    first = store.changes()
    assert first
    assert store.changes() == first
    run(store.index())
    assert store.changes() == ""


def test_collections_and_tags(store: EngineStore) -> None:
    ids = store.search(Query(), unique=False).ids.tolist()
    store.make_collection("Boxes")
    store.collect("Boxes", ids[:2])
    assert [(c.name, c.count) for c in store.overview().collections] == [("Boxes", 2)]
    assert sorted(store.search(Query(collection="Boxes"), unique=False).ids) == sorted(ids[:2])
    store.uncollect("Boxes", ids[:1])
    store.rename_collection("Boxes", "Crates")
    assert store.search(Query(collection="Crates"), unique=False).ids.tolist() == ids[1:2]
    store.remove_collection("Crates")
    assert store.overview().collections == ()
    store.set_tags(ids[0], ("brass", "old"))
    assert set(store.cards(ids[:1])[0].asset.tags) == {"brass", "old"}


def test_the_same_box_twice_is_one_of_a_group(store: EngineStore, models: Path) -> None:
    (models / "copy.obj").write_bytes((models / "one.obj").read_bytes())
    run(store.index())
    assert len(store.search(Query("red"), unique=False)) == 4
    found = store.search(Query("red"), unique=True)
    assert len(found) == 3
    assert found.copies[0] == 2
