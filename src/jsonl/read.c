/* SPDX-License-Identifier: MIT */
/*
 * The source of JSON lines: each run is read from its first line on, its rows are assigned as in the first reading
 * (scan.c), sorted by time, and merged with other runs of the same time.
 *
 * Rows are loaded chunk by chunk. The first reading has kept the least time of all chunks behind each chunk: events
 * before that time are handed out; the others wait and are sorted together with the next chunk. So the events of a
 * sorted file never wait, and an unsorted file takes as much memory as its disorder requires, up to a limit.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "event/kind_words.h"
#include "jsonl/jsonl.h"
#include "jsonl/scan.h"
#include "jsonl/window.h"

#define WAITING_MAX (1u << 20)

/* An event, and the row from which it was made. */
struct loaded {
	struct ct_event event; /* sequence: the place in the file */
	struct ct_row row;
};

/* A run that is being read. */
struct reader {
	struct jsonl_scan *scan;
	uint32_t run;
	uint32_t chunk; /* the next one to load */
	struct jsonl_window window;
	struct jsonl_tracker tracker;
	VEC(struct loaded) events; /* those from `first` on wait */
	size_t first;
	size_t nr_ready; /* events before which no later event can come */
	bool is_at_end;
};

struct jsonl_source {
	struct ct_source source;
	struct jsonl_scan scan;
	struct input *input;
	uint32_t *by_time; /* runs in the order of their first times */
	uint32_t nr_begun; /* how many of these runs have begun */
	VEC(struct reader *) readers;
	struct ct_row rows[SOURCE_ROOM_EVENTS]; /* of the present run */
	uint64_t nr_events;                     /* number handed out */
	enum ct_status status;                  /* not CT_OK: no event follows */
	struct ct_error error;
};

/* ------------------------------------------------------------------- one run */

static void reader_free(struct reader *reader)
{
	jsonl_window_close(&reader->window);
	jsonl_tracker_fini(&reader->tracker);
	vec_fini(&reader->events);
	free(reader);
}

static enum ct_status reader_new(struct jsonl_source *jsonl, uint32_t index,
	struct reader **ret_reader, struct ct_error *reterr)
{
	const struct jsonl_run *run = &jsonl->scan.runs.at[index];
	struct reader *reader = calloc(1, sizeof(*reader));
	enum ct_status status;

	if (!reader)
		return ct_fail_memory(reterr);
	reader->scan = &jsonl->scan;
	reader->run = index;
	reader->tracker.thread_max = run->thread_max;
	reader->tracker.numbering = run->numbering;
	reader->tracker.past = &jsonl->scan.past;
	reader->tracker.nr_past = index;
	reader->tracker.left = &jsonl->scan.left[index];
	reader->tracker.begin_ts = run->begin_ts;
	reader->tracker.is_last = index + 1 == JSONL_RUNS_MAX;
	status = jsonl_window_open(&reader->window, jsonl->input, run->offset,
		jsonl->scan.end_offset, run->line, reterr);
	if (status)
		reader_free(reader);
	else
		*ret_reader = reader;
	return status;
}

static bool add_event(struct reader *reader, const struct jsonl_row *row,
	const struct jsonl_place *place, unsigned kind, uint64_t object)
{
	const struct jsonl_run *run = &reader->scan->runs.at[reader->run];
	bool is_told = place->thread && place->thread <= run->nr_threads;
	struct loaded loaded = {.row = {row->probe_id, row->address, row->seq}};

	loaded.event = (struct ct_event){
		.time = (ct_time)row->ts - reader->scan->tables.epoch_monotonic_ns,
		.coro = kind_has_coro(kind) ? place->id : 0,
		.object = object,
		.kind = (uint8_t)kind,
		.flags = place->is_after_gap && kind != CTP_KIND_FRAME ? CT_FLAG_AFTER_GAP : 0,
		.process = reader->run + 1,
		.thread = is_told ? run->first_thread + place->thread : 0,
		.sequence = row->line,
	};

	return vec_push(&reader->events, loaded);
}

/* *ret_is_taken: a row of the chunk was taken, or the tracker decided why not. */
static bool take_row(struct reader *reader, struct jsonl_row *rows, bool *ret_is_taken)
{
	struct jsonl_place place;
	enum jsonl_verdict verdict =
		jsonl_tracker_take(&reader->tracker, rows, reader->window.nr_rows, &place);

	*ret_is_taken = false;
	/* If another run begins here, the file has changed since the first reading. */
	if (verdict == JSONL_NEXT_RUN)
		reader->is_at_end = true;
	if (verdict != JSONL_IN_RUN)
		return verdict != JSONL_NO_MEMORY;
	*ret_is_taken = place.frame != 0 || jsonl_is_emitted(rows);
	if (place.frame && !add_event(reader, rows, &place, CTP_KIND_FRAME, place.frame))
		return false;
	return !jsonl_is_emitted(rows) ||
	       add_event(reader, rows, &place, rows->kind, rows->has_event ? rows->address : 0);
}

