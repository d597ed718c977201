"""A part that has to be ended by force."""

import os
import signal
import socket
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
with socket.socket() as listener:
    listener.bind(("127.0.0.1", int(os.environ["COMMONS_LOCAL_PORT"])))
    listener.listen()
    time.sleep(600)
