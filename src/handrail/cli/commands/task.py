"""`handrail task`: the tasks of a repository, and what became of each."""

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from time import time

import click

from handrail.cli import options
from handrail.cli.fleet.opened_fleet import OpenedFleet, open_fleet
from handrail.cli.fleet.task_answer import chosen_answer, what_follows
from handrail.cli.fleet.task_details import print_view, view_json, view_task
from handrail.cli.fleet.task_input import (
    changed_task,
    edited_task,
    given_keys,
    read_prompt,
    task_from_options,
    task_options,
    tasks_in_file,
)
from handrail.cli.fleet.task_list import print_tasks
from handrail.cli.fleet.task_log import print_task_log
from handrail.cli.fleet.task_lookup import find_task
from handrail.cli.fleet.workspace_cleaning import clean as clean_up
from handrail.cli.fleet.workspace_cleaning import leftovers
from handrail.cli.output.json_line import print_json
from handrail.control.client import user_name
from handrail.fleet.engine.engine import FleetError
from handrail.fleet.engine.events import FleetEvent, TaskBlocked, TaskReleased
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.engine.lease_clock import this_machine
from handrail.fleet.tasks.task import Task, TaskStatus
from handrail.fleet.tasks.task_entry import why_not_new
from handrail.fleet.tasks.task_schema import task_file_schema
from handrail.server.fleet.attempt_end import AgentEnd, end_agent
from handrail.server.fleet.slot_work import LocalSlotWork
from handrail.words.amounts import count
from handrail.words.task_decisions import why_not_decide

_NOT_GONE = 1
_RUN = "Start agents: handrail run --resume"


@click.group()
def command() -> None:
    """Add, list and change the tasks of this repository.

    Agents work through them with `handrail run --resume` or `handrail run tasks.yaml`,
    each in a git worktree and on a branch of its own. `handrail merge` brings their
    work to your branch.

    \b
    Examples:
      handrail task add "Fix the failing tests." --verify "make test"
      handrail task list
      handrail task show fix-the-failing-tests
      handrail task retry fix-the-failing-tests
    """


