"""Takes the secrets out of what is written down.

A text is scanned once for places that might hold a secret, which is cheap and finds nothing in
most texts; only these places are looked at closely. Every pattern is bounded or cannot go back,
so the time grows with the length of the text and not with what somebody put into it.
"""

import base64
import json
import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import quote

from handrail.store.secret_patterns import (
    ALL_MARKERS,
    BARE_SHAPES,
    MARKER,
    NAME_HINTS,
    OPTIONS,
    PROGRAM,
    SCHEME,
    SHAPES,
    SHORTEST_RUN,
    STARTS,
    TOLD,
    UUID,
    Name,
    Place,
    Value,
    announces,
    holds_nothing,
    is_placeholder,
    is_secret,
    looks_random,
    marker,
)


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


_Finder = Callable[[str, int], Iterable[_Span]]


class _Suspect(NamedTuple):
    """Where to look closely, and who has to: a finder, or the reader of a name's value."""

    at: int
    find: _Finder | None = None
    place: Place | None = None

    def look(self, text: str) -> Iterable[_Span]:
        if self.place:
            return _named(text, self.place)
        return self.find(text, self.at) if self.find else ()


# --- where to look -----------------------------------------------------------------------------

_RUN_BYTES = bytes(
    ord("x") if chr(code).isascii() and (chr(code).isalnum() or chr(code) in "-_") else ord(" ")
    for code in range(256)
)
_RUN = b"x" * SHORTEST_RUN
_BEFORE_RUN = {".": 8, "=": 24, "/": 3, "~": 5}
"""How far before a run a token may start that has such a sign at the end of its start."""
_OPTION = re.compile(rb" -(?:[a-zA-Z]{0,8}[uUpPawNbkKS]|-(?:user|proxy-user|auth|body))")


def _suspects(text: str) -> Iterator[_Suspect]:
    """Places that might hold a secret, and who has to look at them."""
    data = text.encode("latin-1", "replace")  # one byte for one character
    low = data.lower()
    runs = data.translate(_RUN_BYTES)
    if _RUN in runs:
        yield from _suspect_runs(text, runs)
    hints = [at for hint in NAME_HINTS if hint in low for at in _all(low, hint)]
    if hints:
        yield from _suspect_names(text, low, sorted(hints))
    if b"@" in data and b"://" in data:
        yield from (_Suspect(at, _url_login) for at in _all(data, b"://"))
    if b" -" in data:
        yield from _suspect_options(text, data)
    if b".env" in low:
        yield from _suspect_env(text, low)
    if b"identified " in low:
        yield from (_Suspect(at, _sql_password) for at in _all(low, b"identified "))


def _all(data: bytes, part: bytes) -> Iterator[int]:
    at = data.find(part)
    while at >= 0:
        yield at
        at = data.find(part, at + len(part))


def _suspect_runs(text: str, runs: bytes) -> Iterator[_Suspect]:
    start = runs.find(_RUN)
    while start >= 0:
        end = runs.find(b" ", start)
        end = len(runs) if end < 0 else end
        # Ids of sessions, prompts and the like are in every payload, and never a token by shape.
        if end - start == 36 and UUID.match(text, start):
            start = runs.find(_RUN, end)
            continue
        at = max(0, start - _BEFORE_RUN.get(text[start - 1 : start], 0))
        while found := STARTS.search(text, at, end):
            at = found.start() + 1
            if found.group() != "eyJ" or text.startswith(".", end):
                yield _Suspect(found.start(), _shape)
        if _may_be_bare(text, start, end):
            yield _Suspect(start, _bare_shape)
        start = runs.find(_RUN, end)


def _may_be_bare(text: str, start: int, end: int) -> bool:
    before = text[start - 1 : start]
    if before == "/":
        return text.find("hook", max(0, start - 80), start) >= 0
    if before == ":":
        return text[start - 2 : start - 1].isdigit()
    return text.startswith(".", end) and text[start] in "MNO"


def _suspect_names(text: str, low: bytes, hints: list[int]) -> Iterator[_Suspect]:
    done = 0
    for at in hints:
        if low.startswith(b"bearer", at):
            yield _Suspect(at, _bearer)
        elif low.startswith(b"key", at) and low.startswith(b"private ", max(0, at - 8)):
            yield _Suspect(at, _private_key)
        elif low.startswith(b"passw", at) and _PIPED_INTO.match(text, at):
            yield _Suspect(at, _piped)
        elif low.startswith(b"auth", at) and _LOGIN_PAIR.match(text, at):
            yield _Suspect(at, _login_pair)
        if at < done:
            continue
        after = _AFTER.match(text, at)
        if after is None:
            continue
        done = after.end("rest")
        if place := _named_place(text, at, after):
            yield _Suspect(at, place=place)


