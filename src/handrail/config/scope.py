"""The scope: the folders and files that the agent may change."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, structs

from handrail.config.errors import ConfigError, ConfigProblem
from handrail.config.glob import compile_globs, escape, known_folder
from handrail.config.schema import Config
from handrail.config.setting_tree import SettingOrigin
from handrail.config.sources import work_tree
from handrail.config.text_values import PathBase, read_place, too_wide

# Not tempfile.gettempdir(): it imports half the standard library, writes a probe file, and
# falls back to the current folder.
_TEMP_VARIABLES = ("TMPDIR", "TEMP", "TMP")
_TEMP_FOLDERS = ("/tmp", "/var/tmp", "/private/tmp")


class Scope(Struct, frozen=True):
    """Folders, and globs of folders and files, all absolute."""

    roots: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def contains(self, path: str) -> bool:
        """Return whether the agent may change a path; only normalised absolute paths count."""
        if "/../" in path or path.endswith("/.."):
            return False
        for root in self.roots:
            folder = root.rstrip("/")
            if path == folder or path.startswith(f"{folder}/"):
                return True
        return bool(self.patterns) and compile_globs(self.patterns).fullmatch(path) is not None


def resolve_scope(
    config: Config, cwd: str | Path, environ: Mapping[str, str] = os.environ
) -> Scope:
    """Return the scope from the settings; it always includes the temp folders."""
    where = PathBase(str(Path.cwd() / cwd), environ.get("HOME", ""))
    places = _configured(config, where) if config.scope else _around(where)
    globs = dict.fromkeys(_with_real([*places, *_temp_folders(environ, where.home)]))
    return Scope(
        roots=tuple(glob for glob in globs if _is_plain(glob)),
        patterns=tuple(glob for glob in globs if not _is_plain(glob)),
    )


def pin_scope(config: Config, cwd: str | Path, environ: Mapping[str, str] = os.environ) -> Config:
    """The settings with a scope that does not move when the agent changes its folder."""
    if config.scope:
        return config
    scope = resolve_scope(config, cwd, environ)
    # A temp folder is in scope in any case; one that holds the home may not be asked for.
    home = environ.get("HOME", "")
    roots = (escape(root) for root in scope.roots if not too_wide(root, home))
    return structs.replace(config, scope=(*roots, *scope.patterns))


def scope_covers(places: Sequence[str], place: str) -> bool:
    """Whether everything in a place of a scope surely lies in others, or in a temp folder."""
    return any(_holds(outer, place) for outer in (*places, *_TEMP_FOLDERS))


def _holds(outer: str, inner: str) -> bool:
    if outer == inner:
        return True
    folder = outer.removesuffix("/**")
    # No wildcard climbs out of the folder that stands before it.
    return escape(known_folder(folder)) == folder and inner.startswith(f"{folder}/")


def _configured(config: Config, where: PathBase) -> Iterator[str]:
    for index, place in enumerate(config.scope):
        try:
            yield read_place(place, where)
        except ValueError as error:
            problem = ConfigProblem(
                SettingOrigin("configuration"), f"scope[{index}]", f"{place!r} {error}"
            )
            raise ConfigError([problem]) from None


def _around(where: PathBase) -> Iterator[str]:
    """Yield the git work tree, or the folder; of a home, only the parts that are not hidden."""
    tree = work_tree(Path(where.folder))
    for folder in (str(tree or where.folder), where.folder):
        if not too_wide(folder, where.home):
            yield escape(folder)
            return
    if where.folder == where.home:
        yield f"{escape(where.home)}/[!.]*"


def _temp_folders(environ: Mapping[str, str], home: str) -> Iterator[str]:
    for folder in (environ.get(variable, "").rstrip("/") for variable in _TEMP_VARIABLES):
        if folder.startswith("/") and not too_wide(folder, home):
            yield escape(folder)
    yield from _TEMP_FOLDERS


def _with_real(globs: Iterable[str]) -> Iterator[str]:
    """Yield each glob as written, and with links resolved: an agent may use either spelling."""
    for glob in globs:
        yield glob
        fixed = re.split(r"/[^/]*[\\*?\[{]", glob, maxsplit=1)[0]
        yield escape(os.path.realpath(fixed or "/").rstrip("/")) + glob[len(fixed) :]


def _is_plain(glob: str) -> bool:
    return escape(glob) == glob
