/* SPDX-License-Identifier: MIT */
/* Looks into the memory of a program whose coroutines stand still, all or some (memory_look.h). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "session/memory_look.h"
#include "session/memory_reading.h"
#include "session/memory_words.h"

#define STILL_NS UINT64_C(500000000)
#define STILL_WITHOUT_NS UINT64_C(1000000000) /* without a probe: it may still be starting */
#define AGAIN 4u  /* times as long in one silence, or after a look that saw nothing */
#define SHARE 20u /* looks take one part in so many of the time */
#define NICE 10   /* lower priority than the traced program */

/* A program that is asked to end may end its coroutines first: how long that may take. */
#define ENDING_NS UINT64_C(5000000000)

/* A key reaches the program first. What ends itself ends its coroutines: their last run is then no move. */
#define DELIVERED_NS UINT64_C(250000000)
#define LEAVING_NS UINT64_C(500000000)
/* What its own watchdog ends moves right before; on a busy machine the engine sees the end later than the move. */
#define FAILING_NS UINT64_C(2000000000)

/* While other coroutines go on. */
#define LONG_NS UINT64_C(1500000000) /* a wait that is worth a look */
#define ASK_NS UINT64_C(500000000)   /* how often it is asked who waits for so long */
#define FIRST_NS  \
	UINT64_C( \
		2000000000) /* from one look to the next, at first; then twice as long each time, up to: */
#define LAST_NS UINT64_C(64000000000)
#define SHARE_MOVING 100u            /* looks take one part in so many of a processor */
#define LENT_NS UINT64_C(8000000000) /* of it, in advance */

struct memory_look {
	struct collect *collect;
	struct ct_sink *sink;
	pthread_t thread;
	bool is_looking;
	bool is_over; /* the recording is: there are no more looks */
	atomic_bool is_done;
	atomic_bool is_hurried;        /* the look has no time to wait */
	struct memory_reading present; /* the thread's, while it looks */
	struct memory_reading last;    /* the last one that saw something */
	struct collect_still tried;    /* at the last look at a program that stood still */
	uint64_t tried_ns;
	uint64_t due_ns;
	uint64_t since_ns; /* when the first look could have been */
	uint64_t spent_ns; /* time of a processor, on looks while the program goes on */
	uint64_t
		moving_ns; /* when a look at a program that goes on is due, if there is reason for it */
	uint64_t interval_ns; /* from one such look to the next */
	uint64_t looked_ns;   /* beginning of the last look, or of its reading memory */
	uint64_t asked_ns;    /* to end; 0: it was not */
	uint64_t nr_defined;  /* looks in the trace */
	bool has_defined;     /* the last of them has sights */
};

struct memory_look *memory_look_new(struct collect *collect, struct ct_sink *sink)
{
	struct memory_look *memory = calloc(1, sizeof(*memory));

	if (!memory || !collect_note_waits(collect)) {
		free(memory);
		return NULL;
	}
	memory->collect = collect;
	memory->sink = sink;
	arena_init(&memory->present.arena);
	arena_init(&memory->last.arena);
	memory->present.is_hurried = memory->last.is_hurried = &memory->is_hurried;
	memory->interval_ns = FIRST_NS;
	return memory;
}

static void clear(struct memory_reading *look)
{
	memory_found_fini(&look->found);
	arena_fini(&look->arena);
	arena_init(&look->arena);
	look->sights.count = 0;
	look->same_ns = look->moved_ns = 0;
	look->is_left_out = look->is_void = false;
	look->has_first = look->is_single = false;
	look->is_of_former = look->is_gone = false;
	look->nr_dropped = 0;
}

/* ---------------------------------------------------------------- the thread */

/* A look that fails sees nothing, and another one may follow. */
static void *look_now(void *argument)
{
	struct memory_look *memory = argument;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	memory_reading_take(&memory->present);
	atomic_store_explicit(&memory->is_done, true, memory_order_release);
	return NULL;
}

/* ---------------------------------------------------------------- functions for other threads */

