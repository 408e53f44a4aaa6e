"""One file per host."""
