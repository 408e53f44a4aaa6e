"""A second opinion changes a warning into a refusal; without one the warning stands."""

import json
import threading
from pathlib import Path

import pytest

from handrail.model.event import Event, ModelAsked
from handrail.server.home import Home
from handrail.testing.model_server import Answer, ModelServer, ModelTurn, Say
from tests.hosts.claude.desk import SESSION, Json
from tests.project_settings import write_confirmed
from tests.server.in_process_api import InProcessApi

pytestmark = pytest.mark.slow

BLOCK = Say('{"answer": "block", "says": "It touches another project."}')
ALLOW = Say('{"answer": "allow", "says": "It is harmless."}')
SETTINGS = """\
judge:
  {{enabled: true, seconds: {seconds}, calls_per_run: {calls}, goal_every: 2, key_variable: {key}}}
step_reviewer:
  rules:
    custom: [{{name: deploys, decision: warn, says: It goes live., commands: [deploy]}}]
"""
WARNED = "make deploy"


class JudgedProject:
    """A project with a judge, and a model behind it that gives one answer."""

    def __init__(
        self,
        project: Path,
        server: ModelServer,
        *,
        seconds: float = 9,
        calls: int = 9,
        key: str = "ANTHROPIC_API_KEY",
    ) -> None:
        (project / ".git").mkdir(parents=True)
        text = SETTINGS.format(seconds=seconds, calls=calls, key=key)
        self.project = project
        self.server = server
        self.secrets = {
            "HOME": str(project.parent),
            "ANTHROPIC_API_KEY": "key",
            "ANTHROPIC_BASE_URL": server.url,
            "HANDRAIL_HOME": str(project.parent / "state"),
        }
        write_confirmed(project, text, self.secrets)
        self.office = InProcessApi(environ=self.secrets)

    def message(self, event: str, **more: object) -> bytes:
        message = {
            "session_id": SESSION,
            "cwd": str(self.project),
            "hook_event_name": event,
            "tool_name": "Bash",
            **more,
        }
        return json.dumps(message).encode()

    def post(self, event: str, command: str, **more: object) -> Json:
        body = self.message(event, tool_input={"command": command}, **more)

        async def work() -> Json:
            answer = await self.office.hook(body)
            await self.office.opinions.close()
            reply: Json = json.loads(answer.body)
            return reply

        return self.office.run(work)

    def events(self) -> list[Event]:
        return self.office.desk.events()


def decide(
    project: Path, answer: Answer, *, seconds: float = 9, calls: int = 9
) -> tuple[Json, JudgedProject]:
    with ModelServer([], beside=answer) as server:
        court = JudgedProject(project, server, seconds=seconds, calls=calls)
        with court.office:
            return court.post("PreToolUse", WARNED), court


def permission(reply: Json) -> object:
    said = reply["hookSpecificOutput"]
    assert isinstance(said, dict)
    return said.get("permissionDecision")


def test_a_warning_becomes_a_refusal(tmp_path: Path) -> None:
    reply, court = decide(tmp_path / "shop", BLOCK)
    assert permission(reply) == "deny"
    assert "It touches another project." in json.dumps(reply)
    [asked] = [event for event in court.events() if isinstance(event, ModelAsked)]
    assert (asked.answer, asked.step, asked.question) == ("block", 1, "action")


def test_a_warning_stays_one_where_the_model_has_nothing_against_it(tmp_path: Path) -> None:
    reply, _ = decide(tmp_path / "shop", ALLOW)
    assert permission(reply) is None


