"""The index run: folders walked, what is new or changed described, embedded and written.

It writes as it goes, a few files at a time, vectors before the rows that name them; so a run that
is killed has lost no more than those, and the next goes on where it stopped.
"""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polyorama.core.jobs import Progress
from polyorama.core.text import one_line
from polyorama.errors import FileFormatError
from polyorama.shapes.library.asset import Failure, IndexReport
from polyorama.shapes.library.examine import examine
from polyorama.shapes.library.notes import MANIFEST, Note, read_licence, read_manifest
from polyorama.shapes.library.scan import Scan, scan, stamp_of
from polyorama.shapes.library.store import Found, forget_old, known_files, mark_gone, save

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

    from polyorama.core.jobs import Job
    from polyorama.shapes.embedder import Embedder, ShapeEmbedding
    from polyorama.shapes.library.asset import Describer
    from polyorama.shapes.library.db import Database
    from polyorama.shapes.library.examine import Examined
    from polyorama.shapes.library.shelf import Shelf
    from polyorama.shapes.library.store import Known

__all__ = ["Plan", "index_folders", "plan_of"]

_BATCH = 16
_BATCH_S = 2.0


class Plan:
    """What a scan and the database together ask for.

    Parameters
    ----------
    found
        A whole scan.
    waiting
        Models to be looked at, and the watched folder of each.
    unchanged, skipped
        How many are as they were, and how many failed and are as they were.
    gone
        Path to asset of what is no longer there.
    """

    def __init__(self, found: Scan) -> None:
        self.found = found
        self.waiting: list[tuple[str, str]] = []
        self.unchanged = 0
        self.skipped = 0
        self.gone: dict[str, int] = {}
        self._manifests: dict[str, dict[str, Note]] = {}
        self._licences: dict[str, str] = {}

    def vanished(self, path: str) -> bool:
        """Whether a known file is no longer at its path."""
        return path in self.gone or not os.path.lexists(path)

    def noted(self, file: Examined, root: str, failures: list[Failure]) -> Found:
        """A file with what its manifest and licence say; damaged ones are told once."""
        note, licence = Note(), ""
        for path in self.found.notes_for(file.path, root):
            try:
                if os.path.basename(path) == MANIFEST:
                    if path not in self._manifests:
                        self._manifests[path] = {}
                        self._manifests[path] = read_manifest(Path(path))
                    note = self._manifests[path].get(os.path.basename(file.path), note)
                elif not licence:
                    if path not in self._licences:
                        self._licences[path] = ""
                        self._licences[path] = read_licence(Path(path))
                    licence = self._licences[path]
            except FileFormatError as error:
                failures.append(Failure(Path(path), one_line(str(error))))
        return Found(file, note, licence)


def plan_of(
    db: Database, found: Scan, roots: Sequence[str], shelf: int | None, *, retry: bool = False
) -> Plan:
    """Compare a scan with what the library knows.

    Parameters
    ----------
    db
        Of the library.
    found
        A whole scan of the roots.
    roots
        What was walked; files elsewhere are no business of this run.
    shelf
        Files without a vector there wait, too; None asks for no vectors.
    retry
        Whether files that failed are looked at again though they have not changed.
    """
    plan = Plan(found)
    assets, failures = known_files(db)
    placed = None
    if shelf is not None:
        rows = db.rows("SELECT content FROM vectors WHERE shelf = ?", (shelf,))
        placed = {content for (content,) in rows}
    for path, root in found.models:
        notes = found.notes_for(path, root)
        failed, known = failures.get(path), assets.get(path)
        if failed is not None and _same(found, path, failed, notes) and not retry:
            plan.skipped += 1
        elif (
            known is not None and not known.gone and failed is None
            and _same(found, path, known, notes)
            and (placed is None or known.content in placed)
        ):  # fmt: skip
            plan.unchanged += 1
        else:
            plan.waiting.append((path, root))
    there = {path for path, _ in found.models}
    below = tuple(os.path.join(root, "") for root in roots)
    plan.gone = {
        path: known.asset
        for path, known in assets.items()
        if not known.gone and path not in there and path.startswith(below) and not found.hides(path)
    }
    return plan


