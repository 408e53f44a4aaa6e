"""Actions and effects in a few words."""

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.effect import Effect
from handrail.model.ordinal import Undo

_TELLING = ("file_path", "path", "notebook_path", "filePath", "absolute_path", "url", "pattern")
_DESKTOP = "Desktop"
_UNDO = {
    Undo.NEEDLESS: "nothing to undo",
    Undo.CHECKPOINT: "a checkpoint can undo it",
    Undo.UNKNOWN: "perhaps it can be undone",
    Undo.IMPOSSIBLE: "cannot be undone",
}


def command_of(action: Action) -> str:
    """Return the command line of a shell action, or "" for another tool."""
    if action.tool.lower() not in SHELL_TOOLS:
        return ""
    given = action.input
    command = given.get("command", given.get("cmd", given.get("script", "")))
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)


def tool_in_short(tool: str) -> str:
    """Return the name of a tool for a narrow column: on a desktop run all begin with one word."""
    return tool.removeprefix(_DESKTOP) or tool


def action_subject(action: Action) -> str:
    """Return the subject of an action: its command, path or pattern."""
    given = action.input
    if action.tool.lower() in SHELL_TOOLS:
        return command_of(action)
    texts = [value for field in _TELLING if isinstance(value := given.get(field), str)]
    texts = texts or [value for value in given.values() if isinstance(value, str)]
    return texts[0] if texts else ""


def action_in_words(action: Action) -> str:
    """Return an action in one line: the command, or the tool and its subject."""
    return command_of(action) or f"{action.tool} {action_subject(action)}".rstrip()


def undo_in_words(effect: Effect) -> str:
    """Return whether an effect can be undone."""
    return _UNDO[effect.undo]


def effect_in_words(effect: Effect) -> str:
    """Describe an effect, its target, and whether it can be undone."""
    return f"{effect.kind.value} {effect.target}".rstrip() + f" ({undo_in_words(effect)})"
