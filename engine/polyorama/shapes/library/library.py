"""The library as one object: folders indexed in place, and found again by words and likeness."""

from __future__ import annotations

import importlib
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.arguments import check_path
from polyorama.errors import OutputError, UsageError
from polyorama.io.lock import only_one
from polyorama.shapes.library.asset import Asset, Failure, Hits, IndexReport, Stats
from polyorama.shapes.library.db import Database
from polyorama.shapes.library.duplicates import find_groups
from polyorama.shapes.library.index import index_folders
from polyorama.shapes.library.map2d import Map, kept_map, make_map
from polyorama.shapes.library.organise import Organised, absolute, existing_folder, several
from polyorama.shapes.library.query import Searcher, steady
from polyorama.shapes.library.reading import assets_of, first_of_groups, stats_of
from polyorama.shapes.library.shelf import Shelf, open_shelf
from polyorama.shapes.library.watch import Changes, changes, watch

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from polyorama.core.jobs import Job
    from polyorama.shapes.embedder import Embedder
    from polyorama.shapes.library.asset import Describer, Query
    from polyorama.shapes.library.catalogue import Catalogue

__all__ = ["Library"]

_DESCRIBING = "polyorama.shapes.describing"
"""By name, since that room builds on this one."""


class Library(Organised):
    """Models in watched folders, kept where they are, and found by words, pictures and shapes.

    All methods may be called from any thread. Searching goes on while an index run writes, in this
    process or another.

    Parameters
    ----------
    folder
        Where the library keeps what it knows; it is made where there is none.
    embedder
        Puts words, pictures and shapes into one space; the default one, loaded when it is first
        needed, where None is given.
    describer
        Opens and renders files; the usual one where None is given.

    Raises
    ------
    FileFormatError
        If the library is damaged or of a newer version of the program.
    OutputError
        If the folder cannot be made or written.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        embedder: Embedder | None = None,
        describer: Describer | None = None,
    ) -> None:
        check_path(folder, "folder")
        self.folder = absolute(folder)
        try:
            (self.folder / "vectors").mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"The library cannot be made here ({error.strerror}); choose another folder with "
                f"--library: {self.folder}"
            ) from error
        super().__init__(Database(self.folder / "library.db"))
        self._embedder = embedder
        self._describer = describer
        self._lock = threading.Lock()
        self._searcher: Searcher | None = None

    @property
    def embedder(self) -> Embedder:
        """What puts words, pictures and shapes into one space.

        Raises
        ------
        UnavailableError
            If the default one lacks a package or its weights.
        """
        with self._lock:
            if self._embedder is None:
                from polyorama.shapes.default import default_embedder

                self._embedder = default_embedder()
            return self._embedder

    @property
    def describer(self) -> Describer:
        """What opens and renders files."""
        with self._lock:
            if self._describer is None:
                usual: Describer = importlib.import_module(_DESCRIBING).default_describer()
                self._describer = usual
            return self._describer

    def index_job(
        self,
        folders: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
        *,
        retry: bool = False,
    ) -> Job[IndexReport]:
        """Bring the library up to date, as a job; what is done when it is closed stays.

        Parameters
        ----------
        folders
            A folder or several to watch from now on; with none, all that are watched are walked.
        retry
            Look again at files that failed, though they have not changed.

        Returns
        -------
        report
            What was added, changed, moved, gone, and what failed and why.

        Raises
        ------
        OutputError
            If another process indexes this library now, or the disk is full.
        FileFormatError
            If a folder that is named does not exist.
        UsageError
            If no folder is watched.
        """
        told = f"The library is being indexed already; wait until that is done: {self.folder}"
        with only_one(self.folder / "index.lock", told):
            # All are looked at before any is watched: a mistake shall not leave half of them.
            named = [self.add_folder(place) for place in [*map(existing_folder, several(folders))]]
            roots = [os.fspath(folder) for folder in named or self.folders()]
            if not roots:
                raise UsageError("The library watches no folder yet; say which to index.")
            embedder, describer = self.embedder, self.describer
            shelf = self._shelf(make=True)
            assert shelf is not None
            return (
                yield from index_folders(
                    self.db, shelf, embedder, describer, _outermost(roots), retry=retry
                )
            )

    def search(self, query: Query, limit: int | None = None, *, lexical: bool = True) -> Hits:
        """The assets that a query asks for, best first; by name where nothing ranks them.

        Parameters
        ----------
        query
            What is sought.
        limit
            How many at most; None for all.
        lexical
            Whether names, tags, captions and folders that contain the words count, too; without,
            scores are what the embedder alone says.

        Raises
        ------
        UsageError
            If a filter is wrong, or what results shall resemble is not there.
        UnavailableError
            If nothing was indexed with this embedder yet.
        """
        return steady(self._search, lambda s: s.search(query, limit, lexical=lexical))

    def explain(self, asset: int, query: Query) -> NDArray[np.float32]:
        """(F,) how much each view of an asset resembles a query; empty where it has no views."""
        return steady(self._search, lambda s: s.explain(asset, query))

    def unique(self, hits: Hits) -> tuple[Hits, NDArray[np.int32]]:
        """Of each group of near-duplicates the best hit alone, and how many each stands for."""
        return first_of_groups(self.catalogue(), hits)

    def asset(self, number: int) -> Asset:
        """One asset.

        Raises
        ------
        UsageError
            If it is not in the library (any more).
        """
        found = self.assets([number])
        if not found:
            raise UsageError(f"There is no shape of number {number} in the library.")
        return found[0]

    def assets(self, ids: Sequence[int] | NDArray[np.int64]) -> tuple[Asset, ...]:
        """Assets in the order asked for, without those that are gone."""
        return assets_of(self.db, ids)

    def find(self, path: str | os.PathLike[str]) -> Asset | None:
        """The asset of a file; None where the library does not know it."""
        row = self.db.one(
            "SELECT id FROM assets WHERE path = ? AND gone_at IS NULL",
            (os.fsencode(absolute(path)),),
        )
        return None if row is None else self.asset(int(row[0]))

    def thumbnail(self, asset: int) -> bytes | None:
        """A small picture of an asset, WebP; None where there is none."""
        row = self.db.one(
            "SELECT t.picture FROM assets a JOIN thumbnails t ON t.content = a.content "
            "WHERE a.id = ?", (int(asset),),
        )  # fmt: skip
        return None if row is None else bytes(row[0])

    def failures(self) -> tuple[Failure, ...]:
        """Files that could not be indexed, and why."""
        rows = self.db.rows("SELECT path, reason FROM failures ORDER BY path")
        return tuple(Failure(Path(os.fsdecode(path)), reason) for path, reason in rows)

    def groups_job(self) -> Job[list[tuple[int, ...]]]:
        """Find groups of near-duplicates and remember them, as a job; gives the ids of each."""
        _, catalogue, matrix = self._vectors()
        return find_groups(self.db, catalogue, matrix)

    def map_job(self, method: str = "pca") -> Job[Map]:
        """Lay out all shapes in the plane, alike ones near each other, as a job.

        Parameters
        ----------
        method
            "pca" at once, or "umap", which keeps neighbours together and takes its time. What was
            laid out before is there at once, as long as the library has not changed.

        Raises
        ------
        UsageError, UnavailableError
            If there is no such method, it is not installed, or nothing is indexed.
        """
        shelf, catalogue, matrix = self._vectors()
        at = np.flatnonzero(catalogue.present & (catalogue.place >= 0))
        name = f"{shelf.number}-{shelf.generation}"
        given = (self.folder / "maps", method, catalogue.ids[at], catalogue.place[at], name)
        return kept_map(*given) or (yield from make_map(*given, matrix))

    def changes(self) -> Changes:
        """What an index run would find to do, by the dates and sizes of files alone."""
        shelf = self._shelf(make=False)
        roots = [os.fspath(folder) for folder in self.folders()]
        return changes(self.db, _outermost(roots), None if shelf is None else shelf.number)

    def watch(self, interval_s: float, stopped: threading.Event) -> Iterator[Changes]:
        """Yield changes of the watched folders as they come, until `stopped` is set.

        Parameters
        ----------
        interval_s
            Time between looks, s.
        stopped
            Ends it.
        """
        return watch(self.changes, interval_s, stopped)

    def stats(self) -> Stats:
        """Figures of the library."""
        return stats_of(self.db, self.folder)

    def check(self) -> int:
        """Read everything the library keeps, and drop vectors that are torn; returns how many.

        The next run of the index makes them again.

        Raises
        ------
        FileFormatError
            If the database is damaged.
        """
        self.db.check()
        shelf = self._shelf(make=False)
        return 0 if shelf is None else shelf.repair(everything=True)

    def catalogue(self) -> Catalogue:
        """Columns of all assets, for filters, counts and lists of one's own."""
        return self._search().catalogue()

    def vectors(self, catalogue: Catalogue) -> NDArray[np.float32]:
        """(M, D) unit vectors, mapped; `catalogue.place` says which row is whose."""
        return self._search().shelf.matrix(catalogue.rows)

    def close(self) -> None:
        """Let go of all files."""
        self.db.close()

    def _shelf(self, *, make: bool) -> Shelf | None:
        embedder = self.embedder
        return open_shelf(
            self.db, self.folder / "vectors", embedder.id, self.describer.recipe,
            embedder.dimensions if make else None,
        )  # fmt: skip

    def _search(self) -> Searcher:
        shelf = self._shelf(make=False)
        if shelf is None:
            raise UsageError(self._nothing())
        with self._lock:
            before = self._searcher
            same = (
                before is not None
                and before.shelf.number == shelf.number
                and before.shelf.generation == shelf.generation
            )
            if before is None or not same:
                assert self._embedder is not None
                before = self._searcher = Searcher(self.db, shelf, self._embedder)
            return before

    def _nothing(self) -> str:
        if self.db.number("SELECT count(*) FROM vectors"):
            return (
                "The library was indexed with another model or look; index it again: "
                "polyorama shapes index"
            )
        return "The library is empty; fill it first: polyorama shapes index FOLDER"

    def _vectors(self) -> tuple[Shelf, Catalogue, NDArray[np.float32]]:
        def both(searcher: Searcher) -> tuple[Shelf, Catalogue, NDArray[np.float32]]:
            catalogue = searcher.catalogue()
            return searcher.shelf, catalogue, searcher.shelf.matrix(catalogue.rows)

        return steady(self._search, both)


def _outermost(roots: Sequence[str]) -> list[str]:
    """Folders without those that lie in others among them."""
    kept: list[str] = []
    for root in sorted(set(roots)):
        if not any(root.startswith(os.path.join(other, "")) for other in kept):
            kept.append(root)
    return kept
