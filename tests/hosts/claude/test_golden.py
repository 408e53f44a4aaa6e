"""Every message of the real Claude Code: what it is answered with, and what the log then says."""

import json

import msgspec
import pytest

from handrail.hosts.claude.hooks import WELCOME
from handrail.model.event import ActionReviewed, Event
from tests.hosts.claude.desk import DATA, SESSION, Desk, Json, samples

GOLDEN: list[Json] = json.loads((DATA / "golden.json").read_text())
_LEFT_OUT = ("at", "ms", "name", "command", "review", "settings")
"""What depends on the clock, the machine, or on how an action is judged: other tests are about
that."""


def brief(event: Event) -> Json:
    """An event as it stands in the golden file."""
    fields: Json = json.loads(msgspec.json.encode(event))
    if isinstance(event, ActionReviewed):
        fields["verdict"] = event.verdict.decision.value
    return {name: value for name, value in fields.items() if name not in _LEFT_OUT}


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: "+".join(case["send"]))
def test_messages_are_answered_and_recorded(case: Json) -> None:
    desk = Desk()
    reply: Json = {}
    for name in case["send"]:
        message = {**json.loads((DATA / name).read_text()), "session_id": SESSION}
        reply = desk.post(json.dumps(message).encode())
    assert json.dumps(reply).replace(json.dumps(WELCOME), '"WELCOME"') == json.dumps(case["reply"])
    assert [brief(event) for event in desk.events()] == case["events"]


def test_every_sample_is_sent_alone_once() -> None:
    alone = [case["send"][0] for case in GOLDEN if len(case["send"]) == 1]
    assert alone == [path.name for path in samples()]
