"""A part that never listens."""

import time

time.sleep(600)
