"""The ground of the map of emotions: what is felt where, and its landmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import (
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QRadialGradient,
    QTextOption,
)

from polyorama.scene.faces.channels import EMOTIONS
from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.overlays import paint_halo_text
from polyorama_studio.workspaces.face.tints import emotion_color, emotion_title
from polyorama_studio.workspaces.face.works import BEYOND

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polyorama_studio.theme import Tokens
    from polyorama_studio.workspaces.face.emotion_map import EmotionMap
    from polyorama_studio.workspaces.face.works import EmotionPlan

__all__ = ["DOT", "painted_ground"]

DOT = 1.6
"""Radius of a point."""
_FEW = 24
"""With no more points than these each is a landmark, and painted as one."""


def painted_ground(view: EmotionMap) -> QPixmap:
    """What lies below the trail, in the view's size."""
    return _Ground(view).painted()


class _Ground:
    def __init__(self, view: EmotionMap) -> None:
        self._view = view

    def painted(self) -> QPixmap:
        """The ground in the view's size."""
        tokens, ratio = self._view.session.theme.tokens, self._view.devicePixelRatioF()
        pixmap = QPixmap(self._view.size() * ratio)
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        clip = QPainterPath()
        clip.addRoundedRect(self._view.box, Metrics.card_corner, Metrics.card_corner)
        painter.fillPath(clip, tokens.color("ground"))
        painter.setClipPath(clip)
        plan = self._view.plan
        if plan is None or not len(plan.points):
            painter.setFont(font(Metrics.label))
            painter.setPen(tokens.color("quiet"))
            words = self._view.tr("Loading the map") if plan is None else self._view.trouble
            gap = float(Metrics.space[3])
            room = self._view.box.adjusted(gap, gap, -gap, -gap)
            painter.drawText(room, words, QTextOption(Qt.AlignmentFlag.AlignCenter))
        else:
            self._paint_points(painter, plan)
        painter.setClipping(False)
        painter.setPen(tokens.color("line"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(self._view.box, Metrics.card_corner, Metrics.card_corner)
        painter.end()
        return pixmap

    def _paint_points(self, painter: QPainter, plan: EmotionPlan) -> None:
        tokens = self._view.session.theme.tokens
        if plan.strengths is not None:
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            first, last = (
                self._view.at((-BEYOND, -BEYOND)),
                self._view.at((1.0 + BEYOND, 1.0 + BEYOND)),
            )
            painter.drawImage(QRectF(first, last), _field_image(plan.strengths, tokens))
        middles = []
        for emotion in range(len(EMOTIONS)):
            own = plan.points[plan.emotions == emotion]
            if not len(own):
                continue
            middles.append((emotion, self._view.at(np.median(own, axis=0))))
            if plan.strengths is None:
                self._paint_glow(painter, emotion, own)
        few = len(plan.points) <= _FEW
        for emotion in range(len(EMOTIONS)):
            color = emotion_color(tokens, emotion)
            color.setAlphaF(0.9 if few else 0.75)
            for motion in (False, True):
                own = plan.points[(plan.emotions == emotion) & (plan.motion == motion)]
                painter.setPen(QPen(color, 1.0) if motion else Qt.PenStyle.NoPen)
                painter.setBrush(Qt.BrushStyle.NoBrush if motion else color)
                for number, point in enumerate(own):
                    radius = DOT + 0.4 if motion else DOT
                    # Two levels of an emotion: the stronger one is larger.
                    radius += 0.8 + 1.2 * number if few else 0.0
                    painter.drawEllipse(self._view.at(point), radius, radius)
        for emotion, at in middles:
            room = QRectF(0.0, 0.0, 90.0, float(Metrics.label) + 6.0)
            room.moveCenter(at - QPointF(0.0, 11.0 if few else 0.0))
            wide = painter.fontMetrics().horizontalAdvance(emotion_title(emotion)) / 2.0 + 6.0
            x = min(max(room.center().x(), wide), self._view.width() - wide)
            y = max(room.center().y(), 11.0)
            room.moveCenter(QPointF(x, y))
            paint_halo_text(
                painter, room, emotion_title(emotion), Metrics.label, tokens.color("text"),
                tokens.color("ground"),
            )  # fmt: skip

    def _paint_glow(self, painter: QPainter, emotion: int, own: NDArray[np.float32]) -> None:
        middle = np.median(own, axis=0)
        spread = max(float(np.median(np.linalg.norm(own - middle, axis=1))), 0.03)
        at, reach = self._view.at(middle), 2.6 * spread * self._view.box.width()
        glow = QRadialGradient(at, reach)
        color = emotion_color(self._view.session.theme.tokens, emotion)
        for stop, alpha in ((0.0, 0.26), (0.5, 0.12), (1.0, 0.0)):
            color.setAlphaF(alpha)
            glow.setColorAt(stop, color)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(glow)
        painter.drawEllipse(at, reach, reach)


def _field_image(strengths: NDArray[np.float32], tokens: Tokens) -> QImage:
    """Each place in the colours of what is felt there, the fainter the nearer to neutral."""
    colors = np.array([emotion_color(tokens, k).getRgbF()[:3] for k in range(len(EMOTIONS))])
    felt = np.clip(strengths, 0.0, 1.0).astype(np.float64)
    felt[..., 0] = 0.0
    total = felt.sum(axis=2, keepdims=True)
    mixed = (felt @ colors) / np.maximum(total, 1e-6)
    alpha = 0.30 * np.clip(total, 0.0, 1.0)
    pixels = np.concatenate([mixed * alpha, alpha], axis=2)
    rgba = np.ascontiguousarray(np.round(255.0 * pixels), np.uint8)
    high, wide = rgba.shape[:2]
    form = QImage.Format.Format_RGBA8888_Premultiplied
    return QImage(rgba.data, wide, high, 4 * wide, form).copy()
