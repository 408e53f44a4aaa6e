"""Loads a module that needs the packages of the extra `desktop`, or says how to get them."""

from importlib import import_module
from types import ModuleType

from handrail.desktop.errors import MissingPackageError

_PACKAGES = {"jeepney": "jeepney", "mss": "mss", "PIL": "Pillow", "Xlib": "python-xlib"}
_FIX = "pip install 'handrail[desktop]'"


def load(module: str) -> ModuleType:
    """Import a module; raises MissingPackageError if a package of the extra is not installed."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _PACKAGES:
            raise
        raise MissingPackageError(_PACKAGES[package], _FIX) from error
