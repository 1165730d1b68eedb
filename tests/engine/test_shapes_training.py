"""Training of the default embedder: losses by hand, captions, features on disk, learning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch

from polyorama.core.jobs import run
from polyorama.errors import UsageError
from polyorama.scene.mesh import Material, Mesh
from polyorama.shapes.default.embedder import DefaultEmbedder
from polyorama.shapes.default.net import HeadConfig
from polyorama.shapes.training import features, objective, recipe
from polyorama.shapes.training.captions import captions_of, color_name, color_words
from polyorama.shapes.training.features import Sample, Store, extract, pictures_of
from polyorama.shapes.training.objective import Corpus, TrainingSettings, train_head
from polyorama.shapes.training.samples import label_of, pack_samples, procedural_samples

if TYPE_CHECKING:
    from pathlib import Path

SMALL = HeadConfig(width=32, heads=4, layers=2, threshold=1, visual=16)


def corpus(seed: int, kinds: int = 12, each: int = 6) -> tuple[Corpus, torch.Tensor]:
    """Kinds of shapes that have a feature and a word of their own, in noise, seen six times."""
    generator = torch.Generator().manual_seed(seed)

    def noise(*size: int) -> torch.Tensor:
        return torch.randn(*size, generator=generator)

    shapes, pictures = kinds * each, 3 + 2 + 1
    labels = np.repeat(np.arange(kinds), each)
    words = torch.nn.functional.normalize(noise(kinds, 384), dim=-1)
    kind, own = noise(kinds, 1280), noise(shapes, 1280) * 0.5
    at = torch.arange(shapes).repeat_interleave(pictures)
    pooled = kind[torch.from_numpy(labels)[at]] + own[at] + 0.3 * noise(len(at), 1280)
    first = np.arange(shapes) * pictures
    spans = np.stack([first, *(np.full(shapes, n) for n in (3, 2, 1))], axis=1)
    made = Corpus(
        noise(len(at), 4, 320).half(), pooled.half(), noise(len(at), 384).half(), spans,
        words[torch.from_numpy(labels)], np.stack([np.arange(shapes), np.ones(shapes, int)], 1),
        labels, np.ones(shapes),
    )  # fmt: skip
    return made, torch.nn.functional.normalize(noise(1000, 384), dim=-1)


def test_info_nce_is_the_formula() -> None:
    generator = np.random.default_rng(0)
    logits, target = generator.normal(size=(5, 5)) * 3, generator.random((5, 5))
    target /= target.sum(axis=1, keepdims=True)
    total = 0.0
    for scores, weights in ((logits, target), (logits.T, target.T / target.sum(axis=0)[:, None])):
        for row, weight in zip(scores, weights, strict=True):
            total -= (weight * (row - np.log(np.exp(row).sum()))).sum() / 5 / 2
    got = objective._info_nce(torch.from_numpy(logits), torch.from_numpy(target))
    assert got.item() == pytest.approx(total, abs=1e-12)


def test_shapes_of_one_label_are_no_negatives() -> None:
    texts = torch.eye(4, 384)
    target = objective._text_target(texts, torch.tensor([0, 1, 0, 2]), 0.0)
    assert target.tolist() == [[0.5, 0, 0.5, 0], [0, 1, 0, 0], [0.5, 0, 0.5, 0], [0, 0, 0, 1]]
    soft = objective._text_target(texts, torch.tensor([0, 1, 0, 2]), 0.3)
    assert soft.sum(dim=1).tolist() == pytest.approx([1.0] * 4)
    assert (soft > 0).all()


@pytest.mark.parametrize("photographs", [0.0, 1.0])
def test_views_are_drawn_from_their_kind_without_repeating(photographs: float) -> None:
    made, _ = corpus(0)
    numbered = replace(
        made, pooled=torch.arange(len(made.pooled))[:, None].expand(-1, 1280).double()
    )
    generator = np.random.default_rng(1)
    rows = np.arange(30)
    _, pooled, _ = objective._views(numbered, rows, 3, generator, photographs=photographs)
    picture = pooled[:, :, 0].numpy() - made.spans[rows, :1]
    if photographs:
        assert (picture == 5).all()  # the one photograph, again and again
        return
    fixed = (picture < 3).all(axis=1)
    plain = ((picture >= 3) & (picture < 5)).all(axis=1)
    assert (fixed | plain).all()
    assert fixed.any()
    assert plain.any()
    assert (np.sort(picture[fixed], axis=1) == [0, 1, 2]).all()


def test_it_learns_words_and_looks_on_every_seed() -> None:
    """Chance is 1 in 12 for words and 1 in 72 for looks; a net that learnt nothing passes a seed
    with less than one in a million (binomial, 72 trials)."""
    for seed in range(3):
        made, names = corpus(seed)
        settings = TrainingSettings(steps=25, batch=36, rate=4e-3, most_views=2, seed=seed)
        net = run(train_head(made, SMALL, settings, names))
        first = torch.from_numpy(made.spans[:, 0])

        def vectors(at: torch.Tensor, made: Corpus = made, net: object = net) -> torch.Tensor:
            with torch.inference_mode():
                seen = (made.cells[at], made.pooled[at], made.conse[at])
                return net(*(x.float() for x in seen))[0]  # type: ignore[operator]

        shapes = vectors(first[:, None] + torch.arange(2))
        words = made.texts[::6]
        guessed = (shapes[:, :384] @ words.mT).argmax(dim=1).numpy()
        assert (guessed == made.labels).mean() > 0.5
        photographs = vectors(first[:, None] + 5)
        assert ((photographs @ shapes.mT).argmax(dim=1) == torch.arange(72)).float().mean() > 0.3


def test_the_same_seed_gives_the_same_weights() -> None:
    made, names = corpus(0)
    settings = TrainingSettings(steps=3, batch=24, most_views=2, seed=5)
    one, two = (run(train_head(made, SMALL, settings, names)).state_dict() for _ in range(2))
    other = run(train_head(made, SMALL, replace(settings, seed=6), names)).state_dict()
    assert all(torch.equal(one[name], two[name]) for name in one)
    assert not torch.equal(one["from_pooled.weight"], other["from_pooled.weight"])


def test_progress_shows_the_losses_and_closing_ends_it() -> None:
    made, names = corpus(0)
    job = train_head(made, SMALL, TrainingSettings(steps=50, batch=24), names)
    shown = [next(job) for _ in range(3)]
    assert [progress.done for progress in shown] == [1, 2, 3]
    assert shown[-1].preview.shape == (3, 3)
    assert np.isfinite(shown[-1].preview).all()
    job.close()


@pytest.mark.parametrize(
    ("rgb", "name"),
    [((1, 0, 0), "red"), ((0.1, 0.7, 0.2), "green"), ((0.2, 0.4, 0.9), "blue"),
     ((1, 1, 1), "white"), ((0.05, 0.05, 0.05), "black"), ((0.5, 0.5, 0.52), "grey"),
     ((0.45, 0.28, 0.15), "brown"), ((1, 0.55, 0.1), "orange"), ((1, 0.9, 0.2), "yellow"),
     ((1, 0.5, 0.75), "pink"), ((0.5, 0.2, 0.7), "purple"), ((0.2, 0.2, 0.2), "dark grey"),
     ((0.1, 0.75, 0.75), "turquoise"), ((0.8, 0.72, 0.6), "beige"), ((0.9, 0.05, 0.1), "red")],
)  # fmt: skip
def test_colours_have_their_plain_names(rgb: tuple[float, ...], name: str) -> None:
    assert color_name(np.array(rgb)) == name


def sheet(*strips: tuple[float, tuple[float, float, float]]) -> Mesh:
    """A flat sheet of strips, each so wide and of that colour."""
    edges = np.cumsum([0.0, *(width for width, _ in strips)])
    vertices = [
        (x, y, 0) for i in range(len(strips)) for x in edges[[i, i + 1]] for y in (0.0, 1.0)
    ]
    corners = [(0, 2, 1), (1, 2, 3)]
    triangles = [[4 * i + c for c in corner] for i in range(len(strips)) for corner in corners]
    return Mesh(
        np.float32(vertices), np.int32(triangles),
        material_ids=np.repeat(np.arange(len(strips), dtype=np.int32), 2),
        materials=tuple(Material(color=(*color, 1.0)) for _, color in strips),
    )  # fmt: skip


def test_only_colours_that_cover_much_are_said() -> None:
    mesh = sheet((5, (0.9, 0.1, 0.1)), (4, (0.1, 0.2, 0.9)), (1, (0.1, 0.8, 0.2)))
    assert color_words(mesh) == ("red", "blue")
    assert color_words(sheet((1, (0.1, 0.8, 0.2)))) == ("green",)
    flat = Mesh(np.zeros((3, 3), np.float32), np.int32([[0, 1, 2]]))
    assert color_words(flat) == ()


def test_captions_say_name_and_colours() -> None:
    captions = captions_of("bar stool", ("red", "grey"))
    assert {"bar stool", "red bar stool", "a bar stool, red and grey", "stool"} <= set(captions)
    assert all("stool" in caption for caption in captions)


@pytest.mark.parametrize(
    ("stem", "label"),
    [("bathroomCabinet", "bathroom cabinet"), ("chair_A_wood", "chair wood"),
     ("Tree_Snow_4", "tree snow"), ("Pistol(Damaged)_02", "pistol"), ("GasCan-transformed",
     "gas can"), ("2Story_Mat", "2 story"), ("A", "")],
)  # fmt: skip
def test_names_become_labels(stem: str, label: str) -> None:
    assert label_of(stem) in (label, label.replace("2 story", "2story"))


def write_obj(path: Path) -> None:
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")


def test_packs_are_read_once_a_model(tmp_path: Path) -> None:
    for name in ("Cosy_Chair_A.obj", "sub/wooden_table.obj", "12.obj"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        write_obj(tmp_path / name)
    (tmp_path / "broken.obj").write_text("nothing")
    samples = pack_samples(tmp_path)
    assert [sample.label for sample in samples] == ["cosy chair", "wooden table"]
    assert samples[0].id == f"{tmp_path.name}/Cosy_Chair_A.obj"
    assert samples[0].make().triangles.shape == (4, 3)
    with pytest.raises(UsageError, match="No models with names"):
        pack_samples(tmp_path / "sub" / "none")


def test_features_are_kept_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = [replace(s, views=3, photos=2) for s in procedural_samples([0], ["chair", "mug"])]
    bad = Sample("bad", "test", "bad", ("bad",), lambda: Mesh(None, None))  # type: ignore[arg-type]
    job = extract([*samples, bad], tmp_path, chunk=2)
    next(job)
    next(job)
    job.close()  # killed after the first chunk
    kept = {path.name: path.stat().st_mtime_ns for path in tmp_path.glob("*.npz")}
    assert len(kept) == 1
    made: list[str] = []
    monkeypatch.setattr(features, "pictures_of", lambda s: made.append(s.id) or pictures_of(s))
    assert run(extract([*samples, bad], tmp_path, chunk=2)) == 1
    assert made == ["bad"]
    assert "bad\t" in (tmp_path / "failures.txt").read_text()
    assert all((tmp_path / name).stat().st_mtime_ns == when for name, when in kept.items())
    store = Store.read([tmp_path])
    assert [row["id"] for row in store.rows] == ["chair/0", "mug/0"]
    assert store.spans.tolist() == [[0, 3, 3, 2], [8, 3, 3, 2]]
    assert store.cells.shape == (16, 25, 320)
    assert store.pooled.shape == (16, 1280)


def test_too_little_to_learn_from_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No features to learn from"):
        Store.read([tmp_path])
    made, names = corpus(0)
    with pytest.raises(UsageError, match="72 shapes to learn from, fewer than the 73 of a batch"):
        next(train_head(made, SMALL, TrainingSettings(batch=73), names))


def test_the_recipe_writes_weights_that_embed(tmp_path: Path) -> None:
    samples = procedural_samples([0], ["chair", "mug", "table", "tree"])
    run(extract([replace(s, views=2, photos=1) for s in samples], tmp_path / "seen"))
    which = [net for net in recipe.nets() if net.seed == 0]
    settings = TrainingSettings(steps=2, batch=4, most_views=2)
    files = run(recipe.train([tmp_path / "seen"], tmp_path / "nets", which, settings))
    assert [file.name for file in files] == [
        "shapes-default.safetensors",
        "shapes-apart0.safetensors",
    ]
    for file in files:
        embedder = DefaultEmbedder(file)
        assert embedder.origin == recipe.ORIGIN
        assert embedder.embed_texts(["a mug"]).shape == (1, embedder.dimensions)
        assert file.stat().st_size < 12_000_000
