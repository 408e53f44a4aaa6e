"""The report of a run: commits, files, tests, cost, interventions, and who is needed."""

import json
from pathlib import Path

from tests.cli.fleet_shell import FleetShell

from handrail.cli.fleet.run_report import fleet_report, write_report
from handrail.fleet.engine.events import (
    QuestionAnswered,
    QuestionAsked,
    QuestionTimedOut,
    TaskAudited,
)


def test_it_tells_what_was_done_and_what_needs_a_person(fleet: FleetShell) -> None:
    fleet.add("api", "docs")
    claim = fleet.claim()
    fleet.engine.note(TaskAudited(1.0, "api", 1, "crash", "its driver ended"))
    fleet.engine.give_back(claim.ticket, "its driver ended")
    assert fleet.do("docs.txt") == "docs"
    assert fleet.do("api.txt") == "api"
    fleet.add("site")
    fleet.run("task", "block", "site", "--reason", "Which colour?")
    report = fleet_report(fleet.opened, fleet.engine.state(), began=0.0, ended=60.0)
    api, docs, site = report.tasks
    assert [each.subject for each in api.commits] == ["do api"]
    assert api.changed_files == ("api.txt",)
    assert (api.attempts, api.iterations, api.minutes) == (2, 2, 1.5)
    assert api.interventions == ("attempt 1, crash: its driver ended",)
    assert docs.needs == "its work is not merged (handrail merge docs)"
    assert site.needs == "needs you: Which colour? (handrail task retry site)"
    assert report.target == "main"


def test_a_task_that_cannot_start_names_the_cause(fleet: FleetShell) -> None:
    fleet.add("api")
    fleet.add("docs", after=("api",))
    fleet.run("task", "cancel", "api")
    report = fleet_report(fleet.opened, fleet.engine.state(), began=0.0, ended=1.0)
    assert report.tasks[1].needs == "cannot start: it depends on api, and api has failed"


def test_tasks_of_earlier_runs_are_left_out_unless_they_are_open(fleet: FleetShell) -> None:
    fleet.add("old", "open")
    fleet.do("old.txt")
    later = fleet.engine.state().changed + 1
    report = fleet_report(fleet.opened, fleet.engine.state(), began=later, ended=later + 1)
    assert [each.id for each in report.tasks] == ["open"]


def test_it_is_written_as_markdown_and_json_and_where_a_person_wants_it(
    fleet: FleetShell, tmp_path: Path
) -> None:
    fleet.add("api")
    fleet.do("api.txt")
    report = fleet_report(fleet.opened, fleet.engine.state(), began=0.0, ended=1.0)
    path = Path(write_report(fleet.opened, report))
    assert path.read_text().startswith("# Fleet report")
    assert json.loads(path.with_suffix(".json").read_text())["totals"]["tasks"] == 1
    mine = tmp_path / "night.json"
    assert write_report(fleet.opened, report, str(mine)) == str(mine)
    assert json.loads(mine.read_text())["tasks"][0]["id"] == "api"
    nowhere = str(tmp_path / "none" / "night.md")
    assert write_report(fleet.opened, report, nowhere) == str(path), "it is not lost"


def test_questions_are_reported_with_their_answers(fleet: FleetShell) -> None:
    fleet.add("api")
    fleet.claim()
    for number, text in enumerate(("Which colour?", "Which size?", "Why?"), 1):
        fleet.engine.note(QuestionAsked(float(number), "api", 1, text))
    fleet.engine.note(QuestionTimedOut(10.0, "api", 1, 1, "Decide yourself."))
    fleet.engine.record(QuestionAnswered(11.0, "api", 2, "Large.", "ada"))
    report = fleet_report(fleet.opened, fleet.engine.state(), began=0.0, ended=60.0)
    assert [(each.question, each.answer, each.by) for each in report.questions] == [
        ("Which colour?", "Decide yourself.", ""),
        ("Which size?", "Large.", "ada"),
        ("Why?", "", ""),
    ]
    later = fleet_report(fleet.opened, fleet.engine.state(), began=20.0, ended=60.0)
    assert [each.question for each in later.questions] == ["Which colour?", "Why?"]
