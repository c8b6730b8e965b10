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
	/*
	 * pause: waits between the two looks. open: opens the program's memory once more; CT_END: there is no time for
	 * that, and the first look has to do
	 */
	void (*pause)(void *context);
	enum ct_status (*open)(void *context, struct image **ret_image, struct ct_error *reterr);
	/*
	 * has_ended: has the program? Its memory can no longer be read then, and a look that was not over by then is
	 * dropped for the first one. NULL: not asked
	 */
	bool (*has_ended)(void *context);
	void *context;
};

/* What the program itself recorded, and its flight recorder kept. */
struct frames_past {
	struct ct_source *source; /* NULL: there is none */
	const char *trouble;      /* a sentence: why there is none; "": nothing is to be said */
};

struct frames_seeing {
	bool is_recorded; /* a probe records where coroutines wait; else that is said as well */
	/*
	 * The program goes on meanwhile: only coroutines that wait are spoken of. Without a probe, `again` tells
	 * which of them do so at two looks, and no other one is spoken of; NULL with a probe, whose events tell
	 * the same.
	 */
	bool goes_on;
	const struct frames_again *again;
	/*
	 * fresh: opens the program's memory once more, as soon as its debug information has been read, which may take
	 * seconds: what is seen is of what is read from then on.
	 */
	enum ct_status (*fresh)(void *context, struct image **ret_image, struct ct_error *reterr);
	bool (*take)(void *context, uint64_t coro, const char *text);
	void *context;
	/*
	 * What was found as a source, as frames_source_open tells it; becomes NULL if there was no coroutine.
	 * NULL: not asked for.
	 */
	struct ct_source **ret_source;
};

/*
 * frames_see: hands on, one sentence each, what a look at a program that runs sees beside its coroutines, as sights of
 * a source do: what is in their variables and in what they await, and what its threads are in. `coro`: the number that
 * a probe in the program gave the coroutine; 0: none, and then the sentence says where it waits, and is said of two at
 * a place at most. The text lives until `take` returns; false: ends the look. Closes the image. Errors are those of
 * frames_source_open.
 */
enum ct_status frames_see(
	struct image *image, const struct frames_seeing *seeing, struct ct_error *reterr);

/*
 * frames_source_open: finds the coroutines of an image, and closes the image, also if that fails. `again`: how to look
 * a second time; NULL: a core dump, which does not change. `past`: what the program recorded itself, with which its
 * coroutines are told together (join.h), and which is taken over, also after a failure; NULL: nothing. What could not
 * be read or told is counted in the tables' notes. CT_ERR_NOT_FOUND: the program has no coroutine that could be found;
 * CT_ERR_FORMAT: it has some, which cannot be read; the message says why. Neither is a failure if there is a past.
 * CT_ERR_UNSUPPORTED: Capstone is not installed.
 */
enum ct_status frames_source_open(struct image *image, const struct frames_again *again,
	const struct frames_past *past, struct ct_source **ret_source, struct ct_error *reterr);

#endif
