"""What vispy's gloo lacks for off-screen instanced drawing in a core profile.

gloo turns its objects into commands (GLIR) and a parser turns those into OpenGL calls. The parser
here differs in two things: programs can draw instances without PyOpenGL, and the compatibility
profile's point sprites, an error in a core profile, are left alone. Commands go to a queue of our
own and are flushed by hand, so no canvas has to be current: other users of vispy in this process,
on other threads, are not in the way.
"""

from __future__ import annotations

import ctypes as c
from typing import TYPE_CHECKING, Any

import numpy as np
from vispy.gloo import gl, glir
from vispy.gloo.context import GLContext

from polyorama.render.gl.context import function_type

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polyorama.render.gl.context import GlContext

__all__ = ["Commands", "Functions"]

_TRIANGLE_STRIP = 5
_RGBA = 0x1908
_FLOAT, _UNSIGNED_BYTE = 0x1406, 0x1401


class Functions:
    """OpenGL functions that gloo does not offer, of one context."""

    def __init__(self, context: GlContext) -> None:
        unsigned, signed, pointer = c.c_uint, c.c_int, c.c_void_p

        def load(name: str, result: Any, *arguments: Any) -> Any:
            address = context.address(name)
            if not address:
                raise RuntimeError(f"the driver has no {name}")
            return function_type(result, *arguments)(address)

        self._string = load("glGetString", c.c_char_p, unsigned)
        self._integers = load("glGetIntegerv", None, unsigned, pointer)
        self._make_arrays = load("glGenVertexArrays", None, signed, pointer)
        self._bind_array = load("glBindVertexArray", None, unsigned)
        self.divisor = load("glVertexAttribDivisor", None, unsigned, unsigned)
        self._instances = load("glDrawArraysInstanced", None, unsigned, signed, signed, signed)
        self._store = load("glPixelStorei", None, unsigned, signed)
        self._read = load(
            "glReadPixels", None, signed, signed, signed, signed, unsigned, unsigned, pointer
        )

    def words(self, name: int) -> str:
        """A string of the driver, such as GL_RENDERER."""
        return (self._string(name) or b"").decode("utf-8", "replace")

    def limit(self, name: int) -> int:
        """An integer of the driver, such as GL_MAX_TEXTURE_SIZE."""
        values = (c.c_int * 4)()
        self._integers(name, values)
        return int(values[0])

    def bind_vertex_array(self) -> None:
        """Make the one vertex array that a core profile insists on."""
        name = c.c_uint()
        self._make_arrays(1, c.byref(name))
        self._bind_array(name.value)

    def draw_quads(self, count: int) -> None:
        """Draw `count` instances of a strip of four vertices."""
        self._instances(_TRIANGLE_STRIP, 0, 4, count)

    def read(self, width: int, height: int, dtype: type) -> NDArray[Any]:
        """Pixels of the current frame buffer, (height, width, 4), lowest row first."""
        pixels: NDArray[Any] = np.empty((height, width, 4), dtype)
        kind = _FLOAT if dtype is np.float32 else _UNSIGNED_BYTE
        self._store(0x0D05, 1)  # GL_PACK_ALIGNMENT
        self._read(0, 0, width, height, _RGBA, kind, pixels.ctypes.data)
        return pixels


class _Program(glir.GlirProgram):  # type: ignore[misc]
    """A program that can draw instances; its first "attribute" commands come with divisors."""

    functions: Functions

    def _pre_draw(self) -> None:
        self.activate()
        for target, handle, unit in self._samplers.values():
            gl.glActiveTexture(gl.GL_TEXTURE0 + unit)
            gl.glBindTexture(target, handle)
        for buffer, place, function, arguments, divisor in self._attributes.values():
            gl.glBindBuffer(gl.GL_ARRAY_BUFFER, buffer)
            gl.glEnableVertexAttribArray(place)
            function(place, *arguments)
            self.functions.divisor(place, divisor or 0)

    def draw(self, mode: str, selection: Sequence[int], instances: int = 1) -> None:
        self._pre_draw()
        self.functions.draw_quads(instances)
        gl.check_error("drawing")


class _Parser(glir.GlirParser):  # type: ignore[misc]
    def __init__(self, functions: Functions) -> None:
        super().__init__()
        self._classmap["Program"] = type("Program", (_Program,), {"functions": functions})

    def _gl_initialize(self) -> None:
        """Nothing: a core profile knows no point sprites, and versions were looked at before."""


class Commands:
    """A queue of gloo commands that runs on the current context when it is flushed."""

    def __init__(self, functions: Functions) -> None:
        self._context = GLContext()
        self._context.shared.parser = _Parser(functions)
        self._context.shared.parser.parse([("CURRENT", 0, 0)])

    def adopt(self, *objects: Any) -> None:
        """Let gloo objects send their commands here."""
        for thing in objects:
            self._context.glir.associate(thing.glir)

    def call(self, function: str, *arguments: Any) -> None:
        """Queue an OpenGL call by its name."""
        self._context.glir.command("FUNC", function, *arguments)

    def target(self, buffer: Any, on: bool) -> None:
        """Queue drawing into a frame buffer, or the end of that.

        gloo's own `activate` would join our queue to that of whatever canvas is current.
        """
        self._context.glir.command("FRAMEBUFFER", buffer.id, on)

    def attribute(self, program: Any, name: str, buffer: Any, stride: int, offset: int) -> None:
        """Queue the binding of four floats of each instance's row to an attribute."""
        self._context.glir.command(
            "ATTRIBUTE", program.id, name, "vec4", (buffer.id, stride, offset), 1
        )

    def draw(self, program: Any, instances: int) -> None:
        """Queue the drawing of that many quads."""
        self._context.glir.command("DRAW", program.id, "triangle_strip", (0, 4), instances)

    def flush(self) -> None:
        """Run all that is queued."""
        self._context.glir.flush(self._context.shared.parser)
