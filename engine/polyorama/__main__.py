"""``python -m polyorama``."""

import sys

from polyorama.cli import main

if __name__ == "__main__":
    sys.exit(main())
