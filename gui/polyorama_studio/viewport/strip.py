"""The strips over the viewport: the active tool's options at the left, the view's at the right."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QToolButton, QWidget

from polyorama.core.params import Parameter
from polyorama_studio.fields.number import NumberField
from polyorama_studio.guard import guards
from polyorama_studio.icons import icon
from polyorama_studio.theme import Metrics, font
from polyorama_studio.viewport.layers.table import LAYERS
from polyorama_studio.words import tip

if TYPE_CHECKING:
    from collections.abc import Callable

    from polyorama_studio.session import Session
    from polyorama_studio.viewport.toolbox import Toolbox
    from polyorama_studio.viewport.views import Views

__all__ = ["Segments", "ToolStrip", "ViewStrip"]

Choice = tuple[object, str, str, str]
"""A value, its icon or "", its word or "", and its tooltip."""

_BRUSH = Parameter(
    "brush", "number", 32.0, 2.0, 400.0, "px", "Radius of the brush", soft=(2.0, 200.0)
)
_TOLERANCE = Parameter(
    "tolerance", "number", 0.12, 0.0, 1.0, "", "How unlike a colour may be", soft=(0.0, 0.5)
)


@guards
class _Card(QWidget):
    """A rounded ground for what lies in it."""

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self.session = session
        self.setObjectName("viewStrip")
        self.row = QHBoxLayout(self)
        edge = Metrics.space[0]
        self.row.setContentsMargins(edge, edge, edge, edge)
        self.row.setSpacing(Metrics.space[1])
        self.setFixedHeight(Metrics.strip)
        session.theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The card."""
        tokens = self.session.theme.tokens
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = tokens.color("panel")
        ground.setAlphaF(0.94)
        painter.setPen(QPen(tokens.color("line"), 1.0))
        painter.setBrush(ground)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(area, Metrics.card_corner, Metrics.card_corner)
        painter.end()

    def line(self) -> QWidget:
        """A thin upright line between groups."""
        made = _Line(self.session, self)
        made.setFixedSize(1, Metrics.icon)
        return made


@guards
class _Line(QWidget):
    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session = session

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._session.theme.tokens.color("line"))
        painter.end()


