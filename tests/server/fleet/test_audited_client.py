"""A driver begins no iteration while the dispatch of its fleet is closed."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from handrail.fleet.engine import FleetEngine, Renewal, Ticket
from handrail.fleet.fleet_state import FleetState
from handrail.fleet.workspace_records import Workspace
from handrail.model.control import HANDRAIL, ControlCommand
from handrail.server.fleet.audited_client import AuditedDaemonClient
from handrail.server.home import Home

HERE = Workspace(name="a", task="a", attempt=1, path="/", branch="handrail/a", base="")


class ClosedEngine:
    """Gives the same answers to renewals in every test; a person has closed it."""

    def __init__(self, answers: Sequence[Renewal]) -> None:
        self._answers = list(answers)

    def renew(self, ticket: Ticket) -> Renewal:
        return self._answers.pop(0)

    def state(self) -> FleetState:
        return FleetState(closed=True, closed_by="ada", closed_says="lunch")


class AskingClient(AuditedDaemonClient):
    """Writes down what it asks for its own run."""

    def __init__(self, home: str, answers: Sequence[Renewal]) -> None:
        engine = cast("FleetEngine", ClosedEngine(answers))
        super().__init__(Home(home), "run-a", engine, Ticket("a", 1), HERE, {})
        self.asked: list[tuple[ControlCommand, str, str]] = []

    def _ask(self, command: ControlCommand, by: str, reason: str) -> None:
        self.asked.append((command, by, reason))


PAUSE = (ControlCommand.PAUSE, "ada", "lunch")


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        (["held"], []),
        (["paused", "paused"], [PAUSE]),
        (["paused", "held"], [PAUSE, (ControlCommand.RESUME, HANDRAIL, "")]),
        (["lost"], []),
    ],
    ids=["open", "closed", "opened meanwhile", "lost"],
)
def test_it_pauses_its_run_at_the_boundary_in_the_name_of_who_closed(
    tmp_path: Path,
    answers: list[Renewal],
    asked: list[tuple[ControlCommand, str, str]],
) -> None:
    client = AskingClient(str(tmp_path), answers)
    asyncio.run(client._pause_with_fleet())
    assert client.asked == asked
