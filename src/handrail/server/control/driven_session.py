"""The run that Handrail drives for a stopped session, and the command that continues it."""

from shlex import quote

import msgspec

from handrail.intervene.incidents.record import Incident
from handrail.server.control.run_processes import driver_of
from handrail.store.port import Store
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.runs.run_names import names_of_runs
from handrail.words.recoveries import session_command


class DrivenName(msgspec.Struct, frozen=True):
    """The name of a run that Handrail drives, and whether its driver waits for it."""

    name: str
    is_waiting: bool


def driven_name(store: Store, run: str) -> DrivenName | None:
    """Find a run that Handrail drives; None: it is a person's own session."""
    state = read_state(store, run, [])
    if state.loop is None:
        return None
    name = names_of_runs(store, [run]).get(run, run)
    return DrivenName(name, driver_of(state) is not None)


def next_command(record: Incident, driven: DrivenName | None = None) -> str:
    """Return the command that continues the run, or "" if it goes on without one."""
    if driven is not None:
        return "" if driven.is_waiting else f"handrail run --resume {quote(driven.name)}"
    return session_command(record)
