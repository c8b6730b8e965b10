/* SPDX-License-Identifier: MIT */
/*
 * Arranging events: programs of several threads whose steps follow each other are stamped as a machine would stamp
 * them, with stamps that are up to the reach too early. The result keeps each thread's order, raises no time by more
 * than the reach, and contradicts no earlier event, except where this is marked.
 */
#include <string.h>

#include "stages/arrange.h"
#include "check.h"
#include "listed.h"
#include "stream/order.h"

#define REACH_NS 5000
#define NR_THREADS 4u
#define NR_COROS 6u
#define NR_LOCKS 2u
#define LOCKS_FROM 0x1000

static const struct ct_tables tables = {
	.nr_threads = NR_THREADS + 1, .reach_ns = REACH_NS, .observed_until = INT64_C(1) << 40};

/* ---------------------------------------------------------------- a program */

enum state { NEW, READY, RUNNING, WAITING, DONE };

struct coro {
	enum state state;
	uint32_t thread;
	uint64_t id;
};

struct program {
	uint64_t random;
	ct_time now;
	ct_time stamped[NR_THREADS + 1]; /* the last stamp of each thread */
	struct coro coros[NR_COROS];
	struct coro *running[NR_THREADS + 1];
	struct coro *owners[NR_LOCKS];
	uint64_t nr_coros;
	bool is_fenced; /* stamps of wakes, locks and creations are right */
	struct list *list;
};

static uint64_t random_below(struct program *program, uint64_t bound)
{
	program->random ^= program->random << 13;
	program->random ^= program->random >> 7;
	program->random ^= program->random << 17;
	return program->random % bound;
}

static bool is_early(struct program *program, uint8_t kind)
{
	bool is_switch = kind == CTP_KIND_RESUME || kind == CTP_KIND_SUSPEND;

	return (is_switch || !program->is_fenced) && random_below(program, 4) == 0;
}

/* A stamp of now, or a little earlier; a thread's stamps do not decrease. */
static void tell(struct program *program, uint32_t thread, struct ct_event event)
{
	ct_time stamp = program->now;

	if (is_early(program, event.kind))
		stamp -= (ct_time)random_below(program, REACH_NS);
	if (stamp < program->stamped[thread])
		stamp = program->stamped[thread];
	program->stamped[thread] = stamp;
	event.time = stamp;
	event.thread = thread;
	CHECK(vec_push(&program->list->events, event));
	program->now += 5 + (ct_time)random_below(program, random_below(program, 8) ? 40 : 4000);
}

static void step_of(struct program *program, uint32_t thread, struct coro *coro, uint8_t kind,
	uint8_t argument, uint64_t object)
{
	tell(program, thread,
		(struct ct_event){
			.kind = kind, .argument = argument, .coro = coro->id, .object = object});
}

static struct coro *pick(struct program *program, enum state state)
{
	struct coro *coro = &program->coros[random_below(program, NR_COROS)];

	return coro->state == state ? coro : NULL;
}

static void start(struct program *program, uint32_t thread)
{
	struct coro *coro = pick(program, DONE);

	if (!coro)
		return;
	coro->id = ++program->nr_coros;
	coro->state = READY;
	step_of(program, thread, coro, CTP_KIND_CREATE, 0, 0);
}

static void resume(struct program *program, uint32_t thread)
{
	struct coro *coro = pick(program, READY);

	if (!coro)
		return;
	coro->state = RUNNING;
	program->running[thread] = coro;
	step_of(program, thread, coro, CTP_KIND_RESUME, 0, 0);
}

static void suspend(struct program *program, uint32_t thread)
{
	struct coro *coro = program->running[thread];
	bool is_last = random_below(program, 6) == 0;

	coro->state = is_last ? DONE : WAITING;
	program->running[thread] = NULL;
	step_of(program, thread, coro, CTP_KIND_SUSPEND,
		is_last ? CTP_POINT_FINAL : CTP_POINT_AWAIT, 0);
	if (is_last)
		step_of(program, thread, coro, CTP_KIND_DESTROY, CTP_LIFE_DONE, 0);
}

