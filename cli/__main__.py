"""``python -m cli``: the ``twinwall`` command for programs that start other parts of the project."""

import sys

from cli import main

sys.exit(main())
