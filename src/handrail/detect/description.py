"""Describe a kind of finding: for people, for the agent, and for interventions."""

from typing import Literal

import msgspec

from handrail.model.decodable import decodable
from handrail.model.intervention import InterventionName, TestedBy
from handrail.model.ordinal import Severity

Plan = Literal["stuck_in_loop", "lost_context", "resource_exhaustion"]
"""The recovery plan if no file can be restored; `checkpoint_rollback` has the texts."""


class Advice(msgspec.Struct, frozen=True):
    """The cause, and advice: for now, for prevention, and for `handrail.yaml`."""

    cause: str
    now: tuple[str, ...]
    later: tuple[str, ...]
    settings: tuple[str, ...]


class FittingInterventions(msgspec.Struct, frozen=True):
    """The fitting interventions, by the severity of the finding."""

    low: str
    medium: str
    high: str
    critical: str
    at_once: Severity | None = None
    """From this severity on a stop may come first, because each further action can do harm. None:
    never, because such a run wastes only time."""

    @property
    def places(self) -> tuple[str, ...]:
        """Return the interventions for all four severities."""
        return self.low, self.medium, self.high, self.critical

    @property
    def means(self) -> tuple[str, ...]:
        """Return the interventions, each once, from the mildest to the strongest."""
        return tuple(dict.fromkeys(self.places))


GO_BACK = FittingInterventions(
    InterventionName.SOFT_CORRECTION,
    InterventionName.CONTEXT_REINFORCEMENT,
    InterventionName.CHECKPOINT_ROLLBACK,
    InterventionName.EMERGENCY_STOP,
)
SLOW_DOWN = FittingInterventions(
    InterventionName.SOFT_CORRECTION,
    InterventionName.CONTEXT_REINFORCEMENT,
    InterventionName.RESOURCE_THROTTLING,
    InterventionName.EMERGENCY_STOP,
)
"""For findings that a rollback would not help."""
UNKNOWN = msgspec.structs.replace(GO_BACK, at_once=Severity.CRITICAL)
"""For kinds without fitting interventions of their own."""

_STOP = InterventionName.EMERGENCY_STOP
CREEPING = FittingInterventions(
    InterventionName.CONTEXT_REINFORCEMENT, InterventionName.RESOURCE_THROTTLING, _STOP, _STOP
)
SPIRALLING = FittingInterventions(
    InterventionName.RESOURCE_THROTTLING, InterventionName.CHECKPOINT_ROLLBACK, _STOP, _STOP
)
IMAGINING = FittingInterventions(
    InterventionName.CONTEXT_REINFORCEMENT, InterventionName.CHECKPOINT_ROLLBACK, _STOP, _STOP
)
"""Rows of the strategy `pattern_specific` that begin stronger than the ladder does."""

SMALLER_TASK = "Give the agent a smaller task, with a check at its end."
SET_SCOPE = "Set `scope` to the folders that the task needs."
STUCK = Advice(
    "The agent had no new information and did the same again instead of finding another way.",
    (
        "Look at the steps that are named above and say in one sentence what is really wrong.",
        "Tell the agent that cause when it goes on.",
    ),
    ("Put what the agent could not find out by itself into the project's notes.", SMALLER_TASK),
    ("`limits.actions` ends a run that goes on for too long.",),
)
LOST = Advice(
    "The agent worked on something other than its task, or on things that are not there.",
    ("Compare what it did with what it was told.", "Say again what the task is and what is not."),
    (SMALLER_TASK, "Name the files that matter in the prompt."),
    (SET_SCOPE, "Set `goal`, so that drifting away from it is noticed early."),
)
GREEDY = Advice(
    "Each step used more than the one before it, and nothing in the task made it stop.",
    (
        "See what is still there: large files, caches, containers, started services.",
        "Remove them before the run goes on.",
    ),
    (SMALLER_TASK, "Have long work done by a script with a limit of its own."),
    (
        "Lower `step_reviewer.max_file_operations` and `limits.actions`.",
        "`interventions.resource_throttling` slows a run down before it has to be stopped.",
    ),
)
HARMFUL = Advice(
    "The agent touched what is not part of its task, or what it read could leave the machine.",
    (
        "Find out whether anything was sent, and to whom.",
        "Replace every secret that is named in the timeline.",
    ),
    ("Keep secrets out of the folders in which agents work.", "Work in a container or a worktree."),
    (SET_SCOPE, "Add the place to `step_reviewer.rules` as a rule of its own."),
)


def paragraphs(text: str) -> tuple[str, ...]:
    """Split a text at blank lines, and put each part in one line."""
    return tuple(" ".join(each.split()) for each in text.strip().split("\n\n"))


@decodable
class FindingDescription(msgspec.Struct, frozen=True):
    """The description of a kind of finding. Each field has a default that fits any kind."""

    label: str = ""
    """A few words for a list; empty: the kind, written with spaces."""
    meaning: str = ""
    """One sentence for people: docs and `handrail explain` print it."""
    fitting: FittingInterventions | None = None
    """None: `UNKNOWN`, or the settings under `default`."""
    pattern: FittingInterventions | None = None
    """The row for the strategy `pattern_specific`; None: `fitting`."""
    hints: tuple[str, ...] = paragraphs("""
        {says} What you are doing does not lead further. Say in one sentence what you are trying to
        reach, and take a different way to it. If you cannot, stop and say what you need.

        {says} Stop for a moment: what did the last actions show, what did you expect, and what is
        the smallest step that would tell you more? Take that one.
        """)
    """The hints for the agent, used in turn. Handrail skips a hint with `{fields}` that the finding
    lacks; at least one hint needs only {says}. Filled in, a hint has at most 500 characters;
    {says} is cut to make it fit."""
    constraint: str = "Each action must bring the task forward, and you can say how."
    """The constraint to repeat together with the task."""
    example: str = "Say what is open, name the smallest step, take it, look at the result."
    """An example of a better next step."""
    plan: Plan = "stuck_in_loop"
    tested_by: TestedBy = "same"
    """The actions that show whether the trouble is gone."""
    advice: Advice = Advice(
        "A pattern of trouble was seen that went on after milder means.",
        ("Look at the steps that are named above.",),
        (SMALLER_TASK,),
        ("`interventions` says what is done, and when.",),
    )
    """For the person, in the report of an incident."""
