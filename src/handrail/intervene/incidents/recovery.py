"""Recovery options: how a stopped run can go on."""

from enum import StrEnum

import msgspec

from handrail.model.action_kind import ActionKind
from handrail.model.checkpoint import Checkpoint
from handrail.model.intervention import Allowance


class RecoveryOption(StrEnum):
    """The choices of a person."""

    RESUME_WITH_LIMITS = "resume_with_limits"
    ROLLBACK_AND_RETRY = "rollback_and_retry"
    MANUAL_APPROVAL = "manual_approval"
    ABORT = "abort"


class Recovery(msgspec.Struct, frozen=True):
    """The effect of a choice."""

    option: RecoveryOption
    says: str
    resumes: bool = True
    """The run may go on."""
    limits: bool = False
    """Only within a strict allowance."""
    rolls_back: bool = False
    """Handrail first puts the files back to the last safe checkpoint."""
    approval: bool = False
    """A person approves every change."""
    strict: bool = False
    """Handrail refuses what it would only warn about."""


_ROWS = (
    Recovery(RecoveryOption.RESUME_WITH_LIMITS,
        "The run goes on from where it was, within strict limits, and is watched strictly: what "
        "Handrail would only warn about, it refuses.", limits=True, strict=True),
    Recovery(RecoveryOption.ROLLBACK_AND_RETRY,
        "The files go back to the last safe checkpoint, and the run tries again within strict "
        "limits. What is there now is saved first.", limits=True, rolls_back=True, strict=True),
    Recovery(RecoveryOption.MANUAL_APPROVAL,
        "The run goes on; a person approves everything that changes something: "
        "`handrail approvals` shows what waits.", approval=True),
    Recovery(RecoveryOption.ABORT,
        "The run stays stopped for good. Its files are left as they are; what it left elsewhere is "
        "cleaned up, as listed.", resumes=False),
)  # fmt: skip
NO_SAFE_CHECKPOINT = (
    "no checkpoint from before the trouble is safe "
    "(interventions.checkpoint_rollback.safe_checkpoint_criteria)"
)
RECOVERIES = {each.option: each for each in _ROWS}

STRICT = Allowance(
    calls_per_minute=6,
    file_operations=20,
    command_seconds=60,
    batch=1,
    refuses=(ActionKind.FILE_DELETE, ActionKind.NETWORK),
)
"""The allowance of a run that goes on after a stop."""


def strict_allowance(before: Allowance | None = None) -> Allowance:
    """Return the strict allowance, nowhere more than the run had before."""
    if before is None:
        return STRICT
    had, now = msgspec.structs.asdict(before), msgspec.structs.asdict(STRICT)
    refuses = tuple(dict.fromkeys((*had.pop("refuses"), *now.pop("refuses"))))
    least = {name: min(filter(None, (had[name], now[name])), default=0) for name in now}
    return Allowance(**least, refuses=refuses)


def offered_options(checkpoint: Checkpoint | None) -> tuple[Recovery, ...]:
    """Return the possible choices; without a checkpoint there is no rollback."""
    return tuple(each for each in RECOVERIES.values() if checkpoint or not each.rolls_back)


def resume_command(incident: str, option: RecoveryOption) -> str:
    """Return the command line that makes a choice."""
    return f"handrail incident resume {incident} --option {option}"
