"""OpenGL contexts that belong to no window, by the system's own libraries.

Linux has EGL, whose devices need neither a display nor a desktop; macOS has CGL; on Windows a
context needs a window, so one is made that is never shown. Every system gives a core profile of
3.3 or newer (macOS: 4.1), which fixes the shading language at 330.
"""

from __future__ import annotations

import ctypes as c
import ctypes.util
import sys
from typing import Any, Protocol

from polyorama.errors import UnavailableError

__all__ = ["GlContext", "function_type", "open_context"]

_MAJOR, _MINOR = 3, 3


class GlContext(Protocol):
    """A context that is current on the thread that opened it."""

    def address(self, name: str) -> int | None:
        """Address of an OpenGL function."""
        ...

    def close(self) -> None:
        """Give the context back."""
        ...


def open_context() -> GlContext:
    """Open a context and make it current on this thread; real hardware comes before software.

    Raises
    ------
    UnavailableError
        If there is no OpenGL 3.3; the text says what is missing and what to do.
    """
    if sys.platform == "darwin":
        return CglContext()
    if sys.platform == "win32":
        return WglContext()
    return EglContext()


def _too_old(found: str) -> UnavailableError:
    return UnavailableError(
        f"OpenGL {_MAJOR}.{_MINOR} is needed and this driver offers {found or 'none'}; "
        "a newer driver for the GPU may help."
    )


class EglContext:
    """A context of an EGL device, without a surface where EGL allows that."""

    _NO_ATTRIBUTES = 0x3038
    _EXTENSIONS = 0x3055
    _OPENGL_API = 0x30A2
    _PLATFORM_DEVICE = 0x313F
    _PLATFORM_SURFACELESS = 0x31DD

    def __init__(self) -> None:
        try:
            self._egl = c.CDLL("libEGL.so.1")
        except OSError as error:
            raise UnavailableError(
                "EGL is missing (libEGL.so.1); install the GPU's driver, or Mesa's "
                "(on Debian and Ubuntu: apt install libegl1 libgl1)."
            ) from error
        self._declare()
        self._display: int | None = None
        self._context: int | None = None
        self._surface: int | None = None
        old, opened = "", 0
        for display in self._displays():
            major, minor = c.c_int(), c.c_int()
            if not self._egl.eglInitialize(display, c.byref(major), c.byref(minor)):
                continue
            opened += 1
            found = self._open(display)
            if found is None:
                return
            # Not terminated: the display may be that of a window of this process.
            old = old or found
        if opened:
            raise _too_old(old)
        raise UnavailableError(
            "No GPU and no software driver could be opened through EGL; install the GPU's driver, "
            "or Mesa's (on Debian and Ubuntu: apt install libegl-mesa0 libgl1-mesa-dri)."
        )

    def _declare(self) -> None:
        """Types of the functions used: handles are pointers, which ctypes would cut to int."""
        pointer, signatures = c.c_void_p, self._egl
        for name, result, arguments in (
            ("eglGetProcAddress", pointer, [c.c_char_p]),
            ("eglQueryString", c.c_char_p, [pointer, c.c_int]),
            ("eglGetDisplay", pointer, [pointer]),
            ("eglInitialize", c.c_uint, [pointer, pointer, pointer]),
            ("eglBindAPI", c.c_uint, [c.c_uint]),
            ("eglChooseConfig", c.c_uint, [pointer, pointer, pointer, c.c_int, pointer]),
            ("eglCreateContext", pointer, [pointer, pointer, pointer, pointer]),
            ("eglCreatePbufferSurface", pointer, [pointer, pointer, pointer]),
            ("eglDestroyContext", c.c_uint, [pointer, pointer]),
            ("eglDestroySurface", c.c_uint, [pointer, pointer]),
            ("eglMakeCurrent", c.c_uint, [pointer, pointer, pointer, pointer]),
        ):
            function = getattr(signatures, name)
            function.restype, function.argtypes = result, arguments

    def _function(self, name: str, result: Any, *arguments: Any) -> Any:
        address = self.address(name)
        return function_type(result, *arguments)(address) if address else None

    def _words(self, display: int | None) -> set[str]:
        return set((self._egl.eglQueryString(display, self._EXTENSIONS) or b"").decode().split())

    def _displays(self) -> list[int]:
        """Displays to try: hardware devices, software devices, then whatever is the default."""
        extensions = self._words(None)
        found: list[int] = []
        open_platform = self._function(
            "eglGetPlatformDisplayEXT", c.c_void_p, c.c_uint, c.c_void_p, c.c_void_p
        )
        devices = self._function(
            "eglQueryDevicesEXT", c.c_uint, c.c_int, c.c_void_p, c.POINTER(c.c_int)
        )
        describe = self._function("eglQueryDeviceStringEXT", c.c_char_p, c.c_void_p, c.c_int)
        if "EGL_EXT_platform_device" in extensions and open_platform and devices and describe:
            handles, count = (c.c_void_p * 32)(), c.c_int()
            if devices(32, handles, c.byref(count)):
                ranked = []
                for handle in handles[: count.value]:
                    words = (describe(handle, self._EXTENSIONS) or b"").decode().split()
                    ranked.append(("EGL_MESA_device_software" in words, handle))
                for _, handle in sorted(ranked, key=lambda item: item[0]):
                    found.append(open_platform(self._PLATFORM_DEVICE, handle, None))
        if "EGL_MESA_platform_surfaceless" in extensions and open_platform:
            found.append(open_platform(self._PLATFORM_SURFACELESS, None, None))
        found.append(self._egl.eglGetDisplay(None))
        return [display for display in found if display]

    def _open(self, display: int) -> str | None:
        """Make a context of a display current; None, or the version that is offered instead."""
        egl = self._egl
        if not egl.eglBindAPI(self._OPENGL_API):
            return "OpenGL ES only"
        # A pbuffer's configuration; EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, GL.
        wanted = (c.c_int * 5)(0x3033, 0x0001, 0x3040, 0x0008, self._NO_ATTRIBUTES)
        config, count = c.c_void_p(), c.c_int()
        if not egl.eglChooseConfig(display, wanted, c.byref(config), 1, c.byref(count)):
            return ""
        if not count.value:
            return "OpenGL ES only"
        core = (c.c_int * 7)(0x3098, _MAJOR, 0x30FB, _MINOR, 0x30FD, 1, self._NO_ATTRIBUTES)
        context = egl.eglCreateContext(display, config, None, core)
        modern = bool(context)
        if not modern:
            context = egl.eglCreateContext(display, config, None, None)
            if not context:
                return ""
        surface = None
        if "EGL_KHR_surfaceless_context" not in self._words(display):
            size = (c.c_int * 5)(0x3057, 16, 0x3056, 16, self._NO_ATTRIBUTES)
            surface = egl.eglCreatePbufferSurface(display, config, size) or None
        current = egl.eglMakeCurrent(display, surface, surface, context)
        if modern and current:
            self._display, self._context, self._surface = display, context, surface
            return None
        version = _version(self) if current else ""
        egl.eglMakeCurrent(display, None, None, None)
        egl.eglDestroyContext(display, context)
        if surface:
            egl.eglDestroySurface(display, surface)
        return version

    def address(self, name: str) -> int | None:
        """Address of an OpenGL function."""
        return self._egl.eglGetProcAddress(name.encode()) or None

    def close(self) -> None:
        """Give the context back."""
        self._egl.eglMakeCurrent(self._display, None, None, None)
        self._egl.eglDestroyContext(self._display, self._context)
        if self._surface:
            self._egl.eglDestroySurface(self._display, self._surface)


