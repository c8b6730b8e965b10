/* SPDX-License-Identifier: MIT */
/*
 * The trace is read twice. The first reading makes the tables, collects the state before the trace, and finds where the
 * usable part ends; the second hands out events up to that point.
 */
#include <stdio.h>

#include "gotrace/mapping.h"
#include "gotrace/parts.h"
#include "gotrace/source.h"

#define ROOM_EVENTS 256u
#define RUN_EVENTS 4096u /* about as many are handed out at once */
#define NS_PER_S INT64_C(1000000000)

struct gotrace_source {
	struct ct_source source;
	struct ct_tables tables;
	struct input *input;
	uint64_t begin; /* where reading begins in the file */
	uint64_t end;
	struct gotrace_reader *reader;
	struct gotrace_mapping mapping;
	VEC(struct ct_event) carried; /* with sequence numbers */
	char *note;

	/* number of the reader's usable events: later ones stand behind the last sync */
	uint64_t nr_usable;
	uint64_t nr_read;
	uint64_t sequence;
	size_t nr_handed; /* number handed out of the mapping's events, or of the carried ones */
	bool has_handed_carried;
	struct gotrace_event room[ROOM_EVENTS];
};

bool gotrace_source_is_ours(const void *first_bytes, size_t nr_bytes)
{
	return gotrace_is_ours(first_bytes, nr_bytes);
}

/* ------------------------------------------------------------- first reading */

/* Counts as of the last sync. */
struct whole {
	uint64_t nr_read;
	uint64_t nr_events;
	size_t nr_carried;
	int64_t time;
	uint64_t offset;
};

/* The real time at the trace's time 0; 0 if the clocks' values are out of range. */
static int64_t epoch_of(const struct gotrace_snapshot *snapshot, int64_t start)
{
	int64_t epoch;

	if (snapshot->realtime_s > INT64_MAX / NS_PER_S - 1 || snapshot->realtime_ns >= NS_PER_S)
		return 0;
	epoch = (int64_t)snapshot->realtime_s * NS_PER_S + (int64_t)snapshot->realtime_ns;
	return __builtin_add_overflow(epoch, start - snapshot->time, &epoch) ? 0 : epoch;
}

static void note_sync(
	struct gotrace_source *source, const struct gotrace_event *event, struct whole *whole)
{
	const struct gotrace_snapshot *snapshot =
		&gotrace_reader_generation(source->reader)->snapshot;

	whole->nr_read = source->nr_read;
	whole->nr_events = source->tables.nr_events;
	whole->nr_carried = source->mapping.carried.count;
	whole->time = event->time;
	whole->offset = gotrace_reader_offset(source->reader);
	if (event->values[1] && !source->tables.epoch_realtime_ns)
		source->tables.epoch_realtime_ns = epoch_of(snapshot, source->mapping.start);
}

static enum ct_status look_through(
	struct gotrace_source *source, struct whole *whole, struct ct_error *reterr)
{
	struct gotrace_mapping *mapping = &source->mapping;
	enum ct_status status;
	size_t count, i;

	while ((status = gotrace_reader_next(
			source->reader, source->room, ROOM_EVENTS, &count, reterr)) == CT_OK) {
		for (i = 0; i < count; i++) {
			gotrace_mapping_apply(mapping, source->reader, &source->room[i]);
			source->nr_read++;
			source->tables.nr_events += mapping->events.count;
			mapping->events.count = 0;
			if (source->room[i].kind == GOTRACE_KIND_SYNC)
				note_sync(source, &source->room[i], whole);
		}
		if (mapping->is_out_of_memory)
			return ct_fail_memory(reterr);
	}
	return status;
}

static bool keep_carried(struct gotrace_source *source, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++) {
		struct ct_event event = source->mapping.carried.at[i];

		event.sequence = i;
		if (!vec_push(&source->carried, event))
			return false;
	}
	return true;
}

