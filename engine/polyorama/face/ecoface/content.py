"""Content of speech, fifty rows a second: this project's listener, or a HuBERT from a folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from polyorama.core.text import reason_of
from polyorama.errors import FileFormatError, UnavailableError
from polyorama.face.ecoface.config import CONTENT_FPS
from polyorama.face.ecoface.sound import rows_of_sound
from polyorama.scene.faces.phones import PHONES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray

    from polyorama.scene.faces.phones import PhoneTrack

__all__ = [
    "LISTENER", "ContentSource", "HubertContent", "ListenerContent", "at_content_rate",
    "content_of_phones",
]  # fmt: skip

LISTENER = "listener"
"""Name of the features that the shipped model was trained on."""

_HUBERT_WINDOW, _HUBERT_HOP = 400, 320
"""Samples that a row of HuBERT stands for, and from one row to the next."""
_PIECE, _AROUND = 30 * CONTENT_FPS, 5 * CONTENT_FPS
"""Rows of a piece of long speech, and rows on each side that are heard with it."""


class ContentSource(Protocol):
    """What turns speech into content."""

    name: str

    def rows(self, samples: NDArray[np.floating]) -> NDArray[np.float32]:
        """(2T, C) float32 of (n,) samples at 16 kHz."""
        ...


class ListenerContent:
    """The listener's posteriors of phones, as square roots, so that doubt counts.

    They mean the same whichever listener gives them, and can be written down from phones alone.
    """

    name = LISTENER

    def __init__(self) -> None:
        from polyorama.face.listener import Listener

        self._listen: Callable[[NDArray[np.floating]], Any] = Listener.load(60).listen

    def rows(self, samples: NDArray[np.floating]) -> NDArray[np.float32]:
        """(2T, 40) float32 of (n,) samples at 16 kHz."""
        heard = self._listen(samples)
        return at_content_rate(
            np.sqrt(heard.posteriors), heard.rate, 2 * rows_of_sound(len(samples))
        )


def content_of_phones(track: PhoneTrack, count: int) -> NDArray[np.float32]:
    """(2 count, 40) content that a listener without doubt would give of phones.

    Parameters
    ----------
    track
        Phones, aligned or moved by hand.
    count
        Rows of motion.
    """
    # Shares of each 20 ms row, so that a boundary may lie anywhere.
    edges = np.arange(2 * count + 1) / CONTENT_FPS
    shares = np.zeros((2 * count, len(PHONES)), np.float64)
    for phone in track.phones:
        low = max(int(np.searchsorted(edges, phone.start, side="right")) - 1, 0)
        high = min(int(np.searchsorted(edges, phone.end)), 2 * count)
        if low < high:
            inside = np.minimum(edges[low + 1 : high + 1], phone.end)
            inside -= np.maximum(edges[low:high], phone.start)
            shares[low:high, PHONES.index(phone.symbol)] += inside * CONTENT_FPS
    shares[:, 0] += 1.0 - shares.sum(1)
    # As long as a listener's own window.
    padded = np.pad(shares, ((1, 1), (0, 0)), mode="edge")
    blurred = 0.25 * padded[:-2] + 0.5 * padded[1:-1] + 0.25 * padded[2:]
    return np.sqrt(np.clip(blurred, 0.0, 1.0)).astype(np.float32)


class HubertContent:
    """A HuBERT of the user's own, such as facebook/hubert-large-ls960-ft, from a local folder.

    It hears up to half a minute at once, as the paper lets it hear all. Since what its attention
    keeps grows with the square of time, longer speech is heard in pieces that overlap.

    Parameters
    ----------
    folder
        With config.json and model.safetensors or pytorch_model.bin.

    Raises
    ------
    UnavailableError
        If transformers is not installed.
    FileFormatError
        If the folder holds no HuBERT.
    """

    def __init__(self, folder: Path) -> None:
        # The package would take it for a name on a site.
        if not folder.is_dir():
            raise FileFormatError(f"There is no such folder with a HuBERT: {folder}")
        try:
            import transformers
        except ImportError:
            raise UnavailableError(
                "HuBERT is read by the package transformers, which is not installed; "
                "pip install transformers brings it."
            ) from None
        self.name = f"hubert {folder.name}"
        try:
            # No network is asked, and nothing that a folder holds is run.
            self._net: Any = transformers.HubertModel.from_pretrained(
                str(folder), local_files_only=True, trust_remote_code=False
            )
        except (OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
            raise FileFormatError(
                f"This folder holds no HuBERT that can be read ({reason_of(error)}): {folder}"
            ) from error
        self._net.train(False).requires_grad_(False)

    def rows(self, samples: NDArray[np.floating]) -> NDArray[np.float32]:
        """(2T, C) float32 of (n,) samples at 16 kHz."""
        import torch

        sound = np.asarray(samples, np.float32)
        # As its own feature extractor does; and its first window is 25 ms.
        sound = (sound - sound.mean()) / np.sqrt(sound.var() + 1e-7)
        sound = np.pad(sound, (0, max(_HUBERT_WINDOW - len(sound), 0)))
        count = (len(sound) - _HUBERT_WINDOW) // _HUBERT_HOP + 1
        found = []
        with torch.inference_mode():
            for start in range(0, count, _PIECE):
                first, last = max(start - _AROUND, 0), min(start + _PIECE + _AROUND, count)
                end = len(sound) if last == count else _HUBERT_HOP * (last - 1) + _HUBERT_WINDOW
                part = torch.from_numpy(sound[_HUBERT_HOP * first : end])
                values = self._net(part[None]).last_hidden_state[0].numpy()
                found.append(values[start - first : start - first + _PIECE])
        rows = np.concatenate(found)
        return at_content_rate(rows, CONTENT_FPS, 2 * rows_of_sound(len(samples)))


def at_content_rate(rows: NDArray[np.floating], fps: float, count: int) -> NDArray[np.float32]:
    """(count, C) at 50 rows a second: means of rows where there are more, the last row held."""
    values = np.asarray(rows, np.float32)
    step = round(fps / CONTENT_FPS)
    if step > 1:
        whole = -(-len(values) // step) * step
        values = np.concatenate([values, np.repeat(values[-1:], whole - len(values), axis=0)])
        values = values.reshape(-1, step, values.shape[1]).mean(1)
    short = count - len(values)
    if short > 0:
        values = np.concatenate([values, np.repeat(values[-1:], short, axis=0)])
    return np.ascontiguousarray(values[:count], np.float32)
