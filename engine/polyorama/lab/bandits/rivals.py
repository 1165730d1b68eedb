"""The policies by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polyorama.lab.bandits.a_blin import ABlin
from polyorama.lab.bandits.hoo import Hoo
from polyorama.lab.bandits.log_li import LogLi, LogLiCommit
from polyorama.lab.bandits.thompson import Thompson
from polyorama.lab.bandits.uniform_ucb import UniformUcb
from polyorama.lab.bandits.zooming import Zooming

if TYPE_CHECKING:
    from polyorama.lab.bandits.policy import Policy

__all__ = ["POLICIES"]

POLICIES: dict[str, type[Policy]] = {
    policy.id: policy for policy in (LogLi, LogLiCommit, ABlin, Zooming, Hoo, UniformUcb, Thompson)
}
