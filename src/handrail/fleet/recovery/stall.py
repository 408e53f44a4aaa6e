"""Count iterations without progress, for the loop of one task."""

import msgspec

STALL_ITERATIONS = 5


class IdleCounter(msgspec.Struct, frozen=True):
    """Iterations in a row without a commit and without a changed file."""

    idle: int = 0

    def after_iteration(self, *, committed: bool, changed_files: bool) -> "IdleCounter":
        """Count an iteration that came to its end."""
        return IdleCounter(0 if committed or changed_files else self.idle + 1)

    def is_stalled(self, most: int = STALL_ITERATIONS) -> bool:
        """Return whether nothing has moved for this many iterations; 0: never a stall."""
        return 0 < most <= self.idle
