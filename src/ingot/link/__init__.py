"""Tool chains and linking: the only room that starts processes."""
