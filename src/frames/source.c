/* SPDX-License-Identifier: MIT */
/* Tells the frames of an image as events (frames.h). */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/failure.h"
#include "corotracer/ctp.h"
#include "frames/scan.h"
#include "frames/stores.h"
#include "frames/frames.h"
#include "stream/lists.h"

#define PROCESS 1u
#define HANDLE(kind, identity) ((uint64_t)(kind) << 56 | (identity))

struct frames_source {
	struct ct_source source;
	struct ct_tables tables;
	struct lists lists;
	struct arena arena;
	VEC(struct ct_event) events;
	size_t nr_handed;
};

struct telling {
	struct frames_source *source;
	struct image *image; /* the later one, if there are two */
	struct code code;
	struct scan scan;   /* of this image */
	struct scan before; /* of the first look; empty: there was none */
	ct_time between;    /* the two looks */
	struct map sites;   /* function << 32 | point, to an index in the lists */
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

/* ---------------------------------------------------------------- texts */

static const char *keep(struct telling *telling, const char *text)
{
	const char *kept = arena_text(&telling->source->arena, text, strlen(text));

	if (!kept)
		telling->is_out_of_memory = true;
	return kept ? kept : "";
}

static void note(struct telling *telling, uint64_t count, bool is_left_out, const char *text)
{
	struct ct_note fresh = {.count = count, .offset = CT_NO_OFFSET, .is_left_out = is_left_out};

	fresh.text = keep(telling, text);
	if (count > 0 && !vec_push(&telling->source->lists.notes, fresh))
		telling->is_out_of_memory = true;
}

/* ---------------------------------------------------------------- sites */

/* Places that the compiler merged: "AsyncRead, or line 40, or line 52". */
static const char *reason_of(struct telling *telling, const struct code_point *point)
{
	char text[512];
	size_t i, length = 0;

	if (!point || point->is_initial)
		return "";
	length = (size_t)snprintf(text, sizeof(text), "%.400s", point->awaiter);
	for (i = 0; i < sizeof(point->others) / sizeof(*point->others) && point->others[i]; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
			"%sor line %" PRIu32, length ? ", " : "", point->others[i]);
	return keep(telling, text);
}

static struct ct_site site_of(struct telling *telling, const struct code_function *function,
	const struct code_point *point)
{
	struct ct_site site = lists_no_site;

	site.process = PROCESS;
	site.kind = CTP_SITE_SOURCE;
	site.function = keep(telling, function->name);
	site.file = keep(telling, point && point->line ? point->file : function->file);
	site.line = point && point->line ? point->line : function->line;
	site.reason = reason_of(telling, point);
	if (site.reason[0])
		site.form = CTP_FORM_CO_AWAIT;
	return site;
}

/* The place of a suspended frame, or with is_function the function itself. */
static uint32_t site(struct telling *telling, const struct frame *frame, bool is_function)
{
	const struct code_function *function = &telling->code.functions.at[frame->function];
	const struct code_point *point = is_function ? NULL : code_point_of(function, frame->index);
	uint64_t key = (uint64_t)frame->function << 32 |
		       (point ? (uint64_t)(point - function->shape.points.at) + 1 : 0);
	uint32_t index = (uint32_t)telling->source->lists.sites.count;

	if (map_get(&telling->sites, key, &index))
		return index;
	if (!vec_push(&telling->source->lists.sites, site_of(telling, function, point)) ||
		!map_put(&telling->sites, key, index))
		telling->is_out_of_memory = true;
	return index;
}

/* ---------------------------------------------------------------- events */

/* With one look, all is told of that. */
static bool is_as_before(const struct telling *telling, uint32_t at)
{
	const struct frame *now = &telling->scan.frames.at[at], *before;
	uint32_t index;

	if (telling->between == 0)
		return true;
	if (!map_get(&telling->before.by_address, now->address, &index))
		return false;
	before = &telling->before.frames.at[index];
	return before->function == now->function && before->state == now->state &&
	       before->index == now->index && before->content == now->content;
}

static void put(struct telling *telling, uint32_t frame, struct ct_event event)
{
	struct frames_source *source = telling->source;

	event.time = is_as_before(telling, frame) ? 0 : telling->between;
	event.coro = frame + UINT64_C(1);
	event.process = PROCESS;
	event.sequence = source->events.count;
	if (!vec_push(&source->events, event))
		telling->is_out_of_memory = true;
}

static uint64_t waited_for(const struct frame *frame)
{
	if (frame->has_awaited)
		return HANDLE(CTP_RESOURCE_COROUTINE, frame->awaited + UINT64_C(1));
	if (frame->has_descriptor)
		return HANDLE(CTP_RESOURCE_DESCRIPTOR, (uint32_t)frame->descriptor);
	return 0;
}

static void tell_wait(struct telling *telling, uint32_t at)
{
	const struct frame *frame = &telling->scan.frames.at[at];
	const struct code_point *point =
		code_point_of(&telling->code.functions.at[frame->function], frame->index);
	uint32_t place = site(telling, frame, false);

	if (frame->has_awaited)
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_AWAIT,
				.object = frame->awaited + UINT64_C(1),
				.site = place});
	put(telling, at,
		(struct ct_event){.kind = CTP_KIND_SUSPEND,
			.object = waited_for(frame),
			.site = place,
			.argument =
				point && point->is_initial ? CTP_POINT_INITIAL : CTP_POINT_AWAIT});
}

