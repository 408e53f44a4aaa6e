"""A tool call on its way to a verdict."""

import msgspec

from handrail.model.action import Action
from handrail.review.reviewer import ReviewDraft
from handrail.supervise.checkpoint_request import CheckpointResult
from handrail.supervise.project import Project
from handrail.supervise.state import RunState


class BegunReview(msgspec.Struct, frozen=True):
    """A review that waits for a checkpoint, and the settings and the state it was made with."""

    draft: ReviewDraft
    project: Project
    state: RunState
    step: int
    seconds: float
    """What it has cost so far."""

    def still_holds(self, project: Project, state: RunState) -> bool:
        """Whether nothing that it has seen can be otherwise by now, by any action of the run."""
        is_same = self.project is project and self.state is state and self.step == state.step
        return is_same and not state.under_way


class ToolCall(msgspec.Struct, frozen=True):
    """A call that is decided about, and what has come of it so far."""

    action: Action
    name: str
    """The fingerprint of the action."""
    agent: str = ""
    may_ask: bool = False
    must_answer: bool = False
    """Its host waits no longer for a run that is paused."""
    begun: BegunReview | None = None
    saved: CheckpointResult | None = None
    """None: nobody has tried to save the files before it."""
