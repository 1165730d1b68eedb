"""Adam-mini against a loop in float64, and the authors' package where that is there."""

from __future__ import annotations

import copy
import math
from typing import TYPE_CHECKING, Any

import pytest
import torch

from polyorama.errors import UsageError
from polyorama.lab.training.adam_mini import AdamMini, Block, Partition, by_row, partition

if TYPE_CHECKING:
    from collections.abc import Iterable

HEADS = 4
SHAPES = {
    "wte.weight": (11, 8), "h.0.attn.q_proj.weight": (8, 8), "h.0.attn.k_proj.weight": (8, 8),
    "h.0.attn.v_proj.weight": (8, 8), "h.0.attn.o_proj.weight": (8, 8),
    "h.0.mlp.fc.weight": (19, 8), "h.0.mlp.fc.bias": (19,), "h.0.ln_1.weight": (8,),
    "conv.weight": (3, 2, 5, 5), "mlp.conv.weight": (4, 2, 3, 3), "wpe.weight": (7, 8),
    "lm_head.weight": (11, 8),
}  # fmt: skip
KINDS = {
    "wte.weight": ("row", 11, 8), "h.0.attn.q_proj.weight": ("head", 4, 16),
    "h.0.attn.k_proj.weight": ("head", 4, 16), "h.0.attn.v_proj.weight": ("row", 8, 8),
    "h.0.attn.o_proj.weight": ("row", 8, 8), "h.0.mlp.fc.weight": ("row", 19, 8),
    "h.0.mlp.fc.bias": ("element", 19, 1), "h.0.ln_1.weight": ("tensor", 1, 8),
    "conv.weight": ("tensor", 1, 150), "mlp.conv.weight": ("row", 4, 18),
    "wpe.weight": ("tensor", 1, 56), "lm_head.weight": ("row", 11, 8),
}  # fmt: skip

UNDECAYED = {"h.0.mlp.fc.bias", "h.0.ln_1.weight"}


def named(dtype: torch.dtype = torch.float64, seed: int = 0) -> dict[str, torch.nn.Parameter]:
    generator = torch.Generator().manual_seed(seed)
    return {
        name: torch.nn.Parameter(torch.randn(shape, generator=generator, dtype=dtype))
        for name, shape in SHAPES.items()
    }


