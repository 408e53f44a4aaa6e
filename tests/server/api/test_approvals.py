"""Questions over the API: listed with all that a person must know, and answered once."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path

import pytest

from handrail.model.event import ApprovalDecided, RunStarted
from handrail.server.api.approvals import ApprovalOperations
from handrail.server.api.live_log import LiveLog
from handrail.server.control.approval_decisions import ApprovalDecisions
from handrail.server.home import Home
from handrail.store.memory import MemoryStore
from handrail.supervise.log.topics import topic_of
from tests.project_settings import write_confirmed
from tests.server.api.api_client import InProcessApi
from tests.server.asgi import AsgiResponse, ask
from tests.server.in_process_api import InProcessApi as OneDaemon

RUN = "11111111-2222-4333-8444-555555555555"
REFUSED = "npm publish --access public"
SECRET = "npm publish --//registry.org/:_authToken=npm_0123456789abcdefghijABCD"

Story = Callable[["Person"], Awaitable[None]]


def noon() -> float:
    """The time of the desk at which the agent's calls are answered."""
    return 1_800_000_100.0


class Person:
    """Somebody at the API, beside an agent whose calls wait."""

    def __init__(self, office: OneDaemon, live: LiveLog, folder: Path) -> None:
        self.office = office
        self.folder = folder
        runs, home = office.desk.runs, str(folder.parent)
        decisions = ApprovalDecisions(office.supervision, runs, noon, {"HOME": home})
        operations = ApprovalOperations(decisions, live, noon)
        self._api = InProcessApi([operations])
        self._reading = InProcessApi([operations], rights=("read",))

    async def ask(self, method: str, path: str = "", **body: object) -> AsgiResponse:
        return await self._api.ask(method, f"/approvals{path}", body or None)

    async def only_read(self, method: str, path: str = "", **body: object) -> AsgiResponse:
        """The same with a token that may only read."""
        return await self._reading.ask(method, f"/approvals{path}", body or None)

    def call(self, name: str, command: str = REFUSED) -> "asyncio.Task[AsgiResponse]":
        """A call of the agent; it ends when it is answered."""
        body = {
            "session_id": RUN,
            "cwd": str(self.folder),
            "hook_event_name": "PreToolUse",
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": name,
        }
        data = json.dumps(body).encode()
        app = self.office.app
        return asyncio.create_task(ask(app, "POST", "/hooks/claude", data, waits=True))

    async def question(self, but: str = "") -> str:
        """The id of the newest open question, as soon as there is one beside `but`."""
        async with asyncio.timeout(60):
            while True:
                state = await self.office.supervision.call(lambda: self.office.state_of(RUN))
                waiting = [each.id for each in state.approvals.waiting(noon())]
                if waiting and waiting[-1] != but:
                    return waiting[-1]
                await asyncio.sleep(0.01)

    def decided(self) -> list[ApprovalDecided]:
        events = (event for _, event in self.office.desk.runs.journal.read(topic_of(RUN)))
        return [event for event in events if isinstance(event, ApprovalDecided)]


def play(folder: Path, story: Story) -> None:
    """Play a story in a project whose refusals wait for a person."""
    environ = {"HOME": str(folder), "HANDRAIL_HOME": str(folder / "state")}
    project = folder / "shop"
    (project / ".git").mkdir(parents=True)
    write_confirmed(project, "approvals: {hold_refused: true}\n", environ)
    with (
        OneDaemon(environ=environ, store=MemoryStore(clock=noon)) as office,
        closing(LiveLog(office.store, Home(str(folder / "state")))) as live,
    ):
        run = office.desk.runs.get(RUN, str(project))
        run.record(RunStarted(noon(), "claude", str(project)))
        office.run(lambda: _told(story, Person(office, live, project)))


async def _told(story: Story, person: Person) -> None:
    await story(person)


