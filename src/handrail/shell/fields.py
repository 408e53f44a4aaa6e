"""Fields: what a word falls into when its values are split, and what becomes of each."""

import posixpath
import re
from collections.abc import Iterable

from handrail.shell.environment import Environment
from handrail.shell.quoting import MARK, mask, unmask
from handrail.shell.word import OPAQUE, Word

Fields = list[str]
"""Fields with quoted specials masked; an empty one is only a break between its neighbours."""

WILDCARDS = re.compile(r"[*?]|\[(?:[^\[\]]+|\[)\]")
_TILDE = re.compile(r"~([\w.+-]*)(?=/|\Z)")
_TILDE_IN_VALUE = re.compile(r"(?:(?<=:)|\A)~([\w.+-]*)(?=[/:]|\Z)")
_IN_VALUES = str.maketrans({char: chr(0xE000 + ord(char)) for char in "{}~,\\"})
"""What means nothing in a value that is expanded, though wildcards do."""
BLANKS = " \t\n"
"""What IFS holds at first."""


def glued(option: list[str], fields: Fields) -> list[str]:
    """Append fields to a word under construction: the first one continues its last field."""
    if not fields:
        return option
    if not option:
        return list(fields)
    if len(fields) > 1 and fields[0] == MARK and option[-1] == "":
        # A blank at the end and a separator at the beginning may be one and the same.
        return [*option[:-1], OPAQUE, *fields[1:]]
    return [*option[:-1], option[-1] + fields[0], *fields[1:]]


def finished(field: str, raw: str) -> Word:
    """The argument that a field becomes."""
    glob = bool(WILDCARDS.search(field))
    text = unmask(field)
    return Word(text, glob, "" if raw == text else raw)


def joined_fields(words: Iterable[Word], quoted: bool) -> Fields:
    """One field for each value, unsplit."""
    mark = MARK if quoted else ""
    # A value with wildcards, such as a loop's over `*.txt`, is a name that they stand for.
    return [mark + (word.text if word.glob else mask(word.text)) for word in words]


def split_literal(words: Iterable[Word], env: Environment) -> Fields:
    """Values as fields, split as IFS says; their wildcards are active."""
    fields: Fields = []
    for word in words:
        more = split(word.text, separators(env))
        # Each value begins a field of its own.
        fields.extend(["", *more] if fields and fields[-1] else more)
    return [field.translate(_IN_VALUES) for field in fields]


def split_text(masked: str, env: Environment) -> Fields:
    """Literal text as fields; only blanks are masked where they are quoted."""
    ifs = separators(env)
    others = (ifs or "").strip(BLANKS)
    if MARK in masked and any(char in masked for char in others):
        return [OPAQUE]
    return split(masked, ifs)


def separators(env: Environment) -> str | None:
    """What IFS holds; None if that is unknown."""
    values = env.variables.get("IFS")
    if not values:
        return BLANKS
    return values[0].text if len(values) == 1 and values[0].exact else None


def split(text: str, ifs: str | None) -> Fields:
    """A value as fields; an empty field at either end says that its neighbour ends there."""
    if ifs is None:
        return [text if not text.strip(OPAQUE) else OPAQUE]
    if not ifs or not any(char in text for char in ifs):
        return [text]
    blanks = "".join(re.escape(char) for char in ifs if char in BLANKS)
    others = "".join(re.escape(char) for char in ifs if char not in BLANKS)
    space = f"[{blanks}]*" if blanks else ""
    ends = [f"{space}[{others}]{space}"] if others else []
    ends += [f"[{blanks}]+"] if blanks else []
    fields: Fields = []
    at = 0
    for found in re.finditer("|".join(ends), text):
        field = text[at : found.start()]
        only_blanks = not found[0].strip(BLANKS) and blanks
        fields.append(field or ("" if only_blanks else MARK))
        at = found.end()
    return [*fields, text[at:]]


def with_tilde(skeleton: str, env: Environment, *, in_value: bool = False) -> str:
    """A word with its home folders put in; in a value also behind a colon."""
    if "~" not in skeleton:
        return skeleton
    if in_value:
        return _TILDE_IN_VALUE.sub(lambda found: _folder(found[1], env), skeleton)
    found = _TILDE.match(skeleton)
    return _folder(found[1], env) + skeleton[found.end() :] if found else skeleton


def _pushed(name: str, env: Environment) -> Word:
    """`~2`, `~+2`: the folder at a place of the stack of `pushd`; `~-2` counts from its end."""
    folders = (env.cwd, *reversed(env.folders))
    place = int(name.lstrip("+-"))
    if name[0] == "-":
        place = len(folders) - 1 - place
    return folders[place] if 0 <= place < len(folders) else Word(OPAQUE)


def _folder(name: str, env: Environment) -> str:
    if name == "":
        values = env.values("HOME")
    elif name == "+":
        values = env.values("PWD")
    elif name == "-":
        values = env.values("OLDPWD")
    elif name.lstrip("+-").isdecimal():
        values = (_pushed(name, env),)
    else:
        values = (Word("/root" if name == "root" else posixpath.join("/home", name)),)
    return mask(values[0].text if len(values) == 1 else OPAQUE)
