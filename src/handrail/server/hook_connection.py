"""How hooks reach this user's daemon."""

import os

from handrail.hosts.port import HookConnection
from handrail.server.home import Home


def hook_connection(home: Home, *, dry_run: bool = False) -> HookConnection:
    """Describe how hooks reach this user's daemon. A dry run makes no state folder for that."""
    if dry_run and not os.path.isdir(home.path):
        return HookConnection("PORT", "", home.client_path, home.installs)
    return HookConnection(home.port, home.hook_token, home.client_path, home.installs)
