"""A part of Handrail on the disk, and what it may lose."""

import os
from collections.abc import Callable, Iterable
from typing import Protocol

import msgspec

from handrail.hosts.git_view import git_view


class Loss(msgspec.Struct, frozen=True):
    """Something of ours that is not as it should be."""

    part: str
    """Which one, in a word: `hooks`, `client`, `token` …"""
    path: str
    says: str
    """What is wrong with it, as a sentence without its end."""
    fix: str
    """The command that settles it."""
    repair: Callable[[bool], bool] = lambda by_call: False
    """Put it back; tells whether that was done. `by_call`: a call of an agent has changed it."""
    accept: Callable[[], bool] = lambda: False
    """Take it as it is now, where no call of an agent explains it; tells whether that was done."""
    overrule: Callable[[], str] = lambda: ""
    """Where the file belongs to a repository, let another one win over it; tells which one."""
    may_be_versioned: bool = False
    """It stands in a file that a repository may own: such a file is not rewritten."""
    is_explained: bool = False
    """A person does it, whatever calls are under way."""
    hosts_write: bool = False
    """A host may have written it for the person who sits at its session."""

    @property
    def name(self) -> str:
        """What makes it the same loss when it is seen again."""
        return f"{self.part}:{self.path}"

    @property
    def is_versioned(self) -> bool:
        """Whether git keeps the file: then a branch may bring it as it is."""
        return self.may_be_versioned and git_view(os.path.realpath(self.path)).state == "tracked"


class WatchedPart(Protocol):
    """Something of ours that is compared with what it should be; used in one thread."""

    def paths(self) -> Iterable[str]:
        """The files to look at after each call, the most important first."""

    def losses(self) -> Iterable[Loss]:
        """What is not as it should be now."""
