"""Alignment in a process of its own: its decoder lets no other thread run meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polyorama import errors
from polyorama.core.jobs import Progress
from polyorama.core.processes import spawned
from polyorama.errors import PolyoramaError, UnavailableError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    import numpy as np
    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.scene.faces.phones import PhoneTrack

__all__ = ["phones_apart"]

_POLL_S = 0.1
_PATIENCE_S = 5.0


def phones_apart(samples: NDArray[np.float32], text: str = "") -> Job[tuple[str, PhoneTrack]]:
    """As `align_job` where there is a text, else as `recognise_job`, while other threads go on.

    Closing the job ends the process.

    Parameters
    ----------
    samples
        (n,) speech at 16 kHz, -1..1.
    text
        What is said; "" has it recognised.

    Returns
    -------
    str
        What is said.
    PhoneTrack
        When.

    Raises
    ------
    UsageError, UnavailableError
        As `polyorama.face.speech.align.align`; also if the process ends of itself.
    """
    process, ours = spawned(_serve, samples, text, threads=1)
    latest = Progress(0, 0, "Listening to words")
    try:
        while True:
            yield latest
            if not ours.poll(_POLL_S):
                continue
            try:
                kind, value = ours.recv()
            except EOFError as error:
                raise UnavailableError(
                    "The process that listened to the words ended before it was done; "
                    "there may be too little memory."
                ) from error
            if kind == "progress":
                latest = Progress(*value)
            elif kind == "error":
                name, words = value
                raise getattr(errors, name)(words)
            else:
                said: tuple[str, PhoneTrack] = value
                return said
    finally:
        ours.close()
        process.terminate()
        process.join(_PATIENCE_S)


def _serve(connection: Connection, samples: NDArray[np.float32], text: str) -> None:
    """What the process does."""
    from polyorama.face.speech.align import align_job, recognise_job

    job: Any = align_job(samples, text) if text else recognise_job(samples)
    try:
        while True:
            progress = next(job)
            connection.send(("progress", (progress.done, progress.total, progress.note)))
    except StopIteration as stop:
        connection.send(("result", (text, stop.value) if text else stop.value))
    except PolyoramaError as error:
        connection.send(("error", (type(error).__name__, str(error))))
