"""All runs of a daemon, and the settings of their projects."""
