/* SPDX-License-Identifier: MIT */
/*
 * The files of the page, embedded in the program (from web, by tools/embed-files).
 */
#ifndef SERVE_ASSETS_H
#define SERVE_ASSETS_H

#include <stddef.h>

struct serve_asset {
	const char *path; /* "/page.js"; "/" is index.html */
	const char *type;
	const void *bytes;
	size_t nr_bytes;
};

/* serve_asset_find: finds a file by its path; NULL: there is none. */
const struct serve_asset *serve_asset_find(const char *path);

#endif
