"""What works on this machine, what does not, and what to do about it.

Every check survives whatever is broken: packages are imported one by one, those that can take the
process down (Qt, OpenGL, Open3D) in a process of their own.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import dataclasses
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import polyorama
from polyorama.core.jobs import Progress, run
from polyorama.core.text import bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from polyorama.core.jobs import Job

__all__ = ["Check", "Report", "doctor", "examine"]

Status = Literal["good", "warn", "bad"]

_PACKAGES = {
    "numpy": "numpy",
    "numba": "numba",
    "llvmlite": "llvmlite",
    "av": "PyAV",
    "PIL": "Pillow",
    "zstandard": "zstandard",
    "platformdirs": "platformdirs",
}
"""Modules that the engine cannot do without, with the names people know them by."""

_FEATURES = {
    "avx512f": "AVX-512",
    "avx2": "AVX2",
    "fma": "FMA",
    "sse4.2": "SSE4.2",
    "sve": "SVE",
    "neon": "NEON",
}
_ENCODERS = {
    "H.264": ("libx264", "h264_nvenc", "h264_videotoolbox", "h264_mf", "libopenh264"),
    "H.265": ("libx265",),
    "VP9": ("libvpx-vp9",),
    "AV1": ("libsvtav1", "libaom-av1"),
    "ProRes": ("prores_ks",),
}
_PROBE_LIMIT_S = 120.0
_REINSTALL = "Make the installation anew: python3 packaging/start.py --remake"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at.

    Parameters
    ----------
    name
        What was looked at, in sentence case.
    status
        "good", "warn" (something is missing that not everybody needs) or "bad".
    finding
        What was found, in words.
    advice
        What to do, or empty.
    details
        The same for programs: numbers, versions, paths.
    """

    name: str
    status: Status
    finding: str
    advice: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """All that was looked at.

    Parameters
    ----------
    checks
        In reading order.
    works
        Whether pictures can be rendered here.
    """

    checks: tuple[Check, ...]
    works: bool

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        checks = [
            {
                "name": check.name,
                "status": check.status,
                "finding": check.finding,
                "advice": check.advice,
                "details": dict(check.details),
            }
            for check in self.checks
        ]
        return {"works": self.works, "checks": checks}


def doctor() -> Report:
    """Look at this machine and this installation; takes a few seconds."""
    return run(examine())


def examine() -> Job[Report]:
    """The same as `doctor`, as a job that reports its progress."""
    steps = (
        _system, _processor, _memory, _gpu, _packages, _backends, _picture,
        _encoders, _window, _sound, _speech, _caches, _sample,
    )  # fmt: skip
    probes = {
        "open3d": _Probe(_OPEN3D), "gl": _Probe(_GL), "qt": _Probe(_QT, _qt_variables()),
    }  # fmt: skip
    checks: list[Check] = []
    try:
        with contextlib.suppress(Exception):  # the test picture will say what is wrong
            from polyorama.verbs.warm import prepare

            yield from prepare()
        for done, step in enumerate(steps):
            yield Progress(done, len(steps), "Looking at this machine")
            checks.extend(step(probes))
    finally:
        for probe in probes.values():
            probe.close()
    works = not any(check.status == "bad" for check in checks if check.details.get("drawing"))
    return Report(tuple(checks), works)


