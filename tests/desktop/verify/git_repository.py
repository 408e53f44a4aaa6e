"""A git repository for the tests of recording."""

import os
import subprocess
from pathlib import Path


class Repository:
    """A git repository in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(exist_ok=True)
        self.git("init", "-q", ".")

    def git(self, *arguments: str) -> None:
        settings = ("-c", "user.name=n", "-c", "user.email=e", "-c", "protocol.file.allow=always")
        environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(
            ["git", *settings, *arguments], cwd=self.folder, check=True, env=environ,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def commit(self, **files: str | bytes | None) -> None:
        """Commit files, whose names are `a__b` for `a/b`; None deletes one."""
        for name, content in files.items():
            file = self.folder / name.replace("__", "/")
            file.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                file.unlink()
            else:
                file.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "a change")
