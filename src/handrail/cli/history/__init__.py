"""The log as `handrail log`, `explain` and `run` show it."""
