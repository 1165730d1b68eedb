"""Pictures of experiments: one widget for each kind of view."""

from __future__ import annotations

from polyorama_studio.workspaces.lab.views.base import ViewWidget
from polyorama_studio.workspaces.lab.views.making import make_view

__all__ = ["ViewWidget", "make_view"]
