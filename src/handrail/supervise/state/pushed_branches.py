"""Branches that a run created on a remote, read from git's output of a push."""

import re
from collections.abc import Iterator

from handrail.model.action import Outcome
from handrail.model.effect import Kind
from handrail.model.intent import Intent

_NEW = re.compile(r"^ \* \[new branch\]\s+\S+ -> (\S+)$", re.MULTILINE)
_SHARED = re.compile(r"(?:main|master|trunk|dev|develop|staging|production|release)(?:$|[/-])")
"""Names of branches that others work with, whoever pushed them first."""


def new_branches(intent: Intent, outcome: Outcome) -> Iterator[str]:
    """The branches that were not on the remote before a push."""
    if Kind.PUBLISH in intent.kinds:
        for name in _NEW.findall(f"{outcome.output}\n{outcome.error}"):
            if _SHARED.match(name) is None:
                yield name
