/* SPDX-License-Identifier: MIT */
/* Tells the frames of an image as events (frames.h). */
#include <limits.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/failure.h"
#include "corotracer/ctp.h"
#include "frames/frames.h"
#include "frames/join.h"

static const struct found_reader_ops *const kinds[] = {
	&found_threads, &found_stackful, &found_cpp, &found_rust, &found_python};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

struct telling {
	struct frames_source *source;
	struct image *image; /* the later one, if there are two */
	struct modules modules;
	struct found_reader *readers[NR_KINDS];
	struct found found;  /* in this image */
	struct found before; /* at the first look; empty: there was none */
	ct_time between;     /* the two looks */
	bool is_out_of_memory;
};

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

static void close_source(struct ct_source *source)
{
	struct frames_source *frames = (struct frames_source *)source;

	lists_fini(&frames->lists);
	vec_fini(&frames->events);
	arena_fini(&frames->arena);
	free(frames);
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
	return before->state == now->state && before->content == now->content;
}

static void put(struct telling *telling, uint32_t coroutine, struct ct_event event)
{
	struct frames_source *source = telling->source;

	event.time = is_as_before(telling, coroutine) ? 0 : telling->between;
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
		map_get(&telling->found.by_address, coroutine->awaited, &awaited)) {
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
}

/* By whom it was made ready is not known. */
static void tell_ready(struct telling *telling, uint32_t at)
{
	tell_wait(telling, at);
	put(telling, at,
		(struct ct_event){
			.kind = CTP_KIND_ENQUEUE, .object = CTP_HANDLE(CTP_RESOURCE_QUEUE, 1)});
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
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_RESUME,
				.thread = coroutine->thread == FOUND_NO_THREAD
						  ? 0
						  : coroutine->thread + 1});
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

