"""From views of the log to the messages of the API: pure functions, one file per subject."""
