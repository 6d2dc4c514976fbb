# Hosts a service: host.py IDENTITY SERVICE. Says back what it gets and, once the client has closed its half, what
# the digest of all of it is.
import hashlib
import sys
import threading

import openziti

CHUNK = 1 << 16

identity, service = sys.argv[1:]
listener = openziti.load(identity).bind(service)
listener.listen(16)
print("listening", flush=True)


def serve(connection):
    digest, total = hashlib.sha256(), 0
    while chunk := connection.recv(CHUNK):
        connection.sendall(chunk)
        digest.update(chunk)
        total += len(chunk)
    connection.sendall(digest.digest())
    print("served", total, flush=True)
    connection.close()


while True:
    connection, _ = listener.accept()
    threading.Thread(target=serve, args=(connection,), daemon=True).start()
