"""Incidents on the disk: found, resolved once and for all, and removed when they are old."""

from pathlib import Path

import pytest

from handrail.intervene.incidents.folders import (
    RECORD,
    RESOLVED,
    IncidentError,
    IncidentFolders,
    NoSuchIncidentError,
    Resolution,
)
from handrail.intervene.incidents.gathering import gather_incident
from tests.intervene.stopped_run import INCIDENT, RUN, confirmed, story

DAY = 86_400.0


@pytest.fixture
def folders(tmp_path: Path) -> IncidentFolders:
    found = IncidentFolders(str(tmp_path))
    found.save(gather_incident(RUN, INCIDENT, [*story(), confirmed()]), "# It was stopped")
    return found


def test_a_saved_incident_is_found_with_its_report(folders: IncidentFolders) -> None:
    assert folders.names() == [INCIDENT]
    assert folders.read(INCIDENT).record.run == RUN
    assert folders.report(INCIDENT) == "# It was stopped"


def test_a_decision_stays_with_its_incident(folders: IncidentFolders) -> None:
    folders.resolve(INCIDENT, Resolution(5.0, "abort", "enough"))
    assert folders.read(INCIDENT).resolution == Resolution(5.0, "abort", "enough")


def test_an_unknown_incident_is_said_to_be_unknown(folders: IncidentFolders) -> None:
    with pytest.raises(NoSuchIncidentError):
        folders.read("inc-0")
    with pytest.raises(NoSuchIncidentError):
        folders.report("inc-0")
    with pytest.raises(NoSuchIncidentError):
        folders.resolve("inc-0", Resolution(5.0, "abort"))


def test_a_damaged_record_is_an_error_with_its_file(folders: IncidentFolders) -> None:
    Path(folders.path(INCIDENT), RECORD).write_text("{")
    with pytest.raises(IncidentError, match=f"{RECORD} cannot be read"):
        folders.read(INCIDENT)


def test_a_decision_that_cannot_be_written_is_an_error_and_leaves_nothing(
    folders: IncidentFolders,
) -> None:
    taken = Path(folders.path(INCIDENT), RESOLVED)
    taken.mkdir()
    with pytest.raises(IncidentError, match="not written"):
        folders.resolve(INCIDENT, Resolution(5.0, "abort"))
    names = {each.name for each in Path(folders.path(INCIDENT)).iterdir()}
    assert names == {RECORD, "report.md", RESOLVED}


def test_the_incident_of_another_run_is_never_replaced(folders: IncidentFolders) -> None:
    other = gather_incident(RUN, INCIDENT, [*story(), confirmed()])
    other.run = "another"
    with pytest.raises(IncidentError, match="incident of run"):
        folders.save(other, "# Another")
    assert folders.report(INCIDENT) == "# It was stopped"


def test_old_incidents_go_and_damaged_ones_by_the_age_of_their_folder(
    folders: IncidentFolders, tmp_path: Path
) -> None:
    (tmp_path / "inc-broken").mkdir()
    written = folders.read(INCIDENT).record.at
    assert folders.remove_old(30, written + 29 * DAY) == []
    later = max(written, (tmp_path / "inc-broken").stat().st_mtime) + 31 * DAY
    assert folders.remove_old(30, later) == sorted([INCIDENT, "inc-broken"])
    assert folders.names() == []
