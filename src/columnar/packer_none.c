/* SPDX-License-Identifier: MIT */
/*
 * In place of packer.c where the project is built without zstd.
 */
#include <stdlib.h>

#include "columnar/packer.h"

struct columnar_packer {
	char nothing;
};

const enum columnar_codec columnar_codec = COLUMNAR_PLAIN;

struct columnar_packer *columnar_packer_new(void)
{
	return calloc(1, sizeof(struct columnar_packer));
}

void columnar_packer_free(struct columnar_packer *packer)
{
	free(packer);
}

const char *columnar_pack(
	struct columnar_packer *packer, const struct text *page, size_t *ret_nr_bytes)
{
	(void)packer;
	*ret_nr_bytes = page->length;
	return text_peek(page);
}