char *gotrace_source_note(const struct gotrace_reader *reader, uint64_t nr_bytes, ct_time until,
	const struct ct_error *error)
{
	char *note;
	int length;

	if (gotrace_reader_is_unstopped(reader))
		length = asprintf(&note,
			"the trace ends without trace.Stop: what the program did after %.6f s, up "
			"to "
			"about a second, is not in the file, since Go completes a part of it about "
			"once "
			"a second (the last %llu bytes begin the next part, and are not used)",
			(double)until / (double)NS_PER_S, (unsigned long long)nr_bytes);
	else
		length = asprintf(&note, "the last %llu bytes are not used: %s",
			(unsigned long long)nr_bytes, error->text);
	return length < 0 ? NULL : note;
}

/* Adds the note that the rest of the file is not used, and why. */
static bool add_note(
	struct gotrace_source *source, const struct whole *whole, const struct ct_error *error)
{
	struct ct_note note = {.count = 1, .offset = whole->offset};

	source->note = gotrace_source_note(source->reader, source->end - whole->offset,
		whole->time - source->mapping.start, error);
	note.text = source->note;
	return source->note && vec_push(&source->mapping.lists.notes, note);
}

static void set_tables(struct gotrace_source *source, const struct whole *whole, bool is_complete)
{
	struct ct_tables *tables = &source->tables;

	lists_publish(&source->mapping.lists, tables);
	tables->host = tables->reason = "";
	tables->clock = "CLOCK_MONOTONIC";
	tables->epoch_monotonic_ns = source->mapping.start;
	tables->observed_until = whole->time - source->mapping.start;
	tables->is_complete = is_complete;
	tables->nr_events = whole->nr_events;
	tables->nr_carried = source->carried.count;
	tables->carried_from = source->carried.count ? 0 : CT_NO_TIME;
	if (source->carried.count)
		tables->first_generation = tables->last_generation = 1;
}

/* Makes the tables from the usable events; the error behind them becomes a note. */
static enum ct_status read_tables(struct gotrace_source *source, struct ct_error *reterr)
{
	struct ct_error failure = {0};
	struct whole whole = {0};
	enum ct_status status = look_through(source, &whole, &failure);

	if (status != CT_END && (status != CT_ERR_CORRUPT || whole.nr_events == 0)) {
		if (reterr)
			*reterr = failure;
		return status;
	}
	source->nr_usable = whole.nr_read;
	if (!keep_carried(source, whole.nr_carried) ||
		(status != CT_END && !add_note(source, &whole, &failure)))
		return ct_fail_memory(reterr);
	set_tables(source, &whole, status == CT_END);
	source->tables.is_damaged = status != CT_END && !input_is_written(source->input) &&
				    !gotrace_reader_is_unstopped(source->reader);
	return CT_OK;
}

/* ------------------------------------------------------------ second reading */

/* Maps the reader's next events, as far as they are usable; CT_END: no usable event is left. */
static enum ct_status read_on(struct gotrace_source *source, struct ct_error *reterr)
{
	struct gotrace_mapping *mapping = &source->mapping;
	enum ct_status status;
	size_t count, i;

	if (source->nr_read >= source->nr_usable)
		return CT_END;
	status = gotrace_reader_next(source->reader, source->room, ROOM_EVENTS, &count, reterr);
	if (status)
		return status;
	if (count > source->nr_usable - source->nr_read)
		count = (size_t)(source->nr_usable - source->nr_read);
	source->nr_read += count;
	for (i = 0; i < count; i++)
		gotrace_mapping_apply(mapping, source->reader, &source->room[i]);
	return mapping->is_out_of_memory ? ct_fail_memory(reterr) : CT_OK;
}

/* Reads a run of events: a long one where there is room, since handing a run to another thread costs much. */
static enum ct_status refill(
	struct gotrace_source *source, size_t capacity, struct ct_error *reterr)
{
	size_t wanted = capacity < RUN_EVENTS ? capacity / 2 : RUN_EVENTS;
	struct gotrace_mapping *mapping = &source->mapping;
	enum ct_status status = CT_OK;
	size_t i;

	source->nr_handed = mapping->events.count = 0;
	while (status == CT_OK && mapping->events.count < wanted)
		status = read_on(source, reterr);
	for (i = 0; i < mapping->events.count; i++)
		mapping->events.at[i].sequence = source->sequence++;
	return mapping->events.count && status != CT_ERR_NO_MEMORY ? CT_OK : status;
}

