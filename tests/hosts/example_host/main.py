"""`handrail` with one more row in the table of hosts: `python -m tests.hosts.example_host.main`."""

import sys

import handrail.hosts

handrail.hosts.HOSTS["example"] = "tests.hosts.example_host"

if __name__ == "__main__":
    from handrail.cli import main

    sys.exit(main())