class CglContext:
    """A context of macOS: accelerated, core profile 4.1."""

    def __init__(self) -> None:
        path = ctypes.util.find_library("OpenGL")
        if path is None:
            raise UnavailableError("macOS's OpenGL framework was not found.")
        self._cgl = c.CDLL(path)
        self._context = c.c_void_p()
        # kCGLPFAAccelerated, kCGLPFAOpenGLProfile = 4.1 core, end.
        wanted = (c.c_int * 4)(73, 99, 0x4100, 0)
        form, count = c.c_void_p(), c.c_int()
        if self._cgl.CGLChoosePixelFormat(wanted, c.byref(form), c.byref(count)) or not form:
            raise _too_old("less than 4.1")
        failed = self._cgl.CGLCreateContext(form, None, c.byref(self._context))
        self._cgl.CGLDestroyPixelFormat(form)
        if failed or self._cgl.CGLSetCurrentContext(self._context):
            raise UnavailableError("macOS could not open an OpenGL context.")

    def address(self, name: str) -> int | None:
        """Address of an OpenGL function."""
        function = getattr(self._cgl, name, None)
        return c.cast(function, c.c_void_p).value if function is not None else None

    def close(self) -> None:
        """Give the context back."""
        self._cgl.CGLSetCurrentContext(None)
        self._cgl.CGLDestroyContext(self._context)


