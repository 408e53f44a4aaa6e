"""Every `handrail COMMAND`, one row each: the command line and the reviewer read them.

Plain tuples and few imports, like `model.control`: `handrail --help` reads this each time.
"""

from typing import NamedTuple

from handrail.model.control import ControlCommand

_PERSON = "Ask a person to decide; an agent does not change its own supervision."
_GUARD = "changes what the guard of this agent does"
_FILES = "puts files back behind the back of those who work with them"


class CliCommand(NamedTuple):
    """One command. A supervised agent may call what is named as harmless, and nothing else."""

    name: str
    does: str
    """In a line, for `handrail --help`."""
    harmless: str = ""
    """What an agent may call: `*`, the command; `list|show`, these of its sub-commands."""
    unless: str = ""
    """Options with which it is not harmless: `--fix`."""
    refusal: str = "calls a command of this agent's guard that is not known to be harmless"
    """Why an agent is refused, after "it"."""
    instead: str = _PERSON
    module: str = ""
    """In `handrail.cli`, where it has not one of its own."""


UNKNOWN = CliCommand(
    "", "", instead="Only look: `handrail status`, `handrail log` and `handrail explain` show all."
)
"""What an agent is told about a command that has no row."""

CLI_COMMANDS = (
    CliCommand("demo", "Watch it at work in a scratch repository.", "*"),
    CliCommand("install", "Supervise Claude Code from now on.", refusal=_GUARD),
    CliCommand("uninstall", "Give Claude Code's settings back as they were.", refusal=_GUARD),
    CliCommand("doctor", "Prove that a refusal is really enforced.", "*", unless="--fix",
               refusal="puts the guard's log away and starts a new one"),
    CliCommand("status", "Show the runs, and how they are.", "*"),
    CliCommand("watch", "All runs on one screen, with controls.",
               refusal="takes hold of runs in the name of a person"),
    CliCommand("run", "Have an agent work until it is done, unattended.",
               refusal="starts an agent that works on in the name of a person"),
    *(
        CliCommand(each.value, line.brief, refusal=each.spec.refusal, module="control")
        for each in ControlCommand
        if (line := each.spec.on_command_line) is not None
    ),
    CliCommand("log", "Show what happened in a run.", "*"),
    CliCommand("explain", "Tell the story of one step, or of what was done about a run.", "*"),
    CliCommand("feedback", "Say whether a verdict or a finding was right.", refusal=_GUARD),
    CliCommand("incident", "See what was stopped, and decide how it goes on.", "list|show",
               refusal="lifts a stop that the guard has set"),
    CliCommand("review", "Explain what Handrail thinks of one command.", "*"),
    CliCommand("replay", "What would Handrail have done in past sessions?", "*"),
    CliCommand("checkpoint", "Save the files of this project.",
               refusal="takes a checkpoint in the name of a person",
               instead="Handrail saves the files by itself; see `handrail checkpoints`."),
    CliCommand("checkpoints", "List what was saved of this project, and when.", "*"),
    CliCommand("diff", "Show what has changed since a checkpoint.", "*"),
    CliCommand("undo", "Undo what an agent did to the files.", refusal=_FILES),
    CliCommand("redo", "Take back the last undo.", refusal=_FILES),
    CliCommand("rollback", "Go back to a checkpoint.", refusal=_FILES),
    CliCommand("restore", "Bring back what was moved to the trash.", "*"),
    CliCommand("notify", "See whether messages reach people.",
               refusal="sends messages to people in the name of the guard"),
    CliCommand("config", "Show, check and describe the settings.", "check|reference|schema|show",
               refusal="changes the rules of this agent's guard"),
    CliCommand("serve", "Run the daemon that hooks talk to.",
               refusal="starts, stops or speaks for the guard of this agent"),
)  # fmt: skip
"""In the order of `handrail --help`."""
