"""The `detection` section of `handrail.yaml`: which patterns are looked for in a run."""

from typing import Annotated

from msgspec import Meta, Struct

from handrail.config.texts import Regex
from handrail.model.effect import Kind
from handrail.model.ordinal import Severity

Share = Annotated[float, Meta(ge=0, le=1)]


class CountingRule(Struct, frozen=True, forbid_unknown_fields=True):
    """A pattern of your own: the same sort of action, several times within a few."""

    name: Annotated[str, Meta(description="What the finding is called.", min_length=1)]
    says: Annotated[
        str, Meta(description="What is wrong, in one sentence; the agent reads it.", min_length=1)
    ]
    times: Annotated[int, Meta(description="How often it has to happen.", ge=1, le=50)] = 3
    within: Annotated[int, Meta(description="Among how many of the last actions.", ge=1, le=50)] = (
        10
    )
    severity: Annotated[Severity, Meta(description="How bad it is then.")] = Severity.LOW
    tools: Annotated[
        tuple[str, ...], Meta(description="Condition: the tool has one of these names.")
    ] = ()
    commands: Annotated[
        tuple[Regex, ...],
        Meta(description="Condition: one of these regular expressions is found in the action."),
    ] = ()
    kinds: Annotated[
        tuple[Kind, ...], Meta(description="Condition: an effect is of one of these kinds.")
    ] = ()
    failed: Annotated[
        bool | None, Meta(description="Condition: it failed (true) or worked (false).")
    ] = None

    def __post_init__(self) -> None:
        if not (self.tools or self.commands or self.kinds or self.failed is not None):
            raise ValueError(
                "a rule without a condition would count everything; "
                "give it tools, commands, kinds or failed"
            )
        if self.times > self.within:
            raise ValueError(f"{self.times} times cannot happen within {self.within} actions")


class Detection(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns over many actions that say that a run goes wrong."""

    enabled: Annotated[bool, Meta(description="Whether anything is looked for.")] = True
    disabled: Annotated[
        tuple[str, ...], Meta(description="Kinds of findings to leave out, `goal_drift` say.")
    ] = ()
    counting: Annotated[tuple[CountingRule, ...], Meta(description="Patterns of your own.")] = ()
