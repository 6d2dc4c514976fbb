# Fetches a page and posts another, over the sockets of the SDK: page_client.py IDENTITY URL.
import hashlib
import os
import sys

import openziti
import requests

identity, url = sys.argv[1:]
openziti.load(identity)
openziti.monkeypatch()

# One connection for both requests: the package cannot dial twice.
# The SDK may leave what has arrived in a buffer until its next probe of the latency, sent once a minute.
TIMEOUT = 85
session = requests.Session()
page = session.get(url, timeout=TIMEOUT).content
if page != hashlib.shake_256(b"page").digest(3_000_000):
    sys.exit(f"the page has {len(page)} bytes, or others than it should have")
sent = os.urandom(1_000_000)
answer = session.post(url, data=sent, timeout=TIMEOUT).text
if answer != hashlib.sha256(sent).hexdigest():
    sys.exit(f"the server has got other bytes: {answer!r}")
print("fetched", len(page), "bytes", flush=True)
# The SDK's own thread does not end.
os._exit(0)
