"""A server on this machine that gives models as servers do: whole, in parts, cut short, wrong."""

from __future__ import annotations

import contextlib
import hashlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import numpy as np

from polyorama.models.entry import Entry, ModelFile

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Offer", "Server", "hash_of", "model", "serving", "weights"]


def model(name: str = "net", **known: Any) -> Entry:
    """A model with one file of weights, of which `known` is known beforehand."""
    facts = {"address": "", "bytes": None, "sha256": None, "limit": 5_000_000, **known}
    return Entry(
        name, "A net", "tests", "none", "nowhere", (ModelFile("net.safetensors", **facts),)
    )


def weights(size: int, fill: int = 7) -> bytes:
    """A safetensors file with one tensor of `size` bytes, all unlike their neighbours."""
    header = json.dumps({"w": {"dtype": "U8", "shape": [size], "data_offsets": [0, size]}}).encode()
    at = np.arange(size)
    body = (fill + 31 * at + at // 251).astype(np.uint8).tobytes()
    return len(header).to_bytes(8, "little") + header + body


def hash_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Offer:
    """What is at one address.

    Parameters
    ----------
    cuts
        After how many bytes the connection breaks, answer by answer; answers beyond are whole.
    shift
        How many bytes too far back parts begin.
    stall
        Whether cut answers stay open until the server ends, in place of breaking.
    """

    data: bytes = b""
    etag: str = '"first"'
    ranges: bool = True
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cuts: list[int] = field(default_factory=list)
    shift: int = 0
    stall: bool = False
    endless: bool = False
    length: bool = True


@dataclass
class Server:
    address: str
    offers: dict[str, Offer] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    """Path, Range and If-Range of each request."""
    ending: threading.Event = field(default_factory=threading.Event)

    @property
    def ranges(self) -> list[str]:
        return [span for _, span, _ in self.asked]


@contextlib.contextmanager
def serving() -> Iterator[Server]:
    """Serve until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            span = self.headers.get("Range", "")
            server.asked.append((self.path, span, self.headers.get("If-Range", "")))
            offer = server.offers.get(self.path, Offer(status=404))
            with contextlib.suppress(ConnectionError):
                _answer(self, offer, span, server.ending)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{http.server_address[1]}")
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        http.shutdown()
        thread.join()
        http.server_close()


def same_version(condition: str, etag: str) -> bool:
    """Whether a part may be given; there are servers that do not look."""
    return condition == etag


def _answer(
    handler: BaseHTTPRequestHandler, offer: Offer, span: str, ending: threading.Event
) -> None:
    start, status, size = 0, offer.status, len(offer.data)
    same = same_version(handler.headers.get("If-Range", offer.etag), offer.etag)
    if span and offer.ranges and same and status == 200:
        start = int(span.removeprefix("bytes=").removesuffix("-")) - offer.shift
        status = 206 if start < size else 416
    handler.send_response(status)
    if offer.etag:
        handler.send_header("ETag", offer.etag)
    if status == 206:
        handler.send_header("Content-Range", f"bytes {start}-{size - 1}/{size}")
    elif status == 416:
        handler.send_header("Content-Range", f"bytes */{size}")
        start = size
    for name, value in offer.headers.items():
        handler.send_header(name, value)
    if offer.length and not offer.endless:
        handler.send_header("Content-Length", str(size - start))
    handler.end_headers()
    while offer.endless and not ending.is_set():
        handler.wfile.write(bytes(1 << 16))
    body = offer.data[start:]
    if offer.cuts and status in (200, 206):
        body = body[: offer.cuts.pop(0)]
        handler.wfile.write(body)
        handler.wfile.flush()
        if offer.stall:
            ending.wait()
        handler.close_connection = True
        return
    handler.wfile.write(body)
