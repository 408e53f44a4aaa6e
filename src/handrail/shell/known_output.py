"""Compute the output of harmless commands without running them."""

import base64
import binascii
import codecs
import posixpath
import re
from collections.abc import Callable, Sequence

from handrail.shell.errors import TooLargeError
from handrail.shell.quoting import decode_ansi_c, decode_echo, decode_percent_b
from handrail.shell.word import OPAQUE, Word

MAX_OUTPUT = 256 * 1024
"""Upper bound for one output: cutting it would hide the rest."""

_MAX_ROUNDS = 64
WILDCARDS = re.compile(r"[*?]|\[(?:[^\[\]]+|\[)\]")

DECODERS = frozenset({"base64", "base32", "xxd", "rev", "rot13", "tr", "uudecode", "gunzip", "zcat",
                      "gzip", "openssl", "bzip2", "xz", "bunzip2", "unxz"})  # fmt: skip
"""Programs that decode text: decoded code is hidden code."""


def output_of(argv: Sequence[Word], given: str | None, cwd: Word) -> str | None:
    """Return the standard output of a command, or None if unknown."""
    evaluator = _EVALUATORS.get(argv[0].text.rpartition("/")[2]) if argv else None
    if evaluator is None:
        return None
    try:
        output = evaluator([_as_printed(word) for word in argv[1:]], given, cwd.text)
    except (ValueError, IndexError, binascii.Error, OverflowError):
        return None
    if output is not None and len(output) > MAX_OUTPUT:
        raise TooLargeError(len(output), MAX_OUTPUT)
    return output


def _as_printed(word: Word) -> str:
    """An argument as a program gets it: which names wildcards stand for is unknown."""
    return WILDCARDS.sub(OPAQUE, word.text) if word.glob else word.text


def _echo(args: list[str], given: str | None, cwd: str) -> str:
    escapes = newline = False
    while args and re.fullmatch(r"-[neE]+", args[0]):
        escapes = escapes or "e" in args[0]
        newline = newline or "n" in args[0]
        args = args[1:]
    text = " ".join(args)
    return (decode_echo(text) if escapes else text) + ("" if newline else "\n")


def _printf(args: list[str], given: str | None, cwd: str) -> str | None:
    if args and args[0] == "-v":
        return ""
    if args and args[0] == "--":
        args = args[1:]
    if not args:
        return None
    template, values = decode_ansi_c(args[0]), args[1:]
    pieces: list[str] = []
    for _ in range(_MAX_ROUNDS):
        text, used = _format(template, values)
        pieces.append(text)
        values = values[used:]
        if not values or not used:
            return "".join(pieces)
    return None


def _format(template: str, values: list[str]) -> tuple[str, int]:
    """Fill the template once; return the text and the number of values used.

    Raises ValueError for what is not worked out.
    """
    used = 0

    def fill(match: re.Match[str]) -> str:
        nonlocal used
        if match.group() == "%%":
            return "%"
        value = values[used] if used < len(values) else ""
        used += 1
        flags, width, precision, letter = match.groups()
        if "*" in (width or "") or (OPAQUE in value and (width or letter not in "sb")):
            raise ValueError(match.group())
        text = _converted(value, letter)
        if precision is not None and letter in "sb":
            text = text[: int(precision or 0)]
        size = int(width or 0)
        if size > MAX_OUTPUT:
            raise ValueError(match.group())
        return text.ljust(size) if "-" in flags else text.rjust(size, _padding(flags, letter))

    return _DIRECTIVE.sub(fill, template), used


_DIRECTIVE = re.compile(r"%%|%([-+ #0]*)(\d+|\*)?(?:\.(\d*))?([a-zA-Z])")
_NEEDS_NO_QUOTES = re.compile(r"[\w./:@%+,-]+", re.ASCII)


def _padding(flags: str, letter: str) -> str:
    return "0" if "0" in flags and letter in "dixXou" else " "


def _converted(value: str, letter: str) -> str:
    if letter == "s":
        return value
    if letter == "b":
        return decode_percent_b(value)
    if letter == "c":
        return value[:1]
    if letter == "q" and _NEEDS_NO_QUOTES.fullmatch(value):
        return value
    if letter in "dixXou":
        return format(int(value or "0", 0), {"d": "d", "i": "d", "u": "d"}.get(letter, letter))
    raise ValueError(letter)


def _cat(args: list[str], given: str | None, cwd: str) -> str | None:
    return given if all(arg == "-" for arg in args) else None


