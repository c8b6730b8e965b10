/* SPDX-License-Identifier: MIT */
/* The files that a program has mapped, with their symbols and debug information. */
#ifndef FRAMES_MODULES_H
#define FRAMES_MODULES_H

#include "frames/image.h"
#include "symbol/debug_info.h"

struct module {
	const char *path;
	uint64_t bias; /* what its addresses in the image exceed those of its file by */
	struct debug_info *debug;
	const char *remark; /* a sentence: why its functions are not known; "": they are */
};

/* A vector (vec.h). Texts belong to the image. */
struct modules {
	struct module *at;
	size_t count;
	size_t capacity;
};

/*
 * modules_open: opens all files that the image has mapped. CT_ERR_NO_MEMORY is the only error: a file that cannot be
 * used has a remark. modules_close: frees what modules_open made, also if it failed.
 */
enum ct_status modules_open(
	struct modules *modules, const struct image *image, struct ct_error *reterr);
void modules_close(struct modules *modules);

#endif
