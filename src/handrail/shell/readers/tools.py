"""Find commands in the options of package managers and build tools."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from handrail.model.effect import Effect, Kind
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.readers.languages import MAX_CODE, started_commands
from handrail.shell.readers.make_effects import effect
from handrail.shell.word import OPAQUE

_CARGO_RUNS = re.compile(
    r"(?:runner|rustc-wrapper|rustc-workspace-wrapper|rustc|rustdoc|linker)\"?\s*=\s*"
    r"(?:\"([^\"]+)\"|'([^']+)'|\[(.+)\])"
)
_CARGO_VARIABLES = re.compile(
    r"CARGO_TARGET_.*_(?:RUNNER|LINKER)|(?:CARGO_BUILD_)?RUSTC(?:_WORKSPACE)?(?:_WRAPPER)?"
)
_INDEX = ("-i", "--index-url", "--extra-index-url", "--index", "--default-index", "-f")
_TEMPORARY = re.compile(r"\s*(?:/tmp|/var/tmp|/dev/shm)/")


def cargo_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `cargo --config 'target.x.runner="cmd"'`, or of the equal variables."""
    for name, value in command.assignments:
        if _CARGO_VARIABLES.fullmatch(name):
            yield value.text
    for word in call.values("--config"):
        for match in _CARGO_RUNS.finditer(word.text):
            yield match[1] or match[2] or match[3].replace('"', "").replace(",", " ")


def _cargo(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    for script in cargo_scripts(command, call):
        if _TEMPORARY.match(script):
            yield effect(
                Kind.UNSEEN,
                script,
                says=f"builds through {script}, which anyone can write",
                instead="Build plainly: `cargo build`.",
            )


_REMOVING = frozenset(
    "remove rm purge autoremove autopurge erase delete del uninstall deinstall".split()
)


def _removed_list(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Read `apt remove $(a list)`, `a list | xargs pip uninstall`: the packages are not known."""
    verbs = {word.text for word in call.operands[:2]}
    removing = verbs & _REMOVING or call.has("-R", "--remove") or command.name == "xbps-remove"
    for word in call.operands if removing else ():
        listed = "xargs" in command.via or re.search(r"\$\(|`", word.raw)
        if listed and not word.text.replace(OPAQUE, "").strip():
            yield effect(
                Kind.DESTROY,
                word.shown,
                says="removes every package of a list at once",
                instead="See the list first, then remove them by name.",
            )
            return


def _pip(command: Command, call: ParsedArguments) -> Iterator[Effect]:
    """Find an index whose name only looks like a known one."""
    yield from _removed_list(command, call)
    for word in call.values(*_INDEX):
        if not word.text.replace(OPAQUE, "").isascii():
            yield effect(
                Kind.UNSEEN,
                word.shown,
                says=f"installs from {word.shown}, whose name holds letters that look like others",
                instead="Install from the usual index: `pip install` without an address.",
            )


def nix_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `nix develop -c cmd args`: everything after the option."""
    texts = [word.text for word in command.argv]
    for option in ("-c", "--command"):
        if option in texts:
            yield _joined(texts[texts.index(option) + 1 :])


def after_dashes(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `onchange 'src/**' -- cmd args`."""
    texts = [word.text for word in command.argv]
    if "--" in texts:
        yield _joined(texts[texts.index("--") + 1 :])


def apt_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `apt-get -o APT::Update::Pre-Invoke::=cmd`."""
    for word in call.values("-o", "--option"):
        key, _, value = word.text.partition("=")
        if "invoke" in key.lower() or key.lower().startswith("dir::bin"):
            yield value.lstrip("=")


def rpm_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `rpm --eval '%(cmd)'`."""
    for word in call.values("-E", "--eval", "-D", "--define"):
        match = re.search(r"%\((.*)\)", word.text, re.DOTALL)
        if match:
            yield match[1]


def cmake_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `cmake -E chdir folder cmd`, `… -E env A=1 cmd`, `… -E time cmd`."""
    words = [word.text for word in call.operands]
    if not call.has("-E") or len(words) < 2:
        return
    if words[0] == "chdir":
        yield f"cd {shlex.quote(words[1])} && {_rest(command, call, 2)}"
    elif words[0] in {"env", "time"}:
        yield f"{words[0]} {_rest(command, call, 1)}"


def maven_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `mvn exec:exec -Dexec.executable=cmd -Dexec.args='…'`."""
    arguments = " ".join(word.text for word in call.values("-Dexec.args"))
    for word in call.values("-Dexec.executable"):
        yield f"{word.text} {arguments}"


def compiler_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `gcc -wrapper sh,-c,cmd`, and commands in the code that it compiles."""
    for word in call.values("-wrapper"):
        yield shlex.join(word.text.split(","))
    if command.input is not None:
        yield from started_commands(command.input[:MAX_CODE])


def hatch_scripts(command: Command, call: ParsedArguments) -> Iterator[str]:
    """Find the command of `hatch run 'cmd args'` and `hatch run cmd args`."""
    words = call.operands
    if len(words) > 1 and words[0].text == "run":
        yield words[1].text if len(words) == 2 else _rest(command, call, 1)


def _rest(command: Command, call: ParsedArguments, first: int) -> str:
    """Return the command line from an operand on, with its options."""
    if len(call.places) <= first:
        return ""
    return _joined(word.text for word in command.argv[call.places[first] :])


def _joined(words: Iterable[str]) -> str:
    return " ".join(word if OPAQUE in word else shlex.quote(word) for word in words)


READERS: dict[str, Callable[[Command, ParsedArguments], Iterable[Effect]]] = {
    "apt": _removed_list,
    "cargo": _cargo,
    "packages": _removed_list,
    "pip": _pip,
}

SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    "nix": nix_scripts,
    "after_dashes": after_dashes,
    "cargo": cargo_scripts,
    "apt": apt_scripts,
    "rpm": rpm_scripts,
    "cmake": cmake_scripts,
    "maven": maven_scripts,
    "compiler": compiler_scripts,
    "hatch": hatch_scripts,
}
