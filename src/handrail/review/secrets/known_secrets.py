"""The secrets that a run can know: values in files that it has read, or in its project's .env.

Nobody keeps a value: it is read from its file when a call goes out, and forgotten after that.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

import msgspec

from handrail.redact import Redactor
from handrail.redact.dotenv import env_pairs, env_secrets, is_common, is_env_file
from handrail.review.context import ReviewContext
from handrail.review.paths.disk_view import LocalDiskView

ENV_FILES = (".env", ".env.local", ".env.development", ".env.production", ".env.test")
"""The usual names; files of other names count once the run has read them."""
SHORTEST = 12
"""Characters below which a value may be a word, a port or a name."""
_RUN = re.compile(rf"\S{{{SHORTEST}}}")
_MAX_FILES = 24
_MAX_SECRETS = 200
_NAME_WORDS = re.compile(r"[A-Za-z]+")
_REDACTOR = Redactor()


class KnownSecret(msgspec.Struct, frozen=True, gc=False):
    """A value that must not leave, and where it comes from."""

    value: str
    path: str
    name: str = ""
    """The name of the value in its file, where it has one."""
    hosts: tuple[str, ...] = ()
    """The machines that the file itself names for it."""


def known_secrets(at: ReviewContext, cwd: str, more: Iterable[str] = ()) -> list[KnownSecret]:
    """Return the secrets that this run can know; `more`: files that the action itself reads."""
    folders = dict.fromkeys((*at.places.roots, cwd))
    usual = (f"{folder}/{name}" for folder in folders if folder for name in ENV_FILES)
    paths = dict.fromkeys((*more, *at.history.secrets, *usual))
    found: list[KnownSecret] = []
    for path in list(paths)[: _MAX_FILES + len(at.history.secrets)]:
        text = at.world.script(path)
        if text:
            found.extend(secrets_in(path, text))
    return found[:_MAX_SECRETS]


def secrets_of(path: str) -> list[KnownSecret]:
    """Return the secrets in a file of this machine."""
    text = LocalDiskView("/", visible=True).script(path)
    return list(secrets_in(path, text)) if text else []


def secrets_in(path: str, text: str) -> Iterator[KnownSecret]:
    """Find the values in a file with secrets that are too special to stand in a call by chance."""
    if is_env_file(path):
        named = _named_hosts(text)
        for secret in env_secrets(text):
            if is_special(secret.value):
                family = named.get(_family(secret.key), ())
                hosts = tuple(dict.fromkeys(filter(None, (secret.host, *family))))
                yield KnownSecret(secret.value, path, secret.key, hosts)
        return
    for value in _REDACTOR.secrets(text):
        lines = value.splitlines() if "\n" in value else [value]
        for line in map(str.strip, lines):
            if is_special(line) and not line.startswith("-----"):
                yield KnownSecret(line, path)


def is_special(value: str) -> bool:
    """Return whether a value is long enough, and no common word, path, port or address."""
    return _RUN.search(value) is not None and not is_common(value)


def may_hold_secret(text: str) -> bool:
    """Return whether a text is one in which a secret could stand, in any form."""
    return _RUN.search(text) is not None


def _named_hosts(text: str) -> dict[str, tuple[str, ...]]:
    """Return the machines that a .env file names, by the first word of their variables."""
    found: dict[str, tuple[str, ...]] = {}
    for key, value in env_pairs(text):
        if key and "://" in value and (host := _host(value)):
            family = _family(key)
            found[family] = (*found.get(family, ()), host)
    return found


def _host(value: str) -> str:
    try:
        return urlsplit(value).hostname or ""
    except ValueError:
        return ""


def _family(key: str) -> str:
    """Return the first word of a variable's name: `ACME` of `ACME_TOKEN` and `ACME_URL`."""
    words = _NAME_WORDS.findall(key)
    return words[0].upper() if words else ""
