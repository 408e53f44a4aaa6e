"""Add Handrail's hooks to a Claude Code settings file, recognise them, and remove them.

Everything here works on the text of a file. The version since which Claude Code knows an event
was found by trying: before 2.1.101, an unknown event makes Claude Code ignore the whole file, and
with it every hook.
"""

import json
import os
import re
import shlex
from collections.abc import Iterator
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.json_text import (
    JsonNode,
    JsonTextError,
    TextEdit,
    append,
    apply,
    drop,
    layout,
    scan,
    value,
    was_empty,
)
from handrail.hosts.port import Version, endpoint

Style = Literal["http", "command"]
Handler = dict[str, object]
Group = dict[str, object]

HTTP_SINCE: Version = (2, 1, 295)
"""The first version in which a failing hook can block the call."""
REWRITES_SINCE: Version = (2, 0, 10)
"""The first version that runs the command changed by a hook; older ones run the original."""
CLIENT = PROFILE.client
ENDPOINT = endpoint(PROFILE.name)

READS = tuple(
    "Read Glob Grep LS NotebookRead LSP ToolSearch ListAgents "
    "TodoRead TodoWrite TaskCreate TaskUpdate TaskList TaskGet TaskOutput BashOutput CronList "
    "AskUserQuestion EnterPlanMode ExitPlanMode".split()
)
"""Tools that change only the agent's own notes: they go on when Handrail cannot answer."""
_READS = "|".join(READS)
_CHANGES = f"^(?!(?:{_READS})$)"

_FORGIVING: Version = (2, 1, 101)
_TIMEOUT = 15
"""Seconds. More than the daemon allows itself, so that the daemon can report the problem."""
_START_TIMEOUT = 30
HOLD_TIMEOUT = 600
"""Seconds for calls: a person may hold them for that long (`control.hold_seconds`)."""
_LOOPBACK = re.compile(r"localhost|127(\.[0-9]{1,3}){3}|::1")


class _HookEvent(msgspec.Struct, frozen=True):
    name: str
    since: Version
    starts: bool = False
    """The event leaves time to start the daemon, so its hook is always a command."""
    blocks: bool = False
    """Without an answer, the host holds the event back."""
    timeout: int = _TIMEOUT


_EVENTS = (
    _HookEvent("SessionStart", (1, 0, 62), starts=True, timeout=_START_TIMEOUT),
    _HookEvent("UserPromptSubmit", (1, 0, 53), starts=True, timeout=_START_TIMEOUT),
    _HookEvent("PreToolUse", (1, 0, 38), blocks=True, timeout=HOLD_TIMEOUT),
    _HookEvent("PermissionRequest", (2, 0, 45)),
    _HookEvent("PostToolUse", (1, 0, 38)),
    _HookEvent("PostToolUseFailure", (2, 0, 56)),
    _HookEvent("PostToolBatch", (2, 1, 118)),
    _HookEvent("SubagentStart", (2, 0, 44)),
    _HookEvent("SubagentStop", (1, 0, 41)),
    _HookEvent("TaskCreated", (2, 1, 84)),
    _HookEvent("TaskCompleted", (2, 1, 33)),
    _HookEvent("PreCompact", (1, 0, 48)),
    _HookEvent("ConfigChange", (2, 1, 48), blocks=True),
    _HookEvent("Stop", (1, 0, 38)),
    _HookEvent("SessionEnd", (1, 0, 85), timeout=5),
)


def hook_url(port: int | str) -> str:
    """Return the daemon's address for Claude Code's hooks."""
    return f"http://127.0.0.1:{port}{ENDPOINT}"


class HookOptions(msgspec.Struct, frozen=True):
    """The way in which Claude Code reaches Handrail."""

    style: Style
    url: str
    token: str
    client: str
    """The absolute path of the hook client."""
    version: Version | None = None
    """Version of Claude Code. Unknown: only features of every version, in the style `command`."""


class InstalledHooks(msgspec.Struct, frozen=True):
    """The state of our hooks in a file."""

    state: Literal["none", "complete", "partly", "stale"]
    """`stale`: it leads to another port, token or client. `partly`: some hooks are missing."""
    style: Style | None = None


def hooks_for(hooking: HookOptions) -> dict[str, list[Group]]:
    """Return the groups of handlers for each event."""
    return {
        event.name: _groups(event, hooking) for event in _EVENTS if _knows(hooking, event.since)
    }


