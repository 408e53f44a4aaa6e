"""What commands do together that none of them does alone: data that becomes code."""

import re
from collections.abc import Iterable, Iterator

from handrail.model.effect import HOST_KINDS, Effect, Kind
from handrail.model.ordinal import Severity, Undo
from handrail.shell.applied_files import CARRIERS, applied_effects
from handrail.shell.code_runner import LANGUAGES
from handrail.shell.command import Command, ParsedProgram
from handrail.shell.known_output import DECODERS
from handrail.shell.paths import join
from handrail.shell.program_lookup import ProgramEntry, ProgramLookup
from handrail.shell.readers.make_effects import effect, path_effect
from handrail.shell.shells import ShellCall, has_text, read_shell
from handrail.shell.word import OPAQUE, Word

_ESCAPED = re.compile(r"\\x[0-9a-fA-F]{2}|\\[0-7]{3}|\\u00")
_READ_FIRST = (
    "Download it to a file, read the file, then run it: "
    "`curl -fsSL URL -o install.sh` and `less install.sh`."
)
_PLAIN_FIRST = "Write the command out plainly."
_PRINT_FIRST = "Print it first, read it, and run it as a plain command."
_PLAIN_READERS = frozenset({"cat", "head", "tail", "less", "tee", "bat"})
_REWORKING = frozenset(
    "sed awk tr cut jq yq perl python python3 node ruby tar gpg unzip strings dd".split()
)
_UNPACKERS = frozenset({"tar", "bsdtar", "unzip", "cpio", "7z"})
RAISING = frozenset({"sudo", "doas", "su", "pkexec", "runuser", "gosu", "su-exec", "please"})
"""Wrappers that run a command as another user."""
SHOWING = frozenset({"base64", "base32", "xxd", "hexdump", "od", "rev", "tr", "cat", "tee", "fold"})
"""Programs that print all of their input, in one form or another."""
_SECRET_NAME = re.compile(
    r"\$\{?((?:\w*_)?(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY|SECRET_KEY"
    r"|CREDENTIALS?|PASSPHRASE))\}?(?![\w:#%])"
)
_RUNS_CODE = frozenset({"shell", "interpreter", "deno", "languages", "powershell", ""})
"""Readers of programs that may be given code to run; without a reader it may be a builtin."""
_POWERSHELLS = frozenset({"pwsh", "powershell"})
_PRINTING = frozenset({"echo", "printf", "printenv"})
_DECODING = frozenset({"base64", "base32", "xxd", "uudecode", "openssl", "gpg"})
_NOTES = {
    "fork_bomb": (Kind.EXHAUST, Severity.CRITICAL, "Run the work once, or in a loop with an end."),
}


def joined_effects(
    program: ParsedProgram, effects: tuple[Effect, ...], knowledge: ProgramLookup
) -> tuple[Effect, ...]:
    """The effects of the single commands and those of their combination."""
    extra: list[Effect] = []
    networked = {item.command for item in effects if item.kind in HOST_KINDS}
    called = [command.name for command in program.commands]
    names = set(called)
    origins = _Origins(program, effects, networked, names)
    for index, command in enumerate(program.commands):
        if not command.argv:
            continue
        entry = knowledge.lookup(called[index])
        if entry is not None and entry.program.reader not in _RUNS_CODE:
            continue
        code = _code_given(command, entry)
        if code == "file":
            extra.extend(_runs_file(command, entry, index, origins))
        elif code == "shell" and not RAISING.isdisjoint(command.via):
            extra.append(
                _at(
                    index,
                    Kind.PRIVILEGE,
                    command.text,
                    Severity.HIGH,
                    "opens a shell as another user, out of sight",
                    "Run single commands, e.g. `sudo apt-get update`.",
                )
            )
        elif code == "unknown":
            extra.extend(_runs_unknown(program, index, networked, origins))
        elif code == "known" and _was_hidden(program, index):
            extra.append(
                _at(
                    index,
                    Kind.UNSEEN,
                    command.text,
                    Severity.HIGH,
                    "runs code that was hidden by an encoding",
                    _PLAIN_FIRST,
                )
            )
    if not names.isdisjoint(CARRIERS):
        extra.extend(applied_effects(program, networked, upstream))
    if not names.isdisjoint(_PRINTING):
        extra.extend(_printed_secrets(program, networked))
    for note in program.notes:
        if note.kind in _NOTES:
            kind, severity, instead = _NOTES[note.kind]
            command = program.commands[note.command]
            extra.append(_at(note.command, kind, command.text, severity, note.says, instead))
    return (*effects, *extra) if extra else effects


