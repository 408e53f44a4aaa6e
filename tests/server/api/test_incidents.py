"""Emergency stops through the API: listed, told, and decided about once."""

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from handrail.intervene.incidents.folders import IncidentFolders, Resolution
from handrail.intervene.incidents.gathering import gather_incident
from handrail.model.event import (
    Event,
    IncidentResolved,
    Intervened,
    RolledBack,
    RunStarted,
    StopConfirmed,
)
from handrail.model.finding import Finding
from handrail.model.intervention import Intervention, InterventionName
from handrail.model.ordinal import Severity
from handrail.server.api.incidents import IncidentOperations
from handrail.server.api.live_log import LiveLog
from handrail.server.control.incident_recovery import IncidentRecovery
from handrail.server.home import Home
from handrail.server.threads.supervision_thread import SupervisionThread
from tests.intervene.stopped_run import save
from tests.server.api.api_client import InProcessApi
from tests.server.control.test_incident_recovery import POINT
from tests.supervise.supervision_setup import RUN, SupervisionSetup

LOOP = Finding("loop", Severity.HIGH, 0.9, (3, 4), says="The same call failed 4 times: make")
STOP = Intervened(
    5.0, Intervention("i1", InterventionName.EMERGENCY_STOP, LOOP, 4, incident="inc-1")
)
LEFT = StopConfirmed(5.5, "inc-1", left=("4711 make",))


class StoppedRun:
    """A stopped run, and the operations on its incident."""

    def __init__(self, folder: Path, *events: Event, filed: bool = True) -> None:
        self.bed = SupervisionSetup(folder)
        home = Home(str(folder / "state"))
        self.folders = IncidentFolders(home.incidents)
        for event in (RunStarted(1.0, "claude", str(self.bed.path)), *events):
            self.bed.run.record(event)
        if filed:
            save(self.folders, gather_incident(RUN, "inc-1", self.bed.events()))
        self.live = LiveLog(self.bed.log, home)
        self.supervision = SupervisionThread()
        recovery = IncidentRecovery(
            self.supervision, self.bed.runs, self._settle, home, lambda: 6.0
        )
        self.api = InProcessApi(
            [IncidentOperations(recovery, self.folders, self.live, lambda: 6.0)]
        )

    def close(self) -> None:
        self.live.close()
        self.supervision.close()

    def get(self, path: str) -> Any:
        answer = self.api.get(path)
        assert answer.status == 200, answer.body
        return answer.json

    def decide(self, option: str, incident: str = "inc-1", note: str = "") -> tuple[int, Any]:
        answer = self.api.post(f"/incidents/{incident}", {"option": option, "note": note})
        return answer.status, answer.json

    def _settle(self) -> None:
        if self.bed.run.state.course.held:
            self.bed.run.record(RolledBack(7.0, "4c1f", files=("cart.txt",)))


@contextmanager
def stopped(folder: Path, *events: Event, filed: bool = True) -> Iterator[StoppedRun]:
    with closing(StoppedRun(folder, *events, filed=filed)) as court:
        yield court


@pytest.fixture
def court(tmp_path: Path) -> Iterator[StoppedRun]:
    with stopped(tmp_path, POINT, STOP, LEFT) as court:
        yield court


def test_a_stop_is_listed_and_told_with_its_ways_on(court: StoppedRun) -> None:
    (row,) = court.get("/incidents")["items"]
    assert (row["id"], row["run"], row["run_name"], row["cause"]) == (
        "inc-1", RUN, "project-r1", "loop",
    )  # fmt: skip
    assert (row["open"], row["decided"], row["says"]) == (True, "", LOOP.says)
    told = court.get("/incidents/inc-1")
    assert told["row"] == row
    assert told["report"].startswith("# Incident inc-1")
    assert told["left"] == ["4711 make"]
    assert told["timeline"][0].endswith("the run began")
    assert [(each["option"], each["possible"]) for each in told["options"]] == [
        ("resume_with_limits", True), ("rollback_and_retry", True), ("manual_approval", True),
        ("abort", True),
    ]  # fmt: skip


def test_a_decision_is_carried_out_once_in_the_name_of_who_decided(court: StoppedRun) -> None:
    status, said = court.decide("resume_with_limits", note="try make all")
    assert status == 200
    assert said["says"].startswith("project-r1: The run goes on from where it was")
    assert "Limits: " in said["says"]
    assert said["incident"]["open"] is False
    events = [each for each in court.bed.events() if isinstance(each, IncidentResolved)]
    assert [(each.option, each.note, each.by) for each in events] == [
        ("resume_with_limits", "try make all", "ada")
    ]
    (row,) = court.get("/incidents")["items"]
    assert (row["open"], row["decided"]) == (False, "resume_with_limits: try make all")
    status, said = court.decide("abort")
    assert (status, said["detail"]) == (409, "A person has decided about it already.")
    options = court.get("/incidents/inc-1")["options"]
    assert not any(each["possible"] for each in options)


def test_a_rollback_says_what_was_compared(court: StoppedRun) -> None:
    status, said = court.decide("rollback_and_retry")
    assert status == 200
    assert "1 file rolled back to checkpoint 4c1f and compared with it." in said["says"]


def test_two_decisions_at_once_are_one(court: StoppedRun) -> None:
    async def both() -> list[int]:
        body = {"option": "resume_with_limits"}
        answers = await asyncio.gather(
            *(court.api.ask("POST", "/incidents/inc-1", body) for _ in range(2))
        )
        return sorted(each.status for each in answers)

    assert asyncio.run(both()) == [200, 409]


def test_without_a_safe_checkpoint_there_is_no_rollback(tmp_path: Path) -> None:
    with stopped(tmp_path, STOP) as court:
        ways = {each["option"]: each for each in court.get("/incidents/inc-1")["options"]}
        assert not ways["rollback_and_retry"]["possible"]
        status, said = court.decide("rollback_and_retry")
        assert (status, said["detail"]) == (409, ways["rollback_and_retry"]["why_not"])


def test_a_stop_whose_folder_could_not_be_written_is_there_all_the_same(tmp_path: Path) -> None:
    with stopped(tmp_path, POINT, STOP, filed=False) as court:
        (row,) = court.get("/incidents")["items"]
        assert (row["id"], row["open"]) == ("inc-1", True)
        assert court.get("/incidents/inc-1")["report"].startswith("# Incident inc-1")
        assert court.decide("abort")[0] == 200
        (row,) = court.get("/incidents")["items"]
        assert row["decided"] == "abort"


def test_the_stops_come_in_pages_the_open_ones_first(court: StoppedRun) -> None:
    for number in range(2, 5):
        kept = court.folders.read("inc-1").record
        copy = msgspec.structs.replace(kept, id=f"inc-{number}", at=float(number))
        court.folders.save(copy, "# Report")
    court.folders.resolve("inc-4", Resolution(9.0, "abort"))
    pages = court.api.pages("/incidents", 3)
    assert [len(page) for page in pages] == [3, 1]
    assert [row["open"] for page in pages for row in page] == [True, True, True, False]
    assert pages[1][0]["id"] == "inc-4"


@pytest.mark.parametrize("incident", ["inc-2", "..", "%2e%2e%2fstate"])
def test_an_unknown_stop_is_a_problem(court: StoppedRun, incident: str) -> None:
    assert court.api.get(f"/incidents/{incident}").status == 404
    assert court.decide("abort", incident)[0] == 404


def test_an_unknown_option_is_a_problem(court: StoppedRun) -> None:
    status, said = court.decide("explode")
    assert (status, "resume_with_limits" in said["detail"]) == (400, True)
