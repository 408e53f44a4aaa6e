"""What can be wrong with a configuration.

```
ValueError
└── ConfigError     all problems of all files at once, each with file, line and key
```
"""

from collections.abc import Iterable

from msgspec import Struct

from handrail.config.setting_tree import SettingOrigin


class ConfigProblem(Struct, frozen=True):
    """One thing that is wrong: where, with which key, and what to do about it."""

    origin: SettingOrigin
    key: str
    says: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (str(self.origin), self.key, self.says)))


class ConfigError(ValueError):
    """The configuration cannot be used; `problems` says everything that is wrong with it."""

    def __init__(self, problems: Iterable[ConfigProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "\n".join(map(str, self.problems))
