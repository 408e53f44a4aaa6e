"""Assignments and declarations: what variables and arrays hold from then on."""

import re
from typing import TYPE_CHECKING

import tree_sitter

from handrail.shell.builtins import unset_words
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.shell_options import LOCAL_INHERITS
from handrail.shell.syntax import SyntaxSource
from handrail.shell.variables import HOMES, UNSET
from handrail.shell.word import OPAQUE, UNKNOWN, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_NO_VARIABLES = frozenset("fFp")
"""Letters with which `declare` is about functions, or only prints."""
_KEYED = re.compile(r"\[[^\]]*\]=")
_LOCAL = frozenset({"declare", "typeset"})
"""Words that make a variable local if they stand in a function."""


def run_assign(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    before = len(walker.commands)
    name, value = assign(walker, node, source, env)
    _emit_assignments(walker, [(name, value)], before, source, node, env, context)
    return ""


def run_assign_many(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    for child in node.named_children:
        run_assign(walker, child, source, env, context)
    return ""


def run_declare(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    """`export`, `declare`, `local`, `readonly`, `typeset`."""
    before = len(walker.commands)
    keyword = Word(source.text(node.children[0]))
    walker.failures += keyword.text == "local" and not env.scopes
    assigned: list[tuple[str, Word]] = []
    words: list[Word] = []
    named: list[str] = []
    end = -1
    for child in node.named_children:
        if child.start_byte < end:
            continue
        letters = "".join(word.text[1:] for word in words if word.text.startswith("-"))
        if child.type == "variable_assignment":
            assigned.append(_assign_declared(walker, child, source, env, keyword.text, letters))
            end = walker.word_end
        elif child.type == "variable_name":
            name = source.text(child)
            named.append(name)
            _declared(env, keyword.text, letters, name, empty=True)
            _take_away(env, keyword.text, name, {word.text for word in words})
        else:
            options, end = walker.expander.options(child, source, env)
            for word in (word for option in options for word in option):
                name, equals, value = word.text.partition("=")
                if equals and re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
                    if keyword.text != "local" or env.scopes:
                        _declared(env, keyword.text, letters, name)
                        env.assign(name, (Word(value),))
                    assigned.append((name, Word(value)))
                else:
                    words.append(word)
    names = {name for name, _ in assigned}.union(named)
    walker.failures += not env.loose.isdisjoint(names)
    if keyword.text == "readonly" or any(
        "r" in word.text for word in words if word.text[:1] == "-"
    ):
        env.loose |= names
    if not assigned:
        # `export -p` prints every variable.
        walker.emit(Command((keyword, *words), env.cwd, via=context.via, fed_by=context.fed_by))
        return None
    _emit_assignments(walker, assigned, before, source, node, env, context)
    return ""


def _take_away(env: Environment, keyword: str, name: str, words: set[str]) -> None:
    """What `export -n name`, `declare +x name` and `declare +n name` take from a variable."""
    if "+x" in words or (keyword == "export" and "-n" in words):
        env.exported = env.exported - {name}
    if name in HOMES and not words.isdisjoint({"-n", "+x"}):
        env.unset(name)  # it stays in this shell, but no program sees it
    if "+n" in words and name in env.references:
        del env.references[name]
        env.assign(name, (UNKNOWN,))


def _assign_declared(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    keyword: str,
    letters: str,
) -> tuple[str, Word]:
    """Set the variable of `declare name=value`; return its name and first value."""
    branch = env.fork()
    if keyword == "local" and not env.scopes:
        return assign(walker, node, source, branch)  # outside of a function it is an error
    name = source.text(node.named_children[0]).partition("[")[0]
    _declared(env, keyword, letters, name)
    if "n" in letters and keyword != "export":
        target = assign(walker, node, source, branch)
        env.refer(*target)
        return target
    if "g" in letters and any(name in scope for scope in env.scopes):
        assigned = assign(walker, node, source, branch)
        env.take_global(name, branch)
        return assigned
    return assign(walker, node, source, env)


def _emit_assignments(
    walker: "ProgramWalker",
    assigned: list[tuple[str, Word]],
    before: int,
    source: SyntaxSource,
    node: tree_sitter.Node,
    env: Environment,
    context: CommandContext,
) -> None:
    walker.emit(
        Command(
            (),
            env.cwd,
            source.place(node.start_byte, node.end_byte),
            assignments=tuple(assigned),
            via=context.via,
            elsewhere=context.elsewhere,
            fed_by=tuple(range(before, len(walker.commands))),
        )
    )


def run_unset(
    walker: "ProgramWalker",
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
    context: CommandContext,
) -> str | None:
    words: list[Word] = []
    end = -1
    for child in node.named_children:
        if child.start_byte >= end:
            options, end = walker.expander.options(child, source, env)
            words += [word for option in options for word in option]
    unset_words(words, env)
    return ""


def _declared(
    env: Environment, keyword: str, letters: str, name: str, *, empty: bool = False
) -> None:
    """What `declare -A name` and the like say about a variable; `empty`: it gets no value."""
    if keyword != "local" and not _NO_VARIABLES.isdisjoint(letters):
        exports = keyword == "export" or "x" in letters
        if "f" in letters and exports and name in env.functions:
            env.exported = env.exported | {f"{name}()"}
        return
    in_function = keyword == "local" or (keyword in _LOCAL and "g" not in letters)
    if in_function and env.scopes:
        is_new = name not in env.scopes[-1]
        env.declare_local(name)
        if empty and is_new:
            # A read-only variable lets no local one take its name.
            given = any(name in scope for scope in env.scopes[-2:-1])  # `name=x f` passes it on
            keeps = given or name in env.loose or LOCAL_INHERITS in env.options
            env.variables[name] = (*env.values(name), UNSET) if keeps else ()
    if keyword == "export" or "x" in letters:
        env.exported = env.exported | {name, env.name_of(name)}
    kept = "".join(letter for letter in letters if letter in "Acilu" or (letter == "n" and empty))
    if kept and keyword not in {"export", "readonly"}:
        env.attributes[name] = env.attributes.get(name, "") + kept
    if empty and ("A" in letters or "a" in letters) and name not in env.arrays:
        env.assign_array(name, {})


def assign(
    walker: "ProgramWalker", node: tree_sitter.Node, source: SyntaxSource, env: Environment
) -> tuple[str, Word]:
    """Set the variable of an assignment node; return its name and first value."""
    name_node, *rest = node.named_children
    name = source.text(name_node).partition("[")[0]
    end = name_node.end_byte
    appends = source.data[end : end + 1] == b"+"
    walker.word_end = node.end_byte
    if rest and rest[-1].type == "array" and rest[-1].start_byte == end + 1 + appends:
        elements = _elements(walker, name, rest[-1], source, env)
        if appends:
            elements = _appended(env, name, elements)
        env.assign_array(name, elements)
        return name, Word(" ".join(word.text for word in elements.values()))
    values, walker.word_end = walker.expander.value_at(end + 1 + appends, source, env)
    walker.word_end = max(walker.word_end, node.end_byte)
    if name_node.type == "subscript":
        start = name_node.start_byte + len(name) + 1
        key = walker.expander.key_at(name, start, end - 1, source, env)
        value = values[0] if len(values) == 1 and not appends else UNKNOWN
        env.assign_element(name, key, value)
        return name, value
    if appends and "i" in env.attributes.get(env.name_of(name), ""):
        values = (UNKNOWN,)
    elif appends:
        values = tuple(
            Word(old.text + new.text, old.glob or new.glob)
            for old in env.values(name)
            for new in values
        )
    env.assign(name, values)
    return name, values[0]


def _elements(
    walker: "ProgramWalker",
    name: str,
    node: tree_sitter.Node,
    source: SyntaxSource,
    env: Environment,
) -> dict[str, Word]:
    """The elements of `(a b [7]=c)`."""
    elements: dict[str, Word] = {}
    place: int | None = 0
    end = -1
    for child in node.named_children:
        if child.start_byte < end:
            continue
        walker.step(len(elements) // 64)
        keyed = _KEYED.match(source.characters, child.start_byte)
        if keyed:
            start = child.start_byte + 1
            key = walker.expander.key_at(name, start, keyed.end() - 2, source, env)
            values, end = walker.expander.value_at(keyed.end(), source, env)
            value = values[0] if len(values) == 1 else UNKNOWN
            elements[OPAQUE if key is None else key] = value
            place = int(key) + 1 if key is not None and key.isdecimal() else None
            continue
        options, end = walker.expander.options(child, source, env)
        words = options[0] if len(options) == 1 else [UNKNOWN]
        for word in words:
            if place is None or word.glob or not word.exact:
                # It may be any number of words, so nobody knows what stands behind it.
                place = None
                elements[f"{OPAQUE}{len(elements)}"] = word
                continue
            elements[str(place)] = word
            place += 1
    if place and "A" in env.attributes.get(env.name_of(name), ""):
        return {OPAQUE: UNKNOWN}  # keys and values in turn
    return elements


def _appended(env: Environment, name: str, elements: dict[str, Word]) -> dict[str, Word]:
    """The elements of an array to which others are added."""
    name = env.name_of(name)
    old = env.arrays.get(name)
    if old is None:
        values = env.variables.get(name)
        old = {"0": values[0]} if values else {}
    elif env.other_arrays.get(name):
        old = {OPAQUE: UNKNOWN}
    if "A" in env.attributes.get(name, ""):
        return old | elements
    if not all(key.isdecimal() for key in (*old, *elements)):
        return old | {f"{OPAQUE}{len(old)}{key}": word for key, word in elements.items()}
    last = max(map(int, old), default=-1)
    return old | {str(int(key) + last + 1): word for key, word in elements.items()}
