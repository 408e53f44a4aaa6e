"""Remove worktrees and branches that no task uses any more, after asking."""

import sys
from collections.abc import Iterator, Sequence

import click
import msgspec

from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.cli.output.file_changes import ask_to_agree
from handrail.cli.output.json_line import print_json
from handrail.cli.output.terminal import TerminalOutput
from handrail.fleet.engine.fleet_state import FleetState
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.workspaces.repository_git import open_repository
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_loss import WorkspaceLoss, loss_of
from handrail.fleet.workspaces.workspace_orphans import (
    Orphan,
    OrphanKind,
    find_orphans,
    remove_orphan,
)
from handrail.words.amounts import count

_NONE = "Nothing to clean up: every worktree and branch of Handrail belongs to a task."
_SHOWN = 5


def leftovers(fleet: OpenedFleet, state: FleetState, tasks: Sequence[str]) -> list[Orphan]:
    """Return what can be removed: what nobody uses, or the workspaces of these tasks."""
    if not tasks:
        return find_orphans(fleet.workspaces, state.tasks)
    for name in tasks:
        if state.tasks[name].status is TaskStatus.ACTIVE:
            raise click.ClickException(
                f"an agent is at work on {name}; end it first: handrail task cancel {name}"
            )
    return list(_workspaces_of(fleet, state, tasks))


def _workspaces_of(fleet: OpenedFleet, state: FleetState, tasks: Sequence[str]) -> Iterator[Orphan]:
    workspaces = fleet.workspaces
    git = open_repository(workspaces.repository, workspaces.environ)
    for name in tasks:
        for each in workspaces.of_task(name):
            why = f"the task is {state.tasks[name].status.value}"
            loss = loss_of(git, each, workspaces.environ)
            yield Orphan(each.name, OrphanKind.NO_TASK, why, each.branch, name, each.path, loss)


def clean(
    screen: TerminalOutput, fleet: OpenedFleet, found: Sequence[Orphan], *, yes: bool, as_json: bool
) -> int:
    """Show what would be removed and lost, ask, and remove it; return the exit code."""
    if as_json and not yes:
        print_json({"removed": [], "found": [msgspec.to_builtins(each) for each in found]})
        return 0
    if not as_json:
        _show(screen, found)
    if not found:
        if as_json:
            print_json({"removed": [], "found": []})
        return 0
    sys.stdout.flush()
    question = f"Remove {count(len(found), 'leftover')}?"
    if not ask_to_agree(question, yes=yes, asks=not as_json, default=False):
        return 1
    removed, problems = [], []
    for each in found:
        try:
            remove_orphan(fleet.workspaces, each)
            removed.append(each.name)
        except WorkspaceError as error:
            problems.append(f"{each.name}: {error}")
    if as_json:
        print_json({"removed": removed, "problems": problems})
        return 1 if problems else 0
    screen.say(f" {screen.paint('✓', 'green')} {count(len(removed), 'leftover')} removed")
    for problem in problems:
        screen.paragraph(problem, mark=screen.paint("✗", "red"))
    return 1 if problems else 0


def _show(screen: TerminalOutput, found: Sequence[Orphan]) -> None:
    if not found:
        screen.paragraph(_NONE)
    for each in found:
        screen.say(f" {screen.paint('·', 'dim')} {screen.paint(each.name, 'bold')}  {each.why}")
        for text in (each.path, f"branch {each.branch}" if each.branch else ""):
            if text:
                screen.paragraph(text, "dim", indent=3)
        for text in _lost(each.loss):
            screen.paragraph(text, "yellow", indent=3)


def _lost(loss: WorkspaceLoss) -> Iterator[str]:
    if loss.files:
        yield f"loses {count(len(loss.files), 'uncommitted file')}: {_some(loss.files)}"
    if loss.commits:
        subjects = [f"{each.hash[:8]} {each.subject}" for each in loss.commits]
        many = count(len(loss.commits), "commit")
        yield f"loses {many} that nothing else holds: {_some(subjects)}"
    if loss.unknown:
        yield f"git cannot tell what it holds: {loss.unknown}"
    if not loss:
        yield "loses nothing"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")