/* False: all carried events were handed out already. */
static bool lend_carried(struct gotrace_source *source, struct ct_events *events)
{
	struct ct_events run = {
		.at = source->carried.at, .count = source->carried.count, .are_carried = true};

	if (source->nr_handed == run.count)
		return false;
	source_lend(&run, &source->nr_handed, events);
	return true;
}

static enum ct_status source_next_events(
	struct ct_source *base, struct ct_events *events, struct ct_error *reterr)
{
	struct gotrace_source *source = (struct gotrace_source *)base;
	struct ct_events run = {0};
	enum ct_status status;

	if (!source->has_handed_carried) {
		if (lend_carried(source, events))
			return CT_OK;
		source->has_handed_carried = true;
		source->nr_handed = source->mapping.events.count = 0;
	}
	if (source->nr_handed == source->mapping.events.count) {
		status = refill(source, events->capacity, reterr);
		if (status)
			return status;
	}
	run.at = source->mapping.events.at;
	run.count = source->mapping.events.count;
	source_lend(&run, &source->nr_handed, events);
	return CT_OK;
}

static enum ct_status open_reader(struct gotrace_source *source, struct ct_error *reterr)
{
	enum ct_status status = gotrace_reader_open(source->input, &source->reader, reterr);

	if (status == CT_OK)
		gotrace_reader_set_part(source->reader, source->begin, source->end);
	return status;
}

static enum ct_status reset(struct ct_source *base, struct ct_error *reterr)
{
	struct gotrace_source *source = (struct gotrace_source *)base;

	gotrace_reader_close(source->reader);
	source->reader = NULL;
	gotrace_mapping_restart(&source->mapping);
	source->nr_read = 0;
	source->sequence = source->carried.count;
	source->nr_handed = 0;
	source->has_handed_carried = false;
	return open_reader(source, reterr);
}

static void close_source(struct ct_source *base)
{
	struct gotrace_source *source = (struct gotrace_source *)base;

	gotrace_reader_close(source->reader);
	gotrace_mapping_fini(&source->mapping);
	vec_fini(&source->carried);
	input_close(source->input);
	free(source->note);
	free(source);
}

static const struct ct_source_ops ops = {
	.next = source_next_events,
	.reset = reset,
	.close = close_source,
};

enum ct_status gotrace_source_open_part(struct input *input, uint64_t offset, uint64_t end,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct gotrace_source *source = calloc(1, sizeof(*source));
	enum ct_status status;

	if (!source) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	source->source.ops = &ops;
	source->source.tables = &source->tables;
	source->source.is_ordered = true;
	source->input = input;
	source->begin = offset;
	source->end = end;
	status = gotrace_mapping_init(&source->mapping) ? CT_OK : ct_fail_memory(reterr);
	if (status == CT_OK)
		status = open_reader(source, reterr);
	if (status == CT_OK)
		status = read_tables(source, reterr);
	if (status == CT_OK)
		status = reset(&source->source, reterr);
	if (status) {
		input_fail(input, status, reterr);
		close_source(&source->source);
		return status;
	}
	*ret_source = &source->source;
	return CT_OK;
}

enum ct_status gotrace_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	return gotrace_source_open_part(
		input, GOTRACE_HEADER_BYTES, input->nr_bytes, ret_source, reterr);
}

static uint64_t find_last(const struct gotrace_parts *parts, uint64_t from)
{
	size_t i = parts->at.count;

	while (i > 1 && parts->at.at[i - 2].offset >= from)
		i--;
	return i ? parts->at.at[i - 1].offset : GOTRACE_HEADER_BYTES;
}

enum ct_status gotrace_source_open_last(struct input *input, uint64_t last_bytes,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct gotrace_parts parts = {0};
	uint64_t from = GOTRACE_HEADER_BYTES;
	enum ct_status status = CT_OK;

	if (last_bytes && last_bytes < input->nr_bytes) {
		status = gotrace_parts_find(input, &parts, reterr);
		from = find_last(&parts, input->nr_bytes - last_bytes);
		gotrace_parts_fini(&parts);
	}
	if (status) {
		input_fail(input, status, reterr);
		input_close(input);
		return status;
	}
	return gotrace_source_open_part(input, from, input->nr_bytes, ret_source, reterr);
}
