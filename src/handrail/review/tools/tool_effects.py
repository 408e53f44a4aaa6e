"""What the tools of an agent do, in the same effects as a shell command."""

import re
import shlex
from collections.abc import Callable, Iterator

import msgspec

from handrail.model.action import SHELL_TOOLS, Action
from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.review.tools.command_lines import find_command
from handrail.review.tools.desktop import input_effects_on_screen
from handrail.review.tools.input_texts import joined, look_through
from handrail.review.tools.mcp import by_name, input_effects, written_texts
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.word import Word


class WrittenText(msgspec.Struct, frozen=True):
    """Text that a tool puts into a file."""

    path: str
    text: str


class ToolUse(msgspec.Struct, frozen=True):
    """A tool call as understood: its effects, and the text it writes."""

    effects: tuple[Effect, ...] = ()
    written: tuple[WrittenText, ...] = ()


class MalformedInputError(ValueError):
    """A tool's input lacks what the tool cannot work without."""

    def __init__(self, tool: str, field: str, problem: str) -> None:
        super().__init__(f"{tool} needs {field!r}: {problem}")
        self.tool = tool
        self.field = field


_RUNNING_TOOLS = frozenset({"monitor"})
"""Tools that run a command line if they are given one."""

HOST_TOOLS = frozenset(
    """
    TodoWrite TodoRead TaskCreate TaskUpdate TaskList TaskGet TaskOutput TaskStop ExitPlanMode
    EnterPlanMode AskUserQuestion ToolSearch Skill SlashCommand BashOutput KillShell KillBash
    EnterWorktree ListMcpResources ListMcpResourcesTool ReadMcpResource ReadMcpResourceTool LSP
    Monitor SendMessage StructuredOutput Message Finish Invalid update_plan view_image write_todos
    save_memory finish think exit_plan_mode
    """.split()
)
"""Tools of the hosts themselves, which touch nothing but the agent's own state."""

_COMMAND_FIELDS = ("command", "cmd", "script", "argv")
_PATH_FIELDS = ("file_path", "path", "notebook_path", "filePath", "absolute_path")
_PATCHED = re.compile(r"(?m)^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* (Move) to: (.+)$")
_TEXT_FIELDS = ("content", "new_string", "new_source", "newString", "file_text", "new_str", "text")


def command_field(action: Action) -> str | None:
    """Which field of an input holds the command line; None if the tool runs none.

    Where it stands in several fields, the answer is none of them.
    """
    if action.tool.lower() in SHELL_TOOLS:
        return _shell_field(action)
    if not _may_run(action):
        return None
    found = find_command(action)
    return found.field if found is not None else None


def _shell_field(action: Action) -> str:
    for field in _COMMAND_FIELDS:
        if field in action.input:
            return field
    return "command"


def _may_run(action: Action) -> bool:
    """Whether a tool that is no shell runs a command line, if it is given one."""
    name = action.tool.lower()
    return name in _RUNNING_TOOLS or not (
        action.tool in HOST_TOOLS or name.replace("_", "") in _TOOLS
    )


def command_of(action: Action) -> str | None:
    """The command line of a shell tool; None for other tools."""
    if action.tool.lower() not in SHELL_TOOLS:
        found = find_command(action) if _may_run(action) else None
        return found.text if found is not None else None
    field = _shell_field(action)
    value = action.input.get(field)
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        # Codex gives an argv: ["bash", "-lc", "…"].
        return shlex.join(value)
    raise MalformedInputError(action.tool, field, "a text is expected")


def read_tool(action: Action) -> ToolUse:
    """Read the call of any tool that is not a shell."""
    name = action.tool
    reader = _TOOLS.get(name.lower().replace("_", ""))
    if reader is not None:
        return reader(action)
    if name in HOST_TOOLS:
        return ToolUse()
    contents = look_through(action)
    texts = written_texts(action, contents)
    return ToolUse(
        (*_by_name(name), *input_effects(action, contents)),
        tuple(WrittenText(path, text) for path, text in texts.items()),
    )


def _by_name(name: str) -> Iterator[Effect]:
    if "__" in name or "." in name:
        yield from by_name(name)
    else:
        yield _unknown(name)


