"""An incident is gathered from events, without secrets, and kept in a folder of its own."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from handrail.intervene.incidents.folders import (
    DAY,
    IncidentError,
    IncidentFolders,
    NoSuchIncidentError,
    Resolution,
)
from handrail.intervene.incidents.gathering import MAX_ACTIONS, NoSuchStopError, gather_incident
from handrail.intervene.incidents.record import Incident, IncidentAction, incident_id
from handrail.model.action import Outcome
from handrail.model.event import ActionDropped, Event, PromptGiven, RunEnded
from handrail.model.ordinal import Decision
from handrail.redact import Redactor

from .stopped_run import INCIDENT, LOOP, NIGHT, RUN, confirmed, ended, reviewed, save, stop, story

SECRET = "ghp_" + "A1b2C3d4E5" * 4


def record() -> Incident:
    return gather_incident(RUN, INCIDENT, [*story(), confirmed()])


# What is gathered


def test_the_record_holds_what_led_to_the_stop() -> None:
    found = record()
    assert (found.id, found.run, found.at, found.step) == (INCIDENT, RUN, NIGHT, 5)
    assert found.finding == LOOP
    assert (found.host, found.cwd, found.model) == ("claude", "/w/shop", "sonnet")
    assert found.prompts == ["fix the cart total"]
    assert [each.step for each in found.actions] == [1, 2, 3, 4, 5]
    assert found.actions[2] == IncidentAction(
        3,
        NIGHT - 97,
        "Bash",
        "pytest -q",
        Decision.ALLOW,
        "",
        "",
        False,
        1,
        "ImportError: cart",
        1.5,
    )
    assert [(each.intervention.id, each.worked) for each in found.interventions] == [
        ("i1", False),
        ("i2", None),
    ]
    assert found.files == ["/w/shop/src/cart.py", "/w/shop/out.txt"]
    assert (found.usage.ran, found.usage.failed, found.usage.refused) == (4, 3, 1)
    assert found.usage.tokens == 600
    assert found.usage.cost_usd == pytest.approx(0.03)
    assert found.stop == confirmed()
    assert found.checkpoint is not None
    assert found.checkpoint.id == "c2"


def test_only_the_last_actions_are_kept() -> None:
    many = [reviewed(step, f"echo {step}") for step in range(1, 200)]
    found = gather_incident(RUN, INCIDENT, [*many, stop()])
    assert [each.step for each in found.actions] == list(range(200 - MAX_ACTIONS, 200))
    assert found.usage.steps == 199


def test_what_comes_after_the_stop_does_not_change_the_record() -> None:
    later: list[Event] = [PromptGiven(NIGHT + 60, "go on"), reviewed(6, "ls"), RunEnded(NIGHT + 61)]
    assert gather_incident(RUN, INCIDENT, [*story(), confirmed(), *later]) == record()


def test_an_action_that_the_host_dropped_is_no_failure() -> None:
    events: list[Event] = [
        reviewed(1, "ls"),
        ActionDropped(NIGHT - 99, 1, "refused by the person"),
        stop(),
    ]
    acted = gather_incident(RUN, INCIDENT, events).actions[0]
    assert (acted.ok, acted.dropped) == (None, "refused by the person")


def test_a_run_without_such_a_stop_has_no_record() -> None:
    with pytest.raises(NoSuchStopError):
        gather_incident(RUN, "another", story())


def test_secrets_are_taken_out_wherever_they_stand() -> None:
    finding = msgspec.structs.replace(
        LOOP, says=f"It used {SECRET}.", symptom=SECRET, facts={"error": SECRET}
    )
    events: list[Event] = [
        PromptGiven(NIGHT - 200, f"the token is {SECRET}"),
        reviewed(1, f"curl -H 'Authorization: Bearer {SECRET}' https://x.example"),
        ended(1, Outcome(False, 1, "", f"bad token {SECRET}"), f"/w/{SECRET}"),
        msgspec.structs.replace(
            stop(), intervention=msgspec.structs.replace(stop().intervention, finding=finding)
        ),
        msgspec.structs.replace(confirmed(), ended=(f"1 curl {SECRET}",)),
    ]
    assert SECRET.encode() not in msgspec.json.encode(gather_incident(RUN, INCIDENT, events))


def test_values_that_are_known_to_be_secret_are_taken_out() -> None:
    found = gather_incident(RUN, INCIDENT, story("say open-sesame-9"), Redactor(["open-sesame-9"]))
    assert "open-sesame-9" not in found.prompts[0]


def test_names_by_which_things_are_found_again_stay() -> None:
    found = gather_incident("token=" + SECRET, INCIDENT, story())
    assert found.run == "token=" + SECRET
    assert [each.commit for each in found.checkpoints] == ["a" * 40, "b" * 40]


# Its name


def test_the_name_is_sortable_and_readable() -> None:
    assert incident_id(NIGHT, "/home/me/shop", RUN) == INCIDENT
    assert incident_id(NIGHT, "/home/me/shop/", RUN, nth=2) == f"{INCIDENT}-2"
    assert incident_id(NIGHT, "/", "") == "2026-11-16-0214-run-0"


@given(st.floats(0, 4e9), st.text(), st.text(), st.integers(1, 9))
def test_every_name_is_one_for_a_folder(at: float, cwd: str, run: str, nth: int) -> None:
    name = incident_id(at, cwd, run, nth)
    assert os.path.basename(IncidentFolders("/x").path(name)) == name


# The folder


@pytest.fixture
def incidents(tmp_path: Path) -> IncidentFolders:
    return IncidentFolders(str(tmp_path / "state" / "incidents"))


def test_a_folder_is_written_for_this_user_alone(incidents: IncidentFolders) -> None:
    folder = Path(save(incidents, record()))
    assert sorted(path.name for path in folder.iterdir()) == ["incident.json", "report.md"]
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    assert incidents.read(INCIDENT).record == record()
    assert incidents.report(INCIDENT).startswith(f"# Incident {INCIDENT}\n")


def test_twice_the_same_incident_is_one_folder(incidents: IncidentFolders) -> None:
    first = gather_incident(RUN, INCIDENT, story())
    save(incidents, first)
    incidents.resolve(INCIDENT, Resolution(NIGHT + 9, "abort"))
    save(incidents, record())
    assert incidents.names() == [INCIDENT]
    assert os.listdir(incidents.folder) == [INCIDENT]
    kept = incidents.read(INCIDENT)
    assert kept.record.stop == confirmed()
    assert kept.resolution == Resolution(NIGHT + 9, "abort")


def test_an_incident_of_another_run_is_not_overwritten(incidents: IncidentFolders) -> None:
    save(incidents, record())
    other = gather_incident("another run", INCIDENT, story())
    with pytest.raises(IncidentError, match="is an incident of run"):
        save(incidents, other)
    assert incidents.read(INCIDENT).record.run == RUN


@pytest.mark.parametrize(
    "name", ["../events.db", "", ".", "..", "a/b", "a\0b", ".new-1", "x" * 200]
)
def test_a_name_leads_nowhere_else(incidents: IncidentFolders, name: str) -> None:
    with pytest.raises(NoSuchIncidentError):
        incidents.read(name)
    with pytest.raises(NoSuchIncidentError):
        incidents.resolve(name, Resolution(0.0, "abort"))


def test_a_disk_without_room_is_said_and_leaves_nothing_half_written(
    incidents: IncidentFolders,
) -> None:
    program = (
        "import resource, sys\n"
        "from handrail.intervene.incidents.gathering import gather_incident\n"
        "from handrail.intervene.incidents.folders import IncidentError, IncidentFolders\n"
        "from tests.intervene.stopped_run import INCIDENT, RUN, save, story\n"
        "record = gather_incident(RUN, INCIDENT, story())\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n"
        "    save(IncidentFolders(sys.argv[1]), record)\n"
        "except IncidentError as error:\n"
        "    print(error)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, incidents.folder],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.startswith(f"incident {INCIDENT}: not written: ")
    assert os.listdir(incidents.folder) == []


def test_a_damaged_record_does_not_hide_the_others(incidents: IncidentFolders) -> None:
    save(incidents, record())
    damaged = Path(incidents.folder) / "2027-01-01-0000-shop-ffff"
    damaged.mkdir()
    (damaged / "incident.json").write_text("{")
    assert [kept.record.id for kept in incidents] == [INCIDENT]
    with pytest.raises(IncidentError, match=r"incident\.json cannot be read"):
        incidents.read(damaged.name)


def test_old_incidents_are_removed(incidents: IncidentFolders) -> None:
    save(incidents, record())
    young = msgspec.structs.replace(record(), id="2026-12-10-0000-shop-3f2a", at=NIGHT + 25 * DAY)
    save(incidents, young)
    left = Path(incidents.folder) / ".new-abc"
    left.mkdir()
    os.utime(left, (NIGHT, NIGHT))
    assert incidents.remove_old(30, NIGHT + 29 * DAY) == []
    assert not left.exists()
    assert incidents.remove_old(30, NIGHT + 31 * DAY) == [INCIDENT]
    assert incidents.names() == [young.id]


def test_where_nothing_was_ever_stopped_there_is_nothing(incidents: IncidentFolders) -> None:
    assert incidents.names() == []
    assert incidents.remove_old(30, NIGHT) == []
    assert not os.path.exists(incidents.folder)
