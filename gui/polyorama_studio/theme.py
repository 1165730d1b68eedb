"""The look: tokens for dark and light, and the one style sheet that is made from them.

No other module of the studio names a colour, a font size, a margin or a widget's size; widgets that
paint ask `Theme.tokens` and `Metrics`.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, fields
from pathlib import Path
from string import Template
from typing import ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from polyorama_studio.icons import svg_source

__all__ = ["DARK", "HEAT", "LIGHT", "Metrics", "Theme", "Tokens"]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Colours of one theme, as hexadecimal text; the fields' meanings are fixed."""

    name: str
    stage: str
    """behind the picture"""
    ground: str
    """the window"""
    panel: str
    """docks, menus, cards"""
    raised: str
    """fields, buttons, hovered rows"""
    line: str
    """hairlines"""
    text: str
    """body text, at least 7:1"""
    quiet: str
    """labels, units and what is inactive, at least 4.5:1"""
    accent: str
    """what is selected; the focus ring"""
    on_accent: str
    """text on the accent"""
    good: str
    warn: str
    bad: str
    axis_x: str
    axis_y: str
    axis_z: str
    halo: str
    """the soft dark edge of overlays, with alpha (#AARRGGBB)"""
    overlay: str
    """lines and dots drawn over the picture"""
    glow: str
    """the light on the empty stage, with alpha"""
    series1: str
    """curves and rivals in this order, safe for colour-blind eyes; with dash patterns, too"""
    series2: str
    series3: str
    series4: str
    series5: str
    series6: str

    def color(self, token: str) -> QColor:
        """The colour of a token by its name."""
        return QColor(getattr(self, token))


DARK = Tokens(
    name="dark",
    stage="#0E0F12",
    ground="#17191E",
    panel="#1E2127",
    raised="#272B33",
    line="#323742",
    text="#E6E8EC",
    quiet="#9AA1AD",
    accent="#FFB454",
    on_accent="#1B1408",
    good="#6CC08B",
    warn="#E8C15A",
    bad="#E8705F",
    axis_x="#E8705F",
    axis_y="#6CC08B",
    axis_z="#5FA8FF",
    halo="#96000000",
    overlay="#F2F4F7",
    glow="#1EFFC27A",
    series1="#5FA8FF",
    series2="#FF8F6B",
    series3="#6CD0B4",
    series4="#C79BFF",
    series5="#F2D06B",
    series6="#FF7FB0",
)
LIGHT = Tokens(
    name="light",
    stage="#DADDE2",
    ground="#F4F5F7",
    panel="#FFFFFF",
    raised="#F0F1F4",
    line="#D5D9E0",
    text="#1B1E24",
    quiet="#5C6470",
    accent="#B86A00",
    on_accent="#FFFFFF",
    good="#2F8F57",
    warn="#9A7200",
    bad="#C23B2A",
    axis_x="#E8705F",
    axis_y="#6CC08B",
    axis_z="#5FA8FF",
    halo="#58000000",
    overlay="#F2F4F7",
    glow="#66FFFFFF",
    series1="#1F6FD6",
    series2="#C4481D",
    series3="#16806A",
    series4="#7E4BCB",
    series5="#8A6A00",
    series6="#C2306F",
)


HEAT = (
    "#2A1B5E", "#51127C", "#822681", "#B63679", "#E65164", "#FB8761", "#FEC287", "#FCFDBF",
)  # fmt: skip
"""Stops of the heat map from cold to hot, even in lightness: magma without its blackest part."""


