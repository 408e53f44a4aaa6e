"""The tables of what programs do, compiled for matching."""

import re
from collections.abc import Mapping
from fnmatch import translate
from functools import lru_cache

import msgspec

from handrail.model.program import Fact, Program, Wrapper
from handrail.shell.command import Command
from handrail.shell.errors import TooLargeError
from handrail.shell.join_programs import joined
from handrail.shell.options import OptionGrammar, ParsedArguments, parse
from handrail.shell.paths import join
from handrail.shell.word import OPAQUE, Word

_SWITCHED_OFF = frozenset({"false", "no", "none", "off"})
_MAX_PATTERN = 200
_VERSION = re.compile(r"(?:@[\w.^~*-]+|[-.]?\d[\d.]*)$")


class CallCondition(msgspec.Struct, frozen=True):
    """A compiled `when`."""

    words: tuple[re.Pattern[str], ...] = ()
    needs: tuple[tuple[tuple[str, re.Pattern[str] | None], ...], ...] = ()
    forbids: tuple[tuple[tuple[str, re.Pattern[str] | None], ...], ...] = ()
    operand: tuple[re.Pattern[str], ...] = ()
    no_operand: tuple[re.Pattern[str], ...] = ()

    def match(self, call: ParsedArguments) -> int | None:
        """How many operands the subcommand words took, or None if it does not hold."""
        taken: int | None = 0
        if self.words and (taken := self._take_words(call)) is None:
            return None
        # Plain loops: this runs for every fact of every program that is met.
        for need in self.needs:
            if not _given(call, need):
                return None
        for forbidden in self.forbids:
            if _given(call, forbidden):
                return None
        if (self.operand or self.no_operand) and not self._operands_match(call, taken or 0):
            return None
        return taken

    def _operands_match(self, call: ParsedArguments, taken: int) -> bool:
        rest = [word.text for word in call.operands[taken:]]
        if any(pattern.match(text) for pattern in self.no_operand for text in rest):
            return False
        return all(any(pattern.match(text) for text in rest) for pattern in self.operand)

    def _take_words(self, call: ParsedArguments) -> int | None:
        if not self.words:
            return 0
        if (taken := self._words_from(call, 0)) is not None:
            return taken
        # `tool --unknown value delete x`: the option may have taken the first operand.
        for guess in call.guessed:
            if (taken := self._words_from(call, guess + 1)) is not None:
                return taken
        return None

    def _words_from(self, call: ParsedArguments, start: int) -> int | None:
        if len(call.operands) < start + len(self.words):
            return None
        for offset, pattern in enumerate(self.words):
            if not pattern.match(call.operands[start + offset].text):
                return None
        return start + len(self.words)


def _given(call: ParsedArguments, names: tuple[tuple[str, re.Pattern[str] | None], ...]) -> bool:
    for name, value in names:
        values = call.options.get(name)
        if values is None:
            continue
        if value is None:
            # `--dry-run=false` is not a dry run.
            return not (values and all(word.text in _SWITCHED_OFF for word in values))
        if any(value.match(word.text) for word in values):
            return True
    return False


@lru_cache(maxsize=4096)
def compile_glob(text: str) -> re.Pattern[str]:
    """A glob with alternatives (`delete-*|rm`) as a regular expression."""
    return re.compile("|".join(f"(?:{translate(part)})" for part in text.split("|")), re.IGNORECASE)


def compile_when(when: str) -> CallCondition:
    """Compile the words of a `when` line; see `Fact` for what they mean."""
    words: list[re.Pattern[str]] = []
    needs: list[tuple[tuple[str, re.Pattern[str] | None], ...]] = []
    forbids: list[tuple[tuple[str, re.Pattern[str] | None], ...]] = []
    operand: list[re.Pattern[str]] = []
    no_operand: list[re.Pattern[str]] = []
    for token in when.split():
        if token.startswith("!@"):
            no_operand.append(compile_glob(token[2:]))
        elif token.startswith("@"):
            operand.append(compile_glob(token[1:]))
        elif token.startswith("!-"):
            forbids.append(_compile_options(token[1:]))
        elif token.startswith("-") and len(token) > 1:
            needs.append(_compile_options(token))
        else:
            words.append(_compile_word(token))
    return CallCondition(
        tuple(words), tuple(needs), tuple(forbids), tuple(operand), tuple(no_operand)
    )


def _compile_word(token: str) -> re.Pattern[str]:
    if not token.startswith("!"):
        return compile_glob(token)
    return re.compile(f"(?!{compile_glob(token[1:]).pattern})", re.IGNORECASE)


def _compile_options(token: str) -> tuple[tuple[str, re.Pattern[str] | None], ...]:
    options: list[tuple[str, re.Pattern[str] | None]] = []
    for part in token.split("|"):
        name, equals, value = part.partition("=")
        options.append((name, compile_glob(value) if equals else None))
    return tuple(options)


class SubcommandLevel(msgspec.Struct, frozen=True):
    """How a program, or the subcommand that was called, reads the arguments."""

    entry: "ProgramEntry"
    call: ParsedArguments
    head: ParsedArguments
    """Only what stands before the subcommand, where that has options of its own."""

    @property
    def harmless(self) -> bool:
        """Whether an option such as `--help` was given."""
        harmless = self.entry.harmless
        return harmless is not None and harmless.match(self.head) is not None


def in_its_folder(command: Command, level: SubcommandLevel) -> Command:
    """Return the command in the folder that its options name (`git -C folder`)."""
    options = level.entry.program.chdir
    for folder in level.head.values(*options.split("|")) if options else ():
        command = msgspec.structs.replace(command, cwd=join(command.cwd, folder))
    return command


