"""The `judge` section of `handrail.yaml`: a model that gives a second opinion."""

from typing import Annotated

from msgspec import Meta, Struct


class Judge(Struct, frozen=True, forbid_unknown_fields=True):
    """A second opinion by a model. It can make Handrail stricter, never laxer.

    Needs `pip install 'handrail[judge]'` and an API key. The questions hold no secrets.
    """

    enabled: Annotated[bool, Meta(description="Whether to ask a model. It costs money.")] = False
    model: Annotated[str, Meta(description="Which model.", min_length=1)] = "claude-haiku-5-5"
    key_variable: Annotated[
        str,
        Meta(
            description="The line of secrets.env in the state folder with the API key. A line "
            "ANTHROPIC_BASE_URL there names another address.",
            min_length=1,
        ),
    ] = "ANTHROPIC_API_KEY"
    seconds: Annotated[
        float, Meta(description="How long Handrail waits for an answer.", gt=0, le=10)
    ] = 5
    calls_per_run: Annotated[
        int, Meta(description="How many questions in one run at most.", ge=0)
    ] = 50
    goal_every: Annotated[
        int,
        Meta(description="Ask about the goal after every so many actions; 0: never.", ge=0),
    ] = 20