def _suspect_options(text: str, data: bytes) -> Iterator[_Suspect]:
    done = 0
    for option in _OPTION.finditer(data):
        at = option.start()
        if at < done:
            continue
        start, done = _command_around(text, at)
        if PROGRAM.search(text, start, at + 1):
            yield _Suspect(at, _options)


def _suspect_env(text: str, low: bytes) -> Iterator[_Suspect]:
    done = 0
    for at in _all(low, b".env"):
        if at >= done and _names_env_section(text, at):
            yield _Suspect(at, _env_section)
            done = _end_of_section(text, at)


# --- tokens by shape ---------------------------------------------------------------------------


def _shape(text: str, at: int) -> Iterator[_Span]:
    start = STARTS.match(text, at)
    for shape in SHAPES[start.group()] if start else ():
        if found := shape.pattern.match(text, at):
            yield _Span(*found.span(shape.group), shape.kind)
            return


def _bare_shape(text: str, at: int) -> Iterator[_Span]:
    for shape in BARE_SHAPES:
        if found := shape.pattern.search(text, max(0, at - 80), at + 200):
            yield _Span(*found.span(shape.group), shape.kind)
            return


# --- private keys ------------------------------------------------------------------------------

_KEY_EDGE = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
# Lines of a key, also quoted, numbered, in a diff or with \n written out; the last may be cut.
_KEY_LINES = re.compile(
    r"(?:(?:[\s+>|→:.,\"'#*]|-(?!-)|\\{1,8}[nr]|\d{1,6}(?=[\t→:|]))*+"
    r"(?:[A-Za-z0-9+/=]{16,}+|(?:Proc-Type|DEK-Info|Comment|Version|Hash): [^\n\\]{0,100}+))++"
    r"(?:(?:\s|\\{1,8}[nr])++[+>-]?[A-Za-z0-9+/=]{1,64}+(?=\s|\\|[\"']|\Z))?"
)
_KEY_TEXT = re.compile(r"[A-Za-z0-9+/=]{32}")
_KEY_WORD = re.compile(r"(?:[^\s\\]|\\(?![nr\\]))++")
_KEY_LEAD = re.compile(r"[+>|\"'-]*+(?:\d{1,6}[→:|]?)?")
_KEY_LINE = re.compile(r"[+>|\"'-]*+[A-Za-z0-9+/=]{16,}+")
_KEY_LAST_LINE = re.compile(r"[+>|\"'-]*+[A-Za-z0-9+/=]++")
_LONGEST_KEY = 20_000


def _private_key(text: str, at: int) -> Iterator[_Span]:
    edge = _KEY_EDGE.search(text, max(0, at - 70), at + 20)
    if edge is None:
        return
    if edge[1] == "END":
        yield from _key_without_begin(text, edge)
        return
    other = text.find("PRIVATE KEY", edge.end(), edge.end() + _LONGEST_KEY)
    end = _KEY_EDGE.search(text, max(edge.end(), other - 60), other + 30) if other > 0 else None
    if end and end[1] == "END" and _KEY_TEXT.search(text, edge.end(), end.start()):
        yield _Span(edge.start(), end.end(), "private key")
    elif lines := _KEY_LINES.match(text, edge.end()):
        yield _Span(edge.start(), lines.end(), "private key")


def _key_without_begin(text: str, edge: re.Match[str]) -> Iterator[_Span]:
    """A key whose beginning was cut off: the lines before its end."""
    low = max(text.rfind("-----", 0, edge.start()) + 5, edge.start() - _LONGEST_KEY, 0)
    start, fits = edge.start(), _KEY_LAST_LINE
    for word in reversed(list(_KEY_WORD.finditer(text, low, edge.start()))):
        if _KEY_LEAD.fullmatch(word.group()):
            continue
        if not fits.fullmatch(word.group()):
            break
        start, fits = word.start(), _KEY_LINE
    if _KEY_TEXT.search(text, start, edge.start()):
        yield _Span(start, edge.end(), "private key")


# --- values beside a name ----------------------------------------------------------------------

