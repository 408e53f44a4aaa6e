"""The `judge` section of `handrail.yaml`: a model that is asked for a second opinion."""

from typing import Annotated

from msgspec import Meta, Struct


class Judge(Struct, frozen=True, forbid_unknown_fields=True):
    """A second opinion by a model, which can make Handrail stricter and never laxer.

    Needs `pip install 'handrail[judge]'` and an API key. What is asked holds no secrets.
    """

    enabled: Annotated[bool, Meta(description="Whether a model is asked. It costs money.")] = False
    model: Annotated[str, Meta(description="Which model.", min_length=1)] = "claude-haiku-5-5"
    key_variable: Annotated[
        str,
        Meta(
            description="Which line of secrets.env in the state folder has the API key. A line "
            "ANTHROPIC_BASE_URL there names another address to ask.",
            min_length=1,
        ),
    ] = "ANTHROPIC_API_KEY"
    seconds: Annotated[
        float, Meta(description="An answer that takes longer is not waited for.", gt=0, le=10)
    ] = 5
    calls_per_run: Annotated[
        int, Meta(description="How often a model is asked in one run at most.", ge=0)
    ] = 50
    goal_every: Annotated[
        int,
        Meta(description="After how many actions it is asked about the goal; 0: never.", ge=0),
    ] = 20
