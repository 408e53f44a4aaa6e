"""`make bench`: starts the benchmarks, which import from here and from tests/."""

import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    from benchmarks.report import main

    main()
