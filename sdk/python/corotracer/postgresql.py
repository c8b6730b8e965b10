# SPDX-License-Identifier: MIT
"""Keeps the summaries of windows in PostgreSQL, too, in tables of the schema `corotracer`.

A batch of windows is one transaction. The row of a window in `windows` is what two ingesters of the same window wait
for: the second one replaces what the first one wrote, so that a window is there once, whatever was killed.
"""
from .reading import Error

SCHEMA = "corotracer"
FIRST = "windows"  # other tables refer to it
TYPES = {"int64": "bigint", "string": "text", "timestamp[us]": "timestamptz"}


def _driver():
    try:
        import psycopg
    except ImportError:
        raise Error("PostgreSQL is reached by psycopg, which is not installed: pip install 'psycopg[binary]'") from None
    return psycopg


def _declared(table, schema):
    """The statements that make a table, or give an older one the columns that it lacks."""
    key = "trace text PRIMARY KEY" if table == FIRST else f"trace text NOT NULL REFERENCES {SCHEMA}.{FIRST} ON DELETE CASCADE"
    yield f"CREATE TABLE IF NOT EXISTS {SCHEMA}.{table} ({key})"
    for field in schema:
        if field.name != "trace":
            yield f'ALTER TABLE {SCHEMA}.{table} ADD COLUMN IF NOT EXISTS "{field.name}" {TYPES[str(field.type)]}'
    if table != FIRST:
        yield f"CREATE INDEX IF NOT EXISTS {table}_trace ON {SCHEMA}.{table} (trace)"


class Database:
    """`address`: postgresql://USER@HOST/DATABASE, or another form that libpq reads."""

    def __init__(self, address):
        self.driver = _driver()
        self.address = address
        self.connection = None
        self.is_declared = False

    def _connected(self):
        if not self.connection or self.connection.closed:
            self.connection = self.driver.connect(self.address, options="-c TimeZone=UTC", application_name="corotracer",
                                                  autocommit=True)
        return self.connection

    def _declare(self, connection, tables):
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('corotracer'))")  # two may begin at once
            connection.execute("SET LOCAL client_min_messages = warning")
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            for table, rows in tables.items():
                for statement in _declared(table, rows.schema):
                    connection.execute(statement)
        self.is_declared = True

    def _put_windows(self, cursor, rows):
        """Sorted, so that two ingesters that have the same windows wait for each other, and not in a circle."""
        names = [f'"{name}"' for name in rows.column_names]
        changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in names if name != '"trace"')
        cursor.executemany(
            f"INSERT INTO {SCHEMA}.{FIRST} ({', '.join(names)}) VALUES ({', '.join(['%s'] * len(names))}) "
            f"ON CONFLICT (trace) DO UPDATE SET {changes}", [tuple(row.values()) for row in rows.sort_by("trace").to_pylist()])

    def _put_rows(self, cursor, table, rows, traces):
        cursor.execute(f"DELETE FROM {SCHEMA}.{table} WHERE trace = ANY(%s)", (traces,))
        names = ", ".join(f'"{name}"' for name in rows.column_names)
        with cursor.copy(f"COPY {SCHEMA}.{table} ({names}) FROM STDIN") as copy:
            for row in rows.to_pylist():
                copy.write_row(tuple(row.values()))

    def push(self, tables):
        """Stores a batch whole, or raises Error."""
        try:
            connection = self._connected()
            if not self.is_declared:
                self._declare(connection, tables)
            with connection.transaction(), connection.cursor() as cursor:
                self._put_windows(cursor, tables[FIRST])
                traces = tables[FIRST]["trace"].to_pylist()
                for table in sorted(set(tables) - {FIRST}):
                    self._put_rows(cursor, table, tables[table], traces)
        except self.driver.Error as error:
            raise Error(f"PostgreSQL: {' '.join(str(error).split())}") from None

    def close(self):
        if self.connection:
            self.connection.close()
