"""The default embedder: order of views, sizes of pictures, files of weights."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from polyorama.errors import FileFormatError, UsageError
from polyorama.shapes.backbones.threads import one_thread
from polyorama.shapes.default.embedder import DefaultEmbedder, load_head, save_head, squared
from polyorama.shapes.default.net import HeadConfig, MultiViewHead, coarse_cells, conse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONFIG = HeadConfig(width=24, heads=4, layers=3, threshold=1, visual=16)


def head(config: HeadConfig = CONFIG, seed: int = 0) -> MultiViewHead:
    torch.manual_seed(seed)
    names = torch.nn.functional.normalize(torch.randn(1000, 384), dim=-1)
    return MultiViewHead(config, names).eval()


def seen(views: int, shapes: int = 2, dtype: torch.dtype = torch.float64) -> list[torch.Tensor]:
    torch.manual_seed(1)
    sizes = [(4, 320), (1280,), (384,)]
    return [torch.randn(shapes, views, *size, dtype=dtype) for size in sizes]


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> DefaultEmbedder:
    path = tmp_path_factory.mktemp("weights") / "head.safetensors"
    save_head(head(), path, {"origin": "nothing, for a test"})
    return DefaultEmbedder(path)


@pytest.fixture(scope="module")
def views() -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (5, 160, 160, 3)).astype(np.uint8)


@pytest.mark.parametrize(("dtype", "near"), [(torch.float32, 1e-6), (torch.float64, 1e-12)])
@torch.inference_mode()
def test_order_of_views_is_no_matter(dtype: torch.dtype, near: float) -> None:
    net = head().to(dtype)
    inputs = seen(7, dtype=dtype)
    order = torch.randperm(7)
    vector, each = net(*inputs)
    turned, turned_each = net(*(x[:, order] for x in inputs))
    assert (vector - turned).abs().max() < near
    assert (each[:, order] - turned_each).abs().max() < near


@torch.inference_mode()
def test_views_that_are_the_same_are_one_view() -> None:
    net = head().double()
    one = seen(1)
    many = [x.repeat_interleave(6, dim=1) for x in one]
    assert (net(*one)[0] - net(*many)[0]).abs().max() < 1e-12


@torch.inference_mode()
def test_views_speak_to_each_other_from_the_threshold_on() -> None:
    across, apart = head().double(), head(replace(CONFIG, threshold=3)).double()
    apart.load_state_dict(across.state_dict())
    inputs = seen(3)
    changed = [x.clone() for x in inputs]
    for x in changed:
        x[:, 2] += 1.0
    kept = [(net(*inputs)[1] - net(*changed)[1])[:, 0].abs().max() for net in (across, apart)]
    assert kept[0] > 1e-3
    assert kept[1] == 0.0


@torch.inference_mode()
def test_the_net_is_its_plain_derivation() -> None:
    """Attention over all views' tokens as loops over heads and pairs, by numpy in float64."""
    net = head().double()
    cells, pooled, names = seen(2, shapes=1)
    state = {k: v.numpy() for k, v in net.state_dict().items()}

    def linear(x: np.ndarray, name: str) -> np.ndarray:
        return x @ state[f"{name}.weight"].T + state[f"{name}.bias"]

    def norm(x: np.ndarray, name: str) -> np.ndarray:
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - mean) / np.sqrt(var + 1e-5) * state[f"{name}.weight"] + state[f"{name}.bias"]

    def block(tokens: np.ndarray, number: int) -> np.ndarray:
        name, width = f"blocks.{number}", CONFIG.width // CONFIG.heads
        q, k, v = np.split(linear(norm(tokens, f"{name}.ln_1"), f"{name}.qkv"), 3, axis=-1)
        mixed = np.zeros_like(tokens)
        for h in range(CONFIG.heads):
            part = slice(h * width, (h + 1) * width)
            for i in range(len(tokens)):
                scores = np.array([q[i, part] @ k[j, part] for j in range(len(tokens))])
                odds = np.exp(scores / np.sqrt(width) - (scores / np.sqrt(width)).max())
                mixed[i, part] = (odds / odds.sum()) @ v[:, part]
        tokens = tokens + linear(mixed, f"{name}.out")
        up = torch.from_numpy(linear(norm(tokens, f"{name}.ln_2"), f"{name}.up"))
        return tokens + linear(torch.nn.functional.gelu(up).numpy(), f"{name}.down")

    def unit(x: np.ndarray) -> np.ndarray:
        return x / np.linalg.norm(x)

    views = []
    for f in range(2):
        cls = linear(norm(pooled[0, f].numpy(), "pooled_norm"), "from_pooled")
        cls = cls + linear(names[0, f].numpy(), "from_conse")
        rest = linear(norm(cells[0, f].numpy(), "cell_norm"), "from_cells")
        views.append(np.concatenate([cls[None], rest + state["cell_positions"]]))
    views = [block(tokens, 0) for tokens in views]
    joint = np.concatenate(views)
    for number in (1, 2):
        joint = block(joint, number)
    cls = norm(joint[[0, 5]], "ln_post").mean(axis=0)
    words = unit(linear(cls, "to_words")) + state["conse_gate"] * unit(names[0].mean(0).numpy())
    expected = np.concatenate([unit(words) * 0.6**0.5, unit(linear(cls, "to_looks")) * 0.4**0.5])
    assert net(cells, pooled, names)[0][0].numpy() == pytest.approx(expected, abs=1e-12)


