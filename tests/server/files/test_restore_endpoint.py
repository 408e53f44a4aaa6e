"""A person saves files and has them put back: what is answered, who is held, who hears of it."""

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointStore, CheckpointTrigger, RestoreResult
from handrail.checkpoint.errors import GitError, NotRestoredError
from handrail.config.checkpoints import Checkpoints as Settings
from handrail.model.action import Action, Outcome
from handrail.model.checkpoint import StateSnapshot
from handrail.model.event import ActionEnded, RestoreAsked, RolledBack, RunEnded, RunStarted
from handrail.server.files.restore_endpoint import RestoreEndpoint
from handrail.server.http.routes import starlette_app
from handrail.server.threads.supervision_thread import SupervisionThread
from handrail.store.errors import DiskFullError
from tests.server.asgi import AsgiResponse, ask
from tests.supervise.supervision_setup import RUN, SupervisionSetup

pytestmark = pytest.mark.slow

T = TypeVar("T")
Json = dict[str, Any]


class ScratchCheckpoints:
    """Real checkpoints of a scratch project."""

    def __init__(self, bed: SupervisionSetup, folder: Path) -> None:
        self.restoring: set[str] = set()
        self.by: tuple[str, ...] = (RUN,)
        self.kind = CheckpointStore
        self.held: list[bool] = []
        """Whether the run was held whenever something was done to the files."""
        self.counted = 0
        self._bed = bed
        self._folder = str(folder / "checkpoints")
        self._environ = {**bed.environ, "PATH": os.environ["PATH"]}

    def checkpoints(self, folder: str, settings: Settings | None = None) -> CheckpointStore:
        chosen = settings or Settings()
        if not folder.startswith(str(self._bed.path)):
            return self.kind(self._folder, folder, chosen, self._environ)
        tree, clock = str(self._bed.path), self._bed.clock
        return self.kind(self._folder, tree, chosen, self._environ, clock)

    def worked(self, folder: str) -> tuple[str, ...]:
        return self.by

    def count(self, folder: str, checkpoints: CheckpointStore) -> None:
        self.counted += 1

    def do(self, folder: str, work: Callable[[], T]) -> Awaitable[T]:
        self.held.append(self._bed.run.state.course.held)
        return asyncio.to_thread(work)


class RestoreSetup:
    """A run in a project with a checkpoint, and the daemon's part that a person talks to."""

    def __init__(self, folder: Path) -> None:
        self.bed = SupervisionSetup(folder)
        self.backend = ScratchCheckpoints(self.bed, folder)
        self.cart = self.bed.path / "cart.py"
        self.cart.write_text("total = 0\n")
        self.bed.run.record(RunStarted(self.bed.clock(), "claude", str(self.bed.path)))
        self.point = self.save(CheckpointTrigger.PROMPT)
        self.bed.clock.advance(5)
        self.cart.write_text("total = 1\n")

    def save(self, moment: CheckpointTrigger, **fields: Any) -> str:
        about = CheckpointInfo(moment, run=RUN, **fields)
        return self.backend.checkpoints(str(self.bed.path)).save(about).record.id

    def ask(self, what: str, **body: object) -> tuple[int, Json]:
        return self.send(what, json.dumps({"cwd": str(self.bed.path), **body}).encode())

    def send(self, what: str, body: bytes) -> tuple[int, Json]:
        supervision = SupervisionThread()
        restores = RestoreEndpoint(supervision, self.bed.runs, self.backend, self.bed.clock)
        paths = {"save": "/checkpoints", "preview": "/restores/preview", "restore": "/restores"}

        async def run() -> AsgiResponse:
            answer = await ask(starlette_app([restores]), "POST", paths[what], body)
            await supervision.call(lambda: None)  # what nobody waited for is done, too
            return answer

        try:
            answer = asyncio.run(run())
        finally:
            supervision.close()
        return answer.status, answer.json

    def look(self, **body: object) -> Json:
        status, said = self.ask("preview", level="checkpoint", checkpoint=self.point, **body)
        assert status == 200, said
        return said

    def restore(self, **body: object) -> tuple[int, Json]:
        now = self.look()["preview"]["now"]
        given = {"level": "checkpoint", "target": self.point, "expects": now, **body}
        return self.ask("restore", **given)

    def told(self, run: str = RUN) -> list[RestoreAsked | RolledBack]:
        return [e for e in self.bed.events(run) if isinstance(e, RestoreAsked | RolledBack)]


