"""Tasks as a person gives them on the command line: options, a file, or an editor."""

import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path

import click
import msgspec

from handrail.cli import options
from handrail.cli.output.listed_problems import ListedProblemsError
from handrail.config import ConfigError
from handrail.config.setting_tree import SettingOrigin
from handrail.fleet.tasks.task import Task
from handrail.fleet.tasks.task_entry import BadTaskError, task_of_entry
from handrail.fleet.tasks.task_file import parse_tasks, read_task_file
from handrail.fleet.tasks.task_schema import TaskEntryLimits
from handrail.fleet.tasks.task_writing import task_yaml
from handrail.hosts import HOSTS
from handrail.model.near_names import did_you_mean

_LIMITS = tuple(TaskEntryLimits.__struct_fields__)


def _split_limits(
    _ctx: click.Context, _param: click.Parameter, given: tuple[str, ...]
) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in given:
        name, _, value = each.partition("=")
        if name not in _LIMITS:
            hint = did_you_mean(name, _LIMITS, f"there are: {', '.join(_LIMITS)}")
            raise click.UsageError(f"--limit {each}: there is no limit {name!r}; {hint}")
        try:
            number = float(value)
        except ValueError:
            raise click.UsageError(f"--limit {each}: write {name}=NUMBER") from None
        found[name] = int(number) if number.is_integer() else number
    return found


_OPTIONS: tuple[Callable[[Callable[..., object]], Callable[..., object]], ...] = (
    click.option("--title", metavar="TEXT", help="A short name for lists."),
    click.option("--verify", metavar="CMD", help="The task is done only if this succeeds."),
    click.option("--scope", multiple=True, metavar="GLOB",
                 help="Paths that the agent may change. Repeatable."),
    click.option("--depends-on", multiple=True, metavar="ID",
                 help="A task that must be done first. Repeatable."),
    click.option("--priority", type=int, metavar="N", help="A higher number goes first."),
    click.option("--model", metavar="NAME", help="The model."),
    click.option("--host", metavar="NAME",
                 help=f"The program that runs the agent: {', '.join(HOSTS)}."),
    click.option("--limit", "limits", multiple=True, metavar="NAME=N", callback=_split_limits,
                 help=f"{', '.join(_LIMITS)}. Repeatable."),
)  # fmt: skip


def task_options(function: options.Function) -> options.Function:
    """Add the options that describe a task."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


def given_keys(described: Mapping[str, object]) -> dict[str, object]:
    """Return the keys of a task that the user gave; `described`: the values of the options."""
    return {name: value for name, value in described.items() if value not in (None, (), {}, "")}


def task_from_options(prompt: str, described: Mapping[str, object], known: Collection[str]) -> Task:
    """Make a task; a bad value ends the command. `known`: the ids of all tasks."""
    return _checked({"prompt": prompt, **given_keys(described)}, known)


def changed_task(
    task: Task, prompt: str, described: Mapping[str, object], known: Collection[str]
) -> Task:
    """Return a task with the values that the user gave, and its own for the others."""
    written = msgspec.to_builtins(task)
    given = given_keys(described)
    if limits := given.get("limits"):
        assert isinstance(limits, dict)
        given["limits"] = {**written.get("limits", {}), **limits}
    return _checked({**written, **given, **({"prompt": prompt} if prompt else {})}, known)


def tasks_in_file(file: str, known: Collection[str]) -> tuple[Task, ...]:
    """Read a task file; its mistakes end the command, and each is told."""
    try:
        return read_task_file(Path(file), known)
    except ConfigError as error:
        raise ListedProblemsError(error.problems) from None


def edited_task(task: Task, known: Collection[str]) -> Task:
    """Let a person edit a task in an editor; the same task if nothing was changed."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("there is no terminal for an editor; use the options instead")
    before = text = task_yaml(task)
    while True:
        text = click.edit(text, extension=".yaml", require_save=False) or before
        if text == before:
            return task
        try:
            return _same_task(parse_tasks(text, SettingOrigin("the task", 1), known), task)
        except (ConfigError, click.ClickException) as error:
            click.echo(f" {error}", err=True)
            if not click.confirm(" Edit it again?", default=True):
                raise click.Abort from None


def read_prompt(words: tuple[str, ...]) -> str:
    """Return a prompt; `-`: from stdin."""
    text = sys.stdin.read() if words == ("-",) else " ".join(words)
    return text.strip()


def _same_task(found: tuple[Task, ...], task: Task) -> Task:
    if [each.id for each in found] != [task.id]:
        raise click.ClickException(f"keep one task here, with the id {task.id}")
    return found[0]


def _checked(entry: Mapping[str, object], known: Collection[str]) -> Task:
    try:
        return task_of_entry(entry, known)
    except BadTaskError as error:
        raise click.UsageError(str(error)) from None
