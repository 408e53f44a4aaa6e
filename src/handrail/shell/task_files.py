"""Files that hold command lines under names: package.json, justfile, tox.ini."""

import configparser
import re
import shlex
from collections.abc import Callable, Iterator, Sequence

import msgspec

from handrail.shell.makefile import make_commands
from handrail.shell.word import OPAQUE

_RUNS = frozenset({"run", "run-script", "rum", "urn"})
_SHORT = {"t": "test", "tst": "test"}
_INSTALLING = ("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare",
               "postprepare")  # fmt: skip
_PACKING = ("prepublishOnly", "prepack", "prepare", "pack", "postpack", "publish", "postpublish")
_LIFECYCLE = {
    **dict.fromkeys(("", "install", "i", "ci", "add", "up", "update", "rebuild"), _INSTALLING),
    **dict.fromkeys(("publish", "pack"), _PACKING),
    "version": ("preversion", "version", "postversion"),
}
_RECIPE = re.compile(r"@?([\w-]+)((?:\s+[^:]*?)?)\s*:(?!=)\s*(.*)")
_SETTING = re.compile(r"(?:export\s+)?([\w-]+)\s*:=\s*(.*)")
_ALIAS = re.compile(r"alias\s+([\w-]+)\s*:=\s*([\w-]+)")
_HOLE = re.compile(r"\{\{\s*(.*?)\s*\}\}")
_TOX_HOLE = re.compile(r"\{[^{}]*\}")
_SHEBANG = re.compile(r"#!\s*(?:\S*/env\s+(?:-S\s+)?)?(?:\S*/)?(\w+)")
_COMPOSE_STARTS = frozenset({"up", "run", "create", "start", "restart", "watch"})
_FOLDER = r"(?:\.{0,2}/|~|\$\{?\w)[^\s\"':]*"
_VOLUME = re.compile(
    rf"(?m)^\s*-\s*[\"']?({_FOLDER}:/[^\s\"']*)|^\s*(?:-\s*)?source:\s*[\"']?({_FOLDER})"
)
_CODE_OPTIONS = {"python": "-c", "python3": "-c", "node": "-e", "ruby": "-e", "perl": "-e"}


def package_commands(text: str, words: Sequence[str]) -> Iterator[str]:
    """The scripts of a package.json that `npm WORDS` runs."""
    try:
        package = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return
    first = words[0] if words else ""
    names: tuple[str, ...] = _LIFECYCLE.get(first, ())
    if not names:
        name = words[1] if first in _RUNS and len(words) > 1 else _SHORT.get(first, first)
        names = (f"pre{name}", name, f"post{name}")
    yield from (scripts[name] for name in names if isinstance(scripts.get(name), str))


class _Justfile:
    """The recipes of a justfile."""

    def __init__(self, text: str) -> None:
        self.needs: dict[str, list[str]] = {}
        self.lines: dict[str, list[str]] = {}
        self._values: dict[str, str] = {}
        current = ""
        for line in text.replace("\\\n", " ").splitlines():
            if line[:1] in {" ", "\t"}:
                if current and line.strip():
                    self.lines[current].append(line.strip())
            elif found := _ALIAS.fullmatch(line.strip()):
                self.needs[found[1]], self.lines[found[1]] = [found[2]], []
            elif found := _SETTING.fullmatch(line.strip()):
                self._values[found[1]] = found[2].strip("\"'")
            elif found := _RECIPE.fullmatch(line.strip()):
                current = found[1]
                self.needs[current] = re.findall(r"[\w-]+", found[3].partition("#")[0])
                self.lines[current] = []

    def commands(self, name: str) -> Iterator[str]:
        """The command lines of one recipe."""
        lines = [_HOLE.sub(self._value, line) for line in self.lines.get(name, ())]
        shebang = _SHEBANG.match(lines[0]) if lines else None
        if shebang is None:
            yield from (line.lstrip("@-") for line in lines)
            return
        code, option = "\n".join(lines), _CODE_OPTIONS.get(shebang[1])
        yield f"{shebang[1]} {option} {shlex.quote(code)}" if option else code

    def _value(self, hole: re.Match[str]) -> str:
        return self._values.get(hole[1], OPAQUE)


def just_commands(text: str, words: Sequence[str]) -> Iterator[str]:
    """The command lines that `just WORDS` runs of a justfile."""
    justfile = _Justfile(text)
    named = [word for word in words if word in justfile.lines]
    waiting, seen = named or list(justfile.lines)[:1], set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += justfile.needs.get(name, ())
            yield from justfile.commands(name)


def tox_commands(text: str, words: Sequence[str]) -> Iterator[str]:
    """The commands of all environments of a tox.ini: which ones run depends on its settings."""
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for section in parser.sections():
        for key in ("commands_pre", "commands", "commands_post"):
            lines = parser.get(section, key, fallback="").replace("\\\n", " ").splitlines()
            yield from (_TOX_HOLE.sub(OPAQUE, line).lstrip("- ") for line in lines if line.strip())


def compose_commands(text: str, words: Sequence[str]) -> Iterator[str]:
    """A call of docker for each folder of this machine that a compose file opens to a container."""
    if not _COMPOSE_STARTS.isdisjoint(words):
        for short, long in _VOLUME.findall(text):
            yield f"docker run -v {short or long + ':/x'} IMAGE"


TASK_FILES: dict[str, Callable[[str, Sequence[str]], Iterator[str]]] = {
    "make": make_commands,
    "just": just_commands,
    "npm": package_commands,
    "pnpm": package_commands,
    "yarn": package_commands,
    "bun": package_commands,
    "tox": tox_commands,
    "compose": compose_commands,
}
"""By program, which command lines of its file a call runs; `CODE_FILES` says where the file is."""
