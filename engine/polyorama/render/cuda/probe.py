"""Whether gsplat can draw on an NVIDIA GPU here, found out step by step, cheapest first.

gsplat is never imported to find out: that alone may compile its kernels for minutes. The steps look
for a driver, for the packages, for a PyTorch with CUDA, for a GPU, and for kernels or a compiler.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import importlib.metadata
import importlib.util
import logging
import os
import re
import shutil
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import platformdirs

from polyorama.errors import UnavailableError
from polyorama.render.rasterizers import Availability

__all__ = ["availability", "build_log", "load_gsplat", "promising"]

log = logging.getLogger(__name__)

_INSTALL = "install what NVIDIA GPUs need with: pip install 'polyorama[cuda]'"
_lock = threading.Lock()


def promising() -> bool:
    """Whether there is an NVIDIA driver, told without loading anything."""
    if sys.platform == "win32":
        root = os.environ.get("SYSTEMROOT", r"C:\Windows")
        return (Path(root) / "System32" / "nvcuda.dll").exists()
    if sys.platform != "linux":
        return False
    # The nodes are what a container is given; on WSL the GPU is behind /dev/dxg.
    wsl = Path("/dev/dxg").exists() and Path("/usr/lib/wsl/lib/libcuda.so.1").exists()
    return wsl or any(Path("/dev").glob("nvidia[0-9]*"))


@functools.cache
def availability() -> Availability:
    """Whether gsplat can draw here; the first call may load PyTorch, where there is a driver."""
    reason = _missing()
    if reason:
        return Availability.missing(reason)
    import torch

    return Availability(True, str(torch.cuda.get_device_name()))


def _missing() -> str:
    """What is not there and what to do, in words, or nothing."""
    if sys.platform == "darwin":
        return "Apple's computers have no NVIDIA GPU; use gl or cpu."
    if not promising():
        return "There is no NVIDIA driver; where there is an NVIDIA GPU, install its driver."
    for package, name in (("torch", "PyTorch"), ("gsplat", "gsplat")):
        if importlib.util.find_spec(package) is None:
            return f"The package {name} is missing; {_INSTALL}."
    version = _version("gsplat")
    if not _fits(version):
        told = f"gsplat {version}" if version else "gsplat, of a version that it does not tell,"
        return (
            f"{told} was found, and kernels are known of 1.5.3 to below 1.6 alone; install one of "
            "these with: pip install 'gsplat>=1.5.3,<1.6'"
        )
    # Told from the version before a second goes into the import.
    version = _version("torch")
    if "+cpu" in version:
        return (
            f"This PyTorch ({version}) is built for the processor alone; replace it with one for "
            "CUDA, see pytorch.org."
        )
    return _unusable_gpu() or _missing_kernels()


def _version(package: str) -> str:
    """What an installed package says of its version; nothing where it does not say."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _fits(version: str) -> bool:
    """Whether a gsplat has the kernels that `pipeline` knows: 1.5.3 to below 1.6."""
    match = re.match(r"1\.5\.(\d+)", version)
    return match is not None and int(match[1]) >= 3


def _unusable_gpu() -> str:
    import torch

    if torch.version.cuda is None:
        return (
            f"This PyTorch ({torch.__version__}) is built without CUDA; replace it with one for "
            "CUDA, see pytorch.org."
        )
    if torch.cuda.is_available():
        return ""
    try:
        torch.cuda.init()  # type: ignore[no-untyped-call]
        words = "it finds no GPU"
    except (RuntimeError, AssertionError) as error:
        words = str(error).strip().splitlines()[0].rstrip(".")
    return (
        f"PyTorch cannot use the GPU ({words}); its CUDA {torch.version.cuda} may need a newer "
        "driver."
    )


