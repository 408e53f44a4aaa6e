"""The effects of programs as data: the form of the tables and of `programs:` in handrail.yaml."""

from typing import Literal

import msgspec

from handrail.model.effect import Kind
from handrail.model.ordinal import Severity, Undo


class Fact(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One thing a program does when it is called in a certain way.

    `when` is a line of words. Bare words are the subcommand, in order, with wildcards and
    alternatives if you like (`delete-*`, `rm|remove`); `!list|show` is any word but these.
    The call must have the options in the line (`--force|-f`), and none of those after a `!`
    (`!--dry-run|-n`). `--opt=glob` also looks at the option's value. One operand must match
    `@glob`, and none may match `!@glob`. An empty `when` always holds.
    """

    does: Kind
    when: str = ""
    on: str = ""
    """The target: `each` (every operand), `1`, `2`, `last`, `2+` (from the second), `-2`
    (all but the last), an option (`-o|--output`: its value), `of=` (the rest of
    such an operand), `cwd`; else the text itself; empty: the command line in short."""
    severity: Severity | None = None
    """How bad it is; the default is the kind's."""
    undo: Undo | None = None
    """How to undo it; the default is the kind's."""
    says: str = ""
    """The effect in plain words, after "it": "deletes the namespace {target}"."""
    instead: str = ""
    """A concrete, allowed alternative; commands stand in backticks."""
    recursive: bool = False
    """Also takes everything below the target."""


class Wrapper(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """How a program runs another command given in its arguments."""

    form: Literal["argv", "shell", "words"] = "argv"
    """`argv`: the rest of the line is the command. `shell`: a string is a script.
    `words`: the operands joined by blanks are a script (ssh, watch)."""
    skip: int = 0
    """Operands before the command (`timeout 5 cmd`: 1)."""
    options: str = ""
    """Options whose value is the script (`-c|--command`); empty: the operands."""
    when: str = ""
    """Only if this holds (a `when` as in a fact); empty: always."""
    where: Literal["here", "elsewhere"] = "here"
    """`elsewhere`: on another machine or in a container, so local paths are not ours."""
    assignments: bool = False
    """Leading `NAME=value` operands set the environment (`env A=1 cmd`)."""


class Program(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One program: how its options read, what it does, what it runs."""

    values: str = ""
    """Options with a separate value: `-C -c --git-dir`."""
    single_dash: bool = False
    """Long options have one dash (`terraform -auto-approve`), so `-rf` is not `-r -f`."""
    posix: bool = False
    """Options end at the first operand (`sudo`, `env`, `xargs`)."""
    facts: tuple[Fact, ...] = ()
    wraps: tuple[Wrapper, ...] = ()
    same_as: str = ""
    """The program this name stands for."""
    harmless: str = ""
    """Options that make the whole call harmless: `--help|--version|--dry-run`."""
    reader: str = ""
    """Name of the function for this program's own language (find, dd, curl …)."""
    chdir: str = ""
    """Options whose value is the folder it works in: `-C|--directory`."""
    subcommands: dict[str, "Program"] = {}
    """Subcommands with options of their own (`docker run -v DIR`, `docker rm -v`), by name or
    names (`rm|remove`). Their facts see only the words after that name; the facts of this
    program see the whole line."""
