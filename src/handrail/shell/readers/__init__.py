"""Programs whose arguments are a language of their own: one function each."""

from collections.abc import Callable, Iterable

from handrail.model.effect import Effect
from handrail.shell.command import Command
from handrail.shell.options import Call
from handrail.shell.readers import (
    archives,
    containers,
    databases,
    editors,
    files,
    git,
    kubernetes,
    network,
    permissions,
    remote,
    text,
)

Reader = Callable[[Command, Call], Iterable[Effect]]

READERS: dict[str, Reader] = {
    **archives.READERS,
    **containers.READERS,
    **databases.READERS,
    **editors.READERS,
    **files.READERS,
    **kubernetes.READERS,
    **git.READERS,
    **network.READERS,
    **permissions.READERS,
    **remote.READERS,
    **text.READERS,
}
"""Readers by the name that a table's `reader` gives them."""

SCRIPTS: dict[str, Callable[[Command, Call], Iterable[str]]] = {
    **archives.SCRIPTS,
    **databases.SCRIPTS,
    **editors.SCRIPTS,
    **remote.SCRIPTS,
}
"""Command lines that stand in a program's own language, by the same name as its reader."""
