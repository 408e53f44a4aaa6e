"""The sentences about runs and events, for the command line and the screen."""
