/* SPDX-License-Identifier: MIT */
/* Looks into the memory of a program that stands still (memory_look.h). */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "frames/frames.h"
#include "kernel/procfs.h"
#include "session/memory_look.h"

#define STILL_NS UINT64_C(500000000)
#define STILL_WITHOUT_NS UINT64_C(1000000000) /* without a probe: it may still be starting */
#define AGAIN 4u  /* times as long in one silence, or after a look that saw nothing */
#define SHARE 20u /* looks take one part in so many of the time */
#define NICE 10   /* lower priority than the traced program */
#define SIGHTS_MAX 4096u
#define AT_ONCE_NS UINT64_C(100000000)      /* what ends moves a little before the end */
#define LARGEST_BYTES (UINT64_C(512) << 20) /* that a program may have in memory */

/* A program that is asked to end may end its coroutines first: how long that may take. */
#define ENDING_NS UINT64_C(5000000000)

struct look {
	struct collect_still still;
	uint64_t begun_ns;
	uint64_t
		moved_ns; /* when it was seen that the coroutines have moved since; 0: they have not */
	struct arena arena; /* of the texts */
	VEC(struct ct_sight) sights;
};

struct memory_look {
	pthread_t thread;
	bool is_looking;
	bool is_over; /* the recording is: there are no more looks */
	atomic_bool is_done;
	struct look present;        /* the thread's, while it looks */
	struct look last;           /* the last one that saw something */
	struct collect_still tried; /* at the last look */
	uint64_t tried_ns;
	uint64_t due_ns;
};

struct memory_look *memory_look_new(void)
{
	struct memory_look *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	arena_init(&memory->present.arena);
	arena_init(&memory->last.arena);
	return memory;
}

static void clear(struct look *look)
{
	arena_fini(&look->arena);
	arena_init(&look->arena);
	look->sights.count = 0;
	look->moved_ns = 0;
}

/* ---------------------------------------------------------------- the thread */

static bool take(void *context, uint64_t coro, const char *text)
{
	struct look *look = context;
	struct ct_sight sight = {
		.text = arena_text(&look->arena, text, strlen(text)), .coro = coro};

	return sight.text && look->sights.count < SIGHTS_MAX && vec_push(&look->sights, sight);
}

static bool has_ended(pid_t pid)
{
	struct procfs_stat stat;

	return !procfs_stat(pid, &stat) || stat.state == 'Z' || stat.state == 'X';
}

/* A look takes up to so much memory and time as the program has memory, and nobody asked for it. */
static bool is_too_large(const struct look *look)
{
	struct procfs_stat stat;

	return procfs_stat((pid_t)look->still.pid, &stat) && stat.nr_resident > LARGEST_BYTES;
}

static void say_too_large(struct look *look)
{
	char words[160];

	snprintf(words, sizeof(words),
		"its memory was left out, as it is more than %" PRIu64
		" MiB; 'corotracer report %lld' looks into it while it runs",
		LARGEST_BYTES >> 20, (long long)look->still.pid);
	take(look, 0, words);
}

/* A look that fails sees nothing, and another one may follow. */
static void *look_now(void *argument)
{
	struct memory_look *memory = argument;
	struct image *image;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	if (is_too_large(&memory->present))
		say_too_large(&memory->present);
	else if (image_open_process((pid_t)memory->present.still.pid, &image, NULL) == CT_OK)
		frames_see(image, memory->present.still.has_probe, take, &memory->present, NULL);
	/* What ends while it is looked at is seen in part. */
	if (has_ended((pid_t)memory->present.still.pid))
		memory->present.sights.count = 0;
	atomic_store_explicit(&memory->is_done, true, memory_order_release);
	return NULL;
}

/* ---------------------------------------------------------------- functions for other threads */

static void begin(struct memory_look *memory, const struct collect_still *still, uint64_t now_ns)
{
	clear(&memory->present);
	memory->present.still = *still;
	memory->present.begun_ns = memory->tried_ns = now_ns;
	memory->tried = *still;
	atomic_store_explicit(&memory->is_done, false, memory_order_relaxed);
	memory->is_looking = thread_start(&memory->thread, look_now, memory) == 0;
	memory->due_ns = UINT64_MAX;
}

