/* SPDX-License-Identifier: MIT */
/*
 * Pages packed with zstd. A build without it writes them as they are. Private to src/export.
 */
#ifndef EXPORT_PACKER_H
#define EXPORT_PACKER_H

#include "base/text.h"

/* The numbers of Parquet. */
enum packer_codec {
	PACKER_PLAIN = 0,
	PACKER_ZSTD = 6,
};

extern const enum packer_codec packer_codec;

/* packer_new: NULL: out of memory. packer_free: NULL is allowed. */
struct packer;

struct packer *packer_new(void);
void packer_free(struct packer *packer);

/* packer_pack: a page as it goes into the file, valid until the next one, or the page changes; NULL: no memory. */
const char *packer_pack(struct packer *packer, const struct text *page, size_t *ret_nr_bytes);

#endif
