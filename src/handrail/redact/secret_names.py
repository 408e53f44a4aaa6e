"""Recognise names of secrets, and decide whether the value beside one is a secret."""

import base64
import re
from functools import lru_cache
from typing import NamedTuple

NAME_HINTS = tuple(b"pass pwd secret token key cred auth cookie bearer".split())
"""Every name of a secret contains one of these, in lower case."""

_SAYS = {
    "password": "password passwords passwd passphrase passcode pwd storepass keypass userpass",
    "token": "token jwt bearer",
    "secret": "secret secrets",
    "key": "apikey apikeys secretkey accesskey privatekey authkey accountkey",
    "credentials": "credential credentials creds",
    "authorization": "authorization",
    "cookie": "cookie cookies",
}
_WORDS = {word: kind for kind, words in _SAYS.items() for word in words.split()}
_ENDINGS = tuple("password passwd passphrase token secret apikey secretkey accesskey".split())
_KEY_OWNERS = frozenset(
    "api access private secret auth encryption signing master account shared service deploy "
    "session storage admin client root hmac aes crypt cipher subscription webhook license "
    "integration management ingest write sas".split()
)
_HARMLESS_KEYS = frozenset(
    "public primary foreign cache sort partition hash group dict object lookup index row cell "
    "unique composite natural join registry idempotency routing translation i18n react map json "
    "dedupe dedup ssh host hot short issue event query column table field s3 search".split()
)
_PASS_OWNERS = frozenset(
    "db database user smtp mysql postgres pg root admin mail email ftp ssh login auth redis "
    "rabbitmq basic proxy http https imap ldap sudo vpn wifi mongo my key store".split()
)
_HARMLESS_BEFORE_TOKEN = frozenset(
    "page next continuation eos bos pad unk sep cls mask stop special cancellation cancel prev "
    "previous last current first lookahead peek design max min num per total prompt completion "
    "input output context".split()
)
_HARMLESS_ENDS = frozenset(
    "type types name names url uri urls count counts len length size limit field fields label id "
    "ids path paths file files filename dir folder validator validators validation hint help "
    "prompt error errors message required expires expiry expiration ttl timeout age policy "
    "regex pattern header headers index idx pos position start end min max usage budget class "
    "format provider manager store service endpoint reset form view views hasher hashers input "
    "placeholder version created updated at on arn ref refs stdin env var vars algorithm alg "
    "bits scope scopes status state kind user username login host port email parser py js ts tsx "
    "jsx json yaml yml md txt go rs java rb php html css toml lock cfg ini sh test tests spec "
    "enabled disabled visible strength complexity mode option options param params function fn "
    "callback handler factory generator util utils helper config settings model table column "
    "list set map dict stream bucket cost price rate domain secure httponly samesite changed "
    "verified valid confirmed exists present map prefix suffix source sources".split()
)
_ALONE_WEAK = {"auth": "credentials", "tokens": "token"}
_NEUTRAL = frozenset(
    "value text plain raw prod production live staging dev old new base b64 base64 encoded string "
    "current default main confirm confirmation repeat again hash digest".split()
)
_NAME_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_NAME = re.compile(r"[\w.$:@-]{1,80}(?: \w{1,20}){0,2}")


class SecretName(NamedTuple):
    """The kind of secret that a name announces. A weak name also needs a random-looking value."""

    kind: str
    weak: bool


@lru_cache(maxsize=8192)
def secret_name(name: str) -> SecretName | None:
    """Return the kind of secret behind a variable, key, option or header of this name, if any."""
    if not _NAME.fullmatch(name):
        return None
    words = [word.lower() for word in _NAME_WORDS.findall(_last_part(name))]
    while words and words[-1].isdigit():
        words.pop()
    if not words or words[-1] in _HARMLESS_ENDS or "public" in words:
        return None
    if whole := _WORDS.get("".join(words)):
        return SecretName(whole, weak=False)
    upper = name.isupper()
    for index in range(len(words) - 1, -1, -1):
        found = _word(words, index, upper)
        if found:
            after = words[index + 1 :]
            return found._replace(weak=found.weak or not (upper or _NEUTRAL.issuperset(after)))
    return None


def _last_part(name: str) -> str:
    """Return the telling part of `db.password` and `user.token.value`."""
    parts = [part for part in re.split(r"[.:]", name) if part]
    while len(parts) > 1 and parts[-1].lower() in _NEUTRAL:
        parts.pop()
    return parts[-1] if parts else ""


def _word(words: list[str], index: int, upper: bool) -> SecretName | None:
    word, before = words[index], words[index - 1] if index else ""
    if word == "key":
        return _key(before)
    if word == "pass" and index == len(words) - 1:
        return SecretName("password", weak=not (upper or before in _PASS_OWNERS or len(words) == 1))
    kind = _WORDS.get(word) or next((_WORDS[end] for end in _ENDINGS if word.endswith(end)), None)
    if kind == "token" and before in _HARMLESS_BEFORE_TOKEN:
        return None
    if kind:
        return SecretName(kind, weak=False)
    return SecretName(_ALONE_WEAK[word], weak=True) if word in _ALONE_WEAK else None