_AFTER = re.compile(
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
_ATTRIBUTE = re.compile(r"""[^;"'`\r\n]++""")
_XML = re.compile(r"[^<]++")
_HEADER = re.compile(r"""(?:[^\r\n"'`\\]++|\\(?![nrtu"'`\\]))++""")
_QUOTED_NAME = re.compile(r"[\"'`][\w .$:/@-]*\Z")
_QUOTED_PROSE = re.compile(r"(?P<quote>[\"'`])(?:[A-Za-z][\w .,-]{0,40})?\Z")
_MAYBE_PASSWORD = re.compile(r"""["'`]|\S{0,60}?\d""")
_LONGEST_VALUE = 8192
_JUDGED = 1000
"""So much of a value is looked at; a secret that goes on is read to its end."""


def _named_place(text: str, at: int, after: re.Match[str]) -> Place | None:
    start = at
    low = max(0, at - 48)
    while start > low and (text[start - 1].isalnum() or text[start - 1] in "_.$-"):
        start -= 1
    label = text[start : after.end("rest")]
    name = announces(label.strip("-.$"))
    how = after.lastgroup or ""
    if name is None or text.startswith("://", max(0, start - 3)):
        return None
    if not _is_written_as_name(text, start, label, after):
        return None
    if how == "gap" and not _is_spoken_to(text, start, label, after):
        return None
    end = after.end()
    tight = text[end - 1] == "=" and text[end - 2] not in " \t"
    return Place(label, name, start, how, after[how], end, bool(after["close"]), tight)


def _is_written_as_name(text: str, start: int, label: str, after: re.Match[str]) -> bool:
    """Not `"$TOKEN":`, which is a use of it, nor the end of a sentence in quotes."""
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
    """Whether a word after a name and a blank could be its value."""
    return (
        label.startswith("-")
        or _MAYBE_PASSWORD.match(text, after.end()) is not None
        or TOLD.search(text, max(0, start - 100), start) is not None
    )


def _named(text: str, place: Place) -> Iterator[_Span]:
    value = _read_value(text, place, _JUDGED)
    while value is not None and value.end > value.start:
        if is_secret(text, place, value):
            whole = (
                _read_value(text, place, len(text)) if value.end >= place.value + _JUDGED else None
            )
            yield _Span(value.start, whole.end if whole else value.end, place.name.kind)
        more = _NEXT_ITEM.match(text, value.end) if text.startswith("[", place.value) else None
        value = _quoted(text, more.end(), more["quote"], _JUDGED) if more else None


def _read_value(text: str, place: Place, longest: int) -> Value | None:
    """The value that begins here, in quotes or bare; without the scheme of a header."""
    at = place.value
    opening = _OPENING.match(text, at)
    if opening:
        if not place.closed and _is_inside(text, place.start, opening["quote"]):
            return None
        value = _quoted(text, opening.end(), opening["quote"], longest)
    elif place.how == "xml":
        value = Value(at, _end_of(_XML, text, at, longest), "<")
    elif place.how == "block":
        value = Value(at, _end_of_block(text, at), "|")
    elif place.sign == ":" and _is_header(text, place):
        value = Value(at, _end_of(_HEADER, text, at, longest), "")
    else:
        value = Value(at, _end_of_bare(text, place, longest), "")
    scheme = SCHEME.match(text, value.start, value.end)
    if scheme and place.name.kind in {"authorization", "key", "token"}:
        return value._replace(start=scheme.end())
    return value


def _is_header(text: str, place: Place) -> bool:
    """Whether the value goes on to the end of the line, blanks and all."""
    if place.name.kind == "cookie":
        return True
    return place.name.kind == "authorization" and SCHEME.match(text, place.value) is not None


def _is_inside(text: str, at: int, mark: str) -> bool:
    """Whether a name is the end of a text in quotes, as in `"Your password: "`."""
    opened = _QUOTED_PROSE.search(text, max(0, at - 44), at)
    return opened is not None and opened["quote"] == mark[-1]


def _end_of(pattern: re.Pattern[str], text: str, at: int, longest: int) -> int:
    found = pattern.match(text, at, at + longest)
    return found.end() if found else at


def _quoted(text: str, start: int, mark: str, longest: int) -> Value:
    """What stands in quotes; up to the end of the line where they are not closed."""
    limit = min(len(text), start + longest)
    line = text.find("\n", start, limit)
    if line >= 0 and len(mark) < 3 and mark != "`":
        limit = line
    at = text.find(mark, start, limit)
    while at > start and _is_escaped(text, start, at, mark):
        at = text.find(mark, at + 1, limit)
    return Value(start, at if at >= 0 else limit, mark)


def _is_escaped(text: str, start: int, at: int, mark: str) -> bool:
    before = at
    while before > start and text[before - 1] == "\\":
        before -= 1
    return before < at if mark[0] == "\\" else (at - before) % 2 == 1


def _end_of_block(text: str, at: int) -> int:
    """The end of a YAML block: the lines that are indented as far as its first one."""
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


def _end_of_bare(text: str, place: Place, longest: int) -> int:
    """Where a value without quotes ends, which depends on what it stands in."""
    if place.how in {"set", "typed"} and (end := _end_of_line_value(text, place, longest)):
        return end
    if place.tight and text[place.start - 1 : place.start] == ";":
        return _end_of(_ATTRIBUTE, text, place.value, longest)
    if place.how == "gap" or (place.tight and place.label.isupper()):
        end = _end_of(_WORD, text, place.value, longest)
        return end - 1 if text[end - 1] in ",)" else end
    return _end_of(_BARE, text, place.value, longest)


def _end_of_line_value(text: str, place: Place, longest: int) -> int | None:
    """The end of the line where nothing else is on it, as in .ini files and the output of env."""
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


# --- other places ------------------------------------------------------------------------------

_BEARER = re.compile(r"(?i)bearer[ \t]{1,4}(?P<secret>[\w.~+/=-]{8,}+)")
_AUTHORITY = re.compile(r"[^\s/?#\"'`<>\\]{1,400}+")
_AFTER_COLON = re.compile(r"(?!\d{1,5}[/?#])[^\s\"'`<>\\@]{1,200}+(?=@[\w\[.$%{-])")
_LOGIN_PAIR = re.compile(
    r"auth[ ]?[=:][ ]?[\w.]{0,60}+[(\[]\s{0,8}"
    r"[\"'][^\"'\n]{0,80}+[\"']\s{0,8},\s{0,8}(?P<quote>[\"'])"
)
_IDENTIFIED = re.compile(r"(?i)identified (?:with \S{1,60} )?by (?:password )?(?P<quote>[\"'])")
_ABOUT_USERS = re.compile(r"(?i)\b(?:user|grant|role|login|to)\b")
_PIPED_FROM = re.compile(
    r"(?:echo|printf) +(?:-\w{1,4} +|['\"]%s(?:\\n)?['\"] +)?"
    r"(?:(?P<quote>\\?[\"'])(?P<quoted>[^\"'\n]{1,200}+)(?P=quote)|(?P<bare>[^\s|\"']{1,200}+)) *\Z"
)
_PIPED_INTO = re.compile(r"passw(?:ord-stdin|d --stdin|d\b)| -S\b")
_SHELL_QUOTE = re.compile(r"(?P<quote>\\{0,8}[\"'])")
_WORD = re.compile(r"(?:[^\s\"'`;|&<>\\]++|\\(?![nrtu\"'`\\]))++")
_COMMAND_END = re.compile(r"(?<!\\)\n|[;|&]")
_LONGEST_COMMAND = 2000


def _bearer(text: str, at: int) -> Iterator[_Span]:
    found = _BEARER.match(text, at)
    if found and not holds_nothing(found["secret"]):
        secret = found["secret"]
        if len(secret) >= 20 or any(char.isdigit() for char in secret):
            yield _Span(*found.span("secret"), "token")


def _stands_in(secret: str) -> bool:
    """Whether this is what examples have in the place of a password."""
    return is_placeholder(secret) or secret.lower() in {"pass", "password", "passwd", "pw"}


def _url_login(text: str, at: int) -> Iterator[_Span]:
    """The password of `://user:password@host`, or the token of `://token@host`."""
    start = at + 3
    found = _AUTHORITY.match(text, start)
    if found is None:
        return
    login, sign, host = found.group().rpartition("@")
    user, colon, secret = login.partition(":")
    if sign and host:
        first = start + len(user) + 1 if colon else start
        hide = not _stands_in(secret) if colon else looks_random(user) and len(user) >= 20
        if hide:
            yield _Span(first, start + len(login), "password" if colon else "token")
    elif not sign and ":" in host:
        # A password with a slash in it, which nobody escaped.
        first = start + host.index(":") + 1
        odd = _AFTER_COLON.match(text, first)
        if odd and not _stands_in(odd.group()):
            yield _Span(first, odd.end(), "password")


def _login_pair(text: str, at: int) -> Iterator[_Span]:
    """`auth=("user", "password")`."""
    if found := _LOGIN_PAIR.match(text, at):
        value = _quoted(text, found.end(), found["quote"], _LONGEST_VALUE)
        if not is_placeholder(text[value.start : value.end]):
            yield _Span(value.start, value.end, "password")


def _sql_password(text: str, at: int) -> Iterator[_Span]:
    found = _IDENTIFIED.match(text, at)
    if found and _ABOUT_USERS.search(text, max(0, at - 100), at):
        value = _quoted(text, found.end(), found["quote"], _LONGEST_VALUE)
        if not is_placeholder(text[value.start : value.end]):
            yield _Span(value.start, value.end, "password")


def _piped(text: str, at: int) -> Iterator[_Span]:
    """`echo SECRET |` before something that reads a password."""
    low = max(0, at - 400)
    bar = text.rfind("|", low, at)
    if bar < 0:
        return
    start = max(text.rfind("echo ", low, bar), text.rfind("printf ", low, bar))
    if any(sign in text[bar:at] for sign in "\n;&\"'`"):
        return
    found = _PIPED_FROM.match(text, start, bar) if 0 <= start < bar else None
    if found:
        group = "quoted" if found["quoted"] else "bare"
        if not is_placeholder(found[group]):
            yield _Span(*found.span(group), "password")


def _command_around(text: str, at: int) -> tuple[int, int]:
    """Where the simple command at this place begins and ends."""
    low, high = max(0, at - _LONGEST_COMMAND), min(len(text), at + _LONGEST_COMMAND)
    line = text.rfind("\n", low, at)
    while line > low and text[line - 1] == "\\":
        line = text.rfind("\n", low, line)
    start = max(line, *(text.rfind(sign, low, at) for sign in ";|&")) + 1
    end = _COMMAND_END.search(text, at, high)
    return max(low, start), end.start() if end else high


def _options(text: str, at: int) -> Iterator[_Span]:
    """Options that mean a password to one program only, such as `mysql -p`."""
    start, end = _command_around(text, at)
    program = PROGRAM.search(text, start, at + 1)
    if program is None:
        return
    if program.group() == "sudo":
        yield from _piped(text, at)
        return
    for option, split in OPTIONS[program.lastgroup or ""]:
        for found in option.finditer(text, program.end(), end):
            yield from _option_value(text, found.end(), split)


def _option_value(text: str, at: int, split: str) -> Iterator[_Span]:
    opening = _SHELL_QUOTE.match(text, at)
    if opening:
        at = opening.end()
        end = _quoted(text, at, opening["quote"], _JUDGED).end
    else:
        end = _end_of(_WORD, text, at, _JUDGED)
    if split:
        at = text.find(split, at, end) + 1 or end
    secret = text[at:end]
    if (
        not _stands_in(secret)
        and not secret.startswith(("env:", "file:", "fd:"))
        and (opening or not secret.startswith("-"))
    ):
        yield _Span(at, end, "cookie" if split == "=" else "password")


# --- .env files --------------------------------------------------------------------------------

_ENV_NAME = re.compile(r"[\w.-]{0,100}\.env(?:\.[\w.-]{1,100})?")
_ENV_SAMPLE = re.compile(r"\.(?:example|sample|template|tmpl|tpl|dist|defaults|md|[jt]s|py)$")
_ENV_OPENER = re.compile(
    r"(?:>{1,2}|\btee(?: -a)?|\*\*\* (?:Add|Update) File:|\+\+\+|diff --git)[ \t]*"
    r"[\"']?(?P<folder>[^\s\"'|;&<>]{0,120})\Z"
)
_SECTION_END = re.compile(r"\n(?:\*\*\* |diff --git )")
_ENTRY = re.compile(
    r"(?P<lead>[ \t]*(?:\d{1,6}[ \t]*[→:|\t][ \t]*)?[+>-]?[ \t]*(?P<comment>#[ \t]*)?"
    r"(?:(?:export|set|setenv)[ \t]+|(?:echo|printf)[ \t]+(?:-\w+[ \t]+)?(?P<echo>[\"']?))?)"
    r"(?P<key>[A-Za-z_][\w.-]{0,100})[ \t]*(?P<sign>[=:])[ \t]*"
)
_NO_COMMENT = re.compile(r"[ \t\r]*[^#\s]")
_FILE_NAME = re.compile(r"[\w.-]*")
_PATCH_LINE = re.compile(
    r"@@|\*\*\*|diff --git |index |--- |\+\+\+ |[ \t]*(?:\d{1,6}[→:|\t]|[+-])?[ \t]*#"
)


class _EnvEntry(NamedTuple):
    key: str
    start: int
    end: int


def is_env_file(path: str) -> bool:
    """Whether a path names a .env file, and not an example of one."""
    name = re.split(r"[/\\]", path[-300:])[-1]
    return bool(_ENV_NAME.fullmatch(name)) and not _ENV_SAMPLE.search(name)


def env_values(text: str) -> tuple[str, ...]:
    """The values of a .env file that are worth hiding wherever they turn up."""
    values: dict[str, None] = {}
    for entry in _env_entries(text, 0, len(text), fragments=True):
        value = text[entry.start : entry.end]
        if text[entry.start - 1 : entry.start] == '"':
            value = re.sub(r"\\([nrt\"\\$])", lambda found: _ESCAPES.get(found[1], found[1]), value)
        logins = [value[span.start : span.end] for span in _first_login(value)]
        if logins:
            values |= dict.fromkeys(login for login in logins if len(login) >= 6)
        elif entry.key and _is_worth_hiding(entry.key, value):
            values[value] = None
    return tuple(values)


def _first_login(value: str) -> Iterable[_Span]:
    at = value.find("://")
    return _url_login(value, at) if at > 0 else ()


_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_COMMON_VALUE = re.compile(
    r"[A-Za-z]++(?:[-_. ][A-Za-z]++)*+|[\d.,:\-_ ]{1,11}|[\w.-]+\.[a-z]{2,}(?::\d+)?(?:/[\w./-]*)?"
    r"|[\w.+-]+@[\w.-]+|(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?|[0-9a-f]{40}"
)


def _is_worth_hiding(key: str, value: str) -> bool:
    if holds_nothing(value):
        return False
    name = announces(key)
    if name is None or name.weak:
        return looks_random(value) and not _COMMON_VALUE.fullmatch(value)
    return len(value) >= 6 and (looks_random(value) or not _COMMON_VALUE.fullmatch(value))


def redact_env(text: str) -> str:
    """A .env-like text with its values replaced; keys and comments stay."""
    return _replace(text, _env_spans(text))


def _env_spans(text: str) -> Iterator[_Span]:
    """Every value, and every line that is neither an entry nor a comment."""
    return (
        _Span(entry.start, entry.end, "env value")
        for entry in _env_entries(text, 0, len(text), fragments=True)
    )


def _env_entries(text: str, at: int, end: int, fragments: bool = False) -> Iterator[_EnvEntry]:
    while at < end:
        line = text.find("\n", at, end)
        line = end if line < 0 else line
        entry = _ENTRY.match(text, at, line)
        if entry and _is_entry(text, entry, line, fragments):
            start, line, stop = _env_value(text, entry, line, end)
            yield _EnvEntry(entry["key"], start, stop)
        elif fragments and not _PATCH_LINE.match(text, at, line):
            words = text[at:line]
            start = at + len(words) - len(words.lstrip())
            yield _EnvEntry("", start, at + len(words.rstrip()))
        at = line + 1


def _is_entry(text: str, entry: re.Match[str], line: int, fragments: bool) -> bool:
    """Not a comment with an equals sign in it, nor `word: text` outside of a .env file."""
    if not entry["comment"]:
        return fragments or entry["sign"] == "="
    tight = text[entry.end("key")] == "=" and entry.end() == entry.end("key") + 1
    return tight and entry["key"].isupper() and entry.end() < line


def _env_value(text: str, entry: re.Match[str], line: int, end: int) -> tuple[int, int, int]:
    """Where the value begins, where its last line ends, and where the value ends."""
    start = entry.end()
    mark = text[start : start + 1]
    if entry["echo"] or (mark and mark in "\"'`"):
        first = start if entry["echo"] else start + 1
        close = text.find(entry["echo"] or mark, first, min(end, first + _LONGEST_VALUE))
        while close > first and text[close - 1] == "\\":
            close = text.find(mark, close + 1, min(end, first + _LONGEST_VALUE))
        after = text.find("\n", close, end) if close >= 0 else -1
        after = end if after < 0 else after
        if close >= 0 and (entry["echo"] or not _NO_COMMENT.match(text, close + 1, after)):
            return first, after, close
    comment = re.search(r"[ \t]+#", text[start:line])
    stop = start + comment.start() if comment else line
    return start, line, start + len(text[start:stop].rstrip())


def _names_env_section(text: str, at: int) -> bool:
    opener = _ENV_OPENER.search(text, max(0, at - 160), at)
    if opener is None:
        return False
    name = _FILE_NAME.match(text, at)
    return is_env_file(opener["folder"] + (name.group() if name else ""))


def _end_of_section(text: str, at: int) -> int:
    found = _SECTION_END.search(text, at)
    return found.start() if found else len(text)


def _env_section(text: str, at: int) -> Iterator[_Span]:
    """What a command or a patch writes into a .env file."""
    start = text.rfind("\n", max(0, at - _LONGEST_COMMAND), at) + 1
    for entry in _env_entries(text, start, _end_of_section(text, at)):
        yield _Span(entry.start, entry.end, "env value")


# --- putting markers in ------------------------------------------------------------------------


def _replace(text: str, spans: Iterable[_Span]) -> str:
    """The text with a marker for every span; spans that overlap become one."""
    old = [found.span() for found in MARKER.finditer(text)] if "[redacted: " in text else []
    merged: list[_Span] = []
    for span in sorted(span for span in spans if span.end > span.start):
        start, end = _over_markers(old, span.start, span.end) if old else span[:2]
        if old and _marker_at(old, start) == (start, end):
            continue
        if merged and start < merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(end, merged[-1].end))
        else:
            merged.append(_Span(start, end, span.kind))
    parts: list[str] = []
    at = 0
    for span in merged:
        parts += text[at : span.start], marker(span.kind)
        at = span.end
    return "".join((*parts, text[at:]))


