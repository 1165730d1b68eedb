"""The emotional motion generator of EcoFace: a VAE whose prior is a flow.

Its topology is that of GeneFace's variational motion generator (Ye et al., ICLR 2023), after
PortaSpeech (Ren et al., 2021), with three conditions: g1 the content of speech, g2 its emotion, g3
the person. The prior sees g1 and g2 only, so that one distribution of motion serves everybody; the
decoder alone knows who speaks.

Sequences are (B, T, channels) at the border and (B, channels, T) within. T counts rows of motion
and is a multiple of `STRIDE`; content and emotion come at twice that rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from polyorama.face.ecoface.config import STRIDE

if TYPE_CHECKING:
    from polyorama.face.ecoface.config import EcoFaceConfig

__all__ = ["Condition", "Decoder", "Encoder", "FlowVae", "PriorFlow", "WaveNet"]


class WaveNet(nn.Module):
    """Gated convolutions with residuals and skips, dilation 1; a condition enters every layer.

    Parameters
    ----------
    hidden, kernel, layers
        Sizes.
    condition
        Channels of the condition.
    """

    def __init__(self, hidden: int, kernel: int, layers: int, condition: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.condition = nn.Conv1d(condition, 2 * hidden * layers, 1)
        self.inner = nn.ModuleList(
            nn.Conv1d(hidden, 2 * hidden, kernel, padding=kernel // 2) for _ in range(layers)
        )
        # The last layer has nobody to hand a residual to.
        self.outer = nn.ModuleList(
            nn.Conv1d(hidden, 2 * hidden if n < layers - 1 else hidden, 1) for n in range(layers)
        )

    def forward(self, x: Tensor, mask: Tensor, g: Tensor) -> Tensor:
        """(B, hidden, T) from the same, a (B, 1, T) mask and a (B, condition, T) condition."""
        skips = torch.zeros_like(x)
        conditions = self.condition(g).split(2 * self.hidden, dim=1)
        for n, (inner, outer) in enumerate(zip(self.inner, self.outer, strict=True)):
            a, b = (inner(x) + conditions[n]).split(self.hidden, dim=1)
            y = outer(torch.tanh(a) * torch.sigmoid(b))
            if n < len(self.inner) - 1:
                residual, skip = y.split(self.hidden, dim=1)
                x = (x + residual) * mask
                skips = skips + skip
            else:
                skips = skips + y
        return skips * mask


class Condition(nn.Module):
    """Encoder of a condition: nearest down-sampling from 50 to 25 Hz, then two convolutions."""

    def __init__(self, channels: int, width: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(channels, width, 3, padding=1)
        self.norm = nn.BatchNorm1d(width)
        self.second = nn.Conv1d(width, width, 3, padding=1)

    def forward(self, features: Tensor) -> Tensor:
        """(B, width, T) of (B, 2T, channels)."""
        half = features.transpose(1, 2)[:, :, ::2]
        y: Tensor = self.second(functional.gelu(self.norm(self.first(half))))
        return y


class Encoder(nn.Module):
    """q(z | x, g1, g2), for training alone."""

    def __init__(self, config: EcoFaceConfig) -> None:
        super().__init__()
        self.first = nn.Conv1d(
            config.motion, config.hidden, 2 * STRIDE, stride=STRIDE, padding=STRIDE // 2
        )
        self.body = WaveNet(
            config.hidden, config.kernel, config.encoder_layers, 2 * config.condition
        )
        self.last = nn.Conv1d(config.hidden, 2 * config.latent, 1)

    def forward(self, x: Tensor, mask: Tensor, g: Tensor) -> tuple[Tensor, Tensor]:
        """Mean and log s, both (B, latent, T / 4); mask and g are at the rate of latents."""
        mean, log_s = self.last(self.body(self.first(x) * mask, mask, g)).chunk(2, dim=1)
        return mean, log_s


class _Coupling(nn.Module):
    """Mean-only residual coupling: half of the channels shift the others."""

    def __init__(self, config: EcoFaceConfig) -> None:
        super().__init__()
        half = config.latent // 2
        self.first = nn.Conv1d(half, config.flow_hidden, 1)
        self.body = WaveNet(
            config.flow_hidden, config.flow_kernel, config.flow_layers, 2 * config.condition
        )
        self.last = nn.Conv1d(config.flow_hidden, half, 1)
        # At first the flow is the identity.
        nn.init.zeros_(self.last.weight)
        nn.init.zeros_(self.last.bias)  # type: ignore[arg-type]

    def shift(self, kept: Tensor, mask: Tensor, g: Tensor) -> Tensor:
        y: Tensor = self.last(self.body(self.first(kept) * mask, mask, g)) * mask
        return y


class PriorFlow(nn.Module):
    """From z to the normal z_p, and back: four couplings, the channels flipped after each.

    Shifts change no volume, so that log p(z) is that of z_p under N(0, 1).
    """

    def __init__(self, config: EcoFaceConfig) -> None:
        super().__init__()
        self.couplings = nn.ModuleList(_Coupling(config) for _ in range(config.flows))

    def forward(self, z: Tensor, mask: Tensor, g: Tensor) -> Tensor:
        """(B, latent, L): z_p of z."""
        for coupling in self.couplings:
            kept, moved = z.chunk(2, dim=1)
            z = torch.cat([kept, moved + coupling.shift(kept, mask, g)], dim=1).flip(1)  # type: ignore[operator]
        return z

    def inverse(self, z: Tensor, mask: Tensor, g: Tensor) -> Tensor:
        """(B, latent, L): z of z_p."""
        for coupling in reversed(list(self.couplings)):
            kept, moved = z.flip(1).chunk(2, dim=1)
            z = torch.cat([kept, moved - coupling.shift(kept, mask, g)], dim=1)  # type: ignore[operator]
        return z


class Decoder(nn.Module):
    """p(x | z, g1, g2, g3), where the person enters."""

    def __init__(self, config: EcoFaceConfig) -> None:
        super().__init__()
        self.first = nn.ConvTranspose1d(config.latent, config.hidden, STRIDE, stride=STRIDE)
        self.body = WaveNet(
            config.hidden, config.kernel, config.decoder_layers, 3 * config.condition
        )
        self.last = nn.Conv1d(config.hidden, config.motion, 1)

    def forward(self, z: Tensor, mask: Tensor, g: Tensor) -> Tensor:
        """(B, motion, T); mask and g are at the rate of motion."""
        y: Tensor = self.last(self.body(self.first(z) * mask, mask, g)) * mask
        return y


class FlowVae(nn.Module):
    """All of it. Motion is in units of its own spread, see `EcoFace`."""

    def __init__(self, config: EcoFaceConfig) -> None:
        super().__init__()
        self.config = config
        self.content = Condition(config.content, config.condition)
        self.emotion = Condition(config.emotion, config.condition)
        # One-hot times a matrix is a row of it.
        self.person = nn.Embedding(config.persons, config.condition)
        # Conditions of the latents: four rows become one.
        self.squeeze = nn.Conv1d(
            2 * config.condition, 2 * config.condition, 2 * STRIDE, stride=STRIDE,
            padding=STRIDE // 2,
        )  # fmt: skip
        self.encoder = Encoder(config)
        self.prior = PriorFlow(config)
        self.decoder = Decoder(config)

    def conditions(
        self, content: Tensor, emotion: Tensor, generator: torch.Generator | None = None
    ) -> Tensor:
        """(B, 2 condition, T): g1 and g2 side by side; a generator drops half of each out."""
        g1, g2 = self.content(content), self.emotion(emotion)
        if generator is not None and self.config.cond_drop:
            g1, g2 = (_dropped(g, generator) for g in (g1, g2))
        return torch.cat([g1, g2], dim=1)

    def forward(
        self, x: Tensor, mask: Tensor, content: Tensor, emotion: Tensor, person: Tensor,
        generator: torch.Generator,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        """Reconstruction and divergence, for training.

        Parameters
        ----------
        x
            (B, T, motion).
        mask
            (B, T), 1 where a clip goes on and 0 after its end.
        content, emotion
            (B, 2T, channels).
        person
            (B,) numbers of speakers.
        generator
            Of the noise.

        Returns
        -------
        (B, T, motion), and the Monte-Carlo estimate of KL(q(z|x) || p(z)) by latent and channel.
        """
        rows = mask[:, None]
        latents = rows[:, :, ::STRIDE]
        g = self.conditions(content, emotion, generator) * rows
        squeezed = self.squeeze(g) * latents
        mean, log_s = self.encoder(x.transpose(1, 2), latents, squeezed)
        noise = torch.randn(mean.shape, generator=generator)
        z = (mean + noise * log_s.exp()) * latents
        z_p = self.prior(z, latents, squeezed)
        # log q(z|x) - log p(z): the terms in log 2 pi cancel.
        difference = (0.5 * z_p**2 - 0.5 * noise**2 - log_s) * latents
        divergence = difference.sum() / latents.sum() / self.config.latent
        out = self.decoder(z, rows, self._with_person(g, self.person(person)))
        return out.transpose(1, 2), divergence

    def generate(self, content: Tensor, emotion: Tensor, person: Tensor, noise: Tensor) -> Tensor:
        """Motion of normal noise.

        Parameters
        ----------
        content, emotion
            (B, 2T, channels).
        person
            (B, condition) vectors of speakers.
        noise
            (B, T / 4, latent), normal, times the temperature.

        Returns
        -------
        (B, T, motion).
        """
        g = self.conditions(content, emotion)
        ones = torch.ones_like(g[:, :1])
        latents = ones[:, :, ::STRIDE]
        z = self.prior.inverse(noise.transpose(1, 2), latents, self.squeeze(g))
        out: Tensor = self.decoder(z, ones, self._with_person(g, person))
        return out.transpose(1, 2)

    def _with_person(self, g: Tensor, person: Tensor) -> Tensor:
        return torch.cat([g, person[:, :, None].expand(-1, -1, g.shape[2])], dim=1)


def _dropped(g: Tensor, generator: torch.Generator) -> Tensor:
    return g * (torch.rand(g.shape, generator=generator) < 0.5) * 2.0
