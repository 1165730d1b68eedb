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
import shutil
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
    # Told from the version before a second goes into the import.
    version = importlib.metadata.version("torch")
    if "+cpu" in version:
        return (
            f"This PyTorch ({version}) is built for the processor alone; replace it with one for "
            "CUDA, see pytorch.org."
        )
    return _unusable_gpu() or _missing_kernels()


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
    versions = [importlib.metadata.version(name) for name in ("gsplat", "torch")]
    return f"gsplat {versions[0]}, torch {versions[1]}, {_nvcc()}"


@functools.cache
def _gsplat() -> Any:
    if not _prebuilt() and not _compiled_before():
        log.warning("Compiling gsplat's kernels for this GPU, once; that takes some minutes.")
    try:
        # gsplat talks on stdout, which may be a picture on its way to another program.
        with contextlib.redirect_stdout(sys.stderr):
            module = importlib.import_module("gsplat")
            kernels = importlib.import_module("gsplat.cuda._backend")._C
    except Exception as error:
        path = build_log()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{_log_key()}\n{traceback.format_exc()}", "utf-8")
        availability.cache_clear()
        raise UnavailableError(
            f"gsplat's kernels could not be compiled or loaded; the compiler's log: {path}"
        ) from error
    if kernels is None:
        raise UnavailableError(
            "gsplat found no CUDA toolkit to compile its kernels with; install a prebuilt gsplat "
            "or the CUDA toolkit (nvcc)."
        )
    return module


def load_gsplat() -> Any:
    """The module gsplat with its kernels, compiled now where they never were.

    Raises
    ------
    UnavailableError
        If they cannot be compiled; the text names the log.
    """
    with _lock:
        return _gsplat()