class _Probe:
    """A Python process that prints JSON lines, the last of which counts, and may die meanwhile."""

    def __init__(self, code: str, variables: Mapping[str, str] | None = None) -> None:
        self._output = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115 - closed in close
        self._process = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.DEVNULL,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(variables or {})},
        )

    def result(self) -> dict[str, Any]:
        """The last JSON line; where the process failed, its last words under "error"."""
        try:
            status = self._process.wait(_PROBE_LIMIT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            status = self._process.wait()
        self._output.seek(0)
        found: dict[str, Any] = {}
        words: list[str] = []
        for line in self._output.read().splitlines():
            if line.startswith("{"):
                found = json.loads(line)
            elif line.strip():
                words.append(line.strip())
        if status != 0:
            # Qt says first what it could not do, then what else there is.
            reasons = [line for line in words if "could not" in line.lower()]
            silent = f"the process ended with status {status}"
            found["error"] = next(iter([*reasons, *words[-1:]]), silent)
        return found

    def close(self) -> None:
        """End the process if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._output.close()


_OPEN3D = """
import json
import open3d
print(json.dumps({"version": open3d.__version__}))
"""

_GL = """
import dataclasses, json
from polyorama.render.gl import availability
print(json.dumps(dataclasses.asdict(availability())))
"""

# Libraries are loaded first by themselves: Qt aborts where its plugin lacks one, and only the
# loader says which.
_QT = """
import ctypes, json, os, sys

result = {}

def tell():
    print(json.dumps(result), flush=True)

import PySide6
from PySide6 import QtCore
result["version"] = PySide6.__version__
tell()
result["plugins"] = {}
if sys.platform == "linux":
    plugins = QtCore.QLibraryInfo.path(QtCore.QLibraryInfo.LibraryPath.PluginsPath)
    for name in ("xcb", "wayland"):
        path = os.path.join(plugins, "platforms", f"libq{name}.so")
        if os.path.exists(path):
            try:
                ctypes.CDLL(path)
            except OSError as error:
                result["plugins"][name] = str(error)
            else:
                result["plugins"][name] = ""
    tell()
from PySide6 import QtGui, QtWidgets
app = QtGui.QGuiApplication([])
result["platform"] = app.platformName()
tell()
if app.platformName() not in ("offscreen", "minimal"):
    surface = QtGui.QOffscreenSurface()
    surface.create()
    context = QtGui.QOpenGLContext()
    if context.create() and context.makeCurrent(surface):
        functions = context.functions()
        strings = [functions.glGetString(name) for name in (0x1F02, 0x1F01)]
        result["gl"] = {"version": strings[0], "renderer": strings[1]}
        context.doneCurrent()
    else:
        result["gl"] = None
    tell()
"""


def _has_screen() -> bool:
    if platform.system() != "Linux":
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _qt_variables() -> dict[str, str]:
    if _has_screen() or "QT_QPA_PLATFORM" in os.environ:
        return {}
    return {"QT_QPA_PLATFORM": "offscreen"}


def _system(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    if platform.system() == "Linux":
        try:
            name = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
        except OSError:
            name = "Linux"
    elif platform.system() == "Darwin":
        name = f"macOS {platform.mac_ver()[0]}"
    else:
        name = f"{platform.system()} {platform.release()} ({platform.version()})"
    yield Check(
        "System", "good", f"{name}, {platform.machine()}",
        details={"system": platform.system(), "machine": platform.machine(), "name": name},
    )  # fmt: skip
    yield Check("Python", "good", f"{platform.python_version()}, {sys.executable}",
                details={"version": platform.python_version(), "path": sys.executable})  # fmt: skip
    yield Check("Polyorama", "good", f"{polyorama.__version__}, {Path(__file__).parents[1]}",
                details={"version": polyorama.__version__})  # fmt: skip


def _processor(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    try:
        from llvmlite import binding

        from polyorama.core.compile import core_count

        name = str(binding.get_host_cpu_name())
        host = binding.get_host_cpu_features()
        cores = core_count()
    except Exception as error:  # noqa: BLE001 - told below by the packages' own lines too
        yield Check("Processor", "bad", f"Cannot be asked: {error}", _REINSTALL, {"drawing": True})
        return
    features = [word for key, word in _FEATURES.items() if host.get(key)]
    # 64-bit ARM has NEON always, and its table of features may be empty.
    if platform.machine().lower() in ("arm64", "aarch64") and "NEON" not in features:
        features.append("NEON")
    fast = any(word in features for word in ("AVX2", "AVX-512", "NEON"))
    threads = "1 core" if cores == 1 else f"{cores} cores"
    details = {"name": name, "cores": cores, "features": features, "machine_cores": os.cpu_count()}
    finding = f"{name}, {threads}, {', '.join(features) or 'no vector extensions known'}"
    if fast:
        yield Check("Processor", "good", finding, details=details)
    else:
        yield Check("Processor", "warn", finding, "Without AVX2 or NEON drawing is slow.", details)


def _memory(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    total, free = _memory_bytes()
    details = {"total_bytes": total, "available_bytes": free}
    if total is None:
        yield Check("Memory", "warn", "This system does not say how much there is", details=details)
        return
    finding = f"{total / 2**30:.1f} GiB"
    if free is not None:
        finding = f"{free / 2**30:.1f} GiB available of {finding}"
    if (free if free is not None else total) < 2 * 2**30:
        advice = "Close other programs, or decimate large captures: polyorama convert --help."
        yield Check("Memory", "warn", finding, advice, details)
    else:
        yield Check("Memory", "good", finding, details=details)


def _memory_bytes() -> tuple[int | None, int | None]:
    """Memory of the machine and what of it is available, in bytes, where they can be known."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        sizes = {name: int(rest.split()[0]) * 1024 for name, rest in (s.split(":") for s in lines)}
        return sizes["MemTotal"], sizes.get("MemAvailable")
    except (OSError, ValueError, KeyError, IndexError):
        pass
    if sys.platform == "win32":
        # MEMORYSTATUSEX: two 32-bit words, then seven 64-bit ones, total and available first.
        status = (ctypes.c_ulonglong * 8)()
        ctypes.cast(status, ctypes.POINTER(ctypes.c_ulong))[0] = ctypes.sizeof(status)
        if ctypes.windll.kernel32.GlobalMemoryStatusEx(status):
            return int(status[1]), int(status[2])
        return None, None
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), None
    except (ValueError, OSError):
        return None, None


