"""Nothing: what a start and an end cost."""

import told

told.working()
told.done()
