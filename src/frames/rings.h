/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder of a program's own probe, out of the program's memory. The probe maps the parts of its segment
 * one behind the other; put back to where they are in the file, they are the file that `recover` reads. Only the first
 * words are checked here: who reads the file trusts nothing in it.
 */
#ifndef FRAMES_RINGS_H
#define FRAMES_RINGS_H

#include "frames/image.h"

struct rings {
	int descriptor;   /* of a file: a nameless copy, or the recorder's own */
	const char *path; /* of the recorder's own file; NULL: a copy */
};

/*
 * rings_take: copies the recorder's file out of the image, or opens the file that the program had mapped, if it is
 * still there and names this process; the caller closes the descriptor. CT_END: the program kept no past.
 * CT_ERR_NOT_FOUND: it did, but the image has nothing of that; the message says why.
 */
enum ct_status rings_take(
	const struct image *image, struct rings *ret_rings, struct ct_error *reterr);

#endif
