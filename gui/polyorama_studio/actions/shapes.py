"""What can be done in Shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama_studio.actions.action import Action

if TYPE_CHECKING:
    from polyorama_studio.session import Session
    from polyorama_studio.window import Window
    from polyorama_studio.workspaces.shapes.workspace import ShapesWorkspace

__all__ = ["ACTIONS"]


def _shapes(window: Window) -> ShapesWorkspace:
    shapes: ShapesWorkspace = window.workspaces.make("shapes")  # type: ignore[assignment]
    return shapes


def _chosen(session: Session) -> bool:
    return session.shapes is not None and bool(session.shapes.chosen)


def _watches(session: Session) -> bool:
    shelf = session.shapes
    return shelf is not None and bool(shelf.overview.folders) and shelf.indexing is None


def _has_map(window: Window) -> bool:
    shelf = window.session.shapes
    return shelf is not None and shelf.mapped


def _turn_map(window: Window) -> None:
    _shapes(window).show_view("grid" if _has_map(window) else "map")


ACTIONS: tuple[Action, ...] = (
    Action(
        "shapes.find", "Find shapes", lambda w: _shapes(w).focus_search(), "shapes", "Ctrl+F",
        tooltip="Say what you look for", python="po.search_shapes(...)", icon="search",
    ),
    Action(
        "shapes.similar", "Find similar", lambda w: _shapes(w).menu.find_similar(), "shapes", "",
        _chosen, "Look for shapes that resemble the chosen ones",
        python="po.search_shapes(like=...)", icon="alike",
    ),
    Action(
        "shapes.map", "Map of the library", _turn_map, "shapes", "M",
        tooltip="Show all shapes as a map on which alike ones lie near each other",
        checked=_has_map,
    ),
    Action(
        "shapes.place", "Place in the scene", lambda w: _shapes(w).place(), "shapes", "", _chosen,
        "Put the chosen shapes where the view looks", python="doc.add_files(...)", icon="add",
        group=1,
    ),
    Action(
        "shapes.place-linked", "Place linked", lambda w: _shapes(w).place_linked(), "shapes", "",
        _chosen, "Put them in the scene while the project keeps the files' paths alone",
        python="doc.add_files(..., linked=True)", icon="chain", group=1,
    ),
    Action(
        "shapes.add-folder", "Add a folder...", lambda w: _shapes(w).side.folders.ask_folder(),
        "shapes", tooltip="Watch a folder of models; its files stay where they are",
        python="po.index_shapes(...)", icon="new-folder", dialog=True, group=2,
    ),
    Action(
        "shapes.index", "Look at all folders again", lambda w: _shapes(w).shelf.index(), "shapes",
        "", _watches, "Index what is new or has changed", python="po.index_shapes()",
        icon="again", group=2,
    ),
)  # fmt: skip
