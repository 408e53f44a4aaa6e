"""Checkpoints, diffs, undo and rollback through the API: of a folder, and of a whole fleet."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import time
from typing import Any
from urllib.parse import quote

import pytest

from handrail.checkpoint import CheckpointInfo, CheckpointTrigger
from handrail.model.event import RestoreAsked, RunStarted
from handrail.server.api.files import FileOperations
from handrail.server.api.fleet_restores import FleetRestores
from handrail.supervise.log.topics import topic_of
from tests.server.api.in_process_daemon import InProcessDaemon
from tests.server.fleet.saved_fleet import SavedFleet

pytestmark = pytest.mark.slow

RUN = "3f2a0000-0000-4000-8000-000000000000"


def operations(bed: InProcessDaemon) -> FileOperations:
    daemon = bed.daemon
    return FileOperations(
        daemon.supervision,
        daemon.runs,
        daemon.scheduler,
        daemon.restores,
        FleetRestores(daemon.fleet_checkpoints),
        bed.live,
        daemon.home,
        bed.place.environ,
    )


@contextmanager
def project() -> Iterator[InProcessDaemon]:
    """A project with one file, in which a run works."""
    with InProcessDaemon(operations) as bed:
        (bed.project / "cart.py").write_text("total = 0\n")
        bed.record(RUN, RunStarted(time(), "claude", str(bed.project)))
        yield bed


@pytest.fixture
def bed() -> Iterator[InProcessDaemon]:
    with project() as bed:
        yield bed


@pytest.fixture(scope="module")
def shared() -> Iterator[InProcessDaemon]:
    """A project with a checkpoint, in which nothing changes any more."""
    with project() as bed:
        save(bed)
        yield bed


def order(bed: InProcessDaemon, **given: object) -> dict[str, object]:
    return {"folder": str(bed.project), "level": "checkpoint", **given}


def save(bed: InProcessDaemon, name: str = "") -> Any:
    return bed.post("/checkpoints", folder=str(bed.project), name=name)


def save_for_run(bed: InProcessDaemon, moment: CheckpointTrigger, step: int = 0) -> str:
    checkpoints = bed.daemon.scheduler.checkpoints(str(bed.project))
    about = CheckpointInfo(moment, run=RUN, step=step, by=(RUN,))
    return checkpoints.save(about).record.id


def listed(bed: InProcessDaemon, more: str = "") -> Any:
    return bed.get(f"/checkpoints?folder={quote(str(bed.project))}{more}")


def test_saved_files_are_listed_newest_first_page_by_page(bed: InProcessDaemon) -> None:
    save(bed, "first")
    (bed.project / "cart.py").write_text("total = 1\n")
    saved = save(bed, "second")
    assert (saved["id"], saved["name"], saved["why"]) == ("c2", "second", "on request")
    page = listed(bed, "&limit=1")
    assert [each["name"] for each in page["items"]] == ["second"]
    rest = listed(bed, f"&limit=1&cursor={page['next']}")
    assert ([each["name"] for each in rest["items"]], rest["next"]) == (["first"], "")
    assert page["folder"] == str(bed.project)


def test_checkpoints_of_one_run_are_named_with_it(bed: InProcessDaemon) -> None:
    save(bed)
    (bed.project / "cart.py").write_text("total = 1\n")
    save_for_run(bed, CheckpointTrigger.PROMPT)
    rows = listed(bed, f"&run={RUN}")["items"]
    assert [(each["run_name"], each["why"]) for each in rows] == [("shop-3f2a", "before a prompt")]


def test_a_diff_shows_what_changed_since_and_no_secret(bed: InProcessDaemon) -> None:
    save(bed)
    key = "sk-ant-api03-" + "a1B2c3D4e5" * 9
    (bed.project / "cart.py").write_text(f"total = 1\nkey = '{key}'\n")
    (bed.project / "new.py").write_text("x = 1\n")
    found = bed.get(f"/checkpoints/c1/diff?folder={quote(str(bed.project))}")
    changes = {
        each["path"]: (each["how"], each["added"], each["removed"]) for each in found["changes"]
    }
    assert changes == {"cart.py": ("changed", 2, 1), "new.py": ("new", 1, 0)}
    assert "+total = 1" in found["diff"]
    assert key not in found["diff"]
    one = bed.get(f"/checkpoints/c1/diff?folder={quote(str(bed.project))}&path=new.py")
    assert [each["path"] for each in one["changes"]] == ["new.py"]


def test_a_rollback_does_what_its_preview_showed(bed: InProcessDaemon) -> None:
    save(bed, "start")
    (bed.project / "cart.py").write_text("total = 1\n")
    (bed.project / "new.py").write_text("x = 1\n")
    seen = bed.post("/restores/preview", **order(bed, checkpoint="start"))
    assert seen["says"].startswith("Roll back to c1 start, ")
    assert {each["path"]: each["how"] for each in seen["changes"]} == {
        "cart.py": "change", "new.py": "delete",
    }  # fmt: skip
    assert "-total = 1\n+total = 0\n" in seen["diff"]
    assert (seen["fleet"], seen["commits"]) == (False, [])
    done = bed.post("/restores", **order(bed, checkpoint="start", expects=seen["expects"]))
    assert done["says"] == "2 changes rolled back, and compared with c1."
    assert (sorted(done["restored"]), done["spared"]) == (["cart.py", "new.py"], [])
    assert (bed.project / "cart.py").read_text() == "total = 0\n"
    again = bed.post("/restores/preview", **order(bed, level="redo"))
    assert again["says"].startswith("Redo ")
    bed.post("/restores", **order(bed, level="redo", expects=again["expects"]))
    assert (bed.project / "new.py").read_text() == "x = 1\n"


def test_an_action_is_undone_in_the_name_of_who_asked(bed: InProcessDaemon) -> None:
    save_for_run(bed, CheckpointTrigger.PROMPT)
    (bed.project / "cart.py").write_text("total = 1\n")
    save_for_run(bed, CheckpointTrigger.AFTER_ACTION, step=1)
    wanted = order(bed, level="action", run=RUN, step=1)
    seen = bed.post("/restores/preview", **wanted)
    assert "shop-3f2a" in seen["says"]
    bed.post("/restores", **wanted, expects=seen["expects"])
    assert (bed.project / "cart.py").read_text() == "total = 0\n"
    events = [event for _, event in bed.daemon.runs.journal.read(topic_of(RUN))]
    assert [each.by for each in events if isinstance(each, RestoreAsked)] == ["ada"]


def test_files_that_changed_after_the_preview_are_not_restored(bed: InProcessDaemon) -> None:
    save(bed, "start")
    (bed.project / "cart.py").write_text("total = 1\n")
    seen = bed.post("/restores/preview", **order(bed, checkpoint="start"))
    (bed.project / "cart.py").write_text("total = 2\n")
    answer = bed.ask("POST", "/restores", **order(bed, checkpoint="c1", expects=seen["expects"]))
    assert answer.status == 409
    assert "look again" in answer.json["detail"]
    assert (bed.project / "cart.py").read_text() == "total = 2\n"


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("GET", "/checkpoints", {}, 400, "full path"),
        ("GET", "/checkpoints?folder=shop", {}, 400, "full path"),
        ("GET", "/checkpoints?folder=/nowhere/at/all", {}, 400, "no such folder"),
        ("GET", "/checkpoints?folder={shop}&cursor=x", {}, 400, "cursor"),
        ("GET", "/checkpoints/c9/diff?folder={shop}", {}, 404, "no checkpoint 'c9'"),
        ("GET", "/checkpoints/c1/diff?folder={shop}&path=../x", {}, 400, "below the folder"),
        ("GET", "/checkpoints/c1/diff?folder={shop}&path=other.py", {}, 404, "no file 'other.py'"),
        ("POST", "/checkpoints", {"folder": "/"}, 400, "whole machine"),
        ("POST", "/checkpoints", {"name": "../x"}, 400, "letters, digits"),
        ("POST", "/restores/preview", {"checkpoint": "c9"}, 404, "no checkpoint 'c9'"),
        ("POST", "/restores/preview", {"level": "all"}, 400, "level"),
        ("POST", "/restores/preview", {"level": "redo"}, 409, "nothing to redo"),
        ("POST", "/restores/preview", {"level": "action", "run": "nobody"}, 409, "nothing to undo"),
        ("POST", "/restores", {"checkpoint": "c1"}, 400, "preview first"),
    ],
)
def test_what_cannot_be_done_is_a_problem(
    shared: InProcessDaemon,
    method: str,
    path: str,
    body: dict[str, object],
    status: int,
    says: str,
) -> None:
    shop = str(shared.project)
    if method == "POST":
        body = {
            "folder": shop,
            **({} if path == "/checkpoints" else {"level": "checkpoint"}),
            **body,
        }
    answer = shared.ask(method, path.replace("{shop}", quote(shop)), **body)
    assert (answer.status, answer.json["status"]) == (status, status), answer.json
    assert says in answer.json["detail"]


# A whole fleet


@pytest.fixture
def fleet(bed: InProcessDaemon) -> SavedFleet:
    (bed.project / ".git").rmdir()
    fleet = SavedFleet(bed.place)
    project = bed.daemon.runs.projects.at(str(bed.project))
    fleet.engine = bed.daemon.fleets.engine_of(fleet.repository, project)  # type: ignore[assignment]
    return fleet


def test_a_fleet_goes_back_as_a_whole_after_a_preview_of_what_is_lost(
    bed: InProcessDaemon, fleet: SavedFleet
) -> None:
    fleet.submit("a", "b")
    saved = save(bed, "start")
    assert (saved["name"], saved["id"].startswith("start-")) == ("start", True)
    fleet.finish()
    (bed.project / "new.txt").write_text("since\n")
    wanted = order(bed, checkpoint="start")
    seen = bed.post("/restores/preview", **wanted)
    assert (seen["fleet"], seen["tasks_completed"], seen["tasks_in_progress"]) == (True, ["a"], [])
    assert "work on a" in seen["commits"][0]
    assert {each["path"]: each["how"] for each in seen["changes"]} == {"new.txt": "delete"}
    assert any("workspaces and branches removed" in each for each in seen["warnings"])

    fleet.finish()  # meanwhile
    late = bed.ask("POST", "/restores", **wanted, expects=seen["expects"])
    assert (late.status, "look again" in late.json["detail"]) == (409, True)
    assert fleet.statuses() == {"a": "done", "b": "done"}

    seen = bed.post("/restores/preview", **wanted)
    done = bed.post("/restores", **wanted, expects=seen["expects"])
    assert done["says"].startswith("Fleet rolled back: start-")
    assert fleet.statuses() == {"a": "pending", "b": "pending"}
    assert not Path(bed.project, "new.txt").exists()

    again = bed.post("/restores/preview", **order(bed, level="redo"))
    assert again["fleet"]
    bed.post("/restores", **order(bed, level="redo", expects=again["expects"]))
    assert fleet.statuses() == {"a": "done", "b": "done"}
