"""What the tools of an agent do, in the same effects as a shell command."""

import re
import shlex
from collections.abc import Callable, Iterator

import msgspec

from handrail.model.action import Action
from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.paths import join
from handrail.shell.readers.build import effect, path_effect
from handrail.shell.word import Word


class Written(msgspec.Struct, frozen=True):
    """Text that a tool puts into a file."""

    path: str
    text: str


class ToolUse(msgspec.Struct, frozen=True):
    """A tool call as understood: its effects, and the text it writes."""

    effects: tuple[Effect, ...] = ()
    written: tuple[Written, ...] = ()


class MalformedInputError(ValueError):
    """A tool's input lacks what the tool cannot work without."""

    def __init__(self, tool: str, field: str, problem: str) -> None:
        super().__init__(f"{tool} needs {field!r}: {problem}")
        self.tool = tool
        self.field = field


SHELL_TOOLS = frozenset(
    {
        "bash",
        "shell",
        "run_shell_command",
        "terminal",
        "execute_bash",
        "run_command",
        "exec_command",
        "local_shell",
        "run_terminal_cmd",
        "powershell",
        "container.exec",
    }
)
"""Tools whose input holds a command line, by any host's name for them."""

_RUNNING_TOOLS = frozenset({"monitor"})
"""Tools that run a command line if they are given one."""

HOST_TOOLS = frozenset(
    {
        "TodoWrite",
        "TodoRead",
        "TaskCreate",
        "TaskUpdate",
        "TaskList",
        "TaskGet",
        "TaskOutput",
        "TaskStop",
        "ExitPlanMode",
        "EnterPlanMode",
        "AskUserQuestion",
        "ToolSearch",
        "Skill",
        "SlashCommand",
        "BashOutput",
        "KillShell",
        "KillBash",
        "EnterWorktree",
        "ListMcpResources",
        "ListMcpResourcesTool",
        "ReadMcpResource",
        "ReadMcpResourceTool",
        "LSP",
        "Monitor",
        "SendMessage",
        "StructuredOutput",
        "Message",
        "Finish",
        "Invalid",
        "update_plan",
        "view_image",
        "write_todos",
        "save_memory",
        "finish",
        "think",
        "exit_plan_mode",
    }
)
"""Tools of the hosts themselves, which touch nothing but the agent's own state."""

_COMMAND_FIELDS = ("command", "cmd", "script", "argv")
_PATH_FIELDS = ("file_path", "path", "notebook_path", "filePath", "absolute_path")
_STEERING = re.compile(r"(?:^|/)(?:handrail\.yaml|\.claude(?:\.json)?)(?:/|$)")
"""Names that count in any field: settings of an agent or its guard."""
_PATCHED = re.compile(r"(?m)^\*\*\* (Add|Update|Delete) File: (.+)$|^\*\*\* (Move) to: (.+)$")
_DEEPEST = 4
_LONGEST = 4096
_TEXT_FIELDS = ("content", "new_string", "new_source", "newString", "file_text", "new_str", "text")
_HARMLESS_SERVERS = (
    "read",
    "get",
    "list",
    "search",
    "find",
    "query",
    "fetch",
    "view",
    "describe",
    "show",
    "status",
    "count",
    "lookup",
    "inspect",
    "check",
    "explain",
)
_HARMFUL_WORDS = (
    "delete",
    "remove",
    "drop",
    "destroy",
    "purge",
    "truncate",
    "wipe",
    "erase",
    "terminate",
    "revoke",
    "reset",
    "force",
)
_OUTWARD_WORDS = (
    "send",
    "post",
    "publish",
    "upload",
    "tweet",
    "email",
    "pay",
    "transfer",
    "deploy",
    "merge",
    "execute",
    "run",
    "exec",
    "eval",
)


def command_field(action: Action) -> str | None:
    """Which field of a shell tool's input holds the command line; None for other tools."""
    name = action.tool.lower()
    if name in SHELL_TOOLS:
        return next((field for field in _COMMAND_FIELDS if field in action.input), "command")
    if name in _RUNNING_TOOLS and isinstance(action.input.get("command"), str):
        return "command"
    if action.tool in HOST_TOOLS or name.replace("_", "") in _TOOLS:
        return None
    # A tool that is given a command line runs it, whatever the tool is called.
    fields = _COMMAND_FIELDS if name.startswith("mcp__") else ("command", "cmd")
    return next((field for field in fields if _is_command(action.input.get(field))), None)


