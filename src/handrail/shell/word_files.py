"""Options that take words from a file: `tar -T list`, `wc --files0-from=list`."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.environment import Environment
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_NUL = ("--files0-from",)
WORD_FILES: dict[str, tuple[str, ...]] = {
    "tar": ("-T", "--files-from"),
    "bsdtar": ("-T", "--files-from"),
    "rsync": ("--files-from",),
    "file": ("-f", "--files-from"),
    "wget": ("-i", "--input-file"),
    "curl": ("-K", "--config"),
    **dict.fromkeys(("wc", "du", "sort"), _NUL),
}
"""By program, the options that name such a file."""
_ADDRESS = re.compile(r"(?m)^\s*-{0,2}url\s*[=: ]\s*\"?([^\s\"]+)")
_SPLIT = re.compile(r"[\0\n]")


def with_words_of_files(
    walker: "ProgramWalker", command: Command, env: Environment
) -> Iterator[Command]:
    """Yield the command with the words of such a file behind it, where these are known."""
    options = WORD_FILES[command.name]
    words = list(command.argv)
    for index, word in enumerate(words):
        option, equals, value = word.text.partition("=")
        if option not in options:
            continue
        file = Word(value) if equals else words[index + 1] if index + 1 < len(words) else Word("")
        text = walker.code_texts.text(file, env, command.elsewhere, as_words=True)
        if text is None:
            continue
        found = _ADDRESS.findall(text) if command.name == "curl" else _SPLIT.split(text)
        rest = words[:index] + words[index + (1 if equals else 2) :]
        argv = (*rest, *(Word(each) for each in found if each.strip()))
        yield msgspec.structs.replace(command, argv=argv, redirects=())
