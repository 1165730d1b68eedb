"""Searching the library: exact, mixed, explained, filtered; near-duplicates, maps, a server."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.shapes.embedder import unit
from polyorama.shapes.library import nearest
from polyorama.shapes.library.asking import make_query
from polyorama.shapes.library.asset import Hits, Query
from polyorama.shapes.library.duplicates import same_look, same_proportions
from polyorama.shapes.library.filters import parse
from polyorama.shapes.library.map2d import principal_plane
from polyorama.shapes.library.nearest import Codes, best
from polyorama.shapes.library.pictures import decoded, encoded, look_of
from polyorama.shapes.library.qdrant import QdrantShelf
from tests.engine.shapes_library_samples import (
    FakeDescriber,
    FakeEmbedder,
    library,
    model,
    sum_of,
    word_vector,
)

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.shapes.library.library import Library


@pytest.fixture
def shelves(tmp_path: Path) -> Library:
    folder = tmp_path / "models"
    model(folder / "chairs" / "a1.glb", "red chair", 120)
    model(folder / "chairs" / "a2.glb", "blue chair", 4_000)
    model(folder / "chairs" / "old" / "a3.obj", "green chair", 60_000)
    model(folder / "a4.gltf", "red table", 800)
    model(folder / "a5.splat", "splatty red plant", 20_000)
    model(folder / "a6.glb", "blue sofa", 5_000)
    subject = library(tmp_path / "lib")
    run(subject.index_job([folder]))
    subject.set_tags([subject.find(folder / "a4.gltf").id], ["Wood", "Dining room"])
    subject.set_licence([subject.find(folder / "a6.glb").id], "CC-BY-4.0")
    subject.set_licence([subject.find(folder / "chairs" / "a1.glb").id], "CC0-1.0")
    return subject


def stems(subject: Library, query: Query, **options) -> list[str]:
    return [a.path.stem for a in subject.assets(subject.search(query, **options).ids)]


def test_words_rank_by_cosine_and_say_which_view(shelves: Library) -> None:
    query = Query(words="red chair view2")
    hits = shelves.search(query, lexical=False)
    wanted = sum_of(["red", "chair", "view2"])
    for number, score, view in zip(hits.ids, hits.scores, hits.best_views, strict=True):
        words = shelves.asset(int(number)).path.read_text().partition("|")[0].split()
        each = np.stack([sum_of([*words, f"view{i}"]) for i in range(4)]).astype(np.float64)
        shape = each.mean(axis=0)
        shape /= np.linalg.norm(shape)
        assert score == pytest.approx(shape @ wanted, abs=1e-6)
        explained = shelves.explain(int(number), query)
        np.testing.assert_allclose(explained, each @ wanted, atol=2e-3)
        assert view == explained.argmax()
    assert list(hits.scores) == sorted(hits.scores, reverse=True)
    assert shelves.asset(int(hits.ids[0])).path.stem == "a1"
    assert hits.best_views[0] == 2


def test_parts_of_a_query_mix(shelves: Library) -> None:
    ids = {asset.path.stem: asset.id for asset in shelves.assets(shelves.search(Query()).ids)}
    assert stems(shelves, Query(like=(ids["a2"],), words="red"), limit=1, lexical=False) == ["a1"]
    plain = stems(shelves, Query(words="chair"), lexical=False)
    without = stems(shelves, Query(words="chair", without="blue"), lexical=False)
    assert set(plain[:3]) == {*without[:3], "a2"} == {"a1", "a2", "a3"}
    assert without.index("a2") > max(without.index("a1"), without.index("a3"))
    view = FakeDescriber().describe(shelves.asset(ids["a5"]).path).views[1]
    assert stems(shelves, Query(images=(view,)), limit=1) == ["a5"]
    outside = sum_of(["blue", "sofa"])[None]
    assert stems(shelves, Query(vectors=outside), limit=1) == ["a6"]
    away = stems(shelves, Query(without="chair"), lexical=False)
    assert set(away[3:]) == {"a1", "a2", "a3"}
    with pytest.raises(UsageError, match="not in the library"):
        shelves.search(Query(like=(999,)))
    with pytest.raises(UsageError, match=r"\(N, 64\)"):
        shelves.search(Query(vectors=np.ones((1, 3), np.float32)))
    with pytest.raises(UsageError, match="At least one"):
        shelves.search(Query(words="x"), 0)


def test_nothing_asked_comes_by_name(shelves: Library) -> None:
    hits = shelves.search(Query())
    assert [a.path.stem for a in shelves.assets(hits.ids)] == ["a1", "a2", "a3", "a4", "a5", "a6"]
    assert not hits.scores.any()
    assert set(hits.best_views) == {-1}


def test_names_tags_and_folders_help_and_can_be_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    for number in range(300):
        model(folder / f"thing_{number}.glb", f"w{number} v{number % 17}")
    model(folder / "Zebra_Crossing.glb", "unlike its name")
    model(folder / "zebra.glb", "nothing such")
    model(folder / "zoo" / "q1.glb", "grey lines")
    subject = library(tmp_path / "lib")
    run(subject.index_job([folder]))
    assert stems(subject, Query(words="zebra"), limit=2) == ["zebra", "Zebra_Crossing"]
    assert stems(subject, Query(words="a zebra crossing!"), limit=2)[0] == "Zebra_Crossing"
    typed = stems(subject, Query(words="zeb"), limit=30)  # as while it is typed
    assert {"zebra", "Zebra_Crossing"} <= set(typed)
    assert "q1" in stems(subject, Query(words="zoo"), limit=60)
    by_looks = subject.search(Query(words="zebra"), lexical=False)
    vector = word_vector("zebra")
    assert by_looks.scores.max() == pytest.approx(
        max(float(vector @ row) for row in subject.vectors(subject.catalogue())), abs=1e-6
    )
    q1 = subject.find(folder / "zoo" / "q1.glb")
    subject.set_tags([q1.id], ["stripes"])
    assert "q1" in stems(subject, Query(words="stripe"), limit=15)  # by its stem
    subject.set_caption([q1.id], "An okapi's leg")
    assert "q1" in stems(subject, Query(words="okapi"), limit=15)
    assert "q1" in stems(subject, Query(words='"); -- NEAR(* okapi'), limit=15)
    assert "q1" not in stems(subject, Query(words="okapi"), limit=15, lexical=False)
    assert stems(subject, Query(words="w1", without="zebra"))[-1] == "zebra"


FILTERS = [
    ("polys < 5000", {"a1", "a2", "a4"}),
    ("POLYGONS <= 5_000 AND format = glb", {"a1", "a2", "a6"}),
    ("polys >= 4k and polys < 60k", {"a2", "a6"}),
    ("polys = 120 or polys = 800", {"a1", "a4"}),
    ("polys in 120, 800", {"a1", "a4"}),
    ("polys != 120", {"a2", "a3", "a4", "a5", "a6"}),
    ("splats >= 10000", {"a5"}),
    ("kind = splats", {"a5"}),
    ("not kind = splats and not folder = chairs", {"a4", "a6"}),
    ("format in glb,gltf", {"a1", "a2", "a4", "a6"}),
    ("format not in (.glb, gltf)", {"a3", "a5"}),
    ("folder = Chairs", {"a1", "a2", "a3"}),
    ("folder = chairs/old", {"a3"}),
    ('folder = "Chairs\\OLD/"', {"a3"}),
    ("folder = chair", set()),
    ("folder != chairs", {"a4", "a5", "a6"}),
    ("tag = wood", {"a4"}),
    ('tag in "dining ROOM", iron', {"a4"}),
    ("tag != wood", {"a1", "a2", "a3", "a5", "a6"}),
    ("licence = CC0", {"a1"}),
    ("license in cc0, CC-BY-4.0", {"a1", "a6"}),
    ("licence = cc-by", {"a6"}),
    ("licence = cc-by-4.0", {"a6"}),
    ("licence = cc-by-3.0", set()),
    ("licence = unknown", {"a2", "a3", "a4", "a5"}),
    ("size > 1 MB", set()),
    ("size < 1kB and (tag = wood or licence = cc0)", {"a1", "a4"}),
    ("polys > 1e", None),
    ("", {"a1", "a2", "a3", "a4", "a5", "a6"}),
]


@pytest.mark.parametrize(("text", "wanted"), FILTERS)
def test_filters(shelves: Library, text: str, wanted: set[str] | None) -> None:
    if wanted is None:
        with pytest.raises(UsageError):
            parse(text)
        return
    assert set(stems(shelves, Query(filters=text))) == wanted
    assert set(stems(shelves, Query(words="red", filters=text))) == wanted


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("poly < 3", ["'poly' at letter 1", "polys, splats, size", "perhaps polys"]),
        ("polys < x", ["'x' at letter 9", "polys < 5000"]),
        ("polys < 3 MB", ["letter"]),
        ("format < glb", ["'<' at letter 8", "=, !=, in, or not in"]),
        ("polys < 3 and", ["nothing at its end", "begins with"]),
        ("polys < 3 polys > 1", ["'polys' at letter 11", "and, or, or the end"]),
        ("(polys < 3", ["nothing at its end", "')'"]),
        ("tag = ", ["nothing at its end", "tag = wood"]),
        ('tag = "wood', ["cannot contain '\"' at letter 7"]),
        ("format in (glb, obj", ["a list is closed"]),
        ("format not glb", ["not in"]),
        ("(" * 80 + "polys < 3" + ")" * 80, ["nested deeper"]),
        ("x" * 3000, ["2,000 letters"]),
    ],
)
def test_wrong_filters_say_where_and_what_could_stand_there(text: str, parts: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse(text)
    told = str(caught.value)
    assert "\n" not in told
    for part in parts:
        assert part in told


def slow_best(
    matrix: np.ndarray, query: np.ndarray, places: np.ndarray, extra: np.ndarray | None, limit: int
) -> tuple[np.ndarray, np.ndarray]:
    """The reference: every product in float64, sorted."""
    scores = matrix[places].astype(np.float64) @ query.astype(np.float64)
    if extra is not None:
        scores = scores + extra
    order = np.argsort(-scores, kind="stable")[:limit]
    return order, scores[order]


@pytest.mark.parametrize("kind", ["gauss", "clusters", "copies", "spiky", "tiny", "zeros"])
@pytest.mark.parametrize("limit", [1, 50, 700])
def test_the_first_pass_over_integers_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, kind: str, limit: int
) -> None:
    monkeypatch.setattr(nearest, "CODED_ROWS", 100)
    rng = np.random.default_rng(7)
    count, width = 3000, 96
    rows = rng.normal(size=(count, width))
    if kind == "clusters":
        rows = rng.normal(size=(20, width))[rng.integers(0, 20, count)] + 1e-3 * rows
    elif kind == "copies":
        rows = rows[rng.integers(0, 200, count)]
    elif kind == "spiky":
        rows[:, 0] *= 400.0
    elif kind == "tiny":
        rows *= 1e-12
    elif kind == "zeros":
        rows[::2] = 0.0
    matrix = rows.astype(np.float32) if kind == "tiny" else unit(rows.astype(np.float32))
    query = unit(rng.normal(size=width).astype(np.float32))
    codes = Codes(width)
    codes.extend(matrix[:1000])  # grown in two steps, as while an index run writes
    codes.extend(matrix)
    places = rng.permutation(count)[: count - 200]
    places[10:20] = places[0]
    for extra in (None, (rng.random(len(places)) < 0.01).astype(np.float32) * np.float32(0.3)):
        found, scores = best(matrix, codes, query, places, extra, limit)
        wanted, exact = slow_best(matrix, query, places, extra, limit)
        np.testing.assert_allclose(scores, exact, atol=1e-6)
        everything = slow_best(matrix, query, places, extra, count)
        by_position = dict(zip(everything[0].tolist(), everything[1].tolist(), strict=True))
        np.testing.assert_allclose([by_position[i] for i in found.tolist()], exact, atol=1e-6)
        assert len(set(found.tolist())) == len(wanted)
        near, slack = codes.bounds(query, count)
        assert (np.abs(near - matrix.astype(np.float64) @ query) <= slack).all()


def test_integers_and_floats_give_one_answer_in_the_library(
    shelves: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = shelves.search(Query(words="red chair"), 3)
    for module in ("polyorama.shapes.library.nearest", "polyorama.shapes.library.query"):
        monkeypatch.setattr(f"{module}.CODED_ROWS", 2)
    coded = shelves.search(Query(words="red chair"), 3)
    assert plain.ids.tolist() == coded.ids.tolist()
    np.testing.assert_allclose(plain.scores, coded.scores, atol=1e-6)


def test_near_duplicates_are_grouped_and_colour_variants_are_not(tmp_path: Path) -> None:
    class Alike(FakeEmbedder):
        """Sees no colours: only the cells of the pictures can tell them apart."""

        def embed_shape(self, views):
            found = super().embed_shape(views)
            kind = unit(word_vector("chair") + 0.01 * found.vector)
            return type(found)(kind, found.views)

    folder = tmp_path / "models"
    model(folder / "chair.glb", "red chair", 100)
    model(folder / "chair.obj", "red chair from another program", 101, (1.0, 1.0, 1.001))
    model(folder / "chair_large.glb", "red chair ten times as large", 100, (10.0, 10.0, 10.0))
    model(folder / "chair_blue.glb", "blue chair", 100)
    model(folder / "chair_long.glb", "red chair that is long", 100, (1.0, 1.0, 2.0))
    model(folder / "chair_splats.splat", "red chair splatty", 100)
    subject = library(tmp_path / "lib", embedder=Alike())
    run(subject.index_job([folder]))
    groups = run(subject.groups_job())
    named = [{asset.path.name for asset in subject.assets(group)} for group in groups]
    assert named == [{"chair.glb", "chair.obj", "chair_large.glb"}]
    hits = subject.search(Query(words="chair"))
    kept, copies = subject.unique(hits)
    assert len(hits) == 6
    assert sorted(copies.tolist()) == [1, 1, 1, 3]
    assert len(kept) == 4
    assert [i for i in hits.ids.tolist() if i in set(kept.ids.tolist())] == kept.ids.tolist()
    assert subject.stats().groups == 1
    model(folder / "chair_large.glb", "green chair", 100, (10.0, 10.0, 10.0))
    model(folder / "chair.obj", "green chair", 100)
    run(subject.index_job())
    assert {a.path.name for a in subject.assets(run(subject.groups_job())[0])} == {
        "chair.obj", "chair_large.glb",
    }  # fmt: skip


def test_looks_compare_silhouettes_and_colours() -> None:
    views = np.full((3, 60, 60, 3), 255, np.uint8)
    views[:, 10:40, 10:40] = (200, 30, 30)
    look = look_of(views)
    assert look.shape == (6, 6, 6, 4)
    assert look[0, 2, 2].tolist() == [200, 30, 30, 255]
    assert look[0, 5, 5, 3] == 0
    moved, tinted, noisy = views.copy(), views.copy(), views.copy()
    moved[:, 10:50, 10:40] = (200, 30, 30)
    tinted[:, 30:40, 10:40] = (30, 30, 200)
    noisy[:, 10:40, 10:40] += np.random.default_rng(0).integers(0, 5, (30, 30, 3), np.uint8)
    assert same_look(look, look_of(noisy))
    assert not same_look(look, look_of(moved))
    assert not same_look(look, look_of(tinted))
    assert same_proportions(np.array([1.0, 2.0, 3.0]), np.array([10.0, 20.0, 30.2]))
    assert not same_proportions(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0]))


def test_thumbnails_survive_their_format() -> None:
    picture = np.zeros((32, 48, 4), np.uint8)
    picture[4:20, 5:30] = (200, 100, 50, 255)
    back = decoded(encoded(picture)).astype(int)
    assert back.shape == picture.shape
    inside = np.abs(back[8:16, 10:26] - picture[8:16, 10:26].astype(int))
    assert inside.max() < 16
    assert (back[24:, 34:, 3] == 0).all()


def test_maps_are_kept_until_the_library_changes(
    tmp_path: Path, shelves: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(shelves.map_job())
    assert first.ids.tolist() == sorted(shelves.search(Query()).ids.tolist())
    assert (first.points >= 0.0).all()
    assert (first.points <= 1.0).all()
    assert np.ptp(first.points, axis=0).max() == pytest.approx(1.0, abs=1e-6)
    with monkeypatch.context() as patch:
        patch.setattr("polyorama.shapes.library.map2d.principal_plane", None)
        np.testing.assert_array_equal(run(shelves.map_job()).points, first.points)
    model(tmp_path / "models" / "new.glb", "new thing")
    run(shelves.index_job())
    assert len(run(shelves.map_job()).ids) == 7
    assert len(list((tmp_path / "lib" / "maps").glob("pca-*.npy"))) == 1
    with pytest.raises(UsageError, match="pca or umap"):
        run(shelves.map_job("tsne"))


def test_the_principal_plane_is_that_of_the_singular_vectors() -> None:
    rng = np.random.default_rng(3)
    rows = (rng.normal(size=(400, 12)) * np.linspace(3.0, 0.1, 12)).astype(np.float32)
    places = rng.permutation(400)[:350]
    found = principal_plane(rows, places)
    centred = rows[places].astype(np.float64)
    centred -= centred.mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:2]
    for axis in range(2):
        wanted = centred @ axes[axis]
        sign = np.sign(wanted @ found[:, axis])
        np.testing.assert_allclose(found[:, axis], sign * wanted, atol=1e-4)


def test_neighbourhoods_keep_clusters_together(tmp_path: Path) -> None:
    pytest.importorskip("umap")
    folder = tmp_path / "models"
    for number in range(45):
        model(folder / f"{number}.glb", f"{['chair', 'table', 'plant'][number % 3]} n{number}")
    subject = library(tmp_path / "lib")
    run(subject.index_job([folder]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its own libraries' news
        first = run(subject.map_job("umap"))
    kinds = np.array([int(a.path.stem) % 3 for a in subject.assets(first.ids)])
    apart = np.linalg.norm(first.points[:, None] - first.points[None], axis=2)
    np.fill_diagonal(apart, np.inf)
    assert (kinds[apart.argmin(axis=1)] == kinds).mean() > 0.9


def test_hits_of_no_assets_are_empty(tmp_path: Path, shelves: Library) -> None:
    assert len(shelves.search(Query(words="red", filters="polys = 1"))) == 0
    assert len(shelves.search(Query(words="red", collection="none such"))) == 0
    with pytest.raises(UsageError, match="polyorama shapes index FOLDER"):
        library(tmp_path / "empty").search(Query(words="red"))
    empty = Hits(np.empty(0, np.int64), np.empty(0, np.float32), np.empty(0, np.int16))
    kept, copies = shelves.unique(empty)
    assert len(kept) == len(copies) == 0


@pytest.mark.parametrize("part", ["words", "without", "filters", "collection"])
def test_bytes_that_are_no_text_are_not_sought(shelves: Library, part: str) -> None:
    asked = {part: "tag = \udcff" if part == "filters" else "\udcff"}
    with pytest.raises(UsageError, match="no text that can be sought; correct it"):
        shelves.search(Query(**asked))


def test_a_query_names_what_is_not_there(shelves: Library) -> None:
    with pytest.raises(UsageError, match="no collection 'Seats'"):
        make_query(shelves, "red", collection="Seats")
    shelves.make_collection("seats")
    assert make_query(shelves, "red", collection="Seats").collection == "Seats"
    for wrong in (lambda: shelves.collect("\udcff", []), lambda: shelves.asset(1 << 70)):
        with pytest.raises(UsageError, match=r"neither text nor a number|no shape of number"):
            wrong()


def test_collections_have_names_of_their_own(shelves: Library) -> None:
    ids = shelves.search(Query(words="chair"), 2).ids.tolist()
    shelves.make_collection("Seats")
    shelves.collect("seats", [*ids, ids[0]])
    assert shelves.collections() == {"Seats": 2}
    assert set(shelves.search(Query(collection="SEATS")).ids.tolist()) == set(ids)
    shelves.uncollect("Seats", ids[:1])
    shelves.rename_collection("Seats", "seats to sit on")
    assert shelves.collections() == {"seats to sit on": 1}
    for call, told in (
        (lambda: shelves.make_collection(" "), "needs a name"),
        (lambda: shelves.make_collection("Seats to sit ON"), "already"),
        (lambda: shelves.collect("nowhere", ids), "no collection"),
        (lambda: shelves.collect("seats to sit on", [999]), "no shape of number 999"),
        (lambda: shelves.remove_collection("nowhere"), "no collection"),
    ):
        with pytest.raises(UsageError, match=told):
            call()
    shelves.remove_collection("seats to sit on")
    assert shelves.collections() == {}
    assert len(shelves.search(Query())) == 6


def test_a_server_answers_as_the_library_does(shelves: Library) -> None:
    """Against the client's local mode: no registry of packages has the server's binary."""
    warnings.filterwarnings("ignore", message="Local mode performs exact")
    client = pytest.importorskip("qdrant_client").QdrantClient(":memory:")
    ids = shelves.search(Query(words="chair"), 2).ids.tolist()
    shelves.make_collection("Seats")
    shelves.collect("Seats", ids)
    server = QdrantShelf(client, shelves.embedder, shelves.describer.recipe)
    assert run(server.push_job(shelves)) == 6
    assert run(server.push_job(shelves)) == 6
    view = FakeDescriber().describe(shelves.asset(ids[0]).path).views[1]
    for query in (
        Query(words="red chair"), Query(words="chair", without="blue"), Query(like=(ids[0],)),
        Query(images=(view,), words="blue"), Query(), Query(words="red", collection="Seats"),
    ):  # fmt: skip
        here, there = shelves.search(query, lexical=False), server.search(query)
        np.testing.assert_allclose(here.scores, there.scores, atol=1e-5)
        assert here.ids.tolist() == there.ids.tolist()
        assert server.search(query, 2).ids.tolist() == here.ids.tolist()[:2]
    for text, wanted in FILTERS:
        if wanted is not None:
            found = server.search(Query(words="red", filters=text)).ids
            assert {asset.path.stem for asset in shelves.assets(found)} == wanted, text
    shelves.remove_folder(shelves.folders()[0])
    assert run(server.push_job(shelves)) == 0
    assert len(server.search(Query(words="red"))) == 0
    client.close()