def give_gradients(parameters: Iterable[torch.Tensor], seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for p in parameters:
        p.grad = torch.randn(p.shape, generator=generator, dtype=torch.float64).to(p.dtype)


class Loop:
    """The rule, a number at a time."""

    def __init__(self, parameters: dict[str, Any], lr: float, betas: Any, decay: float) -> None:
        self.parameters, self.lr, self.betas, self.decay, self.t = parameters, lr, betas, decay, 0
        self.blocks = {b.name: b for b in partition(parameters.items(), Partition(n_heads=HEADS))}
        self.m = {n: [0.0] * p.numel() for n, p in parameters.items()}
        self.v = {n: [0.0] * self.blocks[n].count for n in parameters}

    @torch.no_grad()
    def step(self) -> None:
        self.t += 1
        beta1, beta2 = self.betas
        for name, p in self.parameters.items():
            values, g = p.view(-1).tolist(), p.grad.view(-1).tolist()
            block, m, v = self.blocks[name], self.m[name], self.v[name]
            kept = 1 - self.lr * self.decay * (name not in UNDECAYED)
            for b in range(block.count):
                inside = range(b * block.size, (b + 1) * block.size)
                square = math.fsum(g[i] ** 2 for i in inside) / block.size
                v[b] = beta2 * v[b] + (1 - beta2) * square
                root = math.sqrt(v[b]) / math.sqrt(1 - beta2**self.t) + 1e-8
                for i in inside:
                    m[i] = beta1 * m[i] + (1 - beta1) * g[i]
                    values[i] = kept * values[i] - self.lr * m[i] / (1 - beta1**self.t) / root
            p.copy_(torch.tensor(values, dtype=p.dtype).view(p.shape))


def largest_difference(a: dict[str, Any], b: dict[str, Any]) -> float:
    return max((a[name] - b[name]).abs().max().item() for name in a)


def test_the_partition_follows_the_names() -> None:
    blocks = partition(named().items(), Partition(n_heads=HEADS))
    assert {b.name: (b.kind, b.count, b.size) for b in blocks} == KINDS


def test_values_may_be_whole_and_grouped_queries_are_cut_by_their_dimension() -> None:
    whole = Partition(values_by="tensor")
    assert whole.kind("h.0.attn.v_proj.weight", (8, 8)) == "tensor"
    assert whole.kind("h.0.mlp.value.weight", (8, 8)) == "row"  # still a neuron of an mlp
    grouped = Partition(n_heads=4, head_dim=2)
    assert grouped.block("k_proj.weight", (4, 8)) == Block("k_proj.weight", "head", 2, 16)
    for rule in (Partition(n_heads=4), Partition(n_heads=4, head_dim=3)):
        with pytest.raises(UsageError, match="head_dim"):
            rule.block("k_proj.weight", (4, 8))


def test_thirty_steps_equal_the_rule() -> None:
    ours, loop = named(), named()
    betas, lr, decay = (0.9, 0.95), 3e-3, 0.1
    optimiser = AdamMini(
        ours.items(), lr, betas, weight_decay=decay, rule=Partition(n_heads=HEADS)
    )  # fmt: skip
    reference = Loop(loop, lr, betas, decay)
    for seed in range(30):
        give_gradients(ours.values(), seed)
        give_gradients(loop.values(), seed)
        optimiser.step()
        reference.step()
    assert largest_difference(ours, loop) < 1e-13


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_torchs_words_and_the_kernel_agree(dtype: torch.dtype) -> None:
    quick, slow = named(dtype), named(dtype)
    for p in slow.values():  # not contiguous: numba cannot walk over it
        if p.ndim == 2:
            p.data = p.data.T.contiguous().T
    optimisers = [
        AdamMini(parameters.items(), 1e-2, weight_decay=0.1, rule=by_row)
        for parameters in (quick, slow)
    ]
    for seed in range(20):
        for parameters, optimiser in zip((quick, slow), optimisers, strict=True):
            give_gradients(parameters.values(), seed)
            optimiser.step()
    assert any(not p.is_contiguous() for p in slow.values())
    assert largest_difference(quick, slow) < (1e-13 if dtype == torch.float64 else 2e-6)


def test_it_equals_the_authors_package() -> None:
    package = pytest.importorskip("adam_mini", reason="the peer adam-mini is not installed")
    names = [n for n in SHAPES if n not in ("mlp.conv.weight", "conv.weight")]  # it refuses those
    ours = {n: p for n, p in named().items() if n in names}
    theirs = {n: p for n, p in named().items() if n in names}
    options = {"lr": 3e-3, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}
    mine = AdamMini(ours.items(), **options, rule=Partition(n_heads=HEADS))
    peer = package.Adam_mini(
        named_parameters=theirs.items(), **options, dim=8, n_heads=HEADS, verbose=False
    )
    for seed in range(30):
        give_gradients(ours.values(), seed)
        give_gradients(theirs.values(), seed)
        mine.step()
        peer.step()
    assert largest_difference(ours, theirs) < 1e-13


def test_elements_alone_are_adamw() -> None:
    ours, theirs = named(), named()

    def elements(name: str, shape: Any) -> Block:
        return Block(name, "element", math.prod(shape), 1)

    mine = AdamMini(ours.items(), 1e-2, rule=elements)
    peer = torch.optim.AdamW(theirs.values(), 1e-2, weight_decay=0.0)
    for seed in range(10):
        give_gradients(ours.values(), seed)
        give_gradients(theirs.values(), seed)
        mine.step()
        peer.step()
    assert largest_difference(ours, theirs) < 1e-12


def test_the_state_is_half_and_can_be_kept() -> None:
    ours = named()
    optimiser = AdamMini(ours.items(), 1e-2, rule=Partition(n_heads=HEADS))
    give_gradients(ours.values(), 1)
    optimiser.step()
    held = sum(
        x.numel() * x.element_size()
        for state in optimiser.state.values()
        for x in state.values()
        if torch.is_tensor(x)
    )
    assert held == optimiser.state_bytes
    kept = copy.deepcopy(optimiser.state_dict())
    again = {n: torch.nn.Parameter(p.detach().clone()) for n, p in ours.items()}
    second = AdamMini(again.items(), 1e-2, rule=Partition(n_heads=HEADS))
    second.load_state_dict(kept)
    for seed in (2, 3):
        give_gradients(ours.values(), seed)
        give_gradients(again.values(), seed)
        optimiser.step()
        second.step()
    assert largest_difference(ours, again) == 0.0


def test_copies_schedules_and_closures_work_as_with_torchs_own() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 1))
    optimiser = AdamMini(model.named_parameters(), 1e-2)
    schedule = torch.optim.lr_scheduler.StepLR(optimiser, 1, 0.5)

    def closure() -> torch.Tensor:
        optimiser.zero_grad()
        loss = model(torch.ones(2, 3)).square().mean()
        loss.backward()
        return loss

    first = optimiser.step(closure).item()
    schedule.step()
    assert optimiser.step(closure).item() < first
    assert optimiser.param_groups[0]["lr"] == 5e-3
    other_model, other = copy.deepcopy((model, optimiser))
    assert other.blocks == optimiser.blocks
    give_gradients(other_model.parameters(), 1)
    other.step()


