"""Finds the processes of a run."""

from contextlib import suppress

import psutil

from handrail.hosts.driven_agent import MARK
from handrail.intervene.processes.control_group import is_group_of
from handrail.intervene.processes.process_tree import (
    GONE,
    ProcessFamily,
    ProcessIdentity,
    identity_of,
    is_same_moment,
)
from handrail.model.host import known_hosts
from handrail.server.home import Home
from handrail.server.lock import daemon_pid, guardian_pid
from handrail.supervise.state.run_state import RunState

_CLOCK_SECONDS = 1.5
_IN_GROUP = "verified in its control group, which holds all that it started"
_BELOW_DRIVER = "verified below its driver, which adopts orphans"
_BY_SEARCH = "verified by a search for its children and its mark"


def agent_processes(state: RunState, home: Home) -> ProcessFamily:
    """Return all processes of a run except its driver; `home`: that of its daemon."""
    host = agent_of(state)
    return ProcessFamily(
        _marks(state),
        host,
        reaper=_reaper_of(state),
        group=group_of(state),
        spared=_drivers(state, host),
        apart=_daemon(home),
        client=home.client_path,
    )


def all_processes(state: RunState, home: Home) -> ProcessFamily:
    """Return all processes of a run with its driver, which would start the agent again."""
    return ProcessFamily(
        _marks(state),
        driver_of(state) or agent_of(state),
        group=group_of(state),
        apart=_daemon(home),
        client=home.client_path,
    )


def how_verified(family: ProcessFamily) -> str:
    """Return how Handrail made sure that no process of a run is left."""
    if family.has_group:
        return _IN_GROUP
    return _BELOW_DRIVER if family.is_complete else _BY_SEARCH


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


def has_lost_driver(state: RunState) -> bool:
    """Return whether the process that drove a run ended before the run did."""
    loop = state.loop
    is_driven = loop is not None and not loop.ended and loop.driver > 0
    return is_driven and driver_of(state) is None


def group_of(state: RunState) -> str:
    """Return the folder of the control group of a driven run; "" if there is none."""
    group = state.loop.group if state.loop is not None else ""
    return group if group and is_group_of(group, state.run) else ""


def _reaper_of(state: RunState) -> ProcessIdentity | None:
    """Return the driver, if it adopts the orphans of its agent."""
    loop = state.loop
    return driver_of(state) if loop is not None and loop.adopts else None


def _daemon(home: Home) -> tuple[int, ...]:
    """Return the daemon and its guardian: a driver that has started them may have adopted them."""
    return tuple(pid for pid in (daemon_pid(home), guardian_pid(home)) if pid)


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
