"""Building blocks for the tables of known functions in each language.

A table maps the dotted name of a function to a `CallEffect`. It adds the effects of a call to the
collector and returns the value of the call, or None if that is unknown.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity
from handrail.shell.inline.effect_collector import EffectCollector
from handrail.shell.inline.value import (
    ENVIRON,
    FILE,
    GLOB,
    NOTHING,
    SECRET,
    Value,
    concatenate,
    flags_of,
    list_of,
    text,
    truthy,
    unknown,
    variable,
)
from handrail.shell.word import OPAQUE


class Call(msgspec.Struct, frozen=True):
    """One call of a known function; for a method the object comes first."""

    name: str
    args: tuple[Value, ...] = ()
    named: Mapping[str, Value] = {}

    def get(self, at: int, name: str = "") -> Value | None:
        """Return an argument by position or by name."""
        return self.args[at] if at < len(self.args) else self.named.get(name)

    @property
    def flags(self) -> int:
        """The origins of all arguments."""
        return flags_of(self.args) | flags_of(self.named.values())


Args = tuple[Value, ...]
CallEffect = Callable[[EffectCollector, Call], Value | None]
Table = dict[str, CallEffect]


def table(*rows: tuple[str, CallEffect]) -> Table:
    """Build a table; several names may share a row: `("os.remove os.unlink", act)`."""
    return {name: act for names, act in rows for name in names.split()}


def both(*acts: CallEffect) -> CallEffect:
    """Do one after the other; the value is the last known one."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        values = [each(found, call) for each in acts]
        return next((value for value in reversed(values) if value is not None), None)

    return act


def path(kind: Kind, at: int = 0, name: str = "path", *, recursive: bool = False) -> CallEffect:
    """Acts on the file that an argument names."""

    def act(found: EffectCollector, call: Call) -> None:
        value = call.get(at, name)
        if value is not None:
            deep = recursive or truthy(call.named.get("recursive"))
            found.path(kind, value, recursive=deep)

    return act


def paths(kind: Kind, start: int = 0) -> CallEffect:
    """Acts on the files that the arguments from `start` on name."""

    def act(found: EffectCollector, call: Call) -> None:
        for value in call.args[start:]:
            found.path(kind, value)

    return act


MOVES = both(path(Kind.WRITE, 0), path(Kind.WRITE, 1))
COPIES = both(path(Kind.READ, 0), path(Kind.WRITE, 1))
LINKS = both(path(Kind.LINK, 0), path(Kind.WRITE, 1))


def mode(at: int = 1, target: int = 0, name: str = "mode") -> CallEffect:
    """Changes permissions; `o+w` and setuid weigh high."""

    def act(found: EffectCollector, call: Call) -> None:
        bits, files = call.get(at, name), call.get(target, "path")
        number = None if bits is None else bits.number
        if bits is not None and number is None and bits.type != "int":
            number = int(bits.text, 8) if bits.text.isascii() and bits.text.isdigit() and (
                not set(bits.text) & {"8", "9"}) else None  # fmt: skip
        severity = Severity.HIGH if number is not None and number & 0o4002 else None
        if files is not None:
            found.path(Kind.PERMIT, files, severity)

    return act


def opens(
    at: int = 0, mode_at: int = 1, name: str = "file", *, writes: str = "wax+c"
) -> CallEffect:
    """Opens a file to read or write; the value is the file."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        file, how = call.get(at, name), call.get(mode_at, "mode")
        if file is None or file.type == "int":
            return None
        given = "r" if how is None or how.type == "dict" else how.text
        writing = OPAQUE in given or bool(set(given) & set(writes))
        found.path(Kind.WRITE if writing else Kind.READ, file)
        return Value(file.text, type="file", flags=0 if writing else FILE, source=file.text)

    return act


def reads(at: int = 0, name: str = "path") -> CallEffect:
    """Reads a whole file; the value is its content."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        file = call.get(at, name)
        if file is None:
            return None
        found.path(Kind.READ, file)
        return Value(flags=FILE | (file.flags & ENVIRON), source=file.text)

    return act


