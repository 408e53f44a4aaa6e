"""Chooses what takes the pictures. The packages load when they are needed: they are an extra."""

from collections.abc import Mapping
from typing import Final

from handrail.desktop.capture.screenshot import CaptureBackend, CaptureTarget
from handrail.desktop.errors import CaptureError, DesktopError, MissingPackageError, NoDisplayError
from handrail.desktop.packages import load

AUTO = "auto"
BACKENDS: Final[Mapping[str, str]] = {
    "mss": "handrail.desktop.capture.mss_backend:MssBackend",
    "scrot": "handrail.desktop.capture.scrot_backend:ScrotBackend",
}
"""In the order in which `auto` tries them."""


def open_backend(name: str = AUTO, display: str = "") -> CaptureBackend:
    """Return what takes the pictures; raises MissingPackageError."""
    if name != AUTO:
        return _load(name, display)
    problem: DesktopError | None = None
    for each in BACKENDS:
        try:
            backend = _load(each, display)
            return _tried(backend)
        except (MissingPackageError, CaptureError) as error:
            # The first one is the better one, so its fix is the one to tell.
            problem = problem or error
    raise problem or CaptureError("nothing can take pictures")


def _tried(backend: CaptureBackend) -> CaptureBackend:
    """Return it if it can read this screen: mss cannot read one with 16 bits for a pixel."""
    try:
        backend.grab(CaptureTarget())
    except NoDisplayError:
        # It may come later, and is probably an ordinary one.
        return backend
    except CaptureError:
        backend.close()
        raise
    return backend


def _load(name: str, display: str) -> CaptureBackend:
    module, _, kind = BACKENDS[name].partition(":")
    backend: CaptureBackend = getattr(load(module), kind)(display)
    return backend
