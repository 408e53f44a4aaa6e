"""Scripts that git runs by itself, from `.git/hooks` or from where `core.hooksPath` points."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from handrail.shell.code_runner import run_script_file
from handrail.shell.command import Command
from handrail.shell.command_context import CommandContext
from handrail.shell.environment import Environment
from handrail.shell.paths import join
from handrail.shell.word import Word

if TYPE_CHECKING:
    from handrail.shell.walk import ProgramWalker

HOOKS = "/.git/hooks/"
"""Stands in a path for the hooks of the repository around it, wherever these are."""
_COMMIT = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit")
_REFS = ("reference-transaction", "post-index-change")
GIT_HOOKS: dict[str, tuple[str, ...]] = {
    "add": ("post-index-change",),
    "am": ("applypatch-msg", "pre-applypatch", "post-applypatch", *_REFS),
    "branch": ("reference-transaction",),
    "checkout": ("post-checkout", *_REFS),
    "cherry-pick": (*_COMMIT, *_REFS),
    "commit": (*_COMMIT, "post-rewrite", *_REFS),
    "fetch": ("reference-transaction",),
    "gc": ("pre-auto-gc",),
    "merge": ("pre-merge-commit", *_COMMIT, "post-merge", *_REFS),
    "pull": ("pre-merge-commit", *_COMMIT, "post-merge", "pre-rebase", "post-rewrite", *_REFS),
    "push": ("pre-push",),
    "rebase": ("pre-rebase", "post-checkout", "post-rewrite", *_COMMIT, *_REFS),
    "reset": _REFS,
    "revert": (*_COMMIT, *_REFS),
    "stash": _REFS,
    "switch": ("post-checkout", *_REFS),
    "tag": ("reference-transaction",),
    "worktree": ("post-checkout", "reference-transaction"),
}
"""By subcommand, the hooks that it may run."""


def run_hooks(
    walker: "ProgramWalker",
    command: Command,
    subcommand: str,
    folder: str,
    env: Environment,
    context: CommandContext,
) -> None:
    """Read the hooks that a call of git runs; `folder`: where a setting says that they are."""
    here = msgspec.structs.replace(context, input=None, fed_by=(), input_from=())
    for path in _paths(subcommand, folder, env):
        text = walker.code_texts.text(path, env, command.elsewhere)
        if text is not None:
            hook = msgspec.structs.replace(
                command,
                argv=(path,),
                redirects=(),
                assignments=(),
                input=None,
                fed_by=(),
                input_from=(),
            )
            run_script_file(walker, text, hook, env, here)


def _paths(subcommand: str, folder: str, env: Environment) -> Iterator[Word]:
    place = f"{join(env.cwd, Word(folder)).text}/" if folder else f"{env.cwd.text}{HOOKS}"
    for name in GIT_HOOKS.get(subcommand, ()):
        yield Word(place + name)
