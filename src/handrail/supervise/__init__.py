"""One run: its state as a fold of events, and the supervisor that joins everything."""
