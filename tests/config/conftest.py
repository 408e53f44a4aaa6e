"""A home, a project inside it, and nothing of the machine's own settings."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from handrail.config import ConfigError, PipelineSafety, Settings, load_settings


class ScratchMachine:
    """A scratch machine: files are written by relative path, settings loaded from `cwd`."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = self.home / "shop"
        (self.project / ".git").mkdir(parents=True)
        self.environ = {"HOME": str(self.home)}

    def write(self, text: str, path: str = "shop/handrail.yaml") -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def load(
        self,
        environ: Mapping[str, str] = {},
        cwd: Path | None = None,
        config_path: str | Path | None = None,
        pipeline: str | Path | PipelineSafety | None = None,
    ) -> Settings:
        return load_settings(
            cwd or self.project,
            config_path=config_path,
            environ={**self.environ, **environ},
            pipeline=pipeline,
        )

    def problems(self, text: str = "", **environ: str) -> list[str]:
        """What is said about a project file, or about variables."""
        if text:
            self.write(text)
        with pytest.raises(ConfigError) as caught:
            self.load(environ)
        return [str(problem) for problem in caught.value.problems]


@pytest.fixture
def machine(tmp_path: Path) -> ScratchMachine:
    return ScratchMachine(tmp_path)
