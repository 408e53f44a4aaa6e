"""What people are shown of the log: runs, timelines, fleets. It only reads."""
