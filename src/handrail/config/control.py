"""The `control` section of `handrail.yaml`: how long a run can be held."""

from typing import Annotated

from msgspec import Meta, Struct


class Control(Struct, frozen=True, forbid_unknown_fields=True):
    """What happens to an agent while a person holds its run."""

    hold_seconds: Annotated[
        int,
        Meta(
            description="For how long a call is held while the run is paused. Then it is refused "
            "with the advice to wait, and the run stays paused. Hosts wait for 600 s.",
            ge=0,
            le=570,
        ),
    ] = 540
    freeze_seconds: Annotated[
        int,
        Meta(
            description="For how long a run stays frozen at most; then it is paused. A model's "
            "answer does not wait for longer.",
            ge=1,
            le=3600,
        ),
    ] = 120
