"""The look: tokens for dark and light, and the one style sheet that is made from them.

No other module of the studio names a colour, a font size, a margin or a widget's size; widgets that
paint ask `Theme.tokens` and `Metrics`.
"""

from __future__ import annotations

import dataclasses
import re
import tempfile
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from string import Template
from typing import ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from polyorama_studio.icons import svg_source
from polyorama_studio.sheet import SHEET

__all__ = ["DARK", "HALL", "HEAT", "LIGHT", "Metrics", "Theme", "Tokens"]


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
HALL = dataclasses.replace(
    DARK, stage="#08090B", ground="#08090B", panel="#0E1014", raised="#262B34", line="#4A5160",
    text="#F7F8FA", quiet="#C8CED9", series1="#78B6FF", series2="#FF9C7A", series3="#7FE3C6",
    series4="#D0ABFF", series5="#FFE07D", series6="#FF93BE",
)  # fmt: skip
"""The stage of the Lab: what can be read from the last row of a hall that is not quite dark."""


HEAT = (
    "#7E7E88", "#84838C", "#8C868F", "#987F8A", "#E65164", "#FB8761", "#FEC287", "#FCFDBF",
)  # fmt: skip
"""Stops of the heat map from cold to hot: what stays is grey, what would go glows."""


class Metrics:
    """Sizes in logical pixels and times in milliseconds; the same in every theme."""

    space: ClassVar[tuple[int, ...]] = (4, 8, 12, 16, 24)
    body = 12
    label = 11
    small = 10
    """numbers along axes"""
    title = 13
    start = 20
    stage_fine = 22
    stage_small = 28
    stage_title = 40
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
    examples = (760, 420)
    keys_height = 520
    card = (136, 84)
    """a picture on the start page"""
    row_picture = (44, 27)
    status = 24
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
    start_width = 600
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
    timeline_strip = 36
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
    window_frame = (8, 40)
    """Room for the frame that the desktop puts round the window: both sides, title and foot."""
    cards = 216
    """of a panel of cards' width at least"""
    quality_plot = (380, 220)
    render_preview = (320, 200)
    export_width = 820
    render_width = 860
    rule_width = 520
    stage_tile = (440, 280)
    """the least that a view may have before a hall"""
    lab_gallery = 220
    lab_side = 300
    lab_foot = 72
    """transport, seeds and rivals below the stage of the Lab"""
    lab_thumb = (192, 108)
    lab_note = 28
    lab_scrub = 28
    lab_number = 96
    lab_formula = (56, 180)
    """least and largest height of a formula's card"""
    lab_formula_size = 15
    lab_formula_least = 11
    lab_label = 104
    lab_chip = 20
    stage_large = 64
    shapes_side = 280
    shapes_preview = 420
    shapes_cell = (92, 260)
    """least and largest side of a picture in the grid of shapes"""
    shapes_drop = 44
    shapes_chip = 30
    """height of a chip with a picture"""
    shapes_chip_words = 180
    shapes_sprite = 52
    """side of a picture on the map"""
    face_side = 280
    face_channels = 300
    face_foot = 284
    face_bar = 34
    face_labels = 104
    """names of the lanes, left of their time"""
    face_ruler = 20
    face_wave = 46
    face_lane = 20
    """phones, visemes, parts of takes"""
    face_feeling = 34
    face_pad = 400
    """takes, or what is live, right of the lanes"""
    face_take = (118, 66)
    face_row = 19
    face_name = 116
    """the name of a channel, left of its bar"""
    face_owner = 62
    face_grip = 5.0
    """so near to an edge of a phone or a span it can be taken hold of"""
    face_drop = 52
    face_emotion = 64
    """the name of an emotion, left of its strength"""


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
        sheet = Template(SHEET).substitute(values)
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
    chosen = QFont("Inter") if _has_inter() else _system_font()
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


@cache
def _has_inter() -> bool:
    # Asked for with each paint, and some machines have a thousand families to list.
    return "Inter" in QFontDatabase.families()


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
