"""Authenticator apps (RFC 6238)."""

import base64
import hashlib
import hmac
import struct
import time


class Authenticator:
    """An authenticator app. It gives no code twice."""

    def __init__(self, secret, last=0):
        self.key = base64.b32decode(secret)
        self.last = last

    @classmethod
    def in_use(cls, secret):
        """The app of somebody who has used the oldest code that counts."""
        return cls(secret, last=int(time.time() + 5) // 30 - 1)

    def code(self):
        while True:
            # Of a step that does not end before the code arrives.
            step = max(int(time.time() + 5) // 30 - 1, self.last + 1)
            if step <= int(time.time()) // 30 + 1:
                break
            time.sleep(0.2)
        self.last = step
        return self.at(step)

    def at(self, step):
        digest = hmac.new(self.key, struct.pack(">Q", step), hashlib.sha1).digest()
        offset = digest[-1] & 15
        number = struct.unpack(">I", digest[offset:offset + 4])[0] & 0x7FFFFFFF
        return f"{number % 1000000:06d}"

    def wrong_code(self):
        step = int(time.time()) // 30
        near = [self.at(step + away) for away in range(-4, 5)]
        return next(code for code in map("{:06d}".format, range(100)) if code not in near)
