"""Where Handrail keeps its state: known without importing anything that works with it."""

from collections.abc import Mapping


def state_folder(environ: Mapping[str, str]) -> str:
    """`$HANDRAIL_HOME`, by default in the XDG state folder."""
    if own := environ.get("HANDRAIL_HOME"):
        return own.rstrip("/")
    base = environ.get("XDG_STATE_HOME") or f"{environ.get('HOME', '')}/.local/state"
    return f"{base}/handrail"
