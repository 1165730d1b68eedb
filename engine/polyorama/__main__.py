"""``python -m polyorama``."""

import sys

try:
    from polyorama.cli import main
except KeyboardInterrupt:  # Ctrl-C while Python still reads the program
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main())
