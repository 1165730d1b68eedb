"""Adam-mini: Adam with one second moment a block of the Hessian instead of one a parameter.

Zhang et al., "Adam-mini: use fewer learning rates to gain more", ICLR 2025 (arXiv 2406.16793). The
Hessian of a transformer is nearly block-diagonal; within a dense block one learning rate is enough.
The blocks are: a head of queries and keys, an output neuron of the other matrices, a token of
embeddings, a number of biases, and any other tensor whole; see `Partition`. In large models that
leaves less than a thousandth of the second moments.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch

from polyorama.errors import UsageError
from polyorama.lab.training.adam_mini_kernels import step_tensors

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

__all__ = ["AdamMini", "Block", "Partition", "by_row", "decays", "partition"]

Kind = Literal["element", "head", "row", "tensor"]

_ELEMENTS = ("bias",)
_HEADS = ("k_proj", "q_proj", "wq", "wk", "query", "key")
_VALUES = ("v_proj", "wv", "value")
_ROWS = (
    "embed", "embd", "wte",  # a token
    "lm_head", "output", "final_layer",  # a token again
    "feed_forward", "linear", "mlp",  # an output neuron
    "o_proj", "wo", "attn.proj",
)  # fmt: skip
_UNDECAYED = ("norm", "ln", "bias")


@dataclass(frozen=True, slots=True)
class Block:
    """How one tensor is cut into blocks.

    Parameters
    ----------
    name
        The parameter's.
    kind
        ``"element"`` (Adam), ``"head"``, ``"row"`` or ``"tensor"``.
    count, size
        Blocks, and numbers in each: they follow one another in memory.
    """

    name: str
    kind: Kind
    count: int
    size: int


@dataclass(frozen=True, slots=True)
class Partition:
    """The rule that cuts a network's tensors, by the names of its parameters.

    The first of these that has a word in the lower-cased name decides, as in the authors' code:

    - a number each, as in Adam: bias;
    - a head: k_proj, q_proj, wq, wk, query, key;
    - a row: embed, embd, wte, lm_head, output, final_layer, v_proj, wv, value, feed_forward,
      linear, mlp, o_proj, wo, attn.proj;
    - the whole tensor: all others, such as norms, convolutions, position embeddings, and queries,
      keys and values in one matrix.

    Unlike there, a vector that is no bias is always one block, and a query or key matrix that is
    not square is refused unless `head_dim` is told.

    Parameters
    ----------
    n_heads
        Attention heads of a query matrix; 1 where there are none.
    head_dim
        Output neurons of a head; 0 for the rows of a square matrix divided by `n_heads`. Key
        matrices of grouped-query attention have fewer heads of the same dimension, so it is needed
        there.
    values_by
        ``"row"``, or ``"tensor"``: one second moment for each whole value matrix, which the authors
        advise for runs of fewer than 10,000 to 20,000 steps.
    """

    n_heads: int = 1
    head_dim: int = 0
    values_by: Literal["row", "tensor"] = "row"

    def kind(self, name: str, shape: Sequence[int]) -> Kind:
        """The kind of blocks of one tensor: the first rule whose word is in its name."""
        lower = name.lower()
        if any(word in lower for word in _ELEMENTS):
            return "element"
        if len(shape) < 2:
            return "tensor"
        if any(word in lower for word in _HEADS):
            return "head"
        if any(word in lower for word in _ROWS):
            return "row"
        return self.values_by if any(word in lower for word in _VALUES) else "tensor"

    def block(self, name: str, shape: Sequence[int]) -> Block:
        """How one tensor is cut.

        Raises
        ------
        UsageError
            If a query's or key's rows are not whole heads, or it is not told how many a head has.
        """
        kind, numbers = self.kind(name, shape), math.prod(shape)
        if kind == "head":
            return self._heads(name, shape)
        count = {"element": numbers, "row": shape[0] if shape else 1, "tensor": 1}[kind]
        return Block(name, kind, count, numbers // max(1, count))

    def _heads(self, name: str, shape: Sequence[int]) -> Block:
        rows = shape[0]
        # A matrix that is not square may have fewer heads, or heads of another dimension.
        guessed = not self.head_dim and self.n_heads > 1
        head_dim = self.head_dim or rows // self.n_heads
        if (
            head_dim < 1
            or rows % head_dim
            or (guessed and (rows != shape[1] or rows % self.n_heads))
        ):
            raise UsageError(
                f"The {rows} rows of {name} cannot be cut into whole heads; give AdamMini a "
                f"Partition with the network's n_heads and, unless it is square, its head_dim."
            )
        return Block(name, "head", rows // head_dim, head_dim * math.prod(shape[1:]))


def partition(
    named_parameters: Iterable[tuple[str, torch.Tensor]], rule: Partition | None = None
) -> tuple[Block, ...]:
    """The blocks of a network.

    Raises
    ------
    UsageError
        If a tensor cannot be cut as the rule says.
    """
    chosen = rule or Partition()
    return tuple(chosen.block(name, tuple(p.shape)) for name, p in named_parameters)


def by_row(name: str, shape: Sequence[int]) -> Block:
    """Cut any tensor into its rows, as for splats: each is a block of means, of scales, and so on.

    Of use for `polyorama.fit`::

        polyorama.fit(..., optimiser=lambda groups: AdamMini(groups, eps=1e-15, rule=by_row))
    """
    count = shape[0] if shape else 1
    return Block(name, "row", count, math.prod(shape) // max(1, count))


@functools.cache
def decays(name: str) -> bool:
    """Whether weight decay applies: not to norms and biases."""
    return not any(word in name.lower() for word in _UNDECAYED)


class AdamMini(torch.optim.Optimizer):
    """Adam-mini with decoupled weight decay.

    Parameters
    ----------
    params
        ``model.named_parameters()``, or groups of such pairs under "params" with options of their
        own. A group that holds one tensor may name it by "name" instead.
    lr, betas, eps, weight_decay
        As AdamW's, whose values are a good start.
    rule
        How tensors are cut: a `Partition`, or any function from a name and a shape to a `Block`.

    Raises
    ------
    UsageError
        If parameters have no names, a tensor cannot be cut, or a number is out of range.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        rule: Partition | Callable[[str, Sequence[int]], Block] | None = None,
    ) -> None:
        if not (lr >= 0.0 and eps >= 0.0 and weight_decay >= 0.0):
            raise UsageError("The learning rate, eps and weight decay of AdamMini are at least 0.")
        if not all(0.0 <= beta < 1.0 for beta in betas):
            raise UsageError("The betas of AdamMini are at least 0 and below 1.")
        chosen = Partition() if rule is None else rule
        self._rule = chosen.block if isinstance(chosen, Partition) else chosen
        self._blocks: dict[torch.Tensor, Block] = {}
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(list(params), defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add tensors with their names; see torch's optimisers."""
        super().add_param_group(param_group)
        self._cut()

    def _cut(self) -> None:
        """Cut every tensor; those that took another's place in a group have its name."""
        blocks = {}
        for group in self.param_groups:
            names = group.get("param_names") or ([group["name"]] if "name" in group else [])
            if len(names) != len(group["params"]):
                raise UsageError(
                    "AdamMini cuts tensors by their names: give it model.named_parameters()."
                )
            for name, p in zip(names, group["params"], strict=True):
                blocks[p] = self._rule(name, tuple(p.shape))
        self._blocks = blocks

    def __getstate__(self) -> dict[str, Any]:
        """Copies keep how the tensors are cut."""
        return {**super().__getstate__(), "_rule": self._rule, "_blocks": self._blocks}

    @property
    def blocks(self) -> tuple[Block, ...]:
        """How each tensor is cut, in order."""
        return tuple(self._blocks[p] for group in self.param_groups for p in group["params"])

    @property
    def state_bytes(self) -> int:
        """Memory of the moments once it has stepped, bytes."""
        total = 0
        for parameter, block in self._blocks.items():
            total += (parameter.numel() + block.count) * parameter.element_size()
        return total

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Step every tensor that has a gradient.

        Raises
        ------
        UsageError
            If a gradient is sparse, or kept moments do not fit a tensor.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            quick: list[torch.Tensor] = []
            for p in group["params"]:
                if p.grad is None:
                    continue
                if p.grad.is_sparse:
                    raise UsageError(
                        "AdamMini takes no sparse gradients; make the embedding a dense one."
                    )
                if p not in self._blocks:
                    self._cut()
                if not self.state[p]:
                    self._begin(p)
                self.state[p]["step"] += 1
                if _plain(p) and _plain(p.grad):
                    quick.append(p)
                else:
                    self._step_one(p, group)
            for dtype in {p.dtype for p in quick}:
                self._step_many([p for p in quick if p.dtype == dtype], group)
        return loss

    def _begin(self, p: torch.Tensor) -> None:
        block = self._blocks[p]
        shape = p.shape if block.kind == "element" else (block.count,)
        self.state[p] = {
            "step": 0,
            "exp_avg": torch.zeros_like(p, memory_format=torch.contiguous_format),
            "exp_avg_sq": torch.zeros(shape, dtype=p.dtype, device=p.device),
        }

    def _factors(self, p: torch.Tensor, group: dict[str, Any]) -> tuple[float, float, float]:
        """What weight decay leaves, the rate, and what unbiases the root of v."""
        beta1, beta2 = group["betas"]
        t = self.state[p]["step"]
        kept = 1.0 - group["lr"] * group["weight_decay"] * decays(self._blocks[p].name)
        return kept, group["lr"] / (1.0 - beta1**t), 1.0 / math.sqrt(1.0 - beta2**t)

    def _step_one(self, p: torch.Tensor, group: dict[str, Any]) -> None:
        """One tensor, in torch's words: the method as the paper has it, on any device."""
        g, block = p.grad, self._blocks[p]
        assert g is not None
        m, v = self.state[p]["exp_avg"], self.state[p]["exp_avg_sq"]
        kept, rate, unbias = self._factors(p, group)
        beta1, beta2 = group["betas"]
        m.mul_(beta1).add_(g, alpha=1.0 - beta1)
        flat = g.reshape(block.count, block.size)
        square = torch.linalg.vecdot(flat, flat).div_(block.size)  # mean(g_b * g_b)
        v.view(-1).mul_(beta2).add_(square, alpha=1.0 - beta2)
        step = rate / (v.view(-1, 1).sqrt() * unbias + group["eps"])
        p.mul_(kept).sub_((m.view(block.count, block.size) * step).view(p.shape))

    def _step_many(self, tensors: list[torch.Tensor], group: dict[str, Any]) -> None:
        """Tensors of one dtype in the CPU's memory, in one compiled pass."""
        places = np.empty((len(tensors), 6), np.int64)
        factors = np.empty((len(tensors), 3), np.float64)
        for i, p in enumerate(tensors):
            assert p.grad is not None
            state, block = self.state[p], self._blocks[p]
            m, v = state["exp_avg"], state["exp_avg_sq"]
            # The kernel has addresses alone, and would write beyond moments of another size.
            if not (m.nbytes == p.nbytes == v.nbytes * block.size and m.is_cpu):
                raise UsageError(
                    f"The moments that AdamMini keeps for {block.name} are of another size, cut, "
                    f"dtype or device than the tensor; make a new optimiser for it."
                )
            places[i] = (
                p.data_ptr(), p.grad.data_ptr(), m.data_ptr(), v.data_ptr(),
                block.count, block.size,
            )  # fmt: skip
            factors[i] = self._factors(p, group)
        like = tensors[0].detach().view(-1).numpy()
        step_tensors(places, factors, group["betas"], group["eps"], like)


def _plain(tensor: torch.Tensor) -> bool:
    """Whether numba can work in a tensor's own memory."""
    known = tensor.dtype in (torch.float32, torch.float64)
    return known and tensor.device.type == "cpu" and tensor.is_contiguous()