static void begin(struct memory_look *memory, const struct collect_still *still, bool goes_on)
{
	clear(&memory->present);
	memory->present.still = *still;
	memory->present.goes_on = goes_on;
	memory->present.program = memory_found_program((pid_t)still->pid);
	memory->looked_ns = clock_monotonic_ns();
	memory->present.started_ns = memory->present.begun_ns = memory->looked_ns;
	atomic_store_explicit(&memory->is_done, false, memory_order_relaxed);
	memory->is_looking = thread_start(&memory->thread, look_now, memory) == 0;
	if (goes_on)
		return;
	memory->tried = *still;
	memory->tried_ns = memory->present.started_ns;
	memory->due_ns = UINT64_MAX;
}

static uint64_t larger(uint64_t one, uint64_t other)
{
	return one > other ? one : other;
}

/*
 * Ever more rarely: what goes on has many waits that are long, and meant to be. Debug information makes the first looks
 * dear, so that some of the time is lent.
 */
static void plan(struct memory_look *memory, const struct memory_reading *look)
{
	uint64_t earned_ns;

	memory->spent_ns += look->cost_ns;
	earned_ns = memory->spent_ns + look->cost_ns > LENT_NS
			    ? (memory->spent_ns + look->cost_ns - LENT_NS) * SHARE_MOVING
			    : 0;
	memory->moving_ns =
		larger(look->ended_ns + memory->interval_ns, memory->since_ns + earned_ns);
	memory->interval_ns *= memory->interval_ns < LAST_NS ? 2 : 1;
}

/* Returns whether there is a new last look. */
static bool end(struct memory_look *memory)
{
	struct memory_reading *look = &memory->present, former = memory->last;
	uint64_t took_ns;

	pthread_join(memory->thread, NULL);
	memory->is_looking = false;
	memory->looked_ns = look->begun_ns;
	took_ns = clock_monotonic_ns() - look->started_ns;
	if (look->goes_on)
		plan(memory, look);
	else
		memory->due_ns = look->started_ns + took_ns * (look->sights.count ? SHARE : AGAIN);
	/* A program that goes on, and in which nothing waits any more, is no longer as it was. */
	if (look->is_void || look->is_of_former || (look->sights.count == 0 && !look->goes_on) ||
		(look->is_left_out && memory->last.sights.count))
		return false;
	memory_found_keep(&look->found, memory->collect, look->still.process, look->goes_on);
	memory->last = *look;
	memory->present = former;
	return true;
}

static bool is_same(const struct collect_still *one, const struct collect_still *other)
{
	return one->pid == other->pid && one->since_ns == other->since_ns;
}

static void note_move(
	struct memory_reading *look, const struct collect_still *still, uint64_t now_ns)
{
	uint32_t program = 0;

	if (!look->still.has_probe && look->still.process == still->process) {
		program = memory_found_program((pid_t)still->pid);
		look->is_of_former |= still->has_probe;
	}
	look->is_of_former |= program && look->program && program != look->program;
	if (look->moved_ns)
		return;
	if (is_same(&look->still, still) && !look->is_of_former) {
		look->same_ns = now_ns;
		return;
	}
	look->moved_ns = now_ns;
	look->is_gone = memory_reading_has_ended(look);
}

static uint64_t still_for(const struct collect_still *still, uint64_t now_ns)
{
	return now_ns > still->since_ns ? now_ns - still->since_ns : 0;
}

/* What writes no events of its coroutines may be on the way to where it stays: looked at again, ever more rarely. */
static bool is_due(
	const struct memory_look *memory, const struct collect_still *still, uint64_t now_ns)
{
	uint64_t still_ns = still_for(still, now_ns);

	if (now_ns < memory->due_ns || still_ns < (still->has_probe ? STILL_NS : STILL_WITHOUT_NS))
		return false;
	return !is_same(&memory->tried, still) ||
	       still_ns >= AGAIN * (memory->tried_ns - still->since_ns);
}

/*
 * With a probe, if coroutines have begun to wait since the last look, and have done so for long; without one, by time
 * alone.
 */
static bool is_due_moving(struct memory_look *memory, struct collect_still *still, uint64_t now_ns)
{
	if (now_ns < memory->moving_ns)
		return false;
	if (!still->has_probe)
		return now_ns >= memory->since_ns + FIRST_NS &&
		       still_for(still, now_ns) < STILL_WITHOUT_NS;
	memory->moving_ns = now_ns + ASK_NS;
	return now_ns > LONG_NS &&
	       collect_waits(memory->collect, memory->looked_ns, now_ns - LONG_NS, still);
}

