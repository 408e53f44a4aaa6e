"""What was written before the code got its new structure is read as it was then."""

import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import get_args

import msgspec
import pytest

from handrail.model.event import Event
from handrail.store.journal import Journal
from handrail.store.opening import open_log
from handrail.supervise.log.state_reader import read_state
from handrail.supervise.log.topics import RUNS, run_of
from handrail.supervise.runs.run_registry import load_state
from handrail.supervise.state.run_state import RunState
from handrail.supervise.state.watched_state import WatchedState, fold
from tests.upgrade.expected import ASKED, ask
from tests.upgrade.machine import DATA, ROOT, Machine

NOT_IN_DATA = {
    "model_asked",  # no second opinion was asked for
    "usage_sampled", "after_reviewed", "agent_told", "approval_asked", "approval_decided",
    "files_copied", "cleaned_up", "desktop_checked",
}  # fmt: skip
"""Events that were not there yet."""


@pytest.fixture
def journal(machine: Machine) -> Iterator[Journal]:
    with closing(open_log(str(machine.state / "events.db"), "read")) as store:
        yield Journal(store)


@pytest.mark.parametrize("name", ASKED)
def test_the_same_is_told_as_before(machine: Machine, name: str) -> None:
    assert ask(machine, name) == (DATA / f"{name}.json").read_text()


def test_every_kind_of_event_was_written() -> None:
    kinds = {kind.__struct_config__.tag for kind in get_args(Event)}
    assert {each["event"] for each in json.loads((DATA / "log.json").read_text())} == (
        kinds - NOT_IN_DATA
    )


def test_a_snapshot_of_an_older_fold_is_not_read_and_its_events_are_folded_again(
    journal: Journal,
) -> None:
    sizes = []
    for topic in journal.store.topics(RUNS):
        snapshot = journal.store.load_snapshot(topic.name)
        assert snapshot is not None
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(snapshot.body, type=WatchedState)
        run, events = run_of(topic.name), [event for _, event in journal.read(topic.name)]
        sizes.append(len(events))
        assert load_state(journal, run) == fold(run, events)
        assert read_state(journal.store, run) == _light(run, events)
    assert len(sizes) == 6
    assert max(sizes) > 100


def test_an_installation_is_recognised(machine: Machine) -> None:
    for args in (("--handler", "http"), ("--handler", "command", "--project")):
        told = machine.json("install", "claude", "--dry-run", *args)
        assert (told["changed"], told["diff"]) == (False, "")


def test_the_users_settings_become_what_they_were(machine: Machine) -> None:
    told = machine.json("uninstall", "claude", "--yes")
    assert (told["done"], told["exact"]) == (True, True)
    assert told["others"] == [str(machine.project_settings)]
    assert machine.settings.read_bytes() == (ROOT / "settings.before").read_bytes()


def test_a_projects_settings_become_what_they_were(machine: Machine) -> None:
    told = machine.json("uninstall", "claude", "--project", "--yes")
    assert (told["done"], told["exact"]) == (True, True)
    assert told["others"] == [str(machine.settings)]
    assert not machine.project_settings.exists()


def test_files_go_back_to_a_checkpoint_and_forward_again(machine: Machine) -> None:
    before = _files(machine)
    machine.says("rollback", "before-the-weekend", "--yes")
    assert machine.says("diff", "before-the-weekend") == ""
    assert (machine.shop / "notes" / "plan.md").read_text() == (
        "one\ntwo\nthree\nrounded\ndone\nheld\n"
    )
    machine.says("redo", "--yes")
    assert _files(machine) == before


def test_an_undo_of_before_is_redone(machine: Machine) -> None:
    """The last thing that a person did with the code of before was to undo an iteration."""
    assert not (machine.shop / "test_2.py").exists()
    machine.says("redo", "--yes")
    assert (machine.shop / "test_2.py").read_text() == "assert True\n"


def test_what_was_deleted_by_an_action_comes_back_from_the_trash(machine: Machine) -> None:
    assert not (machine.shop / "prices.txt").exists()
    (thrown_away,) = machine.json("restore")
    machine.says("restore", thrown_away["id"])
    assert (machine.shop / "prices.txt").read_text() == "apples 3\n"


def test_an_incident_is_decided_about(machine: Machine) -> None:
    machine.says("incident", "resume", "docs-d0c5e114", "--option", "abort", cwd=machine.docs)
    listed = {each["id"]: each["state"] for each in machine.json("incident", "list")}
    assert set(listed.values()) == {"resolved"}


def _light(run: str, events: Iterable[Event]) -> RunState:
    """The state without its detectors."""
    state = RunState(run)
    for event in events:
        state.apply(event)
    return state


def _files(machine: Machine) -> dict[str, bytes]:
    return {
        str(path.relative_to(machine.shop)): path.read_bytes()
        for path in sorted(machine.shop.rglob("*"))
        if path.is_file() and ".git" not in path.parts
    }
