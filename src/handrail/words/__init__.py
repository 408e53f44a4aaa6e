"""What people are told about runs and events: said once, for the command line and the screen."""
