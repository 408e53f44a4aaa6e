"""Are the hooks of a session still in force? Asked while it runs, of the files on the disk."""

from collections.abc import Iterable, Mapping

from handrail.hosts.claude_obstacles import find_obstacles, settings_files
from handrail.hosts.claude_settings import guards_tools
from handrail.hosts.jsontext import JsonTextError
from handrail.hosts.settings_file import decode, read

_BACK = "handrail install claude puts them back; handrail uninstall claude takes them out in order."


def hooks_problem(
    environ: Mapping[str, str], cwd: str, installed: Iterable[str], *, url: str
) -> str:
    """Why sessions in a folder are not supervised as they should be; empty: they are.

    `installed`: the settings files that Handrail was installed in. Hooks that came some other
    way, such as by `--settings`, are not missed.
    """
    known = set(installed)
    for file in settings_files(environ, cwd):
        if file.path in known and not _guarded(file.path):
            return f"Handrail's hooks were taken out of {file.path}. {_BACK}"
    for found in find_obstacles(environ, cwd, url=url):
        return f"{found.path}: {found.says}." if found.path else f"{found.says}."
    return ""


def _guarded(path: str) -> bool:
    try:
        data = read(path)
        return data is not None and guards_tools(decode(data))
    except (OSError, JsonTextError):
        return False
