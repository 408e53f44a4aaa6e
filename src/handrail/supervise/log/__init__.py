"""Events of runs on their way to the log and back."""