def _base64(args: list[str], given: str | None, cwd: str) -> str | None:
    if given is None or OPAQUE in given or _files(args):
        return None
    if any(re.fullmatch(r"-[diD]*[dD][diD]*|--decode", arg) for arg in args):
        return base64.b64decode(given + "===").decode("utf-8", "replace")
    return base64.b64encode(given.encode()).decode() + "\n"


def _base32(args: list[str], given: str | None, cwd: str) -> str | None:
    if given is None or OPAQUE in given or not any(arg in {"-d", "--decode"} for arg in args):
        return None
    return base64.b32decode(given.strip()).decode("utf-8", "replace")


def _xxd(args: list[str], given: str | None, cwd: str) -> str | None:
    if given is None or not any("r" in arg for arg in args if arg.startswith("-")):
        return None
    return bytes.fromhex(re.sub(r"[^0-9a-fA-F]", "", given)).decode("utf-8", "replace")


def _rev(args: list[str], given: str | None, cwd: str) -> str | None:
    if given is None or args:
        return None
    return "".join(line.rstrip("\n")[::-1] + "\n" for line in given.splitlines())


def _tr(args: list[str], given: str | None, cwd: str) -> str | None:
    if given is None or not args:
        return None
    if args[0] == "-d" and len(args) > 1:
        return given.translate(dict.fromkeys(map(ord, _tr_set(args[1]))))
    if args[0].startswith("-") or len(args) < 2:
        return None
    source, target = _tr_set(args[0]), _tr_set(args[1])
    target += target[-1:] * (len(source) - len(target))
    return given.translate(dict(zip(map(ord, source), target, strict=False)))


def _tr_set(text: str) -> str:
    text = decode_ansi_c(text)
    return re.sub(
        r"(.)-(.)",
        lambda match: "".join(map(chr, range(ord(match[1]), ord(match[2]) + 1)[:256])),
        text,
    )


def _rot13(args: list[str], given: str | None, cwd: str) -> str | None:
    return None if given is None else codecs.encode(given, "rot13")


def _pwd(args: list[str], given: str | None, cwd: str) -> str:
    return cwd + "\n"


def _basename(args: list[str], given: str | None, cwd: str) -> str | None:
    if not args or args[0].startswith("-"):
        return None
    name = posixpath.basename(args[0].rstrip("/"))
    return (name.removesuffix(args[1]) if len(args) > 1 else name) + "\n"


def _dirname(args: list[str], given: str | None, cwd: str) -> str | None:
    if not args or args[0].startswith("-"):
        return None
    return (posixpath.dirname(args[0].rstrip("/")) or ".") + "\n"


def _mktemp(args: list[str], given: str | None, cwd: str) -> str:
    folder = "/tmp"
    for index, arg in enumerate(args):
        if arg in {"-p", "--tmpdir"} and index + 1 < len(args):
            folder = args[index + 1]
        elif "XXX" in arg and "/" in arg:
            return arg.replace("X", "x") + "\n"
    return f"{folder}/tmp.handrail\n"


def _seq(args: list[str], given: str | None, cwd: str) -> str | None:
    numbers = [int(arg) for arg in args]
    first, last = (1, numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[-1])
    step = numbers[1] if len(numbers) == 3 else 1
    return "".join(f"{number}\n" for number in range(first, last + 1, step)[:64])


def _which(args: list[str], given: str | None, cwd: str) -> str | None:
    names = _files(args)
    return f"/usr/bin/{names[0]}\n" if names else None


def _files(args: list[str]) -> list[str]:
    return [arg for arg in args if not arg.startswith("-") and not arg.isdigit()]


_EVALUATORS: dict[str, Callable[[list[str], str | None, str], str | None]] = {
    "echo": _echo,
    "printf": _printf,
    "cat": _cat,
    "tee": lambda args, given, cwd: given,
    "base64": _base64,
    "base32": _base32,
    "xxd": _xxd,
    "rev": _rev,
    "tr": _tr,
    "rot13": _rot13,
    "pwd": _pwd,
    "basename": _basename,
    "dirname": _dirname,
    "mktemp": _mktemp,
    "seq": _seq,
    "which": _which,
    **dict.fromkeys(("true", "false", ":"), lambda args, given, cwd: ""),
    "realpath": lambda args, given, cwd: args[-1] + "\n" if args else None,
    "readlink": lambda args, given, cwd: args[-1] + "\n" if args else None,
}
