"""What is moved: splats in unconstrained form, together with their optimiser.

Scales are kept as logarithms and opacities as logits, so that no step leads out of their range;
quaternions have any length. Density control adds, removes and replaces rows; the optimiser's
moments of each row go with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import torch

from polyorama.errors import UsageError
from polyorama.scene.splats import SplatCloud

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

__all__ = ["NAMES", "Natural", "OptimiserFactory", "TrainedSplats", "adam", "parameters_of"]

NAMES = ("means", "scales", "quats", "opacities", "sh0", "shN")
"""The parameters of splats; the names of their groups in the optimiser."""

OptimiserFactory: TypeAlias = "Callable[[list[dict[str, Any]]], torch.optim.Optimizer]"
"""Makes an optimiser of parameter groups; each has one tensor, its "name" and its "lr"."""

_LARGEST_LOGIT = 15.0


def adam(groups: list[dict[str, Any]]) -> torch.optim.Optimizer:
    """Adam as 3DGS uses it: no weight decay, a tiny epsilon since gradients are tiny."""
    return torch.optim.Adam(groups, lr=0.0, eps=1e-15, fused=True)


class Natural(NamedTuple):
    """Splats as the renderer takes them, with gradients to the parameters."""

    means: torch.Tensor
    quats: torch.Tensor
    scales: torch.Tensor
    opacities: torch.Tensor
    sh: torch.Tensor


class TrainedSplats:
    """The parameters of N splats, and of the pictures' exposures, under one optimiser.

    Parameters
    ----------
    values
        Tensors by the names in `NAMES`: (N, 3), (N, 3) log, (N, 4), (N,) logit, (N, 1, 3) and
        (N, K - 1, 3).
    rates
        Learning rate by name.
    optimiser
        See `OptimiserFactory`.
    exposures
        (V, 3, 4) affine maps of colour, one a picture, or None.
    """

    def __init__(
        self,
        values: Mapping[str, torch.Tensor],
        rates: Mapping[str, float],
        optimiser: OptimiserFactory,
        *,
        exposures: torch.Tensor | None = None,
    ) -> None:
        self.values = {name: _leaf(values[name]) for name in NAMES}
        self.exposures = None if exposures is None else _leaf(exposures)
        named = dict(self.values)
        if self.exposures is not None:
            named["exposures"] = self.exposures
        groups = [
            {"params": [tensor], "name": name, "lr": rates[name]} for name, tensor in named.items()
        ]
        self.optimiser = optimiser(groups)

    def __len__(self) -> int:
        return len(self.values["means"])

    def __getitem__(self, name: str) -> torch.Tensor:
        return self.values[name]

    @property
    def device(self) -> torch.device:
        """Where the tensors lie."""
        return self.values["means"].device

    @property
    def scales(self) -> torch.Tensor:
        """(N, 3) linear scales, without gradients."""
        return self.values["scales"].detach().exp()

    @property
    def opacities(self) -> torch.Tensor:
        """(N,) opacities 0..1, without gradients."""
        return self.values["opacities"].detach().sigmoid()

    def natural(self, sh_degree: int) -> Natural:
        """The splats as they are drawn, with the harmonics up to a degree."""
        bands = (sh_degree + 1) ** 2
        sh = self.values["sh0"]
        if bands > 1:
            sh = torch.cat([sh, self.values["shN"][:, : bands - 1]], dim=1)
        v = self.values
        return Natural(v["means"], v["quats"], v["scales"].exp(), v["opacities"].sigmoid(), sh)

    def set_rate(self, name: str, rate: float) -> None:
        """Set a group's learning rate for the next step."""
        self._group(name)["lr"] = rate

    def _group(self, name: str) -> dict[str, Any]:
        # Loading an optimiser's state replaces its groups, so none is kept here.
        group: dict[str, Any]
        (group,) = (g for g in self.optimiser.param_groups if g["name"] == name)
        return group

    def step(self) -> None:
        """Take one step down the gradients and forget them."""
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)

    @torch.no_grad()
    def keep(self, rows: torch.Tensor) -> None:
        """Keep the rows of a boolean mask (N,) or of an index."""
        self._change(lambda tensor: tensor[rows], lambda tensor: tensor[rows])

    @torch.no_grad()
    def append(self, rows: Mapping[str, torch.Tensor]) -> None:
        """Add splats; their moments begin at zero."""
        count = len(rows["means"])

        def grown(moment: torch.Tensor) -> torch.Tensor:
            return torch.cat([moment, moment.new_zeros((count, *moment.shape[1:]))])

        for name in NAMES:
            new = rows[name].to(self.values[name])
            self._replace(name, torch.cat([self.values[name].detach(), new]), grown)

    @torch.no_grad()
    def assign(self, rows: torch.Tensor, new: Mapping[str, torch.Tensor]) -> None:
        """Overwrite splats in place; their moments stay."""
        for name, values in new.items():
            self.values[name][rows] = values

    @torch.no_grad()
    def forget(self, rows: torch.Tensor | None = None, names: tuple[str, ...] = NAMES) -> None:
        """Set the moments of some rows (None is all) of some parameters to zero."""
        for name in names:
            for moment in self._moments(name).values():
                if rows is None:
                    moment.zero_()
                else:
                    moment[rows] = 0.0

    def rows(self, index: torch.Tensor) -> dict[str, torch.Tensor]:
        """Copies of the parameters of some splats."""
        return {name: self.values[name].detach()[index] for name in NAMES}

    def _moments(self, name: str) -> dict[str, torch.Tensor]:
        """The optimiser's tensors that have a row for each splat."""
        tensor = self.values[name]
        state = self.optimiser.state.get(tensor, {})
        return {
            key: value
            for key, value in state.items()
            if torch.is_tensor(value) and value.ndim > 0 and len(value) == len(tensor)
        }

    def _change(
        self,
        values: Callable[[torch.Tensor], torch.Tensor],
        moments: Callable[[torch.Tensor], torch.Tensor],
    ) -> None:
        for name in NAMES:
            self._replace(name, values(self.values[name].detach()), moments)

    def _replace(
        self, name: str, new: torch.Tensor, moments: Callable[[torch.Tensor], torch.Tensor]
    ) -> None:
        changed = {key: moments(value) for key, value in self._moments(name).items()}
        old = self.values[name]
        self.values[name] = _leaf(new)
        self._group(name)["params"] = [self.values[name]]
        state = self.optimiser.state.pop(old, None)
        if state is not None:
            self.optimiser.state[self.values[name]] = {**state, **changed}

    @torch.no_grad()
    def cloud(self) -> SplatCloud:
        """The splats in natural form; rows with NaN or infinity are left out."""
        flat = [self.values[name].detach().reshape(len(self), -1) for name in NAMES]
        finite = torch.isfinite(torch.cat(flat, dim=1)).all(dim=1)
        quats = torch.nn.functional.normalize(self.values["quats"].detach()[finite], dim=1)
        sh = torch.cat([self.values["sh0"], self.values["shN"]], dim=1)[finite]
        return SplatCloud(
            means=_array(self.values["means"][finite]),
            quats=_array(quats),
            scales=_array(self.scales[finite]),
            opacities=_array(self.opacities[finite]),
            sh=_array(sh),
        )


