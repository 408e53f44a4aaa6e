"""The events of a pipeline, as its topic in the log records them.

One struct per event; the field `event` tells them apart. New fields need a default. Nobody renames
or removes a field, because logs stay readable forever.
"""

import msgspec

from handrail.fleet.pipeline.result import PipelineError, ReviewSummary, StepStatus

PIPELINES = "pipeline:"
"""The prefix of all pipelines' topics."""


class PlannedStep(msgspec.Struct, frozen=True):
    """A step as the file has it."""

    name: str
    type: str


class RecordedRefusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """An action that Handrail refused."""

    run: str
    action: int
    """Its number in the run."""
    tool: str
    says: str = ""
    """Its command or file, shortened."""
    reason: str = ""
    alternative: str = ""


class _PipelineEvent(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="event"):
    at: float
    """When it happened, in seconds since 1970."""


class PipelineBegun(_PipelineEvent, frozen=True, omit_defaults=True, tag="pipeline_begun"):
    """A process begins to run a pipeline."""

    name: str
    steps: tuple[PlannedStep, ...]
    folder: str
    file: str = ""
    """Empty: it was given as a text."""
    by: str = ""
    host: str = ""
    """The machine."""
    boot: str = ""
    pid: int = 0
    pid_began: float = 0.0
    """When the process began, in seconds since the boot."""


class StepBegun(_PipelineEvent, frozen=True, omit_defaults=True, tag="step_begun"):
    """A try of a step begins, the first one as 1."""

    step: str
    attempt: int = 1


class StepEnded(_PipelineEvent, frozen=True, omit_defaults=True, tag="step_ended"):
    """A step is over after all its tries, or was skipped. Its output is in the log of its run."""

    step: str
    status: StepStatus
    says: str = ""
    exit_code: int | None = None
    runs: tuple[str, ...] = ()
    attempts: int = 0
    seconds: float = 0.0
    continued: bool = False
    blocked: tuple[RecordedRefusal, ...] = ()
    review: ReviewSummary = ReviewSummary()
    tokens: int = 0
    cost_usd: float = 0.0


class PipelineEnded(_PipelineEvent, frozen=True, omit_defaults=True, tag="pipeline_ended"):
    """A pipeline is over."""

    error: PipelineError = ""
    """Empty: it ended well."""
    failed_step: str = ""
    seconds: float = 0.0


PipelineEvent = PipelineBegun | StepBegun | StepEnded | PipelineEnded

pipeline_decoder: msgspec.json.Decoder[PipelineEvent] = msgspec.json.Decoder(PipelineEvent)
