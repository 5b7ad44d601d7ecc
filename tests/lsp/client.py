"""A client of the language server, for tests: one request after the other."""

import json
import os
import select
import subprocess
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# A machine that does other things, and sanitizers, take their time.
PATIENCE = 120


def uri_of(path):
    return "file://" + urllib.parse.quote(os.path.realpath(path))


class Dead(Exception):
    """The server has ended, or says nothing any more."""


class Client:
    def __init__(self, program=None, options=None, capabilities=None, start=True, environment=None):
        program = program or os.environ.get("CHOREX_LSP") or os.path.join(ROOT, "build/bin/chorex-lsp")
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=dict(os.environ, **(environment or {})))
        self.buffer = b""
        self.number = 0
        self.versions, self.texts = {}, {}
        self.diagnostics = {}  # by uri: (version, list)
        self.asked = []  # requests of the server
        if start:
            self.initialized = self.request("initialize", {
                "processId": os.getpid(), "rootUri": None, "capabilities": capabilities or {},
                "initializationOptions": dict({"delayMs": 0}, **(options or {}))})
            self.notify("initialized", {})

    # ---- messages ----

    def send_raw(self, data):
        try:
            self.process.stdin.write(data)
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Dead("the server has ended: %s" % self.process.wait())

    def send(self, message):
        data = json.dumps(message).encode()
        self.send_raw(b"Content-Length: %d\r\n\r\n" % len(data) + data)

    def receive(self, patience=PATIENCE):
        while True:
            head, blank, rest = self.buffer.partition(b"\r\n\r\n")
            if blank:
                length = int(head.split(b":")[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    return json.loads(rest[:length])
            ready, _, _ = select.select([self.process.stdout], [], [], patience)
            if not ready:
                raise Dead("no answer for %d s" % patience)
            data = os.read(self.process.stdout.fileno(), 1 << 20)
            if not data:
                raise Dead("the server has ended: %s" % self.process.wait())
            self.buffer += data

    def take(self, message):
        if message.get("method") == "textDocument/publishDiagnostics":
            params = message["params"]
            self.diagnostics[params["uri"]] = (params.get("version"), params["diagnostics"])
        elif "method" in message and "id" in message:
            self.asked.append(message)
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": None})

    def notify(self, method, params):
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method, params):
        """The whole answer, which may be an error."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message
            self.take(message)

    def request(self, method, params):
        answer = self.ask(method, params)
        if "error" in answer:
            raise AssertionError("%s: %s" % (method, answer["error"]))
        return answer["result"]

    def end(self):
        self.request("shutdown", None)
        self.notify("exit", None)
        self.process.stdin.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        return status

    # ---- documents ----

    def open(self, path, text=None):
        uri = uri_of(path)
        if text is None:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        self.versions[uri], self.texts[uri] = 1, text
        self.notify("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "c", "version": 1, "text": text}})
        return uri

    def change(self, uri, text):
        self.versions[uri] += 1
        self.texts[uri] = text
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]},
                                               "contentChanges": [{"text": text}]})

    def edit(self, uri, start, end, text):
        """Replaces the characters [start, end) of the text."""
        old = self.texts[uri]
        change = {"range": {"start": self.place(uri, start), "end": self.place(uri, end)}, "text": text}
        self.texts[uri] = old[:start] + text + old[end:]
        self.versions[uri] += 1
        self.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": self.versions[uri]},
                                               "contentChanges": [change]})

    def close(self, uri):
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def wait_diagnostics(self, uri):
        """Those of the text as it is now."""
        while self.diagnostics.get(uri, (None, None))[0] != self.versions[uri]:
            self.take(self.receive())
        return self.diagnostics[uri][1]

    def place(self, uri, at):
        """An index of the text as a position: lines, and UTF-16 units."""
        before = self.texts[uri][:at]
        line = before.count("\n")
        last = before.rpartition("\n")[2]
        return {"line": line, "character": len(last.encode("utf-16-le")) // 2}

    def index(self, uri, place):
        lines = self.texts[uri].split("\n")
        start = sum(len(line) + 1 for line in lines[:place["line"]])
        units = lines[place["line"]].encode("utf-16-le")[:place["character"] * 2]
        return start + len(units.decode("utf-16-le", "ignore"))

    def at(self, uri, at):
        return {"textDocument": {"uri": uri}, "position": self.place(uri, at)}

    def words(self, uri, ranges):
        """The texts of ranges."""
        return [self.texts[uri][self.index(uri, one["start"]):self.index(uri, one["end"])] for one in ranges]
