"""How a step follows from the steps before it, and whether there is a shorter way."""

import re
from functools import lru_cache
from typing import NamedTuple

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.fingerprint import text_key
from handrail.model.history import History

_BUILDS_ON, _NEW_PATH, _REPEATS, _CONTRADICTS = 1.0, 0.7, 0.3, 0.0
_MAX_TEXT = 4_000
_MAX_COMMAND = 600
_SHORTEST_NAME = 4
_FILTER = re.compile(r"\s*(?:head|tail|grep|egrep|less|wc|sed|awk|sort)\b[^;&]*$")
"""The last part of a pipe that only shows less of the output before it."""
_COSTLY = re.compile(
    r"\b(?:make|ninja|cargo|go|npm|pnpm|yarn|mvn|gradlew?|bazel|docker|pytest|tox|nox|jest|vitest|"
    r"tsc|mypy|eslint|ctest|dotnet|swift|mix|sbt)\b"
)
_EVERYTHING = re.compile(
    r"\b(?:find\s+(?:/|~|\$HOME)/?(?=\s|$)|grep\s+-\w{0,8}[rR]\w{0,8}\s.*\s/(?=\s|$))"
)
_UNINSTALLS = re.compile(
    r"\b(?P<tool>pip3?|npm|pnpm|yarn|cargo|gem|brew|apt(?:-get)?|uv)\s+(?:pip\s+)?"
    r"(?:uninstall|remove|rm|purge)\s+(?:-\S+\s+)*(?P<name>[^\s;&|-][^\s;&|]*)"
)


class StepCheck(NamedTuple):
    """One look at a step: a score from 0 to 1, and what is wrong, if anything."""

    score: float
    issue: str = ""
    suggestion: str = ""


FINE = StepCheck(1.0)


def progression(action: Action, name: str, history: History) -> StepCheck:
    """Whether a step takes back, repeats or builds on earlier ones, or goes a new way."""
    undone = _takes_back(action, history)
    if undone:
        return StepCheck(
            _CONTRADICTS,
            f"it takes back an earlier step: {undone}",
            "Say why the earlier step was wrong, and decide for one of both ways.",
        )
    if history.recent and history.recent[-1] == name:
        return StepCheck(
            _REPEATS, "the same action was just done", "Use the result that is already there."
        )
    if _repeats(name, history):
        return StepCheck(
            _REPEATS,
            "the same action was done before, and nothing has changed since",
            "Use the result that is already there.",
        )
    return StepCheck(_BUILDS_ON if _builds_on(action, history) else _NEW_PATH)


def efficiency(action: Action, history: History) -> StepCheck:
    """Whether a shorter way to the same result is known."""
    given = action.input.get("command")
    if not isinstance(given, str) or not ("|" in given or "find" in given or "grep" in given):
        return FINE
    command = _command(action)
    if ("find" in command or "grep" in command) and _EVERYTHING.search(command):
        return StepCheck(
            0.5, "it searches the whole disk", "Search in the project's folder; name the part."
        )
    last = history.steps[-1] if history.steps else None
    if last is None or last.changed or "|" not in command:
        return FINE
    asked = _unfiltered(command)
    if asked == command or not _COSTLY.search(asked):
        return FINE
    if _unfiltered(last.shown) == asked and last.shown != command:
        return StepCheck(
            0.5,
            "it runs the same program again to see another part of its output",
            "Keep the output in a file once, and read the file.",
        )
    return FINE


def _unfiltered(command: str) -> str:
    """Return a command without the last part of its pipe, if that only filters the output."""
    before, bar, after = command.rpartition("|")
    if not bar or not _FILTER.match(after):
        return command
    return before.rstrip().removesuffix("2>&1").rstrip()


def _takes_back(action: Action, history: History) -> str:
    """Name the earlier step that this one undoes; only where that is certain."""
    given = action.input
    old, new = given.get("old_string"), given.get("new_string")
    path = given.get("file_path")
    if isinstance(old, str) and isinstance(new, str) and isinstance(path, str) and history.steps:
        before, after = text_key(old), text_key(new)
        for step in reversed(history.steps):
            if path not in step.paths or not step.ok or not step.after:
                continue
            return f"the edit of {path}" if (step.before, step.after) == (after, before) else ""
        return ""
    command = given.get("command")
    if not isinstance(command, str) or not ("install" in command or "remove" in command):
        return ""
    found = _UNINSTALLS.search(_command(action))
    if found is None:
        return ""
    installs = re.compile(
        rf"\b{re.escape(found['tool'])}\s+(?:pip\s+)?(?:install|add|i)\s(?:.*\s)?"
        rf"{re.escape(found['name'])}(?=[\s;&|=<>@]|$)"
    )
    done = (step for step in history.steps if step.ok and installs.search(step.shown))
    return next((f"`{step.shown}`" for step in done), "")


def _repeats(name: str, history: History) -> bool:
    """Whether a step was done before, and no step since may have changed its result."""
    if name not in history.recent:
        return False
    later = history.recent[::-1].index(name)
    if later > len(history.steps):
        return False
    return not any(step.changed for step in history.steps[len(history.steps) - later :])


def _builds_on(action: Action, history: History) -> bool:
    """Whether a step uses a file that an earlier one read or wrote."""
    text = "\n".join(value[:_MAX_TEXT] for value in action.input.values() if isinstance(value, str))
    # Plain loops: this is asked before each step, and generators take three times as long.
    for step in reversed(history.steps):
        for name in _telling_names(step.paths):
            if name in text:
                return True
    return False


@lru_cache(maxsize=2048)
def _telling_names(paths: tuple[str, ...]) -> tuple[str, ...]:
    """Return how a later step would name these files; each of the next steps asks for it."""
    names = ((path.rpartition("/")[2], path) for path in paths)
    return tuple(name if len(name) >= _SHORTEST_NAME else path for name, path in names)


def _command(action: Action) -> str:
    command = action.input.get("command")
    if not isinstance(command, str) or action.tool.lower() not in SHELL_TOOLS:
        return ""
    return " ".join(command[:_MAX_COMMAND].split())
