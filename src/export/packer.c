/* SPDX-License-Identifier: MIT */
/*
 * Compressed pages. A higher level of zstd would take longer than all other work of the export, to save a few percent.
 */
#include <stdlib.h>
#include <zstd.h>

#include "export/packer.h"

#define LEVEL 1

struct packer {
	ZSTD_CCtx *context;
	char *room;
	size_t nr_bytes;
};

const enum packer_codec packer_codec = PACKER_ZSTD;

struct packer *packer_new(void)
{
	struct packer *packer = calloc(1, sizeof(*packer));

	if (packer)
		packer->context = ZSTD_createCCtx();
	if (packer && packer->context)
		return packer;
	free(packer);
	return NULL;
}

void packer_free(struct packer *packer)
{
	if (!packer)
		return;
	ZSTD_freeCCtx(packer->context);
	free(packer->room);
	free(packer);
}

const char *packer_pack(struct packer *packer, const struct text *page, size_t *ret_nr_bytes)
{
	size_t bound = ZSTD_compressBound(page->length);

	if (packer->nr_bytes < bound) {
		free(packer->room);
		packer->room = malloc(bound);
		packer->nr_bytes = packer->room ? bound : 0;
	}
	if (!packer->room)
		return NULL;
	*ret_nr_bytes = ZSTD_compressCCtx(packer->context, packer->room, packer->nr_bytes,
		text_peek(page), page->length, LEVEL);
	return ZSTD_isError(*ret_nr_bytes) ? NULL : packer->room;
}
