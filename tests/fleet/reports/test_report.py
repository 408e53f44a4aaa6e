"""The report of a fleet's run, for people and for programs."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.fleet.reports.report import (
    MOST_SHOWN,
    DeferredQuestion,
    FleetReport,
    ReportedCommit,
    TaskReport,
    report_json,
    report_markdown,
    report_totals,
)
from handrail.fleet.tasks.task import TaskStatus
from handrail.fleet.test_results.suite_result import SuiteResult

DATA = Path(__file__).parent / "data"
BEGAN = 1_768_341_600.0  # 2026-01-13T22:00:00Z

NIGHT = FleetReport(
    began=BEGAN,
    ended=BEGAN + 8 * 3600 + 600,
    target="main",
    says="All tasks came to an end.",
    tasks=(
        TaskReport(
            id="auth",
            title="Add the login",
            status=TaskStatus.DONE,
            says="The login works, with tests.",
            attempts=2,
            iterations=7,
            commits=(
                ReportedCommit("abc1234", "feat: add auth module"),
                ReportedCommit("def5678", "test: cover expired | broken tokens"),
            ),
            changed_files=("src/auth.ts", "src/auth.test.ts"),
            tests=SuiteResult(6, 0),
            cost_usd=1.25,
            tokens=120_500,
            minutes=41.4,
            interventions=("Handrail blocked `rm -rf ~`.",),
            merge="merged",
        ),
        TaskReport(
            id="cart",
            title="Speed up the cart | and *more*",
            status=TaskStatus.BLOCKED,
            says="It needs the database password.",
            attempts=1,
            iterations=3,
            changed_files=("src/auth.ts", "src/cart.ts"),
            tests=SuiteResult(4, 2),
            cost_usd=0.4,
            tokens=30_000,
            minutes=75,
            needs="Give it a database, then run `handrail task retry cart`.",
        ),
        TaskReport(id="docs", status=TaskStatus.PENDING),
    ),
    questions=(
        DeferredQuestion(
            task="cart",
            question="Which database?\nThe test one?",
            answer="The test one.",
            by="ada",
            asked=BEGAN + 60,
            answered=BEGAN + 600,
        ),
        DeferredQuestion(
            task="cart",
            question="May I drop it?",
            answer="Decide yourself.",
            asked=BEGAN + 900,
            answered=BEGAN + 1500,
        ),
        DeferredQuestion(task="auth", question="May I add a package?", asked=BEGAN + 1200),
    ),
)


def _golden(name: str, text: str) -> None:
    assert text == (DATA / name).read_text(encoding="utf-8")


def test_the_report_for_people() -> None:
    _golden("report.md", report_markdown(NIGHT))


def test_the_report_for_programs() -> None:
    _golden("report.json", report_json(NIGHT).decode())


def test_a_run_without_tasks_has_a_report() -> None:
    empty = FleetReport(began=BEGAN, ended=BEGAN)
    assert report_markdown(empty) == (
        "# Fleet report\n\n2026-01-13T22:00:00Z to 2026-01-13T22:00:00Z, 0 s\n\n"
        "- Tasks: 0\n- Merged: 0\n- Commits: 0, changed files: 0\n- Tests: unknown\n"
        "- Cost: $0.00, tokens: 0\n- Time of agents: 0 s\n"
        "- Interventions: 0, deferred questions: 0\n\n"
        "## What needs a person\n\nNothing.\n\n## Tasks\n\nThere were none.\n"
    )
    assert msgspec.json.decode(report_json(empty))["totals"]["by_status"] == {
        "pending": 0,
        "active": 0,
        "blocked": 0,
        "done": 0,
        "failed": 0,
    }


def test_a_thousand_tasks_have_a_report() -> None:
    many = tuple(
        TaskReport(
            id=f"task-{number:03}",
            status=TaskStatus.DONE,
            cost_usd=0.1,
            commits=(ReportedCommit(f"{number:07x}", "feat: one"),),
            changed_files=(f"src/{number % 10}.py",),
        )
        for number in range(1000)
    )
    report = FleetReport(began=BEGAN, ended=BEGAN + 60, tasks=many)
    totals = report_totals(report)
    assert (totals.tasks, totals.cost_usd, totals.commits) == (1000, 100.0, 1000)
    assert totals.changed_files == 10
    assert report_markdown(report).count("\n### ") == 1000
    assert len(msgspec.json.decode(report_json(report))["tasks"]) == 1000


def test_a_long_list_is_cut_for_people_and_whole_for_programs() -> None:
    files = tuple(f"{number}.py" for number in range(MOST_SHOWN + 5))
    task = TaskReport(id="a", status=TaskStatus.DONE, changed_files=files)
    report = FleetReport(began=BEGAN, ended=BEGAN, tasks=(task,))
    assert "    - … and 5 more\n" in report_markdown(report)
    assert msgspec.json.decode(report_json(report))["tasks"][0]["changed_files"] == list(files)


HOSTILE = "x | y\n\n# Merged\n| a | b |\n![p](http://x) <img src=x> `code` **b** \\| ~~s~~ \u202e"


def _hostile(text: str) -> FleetReport:
    task = TaskReport(
        id=text,
        title=text,
        status=TaskStatus.FAILED,
        says=text,
        commits=(ReportedCommit(text, text),),
        changed_files=(text,),
        interventions=(text,),
        merge=text,
        needs=text,
    )
    question = DeferredQuestion(task=text, question=text, answer=text, by=text)
    return FleetReport(
        began=BEGAN, ended=BEGAN, target=text, says=text, tasks=(task,), questions=(question,)
    )


def _cells(row: str) -> int:
    """Count the cells as GitHub does: a pipe with an odd number of backslashes is none."""
    return row.replace(r"\\", "").replace(r"\|", "").count("|") - 1


def test_a_hostile_text_changes_nothing_around_it() -> None:
    lines = report_markdown(_hostile(HOSTILE)).splitlines()
    assert [line for line in lines if line.startswith("#")][:-1] == [
        "# Fleet report",
        "## What needs a person",
        "## Deferred questions",
        "## Tasks",
    ]
    rows = [line for line in lines if line.startswith("|")]
    assert [_cells(row) for row in rows] == [4, 4, 4, 8, 8, 8]
    assert r"x \| y # Merged \| a \| b \| !\[p\](http://x) \<img src=x> \`code\`" in lines[4]


@pytest.mark.parametrize("mark", ["# x", "- x", "1. x", "123) x", "> x", "+ x", "=== x", "    x"])
def test_a_text_cannot_begin_a_heading_a_list_or_a_quotation(mark: str) -> None:
    report = FleetReport(began=BEGAN, ended=BEGAN, says=mark)
    line = report_markdown(report).splitlines()[4]
    assert line == "x" or "\\" in line[:4]


@given(st.text(max_size=200) | st.text("#-|\\`1. <x\n", max_size=20))
def test_any_text_keeps_the_shape_of_the_report(text: str) -> None:
    lines = report_markdown(_hostile(text)).splitlines()
    assert sum(line.startswith("#") for line in lines) == 5
    assert [_cells(line) for line in lines if line.startswith("|")] == [4, 4, 4, 8, 8, 8]
