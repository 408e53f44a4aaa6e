"""An error with several problems, each told in a line of its own."""

from collections.abc import Sequence

import click


class ListedProblemsError(click.ClickException):
    """A file that cannot be used, and everything that is wrong with it."""

    def __init__(self, problems: Sequence[object]) -> None:
        self.problems = tuple(map(str, problems))
        super().__init__("\n".join(self.problems))
