"""Every `handrail COMMAND`, one row each: the command line and the reviewer read them.

Plain tuples and few imports, like `model.control`: `handrail --help` reads this each time.
"""

from typing import NamedTuple

from handrail.model.control import ControlCommand

_PERSON = "Ask a person to decide; an agent does not change its own supervision."
_GUARD = "changes what the guard of this agent does"
_FILES = "puts files back behind the back of those who work with them"


class CliCommand(NamedTuple):
    """One command. A supervised agent may make only the calls named as harmless."""

    name: str
    does: str
    """In a line, for `handrail --help`."""
    harmless: str = ""
    """The calls that an agent may make: `*`, the command; `list|show`, these sub-commands."""
    unless: str = ""
    """Options that make it harmful: `--fix`."""
    refusal: str = "calls a command of this agent's guard that is not known to be harmless"
    """Why an agent is refused, after "it"."""
    instead: str = _PERSON
    module: str = ""
    """The module in `handrail.cli.commands`, if it is not called like the command."""


UNKNOWN = CliCommand(
    "", "", instead="Only look: `handrail status`, `handrail log` and `handrail explain` show all."
)
"""The answer to an agent about a command without a row."""

CLI_COMMANDS = (
    CliCommand("demo", "Watch Handrail catch a misbehaving agent.", "*"),
    CliCommand("install", "Supervise Claude Code from now on.", refusal=_GUARD),
    CliCommand("uninstall", "Stop supervising Claude Code.", refusal=_GUARD),
    CliCommand("doctor", "Prove that refusals are enforced.", "*", unless="--fix",
               refusal="puts the guard's log away and starts a new one"),
    CliCommand("status", "Show your runs and their state.", "*", unless="--seen",
               refusal="hides from people what was noticed about this agent's guard"),
    CliCommand("watch", "Watch and control all runs on one screen.",
               refusal="takes hold of runs in the name of a person"),
    CliCommand("panel", "Open the panel in your browser.",
               refusal="opens the controls in the name of a person"),
    CliCommand("run", "Run an agent unattended until its task is done.",
               refusal="starts an agent that works on in the name of a person"),
    CliCommand("task", "Add, list and change the tasks of this repository.", "list|show|schema",
               refusal="changes the tasks of agents in the name of a person"),
    CliCommand("merge", "Merge the work of tasks that are done.",
               refusal="merges its own work in the name of a person"),
    CliCommand("pipeline", "Run a pipeline of steps under review.", "check|list|schema|show",
               refusal="starts commands and agents in the name of a person"),
    CliCommand("desktop", "Watch and verify an unattended graphical session.", "verify",
               refusal="looks at the screen of a person, or works on it in their name"),
    *(
        CliCommand(each.value, line.brief, refusal=each.spec.refusal, module="control")
        for each in ControlCommand
        if (line := each.spec.on_command_line) is not None
    ),
    CliCommand("log", "Show what happened in a run.", "*"),
    CliCommand("explain", "Explain one step, or why Handrail stepped in.", "*"),
    CliCommand("export", "Write a run into one page that anybody can replay.",
               refusal="writes a file in the name of a person",
               instead="Only look: `handrail log` and `handrail explain` show all."),
    CliCommand("feedback", "Tell Handrail whether it judged correctly.", refusal=_GUARD),
    CliCommand("incident", "Read emergency stops and decide what happens next.", "list|show",
               refusal="lifts a stop that the guard has set"),
    CliCommand("approvals", "List the actions that wait for your approval.", "*",
               module="approvals"),
    CliCommand("approve", "Let one waiting action run.", module="approvals",
               refusal="approves its own actions in the name of a person"),
    CliCommand("deny", "Refuse one waiting action.", module="approvals",
               refusal="answers in the name of a person"),
    CliCommand("review", "Show how Handrail judges a command.", "*"),
    CliCommand("replay", "Show what Handrail would have done in past sessions.", "*"),
    CliCommand("checkpoint", "Save this project's files.",
               refusal="takes a checkpoint in the name of a person",
               instead="Handrail saves the files by itself; see `handrail checkpoints`."),
    CliCommand("checkpoints", "List this project's checkpoints.", "*"),
    CliCommand("diff", "Show what changed since a checkpoint.", "*"),
    CliCommand("undo", "Undo an agent's changes to your files.", refusal=_FILES),
    CliCommand("redo", "Take back the last undo.", refusal=_FILES),
    CliCommand("rollback", "Go back to a checkpoint.", refusal=_FILES),
    CliCommand("restore", "Bring back files from the trash.", "*"),
    CliCommand("notify", "Send a test notification.",
               refusal="sends messages to people in the name of the guard"),
    CliCommand("config", "Show and check the settings.", "check|reference|schema|show",
               refusal="changes the rules of this agent's guard"),
    CliCommand("serve", "Run the daemon that answers the hooks.",
               refusal="starts, stops or speaks for the guard of this agent"),
)  # fmt: skip
"""In the order of `handrail --help`."""
