/* SPDX-License-Identifier: MIT */
/*
 * Finds the frames of coroutines in the memory of a program: places in writable memory that begin with the two code
 * pointers of one coroutine function.
 *
 * A frame that was freed can still look like one. The allocator of the GNU C library overwrites the first 16 bytes of
 * most memory that is freed; frames in memory that it holds free are left out by its own lists of sizes (heap.h).
 */
#ifndef FRAMES_SCAN_H
#define FRAMES_SCAN_H

#include "frames/code.h"
#include "frames/found.h"

struct frame {
	uint64_t address;
	uint32_t function; /* index into the code's functions */
	enum frame_state state;
	uint64_t index;  /* the number of its place */
	uint32_t thread; /* of a frame that runs: index into the image's threads */
	bool has_awaited;
	uint32_t awaited;   /* the frame whose end it waits for */
	bool is_await_told; /* what it awaits has a handle of that frame */
	uint32_t visit;     /* of the way on which break_circles came by */
	bool has_descriptor;
	int32_t descriptor; /* what its awaiter waits for */
	uint64_t content;   /* hash of its bytes */
};

struct scan {
	struct image *image;
	const struct found *found; /* what the threads are in */
	struct code *code;
	VEC(struct frame) frames; /* by address */
	struct map by_address;    /* index into `frames` */
	uint64_t nr_unread;       /* bytes of writable memory that could not be read */
	uint64_t nr_freed;        /* frames that lie in memory that is free again */
	uint64_t nr_changed;      /* frames that changed while they were read, and were left out */
};

/* scan_frames: reads all writable memory. CT_ERR_NO_MEMORY is the only error; free with scan_fini in any case. */
enum ct_status scan_frames(
	struct scan *scan, struct image *image, struct code *code, struct ct_error *reterr);
void scan_fini(struct scan *scan);

/*
 * scan_function: the function of a frame. scan_awaiter: what a frame that waits awaits; NULL: it does not wait, or that
 * is not described.
 */
const struct code_function *scan_function(const struct scan *scan, const struct frame *frame);
const struct code_awaiter *scan_awaiter(const struct scan *scan, const struct frame *frame);

/*
 * scan_link: finds who runs, who waits for whom, the descriptors of awaiters, and the hashes, in the memory of the
 * frames that were found.
 */
enum ct_status scan_link(struct scan *scan, struct ct_error *reterr);

#endif
