"""A command line with a project of its own, as the tests of the commands have it."""

from tests.cli.conftest import shell

__all__ = ["shell"]
