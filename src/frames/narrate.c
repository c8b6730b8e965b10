/* SPDX-License-Identifier: MIT */
/* Tells what was found as events and tables (narrate.h). */
#include <stdlib.h>

#include "base/clock.h"
#include "corotracer/ctp.h"
#include "frames/narrate.h"

/* ---------------------------------------------------------------- as a source */

static enum ct_status next(
	struct ct_source *source, struct ct_events *ret_events, struct ct_error *reterr)
{
	struct frames_source *frames = (struct frames_source *)source;
	struct ct_events all = {.at = frames->events.at, .count = frames->events.count};

	(void)reterr;
	if (frames->nr_handed == frames->events.count)
		return CT_END;
	source_lend(&all, &frames->nr_handed, ret_events);
	return CT_OK;
}

static enum ct_status reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct frames_source *)source)->nr_handed = 0;
	return CT_OK;
}

void narrate_close(struct frames_source *frames)
{
	lists_fini(&frames->lists);
	vec_fini(&frames->events);
	arena_fini(&frames->arena);
	free(frames);
}

static void close_source(struct ct_source *source)
{
	narrate_close((struct frames_source *)source);
}

static const struct ct_source_ops ops = {next, reset, close_source};

/* ---------------------------------------------------------------- places */

/* A site has the index of its place, and a stack that of its call. */
static struct ct_site site_of(const struct found_place *place)
{
	struct ct_site site = lists_no_site;

	site.process = FRAMES_PROCESS;
	site.kind = CTP_SITE_SOURCE;
	site.form = place->form;
	site.function = place->function;
	site.file = place->file;
	site.line = place->line;
	site.reason = place->reason;
	site.stack = place->stack;
	if (place->module) {
		site.module = place->module;
		site.module_offset = place->module_offset;
	}
	return site;
}

static void tell_places(struct telling *telling)
{
	struct lists *lists = &telling->source->lists;
	size_t i;

	for (i = 1; i < telling->found.places.count; i++)
		if (!vec_push(&lists->sites, site_of(&telling->found.places.at[i])))
			telling->is_out_of_memory = true;
	for (i = 1; i < telling->found.calls.count; i++)
		if (!vec_push(&lists->stacks, telling->found.calls.at[i]))
			telling->is_out_of_memory = true;
}

static const char *keep(struct telling *telling, const char *text)
{
	const char *kept = arena_text(&telling->source->arena, text, strlen(text));

	if (!kept)
		telling->is_out_of_memory = true;
	return kept ? kept : "";
}

/* A name is a site of which only the reason is known. */
static uint32_t name_site(struct telling *telling, const char *name)
{
	struct ct_site site = lists_no_site;

	site.process = FRAMES_PROCESS;
	site.kind = CTP_SITE_SOURCE;
	site.reason = name;
	if (!vec_push(&telling->source->lists.sites, site))
		telling->is_out_of_memory = true;
	return (uint32_t)telling->source->lists.sites.count - 1;
}

/* ---------------------------------------------------------------- events */

static const struct found_coroutine *coroutine_of(const struct telling *telling, uint32_t at)
{
	return &telling->found.coroutines.at[at];
}

/* With one look, all is told of that. */
static bool is_as_before(const struct telling *telling, uint32_t at)
{
	const struct found_coroutine *now = coroutine_of(telling, at), *before;
	uint32_t index;

	if (telling->between == 0)
		return true;
	if (!map_get(&telling->before.by_address, now->address, &index))
		return false;
	before = &telling->before.coroutines.at[index];
	if (now->state == FRAME_RUNS && now->thread != FOUND_NO_THREAD)
		return before->state == FRAME_RUNS &&
		       ((before->is_lasting && now->is_lasting) ||
			       (now->is_blocking &&
				       found_thread_rested(&telling->before, before->thread,
					       &telling->found, now->thread)));
	return before->state == now->state && before->content == now->content;
}

static void put(struct telling *telling, uint32_t coroutine, struct ct_event event)
{
	struct frames_source *source = telling->source;

	event.time = is_as_before(telling, coroutine) ? 0 : telling->between;
	if (telling->is_of_life && telling->are_early[coroutine])
		event.time = 0;
	event.time += telling->later;
	event.coro = coroutine + UINT64_C(1);
	event.process = FRAMES_PROCESS;
	event.sequence = source->events.count;
	if (!vec_push(&source->events, event))
		telling->is_out_of_memory = true;
}