def runs_shell(at: int = 0, name: str = "cmd") -> CallEffect:
    """Runs a command line in a shell, or starts a program if given a list."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        value = call.get(at, name)
        if value is None:
            return None
        if value.items is not None:
            found.call(value.items, call.named.get("cwd"))
        else:
            found.script(value, call.named.get("cwd"))
        return Value(type="process")

    return act


def starts_program(at: int = 0, *, own_name: bool = False, last: int | None = None) -> CallEffect:
    """Starts a program; its name and arguments come one by one or as a list.

    `own_name`: the arguments begin with the program's name once more (the exec family).
    """

    def act(found: EffectCollector, call: Call) -> Value | None:
        program, rest = call.args[at : at + 1], call.args[at + 1 : last]
        words: list[Value] = []
        env = call.named.get("env")
        if env is not None:
            # JavaScript: what `...process.env` adds is not known, and is mostly there.
            env = msgspec.structs.replace(env, flags=env.flags | ENVIRON)
        for value in rest:
            if value.fields is None:
                words += [value] if value.items is None else value.items
            elif own_name:
                env = value
        found.call([*program, *(words[1:] if own_name else words)], call.named.get("cwd"), env)
        return Value(type="process")

    return act


def runs_shell_or_program(found: EffectCollector, call: Call) -> Value | None:
    """`system("line")` goes through a shell, `system("program", "argument")` does not."""
    args = [arg for arg in call.args if arg.type != "dict" and arg.fields is None]
    if len(args) == 1 and args[0].items is None:
        found.script(args[0], call.named.get("chdir"))
    elif args:
        found.call(args, call.named.get("chdir"))
    return Value(type="process")


def runs_code(at: int = 0, name: str = "source") -> CallEffect:
    """Runs a text as code."""

    def act(found: EffectCollector, call: Call) -> None:
        value = call.get(at, name)
        if value is not None:
            found.run(value)

    return act


def returns(value: Value) -> CallEffect:
    """Does nothing and returns a known value."""
    return lambda _found, _call: value


def passes(at: int = 0) -> CallEffect:
    """Returns one of its arguments."""
    return lambda _found, call: call.get(at)


def expands_variables(_found: EffectCollector, call: Call) -> Value:
    """Returns a text with the variable at its beginning looked up."""
    given = call.get(0)
    if given is None or (match := _LEADING_VARIABLE.match(given.text)) is None:
        return given or NOTHING
    return concatenate([variable(match[1]), text(given.text[match.end() :])])


_LEADING_VARIABLE = re.compile(r"\$\{?(\w+)\}?")


def constructs(kind: str, at: int | None = None) -> CallEffect:
    """Creates an object of a class; an argument names it."""

    def act(_found: EffectCollector, call: Call) -> Value:
        name = call.get(at) if at is not None else None
        return Value(OPAQUE if name is None else name.text, type=kind, flags=call.flags)

    return act


def adds_effect(
    kind: Kind, target: str, severity: Severity | None = None, says: str = ""
) -> CallEffect:
    """Always has the same effect."""

    def act(found: EffectCollector, _call: Call) -> None:
        found.add(kind, target, severity, says=says)

    return act


def lists(*parts: str, kind: str = "") -> CallEffect:
    """Returns paths below the folder in the first argument, one for each of `parts`."""

    def act(_found: EffectCollector, call: Call) -> Value:
        base = call.args[0] if call.args else text(".")
        below = (f"{base.text.rstrip('/')}/{part}" for part in parts)
        return list_of([Value(name, type=kind or base.type, flags=GLOB) for name in below])

    return act


def globs(_found: EffectCollector, call: Call) -> Value:
    """Return the files that match the pattern in the first argument."""
    pattern = call.args[0] if call.args else NOTHING
    return list_of([Value(pattern.text, flags=pattern.flags | GLOB)])


def formats(_found: EffectCollector, call: Call) -> Value:
    """Fill in a text: `sprintf("/bin/sh <&%d", fd)`."""
    pattern = call.args[0] if call.args else NOTHING
    values = list(call.args[1:])
    parts: list[Value] = []
    for index, piece in enumerate(re.split(r"%[-\d.]*[sdxi]", pattern.text)):
        if index:
            parts.append(values.pop(0) if values else NOTHING)
        parts.append(text(piece))
    return concatenate([Value(part.text, flags=part.flags) for part in parts])


def joins_items(_found: EffectCollector, call: Call) -> Value | None:
    """Join the items of a list by the second argument."""
    items = call.args[0].items if call.args else None
    separator = call.args[1].text if len(call.args) > 1 else ""
    return None if items is None else concatenate(items, separator.join)


def joins_path(_found: EffectCollector, call: Call) -> Value:
    """Join the parts of a path."""
    return concatenate(call.args, "/".join) if call.args else NOTHING


def prints(found: EffectCollector, call: Call) -> None:
    """Prints values, which may be secrets."""
    for value in call.args:
        if value.flags & SECRET:
            found.add(Kind.SECRET, value.source, says=f"prints the secret {value.source}")
    if call.flags & ENVIRON:
        found.add(Kind.SECRET, "the environment", Severity.LOW, says="prints all variables")


def reads_variable(at: int = 0) -> CallEffect:
    """Returns an environment variable, or all of them if no name is given."""

    def act(_found: EffectCollector, call: Call) -> Value:
        name = call.get(at)
        return Value(flags=ENVIRON) if name is None else variable(name.text)

    return act


def kills(found: EffectCollector, call: Call, pid_at: int = 0, signal_at: int = 1) -> Value:
    """Ends a process; signal 0 only checks it."""
    pid, signal = call.get(pid_at, "pid") or NOTHING, call.get(signal_at, "signal") or NOTHING
    if signal.text.strip("'\"") == "0":
        return NOTHING
    everything = pid.text == "-1"
    target = "every process" if everything else f"process {pid.text}"
    found.add(Kind.KILL, target, Severity.CRITICAL if everything else None)
    return NOTHING


def kills_each(found: EffectCollector, call: Call) -> Value:
    """`kill 9, $pid`: the signal comes first."""
    for pid in call.args[1:]:
        kills(found, Call("kill", (pid, call.args[0])))
    return NOTHING


def becomes_root(found: EffectCollector, call: Call) -> None:
    """`setuid(0)`: the process becomes root."""
    if any(value.text == "0" for value in call.args):
        found.add(Kind.PRIVILEGE, f"{call.name}(0)")


def forks(found: EffectCollector, _call: Call) -> None:
    """Forks the process."""
    found.fork()


def redirects_streams(found: EffectCollector, _call: Call) -> None:
    """Redirects standard input or output."""
    found.streams_redirected = True


def changes_folder(found: EffectCollector, call: Call) -> None:
    """Changes the current folder."""
    folder = call.get(0, "path")
    if folder is not None and not folder.choices:
        found.cwd = found.place(folder.text)


def runs_sql(at: int = 0) -> CallEffect:
    """Runs a database statement."""

    def act(found: EffectCollector, call: Call) -> Value | None:
        for value in call.args[at : at + 2]:
            for each in value.choices or value.items or (value,):
                found.sql(each)
        return unknown(*call.args)

    return act