def _is_command(value: object) -> bool:
    return (isinstance(value, str) and " " in value) or isinstance(value, list)


def command_of(action: Action) -> str | None:
    """The command line of a shell tool; None for other tools."""
    field = command_field(action)
    if field is None:
        return None
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
    if name.startswith("mcp__") or "__" in name or "." in name:
        return _mcp(action)
    if name in HOST_TOOLS:
        return ToolUse()
    return ToolUse((_unknown(name),))


def _unknown(name: str) -> Effect:
    return effect(
        Kind.CHANGE,
        name,
        severity=Severity.MEDIUM,
        undo=Undo.UNKNOWN,
        says=f"calls {name}, a tool that Handrail does not know",
    )


def _joined(action: Action, text: str) -> Word:
    """A path of a tool's input, seen from the action's folder and home."""
    if text == "~" or text.startswith("~/"):
        text = action.env.get("HOME", "") + text[1:]
    return join(Word(action.cwd or "/"), Word(text))


def _path(action: Action) -> Word:
    for field in _PATH_FIELDS:
        value = action.input.get(field)
        if isinstance(value, str) and value:
            return _joined(action, value)
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
    return ToolUse((path_effect(Kind.WRITE, path),), (Written(path.text, text),))


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
    text = next((value for value in _strings(action.input) if "*** " in value), None)
    if text is None:
        raise MalformedInputError(action.tool, "input", "a patch is expected")
    effects: list[Effect] = []
    for match in _PATCHED.finditer(text):
        kind = Kind.DELETE if match[1] == "Delete" else Kind.WRITE
        path = _joined(action, (match[2] or match[4]).strip())
        effects.append(path_effect(kind, path, recursive=kind is Kind.DELETE))
    return ToolUse(tuple(effects))


def _strings(value: object, depth: int = 0) -> Iterator[str]:
    """All texts in a tool's input, however they are packed."""
    if isinstance(value, str):
        yield value
    elif depth < _DEEPEST and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item, depth + 1)


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


def _mcp(action: Action) -> ToolUse:
    """A tool of an MCP server: its name says what it does, its input which paths and hosts."""
    name = action.tool.rpartition("__")[2] or action.tool
    words = [word.lower() for word in _split_words(name)]
    effects: list[Effect] = []
    if any(word in _HARMFUL_WORDS for word in words):
        effects.append(
            effect(
                Kind.DESTROY,
                name,
                severity=Severity.MEDIUM,
                undo=Undo.UNKNOWN,
                says=f"calls {action.tool}, which by its name destroys something",
            )
        )
    elif any(word in _OUTWARD_WORDS for word in words):
        effects.append(
            effect(
                Kind.CHANGE,
                name,
                severity=Severity.MEDIUM,
                undo=Undo.UNKNOWN,
                says=f"calls {action.tool}, which acts outside this machine",
            )
        )
    reads = any(word in _HARMLESS_SERVERS for word in words)
    writes = any(
        word in {"write", "create", "edit", "update", "save", "move", "append"} for word in words
    )
    kind = Kind.DELETE if effects and effects[0].kind is Kind.DESTROY else Kind.WRITE
    kind = Kind.READ if reads and not writes else kind
    for value in _paths_in(action):
        path = _joined(action, value.removeprefix("file://"))
        effects.append(path_effect(kind, path))
    effects.extend(
        effect(Kind.FETCH, value)
        for value in action.input.values()
        if isinstance(value, str) and value.startswith(("http://", "https://"))
    )
    return ToolUse(tuple(effects))


def _paths_in(action: Action) -> Iterator[str]:
    """Paths in the fields that are known for them; those that steer an agent in any field."""
    seen: set[str] = set()
    for field in (*_PATH_FIELDS, "source", "destination", "file", "filename", "uri"):
        value = action.input.get(field)
        if isinstance(value, str) and value.startswith(("/", "~", "./", "../", "file://")):
            seen.add(value)
            yield value
    state = action.env.get("HANDRAIL_HOME") or "handrail.yaml"
    for value in _strings(action.input):
        if value in seen or len(value) > _LONGEST or any(char.isspace() for char in value):
            continue
        if value.startswith(state) or (_STEERING.search(value) and "://" not in value):
            yield value


def _split_words(name: str) -> list[str]:
    spaced = "".join(f" {char}" if char.isupper() else char for char in name)
    return spaced.replace("_", " ").replace("-", " ").replace(".", " ").split()


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
}
