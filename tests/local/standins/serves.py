"""A part that listens, with a child of its own that would outlive it."""

import os
import socket
import subprocess
import sys
import time

with socket.socket() as listener:
    listener.bind(("127.0.0.1", int(os.environ["COMMONS_LOCAL_PORT"])))
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    sys.stdout.write(f"child {child.pid} of {os.environ['COMMONS_LOCAL_HOME']}\n")
    sys.stdout.flush()
    listener.listen()  # last: whoever sees it listen finds its log written
    time.sleep(600)
