"""Control requests from the command line: whom they go to, and how far each has come."""
