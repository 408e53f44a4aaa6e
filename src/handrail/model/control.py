"""How a run stands with the people who control it, and what they can ask for: one row each.

Plain tuples and few imports: `handrail --help` reads this table each time.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Self


class Standing(StrEnum):
    """Whether a run may go on. Names that end in -ing: asked for, and not confirmed yet."""

    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    INTERRUPTING = "interrupting"
    FREEZING = "freezing"
    FROZEN = "frozen"
    STOPPING = "stopping"
    STOPPED = "stopped"
    """No process of it is left; it can be resumed."""
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    DONE = "done"
    """Its loop has come to an end by itself."""


S = Standing
_HELD = (S.PAUSING, S.PAUSED, S.INTERRUPTING, S.FREEZING, S.FROZEN)
_ALIVE = (S.RUNNING, *_HELD)

HOLDING = frozenset(_HELD)
"""No new action begins; one that wants to is held."""

ENDING = frozenset({S.STOPPING, S.STOPPED, S.CANCELLING, S.CANCELLED})
"""No new action begins; one that wants to is refused, and the agent is told to end."""

FINAL = frozenset({S.CANCELLED, S.DONE})
"""There is nothing left to control."""


def _to(now: Standing, *standings: Standing) -> Mapping[Standing, Standing]:
    return dict.fromkeys(standings, now)


def _unchanged(*standings: Standing) -> Mapping[Standing, Standing]:
    return {each: each for each in standings}


class TextField(NamedTuple):
    """The text in a request's payload that a command is about."""

    name: str = "name"
    needed: bool = False
    longest: int = 10_000
    """In characters: the log leaves out the middle of longer texts."""


class OnCommandLine(NamedTuple):
    """How `handrail COMMAND --help` explains a command, and what has to be typed."""

    brief: str
    """In a line, for `handrail --help`."""
    more: str
    confirmed: str
    """What Handrail has to see before it says that the command is done: "confirmed when …"."""
    examples: tuple[str, ...]
    text: str = ""
    """How the text is given: `GOAL`, the words behind the run; `--model`, an option."""
    default: str = ""
    """The text, where nobody gives one."""


class OnScreen(NamedTuple):
    """How `handrail watch` offers a command."""

    key: str = ""
    short: str = ""
    """For the page of all keys."""
    will: str = ""
    """What a person agrees to, in a sentence; `{name}` is the run."""
    word: str = ""
    """How the screen calls it; empty: by its name."""
    asks: str = ""
    """The question for the text."""


class CommandSpec(NamedTuple):
    """Everything about a control command but the function that carries it out."""

    allowed: Mapping[Standing, Standing]
    """How a run has to stand, and how it stands as soon as the request is acknowledged."""
    then: Standing | None = None
    """How the run stands when the command is confirmed; None: as before."""
    on_screen: OnScreen = OnScreen()
    on_command_line: OnCommandLine | None = None
    """None: the command line has a command of that name which does more."""
    overtakes: str = ""
    """Commands under way that it makes void; `*`: all that do not work on files."""
    on_files: bool = False
    text: TextField = TextField()
    confirm: bool = False
    """A person is asked before it is done: on the screen, and for several runs at once."""
    no_driver: str = ""
    """Needs a driver; this can be done where there is none."""
    meanwhile: str = ""
    """What people wait for until it is confirmed."""
    result: str | None = ""
    """The message of its result; empty: what carries it out says that; None: it has none."""
    tells: str = ""
    """What the agent reads with the next answer that it gets."""
    asked: str = ""
    """The words before the text where a timeline tells who asked for it."""
    refusal: str = "takes hold of runs in the name of a person"
    """Why a supervised agent may not call it."""


