# Carries packets between two TUN interfaces: bad_line.py INTERFACE INTERFACE. In either direction, all packets
# wait for 25 ms but every fourth, which overtakes the others, and one in a hundred is lost.
import fcntl
import heapq
import itertools
import os
import random
import selectors
import struct
import sys
import time

TUNSETIFF = 0x400454CA
TUN_WITHOUT_HEADER = 0x1001
DELAY, LOSS, REORDER = 0.025, 0.01, 0.25
LONGEST_QUEUE = 1000


def attach(interface):
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", interface.encode(), TUN_WITHOUT_HEADER))
    return tun


ends = [attach(interface) for interface in sys.argv[1:]]
selector = selectors.DefaultSelector()
for end, other in zip(ends, reversed(ends)):
    selector.register(end, selectors.EVENT_READ, other)
print("carrying", flush=True)

chance, order, waiting = random.Random(25), itertools.count(), []
while True:
    pause = waiting[0][0] - time.monotonic() if waiting else None
    for key, _ in selector.select(pause and max(pause, 0)):
        try:
            packet = os.read(key.fd, 1 << 16)
        except OSError:
            # The interface is not up.
            continue
        if chance.random() < LOSS or len(waiting) >= LONGEST_QUEUE:
            continue
        due = time.monotonic() + (0 if chance.random() < REORDER else DELAY)
        heapq.heappush(waiting, (due, next(order), key.data, packet))
    while waiting and waiting[0][0] <= time.monotonic():
        _, _, end, packet = heapq.heappop(waiting)
        try:
            os.write(end, packet)
        except OSError:
            pass
