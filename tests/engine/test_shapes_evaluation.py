"""The measurements themselves: recall, chance, intervals, names, packs, and the table."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from polyorama.cli import main
from polyorama.core.jobs import run
from polyorama.errors import FileFormatError, UsageError
from polyorama.io.mesh import read_mesh
from polyorama.shapes.embedder import ShapeEmbedding, unit
from polyorama.shapes.evaluation.baselines import hand_made
from polyorama.shapes.evaluation.metrics import chance_recall, estimate, ranks_of_first
from polyorama.shapes.evaluation.names import base_name, plain_words
from polyorama.shapes.evaluation.pack import Pack, find_packs, find_tagged_splats
from polyorama.shapes.evaluation.photographs import query_photograph
from polyorama.shapes.evaluation.protocol import evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def test_ranks_are_counted_against_equal_scores() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [0.0, 5.0, 5.0]])
    right = np.array([[False, True, False], [True, False, False], [False, True, True]])
    assert ranks_of_first(scores, right).tolist() == [1, 2, 0]


def test_ranks_are_those_of_sorting() -> None:
    generator = np.random.default_rng(0)
    scores, right = generator.normal(size=(40, 30)), generator.random((40, 30)) < 0.15
    right[:, 0] |= ~right.any(axis=1)
    expected = [
        next(rank for rank, at in enumerate(np.argsort(-row)) if mine[at])
        for row, mine in zip(scores, right, strict=True)
    ]
    assert ranks_of_first(scores, right).tolist() == expected


@pytest.mark.parametrize(("count", "matches", "at"), [(5, 2, 2), (6, 1, 5), (4, 4, 1), (3, 1, 9)])
def test_chance_is_that_of_all_orders(count: int, matches: int, at: int) -> None:
    right = np.arange(count) < matches
    orders = list(itertools.permutations(range(count)))
    expected = np.mean([right[list(order[:at])].any() for order in orders])
    assert chance_recall(right[None], at) == pytest.approx(expected)


def test_intervals_cover_the_truth_as_often_as_they_say() -> None:
    """95 % intervals of 100 experiments miss the truth more than 15 times with odds below 1e-4."""
    generator = np.random.default_rng(1)
    missed = 0
    for _ in range(100):
        hits = (generator.random((1, 80)) < 0.4).astype(float)
        found = estimate(list(hits))
        missed += not found.low <= 0.4 <= found.high
        assert found.low <= found.mean <= found.high
    assert missed <= 15


def test_intervals_grow_where_seeds_disagree() -> None:
    agree = estimate([np.full(50, 0.5)] * 3)
    differ = estimate([np.zeros(50), np.full(50, 0.5), np.ones(50)])
    assert agree.high - agree.low == 0.0
    assert differ.high - differ.low > 0.5


@pytest.mark.parametrize(
    ("stem", "base"),
    [("chair_A_wood", "chair wood"), ("bed_double_B", "bed double"), ("jar_C_large", "jar"),
     ("pan_006", "pan"), ("TreeHouse2", "tree house"), ("bathroomCabinet", "bathroom cabinet"),
     ("A", "a"), ("food_ingredient_bun_top", "food ingredient bun top")],
)  # fmt: skip
def test_base_names(stem: str, base: str) -> None:
    assert base_name(stem) == base


def test_plain_words_keep_what_the_name_says() -> None:
    assert plain_words("bathroomCabinet_A_02") == "bathroom Cabinet A 02"
    assert plain_words("HTMLSign-old.v2") == "HTML Sign old v 2"


def test_the_descriptor_tells_colours_and_directions() -> None:
    across = np.zeros((64, 64, 3), np.uint8)
    across[:, ::8] = 255
    along = across.transpose(1, 0, 2)
    red = np.zeros((64, 64, 3), np.uint8)
    red[..., 0] = 255
    one, two, three = (hand_made(picture) for picture in (across, along, red))
    assert one[:64] == pytest.approx(two[:64])  # the same colours
    assert one[64:] @ two[64:] < 0.5  # other directions
    assert one[:64] @ three[:64] < 0.5
    assert np.linalg.norm(one[:64]) == pytest.approx(1.0)


class ByColour:
    """Knows the mean colour of what is not white, and the names of three colours."""

    id, dimensions, picture_size, origin = "colour", 3, 64, "nothing"
    NAMES = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1)}  # noqa: RUF012 - never written

    def embed_texts(self, texts: Sequence[str]) -> np.ndarray:
        colours = [self.NAMES.get(text.split()[0], (1, 1, 1)) for text in texts]
        return unit(np.float32(colours))

    def embed_images(self, images: Sequence[np.ndarray]) -> np.ndarray:
        # The middle of a picture, where the shape is.
        middles = [image[80:144, 80:144].reshape(-1, 3).mean(axis=0) for image in images]
        return unit(np.float32(middles))

    def embed_shape(self, views: np.ndarray) -> ShapeEmbedding:
        seen = [view[(view < 250).any(axis=-1)].mean(axis=0) for view in views]
        return ShapeEmbedding(unit(np.float32(np.mean(seen, axis=0))), unit(np.float32(seen)))


class Blind(ByColour):
    """Sees the same in everything."""

    def embed_shape(self, views: np.ndarray) -> ShapeEmbedding:
        same = unit(np.ones((len(views), 3), np.float32))
        return ShapeEmbedding(same[0], same)


def write_pack(folder: Path) -> None:
    """Nine cubes of three colours and a grey one, as glTF without any buffer beside it."""
    import base64
    import struct

    folder.mkdir(parents=True)
    low, high = -0.5, 0.5
    corners = list(itertools.product((low, high), repeat=3))
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    indices = [i for a, b, c, d in quads for i in (a, b, c, a, c, d)]
    data = struct.pack("<24f", *(c for corner in corners for c in corner))
    data += struct.pack("<36H", *indices)
    uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
    colors = [*(ByColour.NAMES.items()), ("grey", (0.5, 0.5, 0.5))]
    for name, color in colors:
        for letter in "ABC" if name != "grey" else "A":
            document = {
                "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
                "nodes": [{"mesh": 0}], "buffers": [{"uri": uri, "byteLength": len(data)}],
                "meshes": [{"primitives": [
                    {"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
                "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [*color, 1]}}],
                "bufferViews": [{"buffer": 0, "byteOffset": 0, "byteLength": 96},
                                {"buffer": 0, "byteOffset": 96, "byteLength": 72}],
                "accessors": [
                    {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3",
                     "min": [low] * 3, "max": [high] * 3},
                    {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"}],
            }  # fmt: skip
            (folder / f"{name}_cube_{letter}.gltf").write_text(json.dumps(document))


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Pack:
    folder = tmp_path_factory.mktemp("packs")
    write_pack(folder / "cubes")
    (folder / "few").mkdir()
    (folder / "few" / "one.gltf").write_text((folder / "cubes" / "red_cube_A.gltf").read_text())
    packs = find_packs([folder])
    assert [found.name for found in packs] == ["cubes"]
    return packs[0]


def test_a_pack_knows_who_is_right(pack: Pack) -> None:
    queries, right = pack.right_answers()
    assert queries == ("blue cube", "green cube", "grey cube", "red cube")
    assert right.sum(axis=1).tolist() == [3, 3, 1, 3]
    assert right.sum(axis=0).tolist() == [1] * 10


def test_photographs_are_the_same_again_and_no_two_alike(pack: Pack) -> None:
    mesh = read_mesh(pack.paths[0])
    one, again = (query_photograph(mesh, pack.paths[0]) for _ in range(2))
    other = query_photograph(mesh, pack.paths[1])
    assert one.shape == (224, 224, 3)
    assert (one == again).all()
    assert (one != other).any()
    middle = one[100:124, 100:124].astype(int).mean(axis=(0, 1))
    assert middle[2] > middle[0] + 40  # a blue cube, in any light


def test_the_table_is_what_was_measured(pack: Pack) -> None:
    both = {"colour": [ByColour(), ByColour()], "blind": [Blind(), Blind()]}
    rows = run(evaluate(both, [pack], twins=[("colour", "blind")]))  # type: ignore[arg-type]
    found = {(row.task, row.method): row.value.mean for row in rows}
    assert found["words to shapes, R@1", "colour"] == 1.0
    assert found["words to shapes, R@1", "blind"] == 0.0
    assert found["words to shapes, R@1", "colour, less blind"] == 1.0
    assert found["words to shapes, R@5", "good file names"] == 1.0
    assert found["words to shapes, R@1", "chance"] == pytest.approx((3 * 0.3 + 0.1) / 4)
    assert found["picture to shape, R@1", "chance"] == pytest.approx(0.1)
    # Of three cubes of one colour the wrong ones count as better.
    assert found["picture to shape, R@1", "colour"] <= 0.4
    assert all((f"words to shapes, {n} view{s}, R@1", "colour") in found
               for n, s in ((1, ""), (4, "s"), (12, "s")))  # fmt: skip


def test_names_of_signs_alone_are_names(pack: Pack, tmp_path: Path) -> None:
    for number, path in enumerate(pack.paths):
        name = "___" if number == 0 else path.stem
        (tmp_path / f"{name}.gltf").write_text(path.read_text())
    (odd,) = find_packs([tmp_path])
    rows = run(evaluate({}, [odd]))
    assert {row.method for row in rows} == {"chance", "good file names", "colours and edges"}


def test_folders_without_packs_say_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No folder with 10 or more glTF models"):
        find_packs([tmp_path])


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '[{"file": "../../etc/passwd", "tags": ["a"]}]', '[{"file": "x", "tags": 3}]',
     "[1, null]", '[{"file": ["x"], "tags": ["a"]}]', '[{"file": 5, "tags": ["a"]}]'],
)  # fmt: skip
def test_manifests_of_others_are_no_trouble(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    assert find_tagged_splats([tmp_path]) is None


def test_folders_called_like_manifests_are_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").mkdir()
    assert find_tagged_splats([tmp_path]) is None


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000])
def test_manifests_that_are_damaged_say_so(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(FileFormatError, match=r"no JSON; correct it: .*manifest\.json"):
        find_tagged_splats([tmp_path])


def test_tags_are_those_of_what_is_seen(tmp_path: Path) -> None:
    (tmp_path / "cow.splat").write_bytes(b"x")
    rows = [
        {"file": "cow.splat", "tags": ["cow", "classic", None, ["a"], " "]},
        {"file": "none.splat", "tags": ["a"]},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps(rows))
    found = find_tagged_splats([tmp_path])
    assert found is not None
    assert found.tags == (("cow",),)
    assert found.vocabulary() == ("cow",)


def test_the_command_line_names_what_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["shapes", "eval", str(tmp_path / "nowhere")]) == 2
    assert "no such folder to evaluate on" in capsys.readouterr().err
    assert main(["shapes", "eval", str(tmp_path)]) == 2
    assert "10 or more glTF models" in capsys.readouterr().err