def _key(before: str) -> SecretName | None:
    if not before or before in _HARMLESS_KEYS:
        return None
    return SecretName("key", weak=before not in _KEY_OWNERS)


# --- values ------------------------------------------------------------------------------------

_REFERENCE = re.compile(
    r"\$\{\{[^}]{0,200}\}\}|\$\{[^}]{0,200}\}|\$\([^)]{0,400}\)"
    r"|(?<![\w$])\$(?:[A-Z_][A-Z0-9_]{0,80}|[A-Za-z_]{1,80}|\d)(?![\w$])"
    r"|\{\{[^}]{0,200}\}\}|#\{[^}]{0,200}\}|%\(\w{1,80}\)[sdr]|%[A-Z_]{2,80}%|(?<!\w)%[sdrv]\b"
    r"|\{[\w.\[\]()!:'\"]{0,120}\}|<[^<>]{0,120}>|`[^`]{0,200}`|@[A-Z_]{1,80}@"
)
SCHEME = re.compile(
    r"(?i)(?:bearer|basic|token|digest|apikey|api-key|negotiate|oauth|aws4-hmac-sha256|key)[ \t]+"
)
_PLACEHOLDER = re.compile(
    r"(?i)[*.•#_?\- ]*|[x*.•#_?\- ]{3,}"
    r"|[\w-]{0,12}(?:\.{3}|…)"
    r"|(?:your|insert|enter|replace|example|sample|dummy|fake|placeholder|redacted|hidden|masked)"
    r"(?:[-_ ][a-z_\- ]{0,60})?"
    r"|change[-_ ]?(?:me|this|it)!?|to[-_ ]?do|tbd|fixme|foo|bar|baz|test|testing|n/a"
    r"|\[(?:redacted|hidden|masked|filtered|secret|removed|secure)\]"
    r"|none|null|nil|undefined|nan|true|false|yes|no|on|off|void|self|this|super"
    r"|required|optional|enabled|disabled|default|empty|missing|invalid|expired|unset|unknown"
    r"|str|string|strings|text|int|integer|number|float|bool|boolean|bytes|any|object|never|char"
    r"|varchar|uuid|secretstr|type|read|write|env|file|stdin|prompt|latest|next|workspace:.{0,40}"
    r"|include|omit|same-origin|#[0-9a-f]{3,8}(?: [a-z]{1,12})*"
)
_TEMPLATE_REST = re.compile(r"[A-Za-z_.:/ -]{0,40}")
_VERSION = re.compile(
    r"[\^~]\d{1,4}(?:\.(?:\d{1,5}|x|\*)){0,3}(?:[-+][\w.]{1,40})?"
    r"|v?\d{1,4}(?:\.(?:\d{1,5}|x|\*)){2,3}(?:[-+][\w.]{1,40})?"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]{1,20}://[^\s@]*", re.ASCII)