class ProgramEntry:
    """One program of the tables, compiled when it is first met."""

    __slots__ = (
        "_last",
        "facts",
        "grammar",
        "harmless",
        "head",
        "name",
        "nested",
        "program",
        "subcommands",
        "wraps",
    )

    def __init__(self, name: str, program: Program, *, nested: bool = False) -> None:
        self.name = name
        self.program = program
        self.nested = nested
        self._last: tuple[tuple[Word, ...], tuple[SubcommandLevel, ...]] = ((), ())
        self.facts: tuple[tuple[CallCondition, Fact], ...] = tuple(
            (compile_when(fact.when), fact) for fact in program.facts
        )
        self.wraps: tuple[tuple[CallCondition, Wrapper], ...] = tuple(
            (compile_when(wrapper.when), wrapper) for wrapper in program.wraps
        )
        self.harmless = compile_when(program.harmless) if program.harmless else None
        self.grammar = OptionGrammar(
            frozenset(program.values.split()),
            program.single_dash,
            program.posix,
            self._known_options(),
        )
        self.head = msgspec.structs.replace(self.grammar, posix=True)
        self.subcommands: dict[str, Program | ProgramEntry] = {
            alternative: subprogram
            for names, subprogram in program.subcommands.items()
            for alternative in names.split("|")
        }

    def _known_options(self) -> frozenset[str]:
        names = set(self.program.values.split())
        texts = [self.program.harmless, self.program.chdir]
        texts += [f"{wrapper.when} {wrapper.options}" for wrapper in self.program.wraps]
        texts += [f"{fact.when} {fact.on}" for fact in self.program.facts]
        for text in texts:
            for token in re.split(r"[\s|]+", text):
                name = token.lstrip("!").partition("=")[0]
                if name.startswith("-") and len(name) > 1:
                    names.add(name)
        return frozenset(names)

    def parse(self, argv: tuple[Word, ...]) -> ParsedArguments:
        """Sort the arguments of a call of this program."""
        return self.levels(argv)[0].call

    def levels(self, argv: tuple[Word, ...]) -> tuple[SubcommandLevel, ...]:
        """How this program reads a call, then how the subcommand does that it names."""
        # The walker and the effects ask for the same call, one after the other.
        if argv is self._last[0] and argv:
            return self._last[1]
        levels: list[SubcommandLevel] = []
        entry: ProgramEntry | None = self
        start = 1
        while entry is not None:
            call = _parse_from(argv, start, entry.grammar)
            head = _parse_from(argv, start, entry.head) if entry.subcommands else call
            inner, start = entry._subcommand(head)
            levels.append(SubcommandLevel(entry, call, head if inner is not None else call))
            entry = inner
        self._last = (argv, tuple(levels))
        return self._last[1]

    def _subcommand(self, head: ParsedArguments) -> "tuple[ProgramEntry | None, int]":
        if not self.subcommands:
            return None, 0
        # `docker --unknown value run`: the option may have taken the first operand.
        for index in (0, 1) if 0 in head.guessed else (0,):
            name = head.operands[index].text if index < len(head.operands) else ""
            found = self.subcommands.get(name)
            if isinstance(found, Program):
                found = self.subcommands[name] = ProgramEntry(self.name, found, nested=True)
            if found is not None:
                return found, head.places[index] + 1
        return None, 0


def _parse_from(argv: tuple[Word, ...], start: int, grammar: OptionGrammar) -> ParsedArguments:
    call = parse(argv[start:], grammar)
    if start == 1:
        return call
    places = tuple(place + start - 1 for place in call.places)
    return msgspec.structs.replace(call, places=places)


class ProgramLookup:
    """All programs that are known, by name."""

    def __init__(self, programs: Mapping[str, Program]) -> None:
        self._programs = dict(programs)
        self._entries: dict[str, ProgramEntry | None] = {}

    def extended(self, programs: Mapping[str, Program]) -> "ProgramLookup":
        """These tables with a user's additions, which are joined to what is known."""
        merged = dict(self._programs)
        for called, extra in programs.items():
            name = called
            # What is said of another name (`nodejs`) is said of the program itself.
            while name in merged and merged[name].same_as:
                name = merged[name].same_as
            merged[name] = joined(merged[name], extra) if name in merged else extra
        return ProgramLookup(merged)

    def lookup(self, name: str) -> ProgramEntry | None:
        """The entry of a program, by its bare name; versions (`python3.11`) do not matter."""
        try:
            return self._entries[name]
        except KeyError:
            entry = self._find(name)
            if len(self._entries) < 10_000:
                self._entries[name] = entry
            return entry

    def _find(self, name: str) -> ProgramEntry | None:
        for candidate in (name, name.lower(), _VERSION.sub("", name), _plain(name)):
            program = self._programs.get(candidate)
            if program is None:
                continue
            if program.same_as:
                return self.lookup(program.same_as)
            return ProgramEntry(candidate, program)
        return None

    def matching(self, pattern: str) -> list[str]:
        """Known names that a program name with wildcards could mean."""
        if len(pattern) > _MAX_PATTERN:
            raise TooLargeError(len(pattern), _MAX_PATTERN, "the name of a program")
        regex = compile_glob(pattern.replace("|", "?"))
        return [name for name in self._programs if regex.match(name)]

    @property
    def programs(self) -> Mapping[str, Program]:
        """The tables as they are written."""
        return self._programs


def _plain(name: str) -> str:
    """`rm.exe`, and names with unknown (perhaps empty) parts: `r$x'm'`."""
    return name.removesuffix(".exe").replace(OPAQUE, "").lower()
