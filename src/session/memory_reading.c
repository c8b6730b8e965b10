/* SPDX-License-Identifier: MIT */
/* Reads the memory of a process, and takes what is said of it (memory_reading.h). */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/failure.h"
#include "frames/frames.h"
#include "kernel/procfs.h"
#include "session/memory_reading.h"

#define SIGHTS_MAX 4096u
#define LARGEST_BYTES (UINT64_C(512) << 20) /* that a program may have in memory */
#define PAUSES 50

static bool take(void *context, uint64_t coro, const char *text)
{
	struct memory_reading *look = context;
	struct memory_seen seen = {
		.text = arena_text(&look->arena, text, strlen(text)), .coro = coro};

	return seen.text && look->sights.count < SIGHTS_MAX && vec_push(&look->sights, seen);
}

bool memory_reading_has_ended(const struct memory_reading *look)
{
	struct procfs_stat stat;

	return !procfs_stat((pid_t)look->still.pid, &stat) || stat.state == 'Z' ||
	       stat.state == 'X';
}

/* A look takes up to so much memory and time as the program has memory, and nobody asked for it. */
static bool is_too_large(const struct memory_reading *look)
{
	struct procfs_stat stat;

	return procfs_stat((pid_t)look->still.pid, &stat) && stat.nr_resident > LARGEST_BYTES;
}

static void say_too_large(struct memory_reading *look)
{
	char words[160];

	snprintf(words, sizeof(words),
		"its memory was left out, as it is more than %" PRIu64
		" MiB; 'corotracer report %lld' looks into it while it runs",
		LARGEST_BYTES >> 20, (long long)look->still.pid);
	look->is_left_out = true;
	take(look, 0, words);
}

/* What ends while it is first read is seen in part. */
static void pause_between(void *context)
{
	struct memory_reading *look = context;
	const struct timespec span = {.tv_nsec = MEMORY_BETWEEN_NS / PAUSES};
	int i;

	look->has_first = true;
	look->is_void = memory_reading_has_ended(look);
	for (i = 0; i < PAUSES && !atomic_load(look->is_hurried); i++)
		nanosleep(&span, NULL);
}

static bool ends(void *context)
{
	struct memory_reading *look = context;

	look->is_single |= memory_reading_has_ended(look);
	return look->is_single;
}

static enum ct_status open_again(void *context, struct image **ret_image, struct ct_error *reterr)
{
	struct memory_reading *look = context;
	enum ct_status status;

	if (atomic_load(look->is_hurried)) {
		look->is_single = true;
		return CT_END;
	}
	status = image_open_process((pid_t)look->still.pid, ret_image, reterr);
	return status && ends(look) ? CT_END : status;
}

static enum ct_status open_fresh(void *context, struct image **ret_image, struct ct_error *reterr)
{
	struct memory_reading *look = context;

	if (atomic_load(look->is_hurried))
		return ct_fail(reterr, CT_ERR_NOT_FOUND, "there was no time for a look");
	look->begun_ns = clock_monotonic_ns();
	return image_open_process((pid_t)look->still.pid, ret_image, reterr);
}

static void see(struct memory_reading *look)
{
	struct frames_again again = {pause_between, open_again, ends, look};
	struct frames_seeing seeing = {.is_recorded = look->still.has_probe,
		.goes_on = look->goes_on,
		.again = look->still.has_probe ? NULL : &again,
		.ret_source = look->still.has_probe ? NULL : &look->found.source,
		.fresh = open_fresh,
		.take = take,
		.context = look};
	struct image *image;

	if (image_open_process((pid_t)look->still.pid, &image, NULL) == CT_OK)
		frames_see(image, &seeing, NULL);
}

static uint64_t spent_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * UINT64_C(1000000000) + (uint64_t)spent.tv_nsec;
}

void memory_reading_take(struct memory_reading *look)
{
	if (is_too_large(look))
		say_too_large(look);
	else
		see(look);
	if (!look->has_first)
		look->is_void = memory_reading_has_ended(look);
	else
		look->is_void |= look->goes_on && look->is_single;
	look->ended_ns = clock_monotonic_ns();
	look->cost_ns = spent_ns();
}