class _Origins:
    """Files that this program downloaded, decoded or unpacked, under whatever name."""

    def __init__(
        self,
        program: ParsedProgram,
        effects: tuple[Effect, ...],
        networked: set[int],
        names: set[str],
    ) -> None:
        self._files: dict[str, tuple[int, str]] = {}
        self.unpacked: set[int] = set()
        if not networked and names.isdisjoint(DECODERS):
            return
        for index, command in enumerate(program.commands):
            mine = [item for item in effects if item.command == index]
            how = self._how(program, index, mine, networked)
            if not how:
                continue
            if command.name in _UNPACKERS:
                self.unpacked.add(index)
            for item in mine:
                if item.kind is Kind.WRITE:
                    self._files[item.target] = (index, how)

    def _how(
        self, program: ParsedProgram, index: int, mine: list[Effect], networked: set[int]
    ) -> str:
        feeders = upstream(program, index)
        if any(item.kind is Kind.FETCH for item in mine) or feeders & networked:
            return "downloaded"
        for item in mine:
            if item.kind in {Kind.READ, Kind.WRITE} and item.target in self._files:
                return self._files[item.target][1]
        decoders = {program.commands[feeder].name for feeder in (*feeders, index)} & _DECODING
        return "decoded" if decoders else ""

    def of(self, path: str, index: int) -> str:
        """How a file came to be before a command: "downloaded", "decoded", or ""."""
        origin = self._files.get(path)
        return origin[1] if origin is not None and origin[0] < index else ""

    def read_by(self, commands: Iterable[int], program: ParsedProgram) -> str:
        """How a file came to be that one of these commands reads."""
        for index in commands:
            for word in program.commands[index].argv[1:]:
                if how := self.of(join(program.commands[index].cwd, word).text, index):
                    return how
        return ""


def _printed_secrets(program: ParsedProgram, networked: set[int]) -> Iterator[Effect]:
    """`echo $API_TOKEN`: a secret that ends up in front of the agent, or on the network."""
    consumed: dict[int, int] = {}
    for index, command in enumerate(program.commands):
        if command.name not in SHOWING:
            consumed.update((feeder, index) for feeder in command.fed_by)
    for index, command in enumerate(program.commands):
        if command.name not in _PRINTING or command.redirects:
            continue
        whole = command.name == "printenv"
        for word in command.argv[1:]:
            match = _SECRET_NAME.search(f"${word.text}" if whole else word.raw)
            if match is None or (word.exact and not whole):
                continue
            # A program that takes it on its input may need it; it only must not leave.
            severity = Severity.LOW if index in consumed else Severity.HIGH
            yield _at(
                index,
                Kind.SECRET,
                f"${match[1]}",
                severity,
                f"prints the secret in ${match[1]}",
                f'Only look whether it is set: `[ -n "${match[1]}" ] && echo set`',
            )
            break


def is_credential(name: str) -> bool:
    """Whether a variable holds a secret, by its name."""
    return _SECRET_NAME.search(f"${name}") is not None


def upstream(program: ParsedProgram, index: int) -> frozenset[int]:
    """All commands whose output reaches a command, directly or through others."""
    seen: set[int] = set()
    todo = list(program.commands[index].fed_by)
    while todo:
        feeder = todo.pop()
        if feeder not in seen:
            seen.add(feeder)
            todo.extend(program.commands[feeder].fed_by)
    return frozenset(seen)


def _code_given(command: Command, entry: ProgramEntry | None) -> str:
    """How a command gets the code it runs.

    From a "file", as "known" or "unknown" text, not at all (a bare "shell"), or it runs none.
    """
    name = command.argv[0].text
    if name in {"eval", "source", "."}:
        return _builtin_code(command)
    if not has_text(command.argv[0]) and name and _runs_variable(command):
        return "unknown"
    if command.name in _POWERSHELLS:
        return "unknown" if command.fed_by and len(command.argv) == 1 else ""
    if entry is None:
        return "file" if "/" in name and OPAQUE not in name else ""
    if entry.program.reader == "shell":
        return _script_code(read_shell(command), command)
    language = LANGUAGES.get(entry.name)
    if language is None or language.first_operand:
        return "unknown" if entry.program.reader == "deno" and _reads_stdin(command) else ""
    call = entry.parse(command.argv)
    codes = call.values(*language.code_options)
    if codes:
        return "unknown" if any(not has_text(word) for word in codes) else "known"
    if call.has(*language.stops):
        return ""
    if call.operands and call.operands[0].text not in {"-", "/dev/stdin"}:
        return "unknown" if call.operands[0].text.startswith("/dev/fd") else "file"
    if command.input is not None:
        return "known"
    return "unknown" if command.fed_by else ""


def _runs_variable(command: Command) -> bool:
    """`$(curl …)` or `$x` alone: the whole command is only known when it runs."""
    return len(command.argv) == 1 and bool(command.argv[0].raw or command.fed_by)


def _builtin_code(command: Command) -> str:
    words = command.argv[1:]
    if not words:
        return ""
    if command.argv[0].text == "eval":
        return "known" if any(has_text(word) for word in words) else "unknown"
    if words[0].text.startswith("/dev/"):
        return "known" if command.input is not None else "unknown"
    return "file"


