"""Find the values of named secrets in any notation, with their start and end."""

import re
from collections.abc import Iterator

from handrail.redact.secret_names import (
    SCHEME,
    TOLD,
    SecretPlace,
    ValueSpan,
    is_secret,
    secret_name,
)
from handrail.redact.spans import SecretSpan

AFTER = re.compile(
    r"""(?P<rest>[\w.$-]{0,48}+)
    (?P<close>(?:\\{0,8}+["'`]|\*\*|\[\w{0,8}\])?+\]?+)
    (?:
      (?P<typed>[?!]?:[ ]{0,2}[A-Za-z_&*][\w.,|<>&*'?\[\] ]{0,48}?[ ]=[ ])
        (?=[A-Za-z$@]{0,2}\\{0,8}["'`])
    | (?P<pair>,?\s{1,40}+\\{0,8}+["']?[Vv]alue\\{0,8}+["']?[ \t]{0,8}+[:=][ \t]{0,8}+)
    | [ \t]{0,24}+(?:
        (?P<same>[=!]==?)[ \t]{0,24}+
      | [?!]?(?P<set>:=|=>|\?=|\+=|=|:(?!:))[ \t]{0,24}+(?P<block>[|>][+-]?[ \t]*+\n[ \t]{1,40}+)?
      | (?P<call>\(\s{0,24}+|,[ ]{0,4}+)(?=[A-Za-z$@]{0,2}\\{0,8}["'`])
      )
    | (?P<xml>>)(?=[^<\s][^<]{0,200}</)
    | (?P<gap>[ \t]{1,24}+(?:(?:is|was)[ \t]{1,8}+)?)(?=[^\s=:])
    )""",
    re.VERBOSE,
)
_OPENING = re.compile(r"""\[?[A-Za-z$@]{0,2}(?P<quote>\"\"\"|\'\'\'|\\{0,8}+["'`])""")
_BARE = re.compile(r"""(?:[^\s"'`\\,;&|<>(){}\[\]]++|\\(?![nrtu"'`\\]))++""")
WORD = re.compile(r"(?:[^\s\"'`;|&<>\\]++|\\(?![nrtu\"'`\\]))++")
_ATTRIBUTE = re.compile(r"""[^;"'`\r\n]++""")
_XML = re.compile(r"[^<]++")
_HEADER = re.compile(r"""(?:[^\r\n"'`\\]++|\\(?![nrtu"'`\\]))++""")
_QUOTED_NAME = re.compile(r"[\"'`][\w .$:/@-]*\Z")
_QUOTED_PROSE = re.compile(r"(?P<quote>[\"'`])(?:[A-Za-z][\w .,-]{0,40})?\Z")
_MAYBE_PASSWORD = re.compile(r"""["'`]|\S{0,60}?\d""")
LONGEST_VALUE = 8192
JUDGED = 1000
"""Characters of a value to judge; a longer secret is still read to its end."""


def named_place(text: str, at: int, after: re.Match[str]) -> SecretPlace | None:
    """Return the place of a secret's value if its name stands here; None for any other name."""
    start = at
    low = max(0, at - 48)
    while start > low and (text[start - 1].isalnum() or text[start - 1] in "_.$-"):
        start -= 1
    label = text[start : after.end("rest")]
    name = secret_name(label.strip("-.$"))
    how = after.lastgroup or ""
    if name is None or text.startswith("://", max(0, start - 3)):
        return None
    if not _is_written_as_name(text, start, label, after):
        return None
    if how == "gap" and not _is_spoken_to(text, start, label, after):
        return None
    end = after.end()
    tight = text[end - 1] == "=" and text[end - 2] not in " \t"
    return SecretPlace(label, name, start, how, after[how], end, bool(after["close"]), tight)


def _is_written_as_name(text: str, start: int, label: str, after: re.Match[str]) -> bool:
    """Return False for `"$TOKEN":`, which uses the name, and for the end of a quoted sentence."""
    close = after["close"].rstrip("]")
    if label.startswith("$") and (close or after["set"] != "="):
        return False
    if label.lower() == "pass":  # mostly a verb
        verb = text.startswith(" ", after.end("close")) or text.startswith("`", after.end())
        return not verb
    if after["set"] == ":" and text[start - 1 : start] == ":":
        return False
    if close and close[-1] in "\"'`":
        return _QUOTED_NAME.search(text, max(0, start - 24), start) is not None
    return True


def _is_spoken_to(text: str, start: int, label: str, after: re.Match[str]) -> bool:
    """Return whether a word after a name and a blank could be its value."""
    return (
        label.startswith("-")
        or _MAYBE_PASSWORD.match(text, after.end()) is not None
        or TOLD.search(text, max(0, start - 100), start) is not None
    )


def named(text: str, place: SecretPlace) -> Iterator[SecretSpan]:
    """Find the secrets among the values of a name; a list has several."""
    value = _read_value(text, place, JUDGED)
    while value is not None and value.end > value.start:
        if is_secret(text, place, value):
            whole = (
                _read_value(text, place, len(text)) if value.end >= place.value + JUDGED else None
            )
            yield SecretSpan(value.start, whole.end if whole else value.end, place.name.kind)
        more = _NEXT_ITEM.match(text, value.end) if text.startswith("[", place.value) else None
        value = quoted(text, more.end(), more["quote"], JUDGED) if more else None


