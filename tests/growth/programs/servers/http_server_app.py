"""http.server with a thread for each request: /leak keeps 64 KiB of every request, /fine keeps nothing."""

import http.server

kept = []


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        block = bytearray(65_536)
        if self.path == "/leak":
            kept.append(block)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print("port", server.server_address[1], flush=True)
try:
    server.serve_forever()
except KeyboardInterrupt:
    pass
