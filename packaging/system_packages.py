"""What the operating system must bring: shared libraries, Xvfb, an NVIDIA driver.

On Debian and Ubuntu missing libraries are installed by apt where that is allowed; elsewhere the one
command to run is said. Standard library only.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from environment import SetupError, last_lines, say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

# Shared libraries that the wheels need and do not bring, with the Debian package of each. They are
# the DT_NEEDED entries of the wheels' own libraries; the packages bring what these need in turn.
ENGINE_LIBRARIES = {
    "libstdc++.so.6": "libstdc++6",
    "libgomp.so.1": "libgomp1",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11.so.6": "libx11-6",
    "libidn2.so.0": "libidn2-0",
    "libudev.so.1": "libudev1",
    "libusb-1.0.so.0": "libusb-1.0-0",
}
"""For open3d, which bakes light and reads meshes."""

WINDOW_LIBRARIES = {
    "libX11-xcb.so.1": "libx11-xcb1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""For Qt's windows on X11 and Wayland."""


SPEECH_TOOLS = {
    "espeak-ng": "/usr/bin/espeak-ng",
    "flite": "/usr/bin/flite",
    "libasound2-plugins": "/usr/share/doc/libasound2-plugins",
    "libportaudio2": "/usr/share/doc/libportaudio2",
    "pocketsphinx-testdata": "/usr/share/pocketsphinx/test/data/librivox",
    "pulseaudio": "/usr/bin/pulseaudio",
}
"""Debian packages for tests of faces, with a file of each: voices, recordings, a sound server."""


def missing_libraries(libraries: Mapping[str, str]) -> list[str]:
    """Which of those shared libraries the loader does not find; none outside Linux."""
    if platform.system() != "Linux":
        return []
    missing = []
    for name in libraries:
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(name)
    return missing


def require_libraries(libraries: Mapping[str, str]) -> None:
    """Have all those shared libraries, by apt where it may.

    Raises
    ------
    SetupError
        If some cannot be installed from here; the text has the command to run.
    """
    missing = missing_libraries(libraries)
    if not missing:
        return
    if shutil.which("apt-get"):
        require(sorted({libraries[name] for name in missing}), "System libraries are missing")
        return
    # RPM systems provide libraries by their own name, whatever the package is called.
    names = " ".join(f"'{name}()(64bit)'" for name in missing)
    for manager in ("dnf", "zypper"):
        if shutil.which(manager):
            raise SetupError(
                f"System libraries are missing. Run this, then start again:\n"
                f"    sudo {manager} install {names}"
            )
    raise SetupError(
        "System libraries are missing. Install them with this system's package manager, then "
        f"start again: {', '.join(missing)}"
    )


def require(packages: Sequence[str], reason: str) -> None:
    """Install Debian packages where root or a passwordless sudo allows it.

    Raises
    ------
    SetupError
        If it may not or does not work; the text has the command to run.
    """
    command = f"    sudo apt-get install --no-install-recommends {' '.join(packages)}"
    if not shutil.which("apt-get"):
        raise SetupError(f"{reason}. Install this with the system's package manager: {packages}")
    rights = privilege()
    if rights is None:
        raise SetupError(f"{reason}. Run this, then start again:\n{command}")
    say(f"{reason}; installing {', '.join(packages)}")
    install = [*rights, "apt-get", "install", "--yes", "--no-install-recommends"]
    install += ["-o", "DPkg::Lock::Timeout=300", *packages]
    done = _run(install)
    if done.returncode != 0:
        # The package lists may be absent or old.
        _run([*rights, "apt-get", "update"])
        done = _run(install)
    if done.returncode != 0:
        text = last_lines(done.stdout, 6)
        raise SetupError(f"{reason}, and apt could not install them:\n{text}\nBy hand:\n{command}")


def privilege() -> list[str] | None:
    """What to put before a command so that it runs as root; None where that is not allowed."""
    if os.geteuid() == 0:
        return ["env", "DEBIAN_FRONTEND=noninteractive"]
    if shutil.which("sudo") and _run(["sudo", "-n", "true"]).returncode == 0:
        return ["sudo", "-n", "env", "DEBIAN_FRONTEND=noninteractive"]
    return None


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )


def nvidia_driver() -> str | None:
    """Version of the NVIDIA driver here ("found" where it does not say), or None."""
    system = platform.system()
    if system == "Darwin":
        return None
    folders = ["/usr/lib/wsl/lib"] if system == "Linux" else [r"C:\Windows\System32"]
    tool = shutil.which("nvidia-smi") or shutil.which("nvidia-smi", path=os.pathsep.join(folders))
    if tool:
        query = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            done = subprocess.run(query, capture_output=True, text=True, check=True, timeout=30)
            if done.stdout.strip():
                return done.stdout.splitlines()[0].strip()
    return "found" if Path("/proc/driver/nvidia/version").exists() else None


def find_xvfb() -> str | None:
    """Path of Xvfb, installed by apt where it may; None where there is none."""
    found = shutil.which("Xvfb")
    if found is None and shutil.which("apt-get"):
        try:
            require(["xvfb", "libgl1-mesa-dri"], "OpenGL tests need a virtual screen")
        except SetupError as error:
            print(error, file=sys.stderr)
        found = shutil.which("Xvfb")
    return found


def fetch_speech_tools() -> None:
    """Install what the tests of faces speak and listen with, by apt where it may."""
    if not shutil.which("apt-get"):
        return
    missing = [package for package, file in SPEECH_TOOLS.items() if not os.path.exists(file)]
    if missing:
        try:
            require(missing, "Some tests of faces need voices and a sound server")
        except SetupError as error:
            print(f"{error}\nThose tests are left out.", file=sys.stderr)


@contextlib.contextmanager
def xvfb(server: str) -> Iterator[str]:
    """Run Xvfb on a free display for as long as the block; gives the display's name.

    Raises
    ------
    SetupError
        If it does not start.
    """
    read, write = os.pipe()
    command = [server, "-displayfd", str(write), "-screen", "0", "1920x1200x24", "-nolisten", "tcp"]
    command += ["-noreset", "+extension", "GLX", "+render"]
    process = subprocess.Popen(
        command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write)
    try:
        # Xvfb writes the display's number when it is ready, or closes the pipe as it dies.
        number = os.read(read, 32).decode().strip()
        if not number:
            raise SetupError(f"The virtual screen did not start: {' '.join(command)}")
        yield f":{number}"
    finally:
        os.close(read)
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            process.kill()
