"""What an experiment computes on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polyorama.lab.experiment import Experiment

__all__ = ["best_device", "device_words"]


def best_device() -> str:
    """The device for torch: "cuda" where there is one, else "cpu"."""
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def device_words(experiment: Experiment) -> str:
    """What an experiment computes on: "GPU (its name)" or "CPU".

    An experiment on a GPU says so by an attribute `device`, a torch device or its name.
    """
    device = str(getattr(experiment, "device", "cpu"))
    torch = sys.modules.get("torch")
    if device.startswith("cuda") and torch is not None:
        return f"GPU ({torch.cuda.get_device_name(device)})"
    return "CPU"
