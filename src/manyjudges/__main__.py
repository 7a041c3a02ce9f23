"""``python -m manyjudges`` is the command line, too."""

from manyjudges.cli.main import main

main()