@command.command(short_help="Add a task, or all tasks of a file.")
@click.argument("words", nargs=-1, metavar="[PROMPT]")
@click.option("--id", "task_id", metavar="ID", help="Its name. Default: made from the prompt.")
@task_options
@click.option("--file", metavar="FILE", help="Add the tasks of this YAML file.")
@options.json_option("Print JSON.")
@options.color_option
def add(
    words: tuple[str, ...],
    task_id: str | None,
    file: str | None,
    as_json: bool,
    **described: object,
) -> int:
    """Add a task for an agent, or with --file many.

    PROMPT may be - for stdin. A file replaces tasks with the same id, unless an agent
    is at work on them.

    \b
    Examples:
      handrail task add "Fix the failing tests." --verify "make test"
      handrail task add "Write the docs." --id docs --depends-on api --limit cost_usd=2
      handrail task add --file tasks.yaml

    Exit code: 0; 2 for an error.
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    state = fleet.engine.state()
    prompt = read_prompt(words)
    if file and (prompt or task_id or given_keys(described)):
        raise click.UsageError("give a prompt or --file, not both")
    if file:
        tasks = tasks_in_file(file, state.tasks)
    elif prompt:
        task = task_from_options(prompt, {"id": task_id, **described}, state.tasks)
        _must_be_new(state, task)
        tasks = (task,)
    else:
        raise click.UsageError(
            'what is the task? For example: handrail task add "Fix the failing tests."'
        )
    with _refusals():
        new = fleet.engine.submit(tasks, user_name())
    _tell_added([each.id for each in tasks], new, as_json=as_json)
    return 0


def _must_be_new(state: FleetState, task: Task) -> None:
    if why := why_not_new(task, {name: each.task for name, each in state.tasks.items()}):
        known = next(name for name in state.tasks if name.casefold() == task.id.casefold())
        raise click.ClickException(
            f"{why}; choose another --id, or change it: handrail task edit {known}"
        )


def _tell_added(tasks: list[str], new: list[str], *, as_json: bool) -> None:
    if as_json:
        says = f"{', '.join(new)} added" if new else "known already"
        print_json({"tasks": tasks, "new": new, "says": says})
        return
    screen = options.screen()
    for name in new[:10]:
        screen.say(f" {screen.paint('✓', 'green')} {screen.paint(name, 'bold')}  added")
    if len(new) > 10:
        screen.say(f"   … and {len(new) - 10:,} more")
    if known := len(tasks) - len(new):
        screen.say(f"   {count(known, 'task')} known already")
    screen.paragraph(_RUN, "dim", indent=3)


@command.command("list", short_help="List the tasks.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice([each.value for each in TaskStatus]),
    help="Only tasks with this status. Repeatable.",
)
@options.json_option("Print JSON.")
@options.color_option
def list_(statuses: tuple[str, ...], as_json: bool) -> int:
    """List the tasks of this repository, in the order in which they were added.

    \b
    Examples:
      handrail task list
      handrail task list --status blocked --status failed
      handrail task list --json | jq '.[] | select(.merge == "conflict")'
    """
    state = open_fleet(os.getcwd()).engine.state()
    print_tasks(options.screen(), state, frozenset(statuses), as_json=as_json)
    return 0


@command.command(short_help="Show one task and its history.")
@click.argument("name", metavar="ID")
@click.option("--log", "story", is_flag=True, help="Show its whole story instead.")
@click.option("-f", "--follow", "follows", is_flag=True, help="With --log: keep printing.")
@options.json_option("Print everything as JSON, with the recovery context.")
@options.color_option
def show(name: str, story: bool, follows: bool, as_json: bool) -> int:
    """Show a task: its state, attempts, workspace, merge and audit log.

    ID may be the beginning of one. With --log you see what became of it, line by line:
    claims, results, recoveries, merges, questions and decisions; with --json one object
    per event.

    \b
    Examples:
      handrail task show docs
      handrail task show docs --log --follow     keep watching, until Ctrl-C
      handrail task show docs --json | jq .recoveryContext
    """
    if follows and not story:
        raise click.UsageError("--follow needs --log")
    fleet = open_fleet(os.getcwd())
    state = fleet.engine.state()
    task = find_task(state, name)
    if story:
        print_task_log(fleet, task.task.id, follows=follows, as_json=as_json)
        return 0
    view = view_task(fleet, state, task)
    if as_json:
        print_json(view_json(view))
    else:
        print_view(options.screen(), view)
    return 0


@command.command(short_help="Change a task.")
@click.argument("name", metavar="ID")
@click.option("--prompt", default="", metavar="TEXT", help="What the agent is told to do.")
@task_options
@options.json_option("Print JSON.")
@options.color_option
def edit(name: str, prompt: str, as_json: bool, **described: object) -> int:
    """Change a task that no agent is at work on.

    Without options, your editor ($EDITOR) opens with the task. A done task keeps its
    result; `handrail task retry --again` lets it be done once more.

    \b
    Examples:
      handrail task edit docs
      handrail task edit docs --priority 5 --verify "make docs"
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    state = fleet.engine.state()
    task = find_task(state, name).task
    if prompt or given_keys(described):
        changed = changed_task(task, prompt, described, state.tasks)
    else:
        changed = edited_task(task, state.tasks)
    if changed != task:
        with _refusals():
            fleet.engine.submit([changed], user_name())
    _tell(changed.id, "changed" if changed != task else "not changed", as_json=as_json)
    return 0


@command.command(short_help="Let a task be tried again.")
@click.argument("name", metavar="ID")
@click.option("--again", is_flag=True, help="Also if it is done.")
@click.option("--message", default="", metavar="TEXT", help="Tell its agent this, too.")
@options.json_option("Print JSON.")
@options.color_option
def retry(name: str, again: bool, message: str, as_json: bool) -> int:
    """Let a stopped, blocked, failed or cancelled task be tried again.

    The next attempt uses the same workspace, and learns what the earlier ones did.

    \b
    Examples:
      handrail task retry docs
      handrail task retry docs --message "Use the new API."
      handrail task retry docs --again
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    task = find_task(fleet.engine.state(), name)
    known = task.task.id
    if task.status is TaskStatus.ACTIVE or (task.status is TaskStatus.DONE and not again):
        raise click.ClickException(why_not_decide("retry", task))
    _record(fleet, TaskReleased(time(), known, user_name(), message))
    _tell(known, "may be tried again", _RUN, as_json=as_json)
    return 0


@command.command(short_help="Answer a question of a task's agent.")
@click.argument("name", metavar="ID")
@click.argument("words", nargs=-1, required=True, metavar="[QUESTION] TEXT")
@options.json_option("Print JSON.")
@options.color_option
def answer(name: str, words: tuple[str, ...], as_json: bool) -> int:
    """Answer a question that the agent of a task asks you.

    QUESTION is its number; it is needed if several are open. The agent gets the answer in
    its next turn. A task that is blocked is released, too, once all its questions have one.

    \b
    Examples:
      handrail task answer docs "Use the new API."
      handrail task answer docs 2 "Yes, but keep the old name."
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    task = find_task(fleet.engine.state(), name)
    given = chosen_answer(task, words)
    for event in given.events(time(), user_name()):
        _record(fleet, event)
    hint = _RUN if given.releases else what_follows(given)
    _tell(task.task.id, f"question {given.number} is answered", hint, as_json=as_json)
    return 0


