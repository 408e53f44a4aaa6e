"""What the screen knows: the runs, the timeline, what is chosen and typed."""
