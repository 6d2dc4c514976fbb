# Carries packets between two TUN interfaces, or from one back to it: DELAY LOSS REORDER INTERFACE [INTERFACE],
# the delay in seconds, the others in percent. In either direction, packets wait but those that are reordered, which
# overtake the others, and those that are lost. Ends with its standard input.
#
# Packets that go back have source and destination exchanged, which leaves their checksums as they are.
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
LONGEST_QUEUE = 1000
delay = float(sys.argv[1])
loss, reorder = (float(percent) / 100 for percent in sys.argv[2:4])


def attach(interface):
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", interface.encode(), TUN_WITHOUT_HEADER))
    return tun


def unchanged(packet):
    return packet


def exchanged(packet):
    if packet[0] >> 4 != 4:
        return b""
    return packet[:12] + packet[16:20] + packet[12:16] + packet[20:]


ends = [attach(interface) for interface in sys.argv[4:]]
passed = unchanged if len(ends) > 1 else exchanged
selector = selectors.DefaultSelector()
selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
for end, other in zip(ends, reversed(ends)):
    selector.register(end, selectors.EVENT_READ, other)
print("carrying", flush=True)

chance, order, waiting = random.Random(25), itertools.count(), []
while True:
    pause = waiting[0][0] - time.monotonic() if waiting else None
    for key, _ in selector.select(pause and max(pause, 0)):
        if key.data is None:
            sys.exit()
        try:
            packet = passed(os.read(key.fd, 1 << 16))
        except OSError:
            # The interface is not up.
            continue
        if not packet or chance.random() < loss or len(waiting) >= LONGEST_QUEUE:
            continue
        due = time.monotonic() + (0 if chance.random() < reorder else delay)
        heapq.heappush(waiting, (due, next(order), key.data, packet))
    while waiting and waiting[0][0] <= time.monotonic():
        _, _, end, packet = heapq.heappop(waiting)
        try:
            os.write(end, packet)
        except OSError:
            pass
