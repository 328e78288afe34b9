"""How values lie in memory."""