static void tell_life(struct telling *telling, uint32_t at)
{
	const struct frame *frame = &telling->scan.frames.at[at];

	put(telling, at, (struct ct_event){.kind = CTP_KIND_CREATE, .object = frame->address});
	put(telling, at,
		(struct ct_event){.kind = CTP_KIND_FRAME,
			.object = frame->address,
			.site = site(telling, frame, true)});
}

static void tell_state(struct telling *telling, uint32_t at)
{
	const struct frame *frame = &telling->scan.frames.at[at];

	switch (frame->state) {
	case FRAME_WAITS:
		tell_wait(telling, at);
		return;
	case FRAME_RUNS:
		put(telling, at,
			(struct ct_event){.kind = CTP_KIND_RESUME, .thread = frame->thread + 1});
		return;
	case FRAME_HAS_END:
		put(telling, at, (struct ct_event){.kind = CTP_KIND_RETURN});
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

		thread.process = PROCESS;
		thread.tid = image->threads.at[i].tid;
		thread.name = keep(telling, image->threads.at[i].name);
		if (!vec_push(&lists->threads, thread))
			telling->is_out_of_memory = true;
	}
}

static void tell_modules(struct telling *telling)
{
	char text[PATH_MAX + 256];
	size_t i;

	for (i = 0; i < telling->code.modules.count; i++) {
		const struct code_module *module = &telling->code.modules.at[i];

		if (!module->remark[0])
			continue;
		snprintf(text, sizeof(text), "the coroutines of '%s' are not known: %s",
			module->path, module->remark);
		note(telling, 1, true, text);
	}
}

static uint64_t count_without_shape(const struct telling *telling)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < telling->scan.frames.count; i++)
		count += telling->code.functions.at[telling->scan.frames.at[i].function]
				 .shape.bytes == 0;
	return count;
}

static void tell_limits(struct telling *telling)
{
	const struct scan *scan = &telling->scan;

	note(telling, 1, false,
		telling->between
			? "the coroutines were found in memory, by two looks while the program "
			  "ran: what is "
			  "the same in both may have run in between, or have waited for longer"
			: "the coroutines were found in a core dump: since when they wait is not "
			  "known");
	note(telling, scan->nr_unread, true, "bytes of writable memory could not be read");
	note(telling, scan->nr_changed, true,
		"coroutines ended while they were read, and were left out");
	note(telling, scan->nr_freed, false,
		"frames of coroutines lie in memory that is free again, and were left out");
	note(telling, count_without_shape(telling), false,
		"coroutines have functions without debug information: their lines are not known; "
		"build with -g, or install the debug symbols");
	note(telling, telling->image->is_cut, true, "the core dump ends before its memory does");
	tell_modules(telling);
}