def test_what_runs_although_a_model_was_against_it_is_a_breach(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    with ModelServer([], beside=BLOCK) as server:
        court = JudgedProject(project, server)
        with court.office:
            court.post("PreToolUse", WARNED, tool_use_id="t1")
            reply = court.post("PostToolUse", WARNED, tool_use_id="t1", tool_response={})
    assert reply["continue"] is False


@pytest.mark.parametrize(
    "answer",
    [Say("of course!"), ModelTurn(status=529, times=99), ModelTurn((BLOCK,), threading.Event())],
)
def test_without_an_answer_what_was_decided_stands(tmp_path: Path, answer: Answer) -> None:
    reply, court = decide(tmp_path / "shop", answer, seconds=0.2)
    assert permission(reply) is None
    [asked] = [event for event in court.events() if isinstance(event, ModelAsked)]
    assert asked.problem


def test_a_run_has_a_budget(tmp_path: Path) -> None:
    reply, court = decide(tmp_path / "shop", BLOCK, calls=0)
    assert permission(reply) is None
    assert court.server.requests == []


def test_what_comes_when_the_budget_is_spent_is_not_asked_about(tmp_path: Path) -> None:
    with ModelServer([], beside=BLOCK) as server:
        court = JudgedProject(tmp_path / "shop", server, calls=1)
        with court.office:
            first = court.post("PreToolUse", f"{WARNED} one", tool_use_id="t1")
            second = court.post("PreToolUse", f"{WARNED} two", tool_use_id="t2")
        assert len(server.requests) == 1
    assert (permission(first), permission(second)) == ("deny", None)


def test_a_key_that_is_added_later_counts_at_once(tmp_path: Path) -> None:
    with ModelServer([], beside=BLOCK) as server:
        court = JudgedProject(tmp_path / "shop", server, key="TEAM_KEY")
        with court.office:
            before = court.post("PreToolUse", f"{WARNED} one", tool_use_id="t1")
            court.secrets["TEAM_KEY"] = "key"
            after = court.post("PreToolUse", f"{WARNED} two", tool_use_id="t2")
    assert (permission(before), permission(after)) == (None, "deny")
    missing, given = (event for event in court.events() if isinstance(event, ModelAsked))
    assert missing.problem == "TEAM_KEY is not in secrets.env in Handrail's state folder"
    assert given.problem == ""


def test_secrets_that_cannot_be_read_are_a_question_without_an_answer(tmp_path: Path) -> None:
    (tmp_path / "state" / "secrets.env").mkdir(parents=True)
    with ModelServer([], beside=BLOCK) as server:
        court = JudgedProject(tmp_path / "shop", server)
        court.office = InProcessApi(
            environ=court.secrets, secrets=Home(str(tmp_path / "state")).secrets
        )
        with court.office:
            assert permission(court.post("PreToolUse", WARNED)) is None
    [asked] = [event for event in court.events() if isinstance(event, ModelAsked)]
    assert "secrets.env" in asked.problem


def test_nobody_is_asked_about_what_is_allowed_or_refused_anyway(tmp_path: Path) -> None:
    project = tmp_path / "shop"
    with ModelServer([], beside=ALLOW) as server:
        court = JudgedProject(project, server)
        with court.office:
            court.post("PreToolUse", "ls")
            court.post("PreToolUse", "rm -rf /")
        assert server.requests == []


def test_the_goal_is_asked_about_now_and_then_and_nobody_waits(tmp_path: Path) -> None:
    with ModelServer([], beside=Say('{"score": 0.1, "says": "It plays."}')) as server:
        court = JudgedProject(tmp_path / "shop", server)

        async def work() -> None:
            await court.office.hook(court.message("UserPromptSubmit", prompt="fix the cart"))
            for step in (1, 2):
                call = {"tool_input": {"command": f"ls part{step}"}, "tool_use_id": f"t{step}"}
                await court.office.hook(court.message("PreToolUse", **call))
                await court.office.hook(court.message("PostToolUse", tool_response={}, **call))
            await court.office.opinions.close()

        with court.office:
            court.office.run(work)
        [asked] = [event for event in court.events() if isinstance(event, ModelAsked)]
    assert (asked.question, asked.step, asked.score) == ("goal", 2, 0.1)
