"""Saves and restores a work tree through git plumbing."""
