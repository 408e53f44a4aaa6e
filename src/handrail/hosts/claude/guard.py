"""Check, while a session runs, that the settings files still have its hooks in force."""

from collections.abc import Iterable, Mapping

from handrail.hosts.claude.hooks import HookCall
from handrail.hosts.claude.obstacles import find_obstacles, read_text, settings_files
from handrail.hosts.claude.settings import guards_tools, hook_url
from handrail.hosts.json_text import JsonTextError
from handrail.hosts.port import HookConnection
from handrail.hosts.settings_file import load_installs

_BACK = "handrail install claude puts them back; handrail uninstall claude takes them out in order."
_PROXIED = (
    "A proxy is set for this session (HTTP_PROXY), and Claude Code sends its hooks through it: "
    "Handrail may not be heard. Put 127.0.0.1 into NO_PROXY, and start again."
)


class SettingsGuard:
    """Watch the settings that apply to a session."""

    def __init__(self, connection: HookConnection, environ: Mapping[str, str]) -> None:
        self._connection = connection
        self._home = environ.get("HOME", "")

    def find_problem(self, call: HookCall, folder: str) -> str:
        """Return why the hooks of a session that began in a folder are not in force."""
        return hooks_problem(
            {"HOME": self._home, **call.payload.action.env},
            folder,
            [each.settings.path for each in load_installs(self._connection.installs)],
            url=hook_url(self._connection.port),
            proxied=call.origin.proxied,
        )


def hooks_problem(
    environ: Mapping[str, str],
    cwd: str,
    installed: Iterable[str],
    *,
    url: str,
    proxied: bool = False,
) -> str:
    """Return why sessions in a folder are not fully supervised; "" if they are.

    `installed`: the settings files with an installation of Handrail. Hooks from elsewhere, such as
    `--settings`, may be missing here. `proxied`: the session's own environment names a proxy, which
    matters only to hooks called at `url`.
    """
    known = set(installed)
    by_http = False
    for file in settings_files(environ, cwd):
        if file.path not in known:
            continue
        text = read_text(file.path)
        if text is None or not _guards(text):
            return f"Handrail's hooks were taken out of {file.path}. {_BACK}"
        by_http = by_http or url in text
    if by_http and proxied:
        return _PROXIED
    for found in find_obstacles(environ, cwd, url=url if by_http else ""):
        return f"{found.path}: {found.says}." if found.path else f"{found.says}."
    return ""


def _guards(text: str) -> bool:
    try:
        return guards_tools(text)
    except JsonTextError:
        return False
