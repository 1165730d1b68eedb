"""Polyorama's own puppet head, made by code."""

from __future__ import annotations

from polyorama.face.rigs.head.build import F_AND_V, build_head
from polyorama.face.rigs.head.identity import HAIR_STYLES, HeadIdentity

__all__ = ["F_AND_V", "HAIR_STYLES", "HeadIdentity", "build_head"]
