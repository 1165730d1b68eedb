"""Stages that follow another one: further views of a scene, or the scene before its edits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from polyorama_studio.stage import Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama.scene.document import Document
    from polyorama_studio.bridge import Bridge
    from polyorama_studio.orbit import OrbitView
    from polyorama_studio.theme import Theme

__all__ = ["LinkedStage"]


class LinkedStage(Stage):
    """Shows what another stage shows, drawn by its thread.

    Parameters
    ----------
    master
        The stage that is followed.
    variant
        Makes the document that is shown of the master's; None shows that itself.
    side
        Name of a direction (`polyorama_studio.orbit.DIRECTIONS`) that it is first seen from, in
        parallel projection; "" goes on seeing what the master sees.
    """

    def __init__(
        self,
        master: Stage,
        bridge: Bridge,
        theme: Theme,
        parent: QObject | None = None,
        *,
        variant: Callable[[Document], Document] | None = None,
        side: str = "",
    ) -> None:
        super().__init__(bridge, theme, master.loop, parent)
        self._master = master
        self._variant = variant
        self._side = side
        self._made: tuple[Document | None, Document | None] = (None, None)
        master.document_changed.connect(self._on_document)
        master.document_edited.connect(self._on_edited)
        master.time_changed.connect(self._on_time)
        master.marks_changed.connect(self._on_marks)
        self.marks, self.bare = master.marks, master.bare
        self.disguise = None if variant is not None else master.disguise
        if not side:
            master.view_changed.connect(self._on_view)
        self._on_document()

    def _own(self) -> Document | None:
        """The document to show."""
        document = self._master.document
        if document is None or self._variant is None:
            return document
        if document is not self._made[0]:
            self._made = (document, self._variant(document))
        return self._made[1]

    @Slot()
    def _on_document(self) -> None:
        self.set_document(self._own(), self._first_view())
        self.time = self._master.time

    def _first_view(self) -> OrbitView:
        view = self._master.view
        return view.looking(self._side).in_parallel() if self._side else view

    @Slot()
    def _on_edited(self) -> None:
        document = self._own()
        if document is None:
            return
        if self._master.moving:
            self.follow(document)
        else:
            self.change_document(document)

    @Slot(bool)
    def _on_time(self, moving: bool) -> None:
        self.set_time(self._master.time, moving=moving)

    @Slot()
    def _on_marks(self) -> None:
        self.set_marks(self._master.marks)
        self.set_bare(self._master.bare)
        if self._variant is None and self.disguise is not self._master.disguise:
            self.set_disguise(self._master.disguise, moving=self._master.moving)

    @Slot()
    def _on_view(self) -> None:
        self.through = self._master.through
        self.show_view(self._master.view, moving=self._master.moving)

    def frame_beside(self) -> None:
        """See what the master sees from this one's side."""
        self.frame(self._first_view())
