"""Python in colours, for the console and the example scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from polyorama_studio.guard import guards

if TYPE_CHECKING:
    from polyorama_studio.theme import Theme

__all__ = ["PythonColors"]

_WORDS = (
    "and|as|assert|break|class|continue|def|del|elif|else|except|finally|for|from|if|import|in|is"
    "|lambda|None|not|or|pass|raise|return|True|False|try|while|with|yield"
)
_PARTS = re.compile(
    r"(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
    r"|(?P<wrong>\#!.*)|(?P<remark>\#.*)"
    rf"|(?P<word>\b(?:{_WORDS})\b)"
    r"|(?P<number>\b\d[\d_.]*(?:e[+-]?\d+)?\b)"
    r"|(?P<call>\b[A-Za-z_]\w*(?=\())"
    r"|(?P<argument>\b[A-Za-z_]\w*(?==[^=]))"
)
_TOKENS = {
    "text": "good", "remark": "quiet", "wrong": "bad", "word": "series4", "number": "accent",
    "call": "series1", "argument": "quiet",
}  # fmt: skip
_QUOTES = '"""'


@guards
class PythonColors(QSyntaxHighlighter):
    """Colours a document's text as Python; lines that are no Python stay plain."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        self._take_colors()
        theme.changed.connect(self._on_theme)

    def _take_colors(self) -> None:
        for part, token in _TOKENS.items():
            look = QTextCharFormat()
            look.setForeground(self._theme.tokens.color(token))
            self._formats[part] = look

    @Slot()
    def _on_theme(self) -> None:
        self._take_colors()
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Colour one line; a text between triple quotes may go on over several."""
        at = 0
        if self.previousBlockState() == 1:
            at = self._quoted(text, 0)
            if at < 0:
                return
        opening = text.find(_QUOTES, at)
        for match in _PARTS.finditer(text, at):
            if 0 <= opening <= match.start():
                break
            part = match.lastgroup
            if part is not None:
                self.setFormat(match.start(), match.end() - match.start(), self._formats[part])
        if opening >= 0:
            self._quoted(text, opening, opening + len(_QUOTES))
        else:
            self.setCurrentBlockState(0)

    def _quoted(self, text: str, start: int, search: int = 0) -> int:
        """Colour up to the closing quotes; where they end, or -1 if they go on."""
        end = text.find(_QUOTES, search)
        stop = len(text) if end < 0 else end + len(_QUOTES)
        self.setFormat(start, stop - start, self._formats["text"])
        self.setCurrentBlockState(1 if end < 0 else 0)
        return -1 if end < 0 else stop