_PATH = re.compile(
    r"(?:\.{1,2}|~|[A-Za-z]:|@)?[/\\][\w./\\ ~@+=${}-]*"
    r"|@?[\w./-]{1,200}\.(?:json|txt|pem|key|crt|ya?ml|env|pub|toml|py|[jt]sx?|conf|cfg|ini"
    r"|db|p12|pfx|jks|md|html|sh|go|rb|php|log|xml)"
)
_ROOT = re.compile(r"[a-z0-9_.-]*\Z|Users|Library|Applications|Volumes|System|Program")
_AWS_SECRET = re.compile(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[A-Za-z0-9/+]{36,44}")
UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_TOKEN = re.compile(r"[^\s()\[\]{}\\^<>\"'`]+")
_LONGEST_PLAIN = 1000


def is_placeholder(value: str) -> bool:
    """Return whether a value is empty, stands for another one, or only says where to get it."""
    value = value.strip()
    if value.startswith("[redacted"):
        return True
    if len(value) > _LONGEST_PLAIN:
        return False
    rest = value
    if any(sign in value for sign in "$%{<@`#"):
        rest = _REFERENCE.sub("", value)
        if rest != value and _TEMPLATE_REST.fullmatch(rest):
            return True
    scheme = SCHEME.match(rest)
    rest = rest[scheme.end() if scheme else 0 :].strip(" \t'\"=:;,/")
    return bool(_PLACEHOLDER.fullmatch(value) or _PLACEHOLDER.fullmatch(rest))


def holds_nothing(value: str) -> bool:
    """Return whether a secret's name has a harmless value: a placeholder, a version, a place."""
    value = value.strip()
    if is_placeholder(value):
        return True
    if len(value) > _LONGEST_PLAIN:
        return False
    return bool(_VERSION.fullmatch(value) or _URL.fullmatch(value)) or is_path(value)


def is_path(value: str) -> bool:
    """Return whether this is a file path, not a secret with slashes."""
    if not _PATH.fullmatch(value) or _AWS_SECRET.fullmatch(value):
        return False
    parts = re.split(r"[/\\]", value)
    if not all(map(_is_wordy, parts)):
        return False
    return value[0] in ".~@" or "." in parts[-1] or (len(parts) > 2 and bool(_ROOT.match(parts[1])))


def _is_wordy(part: str) -> bool:
    """Return whether a name splits into words, as `camelCase2` does and `tQ9xZ1bV` does not."""
    return len(part) < 8 or len(part) > 2.5 * len(_NAME_WORDS.findall(part))


def looks_random(value: str) -> bool:
    """Return whether nobody would type this by hand: long, with cases and digits in disorder."""
    if not 16 <= len(value) <= _LONGEST_PLAIN or UUID.fullmatch(value):
        return False
    if not _TOKEN.fullmatch(value):
        return False
    longest = max(re.split(r"[-_./:]", value), key=len)
    # Words of camelCase are longer than the fragments of a random text.
    piece = 3.5 if any(char.isdigit() for char in longest) else 2.5
    return len(longest) >= 12 and len(longest) <= piece * len(_NAME_WORDS.findall(longest))


# --- a value in its place ----------------------------------------------------------------------

_HEADER_NAME = re.compile(r"(?:[Xx]-[A-Za-z-]+|[A-Z][a-z]++(?:-[A-Z][a-z]++)++)")
_COOKIE = re.compile(r"[\w.-]+=([^\s;=,]+)")
_CODE = re.compile(r"[!&*~]?[A-Za-z_$][\w$]*+(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*+)*+[.?!\\]?")
_PLAIN_WORDS = re.compile(r"[A-Z][A-Z_]*|[-_]?[a-z]++(?:[-_][a-z]++)++")
TOLD = re.compile(r"(?:\b(?:set|ENV|setenv)\s{1,8}\S{0,80}|\blogin\s{1,8}\S{1,80}\s{1,8})\Z")
"""Text before a name that makes the next word its value."""
_SECTION = re.compile(r"^\[[\w ./:\"-]+\]\s*$", re.MULTILINE)
_STOP_WORDS = frozenset(
    "to is are was the a an and or for with from in on as if of by at it that this which flag "
    "option options argument value values parameter via can may must should will when instead not "
    "be but has have does do you your using use used based auth authentication".split()
)


class SecretPlace(NamedTuple):
    """The place of a secret's name, and the start of its value."""

    label: str
    name: SecretName
    start: int
    how: str
    sign: str
    value: int
    closed: bool
    """The name itself stands in quotes or brackets."""
    tight: bool
    """Nothing stands between the name, an equals sign and the value."""


class ValueSpan(NamedTuple):
    """The place of a value in a text, and its quotes."""

    start: int
    end: int
    quote: str


def is_secret(text: str, place: SecretPlace, value: ValueSpan) -> bool:
    """Return whether the value beside a secret's name is a secret, not code or prose about one."""
    inner = text[value.start : min(value.end, value.start + 300)]
    if holds_nothing(inner) or inner.lower() == place.label.lower():
        return False
    if place.name.weak:
        return looks_random(inner) or (place.name.kind == "credentials" and _is_login(inner))
    if place.name.kind == "cookie":
        return looks_random(inner) or not all(map(is_placeholder, _COOKIE.findall(inner)))
    if place.name.kind == "authorization" and value.start > place.value and not value.quote:
        return secret_name(inner) is None
    if text.startswith("[", place.value) and place.name.kind != "password":
        return looks_random(inner)
    if place.how in {"same", "call"}:
        return _is_quoted_password(text, place, value, inner) or looks_random(inner)
    if place.how == "gap":
        return _is_spoken_secret(text, place, value, inner)
    if value.quote:
        return _is_quoted_secret(place, value, inner)
    return _is_bare_secret(text, place, value, inner)


def _is_login(value: str) -> bool:
    """Return whether this is `user:password` in base64."""
    try:
        login = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return b":" in login and login.isascii() and login.decode().isprintable()


def _is_prose(value: str) -> bool:
    value = value.strip()
    if any(char.isdigit() for char in value):
        return False
    if " " not in value:
        return value.endswith(":") and value[:-1].isalpha()
    return value[0].isupper() or value[-1] in ".:!?…" or any(map(secret_name, value.split()))


def _is_quoted_password(text: str, place: SecretPlace, value: ValueSpan, inner: str) -> bool:
    """Recognise a literal compared with a password, or passed to a function of that name."""
    if not value.quote or place.name.kind != "password" or _is_prose(inner):
        return False
    if not place.sign.startswith(","):
        return True
    return place.label.isupper() and text[max(0, place.start - 2) : place.start - 1] == "("


def _is_quoted_secret(place: SecretPlace, value: ValueSpan, inner: str) -> bool:
    if value.quote == "|":
        return True
    if _is_prose(inner) or inner.lower() in ("password", "passwd", "secret", "token"):
        return False
    if place.name.kind == "password" or (place.label.isupper() and place.sign == "="):
        return True
    if len(inner) < 6 or not any(char.isalnum() for char in inner):
        return False
    in_code = not (place.closed or place.how == "typed" or place.label.startswith("-"))
    if place.name.kind == "token" and in_code and not _is_token(inner):
        return False
    if " " in inner and place.name.kind != "secret" and not any(map(str.isdigit, inner)):
        return False
    return secret_name(inner) is None


def _is_token(inner: str) -> bool:
    """Return False for words and regular expressions: parsers call them tokens."""
    return not _PLAIN_WORDS.fullmatch(inner) and _TOKEN.fullmatch(inner) is not None


def _is_spoken_secret(text: str, place: SecretPlace, value: ValueSpan, inner: str) -> bool:
    """Recognise an option's value after a name and a blank, not a word of a sentence."""
    if value.quote and not place.label.startswith("-"):
        named = place.name.kind == "password" and place.label.lower() != "pass"
        return named and value.quote != "`" and not place.closed and not _is_prose(inner)
    if place.label.startswith("-"):
        if (inner.startswith("-") and not value.quote) or inner.lower() in _STOP_WORDS:
            return False
        return not (secret_name(inner) and inner.isupper())
    if TOLD.search(text, max(0, place.start - 100), place.start):
        return inner.lower() not in _STOP_WORDS
    if looks_random(inner):
        return True
    return (
        place.name.kind == "password"
        and len(inner) >= 8
        and any(char.isdigit() for char in inner)
        and sum(char.isalpha() for char in inner) >= 3
        and re.fullmatch(r"[A-Za-z]+[-_.]?\d{1,3}[a-z]{0,4}|[\w.-]+\.[a-z]{1,5}\W?", inner) is None
    )


def _is_bare_secret(text: str, place: SecretPlace, value: ValueSpan, inner: str) -> bool:
    following = text[value.end : value.end + 1]
    if text[place.start - 1 : place.start] == "{" and following == "}":
        return False
    kind, _, default = inner.partition("=")
    if place.sign == ":" and default and _CODE.fullmatch(kind) and is_placeholder(default):
        return False
    if not _CODE.fullmatch(inner):
        if inner.isdigit():
            return len(inner) >= (4 if place.name.kind == "password" else 12)
        if place.name.kind == "token" and not _TOKEN.fullmatch(inner):
            return False
        return len(inner) >= 4 and any(char.isalnum() for char in inner)
    if following and following in "([{<" and _is_code_tail(text, value.end):
        return False
    if place.tight and place.label.isupper():
        return inner.lower() not in {"password", "secret", "token"}
    if secret_name(inner) or any(sign in inner[:-1] for sign in (".", "::", "->")):
        return False
    if looks_random(inner) or (any(map(str.isdigit, inner)) and len(inner) >= 6):
        return True
    if place.how == "pair":
        return len(inner) >= 4
    if place.sign != ":":
        return _is_assigned_word(text, place, inner, following)
    return _is_yaml_word(text, place, value, inner)


def _is_code_tail(text: str, at: int) -> bool:
    """Return whether a bracket here opens a call or an index, not the middle of a password."""
    line = text[at : at + 200].split("\n", 1)[0]
    return not line.strip("([{< \t\r") or any(sign in line for sign in ")]}>")


def _is_assigned_word(text: str, place: SecretPlace, inner: str, following: str) -> bool:
    if not place.tight:
        return _SECTION.search(text, max(0, place.start - 4000), place.start) is not None
    if following and following in ",).":
        return False
    line = text.rfind("\n", max(0, place.start - 200), place.start)
    if line > 0 and text[line - 1] in ",(":
        return False
    return len(inner) >= (6 if following == ";" else 4)


def _is_yaml_word(text: str, place: SecretPlace, value: ValueSpan, inner: str) -> bool:
    """Recognise a single plain word after a colon: in a header, or alone on its line."""
    if _HEADER_NAME.fullmatch(place.label):
        return True
    if text[value.end : value.end + 1] not in ("", "\n", "\r"):
        return False
    line = text.rfind("\n", max(0, place.start - 200), place.start) + 1
    if text[line : place.start].strip(" \t-+\"'"):
        return False
    if place.label.isupper() or not _is_wordy(inner):
        return True
    return len(inner) >= 4 and not inner[0].isupper()
