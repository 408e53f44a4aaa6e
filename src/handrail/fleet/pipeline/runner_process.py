"""The process that runs a pipeline: a killed one can record nothing, so others look for it."""

import os

from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.pipeline.events import PipelineBegun
from handrail.intervene.processes.process_tree import (
    identity_of,
    is_same_moment,
    start_time_of_pid,
)


def begun_here(at: float, name: str, *, folder: str, file: str, by: str) -> PipelineBegun:
    """Return the first event of a pipeline that this process runs, without its steps."""
    machine, pid = this_machine(), os.getpid()
    return PipelineBegun(
        at,
        name,
        (),
        folder,
        file,
        by,
        host=machine.host,
        boot=machine.boot,
        pid=pid,
        pid_began=start_time_of_pid(pid),
    )


def may_live(begun: PipelineBegun) -> bool:
    """Return whether the process of a pipeline may still run; on another machine it may."""
    machine = this_machine()
    if begun.host != machine.host:
        return True
    if begun.boot != machine.boot:
        return False
    found = identity_of(begun.pid) if begun.pid else None
    return found is not None and is_same_moment(found.began, begun.pid_began)
