"""Which processes belong to a run."""

import psutil

from handrail.hosts.claude_launch import MARK
from handrail.intervene.processes import Family, Host, host_at
from handrail.supervise.state import RunState

SESSION_VARIABLE = "CLAUDE_CODE_SESSION_ID"
"""What Claude Code puts into the environment of everything that it starts."""
_CLOCK_SECONDS = 1.5


def family_of(state: RunState, client: str) -> Family:
    """All processes of a run; `client`: the path of the hook's client."""
    host = agent_of(state)
    marks = {SESSION_VARIABLE: state.run, MARK: state.run}
    return Family(marks, host, spared=_drivers(state, host), client=client)


def agent_of(state: RunState) -> Host | None:
    """The process of the agent itself, as far as it is known and still there."""
    host = host_at(state.pid) if state.pid else None
    # Another process may have got its number since, or somebody named one that is not theirs.
    if host is None or host.began > state.pid_at + _CLOCK_SECONDS or not _is_claude(host.pid):
        return None
    return host


def _drivers(state: RunState, host: Host | None) -> tuple[int, ...]:
    """The process that drives the run: it stays, and begins again when the run is resumed."""
    driver = host_at(state.loop.driver) if state.loop is not None and state.loop.driver else None
    if driver is None:
        return ()
    # It is older than the agent that it has started, or another one has got its number since.
    is_younger = host is not None and driver.began > host.began
    return () if is_younger else (driver.pid,)


def _is_claude(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return any("claude" in part for part in (process.name(), *process.cmdline()[:2]))
    except psutil.Error:
        return False
