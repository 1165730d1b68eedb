"""Which widget draws which kind of view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.lab import views
from polyorama_studio.workspaces.lab.views.bars import BarsView
from polyorama_studio.workspaces.lab.views.curve import CurveView
from polyorama_studio.workspaces.lab.views.distribution import DistributionView
from polyorama_studio.workspaces.lab.views.field import FieldView
from polyorama_studio.workspaces.lab.views.graph import GraphView
from polyorama_studio.workspaces.lab.views.image import ImageView
from polyorama_studio.workspaces.lab.views.points import PointsView
from polyorama_studio.workspaces.lab.views.space import SpaceView
from polyorama_studio.workspaces.lab.views.tree import TreeView

if TYPE_CHECKING:
    from collections.abc import Sequence

    from PySide6.QtWidgets import QWidget

    from polyorama_studio.theme import Theme
    from polyorama_studio.workspaces.lab.views.base import ViewWidget

__all__ = ["make_view"]

_WIDGETS: dict[type[views.View], type[ViewWidget]] = {
    views.Curve: CurveView,
    views.Field: FieldView,
    views.Points: PointsView,
    views.Graph: GraphView,
    views.Tree: TreeView,
    views.Bars: BarsView,
    views.Distribution: DistributionView,
    views.Image: ImageView,
    views.Splats: SpaceView,
}


def make_view(
    view: views.View, theme: Theme, rivals: Sequence[str] = (), parent: QWidget | None = None
) -> ViewWidget:
    """The widget that draws a view.

    Parameters
    ----------
    view
        What is drawn.
    theme
        Colours.
    rivals
        Ids of all rivals of the experiment, in its order, which gives each its colour.
    parent
        Whom the widget belongs to.
    """
    places = {rival: number for number, rival in enumerate(rivals)}
    in_space = isinstance(view, views.Points) and view.z is not None
    kind = SpaceView if in_space else _WIDGETS[type(view)]
    return kind(view, theme, places, parent)