static int compare(const void *left, const void *right)
{
	const struct ct_event *a = &((const struct loaded *)left)->event;
	const struct ct_event *b = &((const struct loaded *)right)->event;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	return (b->kind == CTP_KIND_FRAME) - (a->kind == CTP_KIND_FRAME);
}

static void sort_events(struct reader *reader)
{
	size_t count = reader->events.count - reader->first, i;
	struct loaded *events;

	if (count < 2)
		return;
	events = reader->events.at + reader->first;
	for (i = 1; i < count; i++) {
		if (events[i].event.time < events[i - 1].event.time) {
			qsort(events, count, sizeof(*events), compare);
			return;
		}
	}
}

/* Counts the events that lie before everything that is still to be loaded. */
static void count_ready(struct reader *reader)
{
	const struct jsonl_run *run = &reader->scan->runs.at[reader->run];
	size_t count = reader->events.count - reader->first;
	ct_time limit;

	reader->nr_ready = count;
	if (reader->chunk >= run->nr_chunks || count > WAITING_MAX)
		return;
	limit = (ct_time)reader->scan->chunks.at[run->first_chunk + reader->chunk].least_ts -
		reader->scan->tables.epoch_monotonic_ns;
	while (reader->nr_ready &&
		reader->events.at[reader->first + reader->nr_ready - 1].event.time > limit)
		reader->nr_ready--;
}

static enum ct_status load_chunk(struct reader *reader, struct ct_error *reterr)
{
	const struct jsonl_run *run = &reader->scan->runs.at[reader->run];
	enum ct_status status = CT_OK;
	unsigned nr_taken = 0;
	bool is_taken;

	while (!reader->is_at_end && nr_taken < JSONL_CHUNK_ROWS) {
		struct jsonl_row *rows;

		status = jsonl_window_fill(&reader->window, reterr);
		if (status < 0)
			return status;
		rows = &reader->window.rows[reader->window.first_row];
		reader->is_at_end |= status == CT_END || rows->offset >= run->end_offset;
		if (reader->is_at_end)
			break;
		if (!take_row(reader, rows, &is_taken))
			return ct_fail_memory(reterr);
		nr_taken += is_taken;
		jsonl_window_advance(&reader->window);
	}
	reader->chunk++;
	return CT_OK;
}

/* Loads until an event can be handed out. CT_END: none is left. */
static enum ct_status reader_fill(struct reader *reader, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	while (reader->nr_ready == 0) {
		if (reader->is_at_end && reader->first == reader->events.count)
			return CT_END;
		if (reader->first && reader->first < reader->events.count)
			memmove(reader->events.at, reader->events.at + reader->first,
				(reader->events.count - reader->first) *
					sizeof(*reader->events.at));
		reader->events.count -= reader->first;
		reader->first = 0;
		status = load_chunk(reader, reterr);
		if (status)
			return status;
		sort_events(reader);
		count_ready(reader);
		if (reader->is_at_end)
			reader->nr_ready = reader->events.count;
	}
	return CT_OK;
}

/* ------------------------------------------------------------------- all runs */

static ct_time time_of(const struct reader *reader)
{
	return reader->events.at[reader->first].event.time;
}

/* Begins the runs whose first row lies before the next event. */
static enum ct_status begin_readers(struct jsonl_source *jsonl, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	struct reader *reader = NULL;
	size_t i;

	while (status == CT_OK && jsonl->nr_begun < jsonl->scan.runs.count) {
		uint32_t run = jsonl->by_time[jsonl->nr_begun];
		ct_time first = (ct_time)jsonl->scan.runs.at[run].first_ts -
				jsonl->scan.tables.epoch_monotonic_ns;

		for (i = 0; i < jsonl->readers.count; i++) {
			if (time_of(jsonl->readers.at[i]) < first)
				return CT_OK;
		}
		status = reader_new(jsonl, run, &reader, reterr);
		if (status)
			return status;
		if (!vec_push(&jsonl->readers, reader)) {
			reader_free(reader);
			return ct_fail_memory(reterr);
		}
		jsonl->nr_begun++;
		status = reader_fill(reader, reterr);
		if (status == CT_END) {
			reader_free(reader);
			jsonl->readers.count--;
			status = CT_OK;
		}
	}
	return status;
}

static size_t earliest(const struct jsonl_source *jsonl)
{
	size_t least = 0, i;

	for (i = 1; i < jsonl->readers.count; i++) {
		if (time_of(jsonl->readers.at[i]) < time_of(jsonl->readers.at[least]))
			least = i;
	}
	return least;
}

static void hand_out(
	struct jsonl_source *jsonl, const struct loaded *loaded, struct ct_events *events)
{
	struct ct_event *event = &events->room[events->count];

	*event = loaded->event;
	event->sequence = jsonl->nr_events++;
	jsonl->rows[events->count++] = loaded->row;
}

