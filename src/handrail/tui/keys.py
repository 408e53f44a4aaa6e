"""The keys of the screen, in the order in which the bottom line shows them."""

from textual.binding import Binding

from handrail.model.control import ControlCommand
from handrail.tui.sending.task_commands import TASK_COMMANDS, TaskCommand

_FIRST = (
    ControlCommand.PAUSE,
    ControlCommand.RESUME,
    ControlCommand.STEER,
    ControlCommand.ROLLBACK,
    ControlCommand.STOP,
)
"""The commands that a narrow screen still shows."""


def _key(keys: str, action: str, word: str = "") -> Binding:
    """Bind keys before any widget sees them: so they are handled in the order of typing."""
    return Binding(keys, action, word, show=bool(word), priority=True)


def _command_key(command: ControlCommand) -> Binding:
    shown = command.spec.on_screen
    word = command.word if shown.in_footer else ""
    return _key(shown.key, f"command('{command.value}')", word)


def _task_key(command: TaskCommand) -> Binding:
    word = command.word if command.in_footer else ""
    return _key(command.key, f"task_command('{command.name}')", word)


KEYS = (
    *map(_task_key, TASK_COMMANDS.values()),
    _key("o", "open_run", "its run"),
    _key("a", "decide", "decide"),
    *map(_command_key, _FIRST),
    _key("question_mark", "keys", "help"),
    _key("enter", "details", "details"),
    _key("slash", "filter", "filter"),
    *(_command_key(each) for each in ControlCommand if each not in _FIRST),
    _key("q", "leave", "quit"),
    _key("ctrl+c", "leave"),
    _key("up,k", "move(-1)"),
    _key("down,j", "move(1)"),
    _key("pageup", "page(-1)"),
    _key("pagedown", "page(1)"),
    _key("home,g", "edge(-1)"),
    _key("end,G", "edge(1)"),
    _key("tab", "switch(1)"),
    _key("shift+tab", "switch(-1)"),
    _key("left", "look('runs')"),
    _key("T", "look('tasks')"),
    _key("right", "look('timeline')"),
    _key("z", "zoom"),
    _key("escape", "close"),
)


def parsed(binding: Binding) -> tuple[str, tuple[object, ...]]:
    """Return the action of a key, and its argument."""
    name, _, argument = binding.action.partition("(")
    return name, (argument.rstrip(")").strip("'"),)


OURS = frozenset(parsed(binding)[0] for binding in KEYS)
