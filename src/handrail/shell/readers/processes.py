"""Read kill and its kin: the processes that they end, watch or enter."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from handrail.model.effect import Effect, Kind
from handrail.model.ordinal import Severity
from handrail.shell.command import Command
from handrail.shell.options import OptionGrammar, ParsedArguments, parse
from handrail.shell.paths import join
from handrail.shell.readers.make_effects import effect
from handrail.shell.tables.processes import GUARD_PROCESSES, SECRET_PROCESSES, SYSTEM_PROCESSES
from handrail.shell.word import OPAQUE, Word

PROCESS_NUMBER = "process "
"""The text before the number of a process in a target."""
_END_ONE = "End one process by its number: `kill 12345`."
_SIGNAL = re.compile(r"-(?:SIG)?(?:[A-Z]{3,}\d*(?:[+-]\d+)?|\d{1,2})")
_HARMLESS_SIGNALS = frozenset({"0", "CHLD", "WINCH", "SIGCHLD", "SIGWINCH", "URG", "CONT"})
_PARENT = re.compile(r"\$(?:PPID\b|\{PPID\b)")
"""The way to the agent's host, its process group and its driver."""
_SELF = "handrail"
_OWN = (
    "handrail", "handrail serve", "python -m handrail serve", "handrail serve --background",
    "python -m handrail serve --background", "python3 -m handrail serve", "python", "python3",
)  # fmt: skip
"""The command lines of the daemon, and the names of its process. Its guardian alone is not among
them: the daemon starts it again, and `pkill -f server` is everyday work."""
_TEMPORARY = ("/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/")
_SHALLOW = re.compile(r"/(?:[^/]*|(?:home|var|usr|etc|opt|srv|run|mnt)(?:/[^/]+){0,2}/?)")


def _ends(target: str, severity: Severity, says: str) -> Effect:
    return effect(Kind.KILL, target, severity=severity, says=says, instead=_END_ONE)


def _ends_guard(target: str) -> Effect:
    return effect(
        Kind.TAMPER,
        target,
        says=f"ends this agent's guard ({target})",
        instead="Ask a person; `handrail status` shows the guard's state.",
    )


# kill


