"""Control commands, one row each, and the standings of a run between them.

Plain tuples and few imports: `handrail --help` reads this table each time.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple, Self


class Standing(StrEnum):
    """Whether a run may go on. Names in -ing: requested, but not confirmed yet."""

    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    INTERRUPTING = "interrupting"
    FREEZING = "freezing"
    FROZEN = "frozen"
    STOPPING = "stopping"
    STOPPED = "stopped"
    """No process of it is left; a person can resume it."""
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    DONE = "done"
    """Its loop has ended by itself."""


S = Standing
_HELD = (S.PAUSING, S.PAUSED, S.INTERRUPTING, S.FREEZING, S.FROZEN)
_ALIVE = (S.RUNNING, *_HELD)

HOLDING = frozenset(_HELD)
"""No new action begins; Handrail holds new calls."""

ENDING = frozenset({S.STOPPING, S.STOPPED, S.CANCELLING, S.CANCELLED})
"""No new action begins; Handrail refuses new calls, and tells the agent to end."""

HANDRAIL = "handrail"
"""The sender of requests that the daemon makes itself."""

FINAL = frozenset({S.CANCELLED, S.DONE})
"""There is nothing left to control."""


def _to(now: Standing, *standings: Standing) -> Mapping[Standing, Standing]:
    return dict.fromkeys(standings, now)


def _unchanged(*standings: Standing) -> Mapping[Standing, Standing]:
    return {each: each for each in standings}


class TextField(NamedTuple):
    """The text argument of a command in a request's payload."""

    name: str = "name"
    needed: bool = False
    longest: int = 10_000
    """Characters: the log drops the middle of longer texts."""


class ChoiceField(NamedTuple):
    """An argument of a command with few possible values; the first one is the default."""

    name: str = ""
    values: tuple[str, ...] = ()
    fleet_only: frozenset[str] = frozenset()
    """The values that only the run of a fleet takes."""

    def values_for(self, *, is_fleet: bool) -> tuple[str, ...]:
        """Return the values that a run takes."""
        return tuple(each for each in self.values if is_fleet or each not in self.fleet_only)


class OnCommandLine(NamedTuple):
    """The help of `handrail COMMAND --help`, and the arguments."""

    brief: str
    """In a line, for `handrail --help`."""
    more: str
    confirmed: str
    """The evidence for the confirmation: "Handrail confirms this once …"."""
    examples: tuple[str, ...]
    text: str = ""
    """The form of the text: `GOAL`, the words after the run; `--model`, an option."""
    default: str = ""
    """The default text."""


class OnScreen(NamedTuple):
    """The command on the screen of `handrail watch`."""

    key: str = ""
    short: str = ""
    """For the page of all keys."""
    will: str = ""
    """The consequence that a person agrees to, in a sentence; `{name}` is the run."""
    word: str = ""
    """The name on the screen; empty: its own name."""
    asks: str = ""
    """The question for the text."""
    in_footer: bool = True
    """Whether the footer names its key; the help page names every one."""


class CommandSpec(NamedTuple):
    """Everything about a control command except the function that carries it out."""

    allowed: Mapping[Standing, Standing]
    """The required standing of a run, and its standing once the request is acknowledged."""
    then: Standing | None = None
    """The standing once the command is confirmed; None: unchanged."""
    on_screen: OnScreen = OnScreen()
    on_command_line: OnCommandLine | None = None
    """None: the command line has a larger command of that name."""
    overtakes: str = ""
    """Pending commands that it makes void; `*`: all except those for files."""
    on_files: bool = False
    text: TextField = TextField()
    choice: ChoiceField = ChoiceField()
    for_fleet: bool = False
    """The run of a fleet takes it, for all its tasks."""
    confirm: bool = False
    """Ask a person first: on the screen, and for several runs at once."""
    no_driver: str = ""
    """It needs a driver; this is the advice if there is none. `{text}` is the command's text."""
    meanwhile: str = ""
    """The state that people see until it is confirmed."""
    result: str | None = ""
    """The message of its result; empty: its function writes it; None: there is none."""
    tells: str = ""
    """The text for the agent in its next answer."""
    asked: str = ""
    """The words before the text in a timeline."""
    refusal: str = "takes hold of runs in the name of a person"
    """Why a supervised agent may not call it."""


