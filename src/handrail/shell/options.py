"""A command's arguments sorted into options, their values, and operands."""

from collections.abc import Sequence

import msgspec

from handrail.shell.word import OPAQUE, Word


class OptionGrammar(msgspec.Struct, frozen=True):
    """How a program reads its options."""

    values: frozenset[str] = frozenset()
    single_dash: bool = False
    posix: bool = False
    known: frozenset[str] = frozenset()
    """Every option the table names, so that an abbreviation is not taken for one of them."""


class ParsedArguments(msgspec.Struct, frozen=True):
    """The arguments of one command, sorted."""

    options: dict[str, list[Word]]
    """Each option that was given, with the values it got."""
    operands: tuple[Word, ...]
    places: tuple[int, ...]
    """Index in argv of each operand."""
    guessed: tuple[int, ...] = ()
    """Operands that may be the value of an unknown option before the subcommand."""

    def has(self, *names: str) -> bool:
        """Whether any of these options was given, in full or as an abbreviation."""
        options = self.options
        return any(name in options for name in names)

    def values(self, *names: str) -> list[Word]:
        """The values that these options got."""
        return [value for name in names for value in self.options.get(name, ())]


def parse(argv: Sequence[Word], grammar: OptionGrammar) -> ParsedArguments:
    """Sort `argv` (without the program's name) by the rules of getopt."""
    options: dict[str, list[Word]] = {}
    operands: list[Word] = []
    places: list[int] = []
    guessed: list[int] = []
    index = 0
    count = len(argv)
    after_unknown = False
    while index < count:
        word = argv[index]
        text = word.text
        index += 1
        if text == "--":
            operands.extend(argv[index:])
            places.extend(range(index + 1, count + 1))
            break
        if len(text) < 2 or text[0] != "-" or text[:2] == "-" + OPAQUE:
            if after_unknown and not word.glob:
                guessed.append(len(operands))
            operands.append(word)
            places.append(index)
            after_unknown = False
            if grammar.posix:
                operands.extend(argv[index:])
                places.extend(range(index + 1, count + 1))
                break
            continue
        after_unknown = False
        if text[1] == "-" or grammar.single_dash:
            name, equals, value = text.partition("=")
            if not equals and (name in grammar.values) and index < count:
                options.setdefault(name, []).append(argv[index])
                index += 1
                continue
            options.setdefault(_full_name(name, grammar), []).extend(
                [Word(value, word.glob)] if equals else []
            )
            after_unknown = not equals and name not in grammar.known
            continue
        index = _short_options(word, argv, index, grammar, options)
    return ParsedArguments(options, tuple(operands), tuple(places), tuple(guessed))


def _short_options(
    word: Word,
    argv: Sequence[Word],
    index: int,
    grammar: OptionGrammar,
    options: dict[str, list[Word]],
) -> int:
    """Take a cluster such as `-rf` or `-Crepo` apart; returns the next index."""
    text = word.text
    if text in grammar.values and index < len(argv):
        options.setdefault(text, []).append(argv[index])
        return index + 1
    if text in grammar.known:
        options.setdefault(text, [])
        return index
    for place in range(1, len(text)):
        name = "-" + text[place]
        if name in grammar.values:
            rest = text[place + 1 :]
            if rest:
                options.setdefault(name, []).append(Word(rest.removeprefix("="), word.glob))
            elif index < len(argv):
                options.setdefault(name, []).append(argv[index])
                index += 1
            else:
                options.setdefault(name, [])
            return index
        options.setdefault(name, [])
    return index


def _full_name(name: str, grammar: OptionGrammar) -> str:
    """The option that an abbreviation such as `--har` stands for, where it is only one."""
    if name in grammar.known or len(name) < 5:
        return name
    matches = [full for full in grammar.known if full.startswith(name)]
    return matches[0] if len(matches) == 1 else name
