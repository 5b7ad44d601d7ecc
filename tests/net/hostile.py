"""Callers that do not keep to the rules: for tests/net/attack. Some have a valid certificate."""

import random
import select
import socket
import ssl
import threading


def dial(address):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=10)


def context(place, name, is_server=False):
    """TLS as nodes do it, with the certificate of this one."""
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if is_server else ssl.PROTOCOL_TLS_CLIENT)
    made.minimum_version = ssl.TLSVersion.TLSv1_3
    made.check_hostname = False
    made.verify_mode = ssl.CERT_REQUIRED
    made.load_cert_chain(place.path("certs", name + ".pem"), place.path("certs", name + ".key"))
    made.load_verify_locations(place.path("certs", "ca.pem"))
    made.set_alpn_protocols(["chorex/1"])
    return made


def call(place, name, address):
    return context(place, name).wrap_socket(dial(address))


class Recorder:
    """Stands between a node and another one, with the certificates of both, and writes down what the first one says."""

    def __init__(self, place, caller, server, address):
        self.place, self.caller, self.server, self.target = place, caller, server, address
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.listener.getsockname()[1]
        self.said = b""
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        """One connection after the other, since a node dials again if one was too slow. What is said over the last one counts."""
        while True:
            try:
                plain, _ = self.listener.accept()
            except OSError:
                return
            try:
                plain.settimeout(10)
                with context(self.place, self.server, True).wrap_socket(plain, server_side=True) as near:
                    with call(self.place, self.caller, self.target) as far:
                        self.said = b""
                        self.carry(near, far)
            except OSError:
                pass

    def carry(self, near, far):
        while True:
            waiting = [one for one in (near, far) if one.pending()] or select.select([near, far], [], [])[0]
            for one in waiting:
                data = one.recv(65536)
                if not data:
                    return
                self.said += data if one is near else b""
                (far if one is near else near).sendall(data)

    def stop(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join(10)
        return self.said


def say(place, name, address, data):
    """Says this, and hears for a moment what the other side says, unless it hangs up."""
    try:
        with call(place, name, address) as stream:
            stream.settimeout(0.02)
            stream.sendall(data)
            for _ in range(3):
                if not stream.recv(65536):
                    break
    except OSError:
        pass


def variants(said, count, seed):
    """What was said, changed: cut off, repeated, with other bytes, lengths that are giant, parts in another order."""
    chance = random.Random(seed)
    for number in range(count):
        at = chance.randrange(len(said))
        kind = number % 6
        if kind == 0:
            yield said[:at]
        elif kind == 1:
            yield said + said[at:]
        elif kind == 2:
            yield said[:at] + bytes([said[at] ^ (1 << chance.randrange(8))]) + said[at + 1:]
        elif kind == 3:
            yield said[:at] + b"\xff" * 8 + said[at:]
        elif kind == 4:
            yield said[:at] + chance.randbytes(chance.randrange(1, 2000))
        else:
            to = chance.randrange(at, len(said))
            yield said[to:] + said[:at]
