/* SPDX-License-Identifier: MIT */
/*
 * What threads did. Viewers require the slices of a thread to be nested: a call inside a run, or a run inside a run if
 * one coroutine resumes another. Spans are sorted, outer ones first. A span that overlaps another one only in part,
 * because events are missing, gets a track beside the thread's, so that each span keeps its length.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "slices/tracks.h"

void slices_threads_run(struct slices *slices, struct slices_span run)
{
	slices->is_broken |= !vec_push(&slices->spans, run);
}

/* ---------------------------------------------------------------- sleeps and blocking calls */

/* Calls within calls, deeper than any program goes; deeper ones are left out. */
#define CALLS 8u

struct open_spans {
	struct slices_span park;
	bool is_parked;
	struct slices_span calls[CALLS];
	uint32_t nr_calls;
};

struct reading {
	struct slices *slices;
	struct open_spans *threads; /* indexed by thread */
};

static void end_span(struct slices *slices, struct slices_span *span, ct_time until)
{
	span->until = until > span->from ? until : span->from;
	slices->is_broken |= !vec_push(&slices->spans, *span);
}

static void take_change(struct reading *reading, const struct slices_span *at, unsigned kind)
{
	struct open_spans *open = &reading->threads[at->thread];
	struct slices *slices = reading->slices;

	if (open->is_parked && (kind == CTP_KIND_PARK || kind == CTP_KIND_UNPARK))
		end_span(slices, &open->park, at->from);
	if (kind == CTP_KIND_PARK || kind == CTP_KIND_UNPARK)
		open->is_parked = kind == CTP_KIND_PARK;
	if (kind == CTP_KIND_PARK)
		open->park = *at;
	if (kind == CTP_KIND_BLOCK_BEGIN && open->nr_calls < CALLS)
		open->calls[open->nr_calls++] = *at;
	if (kind == CTP_KIND_BLOCK_END && open->nr_calls)
		end_span(slices, &open->calls[--open->nr_calls], at->from);
}

static void take_rows(struct reading *reading, const struct ct_view_rows *rows)
{
	uint64_t i;

	for (i = 0; i < rows->nr_rows; i++) {
		unsigned kind = (unsigned)rows->columns[CT_VIEW_EVENTS_KIND][i];
		uint32_t thread = (uint32_t)rows->columns[CT_VIEW_EVENTS_THREAD][i];
		bool is_call = kind == CTP_KIND_BLOCK_BEGIN || kind == CTP_KIND_BLOCK_END;
		const struct slices_span at = {
			.thread = thread,
			.site = (uint32_t)rows->columns[CT_VIEW_EVENTS_SITE][i],
			.from = rows->columns[CT_VIEW_EVENTS_TIME][i],
			.category = is_call ? SLICES_BLOCK : SLICES_PARK,
			.call = (uint8_t)rows->columns[CT_VIEW_EVENTS_ARGUMENT][i],
		};

		if (thread && thread < reading->slices->tables->nr_threads)
			take_change(reading, &at, kind);
	}
}

/* A span that is open at the end of observation lasts until then, or until the thread or its process ended. */
static ct_time end_of(const struct ct_tables *tables, const struct ct_thread *thread)
{
	ct_time ended = thread->process < tables->nr_processes
				? tables->processes[thread->process].ended
				: CT_NO_TIME;

	if (thread->stopped != CT_NO_TIME)
		return thread->stopped;
	return ended != CT_NO_TIME ? ended : tables->observed_until;
}

static void end_all(struct reading *reading)
{
	const struct ct_tables *tables = reading->slices->tables;
	uint32_t i;

	for (i = 1; i < tables->nr_threads; i++) {
		struct open_spans *open = &reading->threads[i];
		ct_time end = end_of(tables, &tables->threads[i]);

		while (open->nr_calls)
			end_span(reading->slices, &open->calls[--open->nr_calls], end);
		if (open->is_parked)
			end_span(reading->slices, &open->park, end);
	}
}

static enum ct_status read_rows(
	struct reading *reading, struct ct_view_scan *scan, struct ct_error *reterr)
{
	const struct ct_view_rows *rows;
	enum ct_status status;

	for (;;) {
		status = ct_view_scan_next(scan, &rows, reterr);
		if (status)
			break;
		take_rows(reading, rows);
	}
	if (status != CT_END)
		return status;
	end_all(reading);
	return CT_OK;
}

enum ct_status slices_threads_read(struct slices *slices, struct ct_error *reterr)
{
	/* The four kinds have successive numbers. */
	const struct ct_view_term terms[] = {
		{.column = CT_VIEW_EVENTS_KIND,
			.compare = CT_VIEW_AT_LEAST,
			.number = CTP_KIND_PARK},
		{.column = CT_VIEW_EVENTS_KIND,
			.compare = CT_VIEW_AT_MOST,
			.number = CTP_KIND_BLOCK_END},
	};
	const struct ct_view_request request = {
		.size = sizeof(request), .table = CT_VIEW_EVENTS, .terms = terms, .nr_terms = 2};
	struct reading reading = {.slices = slices,
		.threads = calloc(slices->tables->nr_threads + 1u, sizeof(*reading.threads))};
	struct ct_view_scan *scan;
	enum ct_status status;