/* ---------------------------------------------------------------- what is said */

static bool was_true(const struct memory_reading *look, const struct collect *collect,
	const struct memory_seen *seen, uint64_t at_ns)
{
	return seen->coro && collect_waits_since(collect, look->still.process, seen->coro, at_ns) <
				     look->begun_ns;
}

static void define(struct memory_look *memory, const struct memory_reading *look, const char *text,
	uint64_t coro)
{
	struct ct_definition definition = {.type = CT_DEFINE_NOTE,
		.note = {.text = text,
			.count = 1,
			.offset = CT_NO_OFFSET,
			.is_sight = true,
			.coro = coro,
			.look = memory->nr_defined,
			.begun_ns = look->begun_ns,
			.ended_ns = look->ended_ns}};

	sink_define(memory->sink, &definition, NULL);
	memory->has_defined = text[0] != '\0';
}

static void define_look(
	struct memory_look *memory, const struct memory_reading *look, const char *words)
{
	size_t i;

	memory->nr_defined++;
	define(memory, look, words, 0);
	for (i = 0; i < look->sights.count; i++)
		if (look->sights.at[i].text)
			define(memory, look, look->sights.at[i].text, look->sights.at[i].coro);
}

/* What has moved while it was looked at was seen in part. */
static uint64_t drop_moved(struct memory_reading *look, const struct collect *collect)
{
	uint64_t nr_dropped = 0;
	size_t i;

	for (i = 0; i < look->sights.count; i++) {
		struct memory_seen *seen = &look->sights.at[i];

		if (!seen->text || look->is_left_out || was_true(look, collect, seen, UINT64_MAX))
			continue;
		nr_dropped += seen->coro != 0;
		seen->text = NULL;
	}
	return nr_dropped;
}

/* Whatever ends the engine: the trace has what was seen last. */
static void keep(struct memory_look *memory)
{
	struct memory_reading *look = &memory->last;
	char words[128];

	if (look->goes_on && look->still.has_probe)
		look->nr_dropped = drop_moved(look, memory->collect);
	snprintf(words, sizeof(words), "process %lld was looked into while it was recorded",
		(long long)look->still.pid);
	if (look->sights.count || memory->has_defined)
		define_look(memory, look, look->sights.count ? words : "");
	sink_flush(memory->sink, NULL);
}

void memory_look_step(struct memory_look *memory, uint64_t now_ns)
{
	struct collect_still still;

	if (!memory || memory->is_over)
		return;
	if (memory->is_looking && atomic_load_explicit(&memory->is_done, memory_order_acquire) &&
		end(memory))
		keep(memory);
	if (!collect_still(memory->collect, &still))
		return;
	if (memory->since_ns == 0)
		memory->since_ns = now_ns;
	note_move(&memory->last, &still, now_ns);
	note_move(&memory->present, &still, now_ns);
	if (memory->is_looking)
		return;
	if (is_due(memory, &still, now_ns))
		begin(memory, &still, false);
	else if (is_due_moving(memory, &still, now_ns))
		begin(memory, &still, true);
}

void memory_look_signal(struct memory_look *memory, int signal_number, uint64_t now_ns)
{
	struct memory_reading *last;
	size_t i;

	if (!memory || memory->is_over || (signal_number != SIGINT && signal_number != SIGTERM))
		return;
	last = &memory->last;
	memory->asked_ns = now_ns;
	for (i = 0; i < last->sights.count; i++)
		last->sights.at[i].was_true =
			last->sights.at[i].text &&
			was_true(last, memory->collect, &last->sights.at[i], now_ns - DELIVERED_NS);
}

static bool was_asked(const struct memory_look *memory, uint64_t now_ns)
{
	return memory->asked_ns && now_ns - memory->asked_ns <= ENDING_NS;
}

