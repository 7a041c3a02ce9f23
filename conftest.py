"""What must be set before anything is imported."""

import os
import signal

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # or scikit-learn skips its check of array API input

pytest_plugins = ["tests.support.recording"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Started in the background, where shells have Ctrl-C ignored: tests send it, to this process and to its children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
