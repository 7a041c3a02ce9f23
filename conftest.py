"""What must be set before anything is imported."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # or scikit-learn skips its check of array API input

pytest_plugins = ["tests.support.recording"]