static void end(struct memory_look *memory)
{
	uint64_t took_ns;
	struct look former = memory->last;

	pthread_join(memory->thread, NULL);
	memory->is_looking = false;
	took_ns = clock_monotonic_ns() - memory->present.begun_ns;
	memory->due_ns = memory->present.begun_ns + took_ns * AGAIN;
	if (memory->present.sights.count == 0)
		return;
	memory->due_ns = memory->present.begun_ns + took_ns * SHARE;
	memory->last = memory->present;
	memory->present = former;
}

static bool is_same(const struct collect_still *one, const struct collect_still *other)
{
	return one->pid == other->pid && one->since_ns == other->since_ns;
}

static void note_move(struct look *look, const struct collect_still *still, uint64_t now_ns)
{
	if (look->moved_ns == 0 && !is_same(&look->still, still))
		look->moved_ns = now_ns;
}

/* What writes no events of its coroutines may be on the way to where it stays: looked at again, ever more rarely. */
static bool is_due(
	const struct memory_look *memory, const struct collect_still *still, uint64_t now_ns)
{
	uint64_t still_ns = now_ns > still->since_ns ? now_ns - still->since_ns : 0;

	if (memory->is_looking || now_ns < memory->due_ns ||
		still_ns < (still->has_probe ? STILL_NS : STILL_WITHOUT_NS))
		return false;
	return !is_same(&memory->tried, still) ||
	       still_ns >= AGAIN * (memory->tried_ns - still->since_ns);
}

void memory_look_step(struct memory_look *memory, const struct collect *collect, uint64_t now_ns)
{
	struct collect_still still;

	if (!memory || memory->is_over)
		return;
	if (memory->is_looking && atomic_load_explicit(&memory->is_done, memory_order_acquire))
		end(memory);
	if (!collect_still(collect, &still))
		return;
	note_move(&memory->last, &still, now_ns);
	note_move(&memory->present, &still, now_ns);
	if (is_due(memory, &still, now_ns))
		begin(memory, &still, now_ns);
}

static void define(struct ct_sink *sink, const struct ct_sight *sight)
{
	struct ct_definition definition = {.type = CT_DEFINE_NOTE,
		.note = {.text = sight->text,
			.count = 1,
			.offset = CT_NO_OFFSET,
			.is_sight = true,
			.coro = sight->coro}};

	sink_define(sink, &definition, NULL);
}

/* Without a probe, only the ledger tells that a program goes on. */
static void say_when(const struct look *look, uint64_t now_ns, struct text *words)
{
	const struct collect_still *still = &look->still;

	text_format(words,
		"process %lld was looked into %.1f s before the recording ended, when %s for %.1f "
		"s",
		(long long)still->pid, (double)(now_ns - look->begun_ns) / 1e9,
		still->has_probe ? "its coroutines had not moved"
				 : "nothing of it had been recorded",
		(double)(look->begun_ns - still->since_ns) / 1e9);
	if (look->moved_ns && now_ns - look->moved_ns >= AT_ONCE_NS)
		text_format(words, "; the program went on %.1f s before the recording ended",
			(double)(now_ns - look->moved_ns) / 1e9);
}

void memory_look_finish(struct memory_look *memory, struct ct_sink *sink, uint64_t now_ns)
{
	struct text words = {0};
	const struct look *last;
	size_t i;

	if (!memory || memory->is_over)
		return;
	memory->is_over = true;
	if (memory->is_looking)
		end(memory);
	last = &memory->last;
	if (last->sights.count == 0 || (last->moved_ns && now_ns - last->moved_ns > ENDING_NS))
		return;
	say_when(last, now_ns, &words);
	define(sink, &(struct ct_sight){.text = text_peek(&words)});
	text_fini(&words);
	for (i = 0; i < last->sights.count; i++)
		define(sink, &last->sights.at[i]);
}

void memory_look_free(struct memory_look *memory)
{
	if (!memory)
		return;
	if (memory->is_looking)
		end(memory);
	arena_fini(&memory->present.arena);
	arena_fini(&memory->last.arena);
	vec_fini(&memory->present.sights);
	vec_fini(&memory->last.sights);
	free(memory);
}
