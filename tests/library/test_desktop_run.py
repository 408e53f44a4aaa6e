"""A desktop run is a run: its checks are in the log, and the usual commands control it."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from handrail import Supervisor
from handrail.model.control import Standing
from handrail.model.desktop import (
    DESKTOP_INPUT,
    DESKTOP_LOOK,
    CheckOutcome,
    DesktopCheck,
    RecoveryStep,
    ScreenStatus,
)
from handrail.model.event import (
    ActionEnded,
    ActionReviewed,
    DesktopChecked,
    FindingMade,
    Intervened,
    InterventionJudged,
)
from handrail.model.intervention import InterventionName
from handrail.model.ordinal import Severity
from tests.run_controller import RunController

from .conftest import SupervisedProject

pytestmark = pytest.mark.slow

FINE = DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, 0.99)
SAVE = '"Save changes to cart.py?" blocks the editor'
RECOVERED = DesktopCheck(
    ScreenStatus.DIALOG,
    CheckOutcome.RECOVERED,
    0.97,
    SAVE,
    "local",
    symptom="dialog:Save",
    attempt=1,
    steps=(RecoveryStep("press Escape"),),
    screenshot="a.jpg",
    cost_usd=0.25,
)
GIVEN_UP = DesktopCheck(
    ScreenStatus.DIALOG, CheckOutcome.GIVEN_UP, 0.97, SAVE, symptom="dialog:Save", attempt=3
)
LOST = DesktopCheck(ScreenStatus.UNKNOWN, CheckOutcome.FAILED, why="the display :7 is lost")

PROGRAM = """\
import sys, time
from handrail import Supervisor
from handrail.model.desktop import CheckOutcome, DesktopCheck, ScreenStatus

with Supervisor(goal="watch the screen", folder=sys.argv[1], daemon=True) as run:
    print(run.run, flush=True)
    while True:
        look = run.before("DesktopLook", {"window": "cart.py - Editor"})
        if not look.allowed:
            print(look.stop, look.guidance, flush=True)
            break
        run.desktop_checked(DesktopCheck(ScreenStatus.NORMAL, CheckOutcome.NORMAL, 0.99))
        run.after(look)
        time.sleep(0.02)
