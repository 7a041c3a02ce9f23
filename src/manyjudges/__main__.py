"""``python -m manyjudges`` is the command line, too."""

from manyjudges.cli import main

main()
