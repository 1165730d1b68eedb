"""The fields of the render dialog."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from polyorama.core.params import Parameter
from polyorama.core.types import MAX_SIDE
from polyorama_studio.aim import camera_choices, first_camera
from polyorama_studio.dialogs.parts import FileLine, Rows, side_by_side
from polyorama_studio.fields.number import NumberField
from polyorama_studio.fields.simple import ChoiceField
from polyorama_studio.shooting import FORMATS, SIZES, RenderSettings
from polyorama_studio.theme import Metrics
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from polyorama_studio.session import Session

__all__ = ["RenderForm"]

_OTHER = "other"
_VIEW = "view"


def _number(
    name: str, default: float, low: float, high: float, unit: str = "", help_: str = "",
    soft: tuple[float, float] | None = None, whole: bool = False,
) -> Parameter:  # fmt: skip
    kind = "whole" if whole else "number"
    return Parameter(name, kind, default, low, high, unit, help_, soft=soft)  # type: ignore[arg-type]


class RenderForm(QWidget):
    """Chooses a `RenderSettings`; fields that say nothing where they stand are hidden.

    Parameters
    ----------
    session
        Whose document is rendered.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        document = session.editing.document
        assert document is not None
        timeline = document.timeline
        self._time = session.playback.time
        self._fields: dict[str, QWidget] = {}
        self._rows = Rows(self)
        self._rows.setVerticalSpacing(Metrics.space[0] + Metrics.hair)
        self._filling = True
        self.motion = self._choice("motion", self.tr("What"), (
            ("still", self.tr("A still picture")),
            ("timeline", self.tr("Film of the timeline")),
            ("turntable", self.tr("Film of a turntable")),
        ))  # fmt: skip
        cameras = camera_choices(document)
        self.camera = self._choice(
            "camera", self.tr("Camera"), ((_VIEW, self.tr("The view")), *cameras)
        )
        self.camera.set_value(first_camera(document, session.stage.through) or _VIEW)
        length = timeline.duration
        self.start = self._field(_number("from", 0.0, 0.0, 86400.0, "s", "First second"))
        self.end = self._field(_number("to", length, 0.0, 86400.0, "s", "Last second"))
        self._add(
            "part", self.tr("From and to"), side_by_side(self, (self.start, 1), (self.end, 1))
        )
        self.seconds = self._single(
            "seconds", self.tr("One turn"), _number("seconds", 6.0, 0.1, 3600.0, "s", "Its length"),
        )  # fmt: skip
        self.fps = self._single(
            "fps", self.tr("Frames a second"),
            _number("fps", timeline.fps, 1.0, 240.0, "", "Frames a second"),
        )  # fmt: skip
        self.projection = self._choice("projection", self.tr("Projection"), (
            ("flat", self.tr("As in the viewport")),
            ("360", self.tr("360\N{DEGREE SIGN}, all directions")),
        ))  # fmt: skip
        self.stereo = self._choice("stereo", self.tr("Eyes"), (
            ("", self.tr("One")), ("side-by-side", self.tr("Two, side by side")),
            ("top-bottom", self.tr("Two, one above the other")),
        ))  # fmt: skip
        self.background = self._choice("background", self.tr("Background"), (
            ("document", self.tr("The scene's own")), ("stage", self.tr("As in the viewport")),
            ("transparent", self.tr("Transparent")),
        ))  # fmt: skip
        sizes = [(f"{w}x{h}", f"{title}   {w} x {h} px") for title, (w, h) in SIZES]
        self.size = self._choice("size", self.tr("Size"), (*sizes, (_OTHER, self.tr("Another"))))
        side = dict(low=2.0, high=float(MAX_SIDE), unit="px", whole=True)  # noqa: C408 - names tell
        self.wide = self._field(_number("width", 1920.0, **side), self.tr("Width"))
        self.high = self._field(_number("height", 1080.0, **side), self.tr("Height"))
        self._add("sides", "", side_by_side(self, (self.wide, 1), (self.high, 1)))
        self.supersample = self._choice("supersample", self.tr("Smoothing"), (
            ("1", self.tr("Plain")), ("2", self.tr("2 x 2 samples a pixel")),
            ("3", self.tr("3 x 3 samples a pixel")), ("4", self.tr("4 x 4 samples a pixel")),
        ))  # fmt: skip
        self.f_stop = self._single(
            "lens",
            self.tr("Aperture"),
            _number("f_stop", 0.0, 0.0, 64.0, "", "The f-number; 0 is sharp everywhere"),
        )
        self.shutter = self._single(
            "shutter", self.tr("Motion blur"),
            _number("shutter", 0.0, 0.0, 2.0, "", "Share of a frame that the shutter is open",
                    (0.0, 1.0)),
        )  # fmt: skip
        self.samples = self._single(
            "samples", self.tr("Samples"),
            _number("samples", 32.0, 2.0, 1024.0, "", "Pictures averaged for lens and shutter",
                    (2.0, 128.0), whole=True),
        )  # fmt: skip
        self.format = self._choice("format", self.tr("Format"), ())
        self.quality = self._single(
            "quality", self.tr("Quality"),
            _number("quality", 90.0, 1.0, 100.0, "", "1 to 100", whole=True),
        )  # fmt: skip
        self.file = FileLine(session, self)
        self.path = self.file.edit
        self.path.textChanged.connect(self._tell)
        self.file.browse.clicked.connect(self._browse)
        self._add("path", self.tr("File"), self.file)
        self._start_values(length > 0.0 and bool(timeline.tracks))

    # Parts

    def _field(self, parameter: Parameter, name: str = "") -> NumberField:
        field = NumberField(parameter, self._session.theme, self)
        field.setAccessibleName(name or parameter.help or parameter.name)
        if parameter.help:
            field.setToolTip(tip(parameter.help))
        field.changed.connect(self._tell)
        return field

    def _single(self, name: str, title: str, parameter: Parameter) -> NumberField:
        field = self._field(parameter)
        self._add(name, title, field)
        return field

    def _choice(self, name: str, title: str, choices: tuple[tuple[str, str], ...]) -> ChoiceField:
        field = ChoiceField(choices, title, self)
        if choices:
            field.set_value(choices[0][0])
        field.chosen.connect(self._on_choice)
        self._add(name, title, field)
        return field

    def _add(self, name: str, title: str, field: QWidget) -> None:
        self._rows.add(title, field)
        self._fields[name] = field

    def _start_values(self, animated: bool) -> None:
        self.size.set_value("1920x1080")
        self.motion.set_value("timeline" if animated else "still")
        self._offer_formats()
        session = self._session
        stem = session.files[0].stem if session.files else self.tr("scene")
        kind = FORMATS[self.format.value]
        self.path.setText(str(Path(session.preferences.folder) / f"{stem}{kind.ending}"))
        self._filling = False
        self._arrange()

    # What is chosen

    @property
    def settings(self) -> RenderSettings:
        """What would be rendered."""
        return RenderSettings(
            path=Path(self.path.text()), format=self.format.value or "png",
            motion=self.motion.value, size=(round(self.wide.value), round(self.high.value)),
            panorama=self.projection.value == "360", stereo=self.stereo.value,
            camera="" if self.camera.value == _VIEW else self.camera.value,
            background=self.background.value, time=self._time,
            part=(self.start.value, self.end.value), seconds=self.seconds.value,
            fps=self.fps.value, supersample=int(self.supersample.value),
            samples=round(self.samples.value), f_stop=self.f_stop.value,
            shutter=self.shutter.value, quality=round(self.quality.value),
        )  # fmt: skip

    def take(self, settings: RenderSettings) -> None:
        """Show other settings."""
        self._filling = True
        self.motion.set_value(settings.motion)
        self.projection.set_value("360" if settings.panorama else "flat")
        self.stereo.set_value(settings.stereo)
        self.camera.set_value(settings.camera or _VIEW)
        self.background.set_value(settings.background)
        self.supersample.set_value(str(settings.supersample))
        self._offer_formats()
        self.format.set_value(settings.format)
        for field, value in (
            (self.start, settings.part[0]), (self.end, settings.part[1]),
            (self.seconds, settings.seconds), (self.fps, settings.fps),
            (self.wide, settings.size[0]), (self.high, settings.size[1]),
            (self.f_stop, settings.f_stop), (self.shutter, settings.shutter),
            (self.samples, settings.samples), (self.quality, settings.quality),
        ):  # fmt: skip
            field.set_value(float(value))
        self._time = settings.time
        self.path.setText(str(settings.path))
        self._filling = False
        self._arrange()

    def _offer_formats(self) -> None:
        film = self.motion.value != "still"
        clear = self.background.value == "transparent"
        offered = [
            (kind.id, kind.title)
            for kind in FORMATS.values()
            if kind.film == film and (kind.alpha or not clear)
        ]
        self.format.set_choices(offered)
        if not self.format.value:
            self.format.set_value(offered[0][0])

    @Slot(str)
    def _on_choice(self, value: str) -> None:
        sender = self.sender()
        if sender is self.size and value != _OTHER:
            width, height = (float(side) for side in value.split("x"))
            self.wide.set_value(width)
            self.high.set_value(height)
        if sender is self.projection:
            self._fit_projection(value == "360")
        self._filling = True
        self._offer_formats()
        self._filling = False
        self._follow_format()
        self._arrange()

    def _fit_projection(self, panorama: bool) -> None:
        """A panorama is twice as wide as high."""
        if panorama != (self.wide.value == 2.0 * self.high.value):
            width, height = (4096, 2048) if panorama else (1920, 1080)
            self.size.set_value(f"{width}x{height}")
            self.wide.set_value(float(width))
            self.high.set_value(float(height))

    def _follow_format(self) -> None:
        """Let the name end as the format does."""
        kind = FORMATS[self.format.value]
        path = Path(self.path.text())
        if "#" in path.name:
            path = path.parent
        if not path.name:  # nothing is typed, which `trouble` tells
            return
        if kind.sequence:
            path = (path.with_suffix("") if path.suffix else path) / f"####{kind.ending}"
        else:
            path = path.with_suffix(kind.ending)
        self._filling = True
        self.path.setText(str(path))
        self._filling = False

    def _arrange(self) -> None:
        """Show what says something here."""
        settings = self.settings
        self.path.setToolTip(tip(self.path.text()))
        film = settings.motion != "still"
        shown = {
            "part": settings.motion == "timeline", "seconds": settings.motion == "turntable",
            "camera": self.camera.count() > 1, "fps": film, "shutter": film,
            "samples": settings.averages, "lens": not settings.panorama,
            "quality": settings.kind.lossy,
        }  # fmt: skip
        for name, visible in shown.items():
            self._rows.set_shown(self._fields[name], visible)
        present = f"{settings.size[0]}x{settings.size[1]}"
        known = {f"{w}x{h}" for _, (w, h) in SIZES}
        self.size.set_value(present if present in known else _OTHER)
        self.changed.emit()

    @Slot(str)
    @Slot(float)
    def _tell(self, value: Any = None) -> None:
        if not self._filling:
            self._arrange()

    @property
    def trouble(self) -> str:
        """Why this cannot be rendered, or ""."""
        settings = self.settings
        width, height = settings.size
        if settings.panorama and width != 2 * height:
            return self.tr("A 360\N{DEGREE SIGN} picture is twice as wide as high.")
        if settings.motion == "timeline" and settings.part[0] >= settings.part[1]:
            return self.tr("This part of the timeline is empty.")
        if not settings.path.name or not self.path.text():
            return self.tr("Say where to.")
        return ""

    @Slot()
    def _browse(self) -> None:
        settings = self.settings
        kind = settings.kind
        path = settings.path
        proposed = str(path.parent if kind.sequence else path)
        self.file.ask(self.tr("Render to"), kind.title, kind.ending, proposed, self._on_file)

    @Slot(str)
    def _on_file(self, name: str) -> None:
        path = Path(name)
        if self.settings.kind.sequence:
            path = path.with_suffix("") / f"####{self.settings.kind.ending}"
        self.path.setText(str(path))