def _kill(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    signal, pids = _kill_arguments(command.argv[1:])
    if signal in _HARMLESS_SIGNALS:
        return
    for pid in pids:
        if pid.text == "-1":
            yield _ends("-1", Severity.CRITICAL, "ends every process in reach")
        elif pid.text == "1":
            yield _ends("1", Severity.HIGH, "signals the first process of the system")
        elif _PARENT.search(pid.raw):
            yield _ends(pid.raw, Severity.HIGH, "ends the program that runs this command")
        else:
            yield _ends(pid.shown, Severity.LOW, f"ends the process {pid.shown}")


def _kill_arguments(words: Sequence[Word]) -> tuple[str, list[Word]]:
    signal = ""
    pids: list[Word] = []
    index = 0
    while index < len(words):
        text = words[index].text
        index += 1
        if text in {"-l", "-L", "--list", "--table"}:
            return "0", []
        if text in {"-s", "-n", "--signal", "-q", "--queue"}:
            signal = words[index].text if index < len(words) else ""
            index += 1
        elif text == "--":
            pids.extend(words[index:])
            break
        elif not signal and not pids and text.startswith("-") and len(text) > 1:
            signal = text[1:].removeprefix("-signal=")
        else:
            pids.append(words[index - 1])
    return signal, pids


# pkill, killall, pgrep, pidof

_PKILL_VALUES = frozenset(
    "-g -G -P -s -t -u -U -F -r_ -O -Q --pgroup --group --parent --session --terminal --euid --uid "
    "--pidfile --signal --ns --nslist --cgroup --env --older -y --younger-than -o_ --older-than "
    "--user --runstates".split()
)


def _by_name(words: Sequence[Word]) -> ParsedArguments:
    plain = [word for word in words if not _SIGNAL.fullmatch(word.text)]
    return parse(plain, OptionGrammar(_PKILL_VALUES))


def _pkill(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    yield from by_name(command.name, command.argv[1:])


def by_name(name: str, words: Sequence[Word]) -> Iterator[Effect]:
    """Yield the effects of ending the processes that `pkill`, `killall`, `pgrep`, `pidof` find."""
    call = _by_name(words)
    exact = name in {"killall", "pidof"} and not call.has("-r", "--regexp")
    if call.has("-l", "--list", "-V", "--version", "--help") and name in {"pkill", "killall"}:
        return
    if not call.operands:
        users = call.values("-u", "-U", "--euid", "--uid", "--user")
        if users:
            shown = users[0].shown
            yield _ends(shown, Severity.HIGH, f"ends all processes of {shown}")
        elif call.has("-t", "--terminal", "-g", "-G", "-s"):
            yield _ends(name, Severity.MEDIUM, "ends everything of a terminal or group")
        return
    for word in call.operands:
        yield _selected(word.text, exact=exact or call.has("-x", "--exact"))


def _selected(pattern: str, *, exact: bool) -> Effect:
    hits = _matching(pattern, [*SYSTEM_PROCESSES, *GUARD_PROCESSES], exact=exact)
    if _SELF in pattern.lower() or (len(hits) < 3 and _matching(pattern, _OWN, exact=exact)):
        return _ends_guard(pattern)
    guards = [name for name in hits if name in GUARD_PROCESSES]
    if len(hits) > 6:
        return _ends(pattern, Severity.HIGH, "ends nearly every process")
    if guards:
        return effect(
            Kind.TAMPER,
            pattern,
            severity=Severity.HIGH,
            says=f"ends {guards[0]}, the machine's security software",
            instead="Leave it running; look at it with `ps aux`.",
        )
    if hits:
        return _ends(pattern, Severity.HIGH, f"ends {hits[0]}, which the machine needs")
    return _ends(pattern, Severity.LOW, f"ends the processes matching {pattern}")


def _matching(pattern: str, names: Iterable[str], *, exact: bool) -> list[str]:
    if OPAQUE in pattern:
        return []
    if exact:
        return [name for name in names if name == pattern]
    try:
        regex = re.compile(pattern)
    except re.error:
        return []
    return [name for name in names if regex.search(name)]


def fed_effect(feeders: Sequence[Command]) -> Iterator[Effect]:
    """Read `kill $(…)` and `… | xargs kill` by the commands that print the numbers."""
    narrowed = any(_narrows(feeder) for feeder in feeders)
    for feeder in feeders:
        name, words = feeder.name, feeder.argv[1:]
        texts = [word.text for word in words]
        if name in {"pgrep", "pidof"}:
            yield from by_name(name, words)
        elif name == "ps" and {"-C"} & set(texts):
            yield from (_selected(text, exact=True) for text in texts if text[:1] != "-")
        elif name == "ps" and not narrowed and not {"-p", "-C", "--pid", "--ppid"} & set(texts):
            yield _ends("ps", Severity.HIGH, "ends every process on the list")
        elif name == "seq" or (name == "ls" and "/proc" in texts):
            yield _ends(name, Severity.HIGH, "ends one process after the other, whatever it is")
        elif name in {"lsof", "ss", "netstat"}:
            yield from _holders(texts, feeder)
        elif name in {"grep", "egrep", "rg"} and "-v" not in texts:
            patterns = [text for text in texts if not text.startswith("-")][:1]
            yield from (_selected(text, exact=False) for text in patterns)
        elif name in {"awk", "gawk", "mawk"}:
            patterns = [match for text in texts for match in re.findall(r"/([^/]+)/", text)]
            yield from (_selected(text, exact=False) for text in patterns)
        elif name == "cat":
            yield from _pid_files(texts)


def _narrows(feeder: Command) -> bool:
    texts = [word.text for word in feeder.argv[1:]]
    if feeder.name in {"grep", "egrep", "rg", "ag"}:
        return not any(re.fullmatch(r"-\w*v\w*|--invert-match", text) for text in texts)
    if feeder.name in {"awk", "gawk", "mawk", "sed"}:
        return any(re.search(r"/.+/|~|==", text) for text in texts)
    return feeder.name in {"fzf", "head", "tail"}


def _pid_files(paths: Iterable[str]) -> Iterator[Effect]:
    for path in paths:
        if f"/{_SELF}" in path:
            yield _ends_guard(path)
        else:
            name = path.rpartition("/")[2].removesuffix(".pid")
            if name in SYSTEM_PROCESSES or name in GUARD_PROCESSES:
                yield _selected(name, exact=True)


def _holders(texts: Sequence[str], feeder: Command) -> Iterator[Effect]:
    for text in texts:
        port = re.search(r":(\d+)$", text)
        if port and port[1] == "22":
            yield _ends("port 22", Severity.HIGH, "ends the way into this machine (ssh)")
        elif port:
            yield _ends(f"port {port[1]}", Severity.LOW, f"ends the process on port {port[1]}")
        elif text.startswith(("/", "~", ".")):
            yield from _users_of(text, feeder)


def _users_of(path: str, command: Command) -> Iterator[Effect]:
    full = join(command.cwd, Word(path)).text
    if f"/{_SELF}" in full:
        yield _ends_guard(full)
    elif full.startswith((*_TEMPORARY, f"{command.cwd.text}/")):
        yield _ends(full, Severity.LOW, f"ends what uses {full}")
    elif _SHALLOW.fullmatch(full):
        yield _ends(full, Severity.HIGH, f"ends everything that uses {full}")


# fuser


def _fuser(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    words = [word for word in command.argv[1:] if not _SIGNAL.fullmatch(word.text)]
    call = parse(words, OptionGrammar(frozenset({"-n", "--namespace", "-N"})))
    if not call.has("-k", "--kill"):
        return
    for word in call.operands:
        port, slash, _ = word.text.partition("/")
        if port == "22" or (port == "ssh" and slash):
            yield _ends(word.shown, Severity.HIGH, "ends the way into this machine (ssh)")
        elif port.isdigit():
            yield _ends(word.shown, Severity.LOW, f"ends the listener on port {port}")
        elif call.has("-m", "--mount", "-M", "--ismountpoint", "-c"):
            yield _ends(word.shown, Severity.HIGH, f"ends everything that uses {word.shown}")
        else:
            yield from _users_of(word.text, command)


# renice


def _renice(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    texts = [word.text for word in command.argv[1:]]
    about = " ".join(texts)
    if re.search(r"(?:-p|--pid)\s+1(?:\s|$)|(?:-u|--user)\s+(?:root|0)(?:\s|$)", about):
        yield effect(
            Kind.CHANGE,
            about,
            severity=Severity.HIGH,
            says="slows down or prefers processes of the system",
            instead="Change one process of yours: `renice -n 5 -p 12345`.",
        )
    yield from _touches(call.operands if call.has("-n", "-p", "--pid") else call.operands[1:])


def _touches(pids: Iterable[Word]) -> Iterator[Effect]:
    """Read calls that slow down, limit or move processes."""
    for pid in pids:
        if pid.text.isdecimal():
            yield effect(Kind.CHANGE, f"{PROCESS_NUMBER}{pid.text}", severity=Severity.LOW)


def _limits(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `taskset -p MASK PID`, `ionice -p PID`, `prlimit --pid PID`."""
    given = call.values("-p", "--pid", "-P")
    yield from _touches((*given, *call.operands) if given or call.has("-p", "--pid") else ())


# Debuggers and tracers

_CALLS = re.compile(
    r"\b(?:system|popen|exec[lv]p?e?|dlopen|__libc_dlopen_mode|posix_spawnp?|fork|exit|_exit|abort"
    r"|mprotect|ptrace|unlink|rename|setuid|setgid)\s*\("
)
_EVALUATES = re.compile(
    r"\s*(?:call|print|p|expression|expr|e|po|set|compile|eval|output|inspect|parray|script|python|pi|py)\b"
)
_COMMANDS = (
    "-ex", "--eval-command", "-eval-command", "-iex", "--init-eval-command",
    "-o", "--one-line", "-O", "--one-line-before-file", "-k", "--one-line-on-crash",
)  # fmt: skip
_FILES = ("-x", "--command", "-command", "-ix", "--init-command", "-s", "--source", "-S", "-K")
_LOOK = "Only look: `gdb -batch -ex 'info shared' ./program`."


def _debugger(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    for word in call.values(*_COMMANDS):
        if _EVALUATES.match(word.text) and _CALLS.search(word.text):
            yield effect(
                Kind.UNSEEN,
                word.shown,
                says=f"makes the debugged program run {word.shown}",
                instead=_LOOK,
            )
        match = re.match(r"\s*(?:source|command source|command script import)\s+(\S+)", word.text)
        if match:
            yield from _debugger_file(Word(match[1]))
    for word in call.values(*_FILES):
        yield from _debugger_file(word)
    yield from _attach(command, call)


def _debugger_file(word: Word) -> Iterator[Effect]:
    if word.text.startswith(_TEMPORARY) or OPAQUE in word.text:
        yield effect(
            Kind.UNSEEN,
            word.shown,
            says=f"runs debugger commands from {word.shown}, which anyone can write",
            instead=_LOOK,
        )


def debugger_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the commands of `gdb -ex 'shell cmd'`, `lldb -o 'platform shell cmd'`."""
    for word in call.values(*_COMMANDS):
        match = re.match(r"\s*(?:shell|!|pipe|platform shell|make)\s*(.+)", word.text, re.DOTALL)
        if match:
            yield (
                match[1].rpartition(" | ")[2] if word.text.strip().startswith("pipe") else match[1]
            )


def _attach(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    pids = call.values("-p", "--pid", "-pid", "--attach", "--attach-pid", "-n", "--attach-name")
    if command.name in {"gcore", "procdump"}:
        pids = list(call.operands)
    for word in pids:
        names = [
            name for name in SECRET_PROCESSES if re.search(rf"\b{re.escape(name)}\b", word.raw)
        ]
        first = word.text == "1"
        if _SELF in word.raw.lower():
            yield _ends_guard(word.shown)
            continue
        yield effect(
            Kind.SECRET if names or first else Kind.CHANGE,
            f"{PROCESS_NUMBER}{word.shown}",
            severity=Severity.HIGH if names or first else Severity.MEDIUM,
            says=f"looks into the memory of the running process {word.shown}",
            instead="Watch a program from its start: `strace ./program`.",
        )


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "kill": _kill,
    "pkill": _pkill,
    "fuser": _fuser,
    "renice": _renice,
    "debugger": _debugger,
    "attach": _attach,
    "limits": _limits,
}

SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "debugger": debugger_scripts,
}
