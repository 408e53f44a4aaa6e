"""Count iterations without progress and errors in a row, for the loop of one task."""

import msgspec

STALL_ITERATIONS = 5
ERRORS_IN_A_ROW = 3


class LoopCounters(msgspec.Struct, frozen=True, kw_only=True):
    """Counters after each turn of a loop; every method returns the next ones."""

    idle: int = 0
    """Iterations in a row without a commit and without a changed file."""
    errors: int = 0
    """Errors in a row."""

    def after_iteration(self, *, committed: bool, changed_files: bool) -> "LoopCounters":
        """Count an iteration that came to its end: it ends a row of errors."""
        return LoopCounters(idle=0 if committed or changed_files else self.idle + 1)

    def after_error(self, *, outside: bool = False) -> "LoopCounters":
        """Count a failed turn. `outside`: a rate limit or an overload, which is nobody's error."""
        return self if outside else LoopCounters(idle=self.idle, errors=self.errors + 1)

    def without_stall(self) -> "LoopCounters":
        """Start to count idle iterations anew: the stall was reported, or the task changed."""
        return LoopCounters(errors=self.errors)

    def without_errors(self) -> "LoopCounters":
        """Start to count errors anew: a person has resumed the task."""
        return LoopCounters(idle=self.idle)

    def is_stalled(self, most: int = STALL_ITERATIONS) -> bool:
        """Return whether nothing has moved for this many iterations; 0: never a stall."""
        return 0 < most <= self.idle

    def must_pause(self, most: int = ERRORS_IN_A_ROW) -> bool:
        """Return whether there were this many errors in a row; 0: never a pause."""
        return 0 < most <= self.errors
