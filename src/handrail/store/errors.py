"""The errors of the log.

StoreError
├── DiskFullError      there is no room for another entry
├── DamagedError       the file is not a log of ours, or its pages are broken
├── NewerSchemaError   written by a newer Handrail
└── ClosedError        used after it was closed
"""

from handrail.store.receipt import Receipt


class StoreError(Exception):
    """The log cannot be read or written."""

    def __init__(self, path: str, says: str) -> None:
        super().__init__(f"{path}: {says}" if path else says)
        self.path = path
        self.says = says


class DiskFullError(StoreError):
    """There is no room for another entry."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "the disk is full")


class DamagedError(StoreError):
    """The file is not a log of Handrail, or parts of it are damaged."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(path, f"the log is damaged ({problem})")
        self.problem = problem


class NewerSchemaError(StoreError):
    """A newer Handrail wrote the log."""

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            path, f"written by a newer Handrail (schema {found}, this one knows {known})"
        )
        self.found = found
        self.known = known


class ClosedError(StoreError):
    """Somebody used the log after closing it."""

    def __init__(self, path: str = "") -> None:
        super().__init__(path, "the log is closed")


def failed_receipt(error: StoreError) -> Receipt:
    """Return the receipt of a call that wrote nothing."""
    receipt = Receipt()
    receipt.set_exception(error)
    return receipt
