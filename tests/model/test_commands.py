"""The rows of `handrail COMMAND`: an agent may make only the calls that a row calls harmless."""

import pytest

from handrail.model.action import Action
from handrail.model.commands import CLI_COMMANDS, CliCommand
from handrail.model.ordinal import Decision
from handrail.review import Reviewer

CALLS = ("handrail {}", "uvx handrail {}", "python3 -m handrail {}")


def decided(command: str) -> Decision:
    return Reviewer(environ={}).review(Action("Bash", {"command": command}, "/")).decision


@pytest.mark.parametrize("row", CLI_COMMANDS, ids=lambda row: row.name)
def test_an_agent_may_call_only_what_its_row_calls_harmless(row: CliCommand) -> None:
    plain = Decision.ALLOW if row.harmless else Decision.BLOCK  # a bare group prints its help
    assert {decided(call.format(row.name)) for call in CALLS} == {plain}
    if row.harmless not in ("", "*"):
        assert {decided(f"handrail {row.name} {sub}") for sub in row.harmless.split("|")} == {
            Decision.ALLOW
        }
    if row.unless:
        assert decided(f"handrail {row.name} {row.unless}") is Decision.BLOCK


@pytest.mark.parametrize("command", ["teleport", "$X", "config $X", "config teleport"])
def test_a_command_without_a_row_is_refused(command: str) -> None:
    """A new command is out of an agent's reach until somebody calls it harmless."""
    assert {decided(call.format(command)) for call in CALLS} == {Decision.BLOCK}


def test_a_person_alone_says_that_a_notice_was_seen() -> None:
    assert decided("handrail status --seen") is Decision.BLOCK
    assert decided("handrail status --all --json") is Decision.ALLOW
