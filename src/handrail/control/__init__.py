"""The control protocol: requests from people and programs, and the answers to them."""
