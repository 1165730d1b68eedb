"""`python -m polyorama_studio`."""

import sys

from polyorama_studio.app import main

sys.exit(main())
