"""Which `handrail` commands a supervised agent may call, with every option that they have."""

from collections.abc import Iterator

import click
import pytest

from handrail.cli import group
from handrail.model import Action, Decision, Kind, Review, Severity
from handrail.review import Reviewer

HARMLESS = set(
    "demo doctor status log explain incident review replay checkpoints diff restore config "
    "approvals task pipeline desktop".split()
) | {
    "",
    "incident list",
    "incident show",
    "config check",
    "config reference",
    "config schema",
    "config show",
    "task list",
    "task show",
    "task schema",
    "pipeline check",
    "pipeline list",
    "pipeline schema",
    "pipeline show",
    "desktop verify",
}
"""What was harmless when this was written, and has to stay so."""
REASONS = {
    "It changes what the guard of this agent does.": "install uninstall feedback pause resume stop",
    "It takes hold of runs in the name of a person.": "watch cancel freeze interrupt steer "
    "redirect reassign escalate",
    "It starts an agent that works on in the name of a person.": "run",
    "It puts files back behind the back of those who work with them.": "undo redo rollback",
    "It takes a checkpoint in the name of a person.": "checkpoint",
    "It sends messages to people in the name of the guard.": "notify",
    "It starts, stops or speaks for the guard of this agent.": "serve",
    "It approves its own actions in the name of a person.": "approve",
    "It answers in the name of a person.": "deny",
    "It merges its own work in the name of a person.": "merge",
    "It writes a file in the name of a person.": "export",
    "It opens the controls in the name of a person.": "panel",
}
"""Why the others are refused."""
REASON_FOR = {
    **{name: why for why, names in REASONS.items() for name in names.split()},
    "panel token": "It opens the controls in the name of a person.",
    "config trust": "It changes the rules of this agent's guard.",
    "incident resume": "It lifts a stop that the guard has set.",
    **{
        f"task {name}": "It changes the tasks of agents in the name of a person."
        for name in ("add", "edit", "retry", "answer", "block", "cancel", "clean")
    },
    **{
        f"desktop {name}": "It looks at the screen of a person, or works on it in their name."
        for name in ("demo", "look", "record", "replay", "watch")
    },
    "pipeline run": "It starts commands and agents in the name of a person.",
    "pipeline trust": "It starts commands and agents in the name of a person.",
    "status --seen": "It hides from people what was noticed about this agent's guard.",
    "doctor --fix": "It puts the guard's log away and starts a new one.",
}
UNKNOWN = "It calls a command of this agent's guard that is not known to be harmless."
REVIEWER = Reviewer(environ={"HOME": "/home/you"}, see_disk=False)
WAYS = (
    "handrail",
    "python -m handrail",
    "python3 -m handrail.cli",
    "/usr/local/bin/handrail",
    ".venv/bin/handrail",
    "uvx handrail",
    "uv run handrail",
    "pipx run handrail",
    "env -u CLAUDECODE handrail",
    "nohup handrail",
)


def _paths(command: click.Command, path: str = "") -> Iterator[tuple[str, str]]:
    """Every command, and each with every option and argument that it has."""
    for parameter in command.params:
        name = parameter.opts[0] if isinstance(parameter, click.Option) else "word"
        is_flag = isinstance(parameter, click.Option) and parameter.is_flag
        yield path, name if is_flag or name == "word" else f"{name} word"
    yield path, ""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _paths(inner, f"{path} {name}".strip())


CALLS = [call for call in _paths(group) if call[1] != "--version"]


def _review(command: str) -> Review:
    return REVIEWER.review(Action("Bash", {"command": command}, "/home/you/shop"))


def _assert_refused(review: Review, reason: str) -> None:
    assert review.decision is Decision.BLOCK
    assert review.reasons[0] == reason
    assert review.alternative
    worst = max(review.effects, key=lambda effect: effect.severity)
    assert (worst.kind, worst.severity) == (Kind.TAMPER, Severity.CRITICAL)


@pytest.mark.parametrize("way", WAYS)
def test_every_command_is_allowed_or_refused_as_it_always_was(way: str) -> None:
    assert len(CALLS) > 200
    for path, more in CALLS if way == "handrail" else [call for call in CALLS if not call[1]]:
        review = _review(f"{way} {path} {more}".strip())
        call = f"{path} {more}" if f"{path} {more}" in REASON_FOR else path
        if call in HARMLESS:
            assert review.decision is Decision.ALLOW, (path, more)
        else:
            _assert_refused(review, REASON_FOR[call])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("more", ["next", "next --quiet", "permit docs", "--quiet x status"])
def test_a_command_that_has_no_row_is_refused(way: str, more: str) -> None:
    _assert_refused(_review(f"{way} {more}"), UNKNOWN)


@pytest.mark.parametrize(
    "command",
    [
        "handrail $WHAT",
        "handrail pa$REST",
        "handrail pau*",
        'handrail ""',
        "handrail $(cat what)",
        "handrail config $WHAT",
        "handrail incident re$REST",
        "handrail config next",
        "xargs handrail < what",
        "for what in status $MORE; do handrail $what; done",
    ],
)
def test_a_command_that_cannot_be_known_is_refused(command: str) -> None:
    review = _review(command)
    assert review.decision is Decision.BLOCK
    assert Kind.TAMPER in {effect.kind for effect in review.effects}


@pytest.mark.parametrize("name", ["pause", "serve", "config", "next"])
def test_the_help_of_every_command_may_be_read(name: str) -> None:
    assert _review(f"handrail {name} --help").decision is Decision.ALLOW
