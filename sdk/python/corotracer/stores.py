# SPDX-License-Identifier: MIT
"""Where windows, and what is kept of them, lie: a folder, or a prefix of a bucket, s3://BUCKET/PREFIX, for another server
than Amazon's s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION. Credentials come from where AWS's tools look.

An object is there whole or not at all, and another one under the same key replaces it.
"""
import collections
import os
import pathlib
import shutil
import urllib.parse

from .reading import Error

Object = collections.namedtuple("Object", "key nr_bytes changed_ns")  # by the store's clock


def bucket_of(address):
    """Returns the file system of a bucket, and where in it the address leads."""
    from pyarrow import fs
    parts = urllib.parse.urlsplit(address)
    asked = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
    endpoint = urllib.parse.urlsplit(asked.pop("endpoint", ""))
    region = asked.pop("region", "") or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if parts.scheme != "s3" or not parts.netloc or asked:
        raise Error(f"'{address}' is not s3://BUCKET/PREFIX, nor s3://BUCKET/PREFIX?endpoint=http://HOST:PORT&region=REGION")
    other = {"endpoint_override": endpoint.netloc, "scheme": endpoint.scheme} if endpoint.netloc else {}
    return fs.S3FileSystem(region=region, allow_delayed_open=True, **other), f"{parts.netloc}{parts.path}".rstrip("/")


class Store:
    def __init__(self, address):
        from pyarrow import fs
        self.address = os.fspath(address)
        self.is_local = "://" not in self.address
        if self.is_local:
            self.files, self.root = fs.LocalFileSystem(), os.path.abspath(self.address)
        else:
            self.files, self.root = bucket_of(self.address)

    def address_of(self, key):
        """What a command takes to read the object."""
        place, mark, query = self.address.partition("?")
        return f"{place.rstrip('/')}/{key}{mark}{query}"

    def objects(self, below="", ending=""):
        """All objects below a prefix, in the order of their keys; what another writer has not finished is left out."""
        from pyarrow import fs
        selector = fs.FileSelector(f"{self.root}/{below}".rstrip("/"), recursive=True, allow_not_found=True)
        found = [Object(file.path[len(self.root) + 1:], file.size, file.mtime_ns)
                 for file in self.files.get_file_info(selector) if file.is_file and file.path.endswith(ending)]
        return sorted(one for one in found if not one.key.rsplit("/", 1)[-1].startswith("."))

    def keys(self, below="", ending=""):
        return [one.key for one in self.objects(below, ending)]

    def changed_ns(self, key):
        return self.files.get_file_info(f"{self.root}/{key}").mtime_ns

    def local(self, key, folder):
        """The path of a file with the object's bytes, in the folder unless the store is one."""
        if self.is_local:
            return f"{self.root}/{key}"
        path = os.path.join(folder, "window.ctrace")
        with self.files.open_input_stream(f"{self.root}/{key}") as source, open(path, "wb") as file:
            shutil.copyfileobj(source, file, 1 << 20)
        return path

    def read(self, key):
        with self.files.open_input_stream(f"{self.root}/{key}") as stream:
            return stream.read()

    def read_table(self, key):
        import pyarrow
        from pyarrow import parquet
        return parquet.read_table(pyarrow.BufferReader(self.read(key)))  # whole: a bucket is asked once

    def nr_rows(self, key):
        from pyarrow import parquet
        return parquet.read_metadata(f"{self.root}/{key}", filesystem=self.files).num_rows

    def _write(self, key, write):
        """Calls write(stream); the object appears when all is written."""
        path = f"{self.root}/{key}"
        if not self.is_local:  # an object is there when its last byte has come; small ones take one request
            with self.files.open_output_stream(path) as stream:
                write(stream)
            return
        partial = f"{os.path.dirname(path)}/.{os.path.basename(path)}.{os.getpid()}"
        pathlib.Path(path).parent.mkdir(parents=True, exist_ok=True)
        with open(partial, "wb") as stream:
            write(stream)
        os.replace(partial, path)

    def write(self, key, content):
        self._write(key, lambda stream: stream.write(content))

    def write_table(self, key, table):
        """Writes a table as Parquet."""
        from pyarrow import parquet
        self._write(key, lambda stream: parquet.write_table(table, stream, compression="zstd"))

    def remove(self, key):
        """Removes an object; one that is not there counts as removed."""
        try:
            self.files.delete_file(f"{self.root}/{key}")
        except FileNotFoundError:
            pass
