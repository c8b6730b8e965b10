/* SPDX-License-Identifier: MIT */
/*
 * A program without a trace as a source like any other: the coroutines that are found in its memory, each created, and
 * suspended, running or ended, at one moment, which is time 0. Since when they are so is not known.
 */
#ifndef FRAMES_FRAMES_H
#define FRAMES_FRAMES_H

#include "frames/image.h"
#include "stream/stream.h"

/*
 * A second look at a program that runs: what is the same in both is told at time 0, all else at the time of the second
 * look.
 */
struct frames_again {
	/* pause: waits between the two looks. open: opens the program's memory once more */
	void (*pause)(void *context);
	enum ct_status (*open)(void *context, struct image **ret_image, struct ct_error *reterr);
	void *context;
};

/*
 * frames_source_open: finds the coroutines of an image, and closes the image, also if that fails. `again`: how to look
 * a second time; NULL: a core dump, which does not change. What could not be read or told is counted in the tables'
 * notes. CT_ERR_NOT_FOUND: the program has no coroutine that could be found; CT_ERR_FORMAT: it has some, which cannot
 * be read; the message says why. CT_ERR_UNSUPPORTED: Capstone is not installed.
 */
enum ct_status frames_source_open(struct image *image, const struct frames_again *again,
	struct ct_source **ret_source, struct ct_error *reterr);

#endif
