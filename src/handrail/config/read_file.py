"""Read a file safely: a bounded size, and never a pipe."""

import errno
import stat
from pathlib import Path

from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.setting_tree import SettingNode, SettingOrigin

MAX_BYTES = 1_000_000

_UNREADABLE = {
    errno.ENOENT: "there is no such file",
    errno.EACCES: "cannot be read: permission denied",
    errno.ELOOP: "cannot be read: the link leads in a circle",
}


def read_yaml(path: Path, shown: str) -> SettingNode:
    """Read a YAML file. `shown` is its name in messages."""
    return parse_yaml(read_text(path, shown), SettingOrigin(shown, 1, str(path.parent)))


def parse_yaml(text: str, origin: SettingOrigin) -> SettingNode:
    """Read a YAML text whose first line is at `origin`."""
    # Imported here: most runs find no file, and PyYAML costs more than all of this room.
    from handrail.config.yaml_tree import parse_yaml_tree  # noqa: PLC0415

    return parse_yaml_tree(text, origin)


def read_text(path: Path, shown: str) -> str:
    """Read a text file of a bounded size."""
    try:
        # Open regular files only: a named pipe would wait for ever.
        if not stat.S_ISREG(path.stat().st_mode):
            raise _refusal(shown, "is not a file")
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        says = _UNREADABLE.get(error.errno or 0, f"cannot be read: {error.strerror}")
        raise _refusal(shown, says) from None
    if len(data) > MAX_BYTES:
        raise _refusal(shown, f"is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _refusal(shown, "is not UTF-8 text", line) from None


def _refusal(shown: str, says: str, line: int = 0) -> ConfigError:
    return ConfigError([ConfigProblem(SettingOrigin(shown, line), "", says)])