def _over_markers(old: list[tuple[int, int]], start: int, end: int) -> tuple[int, int]:
    """The span, longer where it would cut a marker in two."""
    for other in (start, end - 1):
        if cut := _marker_at(old, other):
            start, end = min(start, cut[0]), max(end, cut[1])
    return start, end


def _marker_at(old: list[tuple[int, int]], at: int) -> tuple[int, int] | None:
    index = bisect_right(old, at, key=_start) - 1
    return old[index] if index >= 0 and at < old[index][1] else None


_start = itemgetter(0)


# --- structures --------------------------------------------------------------------------------

_LISTS = (list, tuple)
_NESTED = (dict, list, tuple)
_DEEPEST = 60
_ROUNDS = 6
_SHORTEST_KNOWN = 4
_KEPT_KEYS = 4096
_PATH_KEYS = frozenset(
    "filepath path notebookpath filename file absolutepath targetfile relativepath uri url".split()
)
_INPUT_KEYS = frozenset("toolinput input args arguments parameters params toolargs".split())
_TEXT_KEYS = frozenset(
    "content contents newstring oldstring originalfile filetext oldstr newstr oldcontent "
    "text lines diff patch output data body stdout newsource source snippet inserttext code value "
    "result llmcontent returndisplay aggregatedoutput filediff newtext oldtext newcontent".split()
)
_NAME_KEYS = frozenset("name key variable header env".split())
_PLAIN_BELOW = frozenset("type description title format name kind id".split())


