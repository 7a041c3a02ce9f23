"""Runs the command line: ``python -m manyjudges``."""

import sys

INTERRUPTED = 130
"""Exit code of a program that Ctrl-C stopped."""


def main() -> None:
    """Run the command line; Ctrl-C stops it without a traceback, also while it is still loading."""
    try:
        from manyjudges.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
