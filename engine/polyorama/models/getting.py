"""Models onto this machine: downloaded when asked for, checked before they have their name."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING
from urllib.parse import quote

from polyorama.errors import OutputError, UnavailableError
from polyorama.models import catalog, store
from polyorama.models.checks import digest, fault_of
from polyorama.models.download import discard, transfer
from polyorama.models.lock import locked
from polyorama.models.pins import Pin, read_pins, write_pin
from polyorama.models.web import check_address

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.core.jobs import Job
    from polyorama.models.entry import Entry, ModelFile

__all__ = ["LOCK", "MIRROR", "address_of", "get_job", "settle"]

MIRROR = "POLYORAMA_MODELS_MIRROR"
"""Environment variable with the address of a mirror, which is asked in place of the publishers."""

LOCK = ".lock"
"""Name of the lock in the folder of a model."""


def get_job(model_id: str, mirror: str | None = None) -> Job[store.Standing]:
    """Download what is missing or damaged of a model, as a job that counts bytes.

    Files that are there are checked by their hashes and kept where they are whole. One that was cut
    short is gone on with. A file appears under its name only when it is whole, and right as far as
    that can be known. Two that get the same model at once do not harm each other: the second waits.

    Parameters
    ----------
    model_id
        Its id.
    mirror
        Address of a mirror: a folder of models as this program keeps them, served over HTTPS (or
        HTTP on this machine). None for the one that POLYORAMA_MODELS_MIRROR names, else the
        publishers.

    Returns
    -------
    standing
        How it stands afterwards.

    Raises
    ------
    UsageError
        If there is no such model, or the address is none that models are got from.
    UnavailableError
        If a package carries it, which is not installed; or a file cannot be had or is not the right
        one.
    OutputError
        If there is no space, or it cannot be written.
    FileFormatError
        If the record beside the files is damaged.
    """
    entry = catalog.entry(model_id)
    if entry.carrier is not None:
        store.path(model_id)  # it says how to install the package
        return store.standing(entry)
    addresses = [address_of(entry, file, mirror) for file in entry.files]
    for address in addresses:
        check_address(address)
    place = store.made_place(entry)
    with contextlib.closing((yield from locked(place / LOCK))):
        for file, address in zip(entry.files, addresses, strict=True):
            yield from _got(entry, file, address, place)
    return store.standing(entry)


def address_of(entry: Entry, file: ModelFile, mirror: str | None = None) -> str:
    """Where a file is downloaded from: its publisher, or its place in a mirror."""
    base = mirror or os.environ.get(MIRROR)
    if not base:
        return file.address
    return f"{base.rstrip('/')}/{quote(entry.id)}/{quote(file.name)}"


def settle(entry: Entry, name: str, whole: Path, target: Path, pin: Pin) -> None:
    """Give a whole file its name, and write down what it was when it came.

    Raises
    ------
    OutputError
        If the system refuses.
    """
    try:
        if whole != target:
            whole.replace(target)
        # Killed in between, the file is there without a pin; it is checked and pinned next time.
        write_pin(target.parent, entry, name, pin)
    except OSError as error:
        raise OutputError(f"Cannot write ({error.strerror or error}): {target}") from error


def _got(entry: Entry, file: ModelFile, address: str, place: Path) -> Job[None]:
    target = place / file.name
    pin = read_pins(place, entry).get(file.name)
    if store.plain_size(target):
        sha256 = yield from digest(target, f"Checking {file.name}")
        if not fault_of(file, target, sha256, pin):
            if pin is None:
                origin = "known" if file.sha256 else "file"
                found = Pin(target.stat().st_size, sha256, origin, str(target))
                settle(entry, file.name, target, target, found)
            return
    part = store.part_of(target)
    right = file.sha256 or (pin.sha256 if pin else "")
    stated = yield from transfer(file, address, part, right)
    sha256 = yield from digest(part, f"Checking {file.name}")
    fault = fault_of(file, part, sha256, pin, stated)
    if fault:
        discard(part)
        advice = "try again, or another mirror"
        if pin is not None and not file.sha256:
            advice += f"; if its publisher renewed it, remove the folder {place} first"
        raise UnavailableError(
            f"The {file.name} that came {fault}, so it was removed; {advice}: {address}"
        )
    origin = "known" if file.sha256 else pin.origin if pin else "server" if stated else "download"
    settle(entry, file.name, part, target, Pin(part.stat().st_size, sha256, origin, address))
    discard(part)
