"""The words in which a session is written down: its prompt, its steps, and their results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SessionStep:
    """One call of a tool and its result, or one prompt of the person."""

    tool: str = ""
    given: dict[str, object] = field(default_factory=dict)
    output: str = ""
    error: str = ""
    seconds: float = 0.4
    """How long the call runs."""
    agent: str = ""
    prompt: str = ""


Steps = Iterator[SessionStep]


@dataclass(frozen=True)
class Session:
    """A piece of work from the first prompt to the last step."""

    name: str
    prompt: str
    steps: Callable[[], Steps]


class Sessions(dict[str, Session]):
    """Sessions by name; as a decorator it takes one in."""

    def __call__(self, prompt: str) -> Callable[[Callable[[], Steps]], Callable[[], Steps]]:
        """Take in a session that begins with this prompt."""

        def take(steps: Callable[[], Steps]) -> Callable[[], Steps]:
            self[steps.__name__] = Session(steps.__name__, prompt, steps)
            return steps

        return take


def sh(command: str, output: str = "", seconds: float = 0.4, agent: str = "") -> SessionStep:
    """A command that works."""
    return SessionStep("Bash", {"command": command}, output, "", seconds, agent)


def fails(command: str, said: str, code: int = 1, seconds: float = 0.4) -> SessionStep:
    """A command that ends with a code other than 0."""
    return SessionStep("Bash", {"command": command}, "", f"Exit code {code}\n{said}", seconds)


def timed_out(command: str, minutes: int = 2) -> SessionStep:
    """A command that the host ended for its length."""
    said = f"Command timed out after {minutes}m 0.0s"
    return SessionStep("Bash", {"command": command}, "", said, minutes * 60)


def look(path: str, text: str, offset: int = 0, agent: str = "") -> SessionStep:
    """A file, or a part of it, is read."""
    given: dict[str, object] = {"file_path": path}
    if offset:
        given |= {"offset": offset, "limit": 200}
    return SessionStep("Read", given, text, agent=agent)


def edit(path: str, old: str, new: str) -> SessionStep:
    """A place in a file is changed."""
    given: dict[str, object] = {"file_path": path, "old_string": old, "new_string": new}
    return SessionStep("Edit", given, f"The file {path} has been updated.")


def write(path: str, text: str) -> SessionStep:
    """A file is written as a whole."""
    return SessionStep("Write", {"file_path": path, "content": text}, f"File created: {path}")


def grep(pattern: str, output: str, agent: str = "") -> SessionStep:
    """The files are searched."""
    given: dict[str, object] = {"pattern": pattern, "output_mode": "content"}
    return SessionStep("Grep", given, output, agent=agent)


def asks(text: str) -> SessionStep:
    """The person says something."""
    return SessionStep(prompt=text)