def _script_code(call: ShellCall, command: Command) -> str:
    if call.source == "nothing":
        return ""
    if call.source == "input":
        if command.input is not None:
            return "known"
        return "unknown" if command.fed_by or command.redirects else "shell"
    if call.source == "file":
        return "unknown" if call.script.text.startswith("/dev/fd/") else "file"
    return "known" if has_text(call.script) else "unknown"


def _reads_stdin(command: Command) -> bool:
    return bool(command.fed_by) and (len(command.argv) == 1 or command.argv[-1].text == "-")


def _script_word(command: Command, entry: ProgramEntry | None) -> Word:
    if entry is None:
        return command.argv[0]
    if entry.program.reader == "shell":
        return read_shell(command).script
    call = entry.parse(command.argv)
    return call.operands[0] if call.operands else command.argv[0]


def _runs_file(
    command: Command, entry: ProgramEntry | None, index: int, origins: _Origins
) -> Iterator[Effect]:
    sourced = command.argv[0].text in {"source", "."}
    path = join(command.cwd, command.argv[1] if sourced else _script_word(command, entry))
    how = origins.of(path.text, index)
    if how:
        yield _at(
            index,
            Kind.UNSEEN,
            path.text,
            Severity.CRITICAL,
            f"runs {path.text}, which was just {how} and nobody has read",
            f"Read it first: `less {path.text}`, and run it in a later step.",
        )
    elif entry is None and any(at < index for at in origins.unpacked):
        yield _at(
            index,
            Kind.UNSEEN,
            path.text,
            Severity.HIGH,
            f"runs {path.text} from an archive that was just downloaded",
            f"Look at it first: `less {path.text}`, and run it in a later step.",
        )
    else:
        run = path_effect(Kind.RUN, path)
        yield Effect(run.kind, run.target, run.severity, run.undo, command=index, opaque=run.opaque)


def _runs_unknown(
    program: ParsedProgram, index: int, networked: set[int], origins: _Origins
) -> Iterator[Effect]:
    feeders = upstream(program, index)
    command = program.commands[index]
    names = {program.commands[feeder].name for feeder in feeders}
    fetched = _fetched_variables(program, networked)
    spelled = " ".join(word.raw for word in command.argv)
    if (
        feeders & networked
        or index in networked
        or origins.read_by(feeders, program)
        or any(re.search(rf"\$\{{?{name}\b", spelled) for name in fetched)
    ):
        yield _at(
            index,
            Kind.UNSEEN,
            command.text,
            Severity.CRITICAL,
            "runs code from the network that nobody has seen",
            _READ_FIRST,
        )
    elif names & DECODERS:
        yield _at(
            index,
            Kind.UNSEEN,
            command.text,
            Severity.CRITICAL,
            "decodes hidden text and runs it",
            _PLAIN_FIRST,
        )
    elif _is_pipe(program, index) and not names <= _PLAIN_READERS:
        yield _at(
            index,
            Kind.UNSEEN,
            command.text,
            Severity.HIGH,
            "runs what another program prints, unseen",
            _PRINT_FIRST,
        )
    elif names & _REWORKING:
        yield _at(
            index,
            Kind.UNSEEN,
            command.text,
            Severity.HIGH,
            "runs text that was put together on the way, unseen",
            _PRINT_FIRST,
        )
    else:
        yield _at(
            index,
            Kind.RUN,
            command.text,
            Severity.MEDIUM,
            "runs code that is only known at run time",
            "",
        )


def _fetched_variables(program: ParsedProgram, networked: set[int]) -> set[str]:
    """Variables that hold what came from the network."""
    return {
        name
        for index, command in enumerate(program.commands)
        if command.assignments and upstream(program, index) & networked
        for name, _ in command.assignments
    }


def _is_pipe(program: ParsedProgram, index: int) -> bool:
    """Whether a shell reads its code from its input."""
    command = program.commands[index]
    return command.argv[0].text not in {"eval", "source", "."} and not any(
        "/dev/fd/" in word.text for word in command.argv[1:]
    )


def _was_hidden(program: ParsedProgram, index: int) -> bool:
    """Whether the code a command runs came out of a decoder or was spelt in escapes."""
    for feeder in upstream(program, index):
        command = program.commands[feeder]
        if command.name in DECODERS:
            return True
        if command.name in {"echo", "printf"}:
            raw = " ".join(word.raw or word.text for word in command.argv[1:])
            if len(_ESCAPED.findall(raw)) > 1:
                return True
    return False


def _at(index: int, kind: Kind, target: str, severity: Severity, says: str, instead: str) -> Effect:
    made = effect(
        kind, target[:80], severity=severity, undo=Undo.IMPOSSIBLE, says=says, instead=instead
    )
    return Effect(made.kind, made.target, made.severity, made.undo, made.says, made.instead, index)
