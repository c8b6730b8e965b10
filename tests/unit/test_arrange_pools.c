/* SPDX-License-Identifier: MIT */
/*
 * Arranging events at saturation: two pools of threads pass coroutines to each other without a pause, and create and
 * end other coroutines, whose memory is reused. A thread that takes a coroutine stamps the taking, and its next
 * actions, too early; a wake names only the address of a frame. The program is correct, so a report finds nothing.
 */
#include <stdlib.h>

#include "rules/rules.h"
#include "check.h"
#include "listed.h"
#include "stages/arrange.h"

#define NR_POOLS 2u
#define NR_THREADS 4u /* every second one belongs to the same pool */
#define NR_COROS 12u
#define NR_FRAMES 4096u
#define NR_EVENTS 40000u
#define FRAMES_FROM UINT64_C(0x10000)
#define FRAME_BYTES UINT64_C(0x100)

enum site { SITE_NONE, SITE_HOP, SITE_BACK, SITE_QUEUE, SITE_SPAWN, NR_SITES };

#define TEXTS .file = "", .function = "", .module = "", .callers = ""

static const struct ct_process processes[] = {
	{.program = "", .command_line = ""}, {.pid = 1,
						     .program = "pools",
						     .command_line = "pools",
						     .attached = 0,
						     .ended = INT64_C(1000000000),
						     .ending = CT_ENDING_EXITED,
						     .has_probe = true}};
static struct ct_thread threads[NR_THREADS + 1];
static const struct ct_site sites[NR_SITES] = {
	[SITE_NONE] = {TEXTS, .reason = ""},
	[SITE_HOP] = {TEXTS, .process = 1, .kind = CTP_SITE_SOURCE, .line = 1, .reason = "Hop"},
	[SITE_BACK] = {TEXTS, .process = 1, .kind = CTP_SITE_SOURCE, .line = 2, .reason = "Hop"},
	[SITE_QUEUE] = {TEXTS, .process = 1, .kind = CTP_SITE_SOURCE, .line = 3, .reason = ""},
	[SITE_SPAWN] = {TEXTS, .process = 1, .kind = CTP_SITE_SOURCE, .line = 4, .reason = ""},
};
static const struct ct_stack stacks[1];
static const struct ct_mapping mappings[1] = {{.path = "", .build_id = ""}};
static struct ct_tables tables = {
	.host = "",
	.clock = "counter",
	.reason = "",
	.observed_until = INT64_C(1000000000),
	.is_complete = true,
	.processes = processes,
	.nr_processes = 2,
	.threads = threads,
	.nr_threads = NR_THREADS + 1,
	.sites = sites,
	.nr_sites = NR_SITES,
	.stacks = stacks,
	.nr_stacks = 1,
	.mappings = mappings,
	.nr_mappings = 1,
};

static struct list list = {.source = {.ops = &list_ops, .tables = &tables}};

/* ---------------------------------------------------------------- the program */

struct coro {
	uint64_t id; /* 0: none */
	uint64_t frame;
	ct_time ready; /* when it was queued */
	uint32_t pool;
	unsigned nr_hops; /* remaining hops */
	bool is_queued;
};

struct worker {
	ct_time now;
	ct_time stamped; /* the last stamp */
	uint64_t spare;  /* the frame that was freed last */
};

static struct program {
	uint64_t random;
	uint64_t nr_coros;
	uint64_t nr_frames;
	struct coro coros[NR_COROS];
	struct worker workers[NR_THREADS + 1];
} program;

static uint64_t random_below(uint64_t bound)
{
	program.random ^= program.random << 13;
	program.random ^= program.random >> 7;
	program.random ^= program.random << 17;
	return program.random % bound;
}

/* After a load fence a stamp is exact; else it may be as early as the thread's previous action. */
static bool is_fenced(uint8_t kind)
{
	return kind == CTP_KIND_WAKE || kind == CTP_KIND_CREATE;
}

static void tell(uint32_t thread, struct ct_event event)
{
	struct worker *worker = &program.workers[thread];
	ct_time stamp = worker->now;

	if (!is_fenced(event.kind) && random_below(4) == 0)
		stamp -= (ct_time)random_below((uint64_t)tables.reach_ns);
	if (stamp < worker->stamped)
		stamp = worker->stamped;
	worker->stamped = stamp;
	event.time = stamp;
	event.thread = thread;
	event.process = 1;
	event.sequence = list.events.count;
	CHECK(vec_push(&list.events, event));
	worker->now += 5 + (ct_time)random_below(20);
}

static void put_into_queue(uint32_t thread, struct coro *coro, enum site site)
{
	tell(thread, (struct ct_event){.kind = CTP_KIND_SUSPEND, .coro = coro->id, .site = site});
	tell(thread, (struct ct_event){.kind = CTP_KIND_WAKE,
			     .object = CTP_HANDLE(CTP_RESOURCE_FRAME, coro->frame),
			     .argument = CTP_OUTCOME_QUEUED,
			     .site = SITE_QUEUE});
	coro->ready = program.workers[thread].now;
	coro->pool = (coro->pool + 1) % NR_POOLS;
	coro->is_queued = true;
}

