"""The variables of a pipeline, and the ways by which a step gets them.

A prompt is a text for a model, so values are filled in. A command is a program, so a value never
becomes a part of its text: the shell gets it as a variable, assigned in front of the command. The
reviewer reads that assignment too, and so judges the command with the real value.
"""

import re
import shlex
from collections.abc import Iterator, Mapping

IS_VARIABLE = re.compile(r"[a-z][a-z0-9_]{0,59}")
"""Lower case: the variables of the system are not."""
IS_STEP = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,59}")
STEP_VALUES = ("status", "output", "exit_code", "run")
"""The variables that a step leaves behind: `build.output` in a prompt, `$build_output` in a
command."""
_FILLED_IN = re.compile(r"\{\{([^{}]*)\}\}")


class UndefinedVariableError(ValueError):
    """A text names a variable that there is not."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is no variable {name!r}")
        self.name = name


def names_in_prompt(prompt: str) -> Iterator[str]:
    """Yield the names in `{{ }}`."""
    return (match[1].strip() for match in _FILLED_IN.finditer(prompt))


def fill_in(prompt: str, values: Mapping[str, str]) -> str:
    """Replace each `{{ name }}` by its value, once: a value is never looked at again.

    Raises UndefinedVariableError.
    """

    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name not in values:
            raise UndefinedVariableError(name)
        return values[name]

    return _FILLED_IN.sub(value, prompt)


def shell_name(name: str) -> str:
    """Return the name of a variable for the shell: `build-all.output` is `build_all_output`."""
    return name.replace(".", "_").replace("-", "_").lower()


def shell_variables(values: Mapping[str, str]) -> dict[str, str]:
    """Return all variables for the environment of a command."""
    return {shell_name(name): value.replace("\0", "") for name, value in values.items()}


def with_assignments(command: str, values: Mapping[str, str]) -> str:
    """Return a command with the variables that it uses assigned in front of it."""
    known = shell_variables(values)
    lines = [
        f"export {name}={shlex.quote(value)}"
        for name, value in known.items()
        if re.search(rf"\$(?:\{{[!#]?)?{name}(?![A-Za-z0-9_])", command)
    ]
    return "\n".join((*lines, command))
