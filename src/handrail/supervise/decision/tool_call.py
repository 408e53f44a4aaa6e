"""A tool call on its way to a verdict."""

import msgspec

from handrail.model.action import Action
from handrail.review.reviewer import ReviewDraft
from handrail.supervise.decision.checkpoint_request import CheckpointResult
from handrail.supervise.runs.project import Project
from handrail.supervise.state.run_state import RunState


class BegunReview(msgspec.Struct, frozen=True):
    """A review that waits for a checkpoint, with its settings and state."""

    draft: ReviewDraft
    project: Project
    state: RunState
    step: int
    prompts: int
    seconds: float
    """Its cost so far."""

    def still_holds(self, project: Project, state: RunState) -> bool:
        """Return whether the run has done and heard nothing since, and does nothing now."""
        is_same = self.project is project and self.state is state
        before = (self.step, self.prompts, 0)
        return is_same and before == (state.step, state.prompts, state.under_way)


class CallUnderReview(msgspec.Struct, frozen=True):
    """A call on its way to a decision, with the results so far."""

    action: Action
    name: str
    """The fingerprint of the action."""
    agent: str = ""
    may_ask: bool = False
    must_answer: bool = False
    """Its host does not wait for a paused run any longer."""
    begun: BegunReview | None = None
    saved: CheckpointResult | None = None
    """None: nobody has tried to save the files before it."""
