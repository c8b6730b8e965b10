/* SPDX-License-Identifier: MIT */
/* What was found in the memory of a program, at one look or two, on its way to events and tables. */
#ifndef FRAMES_NARRATE_H
#define FRAMES_NARRATE_H

#include "frames/join.h"

#define NARRATE_READERS 5u
#define NARRATE_IMAGES 3u

struct telling {
	struct frames_source *source;
	struct image *image;                  /* the latest */
	struct image *images[NARRATE_IMAGES]; /* all, as texts of one belong to it */
	size_t nr_images;
	struct modules modules;
	struct found_reader *readers[NARRATE_READERS];
	struct found found;                 /* in this image */
	struct found before;                /* at the first look; empty: there was none */
	const struct frames_seeing *seeing; /* NULL: all becomes a source */
	bool is_by_probe; /* sentences name coroutines by the numbers of a probe */
	ct_time between;  /* the two looks */
	bool *are_early;  /* by coroutine: it has to be there at the first look */
	bool is_of_life;  /* what is put: that the coroutines are there */
	ct_time later; /* what a coroutine waits for comes after what it has, by the least time there is */
	bool is_out_of_memory;
};

/* narrate_found: fills the source, which can then be read. narrate_close: frees one, also if it was not filled. */
void narrate_found(struct telling *telling);
void narrate_close(struct frames_source *frames);

#endif
