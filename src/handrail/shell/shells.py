"""How a shell is called: with a script as text, in a file, or on its input."""

from typing import Literal

import msgspec

from handrail.shell.command import Command
from handrail.shell.word import OPAQUE, Word

_VALUES = frozenset({"--rcfile", "--init-file"})


class ShellCall(msgspec.Struct, frozen=True):
    """The call of a shell, taken apart."""

    source: Literal["text", "file", "input", "nothing"]
    """Where the script comes from; `nothing` if it only checks the syntax."""
    zero: Word = Word("bash")
    """What `$0` is there: the shell's own name, if the call gives no other."""
    script: Word = Word("")
    arguments: tuple[Word, ...] = ()
    first: Word | None = None
    """A file that it runs before."""
    options: tuple[Word, ...] = ()


def read_shell(command: Command) -> ShellCall:
    """Take `sh -c 'script' name args`, `bash file args` or `sh` apart."""
    words = command.argv[1:]
    inline = from_input = False
    first: Word | None = None
    index = 0
    while index < len(words):
        text = words[index].text
        if text == "--":
            index += 1
            break
        if len(text) < 2 or text[0] not in "-+" or text[1] == OPAQUE:
            break
        index += 1
        if text[:2] == "--":
            if text in _VALUES:
                first = words[index] if index < len(words) else None
                index += 1
            continue
        flags = text[1:]
        if text[0] == "-" and "n" in flags:
            return ShellCall("nothing")
        inline = inline or (text[0] == "-" and "c" in flags)
        from_input = from_input or (text[0] == "-" and "s" in flags)
        index += flags[-1] in "oO"
    options, rest = words[:index], words[index:]
    if inline and not rest:
        return ShellCall("nothing")
    if inline:
        zero = rest[1] if len(rest) > 1 else command.argv[0]
        return ShellCall("text", zero, rest[0], rest[2:], first, options)
    if from_input or not rest or rest[0].text in {"-", "/dev/stdin"}:
        arguments = rest if from_input else rest[1:]
        return ShellCall("input", command.argv[0], Word(""), arguments, first, options)
    return ShellCall("file", rest[0], rest[0], rest[1:], first, options)


def has_text(word: Word) -> bool:
    """Whether anything of a script is known."""
    return bool(word.text.strip(OPAQUE + " \n\t;"))
