"""A control command is one row and the function that carries it out: all else reads the row."""

import subprocess
import sys
from pathlib import Path

import pytest

from handrail.cli.commands.control import commands
from handrail.control import command_runner
from handrail.control.message import read_request
from handrail.model.commands import CLI_COMMANDS
from handrail.model.control import FINAL, ControlCommand, Standing
from handrail.server.control import command_actions
from tests.control.control_setup import as_bytes, make

pytestmark = pytest.mark.slow

ROW = """
    NUDGE = "nudge", CommandSpec(
        _unchanged(S.RUNNING), text=TextField("where", needed=True), asked="nudged it",
        on_screen=OnScreen("n", "a little push", "{name} is pushed.", asks="where"),
        on_command_line=OnCommandLine(
            "Push a run a little.", "It may wake up.", "it has moved", ("shop left",), text="WHERE"
        ),
    )

    @property
    def word("""
"""A row that somebody could write."""
USES = """
import sys, types
from pathlib import Path
import handrail.model

path = Path(handrail.model.__file__).with_name("control.py")
module = types.ModuleType("handrail.model.control")
sys.modules[module.__name__] = handrail.model.control = module
source = path.read_text().replace("\\n    @property\\n    def word(", sys.argv[1])
exec(compile(source, str(path), "exec"), module.__dict__)

from click.testing import CliRunner
from handrail.cli import group
from handrail.control.transitions import OVERTAKES, transition
from handrail.model import Action, Decision
from handrail.model.control import ControlCommand, Standing
from handrail.model.event import ControlAsked
from handrail.review import Reviewer
from handrail.tui.sending.questions import first_question
from handrail.tui.sending.commands import BY_KEY
from handrail.words.control import SAY
from handrail.tui.panes.help import help_text
from tests.control.control_setup import ControlSetup

nudge = ControlCommand("nudge")
assert transition(Standing.RUNNING, nudge) and not transition(Standing.PAUSED, nudge)
assert nudge in OVERTAKES[ControlCommand.CANCEL]

shown = CliRunner().invoke(group, ["--help"]).output
assert "nudge        Push a run a little." in shown
shown = CliRunner().invoke(group, ["nudge", "--help"]).output
assert "RUN|--all WHERE" in shown and "confirms this once it has moved" in " ".join(shown.split())
shown = CliRunner().invoke(group, ["nudge", "shop"]).output
assert "nudge needs a text" in shown

assert BY_KEY["n"] is nudge
assert "n  nudge      a little push" in help_text()
asked = ControlAsked(0.0, "r-1", nudge, Standing.RUNNING, by="me", text="left")
assert SAY[ControlAsked](asked, None).text == "me nudged it: left"

bed = ControlSetup()
bed.loop("run-1")
assert "needs a text in payload.where" in str(bed.ask(bed.request("nudge")))
bed.ask(bed.request("nudge", where="left"))
bed.go_on()
assert [what for what, *_ in bed.actions.begun] == ["nudge"]

for command in ("handrail nudge shop left", "uvx handrail nudge --all up"):
    review = Reviewer(environ={}).review(Action("Bash", {"command": command}, "/"))
    assert review.decision is Decision.BLOCK
    assert review.reasons == ("It takes hold of runs in the name of a person.",)
"""


def test_a_row_is_all_that_a_new_command_needs() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", USES, ROW],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""


@pytest.mark.parametrize("command", ControlCommand)
def test_every_command_is_carried_out(command: ControlCommand) -> None:
    assert command.spec.tells or command in {**command_runner._BEGIN, **command_actions._BEGIN}


@pytest.mark.parametrize("command", ControlCommand)
def test_the_protocol_takes_every_command(command: ControlCommand) -> None:
    given = {command.spec.text.name: "x"}
    asked = read_request(as_bytes(make(command, "run-1", "r-1", 0.0, **given)))
    assert asked.command is command


@pytest.mark.parametrize("command", ControlCommand)
def test_every_command_stands_on_the_command_line(command: ControlCommand) -> None:
    assert command.value in {row.name for row in CLI_COMMANDS}
    assert (command.value in commands) == (command.spec.on_command_line is not None)


@pytest.mark.parametrize("command", ControlCommand)
def test_every_row_can_be_used_somewhere(command: ControlCommand) -> None:
    assert command.spec.allowed
    assert FINAL.isdisjoint(command.spec.allowed)
    assert set(command.spec.allowed.values()) <= set(Standing) - FINAL
    assert command.spec.on_screen.key
    assert command.spec.on_screen.short
