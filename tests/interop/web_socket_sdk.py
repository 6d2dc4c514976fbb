"""An SDK in a browser, as a router sees it: TLS with a certificate within a WebSocket.

Logs in with an identity's file, connects to the WebSocket of a router at a port of this computer, and asks for a
latency probe to be answered.
"""

import json
import ssl
import struct
import sys
import tempfile
import urllib.request

from websockets.sync.client import connect

HELLO, RESULT, LATENCY = 0, 2, 3
REPLY_FOR, SUCCESS, SESSION_TOKEN = 1, 2, 1002
TIMEOUT = 20


def files_of(identity, folder):
    """The certificates and the key, as files."""
    names = {}
    for name in ("cert", "key", "ca"):
        names[name] = f"{folder}/{name}.pem"
        with open(names[name], "w", encoding="utf-8") as file:
            file.write(identity["id"][name].removeprefix("pem:"))
    return names


def context(files, has_certificate):
    trusting = ssl.create_default_context(cafile=files["ca"])
    if has_certificate:
        trusting.load_cert_chain(files["cert"], files["key"])
    return trusting


def log_in(api, files):
    request = urllib.request.Request(
        f"{api}/authenticate?method=cert", b"{}", {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT, context=context(files, True)) as answer:
        return json.load(answer)["data"]["token"]


class Channel:
    """Frames of the channel protocol, in TLS, in messages of a WebSocket."""

    def __init__(self, socket, trusting):
        self.socket = socket
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.tls = trusting.wrap_bio(self.incoming, self.outgoing, server_hostname="localhost")
        self.do(self.tls.do_handshake)

    def do(self, step):
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                self.flush()
                self.incoming.write(self.socket.recv(timeout=TIMEOUT))
            else:
                self.flush()
                return result

    def flush(self):
        if pending := self.outgoing.read():
            self.socket.send(pending)

    def read(self, length):
        data = b""
        while len(data) < length:
            part = self.do(lambda: self.tls.read(length - len(data)))
            if not part:
                raise EOFError("the router has closed the channel")
            data += part
        return data

    def send(self, kind, sequence, headers):
        encoded = b"".join(
            struct.pack("<II", key, len(value)) + value for key, value in headers.items()
        )
        start = b"\x03\x06\x09\x0c" + struct.pack("<IiII", kind, sequence, len(encoded), 0)
        self.do(lambda: self.tls.write(start + encoded))

    def receive(self):
        kind, _sequence, size, rest = struct.unpack("<4xIiII", self.read(20))
        data, headers = self.read(size), {}
        body = self.read(rest)
        while data:
            key, length = struct.unpack_from("<II", data)
            headers[key], data = data[8 : 8 + length], data[8 + length :]
        return kind, headers, body


def main(identity, port):
    with open(identity, encoding="utf-8") as file:
        identity = json.load(file)
    with tempfile.TemporaryDirectory() as folder:
        files = files_of(identity, folder)
        token = log_in(identity["ztAPI"], files)
        outer, inner = context(files, False), context(files, True)
        with connect(f"wss://localhost:{port}/ws", ssl=outer, open_timeout=TIMEOUT) as socket:
            channel = Channel(socket, inner)
            channel.send(HELLO, -1, {SESSION_TOKEN: token.encode()})
            kind, headers, body = channel.receive()
            if kind != RESULT or headers.get(SUCCESS) != b"\x01":
                sys.exit(f"refused: {body.decode()}")
            channel.send(LATENCY, 7, {})
            while True:
                kind, headers, _body = channel.receive()
                if kind == RESULT and headers.get(REPLY_FOR) == struct.pack("<i", 7):
                    break
    print("let in")


main(*sys.argv[1:])
