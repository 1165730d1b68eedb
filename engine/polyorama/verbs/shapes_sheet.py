"""Results of a search as one picture: thumbnails with their names and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polyorama.core.text import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.shapes.library.library import Library
    from polyorama.verbs.shapes import Match

__all__ = ["contact_sheet"]

_CELL, _CAPTION, _MARGIN = 200, 34, 12
_PAPER, _CARD, _TEXT, _QUIET = (244, 245, 247), (255, 255, 255), (27, 30, 36), (92, 100, 112)
_LETTERS = 30


def contact_sheet(
    library: Library, matches: Sequence[Match], *, columns: int = 5, scores: bool = True
) -> NDArray[np.uint8]:
    """(H, W, 3) uint8: the thumbnails of matches in rows, best first.

    Parameters
    ----------
    library
        Where the thumbnails lie; what has none is an empty card.
    matches
        Of `polyorama.search_shapes`.
    columns
        Cards in a row.
    scores
        Whether scores are written below names.
    """
    from PIL import Image, ImageDraw, ImageFont

    columns = max(1, min(columns, len(matches)))
    rows = -(-len(matches) // columns) if matches else 1
    step = (_CELL + _MARGIN, _CELL + _CAPTION + _MARGIN)
    sheet = Image.new("RGB", (columns * step[0] + _MARGIN, rows * step[1] + _MARGIN), _PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(13)
    for number, match in enumerate(matches):
        x = _MARGIN + number % columns * step[0]
        y = _MARGIN + number // columns * step[1]
        pen.rounded_rectangle((x, y, x + _CELL, y + _CELL), 8, fill=_CARD)
        thumbnail = library.thumbnail(match.asset.id)
        if thumbnail is not None:
            picture = Image.fromarray(_decoded(thumbnail)).resize((_CELL - 16, _CELL - 16))
            sheet.paste(picture, (x + 8, y + 8), picture)
        name = one_line(match.asset.caption)
        if len(name) > _LETTERS:
            name = name[: _LETTERS - 3] + "..."
        pen.text((x + 2, y + _CELL + 2), name, _TEXT, font)
        if scores:
            pen.text((x + 2, y + _CELL + 17), f"{match.score:.2f}", _QUIET, font)
    return np.asarray(sheet)


def _decoded(thumbnail: bytes) -> NDArray[np.uint8]:
    from polyorama.shapes.library.pictures import decoded

    return decoded(thumbnail)