static void wake(struct program *program, uint32_t thread)
{
	struct coro *target = pick(program, WAITING);
	struct coro none = {0};

	if (!target)
		return;
	target->state = READY;
	step_of(program, thread, program->running[thread] ? program->running[thread] : &none,
		CTP_KIND_WAKE, CTP_OUTCOME_QUEUED, CTP_HANDLE(CTP_RESOURCE_COROUTINE, target->id));
}

static struct coro **lock_of(struct program *program, const struct coro *coro)
{
	size_t i;

	for (i = 0; i < NR_LOCKS; i++)
		if (program->owners[i] == coro)
			return &program->owners[i];
	return &program->owners[random_below(program, NR_LOCKS)];
}

/* Takes a free lock, or releases the lock that the coroutine owns. */
static bool use_lock(struct program *program, uint32_t thread, bool is_leaving)
{
	struct coro *coro = program->running[thread];
	struct coro **owner = lock_of(program, coro);
	uint64_t lock =
		CTP_HANDLE(CTP_RESOURCE_LOCK, LOCKS_FROM + (uint64_t)(owner - program->owners));

	if (*owner == coro) {
		*owner = NULL;
		step_of(program, thread, coro, CTP_KIND_RELEASE, 0, lock);
		return true;
	}
	if (*owner || is_leaving)
		return false;
	*owner = coro;
	step_of(program, thread, coro, CTP_KIND_ACQUIRE, 0, lock);
	return true;
}

static void do_something(struct program *program)
{
	uint32_t thread = 1 + (uint32_t)random_below(program, NR_THREADS);

	switch (random_below(program, 8)) {
	case 0:
		start(program, thread);
		break;
	case 1:
	case 2:
		wake(program, thread);
		break;
	case 3:
		if (program->running[thread])
			use_lock(program, thread, false);
		break;
	default:
		if (!program->running[thread])
			resume(program, thread);
		else if (!use_lock(program, thread, true))
			suspend(program, thread);
	}
}

static void make(struct list *list, uint64_t seed, bool is_fenced, size_t nr_events)
{
	struct program program = {
		.random = seed * 2 + 1, .now = 100000, .is_fenced = is_fenced, .list = list};
	size_t i;

	list->events.count = 0;
	list->at = 0;
	for (i = 0; i < NR_COROS; i++)
		program.coros[i].state = DONE;
	while (list->events.count < nr_events)
		do_something(&program);
	for (i = 0; i < list->events.count; i++)
		list->events.at[i].sequence = i;
	qsort(list->events.at, list->events.count, sizeof(*list->events.at), list_by_stamp);
	for (i = 0; i < list->events.count; i++)
		list->events.at[i].sequence = i;
}

/* ---------------------------------------------------------------- the result */

struct seen {
	size_t nr_impossible; /* events that are impossible and not marked */
	size_t nr_unknown;    /* events that are marked unknown */
	size_t nr_odd;        /* events that a program may write, but that none of these wrote */
	uint8_t states[65536];
	uint32_t threads[65536];
	uint64_t owners[NR_LOCKS];
};

enum verdict { RIGHT, ODD, IMPOSSIBLE };

static enum verdict take_lock(struct seen *seen, const struct ct_event *event)
{
	uint64_t *owner = &seen->owners[CTP_HANDLE_IDENTITY(event->object) - LOCKS_FROM];
	bool is_taken = event->kind == CTP_KIND_ACQUIRE;
	bool is_right = *owner == (is_taken ? 0 : event->coro);

	*owner = is_taken ? event->coro : 0;
	return is_right ? RIGHT : ODD;
}

static enum verdict take_wake(struct seen *seen, const struct ct_event *event)
{
	uint8_t *state = &seen->states[CTP_HANDLE_IDENTITY(event->object)];

	if (*state != WAITING)
		return ODD;
	*state = READY;
	return RIGHT;
}

