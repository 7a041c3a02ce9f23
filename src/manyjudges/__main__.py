"""Runs the command line: ``python -m manyjudges``."""

import sys

from manyjudges.base.version import __version__

INTERRUPTED = 130
"""Exit code of a program that Ctrl-C stopped."""


def main() -> None:
    """Run the command line; Ctrl-C stops it without a traceback, also while it is still loading.

    The version is printed here, as all that the command line loads to read its options takes longer than the answer.
    """
    try:
        if sys.argv[1:] == ["--version"]:
            sys.stdout.write(f"manyjudges {__version__}\n")
            return
        from manyjudges.cli.main import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