/* Leaves what is still so; *ret_nr_dropped: how many of the sights are of coroutines that went on. */
static bool leave_true(struct memory_look *memory, uint64_t now_ns, uint64_t *ret_nr_dropped)
{
	struct memory_reading *last = &memory->last;
	bool is_asked = was_asked(memory, now_ns);
	uint64_t at_ns = is_asked ? memory->asked_ns - DELIVERED_NS : now_ns - LEAVING_NS;
	size_t i, count = 0;

	*ret_nr_dropped = 0;
	for (i = 0; i < last->sights.count; i++) {
		struct memory_seen *seen = &last->sights.at[i];

		if (!seen->text)
			continue;
		if (!last->is_left_out && !(is_asked && seen->was_true) &&
			!was_true(last, memory->collect, seen, at_ns)) {
			*ret_nr_dropped += seen->coro != 0;
			seen->text = NULL;
		}
		count += seen->text != NULL;
	}
	return count > 0;
}

/* Returns whether there is something to say, and what of the look as a whole. */
static bool settle(struct memory_look *memory, uint64_t now_ns, struct text *words)
{
	struct memory_reading *last = &memory->last;
	/* What moved before its memory was read was seen on its way. */
	bool stood_still = !last->goes_on &&
			   (!last->moved_ns || (last->same_ns >= last->begun_ns &&
						       now_ns - last->moved_ns <= ENDING_NS));
	uint64_t nr_dropped = 0;

	if (last->sights.count == 0 || last->is_of_former)
		return false;
	if (!stood_still && !last->still.has_probe && !last->goes_on)
		return false;
	if (!stood_still && last->still.has_probe && !leave_true(memory, now_ns, &nr_dropped))
		return false;
	if (stood_still)
		memory_words_still(last, now_ns, words);
	else
		memory_words_moving(last, nr_dropped + last->nr_dropped, now_ns, words);
	return true;
}

/*
 * In the trace, coroutines wait until its end: those that may have moved since are left to sentences, unless the
 * program fails right after that, as by its own watchdog. A probe gives coroutines the numbers that a look gives them,
 * and most that is said of a recording with one is not true of what was found.
 */
static bool has_lasted(const struct memory_look *memory, uint64_t now_ns)
{
	const struct memory_reading *last = &memory->last;
	struct ct_record_stats stats;

	collect_stats(memory->collect, &stats);
	if (stats.has_probe || last->is_of_former)
		return false;
	if (stats.has_ended && stats.ending_value && now_ns - last->moved_ns <= FAILING_NS)
		return true;
	return last->goes_on || !last->moved_ns || last->is_gone ||
	       (was_asked(memory, now_ns) && last->moved_ns >= memory->asked_ns - DELIVERED_NS);
}

/* The coroutines themselves say more than sentences about them, which they replace. */
static bool put_found(struct memory_look *memory, const char *words, uint64_t now_ns)
{
	struct memory_reading *last = &memory->last;
	const struct ct_tables *tables;
	uint32_t i;

	if (!last->found.source || !has_lasted(memory, now_ns) ||
		collect_put_seen(memory->collect, last->still.process, last->found.source,
			last->found.threads, NULL))
		return false;
	tables = last->found.source->tables;
	memory->nr_defined++;
	define(memory, last, words, 0);
	for (i = 0; i < tables->nr_sights; i++)
		define(memory, last, tables->sights[i].text, tables->sights[i].coro);
	return true;
}

void memory_look_finish(struct memory_look *memory, uint64_t now_ns)
{
	struct text words = {0};

	if (!memory || memory->is_over)
		return;
	memory->is_over = true;
	atomic_store(&memory->is_hurried, true);
	if (memory->is_looking)
		end(memory);
	if (!settle(memory, now_ns, &words))
		memory->last.sights.count = 0;
	if (memory->last.sights.count && put_found(memory, text_peek(&words), now_ns))
		memory->has_defined = true;
	else if (memory->last.sights.count || memory->has_defined)
		define_look(memory, &memory->last, text_peek(&words));
	text_fini(&words);
}

void memory_look_free(struct memory_look *memory)
{
	if (!memory)
		return;
	atomic_store(&memory->is_hurried, true);
	if (memory->is_looking)
		end(memory);
	memory_found_fini(&memory->present.found);
	memory_found_fini(&memory->last.found);
	arena_fini(&memory->present.arena);
	arena_fini(&memory->last.arena);
	vec_fini(&memory->present.sights);
	vec_fini(&memory->last.sights);
	free(memory);
}
