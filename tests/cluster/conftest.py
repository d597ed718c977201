"""Tests that only make sense on the real cluster: COMMONS_TEST_KUBERNETES=real collects them."""

import os

collect_ignore_glob = [] if os.environ.get("COMMONS_TEST_KUBERNETES") == "real" else ["*"]
