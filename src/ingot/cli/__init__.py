"""The command line: arguments → calls → text."""
