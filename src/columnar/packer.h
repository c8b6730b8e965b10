/* SPDX-License-Identifier: MIT */
/*
 * Pages packed with zstd. A build without it writes them as they are. Private to src/columnar.
 */
#ifndef COLUMNAR_PACKER_H
#define COLUMNAR_PACKER_H

#include "base/text.h"

/* The numbers of Parquet. */
enum columnar_codec {
	COLUMNAR_PLAIN = 0,
	COLUMNAR_ZSTD = 6,
};

extern const enum columnar_codec columnar_codec;

/* columnar_packer_new: NULL: out of memory. columnar_packer_free: NULL is allowed. */
struct columnar_packer;

struct columnar_packer *columnar_packer_new(void);
void columnar_packer_free(struct columnar_packer *packer);

/* columnar_pack: a page as it goes into the file, valid until the next one, or the page changes; NULL: no memory. */
const char *columnar_pack(
	struct columnar_packer *packer, const struct text *page, size_t *ret_nr_bytes);

#endif
