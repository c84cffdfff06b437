"""Rules: what decides, and its file."""
