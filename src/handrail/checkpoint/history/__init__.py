"""The user's repository at each checkpoint, and the way back to it."""
