"""Find settings that keep our hooks from running, as seen with Claude Code 2.1.325.

Settings come from several files. The strongest file that sets `disableAllHooks` decides for all
hooks, lists of allowed addresses are joined, and variables of stronger files replace those of
weaker ones. A file that does not load has no effect, except that its hooks are lost.
"""

import glob
import json
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from handrail.hosts.claude.profile import PROFILE
from handrail.hosts.claude.settings import CLIENT, ENDPOINT
from handrail.hosts.json_text import MAX_CHARACTERS, JsonTextError, scan
from handrail.hosts.port import Obstacle
from handrail.hosts.settings_file import decode, read

Scope = Literal["managed", "local", "project", "user"]
Settings = dict[str, object]

PROXIES = ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy")
_CURES: dict[Scope, str] = {
    "managed": "ask your organization",
    "local": "set it to false",
    "project": "remove it, or set it to false in settings.local.json beside it",
    "user": "set it to false",
}
_YES = frozenset({"1", "true", "yes", "on"})
_IGNORED = "Claude Code ignores the whole file"
_TOO_LARGE = "too large to be looked through, so what it does is not known: make it smaller"
_TOO_DEEP = "nested too deeply to be looked through, so what it does is not known: make it flatter"
_NOT_KNOWN = frozenset({_TOO_LARGE, _TOO_DEEP})
"""Claude Code may load such a file, and then its content counts."""


class SettingsFile(msgspec.Struct, frozen=True):
    """One settings file of Claude Code."""

    scope: Scope
    path: str


def settings_files(environ: Mapping[str, str], cwd: str) -> tuple[SettingsFile, ...]:
    """Return the files that apply to a session in a folder, the strongest first."""
    base = (
        "/Library/Application Support/ClaudeCode"
        if sys.platform == "darwin"
        else "/etc/claude-code"
    )
    extra = sorted(glob.glob(f"{base}/managed-settings.d/*.json"), reverse=True)
    return (
        *(SettingsFile("managed", path) for path in (*extra, f"{base}/managed-settings.json")),
        SettingsFile("local", project_file(cwd, "local")),
        SettingsFile("project", project_file(cwd, "project")),
        SettingsFile("user", user_file(environ)),
    )


def user_file(environ: Mapping[str, str]) -> str:
    """Return the user's settings file."""
    home = environ.get("HOME") or os.path.expanduser("~")
    folder = environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    return os.path.join(folder, "settings.json")


def project_file(folder: str, scope: Literal["local", "project"]) -> str:
    """Return a project's settings file: the shared one, or the one of this machine."""
    name = "settings.local.json" if scope == "local" else "settings.json"
    return os.path.join(folder, ".claude", name)


def find_obstacles(
    environ: Mapping[str, str], cwd: str, *, url: str = "", instead: Mapping[str, str] = {}
) -> tuple[Obstacle, ...]:
    """Find the obstacles for our hooks in a folder. `instead`: files as they are going to be."""
    return obstacles(_texts(environ, cwd, instead), url=url, environ=environ)


def session_variables(environ: Mapping[str, str], cwd: str) -> dict[str, str]:
    """Return the environment of a session in a folder: ours, overridden by the settings."""
    variables, _ = _merged(_loaded(_texts(environ, cwd, {})), environ)
    return variables


def _texts(
    environ: Mapping[str, str], cwd: str, instead: Mapping[str, str]
) -> list[tuple[SettingsFile, str]]:
    texts: dict[str, tuple[SettingsFile, str]] = {}
    for file in settings_files(environ, cwd):
        text = instead.get(file.path) or read_text(file.path)
        if text is not None:  # in the home folder, the user's file is also the project's
            texts.setdefault(file.path, (file, text))
    return list(texts.values())


def read_text(path: str) -> str | None:
    """Read a settings file up to the size limit; None if it cannot be read."""
    try:
        data = read(path, 4 * MAX_CHARACTERS + 1)  # a character has at most four bytes
    except OSError:  # Claude Code cannot read a file that we cannot read
        return None
    return None if data is None else decode(data)


def obstacles(
    texts: Sequence[tuple[SettingsFile, str]], *, url: str = "", environ: Mapping[str, str] = {}
) -> tuple[Obstacle, ...]:
    """Find the obstacles in all files together; the strongest file comes first."""
    found = [
        Obstacle(file.path, why)
        for file, text in texts
        if isinstance(why := _load(text), str)
        and (why in _NOT_KNOWN or CLIENT in text or ENDPOINT in text)
    ]
    files = _loaded(texts)
    found += _switched_off(files)
    found += _by_policy(files)
    found += _by_environment(files, environ, http=bool(url))
    if url:
        found += _not_allowed(files, url)
    return tuple(found)


def proxied(environ: Mapping[str, str]) -> str:
    """Return the variable that sends requests to this machine through a proxy, or ""."""
    direct = f"{environ.get('NO_PROXY', '')},{environ.get('no_proxy', '')}".split(",")
    if {"127.0.0.1", "*"} & {name.strip() for name in direct}:
        return ""
    return next((name for name in PROXIES if environ.get(name)), "")


