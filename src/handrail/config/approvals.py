"""The `approvals` section of `handrail.yaml`: what waits for a person, and for how long."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from handrail.config.text_values import FilePath
from handrail.model.action_kind import ActionKind


class AlwaysAllowed(Struct, frozen=True, forbid_unknown_fields=True):
    """One action that a person allows for good, in one project."""

    project: Annotated[
        FilePath, Meta(description="The root of the project; its git work trees count, too.")
    ]
    tool: Annotated[str, Meta(description="The tool: `Bash`, for example.", min_length=1)]
    command: Annotated[
        str, Meta(description="The whole command line; for a tool that runs commands.")
    ] = ""
    folder: Annotated[
        str, Meta(description="The folder inside of the project that it runs in; empty: its root.")
    ] = ""
    fingerprint: Annotated[
        str, Meta(description="The name of the action; for a tool that runs no commands.")
    ] = ""

    def __post_init__(self) -> None:
        if bool(self.command) == bool(self.fingerprint):
            raise ValueError("give a command or a fingerprint, and not both")


class Approvals(Struct, frozen=True, forbid_unknown_fields=True):
    """Actions that wait for a person: those of a run under `manual_approval`, and refused ones.

    In a session with a person at it, the host asks that person instead. `notify.approvals` says
    who hears of a question.
    """

    hold_refused: Annotated[
        bool,
        Meta(
            description="Whether a refused action that a person may overrule waits for their "
            "answer. What is critical, or reaches for Handrail itself, stays refused."
        ),
    ] = False
    require_approval_for: Annotated[
        tuple[ActionKind, ...],
        Meta(
            description="The kinds of action that a person approves, one by one, in a run that "
            "goes on under `manual_approval`. An action of several kinds waits if one of them is "
            "listed."
        ),
    ] = (
        ActionKind.FILE_WRITE,
        ActionKind.FILE_DELETE,
        ActionKind.SYSTEM_COMMAND,
        ActionKind.NETWORK,
    )
    auto_approve: Annotated[
        tuple[ActionKind, ...],
        Meta(
            description="Kinds that need no approval there, even if `require_approval_for` lists "
            "them. A refused action stays refused."
        ),
    ] = ()
    wait_seconds: Annotated[
        int,
        Meta(
            description="How long a call waits for the answer, within `control.hold_seconds`. Then "
            "it is refused for now: the agent goes on with something else, and hears of the "
            "answer at its next step.",
            ge=0,
            le=540,
        ),
    ] = 540
    answer_minutes: Annotated[
        float, Meta(description="How long a person has time to answer.", gt=0, le=10_080)
    ] = 1440
    unanswered: Annotated[
        Literal["deny", "ask_again"],
        Meta(
            description="What a question without an answer becomes. deny: this action is refused "
            "for the rest of the run; ask_again: the next such call asks anew."
        ),
    ] = "ask_again"
    valid_minutes: Annotated[
        int,
        Meta(
            description="How long an answer counts. An approval lets exactly this action through, "
            "once, within that time; a denial refuses it without asking again.",
            ge=1,
            le=1440,
        ),
    ] = 30
    always: Annotated[
        tuple[AlwaysAllowed, ...],
        Meta(
            description="Actions that you have allowed for good (`handrail approve --always`). "
            "Counts only in your own file, ~/.config/handrail/handrail.yaml."
        ),
    ] = ()
