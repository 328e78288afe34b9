"""Several nodes become one."""
