"""The processes of a run: found, frozen, ended, and read back from the system."""
