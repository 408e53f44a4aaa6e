"""Remove the secrets from everything that Handrail writes down.

The redactor scans a text once for places that might hold a secret. This is cheap, and finds
nothing in most texts. It looks closely at these places only. Every pattern is bounded or cannot
backtrack, so the time grows with the length of the text, even for hostile texts.
"""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from handrail.redact.dotenv import env_entries, is_env_file, redact_env
from handrail.redact.secret_names import (
    SecretName,
    holds_nothing,
    is_placeholder,
    looks_random,
    secret_name,
)
from handrail.redact.spans import (
    ALL_MARKERS,
    MARKER,
    SecretSpan,
    marker_at,
    redaction_marker,
    replace_spans,
)
from handrail.redact.suspects import Finder, suspects

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
    """The meaning of a dict's key for its value."""

    name: str
    text: str
    plain: str
    secret: SecretName | None
    matters: bool


class _Env(NamedTuple):
    """A value from a .env file; `whole`: the value is only text of that file."""

    whole: bool


_Below = SecretName | _Env | None


class Redactor:
    """Remove secrets from texts before Handrail writes them anywhere."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        """Take exact texts known to be secret; ignore those under 4 characters."""
        self._values = sorted({form for value in values for form in _forms(value)}, key=len)[::-1]
        self._keys: dict[str, _Key] = {}
        self._plain_keys: set[object] = set()

    def knowing(self, values: Iterable[str]) -> "Redactor":
        """Return a redactor that knows these texts, too."""
        both = Redactor(values)
        both._values = sorted({*self._values, *both._values}, key=len)[::-1]
        return both

    def text(self, text: str) -> str:
        """Replace every secret in the text with `[redacted: KIND]`."""
        for _ in range(_ROUNDS):
            spans = list(self._spans(text))
            replaced = replace_spans(text, spans) if spans else text
            if replaced == text:
                return text
            text = replaced
        return redaction_marker("unreadable")

    def secrets(self, text: str) -> list[str]:
        """Return the secrets in a text."""
        return [text[span.start : span.end] for span in self._spans(text)]

    def value(self, value: object) -> object:
        """Redact dicts (with their keys), lists and tuples; keep other scalars."""
        if isinstance(value, str):
            return self.text(value)
        leaves: list[str] = []
        if self._gather(value, leaves, _DEEPEST) and not self._is_suspect("\n".join(leaves)):
            return value
        return self._rebuild(value, None, _DEEPEST)

    def _spans(self, text: str) -> Iterator[SecretSpan]:
        old = [found.span() for found in MARKER.finditer(text)] if "[redacted: " in text else []
        for value in self._values:
            at = text.find(value)
            while at >= 0:
                yield SecretSpan(at, at + len(value), "known value")
                at = text.find(value, at + 1)
        done: dict[Finder | None, int] = {}
        for suspect in suspects(text):
            find, at = suspect.find, suspect.at
            if at < done.get(find, 0) or (old and marker_at(old, at)):
                continue
            for span in suspect.look(text):
                done[find] = max(span.end, done.get(find, 0))
                yield span

    def _is_suspect(self, text: str) -> bool:
        return any(value in text for value in self._values) or any(True for _ in suspects(text))

    def _key(self, key: str) -> _Key:
        known = self._keys.get(key)
        if known is None:
            text, plain, secret = self.text(key), _plain(key), secret_name(key)
            matters = bool(secret) or text != key or plain in _PATH_KEYS or plain in _NAME_KEYS
            known = _Key(key, text, plain, secret, matters)
            if len(self._keys) < _KEPT_KEYS and len(key) <= 64:
                self._keys[key] = known
                if not matters:
                    self._plain_keys.add(key)
        return known

    def _gather(self, value: object, leaves: list[str], depth: int) -> bool:
        """Collect the texts; return False as soon as the structure itself needs a closer look."""
        if isinstance(value, str):
            leaves.append(value)
        elif isinstance(value, dict):
            return depth > 0 and self._gather_dict(value, leaves, depth)
        elif isinstance(value, _LISTS) and value:
            words = _as_words(value)
            if words is not None:
                leaves.append((" " if _is_command(words) else "\n").join(words))
                return True
            return depth > 0 and self._gather_items(value, leaves, depth)
        return True

    def _gather_items(self, value: Sequence[object], leaves: list[str], depth: int) -> bool:
        for item in value:
            if isinstance(item, str):
                leaves.append(item)
            elif not self._gather(item, leaves, depth - 1):
                return False
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
            return self._dict(value, below, depth) if depth else redaction_marker("nested too deep")
        if isinstance(value, _LISTS):
            if not depth:
                return redaction_marker("nested too deep")
            items = [self._rebuild(item, below, depth - 1) for item in value]
            items = self._across(items)
            return items if isinstance(value, list) else tuple(items)
        if (
            isinstance(below, SecretName)
            and below.kind == "password"
            and type(value) in {int, float}
        ):
            return redaction_marker(below.kind)
        return value

    def _leaf(self, value: str, below: _Below) -> str:
        if isinstance(below, _Env):
            value = redact_env(value) if below.whole else replace_spans(value, _entry_spans(value))
        elif below is not None and not MARKER.fullmatch(value):
            if below.weak:
                hide = looks_random(value[:300])
            elif below.kind == "password":
                hide = not is_placeholder(value)
            else:
                hide = not holds_nothing(value)
            if hide:
                return redaction_marker(below.kind)
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
        """Redact secrets that span items: an option and its value, the lines of a key."""
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
    """Return the spellings of a known value: plain, escaped, in a URL, encoded; line by line."""
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
    """Return whether a key reveals more about its value than the value does."""
    if key.secret or key.text != key.name:
        return item is not None and not isinstance(item, bool)
    if not isinstance(item, str):
        return False
    if key.plain in _PATH_KEYS:
        return ".env" in item and is_env_file(item)
    return "value" in among and secret_name(item) is not None


def _below(
    key: _Key | None, item: object, below: _Below, env: bool, named: SecretName | None
) -> _Below:
    """Return the context for the value under a key."""
    if key is None:
        return below
    if isinstance(below, SecretName):
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
    """Return whether a dict is about a .env file: it, or the input beside its output, names one."""
    for key, item in value.items():
        plain = _plain(key) if isinstance(key, str) else ""
        if plain in _PATH_KEYS and isinstance(item, str) and is_env_file(item):
            return True
        if plain in _INPUT_KEYS and isinstance(item, dict) and _is_of_env_file(item):
            return True
    return False


def _name_beside_value(value: dict[object, object]) -> SecretName | None:
    """Return the meaning of the name in `{"name": "DB_PASSWORD", "value": …}`."""
    for key in _NAME_KEYS:
        name = value.get(key)
        if isinstance(name, str) and (found := secret_name(name)):
            return found
    return None


def _entry_spans(text: str) -> Iterator[SecretSpan]:
    if "=" in text:
        for entry in env_entries(text, 0, len(text)):
            yield SecretSpan(entry.start, entry.end, "env value")


def _replace_across(words: list[str], spans: list[SecretSpan]) -> list[str]:
    """Replace the spans of all words, joined by one character, in each word."""
    replaced: list[str] = []
    at = 0
    for word in words:
        inside = [
            SecretSpan(max(span.start - at, 0), min(span.end - at, len(word)), span.kind)
            for span in spans
            if span.start < at + len(word) and span.end > at
        ]
        replaced.append(replace_spans(word, inside) if inside else word)
        at += len(word) + 1
    return replaced
