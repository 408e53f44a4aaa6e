"""Draw the pictures of README and docs from real runs: `make pictures`."""

import json
import sys

from scripts.pictures.gallery import FOLDER, NAMES, PANEL_LABELS, picture
from scripts.pictures.panel import PANEL_SCENES, missing, take


def main() -> int:
    """Write the pictures named on the command line, or all."""
    FOLDER.mkdir(exist_ok=True)
    wanted = sys.argv[1:] or [*NAMES, *PANEL_SCENES]
    for name in wanted:
        if name in NAMES:
            (FOLDER / f"{name}.svg").write_text(picture(name))
            print(f"docs/pictures/{name}.svg")
    _of_panel([name for name in wanted if name in PANEL_SCENES])
    return 0


def _of_panel(names: list[str]) -> None:
    """Take the pictures of the panel, and write down what they say."""
    if names and missing():
        print(f"\n!!! SKIPPED: {missing()}, so no pictures of the panel\n", file=sys.stderr)
        return
    labels = json.loads(PANEL_LABELS.read_text()) if PANEL_LABELS.exists() else {}
    for name, taken in take(names) if names else ():
        (FOLDER / f"{name}.webp").write_bytes(taken.image)
        labels[name] = taken.labels
        print(f"docs/pictures/{name}.webp")
    PANEL_LABELS.write_text(json.dumps(labels, indent=1, ensure_ascii=False, sort_keys=True) + "\n")


if __name__ == "__main__":
    sys.exit(main())
