"""Graph passes, Model → Model, one a file."""
