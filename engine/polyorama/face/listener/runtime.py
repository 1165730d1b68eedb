"""The listener's network step by step in numpy: two convolutions, two gated layers, its outputs.

It is the network of `polyorama.face.listener.network`, which trains it in torch; here each layer
carries what it needs of the past, so that sound may come in pieces.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.errors import FileFormatError
from polyorama.face.listener.mel import MELS
from polyorama.face.listener.targets import CURVES
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["STEP_HOPS", "NetworkState", "StepNetwork"]

STEP_HOPS = 2
"""Spectra that the network takes in at each step."""

_OUTPUTS = len(PHONES) + len(CURVES)


class StepNetwork:
    """The network's weights, checked.

    Parameters
    ----------
    arrays
        Named as in `polyorama.face.listener.network.ListenerNetwork`'s state, plus "norm.mean",
        "norm.variance" and "norm.peak".

    Raises
    ------
    FileFormatError
        If an array is missing, of another shape than its neighbours', or a variance below 0.
    """

    def __init__(self, arrays: Mapping[str, NDArray[np.float32]]) -> None:
        try:
            self.conv1, self.conv1_bias = arrays["conv1.weight"], arrays["conv1.bias"]
            self.conv2, self.conv2_bias = arrays["conv2.weight"], arrays["conv2.bias"]
            self.gru = [
                tuple(arrays[f"gru{i}.{part}_l0"] for part in
                      ("weight_ih", "bias_ih", "weight_hh", "bias_hh"))
                for i in (1, 2)
            ]  # fmt: skip
            self.neck, self.neck_bias = arrays["neck.weight"], arrays["neck.bias"]
            self.out, self.out_bias = arrays["out.weight"], arrays["out.bias"]
            self.mean, self.variance = arrays["norm.mean"], arrays["norm.variance"]
            self.peak = float(arrays["norm.peak"].reshape(-1)[0])
        except (KeyError, IndexError) as error:
            raise FileFormatError(f"A listener's weights lack {error}; get them again.") from None
        self.hidden = self.gru[0][2].shape[-1]
        width1, width2, features = len(self.conv1), len(self.conv2), len(self.neck)
        wanted = {
            "conv1.weight": (width1, STEP_HOPS * MELS, 3), "conv1.bias": (width1,),
            "conv2.weight": (width2, width1, 2), "conv2.bias": (width2,),
            "neck.weight": (features, 2 * self.hidden), "neck.bias": (features,),
            "out.weight": (_OUTPUTS, features), "out.bias": (_OUTPUTS,),
            "norm.mean": (MELS,), "norm.variance": (MELS,), "norm.peak": (1,),
        }  # fmt: skip
        for i, width in ((1, width2), (2, self.hidden)):
            wanted[f"gru{i}.weight_ih_l0"] = (3 * self.hidden, width)
            wanted[f"gru{i}.weight_hh_l0"] = (3 * self.hidden, self.hidden)
            wanted[f"gru{i}.bias_ih_l0"] = wanted[f"gru{i}.bias_hh_l0"] = (3 * self.hidden,)
        for name, shape in wanted.items():
            if arrays[name].shape != shape:
                raise FileFormatError(
                    f"A listener's {name} is {shape}, not {arrays[name].shape}; get it again."
                )
        if self.variance.min() < 0.0:
            raise FileFormatError("A listener's norm.variance is below 0; get it again.")
        # Kernels with time first, so that one product does a convolution.
        self.conv1 = np.ascontiguousarray(self.conv1.transpose(2, 1, 0).reshape(-1, width1))
        self.conv2 = np.ascontiguousarray(self.conv2.transpose(2, 1, 0).reshape(-1, width2))

    @property
    def features(self) -> int:
        """Numbers in a row of features."""
        return len(self.neck)


class NetworkState:
    """What the network remembers of one sound.

    Parameters
    ----------
    network
        Whose memory it is.
    """

    def __init__(self, network: StepNetwork) -> None:
        self._net = network
        self.reset()

    def reset(self) -> None:
        """Forget."""
        net = self._net
        self._past1 = np.zeros((2, STEP_HOPS * MELS), np.float32)
        self._past2 = np.zeros((1, len(net.conv1_bias)), np.float32)
        self._hidden = [np.zeros(net.hidden, np.float32) for _ in net.gru]

    def push(self, steps: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Take steps in.

        Parameters
        ----------
        steps
            (s, 160) normalised spectra, two hops a step.

        Returns
        -------
        tuple
            (s, 43) logits of `PHONES` and then of `CURVES`, and (s, D) features.
        """
        net = self._net
        x, self._past1 = _convolved(steps, self._past1, net.conv1, net.conv1_bias)
        x, self._past2 = _convolved(x, self._past2, net.conv2, net.conv2_bias)
        first = self._gated(x, 0)
        second = self._gated(first, 1)
        features = np.tanh(np.concatenate([first, second], axis=1) @ net.neck.T + net.neck_bias)
        return features @ net.out.T + net.out_bias, features

    def _gated(self, x: NDArray[np.float32], layer: int) -> NDArray[np.float32]:
        """A gated recurrent unit (Cho et al. 2014, in torch's form)."""
        weight_in, bias_in, weight, bias = self._net.gru[layer]
        n = self._net.hidden
        given = x @ weight_in.T + bias_in
        h = self._hidden[layer]
        out = np.empty((len(x), n), np.float32)
        for row, into in zip(given, out, strict=True):
            own = weight @ h + bias
            # r and z at once: 1 / (1 + exp(-a)) is (1 + tanh(a / 2)) / 2, which cannot overflow.
            gates = 0.5 + 0.5 * np.tanh(0.5 * (row[: 2 * n] + own[: 2 * n]))
            new = np.tanh(row[2 * n :] + gates[:n] * own[2 * n :])
            h = new + gates[n:] * (h - new)
            into[:] = h
        self._hidden[layer] = h
        return out


def _convolved(
    x: NDArray[np.float32],
    past: NDArray[np.float32],
    kernel: NDArray[np.float32],
    bias: NDArray[np.float32],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Rows under a causal kernel and a rectifier, and the past that the next rows need."""
    back = len(past)
    whole = np.concatenate([past, x])
    stacked = np.concatenate([whole[k : k + len(x)] for k in range(back + 1)], axis=1)
    return np.maximum(stacked @ kernel + bias, 0.0), whole[len(whole) - back :]