def test_conse_is_the_mean_of_likely_names() -> None:
    generator = np.random.default_rng(2)
    logits, names = generator.normal(size=(3, 1000)) * 3, generator.normal(size=(1000, 384))
    odds = np.exp(logits)
    odds /= odds.sum(axis=1, keepdims=True)
    expected = []
    for row in odds:
        likely = np.argsort(-row)[:10]
        expected.append(sum(row[i] * names[i] for i in likely))
    got = conse(torch.from_numpy(logits), torch.from_numpy(names)).numpy()
    assert got == pytest.approx(np.array(expected), abs=1e-12)


@pytest.mark.parametrize("side", [4, 5, 7])
def test_quarters_of_the_map(side: int) -> None:
    grid = torch.arange(side * side, dtype=torch.float64).reshape(side * side, 1)
    got = coarse_cells(grid)[:, 0].tolist()
    half = -(-side // 2)
    rows = [range(half), range(side - half, side)]
    expected = [np.mean([r * side + c for r in top for c in left]) for top in rows for left in rows]
    assert got == pytest.approx(expected)


def test_shapes_embed_to_the_last_bit_whatever_the_order(
    embedder: DefaultEmbedder, views: np.ndarray
) -> None:
    order = np.random.default_rng(3).permutation(len(views))
    one, other = embedder.embed_shape(views), embedder.embed_shape(views[order])
    assert (one.vector == other.vector).all()
    assert (one.views[order] == other.views).all()
    assert one.vector.shape == (embedder.dimensions,)
    assert np.linalg.norm(one.views, axis=1) == pytest.approx(np.ones(5), abs=1e-5)


def test_what_was_seen_is_not_looked_at_again(
    tmp_path: Path, views: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_head(head(), tmp_path / "a.safetensors", {})
    save_head(head(seed=1), tmp_path / "b.safetensors", {})
    known: dict[bytes, tuple[torch.Tensor, torch.Tensor]] = {}
    one, two = (DefaultEmbedder(tmp_path / f"{n}.safetensors", known=known) for n in "ab")
    plain = DefaultEmbedder(tmp_path / "b.safetensors").embed_shape(views)
    one.embed_images(list(views[:3]))
    one.embed_shape(views)
    assert len(known) == len(views)
    monkeypatch.setattr(two, "_look", None)
    again = two.embed_shape(views)
    assert again.vector == pytest.approx(plain.vector, abs=1e-5)
    assert again.views == pytest.approx(plain.views, abs=1e-5)


def test_one_view_is_a_picture(embedder: DefaultEmbedder, views: np.ndarray) -> None:
    picture = embedder.embed_images([views[0]])[0]
    shape = embedder.embed_shape(views[:1])
    assert shape.vector == pytest.approx(picture, abs=1e-5)
    assert shape.views[0] == pytest.approx(picture, abs=1e-5)


def test_words_say_nothing_of_looks(embedder: DefaultEmbedder) -> None:
    texts = embedder.embed_texts(["a chair", "a table"])
    assert texts.shape == (2, embedder.dimensions)
    assert (texts[:, 384:] == 0).all()
    assert np.linalg.norm(texts, axis=1) == pytest.approx(np.ones(2), abs=1e-5)
    assert embedder.embed_texts([]).shape == (0, embedder.dimensions)
    assert embedder.embed_images([]).shape == (0, embedder.dimensions)


def test_pictures_of_any_size_become_squares_with_nothing_lost() -> None:
    wide = np.zeros((30, 300, 3), np.uint8)
    wide[:, :150] = 200
    square = squared(wide)
    assert square.shape == (160, 160, 3)
    assert (square[:, :70] == 200).all()  # edges are carried up and down
    assert (square[:, 90:] == 0).all()
    assert squared(np.full((1, 5000, 3), 7, np.uint8)).shape == (160, 160, 3)


@pytest.mark.parametrize(
    "picture",
    [np.zeros((9, 9), np.uint8), np.zeros((9, 9, 4), np.uint8), np.zeros((9, 9, 3), np.float32),
     np.zeros((0, 9, 3), np.uint8)],
)  # fmt: skip
def test_what_is_no_picture_says_so(embedder: DefaultEmbedder, picture: np.ndarray) -> None:
    with pytest.raises(UsageError, match="picture"):
        embedder.embed_images([picture])


def test_no_views_say_so(embedder: DefaultEmbedder) -> None:
    with pytest.raises(UsageError, match="there are none"):
        embedder.embed_shape(np.zeros((0, 160, 160, 3), np.uint8))


def test_weights_survive_a_file(tmp_path: Path) -> None:
    net, path = head(), tmp_path / "net.safetensors"
    save_head(net, path, {"origin": "a test", "seed": "7"})
    again, meta = load_head(path)
    assert again.config == net.config
    assert meta == {"origin": "a test", "seed": "7"}
    for name, value in net.state_dict().items():
        assert torch.equal(again.state_dict()[name], value.half().float()), name


def test_unlike_weights_have_unlike_ids(tmp_path: Path) -> None:
    ids = []
    for seed in (0, 0, 1):
        save_head(head(seed=seed), tmp_path / "x.safetensors", {})
        ids.append(DefaultEmbedder(tmp_path / "x.safetensors").id)
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    "content",
    [b"", b"rubbish", (1 << 62).to_bytes(8, "little") + b"{}", b"\x02" + b"\0" * 7 + b"{}"],
)
def test_damaged_weights_say_so(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"no weights of the default embedder.*bad"):
        load_head(path)
    with pytest.raises(FileFormatError, match="no weights"):
        load_head(tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    "wrong",
    [{"width": 0}, {"width": 10**9, "heads": 1}, {"heads": 5}, {"heads": 2.0}, {"layers": 10**9},
     {"threshold": 4}, {"threshold": -1}, {"visual": True}, {"semantic_share": math.nan},
     {"width": 48}, {"colour": 1}],
)  # fmt: skip
def test_sizes_that_cannot_be_are_refused_before_memory_is_taken(
    tmp_path: Path, wrong: dict[str, float]
) -> None:
    state = {name: value.half() for name, value in head().state_dict().items()}
    path = tmp_path / "wrong.safetensors"
    save_file(state, path, {"config": json.dumps(asdict(CONFIG) | wrong)})
    with pytest.raises(FileFormatError, match=r"no weights of the default embedder.*wrong"):
        load_head(path)


def test_weights_that_are_not_finite_say_so(tmp_path: Path) -> None:
    net, path = head(), tmp_path / "nan.safetensors"
    with torch.no_grad():
        net.to_looks.bias[3] = math.nan
    save_head(net, path, {})
    with pytest.raises(FileFormatError, match=r"no weights of the default embedder.*nan"):
        load_head(path)


@pytest.fixture
def three_threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("three_threads")
def test_one_thread_is_of_the_caller_alone_and_of_the_block_alone() -> None:
    def others() -> int:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(torch.get_num_threads).result()

    with one_thread():
        assert torch.get_num_threads() == 1
        assert others() == 3
        with one_thread():
            pass
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == others() == 3
    with pytest.raises(KeyError), one_thread():
        raise KeyError
    assert torch.get_num_threads() == 3


@pytest.mark.usefixtures("three_threads")
def test_all_that_is_embedded_is_embedded_by_one_thread(
    embedder: DefaultEmbedder, views: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []
    for net in (embedder._trunk, embedder._words, embedder._head):
        forward = net.forward

        def counted(*given: torch.Tensor, forward=forward):
            seen.append(torch.get_num_threads())
            return forward(*given)

        monkeypatch.setattr(net, "forward", counted)
    embedder.embed_texts(["chair"])
    assert seen == [1]
    embedder.embed_images([views[0]])
    assert seen == [1] * 3
    embedder.embed_shape(views)
    assert seen == [1] * 5
    assert torch.get_num_threads() == 3


def test_large_weights_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "large.safetensors"
    with path.open("wb") as file:
        file.truncate(12_000_001)
    with pytest.raises(FileFormatError, match="less than 12 MB"):
        load_head(path)
