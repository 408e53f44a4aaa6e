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


HOLDING = frozenset(
    {
        Standing.PAUSING,
        Standing.PAUSED,
        Standing.INTERRUPTING,
        Standing.FREEZING,
        Standing.FROZEN,
    }
)
"""No new action begins; one that wants to is held."""

ENDING = frozenset({Standing.STOPPING, Standing.STOPPED, Standing.CANCELLING, Standing.CANCELLED})
"""No new action begins; one that wants to is refused, and the agent is told to end."""

FINAL = frozenset({Standing.CANCELLED, Standing.DONE})
"""There is nothing left to control."""


S = Standing
_HELD = (S.PAUSING, S.PAUSED, S.INTERRUPTING, S.FREEZING, S.FROZEN)
_ALIVE = (S.RUNNING, *_HELD)


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
    does: str = ""
    """The first line of its own help, where `brief` is too brief."""
    text: str = ""
    """How the text is given: `GOAL`, the words behind the run; `--model`, an option."""
    default: str = ""
    """The text, where nobody gives one."""


class OnScreen(NamedTuple):
    """How `handrail watch` offers a command."""

    key: str
    short: str
    """For the page of all keys."""
    will: str
    """What a person agrees to, in a sentence; `{name}` is the run."""
    word: str = ""
    """How the screen calls it; empty: by its name."""
    asks: str = ""
    """The question for the text."""


class CommandSpec(NamedTuple):
    """Everything about a control command but the function that carries it out."""

    allowed: Mapping[Standing, Standing]
    """How a run has to stand, and how it stands as soon as the request is acknowledged."""
    on_screen: OnScreen
    on_command_line: OnCommandLine | None = None
    """None: the command line has a command of that name which does more."""
    then: Standing | None = None
    """How the run stands when the command is confirmed; None: as before."""
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


