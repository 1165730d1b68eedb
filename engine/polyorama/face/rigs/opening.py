"""Any rig by name or path."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from polyorama.errors import FileFormatError
from polyorama.face.rigs.flame import flame_rig
from polyorama.face.rigs.gltf_rig import gltf_rig
from polyorama.face.rigs.ict import ict_folder_rig, ict_rig, is_ict
from polyorama.face.rigs.makehuman import makehuman_rig
from polyorama.io.files import file_size, named

if TYPE_CHECKING:
    from pathlib import Path

    from polyorama.scene.faces.morphs import MorphRig

__all__ = ["PUPPET", "open_rig"]

PUPPET = "puppet"
"""The name of this program's own head."""

_KINDS = (
    "a .glb or .gltf with morph targets, an ICT-FaceKit .npz or folder, a MakeHuman folder with "
    "base.obj and .target files, or a FLAME .pkl"
)


def open_rig(name_or_path: str | os.PathLike[str]) -> MorphRig:
    """A rig: "puppet" is this program's own head, all else is a path.

    Parameters
    ----------
    name_or_path
        "puppet", or the path of an avatar in glTF, of ICT-FaceKit (packed, or its folder of OBJ
        files), of a folder with MakeHuman's base mesh and targets, or of a FLAME model.

    Raises
    ------
    FileFormatError
        If there is nothing of these kinds, or it is damaged.
    UnavailableError
        If scipy is not installed.
    """
    if name_or_path == PUPPET:
        from polyorama.face.rigs.head import build_head

        return build_head()
    path = named(name_or_path)
    if path.is_dir():
        return _folder(path)
    if not path.exists() and os.sep not in str(name_or_path) and not path.suffix:
        raise FileFormatError(
            f'There is no rig called {path}; say "{PUPPET}", or give the path of {_KINDS}.'
        )
    file_size(path)
    ending = path.suffix.lower()
    if ending in (".glb", ".gltf", ".vrm"):
        return gltf_rig(path)
    if ending == ".npz" and is_ict(path):
        return ict_rig(path)
    if ending in (".pkl", ".pickle"):
        return flame_rig(path)
    raise FileFormatError(f"This is no rig that is known; give {_KINDS}: {path}")


def _folder(path: Path) -> MorphRig:
    if (path / "generic_neutral_mesh.obj").is_file():
        return ict_folder_rig(path)
    if (path / "base.obj").is_file():
        return makehuman_rig(path)
    raise FileFormatError(
        f"The folder holds neither generic_neutral_mesh.obj nor base.obj; give {_KINDS}: {path}"
    )