@command.command(short_help="Keep a task from agents.")
@click.argument("name", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why; the list shows it.")
@options.json_option("Print JSON.")
@options.color_option
def block(name: str, reason: str, as_json: bool) -> int:
    """Block a task until a person releases it with `handrail task retry`.

    An agent that is at work on it is ended first. Its workspace stays.

    \b
    Example:
      handrail task block deploy --reason "Wait for the release."

    Exit code: 0; 1 if processes of its agent are left; 2 for an error.
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    task = _deciding("block", fleet, name)
    by = user_name()
    says = reason or f"blocked by {by}"
    _record(fleet, TaskBlocked(time(), task.task.id, says, by))
    return _tell_end(task.task.id, "blocked", _end_agent(fleet, task), as_json=as_json)


@command.command(short_help="Give up a task.")
@click.argument("name", metavar="ID")
@click.option("--reason", default="", metavar="TEXT", help="Why; the list shows it.")
@options.json_option("Print JSON.")
@options.color_option
def cancel(name: str, reason: str, as_json: bool) -> int:
    """Give up a task, and end the agent that is at work on it.

    Its workspace stays; `handrail task clean ID` removes it. `handrail task retry`
    takes the task up again.

    \b
    Example:
      handrail task cancel docs --reason "Not needed any more."

    Exit code: 0; 1 if processes of its agent are left; 2 for an error.
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    task = _deciding("cancel", fleet, name)
    by = user_name()
    with _refusals():
        fleet.engine.cancel(task.task.id, by, reason or f"cancelled by {by}")
    return _tell_end(task.task.id, "cancelled", _end_agent(fleet, task), as_json=as_json)


@command.command(short_help="Remove leftover worktrees and branches.")
@click.argument("names", nargs=-1, metavar="[ID]...")
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
@options.json_option("Print JSON; remove only with --yes.")
@options.color_option
def clean(names: tuple[str, ...], yes: bool, as_json: bool) -> int:
    """Remove worktrees and branches that no task uses any more.

    With IDs, it removes the workspaces of these tasks. It first shows what would be
    lost, and asks.

    \b
    Examples:
      handrail task clean
      handrail task clean docs

    Exit code: 0; 1 if something is left; 2 for an error.
    """
    options.by_a_person()
    fleet = open_fleet(os.getcwd())
    state = fleet.engine.state()
    tasks = [find_task(state, name).task.id for name in names]
    found = leftovers(fleet, state, tasks)
    return clean_up(options.screen(), fleet, found, yes=yes, as_json=as_json)


@command.command(short_help="Print the JSON Schema of tasks.yaml.")
def schema() -> int:
    """Print the JSON Schema of tasks.yaml, for editors.

    \b
    Example:
      handrail task schema > tasks.schema.json
    """
    sys.stdout.write(json.dumps(task_file_schema(), indent=2) + "\n")
    return 0


def _deciding(decision: str, fleet: OpenedFleet, name: str) -> TaskState:
    """Return the task that a person decides about; one that does not take this ends the command."""
    task = find_task(fleet.engine.state(), name)
    if why := why_not_decide(decision, task):
        raise click.ClickException(why)
    return task


def _end_agent(fleet: OpenedFleet, before: TaskState) -> AgentEnd:
    machine = this_machine()
    work = LocalSlotWork(fleet.home, fleet.repository, fleet.workspaces, fleet.settings, machine)
    return asyncio.run(end_agent(work, machine, before))


def _record(fleet: OpenedFleet, event: FleetEvent) -> None:
    with _refusals():
        fleet.engine.record(event)


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn a refusal of the engine into an error of the command."""
    try:
        yield
    except FleetError as error:
        raise click.ClickException(str(error)) from None


def _tell(task: str, did: str, hint: str = "", *, as_json: bool) -> None:
    if as_json:
        print_json({"task": task, "did": did})
        return
    screen = options.screen()
    screen.say(f" {screen.paint('✓', 'green')} {screen.paint(task, 'bold')}  {did}")
    if hint:
        screen.paragraph(hint, "dim", indent=3)


def _tell_end(task: str, did: str, end: AgentEnd, *, as_json: bool) -> int:
    if as_json:
        print_json({"task": task, "did": did, "agentGone": end.is_gone, "says": end.says})
    else:
        screen = options.screen()
        mark = screen.paint("✓", "green") if end.is_gone else screen.paint("!", "yellow")
        screen.paragraph(f"{task} is {did}; {end.says}", mark=mark)
    return 0 if end.is_gone else _NOT_GONE
