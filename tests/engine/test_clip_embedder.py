"""CLIP as an embedder: the same for any order of views, pictures as it was trained to see them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from PIL import Image

from polyorama.errors import UnavailableError, UsageError
from polyorama.shapes.clip.embedder import ClipEmbedder, clip_device, load_embedder
from polyorama.shapes.clip.load import load_clip, save_clip
from polyorama.shapes.clip.pictures import Look, look_for, pixels, squared
from tests.engine.clip_samples import (
    CONFIG,
    Derived,
    duoduo_checkpoint,
    plain,
    sample_clip,
    worst,
    write_vocabulary,
)

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.shapes.embedder import Embedder

PLAIN = Look(32, 32, False, (0.5, 0.4, 0.3), (0.2, 0.3, 0.4))


@pytest.fixture(autouse=True)
def _no_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYORAMA_MODELS", str(tmp_path / "models"))


@pytest.fixture
def embedder(tmp_path: Path) -> ClipEmbedder:
    torch.save(duoduo_checkpoint(dict(sample_clip().state_dict())), tmp_path / "a_LT2.ckpt")
    write_vocabulary(tmp_path)
    return load_embedder(tmp_path / "a_LT2.ckpt")


def views_of(count: int, side: int = 40, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (count, side, side, 3), np.uint8)


def test_it_is_an_embedder(embedder: ClipEmbedder) -> None:
    asked: Embedder = embedder
    assert (asked.dimensions, asked.picture_size) == (24, 32)
    assert asked.id.startswith("clip-")
    assert "Duoduo" in asked.origin
    words = asked.embed_texts(["the red chair", "a chair"])
    images = asked.embed_images([views_of(1, 50)[0], views_of(1, 33)[0]])
    shape = asked.embed_shape(views_of(4))
    for vectors in (words, images, shape.views, shape.vector[None]):
        assert vectors.dtype == np.float32
        assert vectors.shape[1] == 24
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert shape.views.shape == (4, 24)


def test_a_shape_is_that_of_the_formulas(embedder: ClipEmbedder) -> None:
    views = views_of(3, 32)
    derived = Derived(sample_clip().state_dict())
    # The middle 30 of 32 pixels (208 of 224), enlarged, less the mean, by the deviation.
    mean = np.array([0.48145466, 0.4578275, 0.40821073])
    deviation = np.array([0.26862954, 0.26130258, 0.27577711])
    seen = []
    for view in views:
        middle = Image.fromarray(view[1:31, 1:31]).resize((32, 32), Image.Resampling.BICUBIC)
        seen.append(((np.asarray(middle) / 255.0 - mean) / deviation).transpose(2, 0, 1))
    shape, each = derived.views(np.stack(seen), CONFIG)
    answer = embedder.embed_shape(views)
    assert worst(answer.vector, shape / np.linalg.norm(shape)) < 1e-5
    assert worst(answer.views, each / np.linalg.norm(each, axis=1, keepdims=True)) < 1e-5


def test_any_order_of_views_gives_the_same_bits(embedder: ClipEmbedder) -> None:
    views = views_of(6)
    views[5] = views[2]  # two that are equal, too
    first = embedder.embed_shape(views)
    rng = np.random.default_rng(0)
    for _ in range(6):
        order = rng.permutation(6)
        again = embedder.embed_shape(views[order])
        np.testing.assert_array_equal(again.vector, first.vector)
        # Equal views stand beside each other in either order, so theirs agree to rounding.
        np.testing.assert_allclose(again.views, first.views[order], atol=1e-6)
        unique = order != 5
        unique &= order != 2
        np.testing.assert_array_equal(again.views[unique], first.views[order][unique])


def test_a_shape_of_one_view_is_its_picture(embedder: ClipEmbedder) -> None:
    view = views_of(1)
    shape = embedder.embed_shape(view)
    np.testing.assert_allclose(shape.vector, embedder.embed_images(view)[0], atol=1e-6)
    np.testing.assert_allclose(shape.views[0], shape.vector, atol=1e-6)


def test_batches_do_not_matter(tmp_path: Path) -> None:
    save_clip(sample_clip(), tmp_path / "model.safetensors", "")
    write_vocabulary(tmp_path)
    whole = load_embedder(tmp_path)
    from polyorama.shapes.clip.words import clip_words

    words = clip_words([tmp_path], CONFIG.text)
    parts = ClipEmbedder(load_clip(tmp_path), words, batch=2)
    pictures = list(views_of(5))
    np.testing.assert_allclose(
        whole.embed_images(pictures), parts.embed_images(pictures), atol=1e-6
    )
    texts = ["the", "a red chair", "chair", "x", ""]
    np.testing.assert_allclose(whole.embed_texts(texts), parts.embed_texts(texts), atol=1e-6)
    assert whole.id == parts.id
    assert whole.embed_texts([]).shape == (0, 24)
    assert whole.embed_images([]).shape == (0, 24)


def test_the_id_is_that_of_weights_and_of_how_views_meet(tmp_path: Path) -> None:
    net = sample_clip()
    save_clip(net, tmp_path / "one.safetensors", "")
    torch.save(duoduo_checkpoint(dict(net.state_dict())), tmp_path / "two_LT2.ckpt")
    one = load_embedder(tmp_path / "one.safetensors")
    assert load_embedder(tmp_path / "one.safetensors").id == one.id
    assert load_embedder(tmp_path / "one.safetensors", threshold=3).id != one.id
    assert load_embedder(tmp_path / "one.safetensors", quick_gelu=True).id != one.id
    with torch.no_grad():
        net.visual.proj[0, 0] += 1e-3
    save_clip(net, tmp_path / "three.safetensors", "")
    assert load_embedder(tmp_path / "three.safetensors").id != one.id


def test_without_a_vocabulary_everything_but_words_works(tmp_path: Path) -> None:
    save_clip(sample_clip(), tmp_path / "model.safetensors", "")
    embedder = load_embedder(tmp_path)
    assert embedder.embed_shape(views_of(2)).vector.shape == (24,)
    with pytest.raises(UnavailableError, match="polyorama models get clip-vocabulary"):
        embedder.embed_texts(["the"])
    other = tmp_path / "words"
    other.mkdir()
    write_vocabulary(other)
    again = load_embedder(tmp_path, vocabulary=other)
    assert again.embed_texts(["the"]).shape == (1, 24)


def test_pictures_that_are_none_are_refused(embedder: ClipEmbedder) -> None:
    with pytest.raises(UsageError, match="there are none"):
        embedder.embed_shape(views_of(0))
    with pytest.raises(UsageError, match=r"array of uint8, not \(4, 4\)"):
        embedder.embed_images([np.zeros((4, 4), np.uint8)])
    with pytest.raises(UsageError, match="of float64"):
        embedder.embed_images([np.zeros((4, 4, 3))])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="without pixels"):
        embedder.embed_images([np.zeros((0, 4, 3), np.uint8)])


def test_devices_that_are_none_are_refused() -> None:
    with pytest.raises(UsageError, match="no device 'teapot'"):
        clip_device("teapot")
    with pytest.raises(UsageError, match="does not run on 'meta'"):
        clip_device("meta")
    with pytest.raises(UnavailableError, match="no GPU 'cuda:99'"):
        clip_device("cuda:99")


def test_the_vocabulary_is_found_among_the_models(tmp_path: Path) -> None:
    save_clip(sample_clip(), tmp_path / "model.safetensors", "")
    (tmp_path / "models" / "clip-vocabulary").mkdir(parents=True)
    path = write_vocabulary(tmp_path / "models" / "clip-vocabulary")
    # The registry knows the real one by its size; a file of another size is damaged.
    with pytest.raises(UnavailableError, match="clip-vocabulary"):
        load_embedder(tmp_path).embed_texts(["the"])
    found = load_embedder(tmp_path, vocabulary=path)
    assert found.embed_texts(["the"]).shape == (1, 24)


# -- pictures ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("height", "width"), [(32, 32), (45, 90), (91, 40), (7, 10), (500, 33)])
def test_pictures_are_resized_and_cut_as_torchvision_does(height: int, width: int) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)
    short = min(height, width)
    # torchvision: the short side becomes 32, the long one int(32 * long / short); then the middle.
    long = int(32 * max(height, width) / short)
    new = (32, long) if height <= width else (long, 32)
    resized = np.asarray(
        Image.fromarray(picture).resize((new[1], new[0]), Image.Resampling.BICUBIC)
    )
    top, left = round((new[0] - 32) / 2.0), round((new[1] - 32) / 2.0)
    np.testing.assert_array_equal(
        squared(picture, PLAIN), resized[top : top + 32, left : left + 32]
    )


def test_a_picture_as_long_as_a_street_takes_no_memory() -> None:
    street = np.broadcast_to(np.uint8(9), (1, 60_000_000, 3))
    assert squared(street, PLAIN).shape == (32, 32, 3)


def test_siglip_squeezes_where_clip_cuts() -> None:
    picture = np.zeros((20, 60, 3), np.uint8)
    picture[:, :20] = 255
    squeezed = squared(picture, Look(32, 32, True, (0.5,) * 3, (0.5,) * 3))
    assert squeezed.shape == (32, 32, 3)
    assert (squeezed[:, 0] == 255).all()
    assert not squared(picture, PLAIN)[:, 2:].any()


def test_numbers_are_less_the_mean_by_the_deviation() -> None:
    squares = views_of(2, 4)
    result = pixels(squares, PLAIN, torch.device("cpu")).numpy()
    for channel in range(3):
        expected = (squares[..., channel] / 255.0 - PLAIN.mean[channel]) / PLAIN.std[channel]
        np.testing.assert_allclose(result[:, channel], expected, atol=1e-6)


def test_only_networks_that_join_views_look_at_the_middle(tmp_path: Path) -> None:
    save_clip(sample_clip(), tmp_path / "duoduo.safetensors", "")
    save_clip(sample_clip(plain(CONFIG)), tmp_path / "plain.safetensors", "")
    assert look_for(load_clip(tmp_path / "duoduo.safetensors")).middle == 30
    assert look_for(load_clip(tmp_path / "plain.safetensors")).middle == 32
