"""Find secrets that need no name: tokens, private keys, logins, options."""

import re
from collections.abc import Iterator

from handrail.redact.named_values import JUDGED, LONGEST_VALUE, WORD, end_of, quoted
from handrail.redact.patterns import BARE_SHAPES, OPTIONS, PROGRAM, SHAPES, STARTS
from handrail.redact.secret_names import holds_nothing, is_placeholder, looks_random
from handrail.redact.spans import SecretSpan


def token_by_shape(text: str, at: int) -> Iterator[SecretSpan]:
    """Find a token by its prefix: `ghp_…`, `AKIA…`."""
    start = STARTS.match(text, at)
    for shape in SHAPES[start.group()] if start else ():
        if found := shape.pattern.match(text, at):
            yield SecretSpan(*found.span(shape.group), shape.kind)
            return


def bare_shape(text: str, at: int) -> Iterator[SecretSpan]:
    """Find a token by its form, around this place."""
    for shape in BARE_SHAPES:
        if found := shape.pattern.search(text, max(0, at - 80), at + 200):
            yield SecretSpan(*found.span(shape.group), shape.kind)
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


def private_key(text: str, at: int) -> Iterator[SecretSpan]:
    """Find a private key between BEGIN and END, or the rest of one."""
    edge = _KEY_EDGE.search(text, max(0, at - 70), at + 20)
    if edge is None:
        return
    if edge[1] == "END":
        yield from _key_without_begin(text, edge)
        return
    other = text.find("PRIVATE KEY", edge.end(), edge.end() + _LONGEST_KEY)
    end = _KEY_EDGE.search(text, max(edge.end(), other - 60), other + 30) if other > 0 else None
    if end and end[1] == "END" and _KEY_TEXT.search(text, edge.end(), end.start()):
        yield SecretSpan(edge.start(), end.end(), "private key")
    elif lines := _KEY_LINES.match(text, edge.end()):
        yield SecretSpan(edge.start(), lines.end(), "private key")


def _key_without_begin(text: str, edge: re.Match[str]) -> Iterator[SecretSpan]:
    """Find a key without its BEGIN line: the lines before its end."""
    low = max(text.rfind("-----", 0, edge.start()) + 5, edge.start() - _LONGEST_KEY, 0)
    start, fits = edge.start(), _KEY_LAST_LINE
    for word in reversed(list(_KEY_WORD.finditer(text, low, edge.start()))):
        if _KEY_LEAD.fullmatch(word.group()):
            continue
        if not fits.fullmatch(word.group()):
            break
        start, fits = word.start(), _KEY_LINE
    if _KEY_TEXT.search(text, start, edge.start()):
        yield SecretSpan(start, edge.end(), "private key")


# --- other places ------------------------------------------------------------------------------

_BEARER = re.compile(r"(?i)bearer[ \t]{1,4}(?P<secret>[\w.~+/=-]{8,}+)")
_AUTHORITY = re.compile(r"[^\s/?#\"'`<>\\]{1,400}+")
_AFTER_COLON = re.compile(r"(?!\d{1,5}[/?#])[^\s\"'`<>\\@]{1,200}+(?=@[\w\[.$%{-])")
LOGIN_PAIR = re.compile(
    r"auth[ ]?[=:][ ]?[\w.]{0,60}+[(\[]\s{0,8}"
    r"[\"'][^\"'\n]{0,80}+[\"']\s{0,8},\s{0,8}(?P<quote>[\"'])"
)
_IDENTIFIED = re.compile(r"(?i)identified (?:with \S{1,60} )?by (?:password )?(?P<quote>[\"'])")
_ABOUT_USERS = re.compile(r"(?i)\b(?:user|grant|role|login|to)\b")
_PIPED_FROM = re.compile(
    r"(?:echo|printf) +(?:-\w{1,4} +|['\"]%s(?:\\n)?['\"] +)?"
    r"(?:(?P<quote>\\?[\"'])(?P<quoted>[^\"'\n]{1,200}+)(?P=quote)|(?P<bare>[^\s|\"']{1,200}+)) *\Z"
)
PIPED_INTO = re.compile(r"passw(?:ord-stdin|d --stdin|d\b)| -S\b")
_SHELL_QUOTE = re.compile(r"(?P<quote>\\{0,8}[\"'])")
_COMMAND_END = re.compile(r"(?<!\\)\n|[;|&]")
LONGEST_COMMAND = 2000


