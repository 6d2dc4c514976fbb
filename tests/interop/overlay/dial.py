# Dials a service of host.py: dial.py IDENTITY SERVICE BYTES. Sends so many bytes, closes its half, and checks that
# they come back with their digest, which comes only after the half close. It does not wait for the end: the SDK
# does not tell a program that has closed its half when the other one is closed as well.
import hashlib
import os
import socket
import sys
import threading

import openziti

CHUNK = 1 << 16

identity, service, length = sys.argv[1:]
data = os.urandom(int(length))
expected = data + hashlib.sha256(data).digest()
# By name, the package cannot dial.
connection = openziti.load(identity).connect((f"{service}.test", 80))


def send():
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)


threading.Thread(target=send, daemon=True).start()
received = b""
while len(received) < len(expected) and (chunk := connection.recv(CHUNK)):
    received += chunk
if received != expected:
    sys.exit(f"{len(received)} bytes came back, which are not the {len(expected)} that were expected")
print("exchanged", len(data), "bytes", flush=True)
# The SDK's own thread does not end.
os._exit(0)
