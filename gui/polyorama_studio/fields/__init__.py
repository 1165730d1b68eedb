"""Fields: one editor for each kind of property."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.fields.link import PropertyLink
from polyorama_studio.fields.row import PropertyRow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from polyorama_studio.session import Session

__all__ = ["PropertyLink", "PropertyRow", "for_parameter"]


def for_parameter(
    session: Session,
    path: str | Sequence[str],
    parent: QWidget | None = None,
    *,
    labelled: bool = True,
) -> PropertyRow:
    """The field for a property of the open document, or for the same property of several owners.

    It follows the document and the playhead by itself. Changing it sets the property, or keys it at
    the playhead where it has keys; a drag is one step of the history.

    Parameters
    ----------
    session
        Has the document.
    path
        See `polyorama.scene.properties_of`; several paths are edited together.
    labelled
        Whether the property's name is shown with it.

    Raises
    ------
    UsageError
        If there is no such property.
    """
    paths = (path,) if isinstance(path, str) else tuple(path)
    return PropertyRow(PropertyLink(session, paths), parent, labelled=labelled)
