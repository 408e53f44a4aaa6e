"""`python -m handrail`."""

import sys

from handrail.cli import main

sys.exit(main())
