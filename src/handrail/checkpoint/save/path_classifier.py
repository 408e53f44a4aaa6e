"""Classifies each path of a work tree: a file to save, gone, displaced, or left out."""

import os
import stat
from collections.abc import Iterable

import msgspec

from handrail.checkpoint.files import folders_above
from handrail.checkpoint.record import LeftOut
from handrail.checkpoint.save.changed_paths import UNREADABLE
from handrail.checkpoint.save.size_limits import CandidateFile, too_large
from handrail.checkpoint.save.work_tree_memory import kept_link, kept_mode
from handrail.config.checkpoints import MEGABYTE
from handrail.config.checkpoints import Checkpoints as Settings

UNNAMABLE = "git holds no file of this name"
_REPOSITORY = ".git"
_MODULES = ".gitmodules"


class ClassifiedPaths(msgspec.Struct, frozen=True):
    """Paths by class."""

    files: list[CandidateFile]
    gone: list[str]
    displaced: list[str]
    """A folder, a pipe or a link to elsewhere is in their place."""
    left_out: list[LeftOut]


class PathClassifier:
    """Looks at paths below an open folder, and follows no link."""

    def __init__(self, top: int, settings: Settings) -> None:
        self.top = top
        self._most = settings.max_file_mb * MEGABYTE
        self._too_large = too_large(settings)
        self._user = os.geteuid()
        self._linked: dict[str, bool] = {}

    def look(self, path: str) -> os.stat_result:
        """The facts of a path, without following a link."""
        return os.stat(path, dir_fd=self.top, follow_symlinks=False)

    def classify(self, paths: Iterable[str]) -> ClassifiedPaths:
        """Classify paths."""
        found = ClassifiedPaths([], [], [], [])
        for path in paths:
            self._classify(path, found)
        return found

    def _classify(self, path: str, found: ClassifiedPaths) -> None:
        try:
            facts = self.look(path)
        except OSError as error:
            if self._is_beyond_link(path):  # git would not look there
                found.displaced.append(path)
            elif isinstance(error, FileNotFoundError | NotADirectoryError):
                found.gone.append(path)
            else:
                found.left_out.append(LeftOut(path, UNREADABLE))
            return
        is_link = stat.S_ISLNK(facts.st_mode)
        if self._is_beyond_link(path) or not (is_link or stat.S_ISREG(facts.st_mode)):
            found.displaced.append(path)
        elif _is_unnamable(path, is_link=is_link):
            found.left_out.append(LeftOut(path, UNNAMABLE))
        elif facts.st_size > self._most:
            found.left_out.append(LeftOut(path, self._too_large))
        elif not is_link and not self._is_readable(path, facts):
            found.left_out.append(LeftOut(path, UNREADABLE))
        else:
            link, mode = kept_link(facts), kept_mode(facts)
            found.files.append(CandidateFile(path, facts.st_size, mode, facts.st_ctime_ns, link))

    def _is_readable(self, path: str, facts: os.stat_result) -> bool:
        is_mine = facts.st_uid == self._user and facts.st_mode & stat.S_IRUSR
        return bool(is_mine) or os.access(path, os.R_OK, dir_fd=self.top, effective_ids=True)

    def _is_beyond_link(self, path: str) -> bool:
        """Whether a folder above it is a link, so that the path leads elsewhere."""
        folder = path[: path.rfind("/") + 1]
        if not folder:
            return False
        if folder not in self._linked:
            self._look_at_folders(path)
        return self._linked[folder]

    def _look_at_folders(self, path: str) -> None:
        above = False
        for folder in reversed(list(folders_above(path))):
            if folder not in self._linked:
                self._linked[folder] = above or self._is_link(folder.rstrip("/"))
            above = self._linked[folder]

    def _is_link(self, folder: str) -> bool:
        try:
            return stat.S_ISLNK(self.look(folder).st_mode)
        except OSError:
            return False


def _is_unnamable(path: str, *, is_link: bool) -> bool:
    """Whether git passes over such a path without a word, wherever it is told to take it in."""
    names = path.lower().split("/")
    return _REPOSITORY in names or (is_link and names[-1] == _MODULES)
