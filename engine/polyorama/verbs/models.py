"""The models that others trained: listed, got, added, checked, and where they lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.core.jobs import run
from polyorama.models import catalog, store
from polyorama.models.adding import add_job, verify_job
from polyorama.models.getting import get_job

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from polyorama.models.store import Standing

__all__ = [
    "add_job", "add_model", "get_job", "get_model", "list_models", "model_path", "verify_job",
]  # fmt: skip


def list_models(*model_ids: str) -> tuple[Standing, ...]:
    """How models stand on this machine: what each is for, its licence, source and files.

    ::

        for model in po.list_models():
            print(model.entry.id, model.state, model.entry.licence)

    Parameters
    ----------
    model_ids
        Which; none for all. No hash is computed; `verify_job` does that.

    Raises
    ------
    UsageError
        If there is no such model.
    """
    entries = [catalog.entry(one) for one in model_ids] or catalog.ENTRIES
    return tuple(store.standing(entry) for entry in entries)


def model_path(model_id: str, name: str = "") -> Path:
    """Where a model lies: its file, or its folder where it has several; nothing is downloaded.

    Parameters
    ----------
    model_id
        Its id.
    name
        One of its files.

    Raises
    ------
    UnavailableError
        If it is not here, or not whole; the text holds the command that gets it.
    UsageError
        If there is no such model or file.
    """
    return store.path(model_id, name)


def get_model(model_id: str, mirror: str | None = None) -> Path:
    """Download a model, where it is not here yet, and wait for it; see `get_job`.

    ::

        weights = po.get_model("clip-vit-b32")

    Parameters
    ----------
    model_id
        Its id.
    mirror
        Address of a mirror; None for the publishers, or what POLYORAMA_MODELS_MIRROR names.

    Returns
    -------
    path
        As `model_path`.

    Raises
    ------
    UsageError, UnavailableError, OutputError, FileFormatError
        As `get_job`.
    """
    run(get_job(model_id, mirror))
    return store.path(model_id)


def add_model(path: str | os.PathLike[str], model_id: str | None = None) -> Standing:
    """Copy a file that was brought here into the folder of its model; see `add_job`.

    Raises
    ------
    UsageError, FileFormatError, OutputError
        As `add_job`.
    """
    return run(add_job(path, model_id))
