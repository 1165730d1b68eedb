"""Requests that stay where they should: HTTPS alone, few redirections, every failure in words."""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import polyorama
from polyorama.core.text import quoted, reason_of
from polyorama.errors import UnavailableError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["check_address", "connect"]

_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
_HOPS = 8
"""The most redirections that are followed."""
_SILENCE_S = 30.0
"""How long a server may say nothing."""
_REDIRECTIONS = frozenset({301, 302, 303, 307, 308})
_HASH = re.compile(r'"?([0-9a-f]{64})"?')


def check_address(address: str) -> None:
    """Refuse an address that models are not got from.

    Raises
    ------
    UsageError
        If it is neither HTTPS nor HTTP on this very machine, or holds a password.
    """
    reason = _refusal(address)
    if reason:
        raise UsageError(f"Models are not got from this address, because {reason}: {address}")


def connect(address: str, headers: Mapping[str, str]) -> tuple[http.client.HTTPResponse, str]:
    """Ask for a file, and follow where the server sends us.

    Parameters
    ----------
    address
        Where it is.
    headers
        Of the request.

    Returns
    -------
    response
        With status 200, 206 or 416; to be closed by the caller.
    sha256
        The hash of the file, hexadecimal, where a server on the way stated it (as the Hugging Face
        hub does in ``X-Linked-Etag``); else "".

    Raises
    ------
    UnavailableError
        If it is not there, not given, or we are sent to where we do not go.
    """
    stated = ""
    at = address
    for _ in range(_HOPS):
        response = _sent(at, headers)
        match = _HASH.fullmatch(response.headers.get("X-Linked-Etag", "").lower())
        stated = stated or (match[1] if match else "")
        if response.status in (200, 206, 416):
            return response, stated
        status, location = response.status, response.headers.get("Location", "")
        # What it says besides is not read: it may be endless.
        response.close()
        if status not in _REDIRECTIONS:
            raise UnavailableError(f"{_words(status)}: {address}")
        at = _next(at, location)
    raise UnavailableError(f"The server sends us on and on, {_HOPS} times and more: {address}")


def _next(at: str, location: str) -> str:
    try:
        target = urljoin(at, location)
    except ValueError:
        target = location
    # From out there nobody sends us to this machine, which may serve what is not for all.
    outward = urlsplit(at).scheme == "https"
    reason = _refusal(target) or ("it leaves HTTPS" if outward and _is_plain(target) else "")
    if not location or reason:
        raise UnavailableError(
            f"The server sends us to {quoted(target)}, where we do not go ({reason or 'nowhere'}): "
            f"{at}"
        )
    return target


def _refusal(address: str) -> str:
    """Why an address is not gone to; "" if it is."""
    try:
        parts = urlsplit(address)
        host = parts.hostname
        port = parts.port
    except ValueError:
        return "it is none"
    if parts.username is not None or parts.password is not None:
        return "it holds a name or password"
    if not host or port == 0 or re.search(r"[\x00-\x20\x7f]", address):
        return "it is none"
    if parts.scheme == "https" or (parts.scheme == "http" and host in _LOCAL):
        return ""
    return "it is neither https:// nor http:// on this machine"


def _is_plain(address: str) -> bool:
    return urlsplit(address).scheme == "http"


def _sent(address: str, headers: Mapping[str, str]) -> http.client.HTTPResponse:
    """Send one request, whatever its answer; there are no handlers of other schemes at all."""
    opener = urllib.request.OpenerDirector()
    # Without this argument it is the system's proxies; none stands between us and ourselves.
    plain = _is_plain(address)
    opener.add_handler(urllib.request.ProxyHandler({}) if plain else urllib.request.ProxyHandler())
    opener.add_handler(urllib.request.HTTPHandler())
    opener.add_handler(urllib.request.HTTPSHandler())
    opener.addheaders = [("User-Agent", f"polyorama/{polyorama.__version__}")]
    request = urllib.request.Request(address, headers=dict(headers))
    try:
        response: http.client.HTTPResponse = opener.open(request, timeout=_SILENCE_S)
    except (OSError, http.client.HTTPException, ValueError) as error:
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        text = reason_of(reason) if isinstance(reason, BaseException) else str(reason)
        raise UnavailableError(
            f"Cannot reach the server ({text}); try again, or get the file elsewhere and use "
            f"polyorama models add: {address}"
        ) from error
    return response


def _words(status: int) -> str:
    if status in (404, 410):
        return f"The server has no such file ({status})"
    if status in (401, 403):
        return f"The server does not give this file to everyone ({status})"
    if status == 429 or status >= 500:
        return f"The server is overloaded or out of order ({status}); try again later"
    return f"The server gave an answer that does not help ({status})"