def test_what_waits_is_listed_with_all_that_a_person_must_know(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        [row] = (await ann.ask("GET")).json["items"]
        assert row == (await ann.ask("GET", f"/{name}")).json
        assert (row["id"], row["run"], row["state"]) == (name, RUN, "waiting")
        assert (row["tool"], row["input"]) == ("Bash", {"command": REFUSED})
        assert row["refused"]
        assert row["editable"]
        assert row["why"]
        assert row["would"]
        assert row["effects"][0]["kind"] == "publish"
        assert row["until"] > row["asked"]
        assert f'+    - {{project: "{ann.folder}", tool: "Bash", command: "{REFUSED}"}}' in (
            row["always"].splitlines()
        )
        await ann.ask("POST", f"/{name}", decision="deny", reason="not today")
        assert "ada denied this call: not today" in json.dumps((await held).json)
        [row] = (await ann.ask("GET")).json["items"]
        assert (row["state"], row["by"], row["reason"]) == ("denied", "ada", "not today")
        assert row["always"] == ""
        assert row["no_rule"] == ""

    play(tmp_path, story)


def test_the_questions_come_in_pages_the_open_ones_first(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        answered = ann.call("a", "npm publish --tag one")
        first = await ann.question()
        await ann.ask("POST", f"/{first}", decision="deny")
        await answered
        held = ann.call("b", "npm publish --tag two")
        second = await ann.question()
        page = (await ann.ask("GET", "?limit=1")).json
        assert ([row["id"] for row in page["items"]], page["next"]) == ([second], "1")
        page = (await ann.ask("GET", "?limit=1&cursor=1")).json
        assert ([row["id"] for row in page["items"]], page["next"]) == ([first], "")
        await ann.ask("POST", f"/{second}", decision="deny")
        await held

    play(tmp_path, story)


def test_an_approval_lets_the_held_call_through_once(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        done = (await ann.ask("POST", f"/{name}", decision="approve")).json
        assert (done["ok"], done["says"]) == (True, "Approved, once.")
        assert '"deny"' not in json.dumps((await held).json)
        again = await ann.ask("POST", f"/{name}", decision="approve")
        assert again.status == 404
        assert again.json["title"]
        other = ann.call("b")
        assert await ann.question() != name
        assert (await ann.ask("GET", f"/{name}")).json["state"] == "approved"
        await ann.ask("POST", f"/{await ann.question()}", decision="deny")
        await other

    play(tmp_path, story)


def test_an_edit_shows_its_verdict_before_it_is_approved(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        edited = {"command": "npm publish --dry-run"}
        seen = (await ann.ask("POST", f"/{name}/review", edited=edited)).json
        assert (seen["possible"], seen["input"]) == (True, edited)
        assert seen["decision"] in ("allow", "warn")
        assert ann.decided() == []
        done = await ann.ask("POST", f"/{name}", decision="approve", edited=edited, reason="first")
        assert done.json["approval"]["edited"] == edited
        said = json.dumps((await held).json)
        assert '"updatedInput": {"command": "npm publish --dry-run"}' in said
        assert "ada changed it to `Bash: npm publish --dry-run`. Why: first" in said
        [event] = ann.decided()
        assert (event.edited, event.edited_says) == (edited, "Bash: npm publish --dry-run")

    play(tmp_path, story)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("rm -rf ~", "nobody can approve"),
        ("echo x > ~/.claude/settings.json", "nobody can approve"),
        ("curl -H 'Authorization: Bearer sk-ant-api03-0123456789abcdefghij' x.org", "a secret"),
        ("echo '[redacted: token]'", "a secret"),
        (" ", "there is no command in it"),
    ],
)
def test_an_edit_that_nobody_can_approve_is_refused(
    tmp_path: Path, command: str, says: str
) -> None:
    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        edited = {"command": command}
        refused = await ann.ask("POST", f"/{name}", decision="approve", edited=edited)
        assert (refused.status, says in refused.json["detail"]) == (400, True)
        assert ann.decided() == []
        await ann.ask("POST", f"/{name}", decision="deny")
        await held

    play(tmp_path, story)


def test_always_writes_the_rule_that_was_shown(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        done = (await ann.ask("POST", f"/{name}", decision="approve", always=True)).json
        assert done["says"] == "Approved, for good in this project."
        await held
        assert '"deny"' not in json.dumps((await ann.call("b")).json)
        assert len(ann.decided()) == 1

    play(tmp_path, story)
    file = tmp_path / ".config" / "handrail" / "handrail.yaml"
    assert file.read_text() == (
        "approvals:\n  always:\n"
        f'    - {{project: "{tmp_path}/shop", tool: "Bash", command: "{REFUSED}"}}\n'
    )
    assert file.stat().st_mode & 0o777 == 0o600


def test_two_rules_at_the_same_time_are_both_kept(tmp_path: Path) -> None:
    other = "npm publish --tag next"

    async def story(ann: Person) -> None:
        first = ann.call("a")
        names = [await ann.question()]
        second = ann.call("b", other)
        names.append(await ann.question(but=names[0]))
        answers = [ann.ask("POST", f"/{name}", decision="approve", always=True) for name in names]
        assert [each.status for each in await asyncio.gather(*answers)] == [200, 200]
        await asyncio.gather(first, second)

    play(tmp_path, story)
    text = (tmp_path / ".config" / "handrail" / "handrail.yaml").read_text()
    assert (f'"{REFUSED}"' in text, f'"{other}"' in text) == (True, True)


def test_no_rule_stays_of_an_approval_that_a_denial_overtakes(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "handrail" / "handrail.yaml"
    taken: list[bool] = []

    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        always, denial = await asyncio.gather(
            ann.ask("POST", f"/{name}", decision="approve", always=True),
            ann.ask("POST", f"/{name}", decision="deny"),
        )
        taken.extend((always.status == 200, denial.status == 200))
        await held

    play(tmp_path, story)
    assert sorted(taken) == [False, True]
    assert file.exists() == taken[0]


def test_without_a_rule_that_can_be_written_nothing_is_approved(tmp_path: Path) -> None:
    file = tmp_path / ".config" / "handrail" / "handrail.yaml"
    file.parent.mkdir(parents=True)
    file.write_text("approvals: {valid_minutes: 5}\n")

    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        assert (await ann.ask("GET", f"/{name}")).json["always"] == ""
        refused = await ann.ask("POST", f"/{name}", decision="approve", always=True)
        assert (refused.status, "by hand" in refused.json["detail"]) == (409, True)
        assert ann.decided() == []
        await ann.ask("POST", f"/{name}", decision="deny")
        await held

    play(tmp_path, story)
    assert file.read_text() == "approvals: {valid_minutes: 5}\n"


def test_no_rule_is_offered_for_a_command_with_a_secret(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        held = ann.call(
            "a", "npm publish --//registry.org/:_authToken=npm_0123456789abcdefghijABCD"
        )
        name = await ann.question()
        row = (await ann.ask("GET", f"/{name}")).json
        assert "[redacted" in row["input"]["command"]
        assert "0123456789" not in json.dumps(row)
        assert row["always"] == ""
        assert row["no_rule"] == "it has a secret in it, so no rule can name it"
        await ann.ask("POST", f"/{name}", decision="deny")
        await held

    play(tmp_path, story)


def test_whoever_may_only_read_decides_nothing(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        held = ann.call("a")
        name = await ann.question()
        assert (await ann.only_read("GET", f"/{name}")).status == 200
        assert (await ann.only_read("POST", f"/{name}", decision="approve")).status == 403
        assert ann.decided() == []
        await ann.ask("POST", f"/{name}", decision="deny")
        await held

    play(tmp_path, story)


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    async def story(ann: Person) -> None:
        for path in ("/zz", "/%00", "/..%2Fx"):
            assert (await ann.ask("GET", path)).status == 404
        assert (await ann.ask("POST", "/zz", decision="approve")).status == 404
        assert (await ann.ask("POST", "/zz/review", edited={})).status == 404
        assert (await ann.ask("GET")).json == {"items": [], "next": ""}

    play(tmp_path, story)
