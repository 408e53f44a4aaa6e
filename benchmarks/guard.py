"""What a guard is without a daemon: a Python process that reviews one call, notes it, and ends.

`python benchmarks/guard.py LOG` reads the payload of a hook on its standard input.
"""

import json
import os
import sys

from handrail.config import load_settings
from handrail.model import Action
from handrail.review import Reviewer

if __name__ == "__main__":
    given = json.load(sys.stdin)
    settings = load_settings(given["cwd"], environ=os.environ)
    action = Action(given["tool_name"], given["tool_input"], given["cwd"])
    review = Reviewer(settings.config).review(action)
    with open(sys.argv[1], "a") as log:
        log.write(json.dumps([action.input, review.decision.value]) + "\n")
        log.flush()
        os.fsync(log.fileno())
    print(json.dumps({"decision": review.decision.value}))