def _loaded(texts: Iterable[tuple[SettingsFile, str]]) -> list[tuple[SettingsFile, Settings]]:
    pairs = ((file, _load(text)) for file, text in texts)
    return [(file, settings) for file, settings in pairs if isinstance(settings, dict)]


def _switched_off(files: Iterable[tuple[SettingsFile, Settings]]) -> list[Obstacle]:
    for file, settings in files:
        if "disableAllHooks" in settings:
            says = f"disableAllHooks is true, so no hook runs: {_CURES[file.scope]}"
            return [Obstacle(file.path, says)] if settings["disableAllHooks"] else []
    return []


def _by_policy(files: Iterable[tuple[SettingsFile, Settings]]) -> list[Obstacle]:
    found = []
    for file, settings in files:
        if file.scope != "managed":
            continue  # anywhere else they have no effect
        if settings.get("allowManagedHooksOnly") is True:
            says = (
                "allowManagedHooksOnly is true: only your organization's hooks run; ask it for ours"
            )
            found.append(Obstacle(file.path, says))
        strict = settings.get("strictPluginOnlyCustomization")
        if strict is True or (isinstance(strict, list) and "hooks" in strict):
            says = "strictPluginOnlyCustomization allows only hooks of plugins: ask for ours"
            found.append(Obstacle(file.path, says))
    return found


def _by_environment(
    files: Sequence[tuple[SettingsFile, Settings]], environ: Mapping[str, str], *, http: bool
) -> list[Obstacle]:
    variables, origin = _merged(files, environ)
    found = [
        Obstacle(origin[name], f"{name} is set: Claude Code runs without hooks; remove it")
        for name in PROFILE.off_variables
        if variables.get(name, "").lower() in _YES
    ]
    if http and (proxy := proxied(variables)):
        says = (
            f"{proxy} sends our hooks to the proxy: add 127.0.0.1 to NO_PROXY, or --handler command"
        )
        found.append(Obstacle(origin[proxy], says))
    return found


def _merged(
    files: Sequence[tuple[SettingsFile, Settings]], environ: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the text of every variable, and the file it comes from."""
    variables, origin = dict(environ), dict.fromkeys(environ, "")
    for file, settings in reversed(files):
        for name, text in _variables(settings).items():
            variables[name], origin[name] = text, file.path
    return variables, origin


def _not_allowed(files: Iterable[tuple[SettingsFile, Settings]], url: str) -> list[Obstacle]:
    lists = [
        (file.path, allowed)
        for file, settings in files
        if isinstance(allowed := settings.get("allowedHttpHookUrls"), list)
    ]
    if not lists or any(_matches(pattern, url) for _, allowed in lists for pattern in allowed):
        return []
    return [Obstacle(lists[0][0], f'allowedHttpHookUrls lacks ours: add "{url}"')]


def _matches(pattern: object, url: str) -> bool:
    parts = map(re.escape, str(pattern).split("*"))
    return re.fullmatch(".*".join(parts), url) is not None


def _variables(settings: Settings) -> dict[str, str]:
    found = settings.get("env")
    return {str(name): str(text) for name, text in found.items()} if isinstance(found, dict) else {}


def _load(text: str) -> "Settings | str":
    """Return the settings, or why Claude Code does not load the file."""
    if len(text) > MAX_CHARACTERS:
        return _TOO_LARGE
    try:
        settings = _as_javascript(text)
    except RecursionError:
        return _TOO_DEEP
    except ValueError as error:
        return f"{_place(text) or error}; {_IGNORED}"
    if not isinstance(settings, dict):
        return f"the settings are not an object; {_IGNORED}"
    wrong = _wrong(settings)
    return f"{wrong}; {_IGNORED}" if wrong else settings


def _as_javascript(text: str) -> object:
    """Return the value of a text. Unlike `scan`, accept duplicate names: the last one counts."""
    found: object = json.loads(
        text.removeprefix("\ufeff"), parse_int=float, parse_constant=_refuse_constant
    )
    return found


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def _place(text: str) -> str:
    """Describe where a text stops being JSON."""
    try:
        scan(text)
    except JsonTextError as error:
        return str(error)
    return ""


_KINDS: tuple[tuple[str, type, str], ...] = (
    ("disableAllHooks", bool, "true or false"),
    ("allowedHttpHookUrls", list, "a list"),
    ("env", dict, "an object"),
    ("permissions", dict, "an object"),
)


def _wrong(settings: Settings) -> str:
    """Return the first relevant reason why the file does not load."""
    for name, kind, should in _KINDS:
        if name in settings and not isinstance(settings[name], kind):
            return f'"{name}" must be {should}'
    hooks = settings.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            if not isinstance(group, dict):
                continue  # such an entry is skipped, and the others count
            if not isinstance(group.get("hooks"), list):
                return f'every entry of "{event}" must have a list "hooks"'
            if not isinstance(group.get("matcher"), str | None):
                return f'the "matcher" of "{event}" must be a text'
    return ""
