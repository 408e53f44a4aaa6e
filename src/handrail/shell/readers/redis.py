"""Read redis-cli and its kin: commands in the arguments or on the input, and Lua scripts."""

import re
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.readers.make_effects import effect
from handrail.shell.readers.sql import rule
from handrail.shell.word import OPAQUE, Word

_KEYS = "Count the keys first: `redis-cli DBSIZE`, and look with `redis-cli --scan`."
_COMMANDS = (
    rule(r"FLUSHALL|FLUSHDB", Kind.DESTROY, Severity.HIGH,
         "deletes every key of the database", _KEYS),
    rule(r"FLUSH_ALL\b", Kind.DESTROY, Severity.HIGH,
         "empties the cache for all its users", "Look first: `echo stats | nc HOST 11211`."),
    rule(r"DELETE /\S* HTTP/", Kind.DESTROY, Severity.HIGH,
         "tells a server to delete something", "Look at it first: `curl -s URL`."),
    rule(r"SHUTDOWN", Kind.KILL, Severity.HIGH,
         "stops the server", "Ask it how it is: `redis-cli PING`."),
    rule(r"DEBUG (?:SEGFAULT|PANIC|RESTART|CRASH-AND-RECOVER|RELOAD|LOADAOF|FLUSHALL|OOM|ASSERT)",
         Kind.KILL, Severity.HIGH,
         "crashes or restarts the server", "Ask it how it is: `redis-cli INFO`."),
    rule(r"CONFIG SET (?:DIR|DBFILENAME)\b", Kind.PERSIST, Severity.HIGH,
         "makes the server write its data into a file of one's choice",
         "Read it: `redis-cli CONFIG GET dir`."),
    rule(r"CONFIG SET (?:APPENDONLY NO|SAVE(?: '?\"?'?\"?)?$|PROTECTED-MODE NO|REQUIREPASS\b|"
         r"MASTERAUTH\b|RENAME-COMMAND\b|ENABLE-DEBUG-COMMAND\b)", Kind.TAMPER, Severity.HIGH,
         "switches off the server's storage or protection",
         "Read it: `redis-cli CONFIG GET save`."),
    rule(r"CONFIG (?:SET|REWRITE|RESETSTAT)", Kind.CHANGE, Severity.MEDIUM,
         "changes the server's settings"),
    rule(r"(?:SLAVEOF|REPLICAOF) (?!NO ONE)", Kind.DESTROY, Severity.HIGH,
         "replaces the data by that of another server", "Read it: `redis-cli INFO replication`."),
    rule(r"MODULE LOAD", Kind.UNSEEN, Severity.HIGH,
         "loads native code into the server", "List them: `redis-cli MODULE LIST`."),
    rule(r"CLUSTER (?:RESET|FLUSHSLOTS|FORGET|DELSLOTS)", Kind.DESTROY, Severity.HIGH,
         "takes the cluster apart", "Look first: `redis-cli CLUSTER INFO`."),
    rule(r"ACL SETUSER \S+ .*(?:\bnopass\b|\+@all\b|\ballcommands\b)",
         Kind.PRIVILEGE, Severity.HIGH, "lets an account do everything",
         "List them: `redis-cli ACL LIST`."),
    rule(r"XTRIM \S+ MAXLEN (?:[~=] )?0\b", Kind.DESTROY, Severity.HIGH,
         "empties the stream", "Look first: `redis-cli XLEN NAME`."),
    rule(r"ACL (?:SETUSER|DELUSER|LOAD)|SCRIPT FLUSH|FUNCTION (?:FLUSH|DELETE)|SWAPDB|"
         r"XGROUP DESTROY", Kind.CHANGE, Severity.MEDIUM,
         "changes accounts or functions of the server"),
)  # fmt: skip
_SCRIPTS = frozenset({"EVAL", "EVAL_RO", "EVALSHA", "EVALSHA_RO", "FCALL", "FCALL_RO"})
_CLUSTER_LOSES = frozenset({"del-node", "reset", "rebalance", "fix"})