class Command(StrEnum):
    """What can be asked for."""

    spec: CommandSpec

    def __new__(cls, name: str, *row: CommandSpec) -> Self:
        """A member is its name, and carries its row."""
        member = str.__new__(cls, name)
        member._value_ = name
        (member.spec,) = row
        return member

    PAUSE = (
        "pause",
        CommandSpec(
            # A pause takes hold at the next boundary. A frozen run can be let go to it.
            _to(S.PAUSING, S.RUNNING, S.FROZEN),
            OnScreen("p", "at its next step", "Nothing new begins in {name} after what runs now."),
            OnCommandLine(
                "Pause a run at its next action.",
                "What is under way goes on to its end; the next action is held before it begins, "
                "and runs when you resume.",
                "no action is under way",
                ("shop", 'shop --reason "fixing the fixture first"', "--all --wait"),
            ),
            then=S.PAUSED,
            overtakes="resume",
            result="Loop paused at iteration {iteration}",
            refusal="changes what the guard of this agent does",
        ),
    )
    RESUME = (
        "resume",
        CommandSpec(
            # A run is held until it is confirmed that it goes on.
            _unchanged(*_HELD, S.STOPPED),
            OnScreen("r", "it goes on", "{name} goes on."),
            OnCommandLine(
                "Let a run go on.",
                "A held action runs then. A stopped run is started again by the `handrail run` "
                "that drives it; where that is gone: handrail run --resume RUN.",
                "the run may go on, and what was frozen runs again",
                ("shop", "--all"),
                does="Let a run go on that was paused, frozen or stopped.",
            ),
            then=S.RUNNING,
            overtakes="pause interrupt freeze",
            result="Loop resumed at iteration {iteration}",
            refusal="changes what the guard of this agent does",
        ),
    )
    STEER = (
        "steer",
        CommandSpec(
            _unchanged(*_ALIVE, S.STOPPED),
            OnScreen(
                "s", "tell the agent", "{name} reads it at its next step.", asks="tell the agent"
            ),
            OnCommandLine(
                "Tell the agent something.",
                "It reads it with the answer to its next action, or with its next prompt, and goes "
                "on with its task.",
                "the agent has been told",
                (
                    'shop "use pytest, not unittest"',
                    '--all "the API is down until 15:00: work on the tests"',
                ),
                text="TEXT",
            ),
            text=TextField("message", needed=True),
            meanwhile="the agent is told with its next action or prompt",
            tells="{who} tells you: {text}",
            asked="told the agent",
        ),
    )
    REDIRECT = (
        "redirect",
        CommandSpec(
            _unchanged(*_ALIVE, S.STOPPED),
            OnScreen("d", "another goal", "{name} gets another goal.", asks="the new goal"),
            OnCommandLine(
                "Give the agent another goal.",
                "It is told with the answer to its next action, or with its next prompt; from then "
                "on it is measured by the new goal.",
                "the agent has been told",
                (
                    'shop "leave the cart; fix the login first"',
                    'last "only write the tests" --reason "out of scope"',
                ),
                text="GOAL",
                does="Give the agent another goal, which replaces the one it has.",
            ),
            text=TextField("goal", needed=True),
            meanwhile="the agent is told with its next action or prompt",
            tells="{who} has given you another task{why}. Leave what you were doing as it is, and "
            "do this from now on: {text}",
            asked="gave it another goal",
        ),
    )
    ESCALATE = (
        "escalate",
        CommandSpec(
            _unchanged(*_ALIVE),
            OnScreen(
                "e",
                "another model",
                "{name} uses another model from its next call on.",
                asks="the model, such as opus",
            ),
            OnCommandLine(
                "Have the agent use another model.",
                "For runs that `handrail run` has started. In a session of your own: /model.",
                "the agent has taken it",
                ("shop", 'shop --model sonnet --reason "opus is too dear for this"'),
                text="--model",
                default="opus",
                does="Have the agent use another model from its next call on.",
            ),
            text=TextField("model", needed=True),
            no_driver="change the model in the session itself: /model",
            result=None,
            asked="asked for another model",
        ),
    )
    CHECKPOINT = (
        "checkpoint",
        CommandSpec(
            _unchanged(*_ALIVE, S.STOPPED),
            OnScreen("c", "save its files", "The files of {name} are saved."),
            on_files=True,
        ),
    )
    ROLLBACK = (
        "rollback",
        CommandSpec(
            _unchanged(*_ALIVE, S.STOPPED),
            OnScreen("u", "to the last checkpoint", "", word="undo"),
            on_files=True,
            text=TextField("checkpoint", needed=True),
            confirm=True,
            asked="asked for a rollback to",
        ),
    )
    FREEZE = (
        "freeze",
        CommandSpec(
            _to(S.FREEZING, S.RUNNING, S.PAUSING, S.PAUSED, S.INTERRUPTING),
            OnScreen("f", "its processes, at once", "All processes of {name} stop where they are."),
            OnCommandLine(
                "Stop all processes of a run where they are.",
                "For two minutes at most (control.freeze_seconds); then the run is paused.",
                "each process was read back as stopped",
                ("shop", '--all --reason "the disk is nearly full"'),
                does="Stop all processes of a run where they are, also in mid-action.",
            ),
            then=S.FROZEN,
            overtakes="pause interrupt resume",
            result="Loop frozen at iteration {iteration}",
        ),
    )
    INTERRUPT = (
        "interrupt",
        CommandSpec(
            _to(S.INTERRUPTING, S.RUNNING, S.PAUSING, S.PAUSED, S.FROZEN),
            OnScreen(
                "i",
                "break off, then pause",
                "What {name} is doing is broken off, the model's answer too; then it is paused.",
            ),
            OnCommandLine(
                "Break off what the agent is doing.",
                "For runs that `handrail run` has started. In a session of your own press Esc.",
                "the agent has said so",
                ("shop", 'shop --reason "wrong branch"'),
                does="Break off what the agent is doing, the model's answer too; then it is "
                "paused.",
            ),
            then=S.PAUSED,
            overtakes="pause resume",
            no_driver="pause or freeze it instead, or press Esc in the session itself",
            result="Loop interrupted at iteration {iteration}",
        ),
    )
    STOP = (
        "stop",
        CommandSpec(
            # Works always, twice too: it is looked again whether anything is left.
            _to(S.STOPPING, *_ALIVE, S.STOPPING, S.STOPPED),
            OnScreen(
                "x",
                "r takes it up again",
                "The files of {name} are saved, then all its processes are ended. r takes it up "
                "again.",
            ),
            OnCommandLine(
                "End a run's processes; it can be resumed.",
                "`handrail resume` takes it up again. For more than one run it asks first.",
                "no process of the run is left",
                ('shop --reason "out of budget"', "--all --yes"),
                does="Save the files of a run, and end all its processes.",
            ),
            then=S.STOPPED,
            overtakes="pause interrupt freeze resume",
            confirm=True,
            meanwhile="its processes are being ended",
            result="Loop stopped at iteration {iteration}",
            refusal="changes what the guard of this agent does",
        ),
    )
    CANCEL = (
        "cancel",
        CommandSpec(
            _to(S.CANCELLING, *_ALIVE, S.STOPPING, S.STOPPED, S.CANCELLING),
            OnScreen(
                "K",
                "ends it for good",
                "All processes of {name} are ended FOR GOOD: it can not be resumed.",
            ),
            OnCommandLine(
                "End a run for good.",
                "The files stay as they are; `handrail undo --task --run RUN` takes back what it "
                "did. For more than one run it asks first.",
                "no process of the run is left",
                ('shop --reason "not needed any more"', "--all --yes"),
                does="End a run for good: it cannot be resumed.",
            ),
            then=S.CANCELLED,
            overtakes="*",
            confirm=True,
            meanwhile="its processes are being ended",
            result=None,
        ),
    )

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
        return self.holds or self.spec.then is Standing.RUNNING

    @property
    def is_milder_than_frozen(self) -> bool:
        """Whether the processes of a frozen run have to go on for it."""
        return self.is_level and self.thaws

    @property
    def thaws(self) -> bool:
        """Whether nothing of the run is frozen any more once it is confirmed."""
        return self.spec.then not in (None, Standing.FROZEN)
