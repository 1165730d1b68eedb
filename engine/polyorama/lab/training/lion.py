"""Lion: the sign of an interpolated gradient, with one moment.

Chen et al., "Symbolic discovery of optimization algorithms", 2023 (arXiv 2302.06675), Algorithm 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from polyorama.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["Lion"]


class Lion(torch.optim.Optimizer):
    """Lion with decoupled weight decay.

    Parameters
    ----------
    params
        As any of torch's optimisers takes.
    lr
        About a tenth to a third of AdamW's.
    betas
        Of the interpolation that is stepped along, and of the moment.
    weight_decay
        About three to ten times AdamW's.

    Raises
    ------
    UsageError
        If a number is out of range.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-4,
        betas: tuple[float, float] = (0.9, 0.99),
        weight_decay: float = 0.0,
    ) -> None:
        if not (lr >= 0.0 and weight_decay >= 0.0 and all(0.0 <= beta < 1.0 for beta in betas)):
            raise UsageError("Lion needs lr and weight_decay of at least 0 and betas below 1.")
        super().__init__(params, {"lr": lr, "betas": betas, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Step every tensor that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            given = [p for p in group["params"] if p.grad is not None]
            if not given:
                continue
            for p in given:
                if not self.state[p]:
                    self.state[p]["exp_avg"] = torch.zeros_like(p)
            gradients = [p.grad for p in given]
            moments = [self.state[p]["exp_avg"] for p in given]
            torch._foreach_mul_(given, 1.0 - group["lr"] * group["weight_decay"])
            # c <- beta1 m + (1 - beta1) g;  p <- p - lr sign(c)
            updates = torch._foreach_lerp(moments, gradients, 1.0 - beta1)
            torch._foreach_sign_(updates)
            torch._foreach_add_(given, updates, alpha=-group["lr"])
            # m <- beta2 m + (1 - beta2) g
            torch._foreach_lerp_(moments, gradients, 1.0 - beta2)
        return loss
