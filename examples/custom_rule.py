"""A rule and a program table of your own.

    python examples/custom_rule.py

In a package of your own, entry points do the same for the daemon:

    [project.entry-points."handrail.rules"]
    staging_only = "your_package:StagingOnly"
    [project.entry-points."handrail.programs"]
    shop = "your_package:PROGRAMS"
"""

import tempfile
from collections.abc import Sequence

from handrail import (
    Action,
    Decision,
    Effect,
    Fact,
    Kind,
    Program,
    ReviewContext,
    RuleHit,
    Severity,
    Supervisor,
)


class StagingOnly:
    """Agents deploy to staging only, whichever tool they use."""

    name = "staging_only"

    def check(self, action: Action, effects: Sequence[Effect], at: ReviewContext) -> RuleHit | None:
        """Object to an action, or return None."""
        if action.tool == "deploy" and action.input.get("to") != "staging":
            says, instead = "It deploys to production.", "Deploy to staging first."
            return RuleHit(self.name, Decision.BLOCK, says, instead)
        return None


PROGRAMS = {
    "shopctl": Program(
        facts=(
            Fact(
                Kind.DESTROY,
                "orders purge !--dry-run",
                severity=Severity.CRITICAL,
                says="deletes all orders",
                instead="See what would go: `shopctl orders purge --dry-run`.",
            ),
        )
    )
}


def main() -> None:
    """Print what some calls are answered."""
    calls: list[tuple[str, dict[str, object]]] = [
        ("deploy", {"to": "production"}),
        ("deploy", {"to": "staging"}),
        ("Bash", {"command": "shopctl orders purge"}),
        ("Bash", {"command": "shopctl orders purge --dry-run"}),
    ]
    with (
        tempfile.TemporaryDirectory() as project,
        Supervisor(folder=project, rules=[StagingOnly()], programs=PROGRAMS) as supervisor,
    ):
        for tool, tool_input in calls:
            verdict = supervisor.before(tool, tool_input)
            print(tool, *tool_input.values(), "->", verdict.decision)
            print(verdict.guidance)


if __name__ == "__main__":
    main()
