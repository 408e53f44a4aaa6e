"""The programs that run agents: one package for each, and one row here."""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING

from handrail.model.host import HostProfile
from handrail.model.program import Program

if TYPE_CHECKING:
    from handrail.hosts.port import HostAdapter

HOSTS: dict[str, str] = {
    "claude": "handrail.hosts.claude",
    "python": "handrail.hosts.python",
}
"""The package of each host. It has `profile.PROFILE`, `programs.PROGRAMS` and `host.HOST`.

They are imported on demand, so that a command that only reads the log starts fast."""


class NoSuchHostError(LookupError):
    """No host of that name is registered."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not a host that Handrail knows: {', '.join(HOSTS)}")
        self.name = name


def profiles() -> tuple[HostProfile, ...]:
    """Return the profile of every host."""
    return tuple(import_module(f"{package}.profile").PROFILE for package in HOSTS.values())


def programs() -> tuple[Mapping[str, Program], ...]:
    """Return the program table of every host, for the shell's tables."""
    return tuple(import_module(f"{package}.programs").PROGRAMS for package in HOSTS.values())


def find_host(name: str) -> "HostAdapter":
    """Return a host by its name; raises NoSuchHostError."""
    package = HOSTS.get(name)
    if package is None:
        raise NoSuchHostError(name)
    host: HostAdapter = import_module(f"{package}.host").HOST
    return host
