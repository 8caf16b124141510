"""``python -m twinwall.cli``: the front door for programs that start other parts of the project."""

import sys

from twinwall.cli import main

sys.exit(main())
