"""Connections that are cut: a TCP proxy for tests of nodes.

A Proxy has any number of doors: local addresses, each of which leads to the address of a node. What goes through a door is passed on
unchanged until somebody cuts it: both ends see a reset then, as when a router forgets the connection. A door can also be shut (who
calls is reset at once) or frozen (nothing is passed on, nothing is said: a cable that was pulled), for a while.
"""

import random
import select
import socket
import struct
import threading
import time

CHUNK = 1 << 16
BUFFER = 1 << 18  # so much is read ahead of whoever is slow


class Pair:
    """A connection through a door: the caller's socket and the one to the node."""

    def __init__(self, door, caller, target):
        self.door, self.sockets = door, (caller, target)
        self.waiting = {caller: bytearray(), target: bytearray()}  # for that socket
        self.passed, self.limit = 0, door.draw_limit()
        self.is_connected, self.is_cut = False, False

    def other(self, one):
        return self.sockets[1] if one is self.sockets[0] else self.sockets[0]


class Door:
    def __init__(self, proxy, name, target, host):
        self.proxy, self.name, self.target = proxy, name, target
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind((host, 0))
        self.listener.listen(64)
        self.listener.setblocking(False)
        self.address = "%s:%d" % self.listener.getsockname()
        self.pairs = set()
        self.shut_until = self.frozen_until = 0
        self.limits = None  # (least, most): each connection is cut when so many bytes have passed

    def draw_limit(self):
        return self.proxy.draw.uniform(*self.limits) if self.limits else float("inf")


class Proxy(threading.Thread):
    def __init__(self, seed=0):
        super().__init__(daemon=True)
        self.draw = random.Random(seed)
        self.lock = threading.RLock()
        self.doors, self.by_listener, self.by_socket = {}, {}, {}
        self.cuts = self.bytes = self.calls = 0
        self.cuts_max = None  # connections are not cut by themselves any more when there were so many
        self.on_cut = None
        self.poller = select.epoll()
        self.files = {}
        self.is_over = False

    def door(self, name, target, host="127.0.0.1"):
        with self.lock:
            door = Door(self, name, target, host)
            self.doors[name] = door
            self.by_listener[door.listener.fileno()] = door
            self.poller.register(door.listener.fileno(), select.EPOLLIN)
        return door

    # ---- what tests do ----

    def live(self):
        """Connections that something has gone through."""
        with self.lock:
            return [pair for door in self.doors.values() for pair in door.pairs if pair.passed > 0]

    def cut(self, pair):
        with self.lock:
            if pair.is_cut:
                return False
            self.drop(pair, reset=True)
            self.cuts += 1
        if self.on_cut:
            self.on_cut(pair)
        return True

    def shut(self, door, seconds):
        with self.lock:
            door.shut_until = time.monotonic() + seconds
            for pair in list(door.pairs):
                self.cut(pair)

    def freeze(self, door, seconds):
        with self.lock:
            door.frozen_until = time.monotonic() + seconds
            for pair in door.pairs:
                self.arm(pair)

    def stop(self):
        self.is_over = True
        self.join()
        with self.lock:
            for door in self.doors.values():
                for pair in list(door.pairs):
                    self.drop(pair, reset=False)
                door.listener.close()
        self.poller.close()

    # ---- passing on ----

    def run(self):
        while not self.is_over:
            events = self.poller.poll(0.02)
            with self.lock:
                self.thaw()
                for number, event in events:
                    if number in self.by_listener:
                        self.accept(self.by_listener[number])
                    elif number in self.by_socket:
                        self.ready(number, event)

    def thaw(self):
        now = time.monotonic()
        for door in self.doors.values():
            if door.frozen_until and door.frozen_until <= now:
                door.frozen_until = 0
                for pair in door.pairs:
                    self.arm(pair)

    def accept(self, door):
        try:
            caller, _ = door.listener.accept()
        except OSError:
            return
        self.calls += 1
        if door.shut_until > time.monotonic():
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            caller.close()
            return
        target = socket.socket()
        for one in (caller, target):
            one.setblocking(False)
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        host, port = door.target.rsplit(":", 1)
        target.connect_ex((host, int(port)))
        pair = Pair(door, caller, target)
        door.pairs.add(pair)
        for one in pair.sockets:
            self.by_socket[one.fileno()] = (pair, one)
            self.poller.register(one.fileno(), 0)
        self.arm(pair)

    def arm(self, pair):
        if pair.is_cut:
            return
        frozen = pair.door.frozen_until > time.monotonic()
        for one in pair.sockets:
            events = 0
            if not frozen:
                if len(pair.waiting[pair.other(one)]) < BUFFER:
                    events |= select.EPOLLIN
                if pair.waiting[one] or (not pair.is_connected and one is pair.sockets[1]):
                    events |= select.EPOLLOUT
            self.poller.modify(one.fileno(), events)

    def ready(self, number, event):
        pair, one = self.by_socket[number]
        if pair.door.frozen_until > time.monotonic() and not event & (select.EPOLLERR | select.EPOLLHUP):
            return
        try:
            if event & select.EPOLLOUT:
                pair.is_connected = True
                self.write(pair, one)
            if event & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
                data = one.recv(CHUNK)
                if not data:
                    self.finish(pair, one)
                    return
                pair.waiting[pair.other(one)] += data
                if pair.is_connected:
                    self.write(pair, pair.other(one))
            if not pair.is_cut:
                self.arm(pair)
        except BlockingIOError:
            self.arm(pair)
        except OSError:
            self.drop(pair, reset=True)

    def write(self, pair, one):
        waiting = pair.waiting[one]
        if not waiting or pair.is_cut:
            return
        room = len(waiting)
        is_last = pair.passed + room >= pair.limit and (self.cuts_max is None or self.cuts < self.cuts_max)
        if is_last:
            room = max(0, int(pair.limit - pair.passed))  # the rest of a frame may never arrive
        sent = one.send(memoryview(waiting)[:room]) if room > 0 else 0
        del waiting[:sent]
        pair.passed += sent
        self.bytes += sent
        if is_last and pair.passed >= int(pair.limit):
            self.cut(pair)

    def finish(self, pair, one):
        """One side has closed the connection: what it had said is passed on first."""
        try:
            if pair.waiting[pair.other(one)]:
                pair.other(one).setblocking(True)
                pair.other(one).settimeout(0.2)
                pair.other(one).sendall(pair.waiting[pair.other(one)])
        except OSError:
            pass
        self.drop(pair, reset=False)

    def drop(self, pair, reset):
        if pair.is_cut:
            return
        pair.is_cut = True
        pair.door.pairs.discard(pair)
        for one in pair.sockets:
            self.by_socket.pop(one.fileno(), None)
            try:
                self.poller.unregister(one.fileno())
            except OSError:
                pass
            if reset:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()
