"""Every command of the protocol is given by its key, and reaches the daemon with its reason."""

import re
import subprocess
from collections.abc import Iterator

import msgspec
import pytest
from playwright.sync_api import Locator, Page, expect

from handrail.control.message import Request
from handrail.drive.daemon_client import LoopStart
from handrail.model.control import ControlCommand
from handrail.server.http.socket_client import call_daemon
from handrail.testing.scripted_agent import ScriptedAgent
from tests.panel.browser import PanelSandbox
from tests.panel.test_controls import OTHER
from tests.panel.watched_run import GOAL, RUN, agent_in, open_run
from tests.run_controller import RunController

pytestmark = pytest.mark.slow

OF_A_TASK = ControlCommand.REASSIGN
ON_FILES = ControlCommand.ROLLBACK
"""Its place is the page of checkpoints, which shows first what would be lost."""
AT_ONCE = (ControlCommand.RESUME, ControlCommand.CHECKPOINT)
COMMANDS = [each for each in ControlCommand if each.spec.on_screen.key and each is not ON_FILES]
WHY = "the release comes first"
TOLD = re.compile("acknowledged|confirmed|refused")
"""What stands beside the controls: nobody carries a command out here, and some are refused."""


@pytest.fixture
def driven(place: PanelSandbox) -> Iterator[str]:
    """A run that Handrail drives for a task of a fleet: it takes every command."""
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as driver:
        loop = LoopStart(
            goal=GOAL,
            cwd=str(place.project),
            max=9,
            driver=driver.pid,
            mode="issue",
            parent=OTHER,
            issue="cart",
        )
        call_daemon(place.home, "POST", f"/runs/{RUN}/loop", msgspec.json.encode(loop))
        yield RUN
        driver.kill()


def requests(ann: RunController) -> list[Request]:
    """What has been asked of the run."""
    return [each for each in ann.messages() if isinstance(each, Request)]


def button(page: Page, command: ControlCommand) -> Locator:
    """The button of a command, in its row or in the menu beside it."""
    wanted = re.compile(rf"\({command.spec.on_screen.key}\)$")
    return page.locator(".controls").get_by_title(wanted)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda each: each.value)
def test_a_command_is_given_by_its_key_with_a_reason_and_destructive_ones_in_two_steps(
    page: Page, place: PanelSandbox, ann: RunController, driven: str, command: ControlCommand
) -> None:
    with agent_in(place):
        if command is ControlCommand.RESUME:
            ann.do(ControlCommand.PAUSE, driven)
        before = len(requests(ann))
        open_run(page, place)
        expect(button(page, command)).not_to_have_attribute("aria-disabled", "true")
        page.keyboard.press(command.spec.on_screen.key)
        if command not in AT_ONCE:
            _fill(page, command)
            assert len(requests(ann)) == before
            _send(page, command)
        expect(page.locator(".controls").get_by_role("status")).to_contain_text(TOLD)
        (sent,) = requests(ann)[before:]
        assert sent.command == command.value
        assert sent.target.run_id == driven
        if command not in AT_ONCE:
            assert sent.payload["reason"] == WHY


def _fill(page: Page, command: ControlCommand) -> None:
    dialog = page.get_by_role("dialog")
    if command.spec.on_screen.asks:
        dialog.get_by_role("textbox").first.fill("docs")
    dialog.get_by_label("Reason").fill(WHY)


def _send(page: Page, command: ControlCommand) -> None:
    dialog = page.get_by_role("dialog")
    dialog.locator("[type=submit]").click()
    if command.spec.confirm or command is OF_A_TASK:
        expect(dialog.get_by_role("alert")).to_contain_text("Are you sure?")
        dialog.get_by_role("button", name="Yes: ").click()
    expect(dialog).to_have_count(0)


def test_all_runs_are_stopped_in_two_steps_and_how_each_took_it_is_said(
    page: Page, place: PanelSandbox, agent: ScriptedAgent, ann: RunController
) -> None:
    with agent_in(place, OTHER, "write the docs"):
        page.goto(place.address)
        expect(page.get_by_role("listitem").filter(has_text="write the docs").first).to_be_visible()
        for key in ("a", "x"):
            page.keyboard.press(key)
        asked = page.get_by_role("dialog", name="Stop all runs")
        asked.get_by_label("Reason").fill(WHY)
        asked.get_by_role("button", name="Stop all runs").click()
        expect(asked.get_by_role("alert")).to_contain_text("All processes of 2 runs end.")
        assert requests(ann) == []
        asked.get_by_role("button", name="Yes: Stop all runs").click()
        # Scripted agents live in the process of this test: Handrail knows none to end.
        expect(asked.get_by_role("status")).to_contain_text("0 of 2 runs confirmed.")
        expect(asked.get_by_text("end the agent in its window")).to_have_count(2)
        sent = requests(ann)
        assert {each.target.run_id for each in sent} == {RUN, OTHER}
        assert {(each.command, each.payload["reason"]) for each in sent} == {("stop", WHY)}
