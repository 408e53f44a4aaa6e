"""End the agent of a task whose attempt does not count any more, and check that it is gone."""

import asyncio
from typing import NamedTuple

from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.scheduler import ProcessesLeftError
from handrail.server.fleet.slot_work import LocalSlotWork


class AgentEnd(NamedTuple):
    """What became of an agent."""

    is_gone: bool
    says: str


def end_agent(fleet: OpenedFleet, before: TaskState) -> AgentEnd:
    """End all processes of an attempt; `before`: the task as it was while it had its lease."""
    lease = before.lease
    if lease is None:
        return AgentEnd(True, "no agent was at work on it")
    machine = this_machine()
    if lease.host != machine.host:
        says = f"its agent is on {lease.host} and hears it at its next sign of life"
        return AgentEnd(False, says)
    work = LocalSlotWork(fleet.home, fleet.repository, fleet.workspaces, fleet.settings, machine)
    try:
        return AgentEnd(True, asyncio.run(work.end_attempt(lease, before.run)))
    except ProcessesLeftError as error:
        return AgentEnd(False, str(error))