class ControlCommand(StrEnum):
    """What can be asked for."""

    spec: CommandSpec

    def __new__(cls, name: str, *row: CommandSpec) -> Self:
        """A member is its name, and carries its row."""
        member = str.__new__(cls, name)
        member._value_ = name
        (member.spec,) = row
        return member

    PAUSE = "pause", CommandSpec(
        # A pause takes hold at the next boundary. A frozen run can be let go to it.
        _to(S.PAUSING, S.RUNNING, S.FROZEN), S.PAUSED, overtakes="resume",
        result="Loop paused at iteration {iteration}",
        refusal="changes what the guard of this agent does",
        on_screen=OnScreen(
            "p", "at its next step", "Nothing new begins in {name} after what runs now."),
        on_command_line=OnCommandLine(
            "Pause a run at its next action.",
            "What is under way goes on to its end; the next action is held before it begins, and "
            "runs when you resume.",
            "no action is under way",
            ("shop", 'shop --reason "fixing the fixture first"', "--all --wait")),
    )  # fmt: skip
    RESUME = "resume", CommandSpec(
        # A run is held until it is confirmed that it goes on.
        _unchanged(*_HELD, S.STOPPED), S.RUNNING, overtakes="pause interrupt freeze",
        result="Loop resumed at iteration {iteration}",
        refusal="changes what the guard of this agent does",
        on_screen=OnScreen("r", "it goes on", "{name} goes on."),
        on_command_line=OnCommandLine(
            "Let a run go on.",
            "Works after a pause, a freeze or a stop. An action that was held runs then. The "
            "`handrail run` that drives a stopped run starts it again; where that is gone: "
            "handrail run --resume RUN.",
            "the run may go on, and what was frozen runs again",
            ("shop", "--all")),
    )  # fmt: skip
    STEER = "steer", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), text=TextField("message", needed=True),
        meanwhile="the agent is told with its next action or prompt",
        tells="{who} tells you: {text}", asked="told the agent",
        on_screen=OnScreen(
            "s", "tell the agent", "{name} reads it at its next step.", asks="tell the agent"),
        on_command_line=OnCommandLine(
            "Tell the agent something.",
            "It reads it with the answer to its next action, or with its next prompt, and goes on "
            "with its task.",
            "the agent has been told",
            ('shop "use pytest, not unittest"',
             '--all "the API is down until 15:00: work on the tests"'),
            text="TEXT"),
    )  # fmt: skip
    REDIRECT = "redirect", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), text=TextField("goal", needed=True),
        meanwhile="the agent is told with its next action or prompt",
        tells="{who} has given you another task{why}. Leave what you were doing as it is, and do "
        "this from now on: {text}",
        asked="gave it another goal",
        on_screen=OnScreen("d", "another goal", "{name} gets another goal.", asks="the new goal"),
        on_command_line=OnCommandLine(
            "Give the agent another goal.",
            "It replaces the goal that the agent has and is measured by. The agent is told with "
            "the answer to its next action, or with its next prompt.",
            "the agent has been told",
            ('shop "leave the cart; fix the login first"',
             'last "only write the tests" --reason "out of scope"'),
            text="GOAL"),
    )  # fmt: skip
    ESCALATE = "escalate", CommandSpec(
        _unchanged(*_ALIVE), text=TextField("model", needed=True), asked="asked for another model",
        no_driver="change the model in the session itself: /model", result=None,
        on_screen=OnScreen(
            "e", "another model", "{name} uses another model from its next call on.",
            asks="the model, such as opus"),
        on_command_line=OnCommandLine(
            "Have the agent use another model.",
            "The new model answers from the next call on. For runs that `handrail run` has "
            "started; in a session of your own: /model.",
            "the agent has taken it",
            ("shop", 'shop --model sonnet --reason "opus is too dear for this"'),
            text="--model", default="opus"),
    )  # fmt: skip
    CHECKPOINT = "checkpoint", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), on_files=True,
        on_screen=OnScreen("c", "save its files", "The files of {name} are saved."),
    )  # fmt: skip
    ROLLBACK = "rollback", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), on_files=True, confirm=True,
        text=TextField("checkpoint", needed=True), asked="asked for a rollback to",
        on_screen=OnScreen("u", "to the last checkpoint", "", word="undo"),
    )  # fmt: skip
    FREEZE = "freeze", CommandSpec(
        _to(S.FREEZING, S.RUNNING, S.PAUSING, S.PAUSED, S.INTERRUPTING), S.FROZEN,
        overtakes="pause interrupt resume", result="Loop frozen at iteration {iteration}",
        on_screen=OnScreen(
            "f", "its processes, at once", "All processes of {name} stop where they are."),
        on_command_line=OnCommandLine(
            "Stop all processes of a run where they are.",
            "They stop in mid-action, too, for two minutes at most (control.freeze_seconds); then "
            "the run is paused.",
            "each process was read back as stopped",
            ("shop", '--all --reason "the disk is nearly full"')),
    )  # fmt: skip
    INTERRUPT = "interrupt", CommandSpec(
        _to(S.INTERRUPTING, S.RUNNING, S.PAUSING, S.PAUSED, S.FROZEN), S.PAUSED,
        overtakes="pause resume", result="Loop interrupted at iteration {iteration}",
        no_driver="pause or freeze it instead, or press Esc in the session itself",
        on_screen=OnScreen(
            "i", "break off, then pause",
            "What {name} is doing is broken off, the model's answer too; then it is paused."),
        on_command_line=OnCommandLine(
            "Break off what the agent is doing.",
            "The model's answer is broken off, too, and the run is paused. For runs that `handrail "
            "run` has started; in a session of your own press Esc.",
            "the agent has said so",
            ("shop", 'shop --reason "wrong branch"')),
    )  # fmt: skip
    STOP = "stop", CommandSpec(
        # Works always, twice too: Handrail looks again whether anything is left.
        _to(S.STOPPING, *_ALIVE, S.STOPPING, S.STOPPED), S.STOPPED, confirm=True,
        overtakes="pause interrupt freeze resume", meanwhile="its processes are being ended",
        result="Loop stopped at iteration {iteration}",
        refusal="changes what the guard of this agent does",
        on_screen=OnScreen(
            "x", "r takes it up again",
            "The files of {name} are saved, then all its processes are ended. r takes it up again."
        ),
        on_command_line=OnCommandLine(
            "End a run's processes; it can be resumed.",
            "Its files are saved first. `handrail resume` takes it up again. For more than one "
            "run it asks first.",
            "no process of the run is left",
            ('shop --reason "out of budget"', "--all --yes")),
    )  # fmt: skip
    CANCEL = "cancel", CommandSpec(
        _to(S.CANCELLING, *_ALIVE, S.STOPPING, S.STOPPED, S.CANCELLING), S.CANCELLED, confirm=True,
        overtakes="*", meanwhile="its processes are being ended", result=None,
        on_screen=OnScreen(
            "K", "ends it for good",
            "All processes of {name} are ended FOR GOOD: it can not be resumed."),
        on_command_line=OnCommandLine(
            "End a run for good.",
            "It cannot be resumed. The files stay as they are; `handrail undo --task --run RUN` "
            "takes back what it did. For more than one run it asks first.",
            "no process of the run is left",
            ('shop --reason "not needed any more"', "--all --yes")),
    )  # fmt: skip

    @property
    def word(self) -> str:
        """How the screen calls it."""
        return self.spec.on_screen.word or self.value

    @property
    def holds(self) -> bool:
        """Whether no new action begins once it is confirmed."""
        return self.spec.then in HOLDING

    @property
    def ends(self) -> bool:
        """Whether no process of the run is left once it is confirmed."""
        return self.spec.then in ENDING

    @property
    def stays(self) -> bool:
        """Whether it leaves the run as it stands."""
        return self.spec.then is None

    @property
    def is_level(self) -> bool:
        """Whether it holds a run, more or less, or lets it go on."""
        return self.holds or self.spec.then is S.RUNNING

    @property
    def thaws(self) -> bool:
        """Whether nothing of the run is frozen any more once it is confirmed."""
        return self.spec.then not in (None, S.FROZEN)
