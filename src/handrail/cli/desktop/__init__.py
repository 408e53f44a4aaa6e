"""What `handrail desktop` prints and does, one file per command."""
