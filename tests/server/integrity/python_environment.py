"""A virtual environment with packages and their records, as pip leaves them."""

import os
from base64 import urlsafe_b64encode
from hashlib import sha256
from pathlib import Path

from handrail.server.integrity.package_files import Packages, find_changes


class PythonEnvironment:
    """A virtual environment with two packages, and how it was when somebody looked."""

    def __init__(self, root: Path) -> None:
        self.site = root / "lib" / "site-packages"
        (root / "bin").mkdir(parents=True)
        self.python = root / "bin" / "python"
        self.python.symlink_to("/usr/bin/env")
        self.config = root / "pyvenv.cfg"
        self.config.write_text("home = /usr/bin\n")
        self.install("handrail", "1.0", {"handrail/review/rules.py": "RULES = 1\n"})
        self.install("Rich_Text", "2.0", {"rich/box.py": "BOX = 1\n", "rich/fast.so": "x"})
        self.packages = Packages(
            (str(self.site),),
            ("handrail", "rich-text"),
            str(self.python),
            os.path.realpath(self.python),
            self.config.read_text(),
            since=0.0,
        )
        self.look()

    def install(self, name: str, version: str, files: dict[str, str]) -> None:
        """What pip does: the files, and the record of them."""
        rows = []
        for path, text in files.items():
            place = self.site / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text)
            digest = urlsafe_b64encode(sha256(text.encode()).digest()).rstrip(b"=").decode()
            rows.append(f"{path},sha256={digest},{len(text)}")
        info = self.site / f"{name}-{version}.dist-info"
        info.mkdir(exist_ok=True)
        rows += [f"{path}/__pycache__/x.pyc,," for path in files]
        (info / "RECORD").write_text("\n".join([*rows, f"{info.name}/RECORD,,", ""]))

    def look(self) -> None:
        """Somebody looks, after all that was done before."""
        mark = self.site.parent / "mark"
        newest = max(path.lstat().st_ctime for path in self.site.rglob("*"))
        mark.touch()
        while mark.stat().st_ctime <= newest:  # until the clock of the file system goes on
            mark.touch()
        self.packages = self.packages._replace(since=mark.stat().st_ctime)

    def changes(self) -> list[str]:
        """What was changed since."""
        return [os.path.relpath(each, self.site) for each in find_changes(self.packages)]