static void tell_wait(struct telling *telling, uint32_t at)
{
	const struct found_coroutine *coroutine = coroutine_of(telling, at);
	uint64_t object = coroutine->object;
	uint32_t awaited;

	if (coroutine->awaited &&
		map_get(&telling->found.by_address, coroutine->awaited, &awaited) &&
		(!is_as_before(telling, at) || telling->are_early[awaited])) {
		object = CTP_HANDLE(CTP_RESOURCE_COROUTINE, awaited + UINT64_C(1));
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_AWAIT,
				.object = awaited + UINT64_C(1),
				.site = coroutine->place});
	}
	put(telling, at,
		(struct ct_event){.kind = CTP_KIND_SUSPEND,
			.object = object,
			.site = coroutine->place,
			.argument = coroutine->is_initial ? CTP_POINT_INITIAL : CTP_POINT_AWAIT});
	if (coroutine->is_unreached && is_as_before(telling, at))
		put(telling, at,
			(struct ct_event){
				.kind = CTP_KIND_DETAIL, .argument = CTP_DETAIL_UNREACHED});
}

/* No rule is to conclude anything from its wait. */
static void tell_bare(struct telling *telling, uint32_t at)
{
	if (coroutine_of(telling, at)->is_bare)
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_MARK, .argument = CTP_MARK_EXPECT_IDLE});
}

static void tell_life(struct telling *telling, uint32_t at)
{
	const struct found_coroutine *coroutine = coroutine_of(telling, at);

	put(telling, at, (struct ct_event){.kind = CTP_KIND_CREATE, .object = coroutine->address});
	put(telling, at,
		(struct ct_event){.kind = CTP_KIND_FRAME,
			.object = coroutine->address,
			.site = coroutine->function});
	if (coroutine->bytes)
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_DETAIL,
				.argument = CTP_DETAIL_BYTES,
				.object = coroutine->bytes});
	if (coroutine->name[0])
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_NAME,
				.site = name_site(telling, coroutine->name)});
	tell_bare(telling, at);
}

/* By whom it was made ready is not known. */
static void tell_ready(struct telling *telling, uint32_t at)
{
	tell_wait(telling, at);
	put(telling, at,
		(struct ct_event){
			.kind = CTP_KIND_ENQUEUE, .object = CTP_HANDLE(CTP_RESOURCE_QUEUE, 1)});
}

static void tell_run(struct telling *telling, uint32_t at)
{
	const struct found_coroutine *coroutine = coroutine_of(telling, at);

	if (coroutine->place && !coroutine->is_initial && !coroutine->is_here)
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_SUSPEND,
				.site = coroutine->place,
				.argument = CTP_POINT_AWAIT});
	put(telling, at,
		(struct ct_event){.kind = CTP_KIND_RESUME,
			.thread =
				coroutine->thread == FOUND_NO_THREAD ? 0 : coroutine->thread + 1});
}

static void tell_state(struct telling *telling, uint32_t at)
{
	const struct found_coroutine *coroutine = coroutine_of(telling, at);

	switch (coroutine->state) {
	case FRAME_WAITS:
		tell_wait(telling, at);
		return;
	case FRAME_IS_READY:
		tell_ready(telling, at);
		return;
	case FRAME_RUNS:
		tell_run(telling, at);
		return;
	case FRAME_HAS_END:
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_RETURN, .flags = coroutine->has_failed});
		return;
	}
}

/* ---------------------------------------------------------------- tables */

static void tell_program(struct telling *telling)
{
	struct lists *lists = &telling->source->lists;
	const struct image *image = telling->image;
	struct ct_process process = lists_no_process;
	uint32_t i;

	process.pid = image->pid;
	process.program = keep(telling, image->program);
	process.command_line = keep(telling, image->command_line);
	if (image->is_moving)
		process.ending = CT_ENDING_DETACHED;
	if (image->signal) {
		process.ending = CT_ENDING_SIGNALED;
		process.ending_value = image->signal;
		process.ended = 0;
	}
	if (!lists_begin(lists) || !vec_push(&lists->processes, process))
		telling->is_out_of_memory = true;
	for (i = 0; i < image->threads.count; i++) {
		struct ct_thread thread = lists_no_thread;

		thread.process = FRAMES_PROCESS;
		thread.tid = image->threads.at[i].tid;
		thread.name = keep(telling, image->threads.at[i].name);
		if (!vec_push(&lists->threads, thread))
			telling->is_out_of_memory = true;
	}
}

static void tell_note(struct telling *telling, const struct found_note *note)
{
	struct ct_note fresh = {.count = note->count,
		.offset = CT_NO_OFFSET,
		.is_left_out = note->is_left_out,
		.text = note->text};

	if (note->count > 0 && !vec_push(&telling->source->lists.notes, fresh))
		telling->is_out_of_memory = true;
}