class _PixelFormat(c.Structure):
    """PIXELFORMATDESCRIPTOR."""

    _fields_ = (
        ("size", c.c_ushort), ("version", c.c_ushort), ("flags", c.c_uint32),
        ("pixel_type", c.c_ubyte), ("color_bits", c.c_ubyte), ("others", c.c_ubyte * 14),
        ("depth_bits", c.c_ubyte), ("stencil_bits", c.c_ubyte), ("aux_buffers", c.c_ubyte),
        ("layer_type", c.c_ubyte), ("reserved", c.c_ubyte), ("layer_mask", c.c_uint32),
        ("visible_mask", c.c_uint32), ("damage_mask", c.c_uint32),
    )  # fmt: skip


class WglContext:
    """A context of Windows, on a window that is never shown."""

    def __init__(self) -> None:
        windll = c.windll  # type: ignore[attr-defined,unused-ignore]
        self._user, self._gdi, self._gl = windll.user32, windll.gdi32, windll.opengl32
        pointer = c.c_void_p
        self._user.CreateWindowExW.restype = pointer
        self._user.CreateWindowExW.argtypes = [
            c.c_uint32, c.c_wchar_p, c.c_wchar_p, c.c_uint32, c.c_int, c.c_int, c.c_int, c.c_int,
            pointer, pointer, pointer, pointer,
        ]  # fmt: skip
        self._user.GetDC.restype, self._user.GetDC.argtypes = pointer, [pointer]
        self._user.DestroyWindow.argtypes = [pointer]
        self._gdi.ChoosePixelFormat.argtypes = [pointer, pointer]
        self._gdi.SetPixelFormat.argtypes = [pointer, c.c_int, pointer]
        self._gl.wglCreateContext.restype, self._gl.wglCreateContext.argtypes = pointer, [pointer]
        self._gl.wglMakeCurrent.argtypes = [pointer, pointer]
        self._gl.wglDeleteContext.argtypes = [pointer]
        self._gl.wglGetProcAddress.restype = pointer
        self._gl.wglGetProcAddress.argtypes = [c.c_char_p]
        self._window = self._user.CreateWindowExW(
            0, "STATIC", "polyorama", 0, 0, 0, 16, 16, None, None, None, None
        )
        self._device = self._user.GetDC(self._window)
        # PFD_DRAW_TO_WINDOW | PFD_SUPPORT_OPENGL; RGBA of 32 bits.
        form = _PixelFormat(c.sizeof(_PixelFormat), 1, 0x4 | 0x20, 0, 32)
        chosen = self._gdi.ChoosePixelFormat(self._device, c.byref(form))
        if not chosen or not self._gdi.SetPixelFormat(self._device, chosen, c.byref(form)):
            raise UnavailableError("Windows offers no pixel format for OpenGL; update the driver.")
        plain = self._gl.wglCreateContext(self._device)
        if not plain or not self._gl.wglMakeCurrent(self._device, plain):
            raise UnavailableError("Windows could not open an OpenGL context; update the driver.")
        version = _version(self)
        create = self.address("wglCreateContextAttribsARB")
        core = None
        if create:
            # Major, minor, profile mask = core, end.
            wanted = (c.c_int * 7)(0x2091, _MAJOR, 0x2092, _MINOR, 0x9126, 1, 0)
            core = function_type(pointer, pointer, pointer, pointer)(create)(
                self._device, None, wanted
            )
        self._gl.wglMakeCurrent(None, None)
        self._gl.wglDeleteContext(plain)
        if not core or not self._gl.wglMakeCurrent(self._device, core):
            raise _too_old(version)
        self._context = core

    def address(self, name: str) -> int | None:
        """Address of an OpenGL function: the driver's, or for those of 1.1 the system's."""
        found = self._gl.wglGetProcAddress(name.encode())
        # Some drivers answer with small numbers for functions they do not have.
        if found and found not in (1, 2, 3, 0xFFFFFFFFFFFFFFFF):
            return int(found)
        function = getattr(self._gl, name, None)
        return c.cast(function, c.c_void_p).value if function is not None else None

    def close(self) -> None:
        """Give the context back."""
        self._gl.wglMakeCurrent(None, None)
        self._gl.wglDeleteContext(self._context)
        self._user.DestroyWindow(self._window)


def _version(context: GlContext) -> str:
    """GL_VERSION of the current context."""
    address = context.address("glGetString")
    if not address:
        return ""
    text = function_type(c.c_char_p, c.c_uint)(address)(0x1F02)
    return (text or b"").decode("utf-8", "replace")


def function_type(result: Any, *arguments: Any) -> Any:
    """The ctypes type of an OpenGL function."""
    if sys.platform == "win32":
        return c.WINFUNCTYPE(result, *arguments)
    return c.CFUNCTYPE(result, *arguments)