/* ---------------------------------------------------------------- the whole */

static enum ct_status look(
	struct telling *telling, struct image *image, struct scan *scan, struct ct_error *reterr)
{
	enum ct_status status = scan_frames(scan, image, &telling->code, reterr);

	return status ? status : scan_link(scan, reterr);
}

static enum ct_status look_again(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	uint64_t first_ns = clock_monotonic_ns();
	enum ct_status status;

	telling->before = telling->scan;
	memset(&telling->scan, 0, sizeof(telling->scan));
	again->pause(again->context);
	status = again->open(again->context, &telling->image, reterr);
	if (status)
		return status;
	telling->between = (ct_time)(clock_monotonic_ns() - first_ns);
	return look(telling, telling->image, &telling->scan, reterr);
}

static enum ct_status find(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	enum ct_status status = stores_prepare(reterr);

	if (status == CT_OK)
		status = code_open(&telling->code, telling->image, reterr);
	if (status == CT_OK)
		status = look(telling, telling->image, &telling->scan, reterr);
	/* Without any frame there is nothing to compare. */
	if (status || !again || telling->scan.frames.count == 0)
		return status;
	return look_again(telling, again, reterr);
}

/* Times ascend: first who is as at the first look. One coroutine may wait for another, which has to be there. */
static void tell_frames(struct telling *telling, bool are_as_before)
{
	uint32_t i;

	for (i = 0; i < telling->scan.frames.count && !telling->is_out_of_memory; i++)
		if (is_as_before(telling, i) == are_as_before)
			tell_life(telling, i);
	for (i = 0; i < telling->scan.frames.count && !telling->is_out_of_memory; i++)
		if (is_as_before(telling, i) == are_as_before)
			tell_state(telling, i);
}

static void tell(struct telling *telling)
{
	struct frames_source *source = telling->source;

	tell_program(telling);
	tell_frames(telling, true);
	tell_frames(telling, false);
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
	const struct code *code = &telling->code;
	size_t i;

	for (i = 0; i < code->modules.count; i++)
		if (strcmp(code->modules.at[i].path, telling->image->program) == 0 &&
			code->modules.at[i].remark[0])
			return ct_fail(reterr, CT_ERR_NOT_FOUND,
				"no coroutine was found: of '%s', %s", telling->image->program,
				code->modules.at[i].remark);
	if (code->functions.count == 0)
		return ct_fail(reterr, CT_ERR_NOT_FOUND,
			"no coroutine was found: the symbols of the program name no coroutine of "
			"C++20, "
			"or they were stripped");
	return ct_fail(reterr, CT_ERR_NOT_FOUND,
		"no coroutine was found: the program has %zu coroutine functions, and none of "
		"their "
		"frames is alive",
		code->functions.count);
}

enum ct_status frames_source_open(struct image *image, const struct frames_again *again,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct telling telling = {.image = image, .source = calloc(1, sizeof(*telling.source))};
	enum ct_status status = CT_ERR_NO_MEMORY;

	if (telling.source) {
		arena_init(&telling.source->arena);
		status = find(&telling, again, reterr);
		if (status == CT_OK && telling.scan.frames.count == 0)
			status = refuse(&telling, reterr);
		if (status == CT_OK)
			tell(&telling);
		if (status == CT_OK && telling.is_out_of_memory)
			status = ct_fail_memory(reterr);
	} else {
		ct_fail_memory(reterr);
	}
	scan_fini(&telling.scan);
	scan_fini(&telling.before);
	code_close(&telling.code);
	map_fini(&telling.sites);
	if (telling.image != image)
		image_close(telling.image);
	image_close(image);
	if (status && telling.source)
		close_source(&telling.source->source);
	else
		*ret_source = &telling.source->source;
	return status;
}