static enum ct_status hand_out_earliest(
	struct jsonl_source *jsonl, struct ct_events *events, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	struct reader *reader;
	size_t index;

	if (jsonl->nr_begun < jsonl->scan.runs.count)
		status = begin_readers(jsonl, reterr);
	if (status)
		return status;
	if (jsonl->readers.count == 0)
		return CT_END;
	index = earliest(jsonl);
	reader = jsonl->readers.at[index];
	hand_out(jsonl, &reader->events.at[reader->first++], events);
	if (--reader->nr_ready)
		return CT_OK;
	status = reader_fill(reader, reterr);
	if (status != CT_END)
		return status;
	reader_free(reader);
	jsonl->readers.at[index] = jsonl->readers.at[--jsonl->readers.count];
	return CT_OK;
}

static enum ct_status jsonl_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct jsonl_source *jsonl = (struct jsonl_source *)source;

	events->rows = jsonl->rows;
	while (jsonl->status == CT_OK && events->count < events->capacity &&
		events->count < SOURCE_ROOM_EVENTS)
		jsonl->status = hand_out_earliest(jsonl, events, &jsonl->error);
	if (events->count)
		return CT_OK;
	if (jsonl->status < 0 && reterr) {
		*reterr = jsonl->error;
		input_fail(jsonl->input, jsonl->status, reterr);
	}
	return jsonl->status;
}

/* --------------------------------------------------------------------- source */

static enum ct_status jsonl_reset(struct ct_source *source, struct ct_error *reterr)
{
	struct jsonl_source *jsonl = (struct jsonl_source *)source;

	(void)reterr;
	while (jsonl->readers.count)
		reader_free(jsonl->readers.at[--jsonl->readers.count]);
	jsonl->nr_begun = 0;
	jsonl->nr_events = 0;
	jsonl->status = CT_OK;
	return CT_OK;
}

static void jsonl_source_close(struct ct_source *source)
{
	struct jsonl_source *jsonl = (struct jsonl_source *)source;

	jsonl_reset(source, NULL);
	vec_fini(&jsonl->readers);
	jsonl_scan_fini(&jsonl->scan);
	free(jsonl->by_time);
	input_close(jsonl->input);
	free(jsonl);
}

static const struct ct_source_ops jsonl_source_ops = {
	.next = jsonl_next,
	.reset = jsonl_reset,
	.close = jsonl_source_close,
};

static int compare_runs(const void *left, const void *right, void *context)
{
	const struct jsonl_scan *scan = context;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (scan->runs.at[a].first_ts != scan->runs.at[b].first_ts)
		return scan->runs.at[a].first_ts < scan->runs.at[b].first_ts ? -1 : 1;
	return a < b ? -1 : a > b;
}

static enum ct_status order_runs(struct jsonl_source *jsonl, struct ct_error *reterr)
{
	uint32_t i;

	jsonl->by_time = calloc(jsonl->scan.runs.count, sizeof(*jsonl->by_time));
	if (!jsonl->by_time)
		return ct_fail_memory(reterr);
	for (i = 0; i < jsonl->scan.runs.count; i++)
		jsonl->by_time[i] = i;
	qsort_r(jsonl->by_time, jsonl->scan.runs.count, sizeof(*jsonl->by_time), compare_runs,
		&jsonl->scan);
	return CT_OK;
}

enum ct_status jsonl_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct jsonl_source *jsonl = calloc(1, sizeof(*jsonl));
	enum ct_status status;

	if (!jsonl) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	jsonl->source.ops = &jsonl_source_ops;
	jsonl->source.tables = &jsonl->scan.tables;
	jsonl->input = input;
	posix_fadvise(input->descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
	status = jsonl_scan_read(&jsonl->scan, input, reterr);
	if (status == CT_OK)
		status = order_runs(jsonl, reterr);
	if (status == CT_OK) {
		*ret_source = &jsonl->source;
		return CT_OK;
	}
	/* If no row can be true, the error already names the line. */
	if (status != CT_ERR_FORMAT)
		input_fail(input, status, reterr);
	jsonl_source_close(&jsonl->source);
	return status;
}

/*
 * JSON lines begin with a line that starts with a brace: the first line, or a later line if earlier ones are damaged.
 */
static const char *behind_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

/* A brace may also begin a block of a program; in JSON a member's name follows, as far as the bytes reach. */
static bool begins_object(const char *brace, const char *end)
{
	const char *at = behind_blanks(brace + 1, end);

	if (at == end || *at == '}')
		return true;
	if (*at != '"')
		return false;
	at = memchr(at + 1, '"', (size_t)(end - at - 1));
	if (!at)
		return true;
	at = behind_blanks(at + 1, end);
	return at == end || *at == ':';
}

bool jsonl_is_ours(const void *first_bytes, size_t nr_bytes)
{
	const char *at = first_bytes, *end = at + nr_bytes;
	bool is_at_start = true;

	if (nr_bytes == 0 || memchr(at, '\0', nr_bytes))
		return false;
	if (nr_bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (; at < end; at++) {
		if (is_at_start && *at == '{' && begins_object(at, end))
			return true;
		is_at_start = *at == '\n' || (is_at_start && strchr(" \t\r", *at));
	}
	return false;
}