static enum verdict take_resume(struct seen *seen, const struct ct_event *event)
{
	uint8_t before = seen->states[event->coro];

	seen->states[event->coro] = RUNNING;
	seen->threads[event->coro] = event->thread;
	if (before == RUNNING || before == DONE)
		return IMPOSSIBLE;
	return before == READY ? RIGHT : ODD;
}

static enum verdict take_end(struct seen *seen, const struct ct_event *event)
{
	uint8_t before = seen->states[event->coro];
	bool is_wait = event->kind == CTP_KIND_SUSPEND && event->argument == CTP_POINT_AWAIT;

	seen->states[event->coro] = is_wait ? WAITING : DONE;
	if (event->kind == CTP_KIND_DESTROY)
		return before == DONE ? RIGHT : IMPOSSIBLE;
	return before == RUNNING && seen->threads[event->coro] == event->thread ? RIGHT
										: IMPOSSIBLE;
}

static enum verdict take_step(struct seen *seen, const struct ct_event *event)
{
	uint8_t before = seen->states[event->coro];

	switch (event->kind) {
	case CTP_KIND_ACQUIRE:
	case CTP_KIND_RELEASE:
		return take_lock(seen, event);
	case CTP_KIND_WAKE:
		return take_wake(seen, event);
	case CTP_KIND_RESUME:
		return take_resume(seen, event);
	case CTP_KIND_CREATE:
		seen->states[event->coro] = READY;
		return before == NEW ? RIGHT : IMPOSSIBLE;
	default:
		return take_end(seen, event);
	}
}

static void judge(struct seen *seen, const struct ct_event *event)
{
	switch (take_step(seen, event)) {
	case RIGHT:
		break;
	case ODD:
		seen->nr_odd++;
		break;
	case IMPOSSIBLE:
		if (event->flags & CT_FLAG_ORDER_UNKNOWN)
			seen->nr_unknown++;
		else
			seen->nr_impossible++;
	}
}

/* The event must equal the next one that its thread wrote, except for a later time. */
static void check_told(const struct list *list, size_t *at, const struct ct_event *event)
{
	const struct ct_event *told;

	while (list->events.at[*at].thread != event->thread)
		++*at;
	told = &list->events.at[(*at)++];
	CHECK_EQUAL(event->kind, told->kind);
	CHECK_EQUAL(event->coro, told->coro);
	CHECK(event->time >= told->time);
	CHECK(event->time - told->time <= REACH_NS);
}

static void look_at(struct ct_source *source, const struct list *list, struct seen *seen)
{
	const struct ct_event *event;
	ct_time last = INT64_MIN;
	size_t at[NR_THREADS + 1] = {0};
	uint64_t count = 0;

	memset(seen->states, NEW, sizeof(seen->states));
	memset(seen->owners, 0, sizeof(seen->owners));
	while (source_next(source, &event, NULL) == CT_OK) {
		check_told(list, &at[event->thread], event);
		CHECK(event->time >= last);
		CHECK_EQUAL(event->sequence, count);
		last = event->time;
		count++;
		judge(seen, event);
	}
	CHECK_EQUAL(count, list->events.count);
}

static struct list list = {
	.source = {.ops = &list_ops, .tables = &tables}, .are_sites_carried = true};

/* A second reading must give the same events, whether or not the first one changed any. */
static void check_reads_again(struct ct_source *source)
{
	VEC(struct ct_event) first = {0};
	const struct ct_event *event;
	size_t count = 0;

	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	while (source_next(source, &event, NULL) == CT_OK)
		CHECK(vec_push(&first, *event));
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	for (; source_next(source, &event, NULL) == CT_OK; count++)
		CHECK(count < first.count && !memcmp(event, &first.at[count], sizeof(*event)));
	CHECK_EQUAL(count, first.count);
	vec_fini(&first);
}

