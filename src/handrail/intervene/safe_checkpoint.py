"""When a checkpoint is safe to go back to."""

from collections.abc import Iterable, Sequence
from typing import Protocol

import msgspec

from handrail.model.checkpoint import Checkpoint
from handrail.model.decodable import decodable
from handrail.model.finding import Finding

_LOOKED_AT = 10
"""Actions before a checkpoint that tell whether it is safe."""
_MINUTE = 60.0


class StepEnd(Protocol):
    """The end of an action."""

    @property
    def step(self) -> int:
        """Its number."""

    @property
    def at(self) -> float:
        """When it ended."""

    @property
    def ok(self) -> bool | None:
        """Whether it worked; None: it did not run."""


class SafetyCriteria(Protocol):
    """The two criteria, as the settings and the incidents have them."""

    @property
    def min_success_rate(self) -> float:
        """The share of successes in the last actions before it."""

    @property
    def no_errors_duration_seconds(self) -> int:
        """For how long before it no action failed."""


@decodable
class RollbackCriteria(msgspec.Struct, frozen=True, omit_defaults=True):
    """The criteria that held for a run, with the defaults of the settings."""

    min_success_rate: float = 0.8
    no_errors_duration_seconds: int = 60
    max_rollback_depth: int = 3
    checkpoint_retention_minutes: int = 30


def is_safe(checkpoint: Checkpoint, ended: Sequence[StepEnd], criteria: SafetyCriteria) -> bool:
    """Return whether all was well before a checkpoint, as far as known."""
    before = [each for each in ended if each.step <= checkpoint.step and each.ok is not None]
    recent = before[-_LOOKED_AT:]
    worked = sum(bool(each.ok) for each in recent)
    if worked < criteria.min_success_rate * len(recent):
        return False
    since = checkpoint.at - criteria.no_errors_duration_seconds
    return all(each.ok for each in before if each.at > since)


def safe_checkpoint(
    checkpoints: Iterable[Checkpoint],
    finding: Finding,
    ended: Sequence[StepEnd],
    criteria: RollbackCriteria,
    now: float,
) -> Checkpoint | None:
    """Return the newest safe checkpoint from before the first sign of trouble."""
    if not finding.evidence:
        return None
    began = min(finding.evidence)
    oldest = now - criteria.checkpoint_retention_minutes * _MINUTE
    before = sorted(
        (each for each in checkpoints if each.step < began and each.at >= oldest),
        key=lambda each: (each.step, each.at),
    )
    near = reversed(before[-criteria.max_rollback_depth :])
    return next((each for each in near if is_safe(each, ended, criteria)), None)
