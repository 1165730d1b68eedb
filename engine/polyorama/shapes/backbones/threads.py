"""Small networks on one core: their layers are done before a second thread has woken up."""

from __future__ import annotations

import contextlib
import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


@contextlib.contextmanager
def one_thread() -> Iterator[None]:
    """Let torch work in the calling thread alone, until the block ends.

    Threads that share a layer wait for each other after it. Where the machine is busy, as while an
    index run renders, one of them is always late: a short text takes fifty times as long. No other
    thread is touched, those that begin meanwhile included; `torch.set_num_threads` would reach all.
    """
    with _controller().limit(limits=1, user_api="openmp"):
        yield


@functools.cache
def _controller() -> ThreadpoolController:
    # It knows the libraries that are loaded when it is made, of which torch's must be one.
    import torch  # noqa: F401
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