static void tell_limits(struct telling *telling)
{
	struct found_note origin = {.count = 1}, cut = {.count = 1, .is_left_out = true};
	size_t i;

	origin.text = telling->between
			      ? "the coroutines were found in memory, by two looks while the "
				"program "
				"ran: what is the same in both may have run in between, or have "
				"waited for longer"
			      : "the coroutines were found in a core dump: since when they wait "
				"is not known";
	tell_note(telling, &origin);
	for (i = 0; i < telling->found.notes.count; i++)
		tell_note(telling, &telling->found.notes.at[i]);
	cut.text = "the core dump ends before its memory does";
	if (telling->image->is_cut)
		tell_note(telling, &cut);
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status look(struct telling *telling, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	size_t i;

	found_init(&telling->found, &telling->source->arena);
	for (i = 0; status == CT_OK && i < NR_KINDS; i++)
		status = kinds[i]->look(
			telling->readers[i], telling->image, &telling->found, reterr);
	if (status == CT_OK && telling->found.is_out_of_memory)
		status = ct_fail_memory(reterr);
	return status;
}

static enum ct_status look_again(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	uint64_t first_ns = clock_monotonic_ns();
	enum ct_status status;

	telling->before = telling->found;
	memset(&telling->found, 0, sizeof(telling->found));
	again->pause(again->context);
	status = again->open(again->context, &telling->image, reterr);
	if (status)
		return status;
	telling->between = (ct_time)(clock_monotonic_ns() - first_ns);
	return look(telling, reterr);
}

static enum ct_status find(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	enum ct_status status = modules_open(&telling->modules, telling->image, reterr);
	size_t i;

	for (i = 0; status == CT_OK && i < NR_KINDS; i++)
		status = kinds[i]->open(
			telling->image, &telling->modules, &telling->readers[i], reterr);
	if (status == CT_OK)
		status = look(telling, reterr);
	/* Without any coroutine there is nothing to compare. */
	if (status || !again || telling->found.coroutines.count == 0)
		return status;
	return look_again(telling, again, reterr);
}

/* Times ascend: first who is as at the first look. One coroutine may wait for another, which has to be there. */
static void tell_coroutines(struct telling *telling, bool are_as_before)
{
	uint32_t i, count = (uint32_t)telling->found.coroutines.count;

	for (i = 0; i < count && !telling->is_out_of_memory; i++)
		if (is_as_before(telling, i) == are_as_before)
			tell_life(telling, i);
	for (i = 0; i < count && !telling->is_out_of_memory; i++)
		if (is_as_before(telling, i) == are_as_before)
			tell_state(telling, i);
}

static void tell(struct telling *telling)
{
	struct frames_source *source = telling->source;

	tell_program(telling);
	tell_places(telling);
	tell_coroutines(telling, true);
	tell_coroutines(telling, false);
	tell_limits(telling);
	lists_publish(&source->lists, &source->tables);
	source->tables.host = "";
	source->tables.clock = "CLOCK_MONOTONIC";
	source->tables.reason = "";
	source->tables.reason_time = CT_NO_TIME;
	source->tables.carried_from = CT_NO_TIME;
	source->tables.is_complete = true;
	source->tables.is_from_memory = true;
	source->tables.observed_until = telling->between;
	if (telling->between)
		source->tables.epoch_monotonic_ns =
			(int64_t)clock_monotonic_ns() - telling->between;
	source->tables.nr_events = source->events.count;
	source->source.ops = &ops;
	source->source.tables = &source->tables;
	source->source.is_ordered = true;
}

static enum ct_status refuse(const struct telling *telling, struct ct_error *reterr)
{
	const char *cut =
		telling->image->is_cut ? "; the core dump ends before its memory does" : "";
	char words[PATH_MAX + 256];
	enum ct_status status;
	size_t i;

	/* A runtime of its own says more of a program than the language that it is written in. */
	for (i = NR_KINDS; i-- > 0;) {
		status = kinds[i]->why_not(telling->readers[i], words, sizeof(words));
		if (status)
			return ct_fail(reterr, status, "no coroutine was found: %s%s", words, cut);
	}
	return ct_fail(reterr, CT_ERR_NOT_FOUND,
		"no coroutine was found: the symbols of the program name no coroutine of C++20, "
		"or they were stripped, and it runs no asyncio of Python%s",
		cut);
}

static void close_readers(struct telling *telling)
{
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		if (telling->readers[i])
			kinds[i]->close(telling->readers[i]);
	modules_close(&telling->modules);
}

/* Without coroutines the past remains, with a note that says why nothing joins it. */
static enum ct_status refuse_unless(
	struct telling *telling, const struct frames_past *past, struct ct_error *reterr)
{
	struct ct_error why;
	enum ct_status status = refuse(telling, &why);

	if (!past || !past->source) {
		if (reterr)
			*reterr = why;
		return status;
	}
	found_note(&telling->found, 1, false, why.text);
	return telling->found.is_out_of_memory ? ct_fail_memory(reterr) : CT_OK;
}

/* From here on the joined source has the past. */
static enum ct_status join_past(struct telling *telling, const struct frames_past *past,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct frames_source *source = telling->source;

	telling->source = NULL;
	return join_open(past->source, source, &telling->found, ret_source, reterr);
}

static enum ct_status find_and_tell(struct telling *telling, const struct frames_again *again,
	const struct frames_past *past, struct ct_error *reterr)
{
	enum ct_status status = find(telling, again, reterr);

	if (status == CT_OK && telling->found.coroutines.count == 0)
		status = refuse_unless(telling, past, reterr);
	if (status)
		return status;
	if (past && past->trouble[0])
		found_note(&telling->found, 1, true, past->trouble);
	tell(telling);
	return telling->is_out_of_memory || telling->found.is_out_of_memory ? ct_fail_memory(reterr)
									    : CT_OK;
}

enum ct_status frames_source_open(struct image *image, const struct frames_again *again,
	const struct frames_past *past, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct telling telling = {.image = image, .source = calloc(1, sizeof(*telling.source))};
	enum ct_status status = CT_ERR_NO_MEMORY;

	if (telling.source) {
		arena_init(&telling.source->arena);
		status = find_and_tell(&telling, again, past, reterr);
	} else {
		ct_fail_memory(reterr);
	}
	if (status == CT_OK && past && past->source)
		status = join_past(&telling, past, ret_source, reterr);
	else if (past)
		source_close(past->source);
	close_readers(&telling);
	found_fini(&telling.found);
	found_fini(&telling.before);
	if (telling.image != image)
		image_close(telling.image);
	image_close(image);
	if (status && telling.source)
		close_source(&telling.source->source);
	else if (telling.source)
		*ret_source = &telling.source->source;
	return status;
}
