"""What is asked of the library: words, pictures, shapes and filters, as they are put together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from polyorama.shapes.library.asset import Query

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PySide6.QtGui import QImage

__all__ = ["Like", "Picture", "Question"]


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture that was shown to the library.

    Parameters
    ----------
    name
        The file's, or what it is.
    pixels
        (H, W, 3) uint8 display RGB.
    image
        The same, small, to be shown.
    """

    name: str
    pixels: NDArray[np.uint8]
    image: QImage


@dataclass(frozen=True, slots=True)
class Like:
    """A shape that results shall resemble."""

    id: int
    name: str


class Question(QObject):
    """Holds the parts of a query; `changed` comes once for each change."""

    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.words = ""
        self.without = ""
        self.filters = ""
        self.quick: dict[str, str] = {}
        """Conditions of the rows below the filter, by their names."""
        self.collection = ""
        self.pictures: tuple[Picture, ...] = ()
        self.likes: tuple[Like, ...] = ()
        self.vectors: NDArray[np.float32] | None = None
        self.vector_name = ""
        self.unique = False

    def put(self, **parts: object) -> None:
        """Ask with other parts."""
        # Vectors have no one truth when they are compared.
        fresh = {
            name: value for name, value in parts.items()
            if getattr(self, name) is not value
            and (name == "vectors" or getattr(self, name) != value)
        }  # fmt: skip
        for name, value in fresh.items():
            setattr(self, name, value)
        if fresh:
            self.changed.emit()

    def set_quick(self, name: str, condition: str) -> None:
        """Ask with another condition of a row; "" for none."""
        quick = {**self.quick, name: condition}
        self.put(quick={key: value for key, value in quick.items() if value})

    def show(self, pictures: tuple[Picture, ...]) -> None:
        """Ask with some more pictures."""
        self.put(pictures=(*self.pictures, *pictures))

    def hide(self, picture: Picture) -> None:
        """Ask without a picture."""
        self.put(pictures=tuple(p for p in self.pictures if p is not picture))

    def like(self, *likes: Like) -> None:
        """Ask for what resembles these, and nothing else that was asked before."""
        self.put(words="", without="", pictures=(), vectors=None, vector_name="", likes=likes)

    def like_shape(self, vectors: NDArray[np.float32], name: str) -> None:
        """Ask for what resembles a shape that is not in the library; (N, D) unit vectors."""
        self.put(words="", without="", pictures=(), likes=(), vectors=vectors, vector_name=name)

    def unlike(self, like: Like) -> None:
        """Ask without a shape."""
        self.put(likes=tuple(other for other in self.likes if other != like))

    def forget_shape(self) -> None:
        """Ask without the shape of the scene."""
        self.put(vectors=None, vector_name="")

    def clear(self) -> None:
        """Ask for everything."""
        self.put(
            words="", without="", filters="", quick={}, collection="", pictures=(), likes=(),
            vectors=None, vector_name="",
        )  # fmt: skip

    @property
    def is_plain(self) -> bool:
        """Whether everything is asked for."""
        query = self.query()
        return not (query.asks or query.filters or query.collection)

    def query(self) -> Query:
        """As the engine takes it."""
        typed = self.filters.strip()
        # What was typed may hold an "or", which must not reach the rows' conditions.
        typed = [f"({typed})"] if typed and self.quick else [typed] if typed else []
        return Query(
            words=self.words.strip(),
            without=self.without.strip(),
            images=tuple(picture.pixels for picture in self.pictures),
            like=tuple(like.id for like in self.likes),
            vectors=self.vectors,
            filters=" and ".join([*typed, *self.quick.values()]),
            collection=self.collection,
        )