def index_folders(
    db: Database,
    shelf: Shelf,
    embedder: Embedder,
    describer: Describer,
    roots: Sequence[str],
    *,
    retry: bool = False,
) -> Job[IndexReport]:
    """Index folders; the caller holds the lock of the library.

    Parameters
    ----------
    db, shelf
        Of the library; the shelf is the embedder's and describer's.
    embedder
        Embeds views.
    describer
        Opens and renders files.
    roots
        Absolute paths of folders.
    retry
        As of `plan_of`.
    """
    yield Progress(0, 0, "Looking at the folders")
    shelf.repair()
    found = Scan()
    for found in scan(roots):  # the last one is whole
        yield Progress(0, 0, f"Looking at the folders, {len(found.models):,} models")
    plan = plan_of(db, found, roots, shelf.number, retry=retry)
    run = _Run(db, shelf, embedder, describer, plan)
    yield from run.examine_all()
    _forget_failures(db, plan, roots)
    # Whoever was known again elsewhere has another path by now.
    left = {os.fsdecode(p): a for p, a in db.rows("SELECT path, id FROM assets")}
    gone = [asset for path, asset in plan.gone.items() if left.get(path) == asset]
    mark_gone(db, gone)
    forget_old(db)
    shelf.compact()
    fates = run.fates
    return IndexReport(
        fates["added"], fates["changed"], fates["moved"], plan.unchanged, len(gone),
        (*found.failures, *run.failures), plan.skipped,
    )  # fmt: skip


class _Run:
    """Files under way: some being looked at in threads, some waiting to be written together."""

    def __init__(
        self, db: Database, shelf: Shelf, embedder: Embedder, describer: Describer, plan: Plan
    ) -> None:
        self.fates: Counter[str] = Counter()
        self.failures: list[Failure] = []
        self._db = db
        self._shelf = shelf
        self._embedder = embedder
        self._describer = describer
        self._plan = plan
        self._batch: list[Found] = []
        self._vectors: dict[str, ShapeEmbedding] = {}
        self._written_at = time.monotonic()

    def examine_all(self) -> Iterator[Progress]:
        """Look at all that waits; what is done when this is closed is kept."""
        waiting = self._plan.waiting
        workers = max(1, self._describer.workers)
        ahead: deque[tuple[str, Future[Examined]]] = deque()
        pool = ThreadPoolExecutor(workers, thread_name_prefix="polyorama-index")
        try:
            for done, (path, root) in enumerate(waiting):
                while len(ahead) < workers + 2 and done + len(ahead) < len(waiting):
                    other, its_root = waiting[done + len(ahead)]
                    notes = self._plan.found.notes_for(other, its_root)
                    ahead.append((
                        other, pool.submit(examine, other, notes, self._describer, self._known),
                    ))  # fmt: skip
                file = ahead.popleft()[1].result()
                self._take(file, root)
                seen = None if file.described is None else file.described.thumbnail
                note = f"Indexing, {one_line(os.path.basename(path))}"
                yield Progress(done + 1, len(waiting), note, seen)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
            self._write()

    def _known(self, content: str) -> bool:
        return self._db.one(
            "SELECT 1 FROM vectors v JOIN contents c ON c.content = v.content "
            "WHERE v.shelf = ? AND v.content = ?", (self._shelf.number, content),
        ) is not None  # fmt: skip

    def _take(self, file: Examined, root: str) -> None:
        if file.described is not None and file.content not in self._vectors:
            self._vectors[file.content] = self._embedder.embed_shape(file.described.views)
        self._batch.append(self._plan.noted(file, root, self.failures))
        if len(self._batch) >= _BATCH or time.monotonic() - self._written_at > _BATCH_S:
            self._write()

    def _write(self) -> None:
        if not self._batch:
            return
        batch, vectors = self._batch, self._vectors
        self._batch, self._vectors = [], {}
        fresh = [(content, v) for content, v in vectors.items() if not self._known(content)]
        placed = self._shelf.append(fresh) if fresh else []
        fates = save(self._db, self._shelf, batch, placed, self._plan.vanished)
        self.fates.update(fates)
        self.failures += [
            Failure(Path(item.file.path), item.file.reason) for item in batch if item.file.reason
        ]
        self._written_at = time.monotonic()


def _same(found: Scan, path: str, known: Known, notes: Sequence[str]) -> bool:
    return known.stamp == stamp_of(found, path, (*known.depends, *notes))


def _forget_failures(db: Database, plan: Plan, roots: Sequence[str]) -> None:
    """Failures of files that are no longer there are no news."""
    there = {path for path, _ in plan.found.models}
    below = tuple(os.path.join(root, "") for root in roots)
    rows: list[tuple[Any, ...]] = db.rows("SELECT path FROM failures")
    names = [os.fsdecode(path) for (path,) in rows]
    stale = [
        name for name in names
        if name.startswith(below) and name not in there and not plan.found.hides(name)
    ]  # fmt: skip
    if stale:
        with db.writing() as transaction:
            transaction.many(
                "DELETE FROM failures WHERE path = ?", ((os.fsencode(name),) for name in stale)
            )
