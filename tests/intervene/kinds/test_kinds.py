"""Every intervention describes itself, in a file that is called after it."""

import re
from pathlib import Path

import pytest

from handrail.config.names import intervention_names
from handrail.intervene import Capability, InterventionKind
from handrail.intervene.registry import KINDS
from handrail.intervene.score import LADDER
from handrail.model.intervention import InterventionName
from tests.intervene.controller_setup import finding, situation

ARCHITECTURE = (Path(__file__).parents[3] / "docs" / "architecture.md").read_text()


def test_settings_know_every_intervention_by_its_file() -> None:
    assert intervention_names() == set(KINDS)


def test_the_ladder_goes_from_the_mildest_to_the_strongest() -> None:
    assert list(LADDER) == list(InterventionName)


@pytest.mark.parametrize(
    ("name", "can", "has_power"),
    [
        (InterventionName.SOFT_CORRECTION, (), True),
        (InterventionName.CONTEXT_REINFORCEMENT, (), False),
        (InterventionName.CONTEXT_REINFORCEMENT, (Capability.INJECT,), True),
        (InterventionName.RESOURCE_THROTTLING, (Capability.INJECT,), False),
        (InterventionName.RESOURCE_THROTTLING, (Capability.REWRITE,), True),
        (InterventionName.CHECKPOINT_ROLLBACK, (Capability.DENY,), False),
        (InterventionName.CHECKPOINT_ROLLBACK, (Capability.INJECT,), True),
        (InterventionName.EMERGENCY_STOP, (), True),
    ],
)
def test_what_each_needs_of_the_host(
    name: InterventionName, can: tuple[Capability, ...], has_power: bool
) -> None:
    assert KINDS[name].has_power(frozenset(can)) is has_power


def test_the_recipe_for_an_intervention_works() -> None:
    (code,) = re.findall(r"(?s)## How to add an intervention.*?```python\n(.*?)```", ARCHITECTURE)
    names: dict[str, object] = {}
    exec(code, names)  # noqa: S102 - it is our own page
    kind = names["KIND"]
    assert isinstance(kind, InterventionKind)
    draft = kind.make(finding(), situation(), None, None)  # type: ignore[arg-type]  # unused
    assert draft is not None
    assert draft.guidance.endswith("wait for the answer.")
