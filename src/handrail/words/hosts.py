"""Host names in texts: `$title` stands for their titles, `$host` for the name of one.

No text names a host itself, so that a new host appears everywhere at once.
"""

from collections.abc import Callable
from string import Template
from typing import TypeVar

from handrail.model.host import known_hosts, profile_of

Function = TypeVar("Function", bound=Callable[..., object])


def with_hosts(text: str) -> str:
    """Put the names of hosts into a text; `$recordings` is the folder of past sessions."""
    hosts = known_hosts()
    return Template(text).safe_substitute(
        title=" or ".join(host.title for host in hosts),
        host=hosts[0].name,
        program=hosts[0].program,
        recordings=hosts[0].recordings,
    )


def names_hosts(function: Function) -> Function:
    """Put the names of hosts into a command's help."""
    function.__doc__ = with_hosts(function.__doc__ or "")
    return function


def resume_command(host: str, run: str) -> str:
    """Return the command that resumes a run in its host, or ""."""
    profile = profile_of(host)
    return profile.resume.format(run=run) if profile else ""


NOTHING_YET = with_hosts("No runs yet. Supervise your $title sessions: handrail install $host")
NOTHING_SINCE = with_hosts("No runs yet. Start a $title session, or restart an open one: $program")
"""The same once Handrail is installed."""
