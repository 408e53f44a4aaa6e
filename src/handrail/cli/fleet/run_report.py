"""The report of a fleet's run: collected from its state, git and the runs, and written down."""

import os
from collections.abc import Iterator
from contextlib import suppress
from time import localtime, strftime

import click

from handrail.checkpoint.files import replace_file
from handrail.cli.fleet.opened_fleet import OpenedFleet
from handrail.cli.history.runs import read_log
from handrail.fleet.engine.fleet_state import FleetState, TaskState
from handrail.fleet.reports.report import (
    DeferredQuestion,
    FleetReport,
    ReportedCommit,
    TaskReport,
    report_json,
    report_markdown,
)
from handrail.fleet.tasks.dependencies import StartObstacle, start_obstacles
from handrail.fleet.tasks.task import OPEN, TaskStatus
from handrail.fleet.test_results.suite_result import SuiteResult
from handrail.fleet.workspaces.repository_git import RepositoryGit, open_repository
from handrail.fleet.workspaces.workspace_errors import WorkspaceError
from handrail.fleet.workspaces.workspace_work import as_text, commit_lines
from handrail.server.fleet.places import reports_folder
from handrail.store.private_files import make_folder
from handrail.supervise.log.state_reader import read_state
from handrail.words.amounts import count
from handrail.words.run_signs import NEEDS_YOU
from handrail.words.task_commands import next_commands
from handrail.words.tasks import FAILED, STOPPED, STUCK, describe_task

_MOST_COMMITS = 200
_TOLD = frozenset({"signal", "crash", "recovery", "refused", "stall"})
"""Kinds of audit entries that are interventions."""
_NEEDS_PERSON = frozenset({NEEDS_YOU, FAILED, STOPPED, STUCK})


def fleet_report(
    fleet: OpenedFleet, state: FleetState, *, began: float, ended: float, says: str = ""
) -> FleetReport:
    """Collect the report of a run: the tasks that are open, and those that changed in it."""
    git = open_repository(fleet.repository.top, os.environ)
    statuses = {name: each.status for name, each in state.tasks.items()}
    obstacles = start_obstacles((each.task for each in state.tasks.values()), statuses)
    told = [each for each in state.tasks.values() if each.changed >= began or each.status in OPEN]
    refused = _refused_actions(fleet, told)
    return FleetReport(
        began=began,
        ended=ended,
        target=fleet.merging.default_target(),
        says=says,
        tasks=tuple(
            _task(
                git, each, _needs(each, obstacles.get(each.task.id)), refused.get(each.task.id, "")
            )
            for each in told
        ),
        questions=tuple(question for each in told for question in _questions(each, began)),
    )


def write_report(fleet: OpenedFleet, report: FleetReport, also: str = "") -> str:
    """Write a report to the state folder, and to a file that a person named; return its path."""
    folder = reports_folder(fleet.home, fleet.repository)
    make_folder(folder)
    name = os.path.join(folder, strftime("%Y-%m-%dT%H-%M-%S", localtime(report.ended)))
    written = {
        ".md": report_markdown(report).encode(errors="replace"),
        ".json": report_json(report),
    }
    for ending, content in written.items():
        replace_file(name + ending, content)
    if also:
        ending = ".json" if also.endswith(".json") else ".md"
        try:
            with open(also, "wb") as file:
                file.write(written[ending])
        except OSError as error:
            click.echo(f"! the report is not in {also}: {error.strerror}", err=True)
            return f"{name}.md"
    return also or f"{name}.md"


def _task(git: RepositoryGit, state: TaskState, needs: str, refused: str) -> TaskReport:
    commits, files = _work(git, state)
    tests = next((each for each in reversed(state.audit) if each.passed >= 0), None)
    result = state.result
    return TaskReport(
        id=state.task.id,
        title=state.task.label,
        status=state.status,
        says=state.says or (result.says if result else ""),
        attempts=state.attempt,
        iterations=result.iterations if result else _iterations(state),
        commits=commits,
        changed_files=files,
        tests=SuiteResult(tests.passed, tests.failed) if tests else None,
        cost_usd=state.cost_usd or (result.cost_usd if result else 0.0),
        tokens=state.tokens or (result.tokens if result else 0),
        minutes=result.seconds / 60 if result else 0.0,
        interventions=(*_interventions(state), *((refused,) if refused else ())),
        merge=state.merge.outcome if state.merge else "",
        needs=needs,
    )


def _questions(state: TaskState, began: float) -> Iterator[DeferredQuestion]:
    """Yield the questions of this run, and the older ones that still need a person."""
    for each in state.questions:
        if each.needs_person or max(each.asked, each.answered) >= began:
            yield DeferredQuestion(
                task=state.task.id,
                question=each.text,
                answer=each.answer,
                by=each.by,
                asked=each.asked,
                answered=each.answered,
            )


def _iterations(state: TaskState) -> int:
    return max((each.iteration for each in state.audit), default=0)


def _work(
    git: RepositoryGit, state: TaskState
) -> tuple[tuple[ReportedCommit, ...], tuple[str, ...]]:
    """Return the commits of a task and the files that they change."""
    commit = state.result.commit if state.result else ""
    base = state.workspace.base if state.workspace else ""
    if not commit or not base:
        return (), ()
    try:
        lines = commit_lines(git, f"{base}..{commit}", most=_MOST_COMMITS)
        listed = git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", base, commit, "--")
    except WorkspaceError:  # a person has removed the branch
        return (), ()
    files = (as_text(os.fsdecode(each)) for each in listed.split(b"\0") if each)
    return tuple(ReportedCommit(each.hash[:12], each.subject) for each in lines), tuple(files)


def _interventions(state: TaskState) -> Iterator[str]:
    for entry in state.audit:
        if entry.kind in _TOLD:
            yield f"attempt {entry.attempt}, {entry.kind}: {entry.says or entry.error}"


def _refused_actions(fleet: OpenedFleet, tasks: list[TaskState]) -> dict[str, str]:
    """Say for each task how many actions of its last run Handrail refused or changed."""
    found: dict[str, str] = {}
    with suppress(click.ClickException), read_log(fleet.home) as store:
        for each in tasks:
            if each.run:
                decided = read_state(store, each.run, []).usage.decided
                parts = [
                    f"{word} {count(decided[verdict], 'action')}"
                    for verdict, word in (("block", "refused"), ("modify", "changed"))
                    if decided.get(verdict)
                ]
                if parts:
                    found[each.task.id] = f"Handrail {' and '.join(parts)}"
    return found


def _needs(state: TaskState, obstacle: StartObstacle | None) -> str:
    """Say what a person has to do about a task, or ""."""
    words = describe_task(state, (), obstacle)
    commands = next_commands(state)
    if words.state in _NEEDS_PERSON:
        first = f" ({commands[0][0]})" if commands and words.state != STUCK else ""
        return f"{words.says}{first}"
    if state.status is TaskStatus.DONE and commands and "merge" in commands[0][0]:
        return f"its work is not merged ({commands[0][0]})"
    return ""