static void tell_sight(struct telling *telling, uint64_t coro, const char *text)
{
	struct ct_sight sight = {
		.text = text, .coro = coro, .begun = CT_NO_TIME, .ended = CT_NO_TIME};

	if (!vec_push(&telling->source->lists.sights, sight))
		telling->is_out_of_memory = true;
}

static void tell_limits(struct telling *telling)
{
	struct found_note origin = {.count = 1}, cut = {.count = 1, .is_left_out = true};
	size_t i;

	origin.text = telling->found.coroutines.count == 0
			      ? "no coroutine is alive in the program's memory; what its threads "
				"are in was found there"
		      : telling->between
			      ? "the coroutines were found in memory, by two looks while the "
				"program "
				"ran: what is the same in both may have run in between, or have "
				"waited for longer"
		      : telling->image->is_moving
			      ? "the coroutines were found in memory, by one look while the "
				"program ran: since when they wait is not known"
			      : "the coroutines were found in a core dump: since when they wait "
				"is not known";
	tell_note(telling, &origin);
	for (i = 0; i < telling->found.notes.count; i++)
		tell_note(telling, &telling->found.notes.at[i]);
	for (i = 0; i < telling->found.sights.count; i++)
		tell_sight(telling, 0, telling->found.sights.at[i]);
	for (i = 0; i < telling->found.coroutines.count; i++) {
		const struct found_coroutine *coroutine = &telling->found.coroutines.at[i];

		if (coroutine->variables)
			tell_sight(telling, i + 1, coroutine->variables);
		if (coroutine->awaits)
			tell_sight(telling, i + 1, coroutine->awaits);
	}
	cut.text = "the core dump ends before its memory does";
	if (telling->image->is_cut)
		tell_note(telling, &cut);
}

/* ---------------------------------------------------------------- the whole */

/* What a coroutine has it got before it went to wait. */
static void tell_holdings(struct telling *telling, bool are_as_before)
{
	size_t i;

	for (i = 0; i < telling->found.holdings.count && !telling->is_out_of_memory; i++) {
		const struct found_holding *holding = &telling->found.holdings.at[i];

		if (is_as_before(telling, holding->coroutine) == are_as_before)
			put(telling, holding->coroutine,
				(struct ct_event){.kind = CTP_KIND_ACQUIRE,
					.object = holding->object,
					.site = holding->place});
	}
}

/* ---------------------------------------------------------------- threads */

static void put_of_thread(
	struct telling *telling, uint32_t thread, ct_time time, struct ct_event event)
{
	struct frames_source *source = telling->source;

	event.time = time;
	event.thread = thread + 1;
	event.process = FRAMES_PROCESS;
	event.sequence = source->events.count;
	if (!vec_push(&source->events, event))
		telling->is_out_of_memory = true;
}

/* A thread that was seen to run by each look. */
static void tell_running(struct telling *telling, ct_time time)
{
	const struct image *image = telling->image;
	uint32_t i;

	for (i = 0; telling->between && i < image->threads.count; i++)
		if (found_thread_runs(&telling->before, i, image->threads.at[i].tid) &&
			found_thread_runs(&telling->found, i, image->threads.at[i].tid))
			put_of_thread(telling, i, time,
				(struct ct_event){.kind = CTP_KIND_THREAD_STATE,
					.coro = image->threads.at[i].tid,
					.object = 'R'});
}

static void put_sleep(struct telling *telling, uint32_t thread, ct_time time)
{
	const struct image_thread *of = &telling->image->threads.at[thread];

	put_of_thread(telling, thread, time,
		(struct ct_event){.kind = CTP_KIND_THREAD_STATE,
			.coro = of->tid,
			.object = (uint64_t)of->call << 8 | 'S'});
}

/* What will end by itself at some time is no standstill: a timer of the program's may be behind it. */
static void tell_timed(struct telling *telling, ct_time time)
{
	const struct image *image = telling->image;
	uint32_t i;

	for (i = 0; i < image->threads.count; i++)
		if (image->threads.at[i].is_timed)
			put_sleep(telling, i, time);
}

/* The thread is in a system call, which the coroutine made. */
static void tell_kept(struct telling *telling, ct_time time)
{
	uint32_t i;

	for (i = 0; telling->between && i < telling->found.coroutines.count; i++) {
		const struct found_coroutine *coroutine = coroutine_of(telling, i);

		if (coroutine->is_blocking && coroutine->thread != FOUND_NO_THREAD &&
			is_as_before(telling, i) &&
			telling->found.threads.at[coroutine->thread].sleeps &&
			!telling->image->threads.at[coroutine->thread].is_timed)
			put_sleep(telling, coroutine->thread, time);
	}
}

