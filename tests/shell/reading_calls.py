"""What the reader sees of a command line, as plain words."""

from handrail.shell import Command, read

HOME = "/home/test"


def commands(text: str) -> list[Command]:
    """The commands that call something or open a file."""
    program = read(text, cwd="/work", environ={"HOME": HOME}).program
    assert program.fault is None
    return [command for command in program.commands if command.argv or command.redirects]


def calls(text: str, name: str = "rm") -> list[list[str]]:
    """The arguments of each call of a program."""
    found = [command for command in commands(text) if command.name == name]
    return [[word.text for word in command.argv[1:]] for command in found]