class Metrics:
    """Sizes in logical pixels and times in milliseconds; the same in every theme."""

    space: ClassVar[tuple[int, ...]] = (4, 8, 12, 16, 24)
    body = 12
    label = 11
    small = 10
    """numbers along axes"""
    title = 13
    start = 20
    stage_small = 28
    corner = 4
    card_corner = 8
    control = 24
    stage_control = 32
    rail = 36
    dock_left = 186
    dock_right = 246
    dock_bottom = 200
    dock_least = 120
    dock_title = 26
    dock_button = 22
    edge_strip = 32
    small_icon = 14
    job_bar = 4
    palette_width = 620
    palette_row = 30
    palette_rows = 12
    preferences = 520
    dialog_words = 500
    examples = (820, 520)
    card = (136, 84)
    """a picture on the start page"""
    row_picture = (44, 27)
    status = 26
    icon = 16
    mark = 56
    motion = 120
    gizmo = 104
    gizmo_arm = 92
    """length of a transform gizmo's arms"""
    gizmo_line = 2.25
    gizmo_head = 11
    gizmo_box = 9
    gizmo_hub = 6
    cursor = 32
    strip_field = 64
    strip = 34
    gizmo_dot = 8
    toast_width = 380
    start_width = 560
    busy_ring = 14
    focus_dot = 5
    grain = 96
    file_dialog = (880, 560)
    diamond = 8
    diamond_box = 18
    stroke = 1.25
    """width of lines that are painted, not drawn as icons"""
    small_icon = 14
    switch_width = 26
    switch_height = 14
    field_label = 88
    hex_width = 62
    picker_width = 216
    picker_square = 148
    picker_ring = 5
    fold = 12
    """the chevron of what folds"""
    fold_head = 26
    header_icon = 28
    row = 22
    """lines of trees and lists"""
    hair = 2
    """between things that belong together; what optics takes off a margin"""
    line_gap = 3
    """above and below the words of a toast, which so stand level with its marks"""
    close_mark = 12
    least_viewport = (320, 240)
    toast_words = 280
    """of a toast's width"""
    name_words = 240
    """of the status strip's width, for the name of what is open"""
    busy_words = 420
    """of the busy note's width, at most"""
    recent_words = 480
    """of the start page's width, for a file's name and folder"""
    timeline_strip = 40
    """the whole timeline while nothing is keyed"""
    timeline_bar = 34
    timeline_ruler = 30
    timeline_row = 20
    timeline_audio_row = 44
    timeline_labels = 196
    timeline_height = 226
    """of the opened timeline at first"""
    timeline_least = 130
    key_mark = 9
    """of a key in the sheet"""
    curve_point = 7
    value_axis = 44
    cue_width = 260
    plot = 168
    """height of a histogram at least"""
    plot_foot = 20
    """below a plot, for numbers and a strip of colours"""
    plot_grip = 5.0
    """so near to an edge of a range it can be taken hold of"""
    heat_bar = 10
    cards = 216
    """of a panel of cards' width at least"""
    quality_plot = (380, 220)
    render_preview = (320, 200)
    export_width = 820
    render_width = 860


class Theme(QObject):
    """The theme in force; `apply` dresses the application, `changed` tells who paints."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None, name: str = "dark") -> None:
        super().__init__(parent)
        self.tokens = LIGHT if name == "light" else DARK
        self._icons = tempfile.TemporaryDirectory(prefix="polyorama-icons-")

    def set_name(self, name: str) -> None:
        """Choose "dark" or "light" and dress the application anew."""
        if name != self.tokens.name:
            self.tokens = LIGHT if name == "light" else DARK
            self.apply()
            self.changed.emit()

    def apply(self) -> None:
        """Set the application's style, font, palette and style sheet."""
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.setStyle("Fusion")
            application.setFont(font(Metrics.body))
            application.setPalette(_palette(self.tokens))
            application.setStyleSheet(self._style_sheet())
            hints = application.styleHints()
            dark = self.tokens is DARK
            hints.setColorScheme(Qt.ColorScheme.Dark if dark else Qt.ColorScheme.Light)

    def _style_sheet(self) -> str:
        tokens = self.tokens
        values = {field.name: getattr(tokens, field.name) for field in fields(tokens)}
        values |= {
            name: f"{value}px" for name, value in vars(Metrics).items() if isinstance(value, int)
        }
        values |= {f"s{index}": f"{space}px" for index, space in enumerate(Metrics.space)}
        sheet = Template(_SHEET).substitute(values)
        return re.sub(r"icon\(([a-z-]+), ([a-z_]+)\)", self._icon_url, sheet)

    def _icon_url(self, match: re.Match[str]) -> str:
        """`icon(name, token)` of the sheet as the address of a tinted copy."""
        name, token = match.groups()
        path = Path(self._icons.name) / f"{name}-{token}-{self.tokens.name}.svg"
        if not path.exists():
            path.write_text(svg_source(name, getattr(self.tokens, token)), "utf-8")
        return f"url({path.as_posix()})"

    def close(self) -> None:
        """Remove the tinted copies of icons that the style sheet uses."""
        self._icons.cleanup()


