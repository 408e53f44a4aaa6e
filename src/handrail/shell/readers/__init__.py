"""Read programs whose arguments form a language of their own: one function each."""

from collections.abc import Callable, Iterable

from handrail.model.effect import Effect
from handrail.shell.command import Command
from handrail.shell.options import ParsedArguments
from handrail.shell.readers import (
    agents,
    archives,
    cloud,
    containers,
    databases,
    editors,
    files,
    git,
    git_files,
    infrastructure,
    kubernetes,
    languages,
    network,
    permissions,
    processes,
    redis,
    remote,
    schedulers,
    text,
    tools,
    wrappers,
)

Reader = Callable[[Command, ParsedArguments], Iterable[Effect]]

READERS: dict[str, Reader] = {
    **agents.READERS,
    **archives.READERS,
    **cloud.READERS,
    **containers.READERS,
    **databases.READERS,
    **editors.READERS,
    **files.READERS,
    **infrastructure.READERS,
    **kubernetes.READERS,
    **git.READERS,
    **git_files.READERS,
    **languages.READERS,
    **network.READERS,
    **permissions.READERS,
    **processes.READERS,
    **redis.READERS,
    **remote.READERS,
    **schedulers.READERS,
    **text.READERS,
    **tools.READERS,
    **wrappers.READERS,
}
"""Readers by their name in a table's `reader`."""

SCRIPTS: dict[str, Callable[[Command, ParsedArguments], Iterable[str]]] = {
    **agents.SCRIPTS,
    **archives.SCRIPTS,
    **databases.SCRIPTS,
    **editors.SCRIPTS,
    **processes.SCRIPTS,
    **remote.SCRIPTS,
    **tools.SCRIPTS,
    **languages.SCRIPTS,
    **wrappers.SCRIPTS,
    **text.SCRIPTS,
}
"""Readers of command lines in a program's own language, by the same names."""