/* How long each thread had run by the one look or the other, if both know it. */
static void tell_accounts(struct telling *telling, const struct found *of, ct_time time)
{
	const struct image *image = telling->image;
	uint32_t i;

	for (i = 0; telling->between && i < image->threads.count; i++) {
		uint64_t tid = image->threads.at[i].tid;
		const struct found_thread *thread = found_thread_by(of, i, tid);
		const struct found_thread *before = found_thread_by(&telling->before, i, tid);

		if (thread && thread->has_account && before && before->has_account)
			put_of_thread(telling, i, time,
				(struct ct_event){.kind = CTP_KIND_THREAD_TIME,
					.object = thread->account.waited_ns,
					.coro = thread->account.ran_ns});
	}
}

/* Where the threads are that run coroutines. */
static void tell_samples(struct telling *telling)
{
	ct_time moment = telling->between + telling->later;
	uint32_t i, j;

	for (i = 0; i < telling->found.coroutines.count; i++) {
		const struct found_coroutine *coroutine = coroutine_of(telling, i);
		const struct found_thread *thread =
			found_thread_at(&telling->found, coroutine->thread);
		struct ct_event event = {.kind = CTP_KIND_SAMPLE,
			.coro = i + UINT64_C(1),
			.flags = CTP_SAMPLE_BY_KERNEL};

		if (coroutine->state != FRAME_RUNS || coroutine->thread == FOUND_NO_THREAD)
			continue;
		event.site = coroutine->is_here || !thread ? coroutine->place : thread->place;
		if (coroutine->is_here || !thread || !thread->nr_samples) {
			put_of_thread(telling, coroutine->thread, moment, event);
			continue;
		}
		for (j = 0; j < thread->nr_samples; j++) {
			event.site = thread->samples[j];
			put_of_thread(telling, coroutine->thread, moment, event);
		}
	}
}

/* Times ascend: those that are as at the first look come first. What is waited for has to be there. */
static void tell_coroutines(struct telling *telling, bool are_as_before)
{
	uint32_t i, count = (uint32_t)telling->found.coroutines.count;

	telling->is_of_life = true;
	telling->later = 0;
	for (i = 0; i < count && !telling->is_out_of_memory; i++)
		if (telling->are_early[i] == are_as_before)
			tell_life(telling, i);
	telling->is_of_life = false;
	tell_holdings(telling, are_as_before);
	telling->later = telling->found.holdings.count > 0;
	for (i = 0; i < count && !telling->is_out_of_memory; i++)
		if (is_as_before(telling, i) == are_as_before)
			tell_state(telling, i);
}

/* Those that are as at the first look, and those for which they wait. */
static bool find_early(struct telling *telling)
{
	uint32_t i, awaited, count = (uint32_t)telling->found.coroutines.count;

	telling->are_early = arena_array(&telling->source->arena, count + (size_t)1, sizeof(bool));
	for (i = 0; telling->are_early && i < count; i++) {
		if (!is_as_before(telling, i))
			continue;
		telling->are_early[i] = true;
		if (map_get(&telling->found.by_address, coroutine_of(telling, i)->awaited,
			    &awaited))
			telling->are_early[awaited] = true;
	}
	return telling->are_early != NULL;
}

void narrate_found(struct telling *telling)
{
	struct frames_source *source = telling->source;

	tell_program(telling);
	tell_places(telling);
	if (!find_early(telling)) {
		telling->is_out_of_memory = true;
		return;
	}
	tell_coroutines(telling, true);
	tell_running(telling, telling->later);
	tell_accounts(telling, &telling->before, telling->later);
	tell_coroutines(telling, false);
	tell_running(telling, telling->between + telling->later);
	tell_timed(telling, telling->between + telling->later);
	tell_kept(telling, telling->between + telling->later);
	tell_accounts(telling, &telling->found, telling->between + telling->later);
	tell_samples(telling);
	tell_limits(telling);
	lists_publish(&source->lists, &source->tables);
	source->tables.host = "";
	source->tables.clock = "CLOCK_MONOTONIC";
	source->tables.reason = "";
	source->tables.reason_time = CT_NO_TIME;
	source->tables.carried_from = CT_NO_TIME;
	source->tables.is_complete = true;
	source->tables.is_from_memory = true;
	source->tables.observed_until = telling->between + telling->later;
	if (telling->image->is_moving)
		source->tables.epoch_monotonic_ns =
			(int64_t)clock_monotonic_ns() - telling->between;
	source->tables.nr_events = source->events.count;
	source->source.ops = &ops;
	source->source.tables = &source->tables;
	source->source.is_ordered = true;
}
