"""The result of a test suite, as far as anybody counted it."""

import msgspec

MOST = 9_999_999
"""The largest count that is believed: more is a text that happens to look like a summary."""


class SuiteResult(msgspec.Struct, frozen=True):
    """Tests that passed and tests that failed; skipped ones count as neither."""

    passed: int
    failed: int

    @property
    def total(self) -> int:
        """Return the number of tests that ran."""
        return self.passed + self.failed

    def __add__(self, other: "SuiteResult") -> "SuiteResult":
        """Join the results of two suites."""
        return SuiteResult(
            min(self.passed + other.passed, MOST), min(self.failed + other.failed, MOST)
        )

    def __str__(self) -> str:
        """Return `4/6`."""
        return f"{self.passed}/{self.total}"
