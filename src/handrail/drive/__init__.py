"""Drive an agent in a loop until it is done."""
