# SPDX-License-Identifier: MIT
"""Reads packed answers of a view as docs/spec/view.md defines them; written only from that page."""
import struct

# Types as view_types.def numbers them.
TEXT, HANDLE = 4, 12



class Rows:
    """columns: a list of lists, None for empty cells; matched: rows on all pages; words: {(type, number): bytes}"""

    def __init__(self, data):
        magic, nr_columns, nr_words, nr_rows, self.matched = struct.unpack_from("<8sIIQQ", data)
        assert magic == b"CTVIEW1\0", magic
        self.columns, self.types, end = [], [], 32 + 24 * nr_columns
        for column in range(nr_columns):
            kind, width, base, at = struct.unpack_from("<BB6xqQ", data, 32 + 24 * column)
            self.types.append(kind)
            self.columns.append(list(self.cells(data, at, width, base, nr_rows)))
            end = max(end, at + width * nr_rows)
        self.words = dict(self.read_words(data, (end + 7) // 8 * 8, nr_words))

    @staticmethod
    def cells(data, at, width, base, nr_rows):
        for row in range(nr_rows):
            if width == 8:
                yield struct.unpack_from("<q", data, at + 8 * row)[0]
            else:
                cell = int.from_bytes(data[at + width * row:at + width * (row + 1)], "little")
                yield base + cell - 1 if cell else None

    @staticmethod
    def read_words(data, at, nr_words):
        texts = at + 24 * nr_words
        for word in range(nr_words):
            number, kind, length, begin = struct.unpack_from("<qIIQ", data, at + 24 * word)
            yield (kind, number), data[texts + begin:texts + begin + length]

    def text(self, column, row):
        number = self.columns[column][row]
        return "" if number is None else self.words[(self.types[column], number)].decode()
