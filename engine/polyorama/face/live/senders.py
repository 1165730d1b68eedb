"""Faces sent on while they are made: Live Link Face and Open Sound Control over UDP."""

from __future__ import annotations

import datetime
import socket
import uuid
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from polyorama.errors import UsageError
from polyorama.face.live.live_link import PORT, packet_of
from polyorama.face.live.osc import OSC_PORT, osc_bundle
from polyorama.scene.faces.channels import CHANNELS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FaceSender", "LiveLinkSender", "OscSender", "address_of"]

_NOBODY = np.zeros(len(CHANNELS), np.float32)


def address_of(text: str, port: int) -> tuple[str, int]:
    """Host and port of ``HOST``, ``HOST:PORT`` or ``[IPV6]:PORT``.

    Raises
    ------
    UsageError
        If it is no such thing.
    """
    host, given = text.strip(), ""
    if host.startswith("["):
        host, _, given = host[1:].partition("]")
        given = given.removeprefix(":")
    elif host.count(":") == 1:
        host, _, given = host.partition(":")
    if not host or (given and not given.isascii()) or (given and not given.isdigit()):
        raise UsageError(f"A receiver is HOST or HOST:PORT, not {text!r}.")
    number = int(given) if given else port
    if not 0 < number < 65536:
        raise UsageError(f"A port is 1 to 65535, not {number}.")
    return host, number


class FaceSender(Protocol):
    """Sends faces somewhere; it never waits and never fails while sending."""

    @property
    def note(self) -> str:
        """Why the last one could not be sent, in a sentence, or ""."""
        ...

    def send(self, weights: NDArray[np.float32], fps: float) -> None:
        """Send (55,) weights."""
        ...

    def close(self) -> None:
        """End."""
        ...


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error)


class _Socket:
    """Sends packets to one receiver, and says why it cannot."""

    def __init__(self, host: str, port: int) -> None:
        self.note = ""
        self._place = f"{host}:{port}"
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)
            family, kind, protocol, _, address = found[0]
            self._address: Any = address
            self._socket = socket.socket(family, kind, protocol)
        except (OSError, ValueError) as error:  # names that cannot be any are a ValueError
            raise UsageError(
                f"No receiver is known as {self._place} ({_reason(error)}); "
                "see whether its name is right, or use its number."
            ) from error
        self._socket.setblocking(False)
        # So that an address of a whole network, such as 192.168.0.255, is allowed.
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)

    def put(self, data: bytes) -> None:
        try:
            self._socket.sendto(data, self._address)
            self.note = ""
        except OSError as error:
            # The network may come back, and a face that waits for it would be late.
            self.note = f"Nothing reaches {self._place} ({_reason(error)})."

    def close(self) -> None:
        self._socket.close()


class LiveLinkSender:
    """Sends packets of Live Link Face.

    Parameters
    ----------
    host, port
        The receiver.
    subject
        Name under which it shows the face.

    Raises
    ------
    UsageError
        If there is no such host, or the name is empty or too long.
    """

    def __init__(self, host: str, port: int = PORT, subject: str = "Polyorama") -> None:
        self._subject = subject
        # The same for the same name, so that a receiver knows it again.
        self._device = str(uuid.uuid5(uuid.NAMESPACE_URL, f"polyorama:{subject!a}"))
        self._packet(_NOBODY, 50.0)  # it tells what is wrong with the name
        self._socket = _Socket(host, port)

    @property
    def note(self) -> str:
        """Why the last one could not be sent, or ""."""
        return self._socket.note

    def send(self, weights: NDArray[np.float32], fps: float) -> None:
        """Send (55,) weights with the time of day."""
        self._socket.put(self._packet(weights, fps))

    def _packet(self, weights: NDArray[np.float32], fps: float) -> bytes:
        now = datetime.datetime.now()
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        time = (now - midnight).total_seconds()
        return packet_of(
            weights, subject=self._subject, device=self._device, time=time, fps=round(fps)
        )

    def close(self) -> None:
        """End."""
        self._socket.close()


class OscSender:
    """Sends a bundle of Open Sound Control a frame, a message a channel.

    Parameters
    ----------
    host, port
        The receiver.
    address
        What all addresses begin with.

    Raises
    ------
    UsageError
        If there is no such host, or no such address.
    """

    def __init__(self, host: str, port: int = OSC_PORT, address: str = "/face") -> None:
        osc_bundle(_NOBODY, address=address)  # it tells what is wrong with the address
        self._prefix = address
        self._socket = _Socket(host, port)

    @property
    def note(self) -> str:
        """Why the last one could not be sent, or ""."""
        return self._socket.note

    def send(self, weights: NDArray[np.float32], fps: float) -> None:
        """Send (55,) weights."""
        self._socket.put(osc_bundle(weights, address=self._prefix))

    def close(self) -> None:
        """End."""
        self._socket.close()
