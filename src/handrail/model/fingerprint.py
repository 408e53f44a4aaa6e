"""Short names for actions: the same name when the same thing is tried again."""

import hashlib
import re

from handrail.model.action import Action

_BESIDE_A_COMMAND = frozenset({"description", "timeout"})
"""Fields that an agent rewrites each time it tries the same command."""
_BESIDE = frozenset({"description", "timeout", "run_in_background", "thought", "security_risk"})
"""Fields that an agent rewrites each time it tries the same call."""
_MAX_VALUE = 16_000
"""Characters of one input that are looked at."""
_COMMENT = re.compile(r"^[ \t]*#[^\n]*\n", re.MULTILINE)
_EMPTY = "--allow-empty"
_EMPTY_COMMIT = re.compile(r"\bgit\b[^;&|]*\bcommit\b[^;&|]*--allow-empty(?=\s|$)")
_SLEEP = re.compile(r"\s*sleep\s+[\d.]+\w?\s*(?:&&|;)\s*")


def fingerprint(action: Action) -> str:
    """Return a short name for an action; trying the same again gives the same name."""
    parts = [action.tool, action.cwd]
    beside = _BESIDE_A_COMMAND if "command" in action.input else ()
    parts += [f"{key}={action.input[key]}" for key in sorted(action.input) if key not in beside]
    return text_key("\0".join(parts))


def call_key(action: Action) -> str:
    """Return a key that is equal for calls without a relevant difference."""
    given = action.input
    parts = [action.tool, action.cwd] if "command" in given else [action.tool]
    parts += [f"{key}={_value(key, given[key])}" for key in sorted(given) if key not in _BESIDE]
    return text_key("\0".join(parts))


def is_empty_commit(command: str) -> bool:
    """Return whether a command commits nothing, perhaps to start a pipeline again."""
    return _EMPTY in command and _EMPTY_COMMIT.search(command) is not None


def text_key(text: str) -> str:
    """Return a short name for a text."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _value(key: str, value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    if key == "command":
        text = _command(text)
    if len(text) > _MAX_VALUE:
        half = _MAX_VALUE // 2
        text = f"{text[:half]}{len(text)}{text[-half:]}"
    return text


def _command(text: str) -> str:
    """Return a command without comments and waiting; empty commits are all the same."""
    if is_empty_commit(text):
        return _EMPTY
    if "#" in text:
        text = _COMMENT.sub("", text)
    if "sleep" in text:
        text = _SLEEP.sub("", text, count=1) if _SLEEP.match(text) else text
    return text.strip()
