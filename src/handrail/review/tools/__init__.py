"""What a tool call does: its input taken apart, and the text that it writes."""
