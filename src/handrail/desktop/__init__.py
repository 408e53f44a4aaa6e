"""An unattended graphical session is seen, unstuck and verified.

`Watch` is where to begin; docs/desktop.md explains all names. Each is loaded when it is used first.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.config.desktop import Desktop
    from handrail.desktop.capture.screenshot import CaptureTarget
    from handrail.desktop.errors import (
        DesktopError,
        MissingPackageError,
        NoDisplayError,
        RecoveryError,
    )
    from handrail.desktop.recover.file_opener import FileOpener
    from handrail.desktop.replay.safe_point import SafePoint, WorkAbortedError
    from handrail.desktop.watch.desktop_watch import Watch
    from handrail.desktop.watch.worker import DesktopWorker, WorkerProgress
    from handrail.model.desktop import CheckOutcome, DesktopCheck, RecoveryStep, ScreenStatus

__all__ = [
    "CaptureTarget",
    "CheckOutcome",
    "Desktop",
    "DesktopCheck",
    "DesktopError",
    "DesktopWorker",
    "FileOpener",
    "MissingPackageError",
    "NoDisplayError",
    "RecoveryError",
    "RecoveryStep",
    "SafePoint",
    "ScreenStatus",
    "Watch",
    "WorkAbortedError",
    "WorkerProgress",
]

_MODULES = {
    "config.desktop": "Desktop",
    "desktop.capture.screenshot": "CaptureTarget",
    "desktop.errors": "DesktopError MissingPackageError NoDisplayError RecoveryError",
    "desktop.recover.file_opener": "FileOpener",
    "desktop.replay.safe_point": "SafePoint WorkAbortedError",
    "desktop.watch.desktop_watch": "Watch",
    "desktop.watch.worker": "DesktopWorker WorkerProgress",
    "model.desktop": "CheckOutcome DesktopCheck RecoveryStep ScreenStatus",
}
_HOME = {name: module for module, names in _MODULES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    """Load a public name when it is used first."""
    module = _HOME.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"handrail.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
