"""Tokens, contrast, icons, and that nobody else names a colour."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QFontDatabase, QFontInfo

import polyorama_studio
from polyorama_studio.icons import icon, svg_source
from polyorama_studio.theme import DARK, LIGHT, Metrics, Theme, Tokens, font
from tests.gui.fakes import icon_names

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

FOLDER = Path(polyorama_studio.__file__).parent
SOURCES = [path for path in sorted(FOLDER.rglob("*.py")) if path.name != "theme.py"]


def luminance(color: QColor) -> float:
    channels = (color.redF(), color.greenF(), color.blueF())
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(tokens: Tokens, one: str, other: str) -> float:
    light, dark = sorted(
        (luminance(tokens.color(one)), luminance(tokens.color(other))), reverse=True
    )
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=lambda tokens: tokens.name)
def test_contrast(tokens: Tokens) -> None:
    for ground in ("stage", "ground", "panel", "raised"):
        assert contrast(tokens, "text", ground) >= 7.0
        assert contrast(tokens, "quiet", ground) >= 4.25
    for ground in ("ground", "panel", "raised"):
        assert contrast(tokens, "quiet", ground) >= 4.5
    assert contrast(tokens, "on_accent", "accent") >= 4.0
    for edge in ("accent", "good", "warn", "bad"):
        assert contrast(tokens, edge, "panel") >= 3.0


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_colours_and_sizes_of_type_are_named_in_the_theme_alone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not re.findall(r"#[0-9A-Fa-f]{6}\b", text)
    assert not re.findall(r"QColor\(\d", text)
    assert "setStyleSheet" not in text
    assert not re.findall(r"set(?:Pixel|Point)Size\(", text)
    # Nought is no size, and one is a hairline.
    asked = (
        r"(?:set(?:Contents\w+|\w*Spacing|Fixed\w+|M(?:in|ax)imum\w+|IconSize)|addSpacing|resize)"
    )
    for call in re.findall(asked + r"\(.*", text):
        spaces = re.sub(r"space\[\d\]|\d \* Metrics", "", call)
        assert not re.findall(r"(?<![\w.])(?:[2-9]|\d\d+)\b", spaces), call


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=lambda tokens: tokens.name)
def test_the_style_sheet_is_whole(qtbot: QtBot, tokens: Tokens) -> None:
    theme = Theme(name=tokens.name)
    sheet = theme._style_sheet()
    assert "$" not in sheet
    assert "icon(" not in sheet
    addresses = re.findall(r"url\(([^)]*)\)", sheet)
    assert addresses
    for address in addresses:
        assert Path(address).is_file()
    folder = Path(addresses[0]).parent
    theme.close()
    assert not folder.exists()
    theme.deleteLater()


@pytest.mark.parametrize("name", icon_names())
def test_icons_are_ours_and_draw(qtbot: QtBot, name: str) -> None:
    source = svg_source(name, DARK.text)
    if name != "polyorama":
        assert 'viewBox="0 0 16 16"' in source
        assert 'stroke-width="1.5"' in source
        assert source.count('stroke-linecap="round"') == 1
    pixmap = icon(name, DARK.color("text")).pixmap(QSize(32, 32))
    image = pixmap.toImage()
    drawn = sum(
        image.pixelColor(x, y).alpha() > 0
        for x in range(image.width())
        for y in range(image.height())
    )
    assert drawn > 20


def test_fonts(qtbot: QtBot) -> None:
    assert font(Metrics.body).pixelSize() == 12
    assert QFontInfo(font(Metrics.body)).family()
    assert font(12, medium=True).weight() > font(12).weight()


def test_every_icon_is_used() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in FOLDER.rglob("*.py"))
    unused = [
        name for name in icon_names() if f'"{name}"' not in text and f"icon({name}," not in text
    ]
    assert unused == []


def test_the_families_are_listed_once(qapp, monkeypatch: pytest.MonkeyPatch) -> None:
    font(Metrics.body)

    class Unlisted(QFontDatabase):
        @staticmethod
        def families(*arguments: object) -> list[str]:
            raise AssertionError("listed again")

    monkeypatch.setattr("polyorama_studio.theme.QFontDatabase", Unlisted)
    assert font(Metrics.label, tabular=True).pixelSize() == Metrics.label