def parameters_of(
    cloud: SplatCloud, sh_degree: int, device: torch.device | str = "cpu"
) -> dict[str, torch.Tensor]:
    """A cloud in the unconstrained form that `TrainedSplats` takes, of a given SH degree.

    Raises
    ------
    UsageError
        If no splat has finite values.
    """
    padded = cloud.with_sh_degree(sh_degree)
    finite = np.isfinite(padded.means).all(axis=1) & np.isfinite(padded.opacities)
    finite &= np.isfinite(padded.scales).all(axis=1) & np.isfinite(padded.quats).all(axis=1)
    finite &= np.isfinite(padded.sh).all(axis=(1, 2))
    if not finite.any():
        raise UsageError("There is no splat with finite values to begin the fit with.")
    if not finite.all():
        padded = padded.subset(finite)
    sh = torch.from_numpy(padded.sh.copy())
    return {
        name: tensor.to(device)
        for name, tensor in {
            "means": torch.from_numpy(padded.means.copy()),
            "scales": torch.from_numpy(np.log(np.maximum(padded.scales, 1e-12))),
            "quats": torch.from_numpy(padded.quats.copy()),
            "opacities": torch.from_numpy(padded.opacities.copy())
            .logit(1e-6)
            .clamp(-_LARGEST_LOGIT, _LARGEST_LOGIT),
            "sh0": sh[:, :1],
            "shN": sh[:, 1:],
        }.items()
    }


def _leaf(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone(memory_format=torch.contiguous_format).requires_grad_()


def _array(tensor: torch.Tensor) -> NDArray[np.float32]:
    return tensor.detach().cpu().numpy()
