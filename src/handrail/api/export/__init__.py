"""A whole run as one self-contained page."""
