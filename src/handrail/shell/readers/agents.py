"""Agents that are started with settings of their own, so that nobody's hooks are loaded."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.environment import HOMES
from handrail.shell.options import Call, Grammar, parse
from handrail.shell.readers.build import effect
from handrail.shell.word import Word

_PLAINLY = "Start it with the settings there are: `claude --permission-mode plan -p 'look'`."
_OFF = frozenset(
    {"disableAllHooks", "allowManagedHooksOnly", "strictPluginOnlyCustomization", "hooks"}
)
"""Settings that switch hooks off or replace them."""
_ALL_SOURCES = frozenset({"user", "project", "local"})
_BARE = ("--bare", "--safe-mode")
_OTHER_USERS = frozenset({"sudo", "doas", "su", "pkexec", "runuser", "gosu", "su-exec", "run0"})
"""Wrappers behind which the home folder is another one."""
_PROGRAM_FILE = re.compile(
    r"(?:^|[/:])claude-code(?:@[^/]*)?(?:/(?:bin/)?(?:cli|claude|cli-wrapper)(?:\.[cm]?js)?)?$"
)
"""What an interpreter is given to run Claude Code."""
_OPTIONS = Grammar(
    frozenset({"--settings", "--setting-sources", "--append-system-prompt", "--system-prompt"})
)


def _unsupervised(target: str, says: str) -> Effect:
    return effect(Kind.TAMPER, target, severity=Severity.CRITICAL, says=says, instead=_PLAINLY)


def _claude(command: Command, call: Call) -> Iterator[Effect]:
    for name, value in command.assignments:
        if name in HOMES:
            where = value.shown or "another place"
            says = f"starts an agent that takes its settings from {where}"
            yield _unsupervised(f"{name}={value.shown}", says)
    if not command.elsewhere and not _OTHER_USERS.isdisjoint(command.via):
        yield _unsupervised("another user", "starts an agent with the settings of another user")
    yield from _settings(call)
    if "npm" in command.via:
        # `npm exec PACKAGE -- --bare`: npm takes the two dashes for itself.
        yield from _bare_settings([word for word in command.argv[1:] if word.text != "--"])


def _settings(call: Call) -> Iterator[Effect]:
    """Options that take the place of settings, or leave them out."""
    for word in call.values("--settings"):
        if not _keeps_hooks(word):
            says = "starts an agent with settings that may switch its hooks off"
            yield _unsupervised(word.shown, says)
    for word in call.values("--setting-sources"):
        if not set(re.split(r"[,\s]+", word.text)) >= _ALL_SOURCES:
            says = "starts an agent that leaves out settings, and with them hooks"
            yield _unsupervised(f"--setting-sources {word.shown}", says)


def _bare_settings(words: Sequence[Word]) -> Iterator[Effect]:
    """The same of arguments that no table has read."""
    call = parse(words, _OPTIONS)
    for name in _BARE:
        if call.has(name):
            says = "starts an agent without its hooks, so that nobody supervises it"
            yield _unsupervised(name, says)
    yield from _settings(call)


def _interpreter(command: Command, call: Call) -> Iterator[Effect]:
    """`node …/claude-code/cli.js`: the program by its file."""
    for word, place in zip(call.operands, call.places, strict=True):
        if _PROGRAM_FILE.search(word.text):
            rest = command.argv[place + 1 :]
            inner = msgspec.structs.replace(command, argv=(word, *rest))
            yield from _claude(inner, parse((), _OPTIONS))
            yield from _bare_settings(rest)
            return


def _keeps_hooks(word: Word) -> bool:
    """Whether settings stand in the option itself and leave the hooks alone."""
    try:
        settings = msgspec.json.decode(word.text, type=dict[str, object])
    except msgspec.DecodeError:
        return False
    return _OFF.isdisjoint(settings) and "env" not in settings


READERS: dict[str, Callable[[Command, Call], Iterable[Effect]]] = {
    "claude": _claude,
    "interpreter": _interpreter,
    "deno": _interpreter,
}