static struct coro *free_one(void)
{
	size_t i;

	for (i = 0; i < NR_COROS && program.coros[i].id; i++)
		;
	return i < NR_COROS ? &program.coros[i] : NULL;
}

static void start(uint32_t thread)
{
	struct worker *worker = &program.workers[thread];
	struct coro *coro = free_one();

	if (!coro)
		return;
	*coro = (struct coro){.id = ++program.nr_coros,
		.frame = worker->spare ? worker->spare
				       : FRAMES_FROM + program.nr_frames++ * FRAME_BYTES,
		.pool = thread % NR_POOLS,
		.nr_hops = 1 + (unsigned)random_below(8)};
	worker->spare = 0;
	tell(thread, (struct ct_event){.kind = CTP_KIND_CREATE,
			     .coro = coro->id,
			     .object = coro->frame + 16,
			     .site = SITE_SPAWN});
	tell(thread,
		(struct ct_event){.kind = CTP_KIND_FRAME, .coro = coro->id, .object = coro->frame});
	put_into_queue(thread, coro, SITE_HOP);
}

/* Takes the coroutine that has waited longest in the queue of the thread's pool and is visible there. */
static struct coro *take(uint32_t thread)
{
	struct coro *found = NULL;
	size_t i;

	for (i = 0; i < NR_COROS; i++) {
		struct coro *coro = &program.coros[i];

		if (coro->is_queued && coro->pool == thread % NR_POOLS &&
			coro->ready <= program.workers[thread].now &&
			(!found || coro->ready < found->ready))
			found = coro;
	}
	return found;
}

/* A probe that said here that the coroutine had run would need no order. */
static void end(uint32_t thread, struct coro *coro)
{
	tell(thread,
		(struct ct_event){
			.kind = CTP_KIND_DESTROY, .coro = coro->id, .argument = CTP_LIFE_UNTOLD});
	program.workers[thread].spare = coro->frame;
	coro->id = 0;
}

static void run(uint32_t thread)
{
	struct coro *coro = take(thread);

	if (!coro) {
		program.workers[thread].now += 20;
		return;
	}
	coro->is_queued = false;
	tell(thread, (struct ct_event){.kind = CTP_KIND_RESUME, .coro = coro->id});
	if (random_below(4) == 0)
		start(thread);
	if (coro->nr_hops-- == 0) {
		end(thread, coro);
		start(thread);
	} else {
		put_into_queue(thread, coro, coro->nr_hops % 2 ? SITE_HOP : SITE_BACK);
	}
}

static uint32_t first_thread(void)
{
	uint32_t first = 1, i;

	for (i = 2; i <= NR_THREADS; i++)
		if (program.workers[i].now < program.workers[first].now)
			first = i;
	return first;
}

static void make(uint64_t seed)
{
	size_t i;

	program = (struct program){.random = seed * 2 + 1};
	list.events.count = list.at = 0;
	for (i = 1; i <= NR_THREADS; i++)
		program.workers[i].now = 100000;
	for (i = 0; i < NR_COROS / 2; i++)
		start(1 + (uint32_t)i % NR_THREADS);
	while (list.events.count < NR_EVENTS)
		run(first_thread());
	qsort(list.events.at, list.events.count, sizeof(*list.events.at), list_by_stamp);
	for (i = 0; i < list.events.count; i++)
		list.events.at[i].sequence = i;
}

/* The number of findings in a report, and of steps that no coroutine can take. */
static uint64_t nr_faults(struct ct_source *source)
{
	const struct ct_report *report = NULL;
	uint64_t count;

	CHECK_EQUAL(rules_judge(source, NULL, NULL, &report, NULL), CT_OK);
	count = report->nr_findings + report->quality.nr_broken_transitions;
	analyze_report_free(report);
	return count;
}

/* The window is larger than any disorder (5 us), or smaller (50 us): in the second case no finding depends on order. */
static void test_saturation(int64_t reach_ns)
{
	uint64_t nr_as_stamped = 0;
	struct ct_source *source;
	uint64_t seed;

	tables.reach_ns = reach_ns;
	for (seed = 1; seed <= 20; seed++) {
		make(seed);
		nr_as_stamped += nr_faults(&list.source);
		CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
		CHECK_EQUAL(nr_faults(source), 0);
		CHECK(source->order->nr_moved > 0);
		source_close(source);
	}
	CHECK(nr_as_stamped > 0);
}

int main(void)
{
	uint32_t i;

	for (i = 0; i <= NR_THREADS; i++)
		threads[i] = (struct ct_thread){.process = i ? 1 : 0,
			.tid = i,
			.name = "",
			.started = CT_NO_TIME,
			.stopped = CT_NO_TIME};
	test_saturation(5000);
	test_saturation(50000);
	vec_fini(&list.events);
	return check_result();
}
