"""What tests of nodes have in common: programs, certificates, configurations, processes."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("CHOREX_BUILD", os.path.join(ROOT, "build"))
# Another build's libraries, as build-asan: programs are linked with these, and with its sanitizer.
LIBRARIES = os.environ.get("CHOREX_LIBRARIES")
QUICK = "keepalive = 100ms hold = 300ms suspect = 500ms absent = 5s"


class Failure(Exception):
    pass


def free_port(host):
    with socket.socket() as probe:
        probe.bind((host, 0))
        return probe.getsockname()[1]


class Place:
    """A folder with programs, an authority and nodes; and the processes that were started in it."""

    def __init__(self, keep=False):
        self.folder = tempfile.mkdtemp(prefix="chorex-net.")
        self.keep = keep
        self.processes = []
        self.run(os.path.join(BUILD, "bin/chorex-certs"), "init", self.path("certs"))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def run(self, *command, cwd=None):
        result = subprocess.run(command, cwd=cwd or self.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if result.returncode != 0:
            raise Failure("%s\n%s" % (" ".join(command), result.stdout.decode(errors="replace")))

    def build(self, source, name, *options, libs="net"):
        """Compiles a program of this folder, in a folder of its own, since companions of choreographies have common names."""
        folder = self.path("build-" + name)
        os.makedirs(folder, exist_ok=True)
        chorcc = os.path.join(BUILD, "bin/chorcc")
        flags = subprocess.run([chorcc, "--cflags", "--libs=" + libs], stdout=subprocess.PIPE, check=True).stdout.decode().split()
        if LIBRARIES:
            flags = ["-L" + os.path.join(ROOT, LIBRARIES, "lib") if flag.startswith("-L") else flag for flag in flags]
            flags.insert(0, "-fsanitize=thread" if "tsan" in LIBRARIES else "-fsanitize=address,undefined")
        for entry in os.listdir(os.path.join(HERE, os.path.dirname(source))):
            path = os.path.join(HERE, os.path.dirname(source), entry)
            if entry.endswith((".c", ".h", ".chor")):
                shutil.copy(path, folder)
        self.run(chorcc, os.path.basename(source), "-g", "-O1", "-I", ".", "-o", self.path(name), *options, *flags, cwd=folder)
        return self.path(name)

    def certificate(self, node, roles, *options):
        self.run(os.path.join(BUILD, "bin/chorex-certs"), "node", node, "--roles", roles, "--dir", self.path("certs"), *options)

    def configure(self, node, listen, nodes, sections, limits=QUICK, file=None, certs="certs", carrier=None, store=None):
        """Writes NODE.conf. `nodes`: addresses by name; `sections`: lines by choreography. Without a name it is FILE.conf."""
        lines = ["[node]", "certs = " + self.path(certs)]
        if node:
            lines.append("name = " + node)
        if listen:
            lines.append("listen = " + listen)
        if carrier:
            lines.append("carrier = " + carrier)
        if store:
            lines.append("store = " + store)
        lines.append("[nodes]")
        lines += ["%s = %s" % item for item in nodes.items()]
        for name, entries in sections.items():
            lines += ["[%s]" % name, entries]
        lines += ["[limits]", limits]
        path = self.path((file or node) + ".conf")
        with open(path, "w", encoding="utf-8") as stream:
            stream.write("\n".join(lines) + "\n")
        return path

    def start(self, program, config, *arguments, roles=None, log=None, environment=None):
        everything = dict(os.environ, CHOREX_NODE=config, **(environment or {}))
        everything.pop("CHOREX_ROLES", None)
        if roles:
            everything["CHOREX_ROLES"] = roles
        with open(log or os.devnull, "ab") as stream:
            process = subprocess.Popen([program, *map(str, arguments)], cwd=self.folder, env=everything, stdin=subprocess.DEVNULL,
                                       stdout=stream, stderr=stream)
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.kill()
            process.wait()
        if self.keep:
            print("kept: " + self.folder)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)


def tail(path, lines=15):
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return "".join(stream.readlines()[-lines:])
    except OSError:
        return ""


def wait_for(condition, seconds, what):
    """Returns as soon as the condition holds. `what`: a text, or a function that returns one."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure("after %d s: %s" % (seconds, what() if callable(what) else what))
        time.sleep(0.02)
