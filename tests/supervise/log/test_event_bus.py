"""Everybody hears of events in the order of the log, whatever they do about them."""

import logging

import pytest

from handrail.model.event import Compacted, Event, PromptGiven
from handrail.supervise.supervisor import Supervisor
from tests.supervise.supervision_setup import SupervisionSetup


class RecordingListener:
    """A listener that writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Event]] = []

    def __call__(self, supervisor: Supervisor, event: Event) -> None:
        self.heard.append((supervisor.state.run, event))


def test_what_a_listener_writes_is_heard_after_what_it_heard(supervision: SupervisionSetup) -> None:
    first, last = RecordingListener(), RecordingListener()

    def answer(supervisor: Supervisor, event: Event) -> None:
        if isinstance(event, PromptGiven):
            supervision.get("other").record(Compacted(2.0, "auto"))
            supervisor.record(Compacted(3.0, "auto"))

    supervision.runs.bus.subscribe(first, answer, last)
    supervision.run.record(PromptGiven(1.0, "do it"))
    supervision.run.record(PromptGiven(4.0, "go on"))
    assert first.heard == last.heard
    assert [event.at for _, event in last.heard] == [1.0, 2.0, 3.0, 4.0, 2.0, 3.0]
    assert [event for run, event in last.heard if run == "r1"] == supervision.events()


def test_a_listener_that_fails_keeps_nobody_from_hearing(
    supervision: SupervisionSetup, caplog: pytest.LogCaptureFixture
) -> None:
    ear = RecordingListener()

    def fail(supervisor: Supervisor, event: Event) -> None:
        raise ValueError("a bug")

    supervision.runs.bus.subscribe(fail, ear)
    with caplog.at_level(logging.ERROR):
        supervision.run.record(PromptGiven(1.0, "do it"))
        supervision.run.record(PromptGiven(2.0, "go on"))
    assert [event.at for _, event in ear.heard] == [1.0, 2.0]
    assert "a listener failed over PromptGiven" in caplog.text
