"""The `approvals` section of `handrail.yaml`: what a person approves, and for how long."""

from typing import Annotated

from msgspec import Meta, Struct

from handrail.model.action_kind import ActionKind


class Approvals(Struct, frozen=True, forbid_unknown_fields=True):
    """Actions that wait for a person, in a run that goes on under `manual_approval`."""

    require_approval_for: Annotated[
        tuple[ActionKind, ...],
        Meta(
            description="The kinds of action that a person approves, one by one. An action of "
            "several kinds waits if one of them is listed."
        ),
    ] = (
        ActionKind.FILE_WRITE,
        ActionKind.FILE_DELETE,
        ActionKind.SYSTEM_COMMAND,
        ActionKind.NETWORK,
    )
    valid_minutes: Annotated[
        int,
        Meta(
            description="How long an answer counts. An approval lets exactly this action through, "
            "once, within that time; a denial refuses it without asking again.",
            ge=1,
            le=1440,
        ),
    ] = 30
