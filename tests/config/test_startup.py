"""What a hook pays before it can review anything."""

import subprocess
import sys
from pathlib import Path


def test_nothing_slow_is_imported_until_a_file_is_found(tmp_path: Path) -> None:
    code = (
        "import sys, handrail.config as c\n"
        f"c.resolve_scope(c.load_settings({str(tmp_path)!r}, environ={{}}).config, '/srv')\n"
        "print(*sorted({'yaml', 'rich', 'click', 'tempfile', 'dataclasses'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
