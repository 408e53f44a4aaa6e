"""Whether our hooks in Claude Code's settings are as they were, and how they are put back."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from handrail.hosts.claude.obstacles import (
    PROXIES,
    find_obstacles,
    project_file,
    read_text,
    settings_files,
)
from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.claude.settings import (
    Group,
    guards_tools,
    hook_url,
    is_blank,
    our_hooks,
    put_back,
)
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
)
from handrail.hosts.port import HookConnection, Obstacle
from handrail.hosts.settings_file import (
    FileChangePlan,
    InstallRecord,
    checksum,
    clear_the_way,
    decode,
    encode,
    read,
)

_OFF = "disableAllHooks"
_SWITCHES = (_OFF, "allowedHttpHookUrls")
"""Keys that keep hooks from running, in the files of users and projects."""
_VARIABLES = (*PROFILE.off_variables, *PROXIES)
"""Names in `env` that do."""


class _GoodFile(msgspec.Struct, frozen=True):
    """A settings file when our hooks were complete."""

    text: str
    hooks: dict[str, list[Group]]
    keys: frozenset[str]


class ClaudeIntegrity:
    """Watches over our hooks in the settings of users and projects."""

    fix = "handrail install claude puts them back, handrail uninstall claude takes Handrail out"

    def __init__(self, connection: HookConnection, environ: Mapping[str, str]) -> None:
        self._environ = {"HOME": environ.get("HOME", "")}
        self._url = hook_url(connection.port)
        self._good: dict[str, _GoodFile] = {}
        """By path: the files that our hooks were installed in."""
        self._free: dict[str, str] = {}
        """By path: the texts in which nothing kept hooks from running."""

    def watched(self, folder: str) -> tuple[str, ...]:
        """The files of managed settings, of the project and of the user."""
        return tuple(file.path for file in settings_files(self._environ, folder))

    def announced(self, folder: str) -> tuple[str, ...]:
        """The servers that a project brings along."""
        return (os.path.join(folder, ".mcp.json"),)

    def missing(self, record: InstallRecord) -> str:
        """What of ours a settings file has lost; a complete one is remembered."""
        path = record.settings.path
        text = read_text(path)
        if text is None:
            return f"Handrail's hooks are gone with {path}"
        try:
            hooks = our_hooks(text)
            guards = bool(hooks) and guards_tools(text)
        except JsonTextError as error:
            return f"Claude Code cannot read {path} with Handrail's hooks: {error}"
        keys = frozenset(_keys(hooks))
        known = self._good.get(path)
        # `install` has written it, or nobody has looked at it before.
        is_new = known is None or checksum(encode(text)) == record.settings.after
        if guards and (known is None or is_new or known.keys <= keys):
            self._good[path] = _GoodFile(text, hooks, keys)
            return ""
        if not hooks:
            return f"Handrail's hooks were taken out of {path}"
        return f"Some of Handrail's hooks were taken out of {path}"

    def plan_repair(self, path: str, *, whole: bool) -> FileChangePlan | None:
        """The edit of `install`, with the hooks that were there."""
        known = self._good.get(path)
        if known is None:
            return None
        if whole:
            clear_the_way(path)
        before = read(path)
        text = decode(before or b"")
        try:
            after = known.text if whole and not _object(text) else put_back(text, known.hooks)
        except JsonTextError:
            if not whole:
                return None
            after = known.text
        return FileChangePlan(path, before, encode(after))

    def obstacles(self, folder: str) -> tuple[Obstacle, ...]:
        """What in the files keeps our hooks from running; a file without is remembered."""
        by_http = any(self._url in good.text for good in self._good.values())
        url = self._url if by_http else ""
        found = [each for each in find_obstacles(self._environ, folder, url=url) if each.path]
        paths = {each.path for each in found}
        for path in self.watched(folder):
            if path not in paths:
                self._free[path] = read_text(path) or ""
        return tuple(found)

    def plan_clearing(self, path: str) -> FileChangePlan | None:
        """Take out the switches that were not there before."""
        before, good = read(path), self._free.get(path)
        if before is None or good is None:
            return None
        try:
            after = _as_before(decode(before), good)
        except JsonTextError:  # such as a key that stands there twice
            after = good or "{}\n"
        return FileChangePlan(path, before, encode(after))

    def plan_overruling(self, found: Obstacle, folder: str) -> FileChangePlan | None:
        """Say in the project's file for this machine that hooks run: it wins over the shared one.

        A proxy or a variable there is left alone: the next prompt is blocked by those.
        """
        shared = read_text(found.path)
        if found.path != project_file(folder, "project") or shared is None:
            return None
        path = project_file(folder, "local")
        before = read(path)
        text = decode(before or b"")
        try:
            if _object(shared).get(_OFF) is not True or _OFF in _object(text):
                return None
            text = "{}\n" if is_blank(text) else text
            root = scan(text)
            edit = append(text, root, [(_OFF, False)], layout(text, root), whole=True)
        except JsonTextError:
            return None
        return FileChangePlan(path, before, encode(apply(text, [edit])))


def _keys(hooks: Mapping[str, Sequence[Group]]) -> Iterator[str]:
    """What makes each of our handlers ours: whom it asks, when, and what happens without an answer.

    How long it may take is left to the person.
    """
    for event, groups in hooks.items():
        for group in groups:
            handlers = group["hooks"]
            for each in handlers if isinstance(handlers, list) else ():
                fixed = {name: each[name] for name in sorted(each) if name != "timeout"}
                yield json.dumps([event, group.get("matcher"), fixed], sort_keys=True)


def _as_before(text: str, good: str) -> str:
    root, was = scan(text), _object(good)
    edits = list(_reset(text, root, was, _SWITCHES))
    variables, known = root.get("env"), was.get("env")
    if variables is not None and variables.value.kind == "{":
        known = known if isinstance(known, dict) else {}
        edits += _reset(text, variables.value, known, _VARIABLES)
    return apply(text, edits)


def _reset(
    text: str, node: JsonNode, was: Mapping[str, object], names: Sequence[str]
) -> Iterator[TextEdit]:
    """Give members of an object the values that they had, or take them out."""
    gone = []
    for number, entry in enumerate(node.entries):
        if entry.key not in names or was.get(entry.key) == value(text, entry.value):
            continue
        if entry.key in was:
            yield TextEdit(entry.value.start, entry.value.end, json.dumps(was[entry.key]))
        else:
            gone.append(number)
    yield from drop(text, node, gone)


def _object(text: str) -> dict[str, object]:
    found = None if is_blank(text) else value(text, scan(text))
    return found if isinstance(found, dict) else {}