/* Runs programs, as stamped and in arranged order. */
static void run_programs(bool is_fenced, struct seen *raw, struct seen *arranged)
{
	struct ct_source *source;
	uint64_t seed;

	for (seed = 1; seed <= 200; seed++) {
		make(&list, seed, is_fenced, 2000);
		look_at(&list.source, &list, raw);
		CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
		CHECK_EQUAL(source_reset(source, NULL), CT_OK);
		look_at(source, &list, arranged);
		CHECK(source->order->nr_moved > 0);
		CHECK(source->order->furthest_ns <= REACH_NS);
		check_reads_again(source);
		source_close(source);
	}
}

static void test_programs(bool is_fenced)
{
	static struct seen raw, arranged;

	raw.nr_impossible = raw.nr_odd = 0;
	arranged.nr_impossible = arranged.nr_odd = arranged.nr_unknown = 0;
	run_programs(is_fenced, &raw, &arranged);
	CHECK_EQUAL(arranged.nr_impossible, 0);
	CHECK(raw.nr_impossible > 5000);
	CHECK(arranged.nr_unknown < 40 && arranged.nr_odd < 400);
	CHECK(raw.nr_odd > 20 * arranged.nr_odd);
}

/* Appends an event to the list. */
static void add(uint8_t kind, uint64_t coro, uint32_t thread, ct_time time)
{
	struct ct_event event = {.kind = kind,
		.coro = coro,
		.thread = thread,
		.time = time,
		.sequence = list.events.count};

	CHECK(vec_push(&list.events, event));
}

/* Hundreds of coroutines within the reach, of which one in 50 is resumed before it was created: arranged, or marked. */
static void test_crowd(void)
{
	static struct seen seen;
	struct ct_source *source;
	ct_time now = 100000;
	uint64_t coro;

	list.events.count = 0;
	for (coro = 1; coro <= 50000; coro++, now += 25) {
		if (coro % 50 == 0)
			add(CTP_KIND_RESUME, coro, 2, now);
		add(CTP_KIND_CREATE, coro, 1, now + 1);
		if (coro % 50)
			add(CTP_KIND_RESUME, coro, 2, now + 2);
	}
	CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	look_at(source, &list, &seen);
	source_close(source);
	CHECK_EQUAL(seen.nr_impossible, 0);
	CHECK(seen.nr_unknown < 20);
}

/* The list's events must come out unchanged: none moved, none marked. */
static void check_in_order(void)
{
	const struct ct_event *event;
	struct ct_source *source;
	size_t nr_marked = 0;

	CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	while (source_next(source, &event, NULL) == CT_OK)
		nr_marked += !!(event->flags & CT_FLAG_ORDER_UNKNOWN);
	CHECK_EQUAL(source->order->nr_moved, 0);
	CHECK_EQUAL(nr_marked, 0);
	check_reads_again(source);
	source_close(source);
}

/*
 * P-36: if hooks record runs, a run that begins before the end of the previous one is recorded is in order, however
 * near.
 */
static void test_told_around(void)
{
	static const struct {
		uint8_t kind;
		uint32_t thread;
	} told[] = {{CTP_KIND_RESUME, 1}, {CTP_KIND_RESUME, 2}, {CTP_KIND_SUSPEND, 1},
		{CTP_KIND_SUSPEND, 2}, {CTP_KIND_RESUME, 1}, {CTP_KIND_RESUME, 2},
		{CTP_KIND_DESTROY, 2}, {CTP_KIND_SUSPEND, 1}};
	size_t i;

	list.events.count = list.at = 0;
	add(CTP_KIND_CREATE, 7, 1, 100000);
	for (i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
		add(told[i].kind, 7, told[i].thread, 100100 + (ct_time)i);
		if (told[i].kind != CTP_KIND_DESTROY)
			list.events.at[i + 1].flags = CTP_TOLD_AROUND;
	}
	check_in_order();
}

