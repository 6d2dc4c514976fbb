# Serves a page to those who dial a service: page_server.py IDENTITY SERVICE. Nothing but the first lines knows
# of the network: the sockets of Python are replaced by those of the SDK.
import hashlib
import http.server
import sys

import openziti

identity, service = sys.argv[1:]
ADDRESS = ("page.test", 80)
openziti.monkeypatch(bindings={ADDRESS: {"ztx": identity, "service": service}})

PAGE = hashlib.shake_256(b"page").digest(3_000_000)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(PAGE)))
        self.end_headers()
        self.wfile.write(PAGE)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        answer = hashlib.sha256(body).hexdigest().encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def address_string(self):
        return "a client"


server = http.server.ThreadingHTTPServer(ADDRESS, Handler)
print("listening", flush=True)
server.serve_forever()
