"""Options of the shell itself that change how it reads what follows: `set`, `shopt`, `enable`.

One that was on stays possible: what depends on it is then read both ways, or is unknown.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.variables import EVERYTHING
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.environment import Environment
    from handrail.shell.walk import ProgramWalker

CDABLE_VARS = "cdable_vars"
"""`cd name` leads to the folder that a variable holds."""
EXTENDED_PATTERNS = "extglob"
"""`@(a|b)` is a pattern in `${x/…}`."""
KEYWORD = "keyword"
"""`a=b` is no argument, wherever it stands."""
LAST_PIPE = "lastpipe"
"""The last stage of a pipe runs in this shell."""
LOCAL_INHERITS = "localvar_inherit"
LOCAL_UNSET = "localvar_unset"
"""`unset` in a function takes only the value of a local variable."""
NO_BRACES = "no braceexpand"
NO_CASE = "nocasematch"
POSIX = "posix"
"""`v=1 eval …` leaves a variable behind."""
XPG_ECHO = "xpg_echo"
"""`echo` reads escapes."""
_READ_DIFFERENTLY = frozenset({
    CDABLE_VARS, EXTENDED_PATTERNS, KEYWORD, LAST_PIPE, LOCAL_INHERITS, LOCAL_UNSET, NO_BRACES,
    NO_CASE, POSIX, XPG_ECHO,
})  # fmt: skip
_SPECIAL_BUILTINS = frozenset({
    ".", ":", "break", "continue", "eval", "exec", "exit", "export", "readonly", "return", "set",
    "shift", "source", "times", "trap", "unset",
})  # fmt: skip
_OF_SHELLS = {
    "sh": {POSIX},
    "dash": {POSIX, XPG_ECHO},
    "ash": {POSIX},
    "ksh": {POSIX, LAST_PIPE},
    "mksh": {POSIX},
    "zsh": {LAST_PIPE, XPG_ECHO},
}
"""What other shells do from the start."""


def switch(env: "Environment", name: str, *, on: bool = True) -> None:
    """Switch an option by its name."""
    if name == "allexport" and on:
        env.exported |= {EVERYTHING}
    elif name == "braceexpand" and not on:
        env.options |= {NO_BRACES}
    elif OPAQUE in name:
        env.options |= _READ_DIFFERENTLY
    elif on and name in _READ_DIFFERENTLY:
        env.options |= {name}


def start_shell(env: "Environment", name: str, words: Iterable[Word]) -> None:
    """Switch the options with which a shell starts: `bash -O lastpipe`."""
    env.options |= _OF_SHELLS.get(name, frozenset())
    for word in words:
        if word.text[:2] != "--" and word.text[:1] in {"-", "+"}:
            _switch_letters(env, word.text)
        else:
            switch(env, word.text)


def keep_assignments(command: Command, env: "Environment") -> None:
    """`v=1 eval …`: by POSIX, variables stay where a special builtin ran, or a function."""
    name = command.argv[0].text
    if name in _SPECIAL_BUILTINS or name in env.functions:
        for variable, value in command.assignments:
            env.assign(variable, tuple(dict.fromkeys((value, *env.values(variable)))))


def _switch_letters(env: "Environment", text: str) -> None:
    """`-ek`, `+B`."""
    on = text[0] == "-"
    if OPAQUE in text:
        switch(env, OPAQUE)
    if on and "a" in text:
        switch(env, "allexport")
    if on and "k" in text:
        switch(env, KEYWORD)
    if not on and "B" in text:
        switch(env, "braceexpand", on=False)


def run_set(
    walker: "ProgramWalker", command: Command, env: "Environment", context: CommandContext
) -> str | None:
    """`set -e -o pipefail -- a b`."""
    walker.emit(command)
    words = command.argv[1:]
    at = 0
    while at < len(words):
        text = words[at].text
        if text in {"--", "-"}:
            if text == "--" or words[at + 1 :]:
                env.set_arguments(words[at + 1 :])
            break
        if text[:1] not in {"-", "+"}:
            env.set_arguments(words[at:])
            break
        _switch_letters(env, text)
        at += 1
        if "o" in text and at < len(words):
            switch(env, words[at].text, on=text[0] == "-")
            at += 1
    return "" if words else None


def run_shopt(
    walker: "ProgramWalker", command: Command, env: "Environment", context: CommandContext
) -> str | None:
    """`shopt -s lastpipe`."""
    walker.emit(command)
    words = [word.text for word in command.argv[1:]]
    letters = "".join(text for text in words if text.startswith("-"))
    for text in words:
        if "s" in letters or "u" in letters or OPAQUE in text:
            switch(env, text, on="u" not in letters)
    return None


def run_enable(
    walker: "ProgramWalker", command: Command, env: "Environment", context: CommandContext
) -> str | None:
    """`enable -n cd`: from then on the name may mean a program."""
    walker.emit(command)
    words = [word.text for word in command.argv[1:]]
    if words[:1] == ["-n"]:
        env.options |= {_disabled(name) for name in words[1:]}
    return None


def is_disabled(name: str, env: "Environment") -> bool:
    """Whether a builtin may be switched off."""
    return bool(env.options) and _disabled(name) in env.options


def _disabled(name: str) -> str:
    return f"enable -n {name}"
