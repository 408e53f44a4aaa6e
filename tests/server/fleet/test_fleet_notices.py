"""People hear of the questions of a fleet and of its end; approvals are questions of their task."""

from pathlib import Path
from typing import cast

import pytest

from handrail.config.notify import Notify
from handrail.fleet.engine.events import QuestionAsked
from handrail.fleet.engine.fleet_state import AskedQuestion
from handrail.fleet.engine.requests import NoteEvent
from handrail.fleet.workspaces.repository import FleetRepository
from handrail.intervene.notify import Notification, Notifier
from handrail.model.action import Action
from handrail.model.event import ApprovalAsked, ApprovalDecided, LoopEnded
from handrail.review import Reviewer
from handrail.server.fleet.fleet_notices import FleetNotices
from tests.server.fleet.test_fleet_control import FLEET, FleetSetup

ACTION = Action("Bash", {"command": "make deploy"}, "/")
ASKED = ApprovalAsked(
    5.0, "ab12", "name", "make deploy", ACTION, Reviewer(see_disk=False).review(ACTION), (), 90.0
)


class NoticedFleet(FleetSetup):
    """A fleet whose messages are kept."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.told: list[Notification] = []
        notices = FleetNotices(
            self.fleets, self.jobs, cast("Notifier", self), self._work.append, self.clock
        )
        self.notices = notices
        self.runs.bus.subscribe(notices.on_event)

    def tell(self, settings: Notify, message: Notification) -> None:
        self.told.append(message)

    @property
    def questions(self) -> list[AskedQuestion]:
        return self.engine.look_at("a").questions


@pytest.fixture
def fleet(tmp_path: Path) -> NoticedFleet:
    return NoticedFleet(tmp_path)


def test_a_question_is_sent_to_people_without_secrets_and_with_the_command_to_answer(
    fleet: NoticedFleet,
) -> None:
    request = NoteEvent(QuestionAsked(5.0, "a", 1, f"Is ghp_{'a1B2' * 9} the token?"))
    project = fleet.runs.get("run-a", "/").project
    fleet.notices.performed(FleetRepository("shop", "/shop"), project, request)
    fleet.settle()
    (message,) = fleet.told
    assert message.title == "Handrail: a of shop asks you"
    assert 'handrail task answer a "TEXT"' in message.body
    assert "ghp_a1B2" not in message.body


def test_the_end_of_a_fleet_is_sent_and_that_of_a_task_is_not(fleet: NoticedFleet) -> None:
    fleet.runs.get("run-a", "/").record(LoopEnded(5.0, "done", "STUCK", "no network"))
    fleet.runs.get(FLEET, "/").record(LoopEnded(6.0, "done", "STUCK", "1 of 3 tasks are done"))
    assert [each.body for each in fleet.told] == ["1 of 3 tasks are done"]


def test_an_approval_is_a_question_of_its_task_until_a_person_decides(
    fleet: NoticedFleet,
) -> None:
    fleet.runs.get("run-a", "/").record(ASKED)
    fleet.settle()
    (asked,) = fleet.questions
    assert (asked.text, asked.approval) == ("May it do this? make deploy", "ab12")
    assert asked.is_waiting
    decided = ApprovalDecided(6.0, "ab12", False, "ada", "not today", 90.0)
    fleet.runs.get("run-a", "/").record(decided)
    fleet.settle()
    (asked,) = fleet.questions
    assert (asked.answer, asked.by, asked.needs_person) == ("denied: not today", "ada", False)