def _gpu(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    tool = shutil.which("nvidia-smi") or shutil.which("nvidia-smi", path="/usr/lib/wsl/lib")
    found: list[str] = []
    error = ""
    if tool:
        query = [tool, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
        try:
            done = subprocess.run(query, capture_output=True, text=True, timeout=30, check=False)
        except (OSError, subprocess.SubprocessError) as failure:
            error = str(failure)
        else:
            lines = (done.stdout + done.stderr).strip().splitlines()
            if done.returncode == 0:
                found = [line.strip() for line in lines]
            else:
                error = lines[0] if lines else f"nvidia-smi ended with status {done.returncode}"
    details = {"nvidia": found, "driver": bool(found) or Path("/proc/driver/nvidia").exists()}
    if found:
        named = [line.replace(", ", ", driver ", 1) for line in found]
        yield Check("NVIDIA GPU", "good", "; ".join(named), details=details)
    elif error or details["driver"]:
        advice = "Reinstall the driver if this GPU shall be used."
        finding = f"There is a driver that does not answer: {error or 'nvidia-smi is missing'}"
        yield Check("NVIDIA GPU", "warn", finding, advice, details)
    else:
        yield Check("NVIDIA GPU", "good", "None found; none is needed", details=details)


def _packages(probes: Mapping[str, _Probe]) -> Iterator[Check]:
    for module, name in _PACKAGES.items():
        try:
            version = importlib.import_module(module).__version__
        except Exception as error:  # noqa: BLE001 - whatever is broken is what we are asked for
            yield Check(name, "bad", f"Cannot be loaded: {error}", _REINSTALL, {"drawing": True})
        else:
            yield Check(name, "good", version, details={"version": version})
    result = probes["open3d"].result()
    if "error" in result:
        finding = f"Cannot be loaded, so meshes cannot be lit: {result['error']}"
        yield Check("Open3D", "warn", finding, _REINSTALL, result)
    else:
        yield Check("Open3D", "good", result["version"], details=result)


def _backends(probes: Mapping[str, _Probe]) -> Iterator[Check]:
    try:
        from polyorama.render.rasterizers import Availability, available_backends

        found = probes["gl"].result()
        if "error" in found:
            words = f"OpenGL failed: {found['error']}; update the GPU's driver, or draw with cpu"
            found = dataclasses.asdict(Availability.missing(words))
        states = available_backends({"gl": Availability(**found)})
    except Exception as error:  # noqa: BLE001 - whatever is broken is what we are asked for
        yield Check("Backends", "bad", f"Cannot be loaded: {error}", _REINSTALL, {"drawing": True})
        return
    for name, state in states.items():
        details = {"backend": name, "ok": state.ok, "reason": state.reason}
        title = f"Backend {name}"
        if state.ok:
            finding = f"Draws here: {state.reason}" if state.reason else "Draws here"
            yield Check(title, "good", finding, details=details)
        else:
            advice = state.advice or _REINSTALL
            yield Check(title, "warn", f"Cannot draw here: {state.reason}", advice, details)


def _picture(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    """Draw a small picture: the one check that says whether all the rest comes together."""
    try:
        from polyorama.render.resolve import draw
        from polyorama.verbs.warm import tiny_scene

        document, camera = tiny_scene()
        begun = time.perf_counter()
        frame = draw(document, camera)
        milliseconds = (time.perf_counter() - begun) * 1e3
        assert frame.rgba8 is not None
        colors = frame.rgba8[..., :3]
        # Eight splats around the middle, nothing in the corners.
        corners = colors[:: camera.height - 1, :: camera.width - 1]
        drawn = bool(colors[24:40, 24:40].any(axis=2).all()) and not corners.any()
    except Exception as error:  # noqa: BLE001 - whatever is broken is what we are asked for
        finding = f"Cannot be drawn: {error}"
        yield Check("Test picture", "bad", finding, _REINSTALL, {"drawing": True})
        return
    details = {"drawing": True, "milliseconds": milliseconds, "backend": frame.backend}
    if drawn:
        finding = f"Drawn by {frame.backend} in {milliseconds:.0f} ms"
        yield Check("Test picture", "good", finding, details=details)
    else:
        finding = f"Drawn by {frame.backend}, but not what should be on it"
        yield Check("Test picture", "bad", finding, "Please report this.", details)


def _encoders(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    try:
        import av
        from av.codec.codec import UnknownCodecError
    except Exception as error:  # noqa: BLE001 - whatever is broken is what we are asked for
        yield Check("Film encoders", "bad", f"PyAV cannot be loaded: {error}", _REINSTALL)
        return
    offered: dict[str, str] = {}
    for name, encoders in _ENCODERS.items():
        for encoder in encoders:
            try:
                av.Codec(encoder, "w")
            except UnknownCodecError:
                continue
            offered.setdefault(name, encoder)
    listed = ", ".join(f"{name} ({encoder})" for name, encoder in offered.items())
    if "H.264" in offered:
        yield Check("Film encoders", "good", listed, details=offered)
    else:
        finding = f"No H.264, so MP4 films cannot be written; there are: {listed or 'none'}"
        yield Check("Film encoders", "bad", finding, _REINSTALL, offered)


def _window(probes: Mapping[str, _Probe]) -> Iterator[Check]:
    try:
        importlib.metadata.version("PySide6-Essentials")
    except importlib.metadata.PackageNotFoundError:
        yield Check(
            "Window", "warn",
            "PySide6 is not installed: the studio cannot open; all else does without",
            'Run `python3 packaging/start.py` on a screen: it installs what the studio needs.',
        )  # fmt: skip
        return
    result = probes["qt"].result()
    version = result.get("version", "of unknown version")
    plugins = result.get("plugins", {})
    lacking = {name: message for name, message in plugins.items() if message}
    screen = _has_screen()
    fix = "Run `python3 packaging/start.py`: it installs what is missing, or says the command."
    if "error" in result:
        reason = next(iter(lacking.values()), result["error"])
        yield Check("Window", "bad", f"Qt {version} does not start: {reason}", fix, result)
        return
    if lacking:
        listed = "; ".join(f"{name} lacks {message}" for name, message in lacking.items())
        yield Check("Window", "warn", f"Qt {version} starts, but {listed}", fix, result)
    elif screen:
        finding = f"Qt {version} opens windows through {result['platform']}"
        yield Check("Window", "good", finding, details=result)
    else:
        finding = f"Qt {version} works off screen; there is no screen here"
        yield Check("Window", "good", finding, details=result)
    gl = result.get("gl")
    if gl:
        finding = f"{gl['version']}, {gl['renderer']}; not used by this version"
        yield Check("OpenGL", "good", finding, details=gl)
    elif "gl" in result:
        yield Check("OpenGL", "warn", "There is none; it is not used by this version")
    else:
        yield Check("OpenGL", "good", "Not looked at, since there is no screen; it is not used yet")


def _sound(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    path = ctypes.util.find_library("portaudio")
    found = f"PortAudio is here ({path})" if path else "PortAudio is not here"
    found += "; the studio plays the sound of timelines through it" if path else ""
    yield Check("Sound", "good", found, details={"path": path})


def _speech(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    there = importlib.util.find_spec("pocketsphinx") is not None
    voices = {name: shutil.which(name) for name in ("flite", "espeak-ng")}
    spoken = ", ".join(name for name, path in voices.items() if path) or "neither"
    details = {"pocketsphinx": there, **voices}
    if there:
        finding = f"English is heard and aligned; voices to train with (flite, espeak-ng): {spoken}"
        yield Check("Speech", "good", finding, details=details)
    else:
        yield Check("Speech", "warn", "Faces hear sounds alone, not English words",
                    "Run `pip install 'polyorama[face]'`.", details)  # fmt: skip


def _caches(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    try:
        from polyorama.verbs.warm import cache_folders

        folders = cache_folders()
    except Exception as error:  # noqa: BLE001 - whatever is broken is what we are asked for
        yield Check("Kernel cache", "warn", f"Cannot be looked at: {error}")
    else:
        yield _kernel_cache(folders)
    try:
        import platformdirs
    except ImportError:
        return
    folder = Path(platformdirs.user_cache_dir("polyorama"))
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    size = _size(folder, "**/*")
    details = {"path": str(folder), "bytes": size, "exists": folder.exists()}
    if os.access(nearest, os.W_OK):
        finding = f"{bytes_of(size)}, {folder}" if folder.exists() else "Empty so far"
        yield Check("User cache", "good", finding, details=details)
    else:
        yield Check("User cache", "warn", f"Cannot be written: {nearest}",
                    "Make that folder writable, or set XDG_CACHE_HOME.", details)  # fmt: skip


def _kernel_cache(folders: list[Path]) -> Check:
    size = sum(_size(folder, "*.nb[ci]") for folder in folders)
    details = {"paths": [str(folder) for folder in folders], "bytes": size}
    if "polyorama.render.cpu.rasterizer" not in sys.modules:
        return Check("Kernel cache", "warn", "Not known, since the renderer cannot be loaded",
                     "See the lines above.", details)  # fmt: skip
    if not folders:
        return Check(
            "Kernel cache", "warn",
            "No folder for it can be written, so every start compiles anew",
            "Set NUMBA_CACHE_DIR to a folder that you may write to.", details,
        )  # fmt: skip
    where = ", ".join(str(folder) for folder in folders)
    return Check("Kernel cache", "good", f"{bytes_of(size)}, {where}", details=details)


def _size(folder: Path, pattern: str) -> int:
    return sum(path.stat().st_size for path in folder.glob(pattern) if path.is_file())


def _sample(_probes: Mapping[str, _Probe]) -> Iterator[Check]:
    from importlib import resources

    try:
        path = resources.files("polyorama_assets").joinpath("sample.poly")
        present = path.is_file()
    except ModuleNotFoundError:
        present = False
    if present:
        yield Check("Sample project", "good", str(path), details={"path": str(path)})
    else:
        advice = "Write it with `polyorama demo`, or reinstall."
        yield Check("Sample project", "warn", "Is not part of this installation", advice)
