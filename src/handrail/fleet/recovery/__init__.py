"""What becomes of lost attempts, and what the next one is told."""
