"""Read calls of agents whose own settings leave out the installed hooks."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from handrail.model.effect import Effect, Kind
from handrail.model.host import HostProfile, known_hosts
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import OptionGrammar, ParsedArguments, parse
from handrail.shell.readers.make_effects import effect
from handrail.shell.variables import HOMES
from handrail.shell.word import Word

_HELPER = re.compile(r"Helper$|Refresh$|Export$")
"""Settings whose value is a command line."""
_OTHER_USERS = frozenset({"sudo", "doas", "su", "pkexec", "runuser", "gosu", "su-exec", "run0"})
"""Wrappers that change the home folder."""


class _Agent:
    """Read the calls of one host's program."""

    def __init__(self, host: HostProfile) -> None:
        self.script = re.compile(host.program_script or r"(?!)")
        self._launch = host.launch
        self.holds_commands = tuple(filter(None, (host.launch.settings, host.launch.tools)))
        options = {host.launch.settings, host.launch.sources, *host.launch.texts}
        self._grammar = OptionGrammar(frozenset(options - {""}))

    def read(self, command: Command, call: ParsedArguments) -> Iterator[Effect]:
        """Read a call by the program's name, already parsed by a table."""
        for name, value in command.assignments:
            if name in HOMES:
                where = value.shown or "another place"
                says = f"starts an agent that takes its settings from {where}"
                yield self._unsupervised(f"{name}={value.shown}", says)
        if not command.elsewhere and not _OTHER_USERS.isdisjoint(command.via):
            says = "starts an agent with the settings of another user"
            yield self._unsupervised("another user", says)
        yield from self._settings(call)
        if "npm" in command.via:
            # `npm exec PACKAGE -- --bare`: npm takes the two dashes for itself.
            yield from self._bare([word for word in command.argv[1:] if word.text != "--"])

    def read_script(self, command: Command, place: int) -> Iterator[Effect]:
        """Read a call by the program's file, run by an interpreter."""
        inner = msgspec.structs.replace(command, argv=command.argv[place:])
        yield from self.read(inner, parse((), self._grammar))
        yield from self._bare(inner.argv[1:])

    def _settings(self, call: ParsedArguments) -> Iterator[Effect]:
        """Find options that replace settings, or leave them out."""
        launch = self._launch
        for word in call.values(launch.settings):
            if not self._keeps_hooks(word):
                says = "starts an agent with settings that may switch its hooks off"
                yield self._unsupervised(word.shown, says)
        for word in call.values(launch.sources):
            if not set(re.split(r"[,\s]+", word.text)) >= launch.all_sources:
                says = "starts an agent without some settings, and so without hooks"
                yield self._unsupervised(f"{launch.sources} {word.shown}", says)

    def _bare(self, words: Sequence[Word]) -> Iterator[Effect]:
        """Find the same options in arguments that no table has parsed."""
        call = parse(words, self._grammar)
        for name in self._launch.off:
            if call.has(name):
                says = "starts an agent without its hooks, so nobody supervises it"
                yield self._unsupervised(name, says)
        yield from self._settings(call)

    def _keeps_hooks(self, word: Word) -> bool:
        """Return whether the option itself contains settings that leave the hooks alone."""
        try:
            settings = msgspec.json.decode(word.text, type=dict[str, object])
        except msgspec.DecodeError:
            return False
        return self._launch.settings_keys.isdisjoint(settings)

    def _unsupervised(self, target: str, says: str) -> Effect:
        instead = self._launch.instead
        return effect(Kind.TAMPER, target, severity=Severity.CRITICAL, says=says, instead=instead)


_AGENTS = {host.name: _Agent(host) for host in known_hosts()}


def _interpreter(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `node …/cli.js`: the program of a host by its file."""
    for word, place in zip(call.operands, call.places, strict=True):
        for agent in _AGENTS.values():
            if agent.script.search(word.text):
                yield from agent.read_script(command, place)
                return


def _helpers(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Yield the commands that settings and tool servers in an agent's options make it run."""
    for agent in _AGENTS.values():
        for word in call.values(*agent.holds_commands):
            try:
                yield from _commands_in(msgspec.json.decode(word.text))
            except msgspec.DecodeError:
                continue


def _commands_in(value: object) -> Iterator[str]:
    """`{"command": "npx", "args": ["x"]}` at any depth, and helpers: `{"apiKeyHelper": "line"}`."""
    if isinstance(value, list):
        for each in value:
            yield from _commands_in(each)
    if not isinstance(value, dict):
        return
    for key, each in value.items():
        if not isinstance(each, str):
            yield from _commands_in(each) if key != "args" else ()
        elif key == "command":
            args = value.get("args")
            words = map(str, args) if isinstance(args, list) else ()
            yield " ".join([each, *map(shlex.quote, words)])
        elif _HELPER.search(key):
            yield each


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    **{name: agent.read for name, agent in _AGENTS.items()},
    "interpreter": _interpreter,
    "deno": _interpreter,
}
"""Readers by host: the program of a host has a reader of that name."""
SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = dict.fromkeys(
    _AGENTS, _helpers
)