def _knows(hooking: HookOptions, since: Version) -> bool:
    if hooking.style == "http":
        return True
    if hooking.version is None:
        return since < (2, 0, 0)
    return hooking.version >= min(since, _FORGIVING)


def _groups(event: _HookEvent, hooking: HookOptions) -> list[Group]:
    if event.name != "PreToolUse":
        return [{"hooks": _handlers(event, hooking)}]
    return [
        {"matcher": _READS, "hooks": [_handler(event, hooking, "read")]},
        {"matcher": _CHANGES, "hooks": [_handler(event, hooking, "change")]},
    ]


def _handlers(event: _HookEvent, hooking: HookOptions) -> list[Handler]:
    handlers = [_handler(event, hooking, "change" if event.blocks else "")]
    if event.name == "PostToolBatch" and hooking.style == "http":
        # The session restarts a dead daemon in the background, and does not wait for it.
        handlers.append({**_command(hooking, "ensure"), "async": True})
    return handlers


def _handler(event: _HookEvent, hooking: HookOptions, mode: str) -> Handler:
    if hooking.style == "command" or event.starts:
        handler = _command(hooking, event.name, *([mode] if event.name == "PreToolUse" else []))
    else:
        headers = {"Authorization": f"Bearer {hooking.token}"}
        handler = {"type": "http", "url": hooking.url, "headers": headers}
    handler["timeout"] = event.timeout
    if mode == "change":
        handler["onFailure"] = "block"
    return handler


def _command(hooking: HookOptions, *arguments: str) -> Handler:
    if hooking.style == "http":
        handler: Handler = {"type": "command", "command": hooking.client, "args": list(arguments)}
    else:  # 2.1.131 does not know `args` and would drop them
        handler = {"type": "command", "command": shlex.join((hooking.client, *arguments))}
    return {**handler, "timeout": _START_TIMEOUT}


# Recognising


def is_ours(handler: object) -> bool:
    """Return whether a handler leads to Handrail, whatever else it says."""
    if not isinstance(handler, dict):
        return False
    url, command = handler.get("url"), handler.get("command")
    return (isinstance(url, str) and _is_our_url(url)) or (
        isinstance(command, str) and os.path.basename(_program(handler, command)) == CLIENT
    )


def _is_our_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.path.endswith(ENDPOINT) and bool(_LOOPBACK.fullmatch(parts.hostname or ""))


def _program(handler: Handler, command: str) -> str:
    """Return the program of a command: with `args` a plain path, otherwise a shell command."""
    if "args" in handler:
        return command
    try:
        words = shlex.split(command)
    except ValueError:
        return ""
    return words[0] if words else ""


def installed(text: str | None, hooking: HookOptions) -> InstalledHooks:
    """Return the state of our hooks in a file; raises JsonTextError if it cannot be read."""
    found = list(_ours(text)) if text is not None and not is_blank(text) else []
    if not found:
        return InstalledHooks("none")
    style = _style(found)
    if any(not _leads_here(handler, hooking) for _, _, handler in found):
        return InstalledHooks("stale", style)
    wanted = [
        (event, group.get("matcher"), handler)
        for event, groups in hooks_for(hooking).items()
        for group in groups
        for handler in _as_list(group["hooks"])
    ]
    complete = sorted(map(_canonical, found)) == sorted(map(_canonical, wanted))
    return InstalledHooks("complete" if complete else "partly", style)


def guards_tools(text: str) -> bool:
    """Return whether a file has our handler for calls that change something, failing closed."""
    return any(
        event == "PreToolUse"
        and matcher == _CHANGES
        and ("url" not in handler or handler.get("onFailure") == "block")
        for event, matcher, handler in _ours(text)
    )


def our_hooks(text: str) -> dict[str, list[Group]]:
    """Everything of ours in a file, by event; raises JsonTextError."""
    found: dict[str, list[Group]] = {}
    for event, node in _event_nodes(scan(text)) if not is_blank(text) else ():
        # Not by `value`, in which every number has a point.
        for group in _as_list(json.loads(text[node.start : node.end])):
            handlers = _as_list(group.get("hooks")) if isinstance(group, dict) else []
            if isinstance(group, dict) and (ours := [each for each in handlers if is_ours(each)]):
                found.setdefault(event, []).append({**group, "hooks": ours})
    return found


def is_blank(text: str) -> bool:
    """Return whether a file has no settings."""
    return not text.strip("\ufeff \t\r\n")


