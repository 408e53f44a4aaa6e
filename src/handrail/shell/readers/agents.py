"""Agents that are started with settings of their own, so that nobody's hooks are loaded."""

import re
from collections.abc import Callable, Iterable, Iterator

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import Call
from handrail.shell.readers.build import effect
from handrail.shell.word import Word

_PLAINLY = "Start it with the settings there are: `claude --permission-mode plan -p 'look'`."
_OFF = frozenset(
    {"disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization", "hooks"}
)
"""Settings that switch hooks off or replace them."""
_HOMES = frozenset({"HOME", "CLAUDE_CONFIG_DIR", "USERPROFILE"})
"""Variables that say where an agent finds its settings."""
_ALL_SOURCES = frozenset({"user", "project", "local"})


def _unsupervised(target: str, says: str) -> Effect:
    return effect(Kind.TAMPER, target, severity=Severity.CRITICAL, says=says, instead=_PLAINLY)


def _claude(command: Command, call: Call) -> Iterator[Effect]:
    for name, value in command.assignments:
        if name in _HOMES:
            says = f"starts an agent that takes its settings from {value.shown}"
            yield _unsupervised(f"{name}={value.shown}", says)
    for word in call.values("--settings"):
        if not _keeps_hooks(word):
            says = "starts an agent with settings that may switch its hooks off"
            yield _unsupervised(word.shown, says)
    for word in call.values("--setting-sources"):
        if not set(re.split(r"[,\s]+", word.text)) >= _ALL_SOURCES:
            says = "starts an agent that leaves out settings, and with them hooks"
            yield _unsupervised(f"--setting-sources {word.shown}", says)


def _keeps_hooks(word: Word) -> bool:
    """Whether settings stand in the option itself and leave the hooks alone."""
    try:
        settings = msgspec.json.decode(word.text, type=dict[str, object])
    except msgspec.DecodeError:
        return False
    return _OFF.isdisjoint(settings) and "env" not in settings


READERS: dict[str, Callable[[Command, Call], Iterable[Effect]]] = {
    "claude": _claude,
}
