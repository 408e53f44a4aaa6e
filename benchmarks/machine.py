"""What the numbers were measured on; no names of hosts, users or folders."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path


def machine_lines() -> list[str]:
    """Facts about the machine, one a line."""
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("tree-sitter", "tree-sitter-bash", "msgspec")
    )
    return [
        f"- measured on {datetime.now(UTC):%Y-%m-%d}, load {os.getloadavg()[0]:.1f} at first",
        f"- {_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
        f"- {platform.python_implementation()} {platform.python_version()}, {packages}",
    ]


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    for line in info.read_text().splitlines() if info.exists() else ():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"