def _ours(text: str) -> Iterator[tuple[str, object, Handler]]:
    """Yield event, matcher and handler of each of our hooks."""
    for event, node in _event_nodes(scan(text)):
        for group in _as_list(value(text, node)):
            if isinstance(group, dict):
                for handler in _as_list(group.get("hooks")):
                    if isinstance(handler, dict) and is_ours(handler):
                        yield event, group.get("matcher"), handler


def _event_nodes(root: JsonNode) -> list[tuple[str, JsonNode]]:
    hooks = root.get("hooks")
    if hooks is None or hooks.value.kind != "{":
        return []
    return [(entry.key, entry.value) for entry in hooks.value.entries]


def _style(found: list[tuple[str, object, Handler]]) -> Style | None:
    deciding = [handler for event, _, handler in found if event == "PreToolUse"]
    if not deciding:
        return None
    return "http" if any("url" in handler for handler in deciding) else "command"


def _leads_here(handler: Handler, hooking: HookOptions) -> bool:
    if "url" in handler:
        headers = handler.get("headers")
        token = headers.get("Authorization") if isinstance(headers, dict) else None
        return handler["url"] == hooking.url and token == f"Bearer {hooking.token}"
    return _program(handler, str(handler["command"])) == hooking.client


def _canonical(found: tuple[str, object, object]) -> str:
    same = json.loads(json.dumps(found), parse_int=float)
    return json.dumps(same, sort_keys=True)


def _as_list(found: object) -> list[object]:
    return found if isinstance(found, list) else []


# Putting in and taking out


def add(text: str | None, hooking: HookOptions) -> str:
    """Return the file with our hooks, in place of older ones; raises JsonTextError."""
    if text is None or is_blank(text):
        text = "{}\n"
    if installed(text, hooking).state == "complete":
        return text
    return put_back(text, hooks_for(hooking))


def put_back(text: str, wanted: dict[str, list[Group]]) -> str:
    """The file with these groups of ours instead of those in it; raises JsonTextError."""
    text = remove("{}\n" if is_blank(text) else text)
    return apply(text, _insertions(text, scan(text), wanted))


def _insertions(text: str, root: JsonNode, wanted: dict[str, list[Group]]) -> list[TextEdit]:
    look = layout(text, root)
    _expect(text, root, "{", "the settings must be an object: { … }")
    hooks = root.get("hooks")
    if hooks is None:
        return [append(text, root, [("hooks", wanted)], look, whole=True)]
    _expect(text, hooks.value, "{", '"hooks" must be an object: { … }')
    edits, missing = [], []
    for event, groups in wanted.items():
        entry = hooks.value.get(event)
        if entry is None:
            missing.append((event, groups))
        else:
            _expect(text, entry.value, "[", f'"{event}" must be a list: [ … ]')
            edits.append(append(text, entry.value, [("", group) for group in groups], look))
    if missing:
        edits.append(append(text, hooks.value, missing, look))
    return edits


def _expect(text: str, node: JsonNode, kind: str, says: str) -> None:
    if node.kind != kind:
        raise JsonTextError(text, node.start, says)


def remove(text: str) -> str:
    """Return the file without our hooks and the parts made for them; raises JsonTextError."""
    if is_blank(text):
        return text
    root = scan(text)
    hooks = root.get("hooks")
    if hooks is None or hooks.value.kind != "{":
        return text
    edits: list[TextEdit] = []
    gone = []
    for number, entry in enumerate(hooks.value.entries):
        within = _removals(text, entry.value)
        if within is None:
            gone.append(number)
        else:
            edits += within
    if gone and len(gone) == len(hooks.value.entries) and not was_empty(text, hooks.value):
        return apply(text, drop(text, root, [root.entries.index(hooks)]))
    return apply(text, edits + drop(text, hooks.value, gone))


def _removals(text: str, groups: JsonNode) -> list[TextEdit] | None:
    """Return the edits that remove our handlers from one event; None: remove the whole event."""
    edits: list[TextEdit] = []
    gone = []
    for number, group in enumerate(groups.entries if groups.kind == "[" else ()):
        hooks = group.value.get("hooks")
        if hooks is None or hooks.value.kind != "[":
            continue
        handlers = hooks.value.entries
        ours = [at for at, each in enumerate(handlers) if is_ours(value(text, each.value))]
        if ours and len(ours) == len(handlers):
            gone.append(number)
        else:
            edits += drop(text, hooks.value, ours)
    if gone and len(gone) == len(groups.entries) and not was_empty(text, groups):
        return None
    return edits + drop(text, groups, gone)
