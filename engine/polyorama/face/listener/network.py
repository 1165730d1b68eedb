"""The listener's network in torch, for training; `polyorama.face.listener.runtime` runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import nn
from torch.nn import functional as F

from polyorama.face.listener.mel import MELS
from polyorama.face.listener.runtime import STEP_HOPS
from polyorama.face.listener.targets import CURVES
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["ListenerNetwork"]

_WIDTH1, _WIDTH2, _HIDDEN, _FEATURES = 192, 144, 160, 128


class ListenerNetwork(nn.Module):
    """Two causal convolutions, two gated recurrent layers, a bottleneck and linear outputs.

    One body serves all look-aheads while they are learnt together: how far a network looks ahead
    is only by how many steps its answer is late.

    Parameters
    ----------
    delays
        Steps by which answers come late; each has a bottleneck and outputs of its own.
    """

    def __init__(self, delays: Sequence[int]) -> None:
        super().__init__()
        self.delays = tuple(delays)
        self.conv1 = nn.Conv1d(STEP_HOPS * MELS, _WIDTH1, 3)
        self.conv2 = nn.Conv1d(_WIDTH1, _WIDTH2, 2)
        self.gru1 = nn.GRU(_WIDTH2, _HIDDEN, batch_first=True)
        self.gru2 = nn.GRU(_HIDDEN, _HIDDEN, batch_first=True)
        self.drop = nn.Dropout(0.1)
        count = len(self.delays)
        self.necks = nn.ModuleList(nn.Linear(2 * _HIDDEN, _FEATURES) for _ in range(count))
        self.outs = nn.ModuleList(
            nn.Linear(_FEATURES, len(PHONES) + len(CURVES)) for _ in range(count)
        )

    def forward(self, steps: torch.Tensor) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Answers of all delays.

        Parameters
        ----------
        steps
            (B, s, 160) normalised spectra, two hops a step.

        Returns
        -------
        list
            For each delay (B, s, 43) logits of phones and curves, and (B, s, D) features.
        """
        x = steps.transpose(1, 2)
        x = F.relu(self.conv1(F.pad(x, (2, 0))))
        x = F.relu(self.conv2(F.pad(x, (1, 0)))).transpose(1, 2)
        first, _ = self.gru1(self.drop(x))
        second, _ = self.gru2(self.drop(first))
        both = self.drop(torch.cat([first, second], dim=2))
        features = [torch.tanh(neck(both)) for neck in self.necks]
        return [(out(f), f) for out, f in zip(self.outs, features, strict=True)]

    def arrays(self, delay: int) -> dict[str, NDArray[np.float32]]:
        """The weights that one delay needs, named as the runtime reads them."""
        at = self.delays.index(delay)
        wanted = {}
        for name, value in self.state_dict().items():
            part, _, rest = name.partition(".")
            if part in ("necks", "outs"):
                number, _, rest = rest.partition(".")
                if int(number) != at:
                    continue
                part = part[:-1]
            wanted[f"{part}.{rest}"] = value.detach().cpu().float().numpy()
        return wanted