/* A lock and a coroutine may have equal numbers: the handle of one is the id of the other. */
static void test_equal_numbers(void)
{
	static const uint64_t number = CTP_HANDLE(CTP_RESOURCE_LOCK, 7);
	ct_time now = 100000;
	size_t i;

	list.events.count = list.at = 0;
	for (i = 0; i < 100; i++, now += 100) {
		add(CTP_KIND_ACQUIRE, 1, 1, now);
		list.events.at[list.events.count - 1].object = number;
		add(i ? CTP_KIND_RESUME : CTP_KIND_CREATE, number, 2, now + 10);
		add(CTP_KIND_SUSPEND, number, 2, now + 20);
		add(CTP_KIND_RELEASE, 1, 1, now + 30);
		list.events.at[list.events.count - 1].object = number;
	}
	check_in_order();
}

/* A source with the events of only one thread needs no arranging. */
static void test_one_thread(void)
{
	static const struct ct_tables of_one = {.nr_threads = 2};
	struct list single = {
		.source = {.ops = &list_ops, .tables = &of_one}, .are_sites_carried = true};
	struct ct_source *source = NULL;

	CHECK_EQUAL(arrange_open(&single.source, &source, NULL), CT_OK);
	CHECK(source == &single.source);
}

/* A carried event stays carried if others are moved past it, and no run contains both kinds. */
static void test_carried(void)
{
	const struct ct_event *event;
	struct ct_source *source;
	size_t i, nr_carried = 0, nr_wrong = 0;

	make(&list, 7, false, 2000);
	for (i = 0; i < list.events.count; i += 3)
		list.events.at[i].site = 1;
	CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	while (source_next(source, &event, NULL) == CT_OK) {
		nr_wrong += source_is_carried(source) != (event->site == 1);
		nr_carried += event->site;
	}
	CHECK_EQUAL(nr_wrong, 0);
	CHECK_EQUAL(nr_carried, (list.events.count + 2) / 3);
	CHECK(source->order->nr_moved > 0);
	source_close(source);
}

/* The second reading gives the same events in the same order. */
static void test_reset(void)
{
	struct ct_source *source;
	const struct ct_event *event;
	uint64_t sums[2] = {0};
	size_t i;

	make(&list, 7, false, 2000);
	CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
	for (i = 0; i < 2; i++) {
		CHECK_EQUAL(source_reset(source, NULL), CT_OK);
		while (source_next(source, &event, NULL) == CT_OK)
			sums[i] = sums[i] * 31 + event->coro * 7 + (uint64_t)event->time;
	}
	CHECK(sums[0] == sums[1]);
	source_close(source);
}

/* Reading by runs gives the same as reading one by one, and no run is longer than its room. */
static void test_small_room(void)
{
	enum { SMALL = 60 };
	struct ct_event room[SMALL + 1] = {[SMALL] = {.sequence = 7}};
	const struct ct_event *event;
	struct ct_events events;
	struct ct_source *source;
	uint64_t sums[2] = {0};
	size_t i, nr_wrong = 0;

	make(&list, 7, false, 2000);
	CHECK_EQUAL(arrange_open(&list.source, &source, NULL), CT_OK);
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	while (source_next(source, &event, NULL) == CT_OK)
		sums[0] = sums[0] * 31 + event->coro * 7 + (uint64_t)event->time;
	CHECK_EQUAL(source_reset(source, NULL), CT_OK);
	while (source_fill(source, room, SMALL, &events, NULL) == CT_OK) {
		nr_wrong += events.count == 0 || events.count > SMALL || events.at != room;
		for (i = 0; i < events.count; i++)
			sums[1] = sums[1] * 31 + room[i].coro * 7 + (uint64_t)room[i].time;
	}
	CHECK_EQUAL(nr_wrong, 0);
	CHECK_EQUAL(room[SMALL].sequence, 7);
	CHECK(sums[0] == sums[1]);
	source_close(source);
}

int main(void)
{
	test_programs(true);
	test_programs(false);
	test_crowd();
	test_told_around();
	test_equal_numbers();
	test_one_thread();
	test_carried();
	test_reset();
	test_small_room();
	vec_fini(&list.events);
	return check_result();
}
