"""The fleets in the daemon: it holds their engines, and answers for them."""