	if (!reading.threads)
		return ct_fail_memory(reterr);
	status = ct_view_scan_open(slices->view, &request, &scan, reterr);
	if (status == CT_OK) {
		status = read_rows(&reading, scan, reterr);
		ct_view_scan_close(scan);
	}
	free(reading.threads);
	return status;
}

/* ---------------------------------------------------------------- sorting */

/* Orders by thread, then by beginning; of spans with the same beginning the longest is the outermost. */
static int compare_spans(const void *one, const void *other)
{
	const struct slices_span *a = one, *b = other;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->until != b->until)
		return a->until > b->until ? -1 : 1;
	return (a->category > b->category) - (a->category < b->category);
}

/* A track of a thread, and the end of each slice that is open on it. */
struct lane {
	uint32_t track;
	VEC(ct_time) open;
};

struct lanes {
	VEC(struct lane) all;
	uint32_t nr_used; /* of the present thread */
};

static bool fits(struct lane *lane, const struct slices_span *span)
{
	while (lane->open.count && lane->open.at[lane->open.count - 1] <= span->from)
		lane->open.count--;
	return !lane->open.count || span->until <= lane->open.at[lane->open.count - 1];
}

static struct lane *add_lane(
	struct slices *slices, struct lanes *lanes, const struct slices_track *thread)
{
	struct slices_track track = *thread;
	struct lane *lane;

	if (lanes->nr_used == lanes->all.count && !vec_push(&lanes->all, (struct lane){0}))
		return NULL;
	lane = &lanes->all.at[lanes->nr_used];
	lane->open.count = 0;
	lane->track = thread->number;
	if (lanes->nr_used++) {
		track.kind = SLICES_OF_OVERLAP;
		track.parent = thread->number;
		lane->track = slices_add_track(slices, track, "at the same time").number;
	}
	return lane;
}

static struct lane *find_lane(struct slices *slices, struct lanes *lanes,
	const struct slices_track *thread, const struct slices_span *span)
{
	struct lane *lane;
	uint32_t i;

	for (i = 0; i < lanes->nr_used; i++)
		if (fits(&lanes->all.at[i], span))
			return &lanes->all.at[i];
	lane = add_lane(slices, lanes, thread);
	return lane;
}

static void name_span(
	struct slices *slices, const struct slices_span *span, struct slices_item *item)
{
	const struct slices_coro *coro = &slices->coros.at[span->coro];
	const char *name;

	switch (span->category) {
	case SLICES_PARK:
		item->name = "asleep";
		return;
	case SLICES_BLOCK:
		item->name = ct_call_name(span->call);
		return;
	default:
		name = ct_view_text(slices->view, coro->name);
		text_clear(&slices->word);
		slices_say_coro(slices, &slices->word, span->coro);
		item->name = *name ? name : text_peek(&slices->word);
		slices_argument_number(item, "coroutine", (int64_t)coro->id);
	}
}

static void write_span(struct slices *slices, const struct slices_track *thread,
	const struct lane *lane, const struct slices_span *span)
{
	struct slices_track track = *thread;
	struct slices_item item = {.track = &track,
		.category = span->category,
		.from = span->from,
		.until = span->until,
		.site = span->site,
		.flow = span->flow,
		.is_flow_ending = true};

	track.number = lane->track;
	if (lane->track != thread->number)
		track.kind = SLICES_OF_OVERLAP;
	name_span(slices, span, &item);
	slices->writer->slice(slices->writer, &item);
}

static enum ct_status write_spans(
	struct slices *slices, struct lanes *lanes, struct ct_error *reterr)
{
	struct slices_track thread = {0};
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; status == CT_OK && i < slices->spans.count; i++) {
		const struct slices_span *span = &slices->spans.at[i];
		struct lane *lane;

		if (!i || span[-1].thread != span->thread) {
			thread = slices_thread_track(slices, 0, span->thread);
			lanes->nr_used = 0;
		}
		lane = find_lane(slices, lanes, &thread, span);
		if (!lane || !vec_push(&lane->open, span->until))
			return ct_fail_memory(reterr);
		write_span(slices, &thread, lane, span);
		if (i % 1024 == 0)
			status = slices->writer->flush(slices->writer, reterr);
	}
	return status;
}

enum ct_status slices_threads_write(struct slices *slices, struct ct_error *reterr)
{
	struct lanes lanes = {0};
	enum ct_status status;
	size_t i;

	if (slices->spans.count)
		qsort(slices->spans.at, slices->spans.count, sizeof(*slices->spans.at),
			compare_spans);
	status = write_spans(slices, &lanes, reterr);
	for (i = 0; i < lanes.all.count; i++)
		vec_fini(&lanes.all.at[i].open);
	vec_fini(&lanes.all);
	return status;
}
