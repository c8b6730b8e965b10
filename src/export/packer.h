/* SPDX-License-Identifier: MIT */
/*
 * Compresses pages with zstd. A build without zstd writes pages uncompressed. Private to src/export.
 */
#ifndef EXPORT_PACKER_H
#define EXPORT_PACKER_H

#include "base/text.h"

/* Parquet's numbers of the codecs. */
enum packer_codec {
	PACKER_PLAIN = 0,
	PACKER_ZSTD = 6,
};

extern const enum packer_codec packer_codec;

/* packer_new: returns NULL if memory is out. packer_free: NULL is allowed. */
struct packer;

struct packer *packer_new(void);
void packer_free(struct packer *packer);

/*
 * packer_pack: returns the page as it goes into the file, valid until the next call or until the page changes; NULL:
 * out of memory.
 */
const char *packer_pack(struct packer *packer, const struct text *page, size_t *ret_nr_bytes);

#endif
