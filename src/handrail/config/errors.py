"""The errors of a configuration.

```
ValueError
└── ConfigError     all problems of all files at once, each with file, line and key
```
"""

from collections.abc import Iterable

from msgspec import Struct

from handrail.config.setting_tree import SettingOrigin


class ConfigProblem(Struct, frozen=True):
    """One problem: its place, its key, and how to mend it."""

    origin: SettingOrigin
    key: str
    says: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (str(self.origin), self.key, self.says)))


class ConfigError(ValueError):
    """The configuration cannot be used; `problems` lists everything wrong with it."""

    def __init__(self, problems: Iterable[ConfigProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))
