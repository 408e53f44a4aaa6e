"""The threads of the daemon, and how they hand work to each other."""
