"""Draw the pictures of README and docs from real runs: `make pictures`."""

import sys

from scripts.pictures.gallery import FOLDER, NAMES, picture


def main() -> int:
    """Write the pictures named on the command line, or all."""
    FOLDER.mkdir(exist_ok=True)
    for name in sys.argv[1:] or NAMES:
        (FOLDER / f"{name}.svg").write_text(picture(name))
        print(f"docs/pictures/{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
