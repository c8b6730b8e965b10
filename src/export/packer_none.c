/* SPDX-License-Identifier: MIT */
/*
 * Replaces packer.c in a build without zstd.
 */
#include <stdlib.h>

#include "export/packer.h"

struct packer {
	char nothing;
};

const enum packer_codec packer_codec = PACKER_PLAIN;

struct packer *packer_new(void)
{
	return calloc(1, sizeof(struct packer));
}

void packer_free(struct packer *packer)
{
	free(packer);
}

const char *packer_pack(struct packer *packer, const struct text *page, size_t *ret_nr_bytes)
{
	(void)packer;
	*ret_nr_bytes = page->length;
	return text_peek(page);
}
