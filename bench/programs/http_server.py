"""A small server: /page answers with a page it makes, /stop ends it. Says on which port it listens."""

import http.server
import json
import threading

import told


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and page in one packet: two would wait for each other's acknowledgement

    def do_GET(self):
        rows = [{"number": i, "name": f"row {i}", "square": i * i} for i in range(200)]
        page = json.dumps(rows).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)
        if self.path == "/stop":
            threading.Thread(target=self.server.shutdown).start()

    def log_message(self, *_):
        pass


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print("port", server.server_address[1], flush=True)
    told.working()
    server.serve_forever()
    server.server_close()
    told.done()


main()
