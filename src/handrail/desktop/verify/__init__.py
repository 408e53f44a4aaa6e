"""Compares files with what a session should have made of them."""
