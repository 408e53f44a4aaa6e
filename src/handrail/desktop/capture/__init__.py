"""Pictures of the screen or of a window."""
