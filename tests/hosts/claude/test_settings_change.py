"""Settings that change while a session runs: not taken over where they would end supervision."""

import json

import pytest

from handrail.hosts.claude.hooks import failed
from handrail.store.errors import StoreError
from tests.hosts.claude.desk import Desk
from tests.hosts.claude.failing import Failing


@pytest.fixture
def desk() -> Desk:
    return Desk()


def test_changed_settings_without_our_hooks_are_kept_out(desk: Desk) -> None:
    desk.refusal = "the hooks are gone"
    reply = desk.tell("ConfigChange", source="user_settings", file_path="/home/dev/.claude/s.json")
    assert (reply["decision"], reply["reason"]) == ("block", "the hooks are gone")
    assert desk.asked_about[0][1] == desk.folder
    assert desk.kinds()[-1] == "SettingsChanged"


def test_other_changed_settings_are_taken_over(desk: Desk) -> None:
    assert desk.tell("ConfigChange", source="user_settings", file_path="/a") == {}


@pytest.mark.parametrize("event", ["ConfigChange", "UserPromptSubmit"])
def test_hooks_that_are_not_in_force_are_noticed_without_a_log(event: str) -> None:
    store = Failing()
    desk = Desk(store=store)
    store.on_read = StoreError("/log", "gone")
    assert desk.tell(event) == {}
    desk.refusal = "the hooks are gone"
    assert desk.tell(event)["decision"] == "block"


def test_changed_settings_that_cannot_be_looked_at_are_not_taken_over() -> None:
    body = json.dumps({"hook_event_name": "ConfigChange", "session_id": "a", "cwd": "/w"}).encode()
    assert failed("too slow", body)["decision"] == "block"
