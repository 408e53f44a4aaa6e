"""Two ways through a program that meet again: what holds on either of them."""

from typing import TYPE_CHECKING

from handrail.shell.variables import ANYTHING, bounded, possible_values
from handrail.shell.word import OPAQUE, Word

if TYPE_CHECKING:
    from handrail.shell.environment import Environment

EITHER = f"#{OPAQUE}{OPAQUE}\n"
"""Stands between the texts of a file that may hold one or the other: a comment to a shell."""


def join_states(env: "Environment", branch: "Environment", *, succeeds: bool = False) -> None:
    """Take over what a branch may have changed, keeping both possibilities.

    `succeeds`: the step between both is taken to work, so its folder and its files count.
    """
    if env.arrays != branch.arrays or env.other_arrays != branch.other_arrays:
        _join_arrays(env, branch)  # first: it looks at variables that are no arrays
    if env.variables != branch.variables:
        _join_variables(env, branch)
    if not succeeds:
        _join_places(env, branch)
    if env.argument_lists() != branch.argument_lists():
        env.set_arguments(*env.argument_lists(), *branch.argument_lists())
    if env.scopes and branch.scopes and env.scopes != branch.scopes:
        _join_scopes(env, branch)
    if env.exported is not branch.exported:
        env.perhaps_exported |= branch.perhaps_exported | (env.exported ^ branch.exported)
        env.exported |= branch.exported
    env.moved_homes |= branch.moved_homes
    env.options |= branch.options
    if env.zero != branch.zero:
        env.zero = bounded(tuple(dict.fromkeys(env.zero + branch.zero)))
    env.leaves += branch.leaves
    env.far_leaves += branch.far_leaves
    env.returns += branch.returns
    _join_meanings(env, branch)


def _join_meanings(env: "Environment", branch: "Environment") -> None:
    """Join what names stand for apart from their values."""
    if env.functions != branch.functions:
        _join_functions(env, branch)
    if env.aliases != branch.aliases:
        _join_aliases(env, branch)
    if branch.copies:
        env.copies = branch.copies | env.copies
    if env.attributes != branch.attributes:
        for name in env.attributes.keys() | branch.attributes.keys():
            if env.attributes.get(name) != branch.attributes.get(name):
                env.attributes[name] = env.attributes.get(name, "") + ANYTHING
    if env.references != branch.references:
        env.loose |= env.references.keys() ^ branch.references.keys()
        env.references.update(branch.references)
    env.loose |= branch.loose


def _join_variables(env: "Environment", branch: "Environment") -> None:
    for name in env.variables.keys() | branch.variables.keys():
        mine, values = env.variables.get(name), branch.variables.get(name)
        if mine is values or mine == values:
            continue
        both = dict.fromkeys((*possible_values(mine), *possible_values(values)))
        env.variables[name] = bounded(tuple(both))


def _join_places(env: "Environment", branch: "Environment") -> None:
    if branch.cwd != env.cwd:
        env.cwd = Word(OPAQUE, raw=f"{env.cwd.text} or {branch.cwd.text}")
    if branch.folders != env.folders:
        env.folders = ()
    if branch.stdin != env.stdin:
        env.stdin = (None,)
    if env.files != branch.files:
        for path in env.files.keys() | branch.files.keys():
            mine, text = env.files.get(path, ""), branch.files.get(path, "")
            if mine != text:
                env.files[path] = mine + EITHER + text


def _join_functions(env: "Environment", branch: "Environment") -> None:
    for name in env.functions.keys() | branch.functions.keys():
        mine = env.functions.get(name, (None,))
        env.functions[name] = tuple(dict.fromkeys(mine + branch.functions.get(name, (None,))))


def _join_aliases(env: "Environment", branch: "Environment") -> None:
    for name, text in branch.aliases.items():
        mine = env.aliases.get(name, text)
        env.aliases[name] = mine if mine == text else f"{mine}\n{text}"


def _join_scopes(env: "Environment", branch: "Environment") -> None:
    for mine, other in zip(env.scopes, branch.scopes, strict=False):
        for name in mine.keys() ^ other.keys():
            saved = mine.get(name) or other[name]
            mine[name] = saved._replace(sure=False)


def _join_arrays(env: "Environment", branch: "Environment") -> None:
    for name in env.arrays.keys() | branch.arrays.keys():
        options = list(env.array_options(name) or [env.as_array(name)])
        for other in branch.array_options(name) or [branch.as_array(name)]:
            if other not in options:
                options.append(other)
        env.arrays[name] = options[0]
        env.other_arrays[name] = bounded(tuple(options[1:]))
