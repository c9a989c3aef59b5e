#!/usr/bin/env python3
"""A web server for tests: serves the files of a directory well and badly.

usage: serve.py DIRECTORY [CERTIFICATE KEY]

Prints "PID PORT TLS-PORT LOG" and serves on 127.0.0.1 until it is killed or its parent is gone. What a path begins with
says how it behaves; ?name=value says more. Each request is a line in LOG: path and Range.
"""
import http.server, os, ssl, sys, tempfile, threading, time
from urllib.parse import parse_qs, urlsplit

directory = sys.argv[1]
log = tempfile.NamedTemporaryFile("w", dir=directory, prefix="log-", delete=False, buffering=1)
counts, lock = {}, threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        parts = urlsplit(self.path)
        _, kind, *rest = parts.path.split("/")
        options = {key: values[0] for key, values in parse_qs(parts.query).items()}
        with lock:
            counts[self.path] = counts.get(self.path, 0) + 1
            log.write(f"{self.path} {self.headers.get('Range', '')}\n")
        self.turn = counts[self.path]
        try:
            getattr(self, "serve_" + kind, self.serve_nothing)("/".join(rest), options)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def head(self, status, *fields, line=None):
        if line:
            self.wfile.write(line)
        else:
            self.send_response(status)
        for name, value in fields:
            self.send_header(name, str(value))
        self.end_headers()

    def content(self, name):
        with open(os.path.join(directory, name), "rb") as file:
            return file.read()

    def part(self, data):
        """The bytes that are asked for, after the answer's head."""
        wanted = self.headers.get("Range", "")
        start = int(wanted[6:].split("-")[0]) if wanted.startswith("bytes=") else 0
        self.head(206, ("Content-Type", "application/octet-stream"), ("Content-Length", len(data) - start),
                  ("ETag", '"1"'), ("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}"))
        return data[start:]

    def whole(self, data):
        self.head(200, ("Content-Type", "application/octet-stream"), ("Content-Length", len(data)))
        return data

    def wait_for_the_end(self):
        while self.rfile.read(1):
            pass

    # Kinds of behaviour.

    def serve_nothing(self, name, options):
        self.head(404, ("Content-Length", 0))

    def serve_status(self, name, options):
        self.head(int(name), ("Content-Length", 0))

    def serve_ranges(self, name, options):
        self.wfile.write(self.part(self.content(name)))

    def serve_(self, name, options):
        """Behind the bare address: ?file."""
        self.wfile.write(self.whole(self.content(options["file"])))

    def serve_plain(self, name, options):
        self.wfile.write(self.whole(self.content(name)))

    def serve_endless(self, name, options):
        """Without a length, and no station: the connection's end is the song's."""
        self.close_connection = True
        self.head(200, ("Connection", "close"))
        self.wfile.write(self.content(name))

    def serve_cut(self, name, options):
        """Each answer breaks off after ?at bytes; with ?times only so many."""
        data = self.content(name)
        data = self.part(data) if "ranges" in options else self.whole(data)
        isCut = self.turn <= int(options.get("times", 1_000_000))
        self.close_connection = True
        self.wfile.write(data[: int(options["at"])] if isCut else data)

    def serve_stall(self, name, options):
        """The first answer gives ?at bytes and then nothing."""
        data = self.part(self.content(name))
        self.close_connection = True
        if self.turn > 1:
            self.wfile.write(data)
            return
        self.wfile.write(data[: int(options["at"])])
        self.wait_for_the_end()

    def serve_slow(self, name, options):
        """?rate bytes a second, in twentieths."""
        data = self.part(self.content(name))
        piece = int(options["rate"]) // 20
        begin = time.monotonic()
        for index, start in enumerate(range(0, len(data), piece)):
            time.sleep(max(0, begin + index / 20 - time.monotonic()))
            self.wfile.write(data[start : start + piece])

    def serve_icy(self, name, options):
        """A station as Shoutcast has it: ?interval bytes, then a title, ?title with a number; ?at as above."""
        interval = int(options["interval"])
        data = self.content(name)
        self.close_connection = True
        # Titles only for who asks for them.
        hasTitles = self.headers.get("Icy-MetaData") == "1"
        fields = [("icy-name", "Radio"), ("Content-Type", "audio/mpeg")]
        if hasTitles:
            fields.append(("icy-metaint", interval))
        self.head(0, *fields, line=b"ICY 200 OK\r\n")
        if "at" in options and self.turn == 1:
            data = data[: int(options["at"])]
        for index, start in enumerate(range(0, len(data), interval)):
            piece = data[start : start + interval]
            self.wfile.write(piece)
            if hasTitles and len(piece) == interval:
                title = f"StreamTitle='{options.get('title', 'Song')} {index // 8}';".encode() if index % 8 == 0 else b""
                units = (len(title) + 15) // 16
                self.wfile.write(bytes([units]) + title.ljust(units * 16, b"\0"))
        if self.turn > 1:
            self.wait_for_the_end()

    def serve_redirect(self, name, options):
        count, _, target = name.partition("/")
        location = f"/redirect/{int(count) - 1}/{target}" if int(count) > 1 else "/" + target
        self.head(302, ("Location", location), ("Content-Length", 0))

    def serve_away(self, name, options):
        """Leads ?to somewhere else, behind ?fields that say nothing; ?twice also to a place that is safe."""
        more = [(f"X-{number}", "") for number in range(int(options.get("fields", 0)))]
        twice = [("Location", "https://127.0.0.1:9/")] if "twice" in options else []
        self.head(302, *more, ("Location", options["to"]), *twice, ("Content-Length", 0))

    def serve_moving(self, name, options):
        """The first answer breaks off after ?at bytes; the next lead ?to somewhere else."""
        if self.turn > 1:
            return self.serve_away(name, options)
        self.serve_cut(name, options | {"ranges": "1"})

    def serve_text(self, name, options):
        """A page or list: ?type and ?body."""
        body = options["body"].encode()
        self.head(200, ("Content-Type", options["type"]), ("Content-Length", len(body)))
        self.wfile.write(body)

    def serve_garbage(self, name, options):
        self.close_connection = True
        self.wfile.write(b"SSH-2.0-OpenSSH_9.2p1\r\n")

    def serve_mute(self, name, options):
        self.close_connection = True
        self.wait_for_the_end()


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_):
        pass


plain = Server(("127.0.0.1", 0), Handler)
threading.Thread(target=plain.serve_forever, daemon=True).start()
secret_port = 0
if len(sys.argv) > 3:
    secret = Server(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    secret.socket = context.wrap_socket(secret.socket, server_side=True)
    threading.Thread(target=secret.serve_forever, daemon=True).start()
    secret_port = secret.server_address[1]
parent = os.getppid()
print(os.getpid(), plain.server_address[1], secret_port, log.name, flush=True)
while os.getppid() == parent:
    time.sleep(0.5)
