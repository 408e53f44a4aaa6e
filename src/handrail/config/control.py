"""The `control` section of `handrail.yaml`: how long a run can be held."""

from typing import Annotated

from msgspec import Meta, Struct


class Control(Struct, frozen=True, forbid_unknown_fields=True):
    """How long a person can hold a run."""

    hold_seconds: Annotated[
        int,
        Meta(
            description="How long a paused run holds a call. Then Handrail refuses the call with "
            "the advice to wait, and the run stays paused. Hosts wait for 600 s.",
            ge=0,
            le=570,
        ),
    ] = 540
    freeze_seconds: Annotated[
        int,
        Meta(
            description="How long a run stays frozen at most; then it is paused. The connection "
            "to the model would not last longer.",
            ge=1,
            le=3600,
        ),
    ] = 120