class _Key(NamedTuple):
    """What a key of a dict says about its value."""

    name: str
    text: str
    plain: str
    secret: Name | None
    matters: bool


class _Env(NamedTuple):
    """The value belongs to a .env file; `whole`: it is text of that file and nothing else."""

    whole: bool


_Below = Name | _Env | None


class Redactor:
    """Removes secrets from text before it is written anywhere."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        """Values are exact texts known to be secret; those under 4 characters are not sought."""
        self._values = sorted({form for value in values for form in _forms(value)}, key=len)[::-1]
        self._keys: dict[str, _Key] = {}
        self._plain_keys: set[object] = set()

    def text(self, text: str) -> str:
        """The text with every secret replaced by `[redacted: KIND]`."""
        for _ in range(_ROUNDS):
            spans = list(self._spans(text))
            replaced = _replace(text, spans) if spans else text
            if replaced == text:
                return text
            text = replaced
        return marker("unreadable")

    def value(self, value: object) -> object:
        """The same through dicts (with their keys), lists and tuples; other scalars stay."""
        if isinstance(value, str):
            return self.text(value)
        leaves: list[str] = []
        if self._gather(value, leaves, _DEEPEST) and not self._is_suspect("\n".join(leaves)):
            return value
        return self._rebuild(value, None, _DEEPEST)

    def _spans(self, text: str) -> Iterator[_Span]:
        old = [found.span() for found in MARKER.finditer(text)] if "[redacted: " in text else []
        for value in self._values:
            at = text.find(value)
            while at >= 0:
                yield _Span(at, at + len(value), "known value")
                at = text.find(value, at + 1)
        done: dict[_Finder | None, int] = {}
        for suspect in _suspects(text):
            find, at = suspect.find, suspect.at
            if at < done.get(find, 0) or (old and _marker_at(old, at)):
                continue
            for span in suspect.look(text):
                done[find] = max(span.end, done.get(find, 0))
                yield span

    def _is_suspect(self, text: str) -> bool:
        return any(value in text for value in self._values) or any(True for _ in _suspects(text))

    def _key(self, key: str) -> _Key:
        known = self._keys.get(key)
        if known is None:
            text, plain, secret = self.text(key), _plain(key), announces(key)
            matters = bool(secret) or text != key or plain in _PATH_KEYS or plain in _NAME_KEYS
            known = _Key(key, text, plain, secret, matters)
            if len(self._keys) < _KEPT_KEYS and len(key) <= 64:
                self._keys[key] = known
                if not matters:
                    self._plain_keys.add(key)
        return known

    def _gather(self, value: object, leaves: list[str], depth: int) -> bool:
        """Collect the texts; False as soon as the structure itself calls for a closer look."""
        if isinstance(value, str):
            leaves.append(value)
        elif isinstance(value, dict):
            return depth > 0 and self._gather_dict(value, leaves, depth)
        elif isinstance(value, _LISTS) and value:
            words = _as_words(value)
            if words is not None:
                leaves.append((" " if _is_command(words) else "\n").join(words))
                return True
            return depth > 0 and all(self._gather(item, leaves, depth - 1) for item in value)
        return True

    def _gather_dict(self, value: dict[object, object], leaves: list[str], depth: int) -> bool:
        plain = self._plain_keys
        for key, item in value.items():
            if key not in plain and isinstance(key, str):
                facts = self._key(key)
                if facts.matters and _needs_care(facts, item, value):
                    return False
            if isinstance(item, str):
                leaves.append(item)
            elif isinstance(item, _NESTED) and not self._gather(item, leaves, depth - 1):
                return False
        return True

    def _rebuild(self, value: object, below: _Below, depth: int) -> object:
        if isinstance(value, str):
            return self._leaf(value, below)
        if isinstance(value, dict):
            return self._dict(value, below, depth) if depth else marker("nested too deep")
        if isinstance(value, _LISTS):
            if not depth:
                return marker("nested too deep")
            items = [self._rebuild(item, below, depth - 1) for item in value]
            items = self._across(items)
            return items if isinstance(value, list) else tuple(items)
        if isinstance(below, Name) and below.kind == "password" and type(value) in {int, float}:
            return marker(below.kind)
        return value

    def _leaf(self, value: str, below: _Below) -> str:
        if isinstance(below, _Env):
            value = redact_env(value) if below.whole else _replace(value, _entry_spans(value))
        elif below is not None and not MARKER.fullmatch(value):
            if below.weak:
                hide = looks_random(value[:300])
            elif below.kind == "password":
                hide = not is_placeholder(value)
            else:
                hide = not holds_nothing(value)
            if hide:
                return marker(below.kind)
        return self.text(value)

    def _dict(self, value: dict[object, object], below: _Below, depth: int) -> object:
        env = isinstance(below, _Env) or _is_of_env_file(value)
        named = _name_beside_value(value)
        found: dict[object, object] = {}
        for key, item in value.items():
            known = self._key(key) if isinstance(key, str) else None
            child = _below(known, item, below, env, named)
            name: object = known.text if known else key
            while name in found:
                name = f"{name}'"
            found[name] = self._rebuild(item, child, depth - 1)
        return found

    def _across(self, items: list[object]) -> list[object]:
        """Secrets that only the whole list shows: an option and its value, lines of a key."""
        words = _as_words(items)
        if words is None or len(words) < 2:
            return items
        for sign in (" ", "\n") if _is_command(words) else ("\n",):
            text = sign.join(words)
            spans = sorted(self._spans(text))
            if spans:
                words = _replace_across(words, spans)
        return list(words)


def _as_words(items: Sequence[object]) -> list[str] | None:
    words = [item for item in items if isinstance(item, str)]
    return words if len(words) == len(items) else None


def _is_command(words: list[str]) -> bool:
    return any(word.startswith("-") for word in words)


def _plain(key: str) -> str:
    return re.sub(r"[\W_]", "", key).lower()


def _forms(value: str) -> Iterator[str]:
    """How a known value may be written: as it is, escaped, in a URL, encoded; line by line."""
    encoded = value.encode("utf-8", "surrogatepass")
    forms = {
        value,
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
        quote(encoded, safe=""),
    }
    if len(value) >= 8:
        forms.add(base64.b64encode(encoded).decode().rstrip("="))
        forms.update(line for line in value.splitlines() if len(line) >= 16)
    return (form for form in forms if len(form) >= _SHORTEST_KNOWN and form not in ALL_MARKERS)


def _needs_care(key: _Key, item: object, among: dict[object, object]) -> bool:
    """Whether a key makes more of its value than the value shows by itself."""
    if key.secret or key.text != key.name:
        return item is not None and not isinstance(item, bool)
    if not isinstance(item, str):
        return False
    if key.plain in _PATH_KEYS:
        return ".env" in item and is_env_file(item)
    return "value" in among and announces(item) is not None


def _below(key: _Key | None, item: object, below: _Below, env: bool, named: Name | None) -> _Below:
    """What holds for the value under a key."""
    if key is None:
        return below
    if isinstance(below, Name):
        return None if key.plain in _PLAIN_BELOW else below
    if key.secret:
        return key.secret
    if named and key.plain == "value":
        return named
    if env and key.plain not in _PATH_KEYS:
        return _Env(whole=key.plain in _TEXT_KEYS)
    if env and not isinstance(item, str):
        return _Env(whole=False)
    return None


def _is_of_env_file(value: dict[object, object]) -> bool:
    """Whether a dict is about a .env file: it, or the input beside an output, names one."""
    for key, item in value.items():
        plain = _plain(key) if isinstance(key, str) else ""
        if plain in _PATH_KEYS and isinstance(item, str) and is_env_file(item):
            return True
        if plain in _INPUT_KEYS and isinstance(item, dict) and _is_of_env_file(item):
            return True
    return False


def _name_beside_value(value: dict[object, object]) -> Name | None:
    """Of `{"name": "DB_PASSWORD", "value": …}`, what the name announces."""
    for key in _NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str) and (found := announces(name)):
            return found
    return None


def _entry_spans(text: str) -> Iterator[_Span]:
    if "=" in text:
        for entry in _env_entries(text, 0, len(text)):
            yield _Span(entry.start, entry.end, "env value")


def _replace_across(words: list[str], spans: list[_Span]) -> list[str]:
    """Replace, in each word, its part of the spans of all words joined by one character."""
    replaced: list[str] = []
    at = 0
    for word in words:
        inside = [
            _Span(max(span.start - at, 0), min(span.end - at, len(word)), span.kind)
            for span in spans
            if span.start < at + len(word) and span.end > at
        ]
        replaced.append(_replace(word, inside) if inside else word)
        at += len(word) + 1
    return replaced