def test_moments_that_do_not_fit_are_refused() -> None:
    """The kernel works on addresses: a second moment too few would be written beyond its end."""
    first, second = named(), named()
    optimiser = AdamMini(first.items(), rule=Partition(n_heads=HEADS))
    give_gradients(first.values(), 1)
    optimiser.step()
    other = AdamMini(second.items(), rule=Partition(n_heads=2 * HEADS))
    other.load_state_dict(optimiser.state_dict())
    give_gradients(second.values(), 1)
    with pytest.raises(UsageError, match=r"q_proj.*another size, cut"):
        other.step()
    first["wte.weight"].data = first["wte.weight"].data.float()
    first["wte.weight"].grad = torch.ones(SHAPES["wte.weight"])
    with pytest.raises(UsageError, match=r"wte.*dtype"):
        optimiser.step()


def test_it_may_fit_splats() -> None:
    from polyorama.vision.fit.model import NAMES, TrainedSplats

    generator = torch.Generator().manual_seed(0)
    shapes = ((6, 3), (6, 3), (6, 4), (6,), (6, 1, 3), (6, 3, 3))
    values = {n: torch.randn(s, generator=generator) for n, s in zip(NAMES, shapes, strict=True)}
    splats = TrainedSplats(
        values, dict.fromkeys(NAMES, 1e-2), lambda groups: AdamMini(groups, eps=1e-15, rule=by_row)
    )
    give_gradients(splats.values.values(), 1)
    splats.step()
    splats.keep(torch.tensor([0, 2, 5]))
    splats.append(splats.rows(torch.tensor([1])))
    give_gradients(splats.values.values(), 2)
    before = {n: v.detach().clone() for n, v in splats.values.items()}
    splats.step()
    assert len(splats.values["means"]) == 4
    for name, value in splats.values.items():
        assert bool((value.detach() != before[name]).any()), name


def test_wrong_use_is_told() -> None:
    parameter = torch.nn.Parameter(torch.ones(3, 2))
    with pytest.raises(UsageError, match="named_parameters"):
        AdamMini([parameter])
    with pytest.raises(UsageError, match="whole heads"):
        AdamMini([("q_proj.weight", parameter)], rule=Partition(n_heads=2))
    with pytest.raises(UsageError, match="at least 0"):
        AdamMini([("a", parameter)], lr=-1.0)
    with pytest.raises(UsageError, match="below 1"):
        AdamMini([("a", parameter)], betas=(0.9, 1.0))
    embedding = torch.nn.Embedding(4, 2, sparse=True)
    optimiser = AdamMini(embedding.named_parameters())
    embedding(torch.tensor([1])).sum().backward()
    with pytest.raises(UsageError, match="sparse"):
        optimiser.step()