class ControlCommand(StrEnum):
    """The control commands."""

    spec: CommandSpec

    def __new__(cls, name: str, *row: CommandSpec) -> Self:
        """Make a member from its name, and attach its row."""
        member = str.__new__(cls, name)
        member._value_ = name
        (member.spec,) = row
        return member

    PAUSE = "pause", CommandSpec(
        # A pause takes hold at the next boundary. A frozen run can be let go to it.
        _to(S.PAUSING, S.RUNNING, S.FROZEN), S.PAUSED, overtakes="resume", for_fleet=True,
        choice=ChoiceField("at", ("action", "iteration"), frozenset({"iteration"})),
        result="Loop paused at iteration {iteration}",
        refusal="changes what the guard of this agent does",
        on_screen=OnScreen(
            "p", "before its next step", "{name} finishes its current action, then waits."),
        on_command_line=OnCommandLine(
            "Pause a run before its next action.",
            "The current action finishes. Handrail holds the next one until you resume.",
            "no action is running",
            ("shop", 'shop --reason "fixing the fixture first"', "--all --wait")),
    )  # fmt: skip
    RESUME = "resume", CommandSpec(
        # A run is held until it is confirmed that it goes on.
        _unchanged(*_HELD, S.STOPPED), S.RUNNING, overtakes="pause interrupt freeze",
        for_fleet=True,
        result="Loop resumed at iteration {iteration}",
        refusal="changes what the guard of this agent does",
        on_screen=OnScreen("r", "continue", "{name} continues."),
        on_command_line=OnCommandLine(
            "Let a run continue.",
            "Works after a pause, a freeze or a stop. Held actions run now. A stopped run starts "
            "again in the `handrail run` that drives it; if you have closed that, use "
            "handrail run --resume RUN.",
            "the run may continue and none of its processes is frozen",
            ("shop", "--all")),
    )  # fmt: skip
    STEER = "steer", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), text=TextField("message", needed=True),
        meanwhile="the agent reads it with its next action or prompt",
        tells="{who} tells you: {text}", asked="told the agent",
        on_screen=OnScreen(
            "s", "tell the agent", "{name} reads it at its next step.", asks="tell the agent"),
        on_command_line=OnCommandLine(
            "Send the agent a message.",
            "The agent reads it with the reply to its next action, or with its next prompt, and "
            "continues its task.",
            "the agent has received it",
            ('shop "use pytest, not unittest"',
             '--all "the API is down until 15:00: work on the tests"'),
            text="TEXT"),
    )  # fmt: skip
    REDIRECT = "redirect", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), text=TextField("goal", needed=True),
        meanwhile="the agent reads it with its next action or prompt",
        tells="{who} has given you another task{why}. Leave what you were doing as it is, and do "
        "this from now on: {text}",
        asked="gave it another goal",
        on_screen=OnScreen("d", "a new goal", "{name} gets a new goal.", asks="the new goal"),
        on_command_line=OnCommandLine(
            "Give the agent a new goal.",
            "The new goal replaces the old one, and Handrail measures progress by it. The agent "
            "reads it with the reply to its next action, or with its next prompt.",
            "the agent has received it",
            ('shop "leave the cart; fix the login first"',
             'last "only write the tests" --reason "out of scope"'),
            text="GOAL"),
    )  # fmt: skip
    REASSIGN = "reassign", CommandSpec(
        # `handrail redirect RUN --task ID`: its slot goes on with another task of the fleet.
        _to(S.STOPPING, *_ALIVE), S.STOPPED, text=TextField("task", needed=True),
        choice=ChoiceField("workspace", ("new", "same")), asked="gave its slot another task",
        overtakes="pause interrupt freeze resume", meanwhile="its processes are being ended",
        result="Loop stopped at iteration {iteration}",
        on_screen=OnScreen(
            "D", "its slot, to a task",
            "Handrail commits the work of {name} and ends its processes. Its slot goes on with "
            "the other task.", asks="the other task", in_footer=False),
        on_command_line=OnCommandLine(
            "Give the slot of a task's run to another task.",
            "Handrail refuses that before it stops anything if no agent can take the other task "
            "now. It ends all processes of the run, and commits the work in progress. The old "
            "task is pending again. `handrail redirect RUN --task TASK` does the same.",
            "no process of the run is left, and the other task is next",
            ("shop-3f2a fix-login", "shop-3f2a fix-login --workspace same"),
            text="TASK"),
    )  # fmt: skip
    ESCALATE = "escalate", CommandSpec(
        _unchanged(*_ALIVE), text=TextField("model", needed=True), asked="asked for another model",
        no_driver="type this in the session itself: /model {text}", result=None,
        on_screen=OnScreen(
            "e", "another model", "{name} uses another model from its next call on.",
            asks="the model, such as opus"),
        on_command_line=OnCommandLine(
            "Switch the agent to another model.",
            "The new model answers from the next call on; if another one does, the log says so. "
            "This works for runs that `handrail run` started. In your own session, use /model.",
            "the agent has switched",
            ("shop", 'shop --model sonnet --reason "opus is too dear for this"'),
            text="--model", default="opus"),
    )  # fmt: skip
    CHECKPOINT = "checkpoint", CommandSpec(
        _unchanged(*_ALIVE, S.STOPPED), on_files=True, for_fleet=True,
        on_screen=OnScreen("c", "save its files", "Handrail saves the files of {name}."),
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
            "f", "suspend its processes", "Handrail suspends all processes of {name} at once."),
        on_command_line=OnCommandLine(
            "Suspend all processes of a run at once.",
            "Processes stop even in the middle of an action. After at most two minutes "
            "(control.freeze_seconds), Handrail lets them continue and pauses the run.",
            "every process is suspended",
            ("shop", '--all --reason "the disk is nearly full"')),
    )  # fmt: skip
    INTERRUPT = "interrupt", CommandSpec(
        _to(S.INTERRUPTING, S.RUNNING, S.PAUSING, S.PAUSED, S.FROZEN), S.PAUSED,
        overtakes="pause resume", result="Loop interrupted at iteration {iteration}",
        no_driver="pause or freeze it instead, or press Esc in the session itself",
        on_screen=OnScreen(
            "i", "interrupt, then pause",
            "Handrail interrupts {name}, even in the middle of an answer, and pauses it."),
        on_command_line=OnCommandLine(
            "Interrupt the agent and pause the run.",
            "Handrail interrupts the agent even in the middle of an answer. This works for runs "
            "that `handrail run` started. In your own session, press Esc.",
            "the agent reports that it stopped",
            ("shop", 'shop --reason "wrong branch"')),
    )  # fmt: skip
    STOP = "stop", CommandSpec(
        # Works always, twice too: Handrail looks again whether anything is left.
        _to(S.STOPPING, *_ALIVE, S.STOPPING, S.STOPPED), S.STOPPED, confirm=True,
        overtakes="pause interrupt freeze resume", meanwhile="its processes are being ended",
        result="Loop stopped at iteration {iteration}",
        refusal="changes what the guard of this agent does",
        on_screen=OnScreen(
            "x", "r resumes it",
            "Handrail saves the files of {name} and ends all its processes. r resumes it."),
        on_command_line=OnCommandLine(
            "Stop a run. You can resume it later.",
            "Handrail saves the files, then ends all processes of the run. `handrail resume` "
            "starts it again. Before it stops several runs, Handrail asks you.",
            "no process of the run is left",
            ('shop --reason "out of budget"', "--all --yes")),
    )  # fmt: skip
    CANCEL = "cancel", CommandSpec(
        _to(S.CANCELLING, *_ALIVE, S.STOPPING, S.STOPPED, S.CANCELLING), S.CANCELLED, confirm=True,
        overtakes="*", meanwhile="its processes are being ended", result=None, for_fleet=True,
        on_screen=OnScreen(
            "K", "ends it for good",
            "Handrail ends all processes of {name} FOR GOOD. You cannot resume it."),
        on_command_line=OnCommandLine(
            "End a run for good.",
            "You cannot resume it. The files stay as they are; `handrail undo --task --run RUN` "
            "undoes its changes. Before it cancels several runs, Handrail asks you.",
            "no process of the run is left",
            ('shop --reason "not needed any more"', "--all --yes")),
    )  # fmt: skip

    @property
    def word(self) -> str:
        """Return its name on the screen."""
        return self.spec.on_screen.word or self.value

    @property
    def holds(self) -> bool:
        """Return whether no new action begins once it is confirmed."""
        return self.spec.then in HOLDING

    @property
    def ends(self) -> bool:
        """Return whether no process of the run is left once it is confirmed."""
        return self.spec.then in ENDING

    @property
    def stays(self) -> bool:
        """Return whether it leaves the standing of the run alone."""
        return self.spec.then is None

    @property
    def is_level(self) -> bool:
        """Return whether it holds a run, more or less, or lets it go on."""
        return self.holds or self.spec.then is S.RUNNING

    @property
    def thaws(self) -> bool:
        """Return whether the run is no longer frozen once it is confirmed."""
        return self.spec.then not in (None, S.FROZEN)