def font(size: int, *, medium: bool = False, tabular: bool = False) -> QFont:
    """The interface font: Inter where it is installed, else the system's own.

    Parameters
    ----------
    size
        Pixels.
    medium
        A little heavier, for titles.
    tabular
        Figures of one width, for numbers that change.
    """
    chosen = QFont("Inter") if "Inter" in QFontDatabase.families() else _system_font()
    chosen.setPixelSize(size)
    if medium:
        chosen.setWeight(QFont.Weight.Medium)
    if tabular:
        chosen.setFeature(QFont.Tag("tnum"), 1)
    return chosen


def fixed_font(size: int) -> QFont:
    """The system's font of one width, for code."""
    chosen = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    chosen.setPixelSize(size)
    return chosen


def _system_font() -> QFont:
    return QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)


def _palette(tokens: Tokens) -> QPalette:
    palette = QPalette()
    role = QPalette.ColorRole
    for key, token in (
        (role.Window, "ground"),
        (role.WindowText, "text"),
        (role.Base, "raised"),
        (role.AlternateBase, "panel"),
        (role.Text, "text"),
        (role.Button, "raised"),
        (role.ButtonText, "text"),
        (role.ToolTipBase, "panel"),
        (role.ToolTipText, "text"),
        (role.PlaceholderText, "quiet"),
        (role.Highlight, "accent"),
        (role.HighlightedText, "on_accent"),
        (role.Link, "accent"),
        (role.Accent, "accent"),
    ):
        palette.setColor(key, tokens.color(token))
    for key in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, key, tokens.color("quiet"))
    return palette


