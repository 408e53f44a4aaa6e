"""Find missing files, modules, commands and texts that an agent relied on."""

import re
from typing import Literal, NamedTuple

from handrail.detect.completed_step import CompletedStep
from handrail.model.action import SHELL_TOOLS

Sort = Literal["file", "module", "command", "text"]

_BEGIN, _END = 1_000, 1_000
"""Characters of an error to look at: tools report first, programs last."""
_PROBES = re.compile(
    r"^\s*(?:which|type|hash|test|\[|ls|find|fd|stat|file|whereis|locate|tree|du|grep|rg)\b"
    r"|2> ?/dev/null|\|\||--version|--help|\b(?:which |command -v|test -[defrx])|\[ -[defrx] "
)
"""Commands that check whether something exists: a negative result is an answer."""
_NO_TEXT = (
    "string to replace not found", "did not appear verbatim", "old_string not found",
    "old_str not found", "could not find the string to replace", "failed to find expected lines",
    "failed to find context", "search text not found",
)  # fmt: skip
_NO_FILE = ("does not exist", "no such file or directory", "file not found", "enoent")
_HINTS = ("no such file", "can't open", "no module", "cannot find", "not found")
"""Plain words to search first: most failures have other reasons."""
_FILE_OF_COMMAND = re.compile(
    r"^(?:\S*/)?(?:cat|head|tail|less|more|nl|wc|sed|awk|diff|source|sort|jq|node|ruby|perl|php|bash|sh)"
    r": (?:can't read |cannot open |can't open |line \d+: )?['‘\"]?(?P<a>[^'’\":\n]+)['’\"]?"
    r"(?: for reading)?: no such file"
    r"|^\S*python\S*: can't open file '(?P<b>[^'\n]+)'",
    re.IGNORECASE | re.MULTILINE,
)
_MODULE = re.compile(
    r"(?:ModuleNotFoundError: |ImportError: |/python\S*: )No module named ['\"]?(?P<a>[\w.]+)"
    r"|Cannot find (?:module|package) ['\"](?P<b>[^'\"\n./][^'\"\n]*)['\"]"
)
_COMMAND = re.compile(
    r"^(?:[\w./-]*sh: )?(?:line \d+: |\d+: )?(?P<a>[\w.+-]+): (?:command )?not found$", re.MULTILINE
)


class MissingThing(NamedTuple):
    """A missing thing."""

    sort: Sort
    name: str


def missing_thing_in(done: CompletedStep) -> MissingThing | None:
    """Return the missing thing behind a failed step, if that is why it failed."""
    said = done.outcome.error or done.outcome.output
    said = said if len(said) <= _BEGIN + _END else f"{said[:_BEGIN]}\n{said[-_END:]}"
    lower = said.lower()
    if done.intent.tool.lower() not in SHELL_TOOLS:
        return _of_tool(done, lower)
    if not any(hint in lower for hint in _HINTS) or _PROBES.search(done.intent.shown):
        return None
    return _of_command(said)


def _of_tool(done: CompletedStep, said: str) -> MissingThing | None:
    intent = done.intent
    path = next(iter((*intent.writes, *intent.reads)), "")
    if not path or intent.tool.lower() in _MAKERS:
        return None
    if any(words in said for words in _NO_TEXT):
        return MissingThing("text", path)
    return MissingThing("file", path) if any(words in said for words in _NO_FILE) else None


def _of_command(said: str) -> MissingThing | None:
    for sort, pattern in _SORTS:
        found = pattern.search(said)
        if found is not None:
            return MissingThing(sort, next(filter(None, found.groups())).strip())
    return None


_MAKERS = frozenset({"write", "write_file", "create", "create_file", "mkdir"})
"""Tools that make a file: a missing folder is no mistake of the agent."""
_SORTS: tuple[tuple[Sort, re.Pattern[str]], ...] = (
    ("file", _FILE_OF_COMMAND),
    ("module", _MODULE),
    ("command", _COMMAND),
)
