"""What type checkers see of the library: checked by `mypy --strict`, never executed."""

from typing import assert_type

import handrail
from handrail import ActionVerdict, CheckpointRecord, Event, Finding, RestoredFiles, Supervisor


def uses(supervisor: Supervisor) -> None:
    assert_type(handrail.__version__, str)
    verdict = supervisor.before("Bash", {"command": "ls"})
    assert_type(verdict, ActionVerdict)
    assert_type(verdict.allowed, bool)
    assert_type(verdict.input, dict[str, object])
    assert_type(verdict.decision, handrail.Decision)
    assert_type(supervisor.after(verdict, "out", exit_code=0), str)
    assert_type(supervisor.checkpoint("name"), CheckpointRecord)
    assert_type(supervisor.checkpoints(), list[CheckpointRecord])
    assert_type(supervisor.undo("iteration"), RestoredFiles)
    assert_type(supervisor.events(), list[Event])
    assert_type(supervisor.findings, list[Finding])
    with supervisor.action("Bash", {}) as action:
        assert_type(action, handrail.SupervisedAction)
        assert_type(action.input, dict[str, object])
    supervisor.undo("everything")  # type: ignore[arg-type]
    supervisor.before("Bash", ["ls"])  # type: ignore[arg-type]
    handrail.Supervisor("goal")  # type: ignore[call-arg]


async def awaits(supervisor: Supervisor) -> None:
    async with supervisor.action("Bash", {}) as action:
        assert_type(action.verdict, ActionVerdict)
    verdict = await supervisor.before_async("Bash", {})
    assert_type(verdict, ActionVerdict)
    assert_type(await supervisor.after_async(verdict), str)
