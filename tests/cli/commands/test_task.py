"""`handrail task`: add, list, show, edit, retry, block, cancel, clean and schema."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import HandrailShell
from tests.cli.fake_terminal import FakeTerminal
from tests.cli.fleet_shell import FleetShell

from handrail.cli import main
from handrail.fleet.engine.engine import Ticket
from handrail.fleet.engine.events import (
    AttemptOutcome,
    AttemptResult,
    QuestionAsked,
    TaskAudited,
)
from handrail.fleet.recovery.audit import RecoveryContext
from handrail.fleet.recovery.audit_log import prompt_of
from handrail.fleet.tasks.task import Task, TaskStatus

pytestmark = pytest.mark.slow


def test_a_task_added_on_the_command_line_has_all_its_options(fleet: FleetShell) -> None:
    fleet.run("task", "add", "Write the API.", "--id", "api")
    done = fleet.run(
        "task", "add", "Write the docs.", "--id", "docs", "--title", "Docs", "--verify", "make",
        "--scope", "docs/**", "--depends-on", "api", "--priority", "3", "--model", "haiku",
        "--host", "claude", "--limit", "cost_usd=2.5", "--limit", "iterations=4",
    )  # fmt: skip
    assert done.code == 0, done.err
    task = fleet.task("docs").task
    assert (task.prompt, task.title, task.verify) == ("Write the docs.", "Docs", "make")
    assert (task.depends_on, task.priority, task.model) == (("api",), 3, "haiku")
    assert (task.limits.cost_usd, task.limits.iterations) == (2.5, 4)
    assert "docs  added" in done.out
    assert "handrail run --resume" in done.out


def test_a_prompt_comes_from_stdin_and_names_its_task(fleet: FleetShell) -> None:
    added = fleet.run("task", "add", "-", "--json", stdin=b"Fix the tests.\nAll of them.\n")
    (name,) = added.json["new"]
    assert name.startswith("fix-the-tests")
    assert fleet.task(name).task.prompt == "Fix the tests.\nAll of them."


def test_the_tasks_of_a_file_are_added_and_may_depend_on_known_ones(fleet: FleetShell) -> None:
    fleet.add("api")
    fleet.write(
        "tasks.yaml", "tasks:\n- {id: docs, prompt: Write., depends_on: [api]}\n- Test it\n"
    )
    assert fleet.run("task", "add", "--file", "tasks.yaml").code == 0
    assert list(fleet.engine.state().tasks) == ["api", "docs", "test-it"]
    again = fleet.run("task", "add", "--file", "tasks.yaml", "--json")
    assert again.json == {"tasks": ["docs", "test-it"], "new": [], "says": "known already"}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ((), "what is the task?"),
        (("Go.", "--depends-on", "apy"), "there is no task 'apy'; did you mean api?"),
        (("Go.", "--limit", "cost=1"), "there is no limit 'cost'; did you mean cost_usd?"),
        (("Go.", "--limit", "tokens=many"), "write tokens=NUMBER"),
        (("Go.", "--host", "cloude"), "did you mean claude?"),
        (("Go.", "--id", "a/b"), "cannot be an id"),
        (("Go.", "--id", "API"), "there is a task api already"),
        (("Go.", "--file", "tasks.yaml"), "not both"),
        (("--file", "none.yaml"), "none.yaml"),
    ],
)
def test_a_task_that_cannot_be_added_is_explained(
    fleet: FleetShell, args: tuple[str, ...], says: str
) -> None:
    fleet.add("api")
    refused = fleet.run("task", "add", *args)
    assert refused.code == 2
    assert says in refused.err
    assert list(fleet.engine.state().tasks) == ["api"]


def test_every_mistake_of_a_file_has_a_line_of_its_own(fleet: FleetShell) -> None:
    fleet.write("bad.yaml", "tasks:\n- id: a b\n  prompt: Go.\n- {id: c, promt: Go.}\n")
    for command in (("task", "add", "--file"), ("run",)):
        refused = fleet.run(*command, "bad.yaml")
        assert refused.code == 2
        lines = refused.err.splitlines()
        assert [line.split(": ")[:3] for line in lines[:2]] == [
            ["handrail", "bad.yaml:2", "tasks[0].id"],
            ["handrail", "bad.yaml:4", "tasks[1].promt"],
        ]
    assert fleet.engine.state().tasks == {}


def test_the_list_shows_who_waits_for_whom_and_who_needs_you(fleet: FleetShell) -> None:
    fleet.add("api")
    fleet.add("docs", after=("api",))
    fleet.add("site")
    fleet.run("task", "block", "site", "--reason", "Wait for the release.")
    shown = fleet.run("task", "list").out.splitlines()
    assert [line.split()[1:3] for line in shown[:3]] == [
        ["api", "ready"], ["docs", "waiting"], ["site", "needs"],
    ]  # fmt: skip
    assert "Wait for the release." in shown[2]
    assert shown[-1] == " 1 needs you, 1 ready, 1 waiting"
    only = fleet.run("task", "list", "--status", "blocked", "--json").json
    assert [(each["id"], each["status"]) for each in only] == [("site", "blocked")]


def test_without_tasks_the_list_says_how_to_add_one(fleet: FleetShell) -> None:
    shown = fleet.run("task", "list")
    assert shown.code == 0
    assert "handrail task add" in shown.out
    assert fleet.run("task", "list", "--json").json == []


def test_outside_of_a_repository_it_says_so(
    shell: HandrailShell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = shell.run("task", "list")
    assert shown.code == 2
    assert "is not in a git repository; run `git init` there first" in shown.err


def test_a_thousand_tasks_fit_the_screen(fleet: FleetShell) -> None:
    names = [f"task-{number}" for number in range(1_000)]
    fleet.engine.submit([Task(id=name, prompt="Do it. " * 30) for name in names])
    lines = fleet.run("task", "list").out.splitlines()
    assert len(lines) == 1_002
    assert max(map(len, lines)) <= 80


def test_a_wrong_id_is_answered_with_the_nearest(fleet: FleetShell) -> None:
    fleet.add("api", "docs", "docs-2")
    assert "did you mean docs?" in fleet.run("task", "show", "dosc").err
    assert "several tasks begin with 'doc'" in fleet.run("task", "show", "doc").err
    assert fleet.run("task", "show", "ap", "--json").json["id"] == "api"


def test_show_tells_attempt_workspace_audit_and_what_comes_next(fleet: FleetShell) -> None:
    fleet.add("api")
    claim = fleet.claim()
    task = fleet.task("api")
    assert task.workspace is not None
    fleet.write("new.txt", "1\n", Path(task.workspace.path))
    fleet.engine.note(TaskAudited(1.0, "api", 1, "start"))
    fleet.engine.note(
        TaskAudited(2.0, "api", 1, "iteration", iteration=1, files=("new.txt",), passed=3, failed=1)
    )
    fleet.engine.note(TaskAudited(3.0, "api", 1, "crash", "its driver ended"))
    fleet.engine.give_back(claim.ticket, "its driver ended")
    shown = " ".join(fleet.run("task", "show", "api").out.split())
    for text in (
        "handrail/api",
        "1 uncommitted file",
        "3 of 4 tests passed",
        "✗ attempt 1: its driver ended",
        "handrail task edit api",
    ):
        assert text in shown
    told = fleet.run("task", "show", "api", "--json").json
    assert told["recoveryContext"] == {
        "previousAttempts": 1,
        "auditLog": [
            {"timestamp": "1970-01-01T00:00:01Z", "event": "start", "details": {}},
            {"timestamp": "1970-01-01T00:00:02Z", "event": "iteration",
             "details": {"filesModified": ["new.txt"], "testStatus": {"passed": 3, "failed": 1}}},
            {"timestamp": "1970-01-01T00:00:03Z", "event": "crash",
             "details": {"error": "its driver ended"}},
        ],
        "workspaceHasChanges": True,
        "instruction": "Previous attempt crashed. Review log.",
    }  # fmt: skip
    assert RecoveryContext.__struct_encode_fields__ == tuple(told["recoveryContext"])


def test_options_change_a_task_and_keep_the_rest(fleet: FleetShell) -> None:
    fleet.run("task", "add", "Go.", "--id", "a", "--limit", "minutes=5", "--verify", "make")
    changed = fleet.run("task", "edit", "a", "--priority", "7", "--limit", "tokens=100")
    assert changed.code == 0, changed.err
    task = fleet.task("a").task
    assert (task.priority, task.verify, task.limits.minutes, task.limits.tokens) == (
        7,
        "make",
        5,
        100,
    )
    assert "not changed" in fleet.run("task", "edit", "a", "--priority", "7").out


def test_an_edit_that_closes_a_cycle_is_refused(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.add("b", after=("a",))
    refused = fleet.run("task", "edit", "a", "--depends-on", "b")
    assert refused.code == 2
    assert "tasks wait for each other" in refused.err


def test_without_a_terminal_an_edit_needs_options(fleet: FleetShell) -> None:
    fleet.add("a")
    assert "use the options instead" in fleet.run("task", "edit", "a").err


def test_a_blocked_task_is_released_with_a_message_for_its_agent(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.run("task", "block", "a")
    assert fleet.task("a").status is TaskStatus.BLOCKED
    assert fleet.run("task", "retry", "a", "--message", "Use the new API.").code == 0
    task = fleet.task("a")
    assert (task.status, task.message) == (TaskStatus.PENDING, "Use the new API.")


def test_a_done_task_is_tried_again_only_if_asked(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.do("a.txt")
    refused = fleet.run("task", "retry", "a")
    assert refused.code == 2
    assert "handrail task retry a --again" in refused.err
    assert fleet.run("task", "retry", "a", "--again").code == 0
    assert fleet.task("a").status is TaskStatus.PENDING


def test_a_cancelled_task_has_failed_and_can_be_taken_up_again(fleet: FleetShell) -> None:
    fleet.add("a")
    done = fleet.run("task", "cancel", "a", "--reason", "Not needed.", "--json")
    assert done.json["agentGone"] is True
    assert (fleet.task("a").status, fleet.task("a").says) == (TaskStatus.FAILED, "Not needed.")
    assert "a is failed: there is nothing left to give up" in fleet.run("task", "cancel", "a").err
    fleet.run("task", "retry", "a")
    assert fleet.task("a").status is TaskStatus.PENDING


def test_a_cancel_does_not_claim_that_a_distant_agent_is_gone(fleet: FleetShell) -> None:
    fleet.add("a")
    claim = fleet.claim()
    done = fleet.run("task", "cancel", "a")
    assert done.code == 1
    assert "its agent is on elsewhere" in done.out
    assert fleet.engine.renew(claim.ticket) == "cancelled"


def test_a_leftover_worktree_is_listed_with_its_loss_and_removed_when_agreed(
    fleet: FleetShell,
) -> None:
    path = Path(fleet.opened.workspaces.create("gone").path)
    fleet.write("new.txt", "1\n", path)
    listed = fleet.run("task", "clean", "--json").json
    assert [each["name"] for each in listed["found"]] == ["gone"]
    asked = fleet.run("task", "clean")
    assert asked.code == 2, "nobody is there to answer"
    assert "loses 1 uncommitted file: new.txt" in asked.out
    assert path.exists()
    assert fleet.run("task", "clean", "--yes").code == 0
    assert not path.exists()
    assert "Nothing to clean up" in fleet.run("task", "clean").out


def test_the_workspace_of_a_failed_task_is_removed_when_it_is_named(fleet: FleetShell) -> None:
    fleet.add("a")
    fleet.claim()
    assert "an agent is at work on a" in fleet.run("task", "clean", "a").err
    fleet.run("task", "cancel", "a")
    assert fleet.run("task", "clean", "a", "--yes", "--json").json["removed"] == ["a"]
    assert fleet.git("branch", "--list", "handrail/*") == ""


def test_the_schema_is_one_of_tasks_yaml(fleet: FleetShell) -> None:
    assert json.loads(fleet.run("task", "schema").out)["title"] == "tasks.yaml"


@pytest.mark.parametrize("args", [("add", "Go."), ("retry", "a"), ("cancel", "a"), ("clean",)])
def test_an_agent_may_only_look(
    fleet: FleetShell, args: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.add("a")
    monkeypatch.setitem(os.environ, "CLAUDECODE", "1")
    refused = fleet.run("task", *args)
    assert refused.code == 2
    assert "only a person may do this" in refused.err
    assert fleet.run("task", "list").code == 0


@pytest.mark.parametrize(
    ("change", "code", "says"),
    [
        ("s/do a/do it well/", 0, "changed"),
        ("s/nothing/else/", 0, "not changed"),
        ("s/id: a/id: b/", 130, "keep one task here, with the id a"),
        ("s/prompt:/promt:/", 130, "promt"),
    ],
)
def test_an_editor_changes_a_task_and_a_mistake_is_told(
    fleet: FleetShell, change: str, code: int, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fleet.add("a")
    monkeypatch.setenv("EDITOR", f"perl -pi -e '{change}'")
    monkeypatch.setattr(sys, "stdin", FakeTerminal("n\n"))
    told = FakeTerminal()
    monkeypatch.setattr(sys, "stdout", told)
    monkeypatch.setattr(sys, "stderr", told)
    assert main(("task", "edit", "a")) == code
    assert says in told.getvalue()
    assert fleet.task("a").task.prompt == ("do it well" if says == "changed" else "do a")


def ask(fleet: FleetShell, *questions: str) -> Ticket:
    fleet.add("api")
    ticket = fleet.claim().ticket
    for text in questions:
        fleet.engine.note(QuestionAsked(2.0, "api", 1, text, until=62.0))
    return ticket


def test_a_question_is_shown_and_answered(fleet: FleetShell) -> None:
    ask(fleet, "Which colour?")
    shown = fleet.run("task", "show", "api").out
    assert "api  needs you" in shown
    assert "it asks: Which colour?" in shown
    assert "nobody has answered yet" in shown
    assert 'handrail task answer api 1 "TEXT"' in shown
    done = fleet.run("task", "answer", "api", "Blue.")
    assert done.code == 0, done.err
    assert "Its agent gets the answer in its next turn." in done.out
    (asked,) = fleet.task("api").questions
    assert (asked.answer, bool(asked.by)) == ("Blue.", True)
    assert "needs you" not in fleet.run("task", "show", "api").out


def test_one_of_several_questions_is_answered_by_its_number(fleet: FleetShell) -> None:
    ask(fleet, "Which colour?", "Which size?")
    assert "Open are: 1, 2" in fleet.run("task", "answer", "api", "Blue.").err
    done = fleet.run("task", "answer", "api", "2", "Large.")
    assert "Still open: 1" in done.out
    assert [each.answer for each in fleet.task("api").questions] == ["", "Large."]


def test_one_word_holds_number_and_answer_only_if_several_questions_are_open(
    fleet: FleetShell,
) -> None:
    ask(fleet, "How many?", "Which size?")
    assert fleet.run("task", "answer", "api", "2 Large.").code == 0
    assert fleet.run("task", "answer", "api", "1 or 2.").code == 0
    assert [each.answer for each in fleet.task("api").questions] == ["1 or 2.", "Large."]


def test_the_last_answer_releases_a_blocked_task(fleet: FleetShell) -> None:
    ticket = ask(fleet, "Which colour?", "Which size?")
    blocked = AttemptResult(outcome=AttemptOutcome.BLOCKED, says="2 questions wait")
    fleet.engine.finish(ticket, blocked)
    fleet.run("task", "answer", "api", "1", "Blue.")
    assert fleet.task("api").status is TaskStatus.BLOCKED
    done = fleet.run("task", "answer", "api", "Large.")
    assert "handrail run --resume" in done.out
    task = fleet.task("api")
    assert task.status is TaskStatus.PENDING
    prompt = prompt_of(task, has_changes=False)
    for text in ("Which colour?", "Blue.", "Which size?", "Large."):
        assert text in prompt


def test_an_answer_to_nothing_is_refused(fleet: FleetShell) -> None:
    ask(fleet)
    done = fleet.run("task", "answer", "api", "Blue.")
    assert done.code == 2
    assert "api is active and asks nothing" in done.err


def test_an_approval_is_no_question_of_words(fleet: FleetShell) -> None:
    ask(fleet)
    fleet.engine.note(QuestionAsked(2.0, "api", 1, "May it do this? make", 9.0, "ab12"))
    assert "handrail approve ab12" in fleet.run("task", "show", "api").out
    done = fleet.run("task", "answer", "api", "Yes.")
    assert "needs a yes or no: handrail approve ab12" in done.err