def _missing_kernels() -> str:
    """Why gsplat has no kernels and cannot make them, or nothing."""
    if _prebuilt():
        return ""
    if build_log().is_file() and _log_key() == build_log().read_text("utf-8").partition("\n")[0]:
        return (
            "gsplat's kernels could not be compiled; delete the compiler's log to try again: "
            f"{build_log()}"
        )
    if _nvcc() is None:
        import torch

        return (
            "gsplat has no compiled kernels for this PyTorch, and there is no compiler for them; "
            f"install a prebuilt gsplat or the CUDA toolkit {torch.version.cuda} (nvcc)."
        )
    return ""


def _prebuilt() -> bool:
    """Whether this gsplat came with compiled kernels."""
    spec = importlib.util.find_spec("gsplat")
    folders = list(spec.submodule_search_locations or ()) if spec else []
    return any(
        path.suffix in (".so", ".pyd") for folder in folders for path in Path(folder).glob("csrc.*")
    )


def _nvcc() -> str | None:
    """Path of NVIDIA's compiler, where gsplat will look for it."""
    name = "nvcc.exe" if sys.platform == "win32" else "nvcc"
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        folder = os.environ.get(variable)
        if folder and (Path(folder) / "bin" / name).is_file():
            return str(Path(folder) / "bin" / name)
    usual = Path("/usr/local/cuda/bin") / name
    return shutil.which("nvcc") or (str(usual) if usual.is_file() else None)


def _compiled_before() -> bool:
    """Whether PyTorch keeps kernels that were compiled on this machine."""
    chosen = os.environ.get("TORCH_EXTENSIONS_DIR")
    root = Path(chosen) if chosen else platformdirs.user_cache_path("torch_extensions")
    return any(root.glob("**/gsplat_cuda.so")) or any(root.glob("**/gsplat_cuda.pyd"))


def build_log() -> Path:
    """Where the compiler's words go when gsplat's kernels cannot be made."""
    return platformdirs.user_cache_path("polyorama") / "gsplat-build.log"


def _log_key() -> str:
    """The first line of the log: what it was that could not be compiled."""
    return f"gsplat {_version('gsplat')}, torch {_version('torch')}, {_nvcc()}"


@functools.cache
def _gsplat() -> Any:
    reason = _missing()
    if reason:
        raise UnavailableError(str(Availability.missing(reason)))
    if not _prebuilt() and not _compiled_before():
        log.warning("Compiling gsplat's kernels for this GPU, once; that takes some minutes.")
    try:
        # gsplat talks on stdout, which may be a picture on its way to another program.
        with contextlib.redirect_stdout(sys.stderr):
            module = importlib.import_module("gsplat")
            kernels = importlib.import_module("gsplat.cuda._backend")._C
    except Exception as error:
        if not _compiler_failed(error):
            words = " ".join(str(error).split())[:300].rstrip(".")
            raise UnavailableError(
                f"gsplat cannot be loaded ({type(error).__name__}: {words}); install it anew, or "
                "draw with gl or cpu."
            ) from error
        path = build_log()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{_log_key()}\n{traceback.format_exc()}", "utf-8")
        availability.cache_clear()
        raise UnavailableError(
            f"gsplat's kernels could not be compiled; the compiler's log: {path}"
        ) from error
    if kernels is None:
        raise UnavailableError(
            "gsplat found no CUDA toolkit to compile its kernels with; install a prebuilt gsplat "
            "or the CUDA toolkit (nvcc)."
        )
    return module


def _compiler_failed(error: BaseException | None) -> bool:
    """Whether it comes of a compiler that ran and failed: another try would take as long."""
    while error is not None:
        if isinstance(error, subprocess.CalledProcessError):
            return True
        error = error.__cause__ or error.__context__
    return False


def load_gsplat() -> Any:
    """The module gsplat with its kernels, compiled now where they never were.

    Raises
    ------
    UnavailableError
        If something is missing, the kernels cannot be compiled, or could not be before; the text
        says what, and names the compiler's log.
    """
    with _lock:
        return _gsplat()
