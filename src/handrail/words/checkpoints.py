"""Why checkpoints were taken, in words."""

from handrail.checkpoint import CheckpointRecord, CheckpointTrigger

_MOMENTS = {
    CheckpointTrigger.REQUEST: "on request",
    CheckpointTrigger.PROMPT: "before a prompt",
    CheckpointTrigger.ITERATION_END: "after a turn",
    CheckpointTrigger.BEFORE_ACTION: "before an action",
    CheckpointTrigger.AFTER_ACTION: "after an action",
    CheckpointTrigger.UNATTENDED: "before an unattended run",
    CheckpointTrigger.TASKS: "after tasks",
    CheckpointTrigger.PERIODIC: "now and then",
    CheckpointTrigger.BEFORE_RESTORE: "before going back",
    CheckpointTrigger.RESTORED: "after going back",
}


def checkpoint_cause(record: CheckpointRecord) -> str:
    """Return why a checkpoint was taken."""
    return record.why or _MOMENTS[record.moment]


def checkpoint_reason(record: CheckpointRecord) -> str:
    """Return the name of a checkpoint and its cause in one line."""
    why = checkpoint_cause(record)
    if not record.name:
        return why
    return record.name if record.moment is CheckpointTrigger.REQUEST else f"{record.name}: {why}"