def bearer(text: str, at: int) -> Iterator[SecretSpan]:
    """Find the token of `Bearer TOKEN`."""
    found = _BEARER.match(text, at)
    if found and not holds_nothing(found["secret"]):
        secret = found["secret"]
        if len(secret) >= 20 or any(char.isdigit() for char in secret):
            yield SecretSpan(*found.span("secret"), "token")


def _stands_in(secret: str) -> bool:
    """Return whether this is a placeholder that examples use for a password."""
    return is_placeholder(secret) or secret.lower() in {"pass", "password", "passwd", "pw"}


def url_login(text: str, at: int) -> Iterator[SecretSpan]:
    """Find the password of `://user:password@host`, or the token of `://token@host`."""
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
            yield SecretSpan(first, start + len(login), "password" if colon else "token")
    elif not sign and ":" in host:
        # a password with an unescaped slash
        first = start + host.index(":") + 1
        odd = _AFTER_COLON.match(text, first)
        if odd and not _stands_in(odd.group()):
            yield SecretSpan(first, odd.end(), "password")


def login_pair(text: str, at: int) -> Iterator[SecretSpan]:
    """Find the password of `auth=("user", "password")`."""
    if found := LOGIN_PAIR.match(text, at):
        value = quoted(text, found.end(), found["quote"], LONGEST_VALUE)
        if not is_placeholder(text[value.start : value.end]):
            yield SecretSpan(value.start, value.end, "password")


def sql_password(text: str, at: int) -> Iterator[SecretSpan]:
    """Find the password of `IDENTIFIED BY 'password'` in statements about users."""
    found = _IDENTIFIED.match(text, at)
    if found and _ABOUT_USERS.search(text, max(0, at - 100), at):
        value = quoted(text, found.end(), found["quote"], LONGEST_VALUE)
        if not is_placeholder(text[value.start : value.end]):
            yield SecretSpan(value.start, value.end, "password")


def piped(text: str, at: int) -> Iterator[SecretSpan]:
    """Find the secret of `echo SECRET |` before a command that reads a password."""
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
            yield SecretSpan(*found.span(group), "password")


def command_around(text: str, at: int) -> tuple[int, int]:
    """Return the start and end of the simple command at this place."""
    low, high = max(0, at - LONGEST_COMMAND), min(len(text), at + LONGEST_COMMAND)
    line = text.rfind("\n", low, at)
    while line > low and text[line - 1] == "\\":
        line = text.rfind("\n", low, line)
    start = max(line, *(text.rfind(sign, low, at) for sign in ";|&")) + 1
    end = _COMMAND_END.search(text, at, high)
    return max(low, start), end.start() if end else high


def options(text: str, at: int) -> Iterator[SecretSpan]:
    """Find passwords in options of single programs, such as `mysql -p`."""
    start, end = command_around(text, at)
    program = PROGRAM.search(text, start, at + 1)
    if program is None:
        return
    if program.group() == "sudo":
        yield from piped(text, at)
        return
    for option, split in OPTIONS[program.lastgroup or ""]:
        for found in option.finditer(text, program.end(), end):
            yield from _option_value(text, found.end(), split)


def _option_value(text: str, at: int, split: str) -> Iterator[SecretSpan]:
    opening = _SHELL_QUOTE.match(text, at)
    if opening:
        at = opening.end()
        end = quoted(text, at, opening["quote"], JUDGED).end
    else:
        end = end_of(WORD, text, at, JUDGED)
    if split:
        at = text.find(split, at, end) + 1 or end
    secret = text[at:end]
    if (
        not _stands_in(secret)
        and not secret.startswith(("env:", "file:", "fd:"))
        and (opening or not secret.startswith("-"))
    ):
        yield SecretSpan(at, end, "cookie" if split == "=" else "password")
