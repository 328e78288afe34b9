"""Loading and running: devices, loaders, modules, executors. Imports no compiler."""
