"""End the agent of a task whose attempt does not count any more, and check that it is gone."""

from typing import NamedTuple

from handrail.fleet.engine.fleet_state import TaskState
from handrail.fleet.engine.lease_clock import Machine
from handrail.fleet.slot_work_port import ProcessesLeftError
from handrail.server.fleet.slot_work import LocalSlotWork


class AgentEnd(NamedTuple):
    """What became of an agent."""

    is_gone: bool
    says: str


async def end_agent(work: LocalSlotWork, machine: Machine, before: TaskState) -> AgentEnd:
    """End all processes of an attempt; `before`: the task as it was while it had its lease."""
    lease = before.lease
    if lease is None:
        return AgentEnd(True, "no agent was at work on it")
    if lease.host != machine.host:
        says = f"its agent is on {lease.host} and hears it at its next sign of life"
        return AgentEnd(False, says)
    try:
        return AgentEnd(True, await work.end_attempt(lease, before.run))
    except ProcessesLeftError as error:
        return AgentEnd(False, str(error))
