"""Scripts of a package.json that the same command line wrote or changed."""

from typing import TYPE_CHECKING

import msgspec

from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.paths import join
from handrail.shell.program_lookup import ProgramEntry
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

_RUNS = frozenset({"run", "run-script", "rum", "urn"})
_INSTALLS = frozenset({"install", "i", "ci", "publish", "pack"})
_SHORT = {"t": "test", "tst": "test"}


def run_npm(
    walker: "ProgramWalker",
    command: Command,
    entry: ProgramEntry,
    env: Environment,
    context: CommandContext,
) -> None:
    """`npm pkg set scripts.x='cmd'`, and `npm run x` if package.json is known."""
    words = [word.text for word in entry.parse(command.argv).operands]
    here = msgspec.structs.replace(context, via=(*context.via, entry.name))
    for script in (*_set(words), *_scripts(words, env)):
        if script.strip(OPAQUE + " \n"):
            walker.script(script, env.fork(), here)


def _set(words: list[str]) -> list[str]:
    if words[:2] != ["pkg", "set"]:
        return []
    pairs = (word.partition("=") for word in words[2:])
    return [value for key, _, value in pairs if key.startswith("scripts.")]


def _scripts(words: list[str], env: Environment) -> list[str]:
    text = env.files.get(join(env.cwd, Word("package.json")).text)
    if text is None or not words:
        return []
    try:
        package = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        return []
    scripts = package.get("scripts") if isinstance(package, dict) else None
    if not isinstance(scripts, dict):
        return []
    if words[0] in _INSTALLS:
        return [script for script in scripts.values() if isinstance(script, str)]
    name = words[1] if words[0] in _RUNS and len(words) > 1 else _SHORT.get(words[0], words[0])
    names = (name, f"pre{name}", f"post{name}")
    return [scripts[key] for key in names if isinstance(scripts.get(key), str)]
