"""Through which camera a scene is rendered: a camera node, or the view."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polyorama.scene.contents import CameraRig
from polyorama.scene.properties_of import at_time
from polyorama.scene.rigs import rig_camera, rig_target
from polyorama_studio.shooting import Seen

if TYPE_CHECKING:
    from polyorama.core.types import Camera
    from polyorama.scene.document import Document
    from polyorama_studio.session import Session
    from polyorama_studio.shooting import RenderSettings

__all__ = ["aimed", "camera_choices", "first_camera", "seen_by"]


def camera_choices(document: Document) -> list[tuple[str, str]]:
    """Ids and names of a document's camera nodes."""
    return [(n.id, n.name) for n in document.nodes if isinstance(n.content, CameraRig)]


def first_camera(document: Document, through: str) -> str:
    """The camera node that is rendered through unless another is chosen, "" for the view.

    The one that is looked through, else the document's own, else the only one there is.
    """
    known = [node for node, _ in camera_choices(document)]
    wished = [node for node in (through, document.view_camera) if node in known]
    if wished:
        return wished[0]
    return known[0] if len(known) == 1 else ""


def seen_by(session: Session, document: Document, settings: RenderSettings) -> Seen:
    """From where these settings look.

    Raises
    ------
    UsageError
        If their camera cannot be placed.
    """
    stage = session.stage
    if settings.camera:
        shown = at_time(document, settings.moment)
        camera = rig_camera(shown, settings.camera, settings.size)
        target = rig_target(shown, settings.camera)
    else:
        camera = stage.view.camera(*settings.size)
        target = np.asarray(stage.view.target, np.float64)
    where = tuple(float(value) for value in target)
    return Seen(camera, where, document.up, stage.backdrop)


def aimed(document: Document, settings: RenderSettings, view: Camera) -> Document:
    """The document whose timeline is filmed; the very same where it looks from there already.

    Parameters
    ----------
    document, settings
        What, and how.
    view
        The present view: filmed from where no camera is chosen and no view is keyed.
    """
    if settings.motion != "timeline":
        return document
    if settings.camera != document.view_camera:
        document = replace(document, view_camera=settings.camera)
    keyed = any(path.startswith("view/") for path in document.timeline.tracks)
    if not settings.camera and not keyed:
        document = replace(document, camera=view)
    return document
