"""`python -m ingot`: the command line."""

from __future__ import annotations

from ingot.cli.main import main

if __name__ == "__main__":
    main()
