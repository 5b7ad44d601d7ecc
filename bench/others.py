"""What other systems need for the messages of bench_links (bench/run), measured in the same run: figures to compare with, no limits.

Erlang distribution over TLS, requests and replies of NATS over TLS, ZeroMQ with CURVE, gRPC over TLS. One whose package is missing is left
out, with a message.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
# (what, rounds or stream, messages, bytes of each); fewer than those of bench_links, since these are slower.
TASKS = (("round-trip-64", "rounds", 5000, 64), ("round-trip-64K", "rounds", 1000, 65536),
         ("stream-64", "stream", 200000, 64), ("stream-64K", "stream", 2000, 65536))


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def compiled(work, name, library):
    """The program's path; None: its library is not installed."""
    program = os.path.join(work, "links-" + name)
    result = subprocess.run([os.environ.get("CC", "cc"), "-O2", "-I", os.path.dirname(HERE), os.path.join(HERE, "links", name + ".c"),
                             "-l" + library, "-o", program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0 and os.path.exists("/usr/include/%s" % {"zmq": "zmq.h", "nats": "nats/nats.h"}[library]):
        sys.exit("bench: links/%s.c: %s" % (name, result.stdout[:4000]))
    return program if result.returncode == 0 else None


def printed(command, environment=None):
    result = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True, timeout=300)
    if result.returncode != 0:
        sys.exit("bench: %s failed:\n%s%s" % (" ".join(str(word) for word in command), result.stdout[:2000], result.stderr[:2000]))
    return json.loads(result.stdout)


class Other:
    """A system that messages are exchanged by. `missing` is the package that it needs, if it is not there."""
    missing = None

    def close(self):
        pass


class ZeroMQ(Other):
    name = "zeromq"

    def __init__(self, work, folder, _certs):
        self.program, self.folder = compiled(work, "zeromq", "zmq"), folder
        self.missing = None if self.program else "libzmq3-dev"

    def run(self, mode, count, size):
        return printed([self.program, self.folder, mode, count, size])


class Nats(Other):
    name = "nats"
    server = None

    def __init__(self, work, folder, certs):
        self.folder, executable = folder, shutil.which("nats-server", path=os.environ.get("PATH", "") + ":/usr/sbin")
        self.program = compiled(work, "nats", "nats")
        self.missing = "nats-server" if executable is None else "libnats-dev" if self.program is None else None
        if self.missing:
            return
        subprocess.run([certs, "node", "nats", "--roles", "bench/*", "--dns", "localhost", "--dir", folder], check=True, stdout=subprocess.DEVNULL)
        port, path = free_port(), os.path.join(work, "nats.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write("listen: 127.0.0.1:%d\nmax_pending: 1GB\ntls {\n  cert_file: \"%s/nats.pem\"\n  key_file: \"%s/nats.key\"\n}\n" %
                       (port, folder, folder))
        self.server = subprocess.Popen([executable, "-c", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.environment = dict(os.environ, NATS_URL="tls://127.0.0.1:%d" % port)
        for _ in range(500):
            try:
                socket.create_connection(("127.0.0.1", port), timeout=10).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        sys.exit("bench: nats-server does not listen")

    def run(self, mode, count, size):
        return printed([self.program, self.folder, mode, count, size], self.environment)

    def close(self):
        if self.server is not None:
            self.server.terminate()
            self.server.wait()


class Grpc(Other):
    name = "grpc"

    def __init__(self, work, folder, certs):
        self.program, self.folder = os.path.join(work, "links-grpc"), folder
        compiler, plugin = os.environ.get("CXX", "c++"), shutil.which("grpc_cpp_plugin")
        needed = (("g++", shutil.which(compiler.split()[0])), ("libgrpc++-dev", os.path.exists("/usr/include/grpcpp/grpcpp.h")),
                  ("libprotobuf-dev", os.path.exists("/usr/include/google/protobuf/message.h")),
                  ("protobuf-compiler", shutil.which("protoc")), ("protobuf-compiler-grpc", plugin))
        self.missing = next((package for package, is_there in needed if not is_there), None)
        if self.missing:
            return
        libraries = subprocess.run(["pkg-config", "--libs", "grpc++", "protobuf"], check=True, stdout=subprocess.PIPE, text=True).stdout.split()
        links, generated = os.path.join(HERE, "links"), [os.path.join(work, "grpc" + end) for end in (".pb.cc", ".grpc.pb.cc")]
        for command in (["protoc", "-I", links, "--cpp_out=" + work, "--grpc_out=" + work, "--plugin=protoc-gen-grpc=" + plugin, "grpc.proto"],
                        [*compiler.split(), "-O2", "-I", os.path.dirname(HERE), "-I", work, os.path.join(links, "grpc.cc"), *generated,
                         *libraries, "-o", self.program],
                        [certs, "node", "grpc", "--roles", "bench/*", "--dns", "localhost", "--dir", folder]):
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if result.returncode != 0:
                sys.exit("bench: links/grpc.cc: %s" % result.stdout[:4000])

    def run(self, mode, count, size):
        return printed([self.program, self.folder, mode, count, size])


class Erlang(Other):
    name = "erlang"

    def __init__(self, work, folder, _certs):
        self.missing = None if shutil.which("escript") else "erlang-base"
        if self.missing is None and subprocess.run(["erl", "-noshell", "-eval", "halt(case code:lib_dir(ssl) of {error,_} -> 1; _ -> 0 end)."],
                                                   stdout=subprocess.DEVNULL).returncode != 0:
            self.missing = "erlang-ssl"
        self.folder, self.options = folder, os.path.join(work, "ssl_dist.conf")
        sides = ["{%s, [{certfile, \"%s/%s.pem\"}, {keyfile, \"%s/%s.key\"}, {cacertfile, \"%s/ca.pem\"}, {versions, ['tlsv1.3']}, %s]}" %
                 (side, folder, node, folder, node, folder, more)
                 for side, node, more in (("server", "two", "{verify, verify_peer}, {fail_if_no_peer_cert, true}"),
                                          # The certificate is not for an address.
                                          ("client", "one", "{verify, verify_none}"))]
        with open(self.options, "w", encoding="utf-8") as file:
            file.write("[%s].\n" % ", ".join(sides))

    def start(self, node, port, task, **more):
        # No epmd, which would stay: both nodes know the port.
        flags = ("-proto_dist inet_tls -ssl_dist_optfile %s -start_epmd false -erl_epmd_port %d -setcookie bench -name %s@127.0.0.1 "
                 "-kernel inet_dist_use_interface {127,0,0,1}" % (self.options, port, node))
        if "NEAR" in more:
            flags += " -dist_listen false"
        script = os.path.join(HERE, "links", "distribution.escript")
        return subprocess.Popen(["escript", script, self.folder] + [str(word) for word in task], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, env=dict(os.environ, ERL_FLAGS=flags, **more))

    def run(self, mode, count, size):
        port = free_port()
        with self.start("far", port, (mode, count, size)) as far:
            try:
                if far.stdout.readline() != "ready\n":
                    far.kill()
                    sys.exit("bench: an Erlang node does not start: %s" % far.stderr.read()[:2000])
                with self.start("near", port, (mode, count, size), NEAR="1") as near:
                    output, errors = near.communicate(timeout=300)
            finally:
                far.kill()
        if near.returncode != 0:
            sys.exit("bench: Erlang: %s%s" % (output[:2000], errors[:2000]))
        return json.loads(output)


def bench_others(bench, folder, certs):
    others = []
    try:
        for kind in (Erlang, Nats, ZeroMQ, Grpc):
            other = kind(bench.work, folder, certs)
            others.append(other)
            if other.missing:
                print("links of %s: left out, since %s is not installed (scripts/install-deps bench)" % (other.name, other.missing), file=sys.stderr)
        runs = {}
        for _ in range(bench.options.repeat):
            for what, mode, count, size in TASKS:
                for other in (one for one in others if not one.missing):
                    runs.setdefault((other.name, what, mode, count), []).append(other.run(mode, count, size)["wall_s"])
        for (name, what, mode, count), times in runs.items():
            middle = sorted(times)[len(times) // 2]
            if mode == "rounds":
                bench.show("%s-%s" % (name, what), 1e6 * middle / count, "us")
            else:
                bench.show("%s-%s" % (name, what), count / middle, "messages/s")
    finally:
        for other in others:
            other.close()
