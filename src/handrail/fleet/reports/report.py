"""The report at the end of a fleet's run, as JSON and as Markdown.

Its texts come from agents: the Markdown shows them, and none of them can change what stands around.
"""

from collections import Counter
from collections.abc import Iterator

import msgspec

from handrail.control.timestamp import format_timestamp
from handrail.fleet.reports.figures import count, duration, money
from handrail.fleet.reports.markdown_text import code, prose, table
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.test_results.suite_result import SuiteResult

MOST_SHOWN = 20
"""Commits, files and interventions of one task in the Markdown; the JSON has all of them."""
_LONGEST_TITLE = 120
_LONGEST_TEXT = 500
_MERGED = "merged"


class ReportedCommit(msgspec.Struct, frozen=True):
    """A commit of a task."""

    hash: str
    subject: str


class TaskReport(msgspec.Struct, frozen=True, kw_only=True):
    """One task in the report."""

    id: str
    title: str = ""
    status: TaskStatus
    says: str = ""
    """What was done, or why it was not."""
    attempts: int = 0
    iterations: int = 0
    commits: tuple[ReportedCommit, ...] = ()
    changed_files: tuple[str, ...] = ()
    tests: SuiteResult | None = None
    """None: unknown."""
    cost_usd: float = 0.0
    tokens: int = 0
    minutes: float = 0.0
    interventions: tuple[str, ...] = ()
    """What Handrail or a person did about the run, in sentences."""
    merge: str = ""
    """The outcome of its merge: merged, waiting, conflict, …; empty: nobody has tried."""
    needs: str = ""
    """What a person has to do; empty: nothing."""


class DeferredQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """A question that waited for a person."""

    task: str
    question: str
    answer: str = ""
    """The answer that the agent was given; empty: none."""
    by: str = ""
    """Who answered; empty: nobody, or Handrail with the default answer."""
    asked: float = 0.0
    """Seconds since 1970, as the answer; 0: not yet."""
    answered: float = 0.0


class FleetReport(msgspec.Struct, frozen=True, kw_only=True):
    """One run of a fleet."""

    began: float
    """Seconds since 1970, as the end."""
    ended: float
    target: str = ""
    """The branch that tasks are merged into."""
    says: str = ""
    """Why the run ended."""
    tasks: tuple[TaskReport, ...] = ()
    questions: tuple[DeferredQuestion, ...] = ()


class ReportTotals(msgspec.Struct, frozen=True, kw_only=True):
    """The sums over all tasks."""

    tasks: int
    by_status: dict[str, int]
    """For every status, also those without a task."""
    merged: int
    need_person: int
    commits: int
    changed_files: int
    """Different files."""
    tests: SuiteResult | None
    cost_usd: float
    tokens: int
    minutes: float
    interventions: int
    questions: int


class _ReportFile(msgspec.Struct, frozen=True):
    """The JSON document."""

    began: str
    ended: str
    target: str
    says: str
    totals: ReportTotals
    tasks: tuple[TaskReport, ...]
    questions: tuple[DeferredQuestion, ...]


def report_totals(report: FleetReport) -> ReportTotals:
    """Return the sums over all tasks."""
    tasks = report.tasks
    counts = Counter(task.status for task in tasks)
    tests = [task.tests for task in tasks if task.tests is not None]
    return ReportTotals(
        tasks=len(tasks),
        by_status={status.value: counts[status] for status in TaskStatus},
        merged=sum(task.merge == _MERGED for task in tasks),
        need_person=sum(bool(task.needs) for task in tasks),
        commits=sum(len(task.commits) for task in tasks),
        changed_files=len({name for task in tasks for name in task.changed_files}),
        tests=sum(tests, SuiteResult(0, 0)) if tests else None,
        cost_usd=round(sum(task.cost_usd for task in tasks), 6),
        tokens=sum(task.tokens for task in tasks),
        minutes=round(sum(task.minutes for task in tasks), 2),
        interventions=sum(len(task.interventions) for task in tasks),
        questions=len(report.questions),
    )


def report_json(report: FleetReport) -> bytes:
    """Return the report as JSON, for programs."""
    document = _ReportFile(
        format_timestamp(report.began),
        format_timestamp(report.ended),
        report.target,
        report.says,
        report_totals(report),
        report.tasks,
        report.questions,
    )
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def report_markdown(report: FleetReport) -> str:
    """Return the report as Markdown, for people: first of all what needs one of them."""
    lines = [
        *_head(report),
        *_needs(report),
        *_questions(report),
        *_tasks(report),
        *(line for task in report.tasks for line in _details(task)),
    ]
    return "\n".join(lines) + "\n"


