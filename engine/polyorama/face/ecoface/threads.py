"""Small networks on one core: their layers are done before a second thread has woken up."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["one_thread"]


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let torch work in the calling thread alone, until the block ends.

    Where the machine is busy, as while a head is drawn, threads that share a layer wait for the one
    that is late: a minute of motion takes ten seconds instead of a twentieth of one. Threads that
    are there already are not touched, since OpenMP keeps the number by thread.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
