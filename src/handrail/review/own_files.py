"""Files of code that this run wrote or downloaded: those that changed since it began."""

import re
from collections.abc import Iterator

from handrail.config import compile_globs
from handrail.review.context import ReviewContext
from handrail.shell.git_hooks import HOOKS
from handrail.shell.paths import join
from handrail.shell.word import Word

_HOOKS_PATH = re.compile(r"(?im)^\s*hookspath\s*=\s*(\"?)(.+?)\1\s*$")
_LINK = "gitdir:"
_WILD = re.compile(r"[*?\[]")
_MAX_LOOKS = 300
_LEFT_OUT = ("/.git", "/node_modules", "/.venv")
"""Folders in which nobody looks for scripts."""


class OwnFiles:
    """Finds the text of the run's own files, for one review."""

    def __init__(self, at: ReviewContext) -> None:
        self._at = at
        self._hooks: dict[str, str] = {}
        self._changed: dict[str, float | None] = {}

    def place(self, path: str) -> str:
        """Return where a file is: hooks may be in another folder than git's usual one."""
        folder, found, name = path.partition(HOOKS)
        if not found:
            return path
        if folder not in self._hooks:
            self._hooks[folder] = self._hooks_folder(folder)
        return f"{self._hooks[folder]}/{name}"

    def matching(self, pattern: str) -> list[str]:
        """Return those of these files that a name or a pattern means."""
        first = _WILD.search(pattern)
        if first is None:
            return [pattern] if self.has(pattern) else []
        folder, _, rest = pattern[: first.start()].rpartition("/")
        deep = "/" in rest + pattern[first.start() :]
        means = compile_globs((pattern,)).fullmatch
        return [path for path in self._below(folder, deep) if means(path) and self.has(path)]

    def _below(self, folder: str, deep: bool) -> Iterator[str]:
        """Yield paths in a folder, and in some of the folders below."""
        waiting = [folder]
        for _ in range(_MAX_LOOKS if deep else 1):
            if not waiting:
                return
            here = waiting.pop(0)
            paths = [f"{here}/{name}" for name in sorted(self._at.world.names_in(here))]
            yield from paths
            waiting += [path for path in paths if not path.endswith(_LEFT_OUT)]

    def has(self, path: str) -> bool:
        """Whether a file has changed since the run began."""
        changed = self._changed_at(path)
        return changed is not None and changed >= self._at.history.began

    def is_guide(self, path: str, size: int) -> bool:
        """Whether an older file of the project, of this size at most, may lead to the run's own."""
        if "*" in path or self._changed_at(path) is None or self.has(path):
            return False
        return self._at.in_scope(path) and 0 < len(self.text(path)) <= size

    def _changed_at(self, path: str) -> float | None:
        if path not in self._changed:
            self._changed[path] = self._at.world.changed_at(self.place(path))
        return self._changed[path]

    def text(self, path: str) -> str:
        """Return the text of a file, or nothing."""
        return self._at.world.script(self.place(path)) or ""

    def _hooks_folder(self, folder: str) -> str:
        """Return the folder of the hooks that count in a folder of a work tree."""
        world, home = self._at.world, self._at.places.home
        root = folder
        while root and not world.exists(f"{root}/.git"):
            root = root.rpartition("/")[0]
        repository = f"{root}/.git"
        link = world.script(repository) or ""
        if link.startswith(_LINK):
            # A work tree of its own, `…/.git/worktrees/name`, shares hooks and settings.
            there = join(Word(root or "/"), Word(link[len(_LINK) :].strip())).text
            repository = there.partition("/worktrees/")[0]
        for settings in (f"{repository}/config", f"{home}/.gitconfig"):
            if found := _HOOKS_PATH.search(world.script(settings) or ""):
                named = found[2].replace("~/", f"{home}/") if found[2][:2] == "~/" else found[2]
                return join(Word(root or "/"), Word(named)).text
        return f"{repository}/hooks"
