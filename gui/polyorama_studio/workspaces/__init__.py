"""Workspaces: one for each kind of work, as tabs of the window."""

from __future__ import annotations

from polyorama_studio.workspaces.tabs import WORKSPACES, Workspace, WorkspaceTabs

__all__ = ["WORKSPACES", "Workspace", "WorkspaceTabs"]