def _redis(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `redis-cli COMMAND args`, or one command a line on the input."""
    words = list(call.operands)
    manager = [word.text for word in call.values("--cluster")]
    if "call" in manager:
        del words[:1]  # the host from which it learns the others
    elif _CLUSTER_LOSES.intersection(manager):
        yield effect(Kind.DESTROY, "the cluster", severity=Severity.HIGH,
                     says="removes nodes from the cluster or moves its data",
                     instead="Look first: `redis-cli --cluster check HOST:PORT`.")  # fmt: skip
    if words and call.has("--quoted-input"):
        words = [Word(_plain(word.text), word.glob, word.raw) for word in words]
    if words:
        yield from _order(command, words)
    else:
        yield from typed_orders(command)


def typed_orders(command: Command) -> Iterator[Effect]:
    """Read lines on the input for a server, also through nc or telnet."""
    for line in (command.input or "").splitlines():
        yield from _order(command, [Word(text) for text in _split(line)])


def _order(command: Command, words: list[Word]) -> Iterator[Effect]:
    if len(words) > 1 and words[0].text.isdecimal():
        words = words[1:]  # the number of repetitions
    name = words[0].text.upper() if words else ""
    if name in _SCRIPTS:
        yield from _script(" ".join(word.text for word in words[1:]))
    elif name in {"DEL", "UNLINK"}:
        yield from _delete(command, words[1:])
    else:
        yield from _known(" ".join(word.text for word in words).strip())


def _known(line: str) -> Iterator[Effect]:
    for known in _COMMANDS:
        if known.pattern.match(line):
            yield effect(known.kind, line[:60], severity=known.severity, says=known.says,
                         instead=known.instead)  # fmt: skip
            return


def _delete(command: Command, keys: Iterable[Word]) -> Iterator[Effect]:
    keys = tuple(keys)
    many = any(OPAQUE in word.text or "*" in word.text for word in keys) and (
        "xargs" in command.via or any("*" in word.text or "$(" in word.raw for word in keys)
    )
    names = " ".join(word.shown for word in keys)[:60]
    if many:
        yield effect(Kind.DESTROY, names, severity=Severity.HIGH,
                     says="deletes every key found by a search", instead=_KEYS)  # fmt: skip
    else:
        yield effect(
            Kind.DESTROY, names, severity=Severity.MEDIUM, says=f"deletes the keys {names}"
        )


# The words of a line

_WORD = re.compile(r'"((?:\\.|[^"\\])*)"|\'((?:\\\'|[^\'])*)\'|(\S+)', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)


def _split(line: str) -> list[str]:
    """Split a line as redis-cli does: words may be quoted."""
    return [
        single.replace("\\'", "'") if single else bare or _unescaped(double)
        for double, single, bare in _WORD.findall(line)
    ]


def _plain(text: str) -> str:
    return _unescaped(text[1:-1]) if len(text) > 1 and text[0] == text[-1] == '"' else text


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else found[2], text)


# Lua

_JOINED = re.compile(r"""(['"])([^'"]*)\1\s*\.\.\s*(['"])([^'"]*)\3""")
_CALL = re.compile(r"""redis\s*\.\s*p?call\s*\(\s*(?:['"](\w+)['"](?:\s*,\s*['"](\w+)['"])?)?""")
_LITERAL = re.compile(
    r"""['"]?\b(FLUSHALL|FLUSHDB|SHUTDOWN|DEBUG|CONFIG|SLAVEOF|REPLICAOF)\b""", re.IGNORECASE
)
_MADE = re.compile(
    r"string\.(?:char|reverse|gsub|format)|:\s*(?:reverse|gsub)\s*\(|loadstring", re.IGNORECASE
)


def _script(code: str) -> Iterator[Effect]:
    """Read a Lua script by the names of its calls."""
    before = ""
    while before != code:
        before, code = code, _JOINED.sub(r"\1\2\4\1", code)
    calls = _CALL.findall(code)
    names = {first.upper() for first, _ in calls}
    for first, second in calls:
        yield from _known(f"{first} {second}".strip())
    if names & {"DEL", "UNLINK"}:
        searched = bool(names & {"KEYS", "SCAN"})
        yield effect(
            Kind.DESTROY, "keys", severity=Severity.HIGH if searched else Severity.MEDIUM,
            says="deletes every key found by a search" if searched else "deletes keys",
            instead=_KEYS if searched else "",
        )  # fmt: skip
    if "" in names:
        # `redis.call(name)`: the name is elsewhere, or joined from pieces.
        for found in _LITERAL.findall(code):
            yield from _known(found)
        if _MADE.search(code):
            yield effect(Kind.UNSEEN, "EVAL", says="runs a command whose name a script makes up",
                         instead="Call it by its name: `redis-cli GET key`.")  # fmt: skip


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {"redis": _redis}