def _unknown(name: str) -> Effect:
    return effect(
        Kind.CHANGE,
        name,
        severity=Severity.MEDIUM,
        undo=Undo.UNKNOWN,
        says=f"calls {name}, a tool that Handrail does not know",
    )


def _path(action: Action) -> Word:
    for field in _PATH_FIELDS:
        value = action.input.get(field)
        if isinstance(value, str) and value:
            return joined(action, value)
    raise MalformedInputError(action.tool, "file_path", "a path is expected")


def _texts(action: Action) -> Iterator[str]:
    for field in _TEXT_FIELDS:
        value = action.input.get(field)
        if isinstance(value, str):
            yield value
    edits = action.input.get("edits")
    for edit in edits if isinstance(edits, list) else ():
        if isinstance(edit, dict):
            value = edit.get("new_string")
            if isinstance(value, str):
                yield value


def _write(action: Action) -> ToolUse:
    path = _path(action)
    text = "\n".join(_texts(action))
    return ToolUse((path_effect(Kind.WRITE, path),), (WrittenText(path.text, text),))


def _read(action: Action) -> ToolUse:
    return ToolUse((path_effect(Kind.READ, _path(action)),))


def _search(action: Action) -> ToolUse:
    """Glob lists names and Grep reads below a folder; both may be pointed anywhere."""
    value = action.input.get("path")
    if not isinstance(value, str) or not value:
        return ToolUse()
    return ToolUse((path_effect(Kind.READ, _path(action)),))


def _delete(action: Action) -> ToolUse:
    return ToolUse((path_effect(Kind.DELETE, _path(action), recursive=True),))


def _patch(action: Action) -> ToolUse:
    """Codex' patches name their files themselves."""
    texts = (leaf.text for leaf in look_through(action).leaves)
    text = next((text for text in texts if "*** " in text), None)
    if text is None:
        raise MalformedInputError(action.tool, "input", "a patch is expected")
    effects: list[Effect] = []
    for match in _PATCHED.finditer(text):
        kind = Kind.DELETE if match[1] == "Delete" else Kind.WRITE
        path = joined(action, (match[2] or match[4]).strip())
        effects.append(path_effect(kind, path, recursive=kind is Kind.DELETE))
    return ToolUse(tuple(effects))


def _fetch(action: Action) -> ToolUse:
    url = action.input.get("url")
    if not isinstance(url, str):
        raise MalformedInputError(action.tool, "url", "an address is expected")
    return ToolUse((effect(Kind.FETCH, url),))


def _web_search(action: Action) -> ToolUse:
    return ToolUse(
        (effect(Kind.REACH, "a search engine", severity=Severity.NONE, says="searches the web"),)
    )


def _agent(action: Action) -> ToolUse:
    """A sub-agent's own actions are reviewed one by one."""
    return ToolUse()


def _leave_worktree(action: Action) -> ToolUse:
    if action.input.get("discard_changes") is not True:
        return ToolUse()
    return ToolUse(
        (
            effect(
                Kind.DISCARD,
                action.cwd,
                undo=Undo.IMPOSSIBLE,
                says="discards what is not committed in the worktree",
                instead="Commit it in the worktree first, then leave it.",
            ),
        )
    )


def _look(action: Action) -> ToolUse:
    """A look at the screen reads no file, and leaves everything as it is."""
    return ToolUse()


def _on_screen(action: Action) -> ToolUse:
    if not isinstance(action.input.get("do"), str):
        raise MalformedInputError(action.tool, "do", "one step of a recovery is expected")
    return ToolUse(tuple(input_effects_on_screen(action)))


_TOOLS: dict[str, Callable[[Action], ToolUse]] = {
    "write": _write,
    "writefile": _write,
    "createfile": _write,
    "edit": _write,
    "multiedit": _write,
    "replace": _write,
    "notebookedit": _write,
    "strreplacebasededittool": _write,
    "fileeditor": _write,
    "read": _read,
    "readfile": _read,
    "notebookread": _read,
    "glob": _search,
    "grep": _search,
    "ls": _search,
    "applypatch": _patch,
    "delete": _delete,
    "deletefile": _delete,
    "webfetch": _fetch,
    "websearch": _web_search,
    "task": _agent,
    "agent": _agent,
    "exitworktree": _leave_worktree,
    "desktoplook": _look,
    "desktopinput": _on_screen,
}
