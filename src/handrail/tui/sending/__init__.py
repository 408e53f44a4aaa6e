"""Commands on their way from the screen to the daemon."""
