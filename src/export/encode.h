/* SPDX-License-Identifier: MIT */
/*
 * Numbers as Parquet packs them (https://parquet.apache.org/docs/file-format/data-pages/encodings). Each function
 * appends to a text, which records it if memory runs out. Private to src/export.
 */
#ifndef EXPORT_ENCODE_H
#define EXPORT_ENCODE_H

#include "base/text.h"

/* encode_width: the number of bits that the numbers from 0 to `most` need. */
unsigned encode_width(uint64_t most);

/* encode_runs: packs numbers of `width` bits, 1 to 32, as runs of equal numbers and as groups of eight (RLE). */
void encode_runs(struct text *text, const int64_t *values, uint32_t nr_values, unsigned width);

/* encode_deltas: packs the differences between successive numbers (DELTA_BINARY_PACKED). */
void encode_deltas(struct text *text, const int64_t *values, uint32_t nr_values);

/* encode_bits: packs one bit for each number. */
void encode_bits(struct text *text, const int64_t *values, uint32_t nr_values);

#endif