def _head(report: FleetReport) -> Iterator[str]:
    totals = report_totals(report)
    states = ", ".join(f"{many:,} {name}" for name, many in totals.by_status.items() if many)
    span = duration(report.ended - report.began)
    yield "# Fleet report"
    yield ""
    yield f"{format_timestamp(report.began)} to {format_timestamp(report.ended)}, {span}"
    if report.says:
        yield f"\n{prose(report.says, _LONGEST_TEXT)}"
    yield ""
    yield f"- Tasks: {totals.tasks:,}{f' ({states})' if states else ''}"
    into = f" into {code(report.target, _LONGEST_TITLE)}" if report.target else ""
    yield f"- Merged{into}: {totals.merged:,}"
    yield f"- Commits: {totals.commits:,}, changed files: {totals.changed_files:,}"
    yield f"- Tests: {_tests(totals.tests)}"
    yield f"- Cost: {money(totals.cost_usd)}, tokens: {totals.tokens:,}"
    yield f"- Time of agents: {duration(totals.minutes * 60)}"
    yield f"- Interventions: {totals.interventions:,}, deferred questions: {totals.questions:,}"


def _needs(report: FleetReport) -> Iterator[str]:
    yield "\n## What needs a person\n"
    waiting = [task for task in report.tasks if task.needs]
    if not waiting:
        yield "Nothing."
    for task in waiting:
        yield f"- {_name(task)}: {prose(task.needs, _LONGEST_TEXT)}"


def _questions(report: FleetReport) -> Iterator[str]:
    if not report.questions:
        return
    yield "\n## Deferred questions\n"
    yield from table(
        ("task", "asked", "question", "answer"),
        [
            (
                code(each.task, _LONGEST_TITLE),
                format_timestamp(each.asked) if each.asked else "",
                prose(each.question, _LONGEST_TEXT),
                _answer_cell(each),
            )
            for each in report.questions
        ],
    )


def _answer_cell(asked: DeferredQuestion) -> str:
    if not asked.answer:
        return "none"
    who = prose(asked.by, _LONGEST_TITLE) or "nobody in time"
    when = f", {format_timestamp(asked.answered)}" if asked.answered else ""
    return f"{prose(asked.answer, _LONGEST_TEXT)} ({who}{when})"


def _tasks(report: FleetReport) -> Iterator[str]:
    yield "\n## Tasks\n"
    if not report.tasks:
        yield "There were none."
        return
    yield from table(
        ("task", "status", "merge", "tests", "commits", "files", "cost", "time"),
        [
            (
                _name(task),
                task.status.value,
                prose(task.merge, _LONGEST_TITLE) or "none",
                _tests(task.tests),
                f"{len(task.commits):,}",
                f"{len(task.changed_files):,}",
                money(task.cost_usd),
                duration(task.minutes * 60),
            )
            for task in report.tasks
        ],
    )


def _details(task: TaskReport) -> Iterator[str]:
    yield f"\n### {_name(task)}\n"
    if task.says:
        yield f"{prose(task.says, _LONGEST_TEXT)}\n"
    yield (
        f"- {task.status.value.capitalize()} after {count(task.attempts, 'attempt')}"
        f" and {count(task.iterations, 'iteration')}, {task.tokens:,} tokens"
    )
    commits = [
        f"{code(each.hash, 40)} {prose(each.subject, _LONGEST_TITLE)}" for each in task.commits
    ]
    yield from _listed("Commits", commits)
    yield from _listed("Changed files", [code(name, 200) for name in task.changed_files])
    yield from _listed("Interventions", [prose(each, _LONGEST_TEXT) for each in task.interventions])


def _listed(title: str, items: list[str]) -> Iterator[str]:
    if not items:
        return
    yield f"- {title}:"
    for item in items[:MOST_SHOWN]:
        yield f"    - {item}"
    if len(items) > MOST_SHOWN:
        yield f"    - … and {len(items) - MOST_SHOWN:,} more"


def _name(task: TaskReport) -> str:
    return f"{code(task.id, _LONGEST_TITLE)} {prose(task.title, _LONGEST_TITLE)}".rstrip()


def _tests(tests: SuiteResult | None) -> str:
    return "unknown" if tests is None else f"{tests.passed:,} of {tests.total:,} passed"
