/* SPDX-License-Identifier: MIT */
/*
 * The table that tools/embed-files wrote.
 */
#include <string.h>

#include "serve/assets.h"

/* The layout in the assembler file: four words for each file, and a row of zeros at the end. */
extern const struct serve_asset embedded_files[];

const struct serve_asset *serve_asset_find(const char *path)
{
	const struct serve_asset *asset;

	for (asset = embedded_files; asset->path; asset++)
		if (strcmp(asset->path, path) == 0)
			return asset;
	return NULL;
}