def _read_value(text: str, place: SecretPlace, longest: int) -> ValueSpan | None:
    """Read the value that begins here, quoted or bare, without the scheme of a header."""
    at = place.value
    opening = _OPENING.match(text, at)
    if opening:
        if not place.closed and _is_inside(text, place.start, opening["quote"]):
            return None
        value = quoted(text, opening.end(), opening["quote"], longest)
    elif place.how == "xml":
        value = ValueSpan(at, end_of(_XML, text, at, longest), "<")
    elif place.how == "block":
        value = ValueSpan(at, _end_of_block(text, at), "|")
    elif place.sign == ":" and _is_header(text, place):
        value = ValueSpan(at, end_of(_HEADER, text, at, longest), "")
    else:
        value = ValueSpan(at, _end_of_bare(text, place, longest), "")
    scheme = SCHEME.match(text, value.start, value.end)
    if scheme and place.name.kind in {"authorization", "key", "token"}:
        return value._replace(start=scheme.end())
    return value


def _is_header(text: str, place: SecretPlace) -> bool:
    """Return whether the value fills the rest of the line, including blanks."""
    if place.name.kind == "cookie":
        return True
    return place.name.kind == "authorization" and SCHEME.match(text, place.value) is not None


def _is_inside(text: str, at: int, mark: str) -> bool:
    """Return whether a name ends a quoted text, as in `"Your password: "`."""
    opened = _QUOTED_PROSE.search(text, max(0, at - 44), at)
    return opened is not None and opened["quote"] == mark[-1]


def end_of(pattern: re.Pattern[str], text: str, at: int, longest: int) -> int:
    """Return where a pattern's match from here ends, or this place if it does not match."""
    found = pattern.match(text, at, at + longest)
    return found.end() if found else at


def quoted(text: str, start: int, mark: str, longest: int) -> ValueSpan:
    """Read a quoted value; without a closing quote it ends with the line."""
    limit = min(len(text), start + longest)
    line = text.find("\n", start, limit)
    if line >= 0 and len(mark) < 3 and mark != "`":
        limit = line
    at = text.find(mark, start, limit)
    while at > start and _is_escaped(text, start, at, mark):
        at = text.find(mark, at + 1, limit)
    return ValueSpan(start, at if at >= 0 else limit, mark)


def _is_escaped(text: str, start: int, at: int, mark: str) -> bool:
    before = at
    while before > start and text[before - 1] == "\\":
        before -= 1
    return before < at if mark[0] == "\\" else (at - before) % 2 == 1


def _end_of_block(text: str, at: int) -> int:
    """Return the end of a YAML block: it keeps the indentation of its first line."""
    indent = at - text.rfind("\n", 0, at) - 1
    end = at
    while end >= 0:
        end = text.find("\n", end)
        if end < 0 or text[end + 1 : end + 1 + indent].strip():
            break
        end += 1
    return len(text) if end < 0 else end


_LINE_LEAD = re.compile(r"[ \t+\-\d→:|>]{0,24}(?:export |declare -x )?[\w.-]{0,60}")
_ENV_LINE = re.compile(r"[ \t+-]{0,8}(?:export )?[A-Za-z_]\w{0,80}=")
_EXPRESSION = re.compile(r"[\w.$!&*:]*(?:\\?[,;({\[]+|[(\[{<].*[)\]}>](?:\.\w{1,60}){0,4}[,;:]?)")


def _end_of_bare(text: str, place: SecretPlace, longest: int) -> int:
    """Return the end of an unquoted value, which depends on the notation around it."""
    if place.how in {"set", "typed"} and (end := _end_of_line_value(text, place, longest)):
        return end
    if place.tight and text[place.start - 1 : place.start] == ";":
        return end_of(_ATTRIBUTE, text, place.value, longest)
    if place.how == "gap" or (place.tight and place.label.isupper()):
        end = end_of(WORD, text, place.value, longest)
        return end - 1 if text[end - 1] in ",)" else end
    return end_of(_BARE, text, place.value, longest)


def _end_of_line_value(text: str, place: SecretPlace, longest: int) -> int | None:
    """Return the end of the line if the value fills it, as in .ini files and the output of env."""
    line = text.rfind("\n", max(0, place.start - 100), place.start) + 1
    if not _LINE_LEAD.fullmatch(text, line, place.start):
        return None
    limit = min(len(text), place.value + longest)
    end = text.find("\n", place.value, limit)
    end = limit if end < 0 else end
    value = text[place.value : end].rstrip("\r")
    of_env = place.tight and place.label.isupper()
    if not value or "\\n" in value or value[0] in "$\"'`" or (value[0] == "(" and not of_env):
        return None
    if any(char in value for char in " \t\"'`"):
        return place.value + len(value) if of_env and _among_env_lines(text, line, end) else None
    return None if not of_env and _EXPRESSION.fullmatch(value) else place.value + len(value)


def _among_env_lines(text: str, line: int, end: int) -> bool:
    before = text.rfind("\n", max(0, line - 500), max(0, line - 1)) + 1
    return bool(
        (line == 0 or _ENV_LINE.match(text, before))
        and (end + 1 >= len(text) or _ENV_LINE.match(text, end + 1))
        and (line > 0 or end + 1 < len(text))
    )


_NEXT_ITEM = re.compile(r"""\\{0,8}["'`]\s{0,40},\s{0,40}[A-Za-z]{0,2}(?P<quote>\\{0,8}["'`])""")
