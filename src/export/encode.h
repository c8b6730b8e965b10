/* SPDX-License-Identifier: MIT */
/*
 * Numbers as Parquet packs them (https://parquet.apache.org/docs/file-format/data-pages/encodings). Each appends to a
 * text, which says itself where memory runs out. Private to src/export.
 */
#ifndef EXPORT_ENCODE_H
#define EXPORT_ENCODE_H

#include "base/text.h"

/* encode_width: the bits that numbers up to `most` need. */
unsigned encode_width(uint64_t most);

/* encode_runs: numbers of `width` bits, 1 to 32, as runs of equal ones and groups of eight (RLE). */
void encode_runs(struct text *text, const int64_t *values, uint32_t nr_values, unsigned width);

/* encode_deltas: numbers by their distances (DELTA_BINARY_PACKED). */
void encode_deltas(struct text *text, const int64_t *values, uint32_t nr_values);

/* encode_bits: a bit of each number. */
void encode_bits(struct text *text, const int64_t *values, uint32_t nr_values);

#endif