"""


def look(run: Supervisor, check: DesktopCheck, *keys: str) -> str:
    """One look with its recovery; what is said to it at its end, or instead of it."""
    seen = run.before(DESKTOP_LOOK, {"window": "cart.py - Editor"})
    if not seen.allowed:
        return seen.guidance
    for key in keys:
        pressed = run.before(DESKTOP_INPUT, {"do": f"press {key}", "window": "Save changes?"})
        assert pressed.allowed, pressed
        run.after(pressed)
    run.desktop_checked(check)
    return run.after(seen, error=check.why if check.outcome is CheckOutcome.FAILED else "")


class WatchingProgram:
    """A program that looks at a screen again and again, until it may not any more."""

    def __init__(self, project: SupervisedProject) -> None:
        self.controller = RunController(project.sandbox.home)
        self._sandbox = project.sandbox
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(project.folder)],
            stdout=subprocess.PIPE,
            text=True,
            env=project.sandbox.environ,
        )
        self.run = self._said()

    def _said(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def command(self, *args: str) -> str:
        """What a command of a person says."""
        done = self._sandbox.run(*args)
        assert done.returncode == 0, done
        return done.stdout

    def looks_on(self) -> None:
        """Wait for two more looks."""
        seen = self.controller.state(self.run).step
        self.controller.when(self.run, lambda state: state.step >= seen + 2)

    def last_words(self) -> str:
        """What it was told when it could not look any more; it ends then."""
        said = self._said()
        assert self._process.wait(60) == 0
        return said

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def program(project: SupervisedProject) -> Iterator[WatchingProgram]:
    project.sandbox.start()
    made = WatchingProgram(project)
    made.looks_on()
    yield made
    made.close()


def test_a_check_is_in_the_log_with_the_step_of_its_look(either: SupervisedProject) -> None:
    run = either.supervise(goal="play the session")
    look(run, FINE)
    look(run, RECOVERED, "Escape")
    events = run.events()
    checks = [event for event in events if isinstance(event, DesktopChecked)]
    assert [(each.step, each.check) for each in checks] == [(1, FINE), (2, RECOVERED)]
    ended = [event.step for event in events if isinstance(event, ActionEnded)]
    assert ended == [1, 3, 2], "the input of a recovery lies within its look"


def test_looks_and_inputs_are_allowed_without_a_finding(either: SupervisedProject) -> None:
    run = either.supervise(goal="fix the total of the cart")
    for number in range(40):
        check, keys = (RECOVERED, ("Escape",)) if number % 4 == 0 else (FINE, ())
        assert look(run, check, *keys) == ""
    reviewed = [event for event in run.events() if isinstance(event, ActionReviewed)]
    assert {event.verdict.decision.value for event in reviewed} == {"allow"}
    assert run.findings == []


def test_a_session_that_is_given_up_stops_the_run(either: SupervisedProject) -> None:
    run = either.supervise()
    look(run, RECOVERED, "Escape")
    told = look(run, GIVEN_UP)
    assert "stuck after 3 attempts" in told
    (finding,) = run.findings
    assert (finding.kind, finding.severity) == ("desktop_stuck", Severity.CRITICAL)
    made = [each.intervention for each in run.events() if isinstance(each, Intervened)]
    assert [each.means for each in made] == [InterventionName.EMERGENCY_STOP]
    assert made[0].incident
    after = run.before(DESKTOP_LOOK, {})
    assert (after.allowed, after.stop) == (False, True)


def test_a_watch_that_sees_again_is_told_to_have_been_helped(either: SupervisedProject) -> None:
    run = either.supervise()
    for _ in range(3):
        look(run, LOST)
    found = [event.finding for event in run.events() if isinstance(event, FindingMade)]
    assert [(each.kind, each.severity) for each in found] == [("desktop_stuck", Severity.MEDIUM)]
    for _ in range(6):
        look(run, FINE)
    judged = [event for event in run.events() if isinstance(event, InterventionJudged)]
    assert [event.worked for event in judged] == [True]


def test_text_for_a_terminal_is_refused_with_what_to_do_instead(
    either: SupervisedProject,
) -> None:
    run = either.supervise()
    typed = {"do": "type rm -rf ~", "window": "cart.py - Editor", "terminal": True}
    verdict = run.before(DESKTOP_INPUT, typed)
    assert not verdict.allowed
    assert "as a command of its own" in verdict.guidance


def test_what_the_model_cost_counts_for_the_limit_of_the_run(either: SupervisedProject) -> None:
    either.settings("limits: {cost_usd: 0.5}\n")
    run = either.supervise()
    assert look(run, RECOVERED, "Escape") == ""
    look(run, RECOVERED, "Escape")
    assert "limits.cost_usd" in look(run, FINE)


def test_a_paused_desktop_run_holds_its_next_look_and_goes_on(program: WatchingProgram) -> None:
    said = program.command("pause", program.run, "--reason", "lunch")
    assert "confirmed" in said
    held = program.controller.when(program.run, lambda state: state.hand.held)
    assert held.hand.standing is Standing.PAUSED
    assert [says for says in held.hand.held.values() if says.startswith("DesktopLook")]
    assert program.controller.state(program.run).step == held.step, "it looks no more"
    program.command("resume", program.run)
    program.looks_on()
    assert program.controller.state(program.run).hand.standing is Standing.RUNNING


@pytest.mark.parametrize(
    ("command", "standing"), [("stop", Standing.STOPPED), ("cancel", Standing.CANCELLED)]
)
def test_a_stopped_or_cancelled_desktop_run_looks_no_more(
    program: WatchingProgram, command: str, standing: Standing
) -> None:
    said = program.command(command, program.run, "--yes", "--reason", "the demo is over")
    assert "confirmed" in said
    told = program.last_words()
    assert told.startswith("True ")
    assert f"this run was {standing.value}" in told
    assert "the demo is over" in told
    assert program.controller.state(program.run).hand.standing is standing


def test_a_held_look_is_refused_when_the_run_is_stopped(program: WatchingProgram) -> None:
    program.command("pause", program.run)
    program.controller.when(program.run, lambda state: state.hand.held)
    program.command("stop", program.run, "--yes")
    assert program.last_words().startswith("True")


def test_a_desktop_run_over_its_limit_is_refused(project: SupervisedProject) -> None:
    project.sandbox.start()
    project.settings("limits: {actions: 5}\n")
    program = WatchingProgram(project)
    try:
        assert "limits.actions" in program.last_words()
        assert program.controller.state(program.run).usage.ran == 5
    finally:
        program.close()


def test_a_pause_in_the_middle_of_a_recovery_is_confirmed(either: SupervisedProject) -> None:
    """The look ends only after its inputs, so it may not keep the pause from taking hold."""
    run = either.supervise()
    seen = run.before(DESKTOP_LOOK, {})
    run.pause("a person wants the keyboard")
    state = [str(type(event).__name__) for event in run.events()]
    assert state[-1] == "ControlAnswered"
    run.resume()
    run.desktop_checked(FINE)
    run.after(seen)


def test_the_files_are_saved_before_the_first_input_of_a_recovery(
    either: SupervisedProject,
) -> None:
    (either.folder / "src" / "cart.py").write_text("half a line of the ses")
    run = either.supervise()
    look(run, RECOVERED, "Escape")
    names = [type(event).__name__ for event in run.events()]
    assert "CheckpointTaken" in names
    (either.folder / "src" / "cart.py").write_text("qqqq")
    run.undo()
    assert (either.folder / "src" / "cart.py").read_text() == "half a line of the ses"