@pytest.fixture
def setup(tmp_path: Path) -> RestoreSetup:
    return RestoreSetup(tmp_path)


def test_files_are_saved_in_the_name_of_those_who_worked(setup: RestoreSetup) -> None:
    status, said = setup.ask("save", name="before-refactor")
    assert (status, said["is_new"]) == (200, True)
    record = said["record"]
    assert (record["moment"], record["name"], record["by"]) == ("request", "before-refactor", [RUN])


def test_what_is_unchanged_is_the_checkpoint_before(setup: RestoreSetup) -> None:
    setup.ask("save")
    status, said = setup.ask("save")
    assert (status, said["is_new"], said["record"]["number"]) == (200, False, 2)


def test_what_a_person_saves_or_has_put_back_is_counted_to_be_tidied_up(
    setup: RestoreSetup,
) -> None:
    setup.ask("save", name="before-refactor")
    setup.ask("save")
    assert setup.backend.counted == 1
    setup.restore()
    assert setup.backend.counted == 2


def test_files_are_saved_as_the_project_wants_it(setup: RestoreSetup) -> None:
    setup.bed.settings("checkpoints: {include: [keep.log]}\n")
    (setup.bed.path / ".gitignore").write_text("*.log\n")
    for name in ("keep.log", "other.log"):
        (setup.bed.path / name).write_text("x")
    setup.ask("save")
    paths = [each["path"] for each in setup.look()["preview"]["items"]]
    assert "keep.log" in paths
    assert "other.log" not in paths


def test_a_look_changes_nothing_and_holds_nobody(setup: RestoreSetup) -> None:
    said = setup.look()
    [item] = said["preview"]["items"]
    assert (item["path"], item["does"]) == ("cart.py", "change")
    assert said["working"] == [RUN]
    assert setup.cart.read_text() == "total = 1\n"
    assert setup.told() == []


def test_it_is_counted_what_was_done_since(setup: RestoreSetup) -> None:
    before, since = setup.bed.clock() - 60, setup.bed.clock()
    for at, step in ((before, 1), (since, 2), (since, 3)):
        setup.bed.run.record(ActionEnded(at, step, Outcome(True)))
    elsewhere = setup.bed.get("r2", setup.bed.elsewhere)
    elsewhere.record(RunStarted(since, "claude", str(setup.bed.elsewhere)))
    elsewhere.record(ActionEnded(since, 1, Outcome(True)))
    said = setup.look()
    assert said["since"] == {RUN: 2}
    assert said["working"] == [RUN]


def test_a_run_that_has_ended_does_not_work(setup: RestoreSetup) -> None:
    setup.bed.run.record(RunEnded(setup.bed.clock(), "exit"))
    assert setup.look()["working"] == []


def test_files_go_back_while_the_run_is_held(setup: RestoreSetup) -> None:
    setup.backend.held.clear()
    status, said = setup.restore()
    assert (status, said["problem"], said["undo"]) == (200, "", "c2")
    assert setup.cart.read_text() == "total = 0\n"
    assert setup.backend.held[-1] is True
    asked, back = setup.told()
    assert isinstance(asked, RestoreAsked)
    assert isinstance(back, RolledBack)
    assert (asked.checkpoint, asked.level) == (setup.point, "checkpoint")
    assert (back.files, back.asked, back.undo, back.problem) == (("cart.py",), True, "c2", "")
    assert not setup.bed.run.state.course.held
    assert setup.backend.restoring == set()


def test_every_run_of_the_project_hears_of_it(setup: RestoreSetup) -> None:
    other = setup.bed.get("r2", setup.bed.path)
    other.record(RunStarted(setup.bed.clock(), "claude", str(setup.bed.path / "notes")))
    setup.restore()
    assert [type(each) for each in setup.told("r2")] == [RestoreAsked, RolledBack]


def test_the_run_goes_back_with_its_files(setup: RestoreSetup) -> None:
    state = StateSnapshot("fix the cart", "and the docs")
    setup.bed.clock.advance(1)
    setup.point = setup.save(CheckpointTrigger.PROMPT, state_snapshot=state, by=(RUN,))
    setup.cart.write_text("total = 2\n")
    setup.restore(files_only=True)
    assert setup.bed.run.state.last_prompt == ""
    setup.cart.write_text("total = 2\n")
    setup.restore()
    assert setup.bed.run.state.last_prompt == "and the docs"


