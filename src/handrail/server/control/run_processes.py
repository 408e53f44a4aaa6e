"""Finds the processes of a run."""

from contextlib import suppress

import psutil

from handrail.hosts.driven_agent import MARK
from handrail.intervene.processes.process_tree import (
    GONE,
    ProcessFamily,
    ProcessIdentity,
    identity_of,
    is_same_moment,
)
from handrail.model.host import known_hosts
from handrail.supervise.state.run_state import RunState

_CLOCK_SECONDS = 1.5


def agent_processes(state: RunState, client: str) -> ProcessFamily:
    """Return all processes of a run except its driver; `client`: the path of the hook client."""
    host = agent_of(state)
    return ProcessFamily(_marks(state), host, spared=_drivers(state, host), client=client)


def all_processes(state: RunState, client: str) -> ProcessFamily:
    """Return all processes of a run with its driver, which would start the agent again."""
    return ProcessFamily(_marks(state), driver_of(state) or agent_of(state), client=client)


def agent_of(state: RunState) -> ProcessIdentity | None:
    """Return the agent's process, if it is known and alive."""
    host = identity_of(state.pid) if state.pid else None
    # Another process may have got its number since, or somebody named one that is not theirs.
    if host is None or not _is_the_one(host, state) or not _is_host(host.pid):
        return None
    return host


def driver_of(state: RunState) -> ProcessIdentity | None:
    """Return the driver's process, if it is known and alive."""
    loop = state.loop
    driver = identity_of(loop.driver) if loop is not None and loop.driver > 0 else None
    if driver is None or loop is None or not _is_alive(driver.pid):
        return None
    same = not loop.driver_began or is_same_moment(driver.began, loop.driver_began)
    return driver if same else None


def _marks(state: RunState) -> dict[str, str]:
    own = (host.session_variable for host in known_hosts() if host.session_variable)
    return dict.fromkeys((*own, MARK), state.run)


def _drivers(state: RunState, host: ProcessIdentity | None) -> tuple[int, ...]:
    """Return the driver's process: a stop leaves it alone, so that it can resume the run."""
    driver = driver_of(state)
    if driver is None:
        return ()
    # It is older than the agent that it has started, or another one has got its number since.
    is_younger = host is not None and driver.began > host.began
    return () if is_younger else (driver.pid,)


def _is_the_one(host: ProcessIdentity, state: RunState) -> bool:
    if state.pid_began:
        return is_same_moment(host.began, state.pid_began)
    with suppress(*GONE):
        return psutil.Process(host.pid).create_time() <= state.pid_at + _CLOCK_SECONDS
    return False


def _is_alive(pid: int) -> bool:
    """Return whether a process is alive, and not a zombie."""
    with suppress(*GONE):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def _is_host(pid: int) -> bool:
    """Return whether a process runs a host's program."""
    try:
        process = psutil.Process(pid)
        names = (process.name(), *process.cmdline()[:2])
        return any(host.program in name for host in known_hosts() for name in names)
    except psutil.Error:
        return False