class Segments(QWidget):
    """Buttons side by side, one of which is down.

    Parameters
    ----------
    choices
        What can be chosen.
    chosen
        Called with the value of the button that was pressed.
    name
        What the choice is about, for those who hear the window.
    """

    def __init__(
        self,
        session: Session,
        choices: tuple[Choice, ...],
        chosen: Callable[[object], None],
        name: str,
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._choices = choices
        self._chosen = chosen
        self._value: object = None
        self.setAccessibleName(name)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(Metrics.hair)
        self.buttons: list[QToolButton] = []
        for value, icon_name, word, tooltip in choices:
            button = QToolButton(self)
            button.setCheckable(True)
            button.setAutoRaise(True)
            button.setText(word)
            button.setToolTip(tip(tooltip))
            button.setAccessibleName(word or tooltip.split("\n")[0])
            button.setIconSize(QSize(Metrics.icon, Metrics.icon))
            style = Qt.ToolButtonStyle
            button.setToolButtonStyle(
                style.ToolButtonTextBesideIcon
                if icon_name and word
                else style.ToolButtonIconOnly
                if icon_name
                else style.ToolButtonTextOnly
            )
            button.setFont(font(Metrics.label))
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setProperty("choice", str(value))
            button.clicked.connect(partial(self._press, value))
            row.addWidget(button)
            self.buttons.append(button)
        session.theme.changed.connect(self._tint)
        self._tint()

    def _press(self, value: object, checked: bool = False) -> None:
        self._chosen(value)
        self.set_value(self._value)

    def set_value(self, value: object) -> None:
        """Which one is down."""
        self._value = value
        for button, choice in zip(self.buttons, self._choices, strict=True):
            button.setChecked(choice[0] == value)
        self._tint()

    @Slot()
    def _tint(self) -> None:
        tokens = self._session.theme.tokens
        for button, (_, icon_name, _, _) in zip(self.buttons, self._choices, strict=True):
            if icon_name:
                token = "accent" if button.isChecked() else "quiet"
                button.setIcon(icon(icon_name, tokens.color(token)))


class ToolStrip(_Card):
    """What the active tool can be told, and one line on how it is used."""

    def __init__(self, session: Session, toolbox: Toolbox, parent: QWidget) -> None:
        super().__init__(session, parent)
        self._toolbox = toolbox
        self._parts: dict[str, QWidget] = {}
        self._lines: dict[str, QWidget] = {}
        self._fields: dict[str, NumberField] = {}
        self._right = 0
        self._add("mode", self._modes())
        self._add("surface", self._depths())
        self._add("footprint", self._footprints())
        self._add("brush", self._number(_BRUSH, self.tr("Size"), "brush"))
        self._add("tolerance", self._number(_TOLERANCE, self.tr("Tolerance"), "tolerance"))
        self._add("axes", self._axes())
        self._add("pivot", self._pivots())
        self._add("snap", self._snaps())
        self._add("turning", self._turns())
        self._hint = QLabel(self)
        self._hint.setObjectName("hint")
        self._hint.setFont(font(Metrics.label))
        self.row.addWidget(self._hint)
        self._words = ""
        toolbox.tool_changed.connect(self.refresh)
        toolbox.options_changed.connect(self.refresh)
        self.refresh()

    def _add(self, name: str, part: QWidget) -> None:
        if self._parts:
            self._lines[name] = self.line()
            self.row.addWidget(self._lines[name])
        self._parts[name] = part
        self.row.addWidget(part)

    def _segments(self, name: str, title: str, *choices: Choice) -> Segments:
        return Segments(self.session, choices, partial(self._set, name), title, self)

    def _set(self, name: str, value: object) -> None:
        self._toolbox.set_options(**{name: value})

    def _modes(self) -> QWidget:
        return self._segments(
            "mode", self.tr("What becomes of the selection"),
            ("set", "mode-set", "", self.tr("Select anew")),
            ("add", "mode-add", "", self.tr("Add to the selection  (Shift)")),
            ("remove", "mode-remove", "", self.tr("Remove from the selection  (Ctrl)")),
            ("intersect", "mode-intersect", "",
             self.tr("Keep what is selected already  (Shift and Ctrl)")),
        )  # fmt: skip

    def _depths(self) -> QWidget:
        return self._segments(
            "surface", self.tr("Depth"),
            (False, "", self.tr("Through"),
             self.tr("Pick all that lies behind, too  (N)")),
            (True, "", self.tr("Surface"),
             self.tr("Pick the visible surface alone  (N)")),
        )  # fmt: skip

    def _footprints(self) -> QWidget:
        return self._segments(
            "footprint", self.tr("Footprint"),
            (False, "", self.tr("Centre"),
             self.tr("Pick splats whose centre is inside  (Shift+N)")),
            (True, "", self.tr("Any part"),
             self.tr("Pick splats of which any part is inside  (Shift+N)")),
        )  # fmt: skip

    def _axes(self) -> QWidget:
        return self._segments(
            "local", self.tr("Axes"),
            (False, "", self.tr("World"), self.tr("Along the axes of the world")),
            (True, "", self.tr("Local"), self.tr("Along the axes of what is moved")),
        )  # fmt: skip

    def _pivots(self) -> QWidget:
        return self._segments(
            "pivot", self.tr("Pivot"),
            ("center", "", self.tr("Middle"), self.tr("Turn and scale about the middle")),
            ("origin", "", self.tr("Origin"), self.tr("Turn and scale about the node's origin")),
            ("cursor", "", self.tr("Target"),
             self.tr("Turn and scale about the point that the view turns about;\n"
                     "double-click a thing to put it there")),
        )  # fmt: skip

    def _snaps(self) -> QWidget:
        on = (True, "snap", "", self.tr("Go by steps of 0.1 units, 15° and 0.1  (hold Ctrl)"))
        return Segments(self.session, (on,), self._flip_snap, self.tr("Snapping"), self)

    def _flip_snap(self, value: object) -> None:
        self._toolbox.set_options(snap=not self._toolbox.options.snap)

    def _turns(self) -> QWidget:
        return self._segments(
            "turning", self.tr("Gizmo of the volume"),
            (False, "move", "", self.tr("Move the volume")),
            (True, "rotate", "", self.tr("Turn the volume")),
        )  # fmt: skip

    def _number(self, parameter: Parameter, title: str, name: str) -> QWidget:
        holder = QWidget(self)
        row = QHBoxLayout(holder)
        row.setContentsMargins(Metrics.space[0], 0, 0, 0)
        row.setSpacing(Metrics.space[0])
        label = QLabel(title, holder)
        label.setObjectName("hint")
        label.setFont(font(Metrics.label))
        field = NumberField(parameter, self.session.theme, holder)
        field.setFixedWidth(Metrics.strip_field)
        field.changed.connect(partial(self._set, name))
        row.addWidget(label)
        row.addWidget(field)
        self._fields[name] = field
        return holder

    @Slot()
    @Slot(str)
    def refresh(self, tool_id: str = "") -> None:
        """Show what concerns the active tool, as it is set."""
        options, tool = self._toolbox.options, self._toolbox.active
        first = True
        for name, part in self._parts.items():
            shown = name in tool.options
            part.setVisible(shown)
            if name in self._lines:
                self._lines[name].setVisible(shown and not first)
            first = first and not shown
            if isinstance(part, Segments):
                on = getattr(options, {"axes": "local"}.get(name, name))
                part.set_value(on if name != "snap" else on or None)
        for name, field in self._fields.items():
            field.set_value(getattr(options, name))
        self._words = tool.hint()
        self.place()

    def place(self, right: int | None = None) -> None:
        """At the top left of the parent; the hint takes what room is left before `right`."""
        parent = self.parentWidget()
        margin = Metrics.space[2]
        self._right = self._right if right is None else right
        end = self._right or parent.width() - margin
        self._hint.setText("")
        self._hint.hide()
        self.row.activate()
        used = self.sizeHint().width()
        room = end - margin - used - Metrics.space[3]
        metrics = QFontMetrics(self._hint.font())
        if self._words and room >= metrics.horizontalAdvance(self._words):
            self._hint.setText(self._words)
            self._hint.show()
        self.setToolTip(tip(self._words) if self._words else "")
        self.row.activate()
        self.resize(self.sizeHint().width(), self.height())
        self.move(margin, margin)


class ViewStrip(_Card):
    """How many views there are, what is compared, what lies over the picture."""

    def __init__(self, session: Session, toolbox: Toolbox, parent: QWidget) -> None:
        super().__init__(session, parent)
        self._toolbox = toolbox
        self._layers_button = self._button("layers", self.tr("What lies over the picture"))
        self.menu = QMenu(self)
        for entry in LAYERS:
            action = self.menu.addAction(self.tr(entry.title))
            action.setCheckable(True)
            action.setData(entry.id)
            action.triggered.connect(partial(self._toggle, entry.id))
        self._layers_button.setMenu(self.menu)
        self._layers_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        toolbox.layers.changed.connect(self.refresh)
        session.theme.changed.connect(self.refresh)
        self.refresh()

    def _button(self, icon_name: str, tooltip: str) -> QToolButton:
        button = QToolButton(self)
        button.setAutoRaise(True)
        button.setIconSize(QSize(Metrics.icon, Metrics.icon))
        button.setToolTip(tip(tooltip))
        button.setAccessibleName(tooltip)
        button.setProperty("icon_name", icon_name)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.row.addWidget(button)
        return button

    def add_views(self, views: Views) -> None:
        """Buttons for one, two and four views, and for comparing."""
        self._views = views
        self._arrangements = Segments(
            self.session,
            (
                ("one", "view-one", "", self.tr("One view  (Ctrl+Alt+1)")),
                ("two", "view-two", "", self.tr("Two views  (Ctrl+Alt+2)")),
                ("four", "view-four", "", self.tr("Four views  (Ctrl+Alt+4)")),
            ),
            views.arrange,
            self.tr("Views"),
            self,
        )
        self._comparisons = Segments(
            self.session,
            (
                ("wipe", "compare-wipe", "",
                 self.tr("Before and after with a divider to drag  (Y)")),
                ("beside", "compare-beside", "", self.tr("Before and after side by side  (Alt+Y)")),
            ),
            views.compare,
            self.tr("Comparison"),
            self,
        )  # fmt: skip
        self.row.insertWidget(0, self._arrangements)
        self.row.insertWidget(1, self.line())
        self.row.insertWidget(2, self._comparisons)
        self.row.insertWidget(3, self.line())
        views.changed.connect(self.refresh)
        self.refresh()

    def _toggle(self, layer_id: str, checked: bool = False) -> None:
        self._toolbox.layers.toggle(layer_id)

    @Slot()
    def refresh(self) -> None:
        """Show how things are set."""
        tokens = self.session.theme.tokens
        self._layers_button.setIcon(icon("layers", tokens.color("text")))
        for action in self.menu.actions():
            action.setChecked(action.data() in self._toolbox.layers.shown)
        if hasattr(self, "_views"):
            self._arrangements.set_value(self._views.arrangement)
            self._comparisons.set_value(self._views.comparison)
        self.row.activate()
        self.adjustSize()
