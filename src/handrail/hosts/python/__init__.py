"""Programs that use Handrail as a library (`import handrail`)."""
