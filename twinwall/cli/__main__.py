"""``python -m twinwall.cli``: the ``twinwall`` command for programs that start other parts of the project."""

import sys

from twinwall.cli import main

sys.exit(main())