def test_what_was_changed_since_the_look_is_not_touched(setup: RestoreSetup) -> None:
    now = setup.look()["preview"]["now"]
    setup.cart.write_text("total = 5\n")
    status, said = setup.ask("restore", level="checkpoint", target=setup.point, expects=now)
    assert (status, said) == (
        409,
        {"error": "files were changed while you were looking; look again"},
    )
    assert setup.cart.read_text() == "total = 5\n"
    [_, back] = setup.told()
    assert isinstance(back, RolledBack)
    assert back.problem
    assert not setup.bed.run.state.course.held


class Stuck(CheckpointStore):
    """Checkpoints of a project in which files cannot be written."""

    def restore(self, *_: object, **__: object) -> RestoreResult:
        raise NotRestoredError(["cart.py"], "c2", "no space left on device")


def test_a_file_that_cannot_be_put_back_is_named(setup: RestoreSetup) -> None:
    setup.backend.kind = Stuck
    status, said = setup.restore()
    assert (status, said["undo"], said["wrong"]) == (200, "c2", ["cart.py"])
    assert said["problem"] == "not restored (no space left on device): cart.py"
    [_, back] = setup.told()
    assert isinstance(back, RolledBack)
    assert back.problem == said["problem"]


def test_what_cannot_be_written_down_is_not_done(setup: RestoreSetup) -> None:
    now = setup.look()["preview"]["now"]
    setup.bed.log.refuses = DiskFullError("/h/events.db")
    status, _ = setup.ask("restore", level="checkpoint", target=setup.point, expects=now)
    assert status == 503
    assert setup.cart.read_text() == "total = 1\n"
    assert setup.backend.restoring == set()


def test_only_the_changes_of_a_run_are_undone(setup: RestoreSetup) -> None:
    setup.save(CheckpointTrigger.ITERATION_END, by=(RUN,), step=1)
    setup.backend.by = ()
    (setup.bed.path / "mine.txt").write_text("a person's")
    status, said = setup.ask("preview", level="action")
    assert status == 200
    preview = said["preview"]
    assert [each["path"] for each in preview["items"]] == ["cart.py"]
    assert (preview["way"]["target"]["number"], preview["way"]["base"]["number"]) == (1, 2)


@pytest.mark.parametrize(
    ("what", "body", "status", "says"),
    [
        ("save", {"name": "a b"}, 400, "a checkpoint cannot be called 'a b'"),
        ("save", {"cwd": "shop"}, 400, "it is not an absolute path"),
        ("save", {"cwd": "/"}, 400, "it is the whole machine"),
        ("save", {"color": 1}, 400, "unknown field `color`"),
        ("preview", {"level": "all"}, 400, "Invalid enum value 'all'"),
        ("preview", {"level": "checkpoint", "checkpoint": "c9"}, 404, "no checkpoint 'c9'"),
        ("preview", {"level": "redo"}, 409, "nothing to redo: no undo is left to take back"),
        ("restore", {"level": "redo", "target": "c9", "expects": ""}, 404, "no checkpoint 'c9'"),
    ],
)
def test_what_cannot_be_done_is_answered_as_such(
    setup: RestoreSetup, what: str, body: Json, status: int, says: str
) -> None:
    answered, said = setup.ask(what, **body)
    assert answered == status
    assert says in said["error"]
    assert setup.told() == []


def test_a_step_that_the_run_has_not_reached_is_refused(setup: RestoreSetup) -> None:
    """An undo of everything since would look like the undo of that action."""
    setup.bed.do(Action("Bash", {"command": "make"}, str(setup.bed.path), id="t1"))
    status, said = setup.ask("preview", level="action", run=RUN, step=99)
    assert status == 409
    assert f"run {RUN} has no action 99, its last one is 1" in said["error"]


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"cwd": "' + b"x" * 20_000])
def test_what_cannot_be_read_is_refused(setup: RestoreSetup, body: bytes) -> None:
    assert setup.send("save", body)[0] == 400


def test_a_git_that_fails_is_told(setup: RestoreSetup) -> None:
    def broken(folder: str, settings: Settings | None = None) -> CheckpointStore:
        raise GitError("write-tree", "no space left on device")

    setup.backend.checkpoints = broken  # type: ignore[method-assign]
    assert setup.ask("save") == (503, {"error": "git write-tree: no space left on device"})


def test_names_that_are_no_text_are_told(setup: RestoreSetup) -> None:
    odd = os.fsdecode(os.fsencode(setup.bed.path) + b"/caf\xe9")
    Path(odd).write_text("x")
    items = setup.look()["preview"]["items"]
    assert [each["path"] for each in items] == ["caf\udce9", "cart.py"]
