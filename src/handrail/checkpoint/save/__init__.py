"""Takes a checkpoint: finds what changed, stages it, writes tree, commit and record."""