_SHEET = """
* { outline: none; }
QMainWindow { background: $ground; }
QDialog, QMessageBox { background: $panel; }
QWidget { color: $text; }
QToolTip { background: $panel; color: $text; border: 1px solid $line; padding: 1px; }

QMenuBar { background: $ground; border: none; padding: 2px $s1; }
QMenuBar::item { background: transparent; padding: $s0 $s1; border-radius: $corner; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: $raised; }
QMenu { background: $panel; border: 1px solid $line; padding: $s0; }
QMenu::item { padding: 5px $s4 5px $s1; border-radius: $corner; margin: 0; min-height: 16px; }
QMenu::item:selected { background: $raised; }
QMenu::item:disabled { color: $quiet; }
QMenu::icon { padding-left: $s1; }
QMenu::separator { height: 1px; background: $line; margin: $s0 $s1; }
QMenu::right-arrow { image: icon(chevron-right, quiet); width: 12px; height: 12px; right: $s0; }
QMenu::indicator { width: 14px; height: 14px; left: $s1; }
QMenu::indicator:checked { image: icon(check, accent); }

QMainWindow::separator { background: $ground; width: 3px; height: 3px; }
QMainWindow::separator:hover { background: $accent; }
QDockWidget { background: $panel; border: none; }
QDockWidget > QWidget { background: $panel; }
#dockButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    min-width: 20px; max-width: 20px; min-height: 20px; max-height: 20px; padding: 0;
}
#dockButton:hover { background: $raised; }
#dockButton:focus { border-color: $accent; }
#edgeStrip { background: $ground; border: none; }
#edgeStrip QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    min-width: 26px; max-width: 26px; min-height: 26px; max-height: 26px; padding: 0;
}
#edgeStrip QToolButton:hover { background: $raised; }
#edgeStrip QToolButton:focus { border-color: $accent; }
DockHost > QTabBar, DockHost > QTabBar::tab {
    min-height: 0; max-height: 0; height: 0; padding: 0; margin: 0; border: none;
}

#workspaces { background: transparent; }
#workspaceTab {
    background: transparent; color: $quiet; border: none; border-radius: 0;
    border-bottom: 2px solid transparent; padding: 3px $s1;
}
#workspaceTab:hover { color: $text; }
#workspaceTab:checked { color: $text; border-bottom-color: $accent; }
#workspaceTab:focus { color: $accent; }
#searchButton {
    background: $panel; color: $quiet; border: 1px solid $line; border-radius: $corner;
    min-height: 18px; padding: 0 $s1; font-size: $label;
}
#searchButton:hover { color: $text; border-color: $quiet; }
#searchButton:focus { border-color: $accent; }
#palette { background: $panel; border: 1px solid $line; border-radius: $card_corner; }
#palette QLineEdit {
    background: transparent; border: none; border-bottom: 1px solid $line; border-radius: 0;
    min-height: 34px; font-size: $title;
}
#palette QListView { border: none; background: transparent; }
#plainList { background: transparent; border: none; }
#plainList::item { border-radius: $corner; padding: 2px $s0; min-height: 18px; }
#plainList::item:selected { background: $raised; color: $text; }
#choiceRow { background: $raised; border: 1px solid transparent; border-radius: $corner; }
#choiceRow:hover { border-color: $line; }
#choiceRow[chosen="true"] { border-color: $accent; }
#choiceRow QLabel { background: transparent; }
#jobRow { background: $raised; border: none; border-radius: $corner; }
#jobRow QLabel { background: transparent; }
#consoleOutput {
    background: $ground; border: none; border-radius: 0; padding: $s0; min-height: 40px;
}
#consolePrompt { background: $raised; }
#startCard { background: transparent; border: 1px solid transparent; border-radius: $card_corner; }
#startCard:hover { background: $panel; border-color: $line; }
#startCard:focus { border-color: $accent; }
#startCard QLabel { background: transparent; }
QScrollArea { background: transparent; border: none; }
#panelBody { background: transparent; }
QSlider::groove:horizontal { height: 4px; background: $raised; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $quiet; border-radius: 2px; }
QSlider::handle:horizontal {
    width: 12px; height: 12px; margin: -4px 0; border-radius: 6px; background: $text;
}
QSlider::handle:horizontal:hover, QSlider::handle:horizontal:focus { background: $accent; }
QTabBar { background: $ground; border: none; }
QTabBar::tab {
    background: transparent; color: $quiet; padding: 5px $s2; border: none;
    border-bottom: 2px solid transparent;
}
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { color: $accent; }

#rail { background: $ground; border: none; }
#rail QToolButton, #toast QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 0; margin: 0;
}
#rail QToolButton { min-width: 30px; max-width: 30px; min-height: 30px; max-height: 30px; }
#toast QToolButton { min-width: 20px; max-width: 20px; min-height: 20px; max-height: 20px; }
#rail QToolButton:hover, #toast QToolButton:hover { background: $raised; }
#rail QToolButton:pressed { background: $line; }
#rail QToolButton:checked { background: $raised; border-color: $line; }
#rail QToolButton:focus, #toast QToolButton:focus { border-color: $accent; }
#viewStrip QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 3px 4px; color: $quiet; font-size: $label;
}
#viewStrip QToolButton:hover { background: $raised; color: $text; }
#viewStrip QToolButton:checked { background: $raised; border-color: $line; color: $text; }
#viewStrip QToolButton:focus { border-color: $accent; }
#viewStrip QToolButton::menu-indicator { image: none; width: 0; }
#viewStrip QLabel#hint { color: $quiet; padding: 0 $s0; }
#viewGrid { background: $ground; }
#railLine { background: $line; max-height: 1px; min-height: 1px; border: none; }

#timeline, #transport { background: $panel; }
#transport QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    padding: 0; margin: 0;
}
#transport QToolButton:hover { background: $raised; }
#transport QToolButton:pressed { background: $line; }
#transport QToolButton:checked { background: $raised; border-color: $line; }
#transport QToolButton:focus { border-color: $accent; }
#transport QToolButton::menu-indicator { image: none; width: 0; }
#transport QToolButton#speed { color: $quiet; padding: 0 $s0; }
#transportLine { background: $line; border: none; }
#cueCard { background: $panel; border: 1px solid $line; }

#toolCard { background: transparent; border: 1px solid $line; border-radius: $card_corner; }
#toolCard[open="true"] { background: $ground; }
#toolCard QLabel { background: transparent; font-size: $label; }
#plotSwitch {
    background: transparent; color: $quiet; border: 1px solid transparent; border-radius: $corner;
    padding: 2px 5px; font-size: $label;
}
#plotSwitch:hover { background: $raised; color: $text; }
#plotSwitch:checked { background: $raised; border-color: $line; color: $text; }
#plotSwitch:focus { border-color: $accent; }
#plotSwitch:disabled { color: $line; }

#status { background: $ground; }
#status QLabel { color: $quiet; font-size: $label; }
#status QLabel#name { color: $text; }

QPushButton {
    background: $raised; color: $text; border: 1px solid $line; border-radius: $corner;
    min-height: 22px; padding: 0 $s2;
}
QPushButton:hover { border-color: $quiet; }
QPushButton:pressed { background: $line; }
QPushButton:disabled { color: $quiet; background: transparent; }
QPushButton:focus { border-color: $accent; }
QPushButton[primary="true"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[primary="true"]:hover { border-color: $text; }
QPushButton[primary="true"]:focus { border-color: $text; }
QPushButton[primary="true"]:disabled {
    color: $quiet; background: transparent; border-color: $line;
}
QPushButton[large="true"] { min-height: 30px; padding: 0 $s3; }
QPushButton[plain="true"] {
    background: transparent; border-color: transparent; text-align: left; padding: 0 $s1;
}
QPushButton[plain="true"]:hover { background: $raised; }
QPushButton[plain="true"]:focus { border-color: $accent; }

#start { background: transparent; }
#start QLabel { background: transparent; }
#startTitle { font-size: $start; color: $text; }
#startHint, #recentTitle { color: $quiet; font-size: $label; }
#recentRow {
    background: transparent; border: 1px solid transparent; border-radius: $corner;
    min-height: 26px; max-height: 26px; padding: 0;
}
#recentRow:hover { background: $raised; }
#recentRow:focus { border-color: $accent; }
#recentFolder { color: $quiet; font-size: $label; }

#toast { background: $panel; border: 1px solid $line; border-radius: $card_corner; }
#toast QLabel { background: transparent; }
#toastDetail { color: $quiet; }

QPushButton[tight="true"] { padding: 0 $s0; min-height: 20px; font-size: $label; }
QPushButton[tight="true"]:checked { color: $accent; border-color: $accent; }
#headerName { background: transparent; border-color: transparent; font-size: $title;
    font-weight: 500; padding: 0 3px; }
#headerName:hover { background: $raised; }
#headerName:read-only { background: transparent; }
#headerName:focus { border-color: $accent; background: $raised; }
QLabel[figure="true"] { font-size: $label; }
QLabel[fine="true"] { color: $quiet; font-size: $label; }
QLabel[bad="true"] { color: $bad; }
QLabel[quiet="true"] { color: $quiet; }
QLabel[heading="true"] { font-size: $title; font-weight: 500; }

QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox, QPlainTextEdit {
    background: $raised; border: 1px solid $line; border-radius: $corner;
    min-height: 22px; padding: 0 $s1;
    selection-background-color: $accent; selection-color: $on_accent;
}
QLineEdit:focus, QSpinBox:focus, QComboBox:focus, QPlainTextEdit:focus { border-color: $accent; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox::down-arrow { image: icon(chevron-down, quiet); width: 12px; height: 12px; }
QComboBox QAbstractItemView {
    background: $panel; border: 1px solid $line; border-radius: 0; padding: $s0; outline: none;
    selection-background-color: $raised; selection-color: $text;
}
QComboBox QAbstractItemView:focus { border-color: $line; }
QComboBox QAbstractItemView::item { min-height: 22px; padding: 0 $s0; border: none; }
QComboBox QAbstractItemView::item:selected { background: $raised; color: $accent; }
QSpinBox::up-button, QSpinBox::down-button { border: none; width: 16px; background: transparent; }
QSpinBox::up-arrow { image: icon(chevron-up, quiet); width: 10px; height: 10px; }
QSpinBox::down-arrow { image: icon(chevron-down, quiet); width: 10px; height: 10px; }
QCheckBox { spacing: $s1; min-height: $control; border: 1px solid transparent; }
QCheckBox::indicator {
    width: 14px; height: 14px; background: $raised; border: 1px solid $quiet; border-radius: 3px;
}
QCheckBox::indicator:hover, QCheckBox::indicator:focus { border-color: $accent; }
QCheckBox::indicator:checked {
    background: $accent; border-color: $accent; image: icon(check, on_accent);
}
QCheckBox:focus { border-radius: $corner; border-color: $accent; }

QListView, QTreeView, QTableView {
    background: $panel; border: 1px solid $line; border-radius: $corner; outline: none;
    alternate-background-color: $panel;
    selection-background-color: $raised; selection-color: $text;
}
QListView:focus, QTreeView:focus { border-color: $accent; }
QListView::item, QTreeView::item { min-height: 22px; padding: 0 $s0; border: none; }
QListView::item:hover, QTreeView::item:hover { background: $raised; }
QListView::item:selected, QTreeView::item:selected { background: $raised; color: $accent; }
QTreeView::branch { background: transparent; }
#nodes { border: none; background: transparent; show-decoration-selected: 0;
    selection-background-color: transparent; }
#nodes::item { min-height: 20px; padding: 0; }
#nodes::item:hover, #nodes::item:selected { background: transparent; }
#dropLine { background: $accent; border: none; border-radius: 1px; }
#inPlace { min-height: 18px; padding: 0 3px; border-color: $accent; }
#scrolled, #scrolled > QWidget > QWidget { background: transparent; }
QHeaderView { background: $panel; border: none; }
QHeaderView::section {
    background: $panel; color: $quiet; border: none; border-bottom: 1px solid $line;
    padding: $s0 $s1; font-size: $label;
}
QDialogButtonBox { dialogbuttonbox-buttons-have-icons: 0; }
QFileDialog {
    backward-icon: icon(back, text);
    forward-icon: icon(forward, text);
    filedialog-parent-directory-icon: icon(up, text);
    filedialog-new-directory-icon: icon(new-folder, text);
    filedialog-listview-icon: icon(list, text);
    filedialog-detailedview-icon: icon(details, text);
}
QFileDialog QLabel { color: $quiet; }
QFileDialog QListView, QFileDialog QTreeView { background: $ground; }
QHeaderView::down-arrow { image: icon(chevron-down, quiet); width: 10px; height: 10px; }
QHeaderView::up-arrow { image: icon(chevron-up, quiet); width: 10px; height: 10px; }
QFileDialog QToolButton {
    background: transparent; border: 1px solid transparent; border-radius: $corner; padding: 3px;
}
QFileDialog QToolButton:hover { background: $raised; }
QFileDialog QToolButton:focus { border-color: $accent; }
QSizeGrip { image: none; width: 0; height: 0; }
QSplitter::handle { background: transparent; }
QScrollBar { background: transparent; border: none; margin: 0; }
QScrollBar:vertical { width: 10px; }
QScrollBar:horizontal { height: 10px; }
QScrollBar::handle { background: $line; border-radius: 3px; margin: 2px; }
QScrollBar::handle:vertical { min-height: $s4; }
QScrollBar::handle:horizontal { min-width: $s4; }
QScrollBar::handle:hover { background: $quiet; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
"""
