/* SPDX-License-Identifier: MIT */
/*
 * The source over a text that was read: events in order, tables complete.
 */
#include <stdlib.h>
#include <string.h>

#include "stream/order.h"
#include "textrace/parse.h"

#define TEXT_BYTES_MAX (SIZE_MAX / 4)
#define LOOK_BYTES 4096

/* ------------------------------------------------------------------------ order */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
	const struct textrace_placed *a = left, *b = right;
	int order;

	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	order = compare_numbers(a->event.process, b->event.process);
	if (order == 0)
		order = compare_numbers(a->event.thread, b->event.thread);
	return order ? order : compare_numbers(a->event.sequence, b->event.sequence);
}

/* Each thread is a stream, and in each process the events without a thread. */
static enum ct_status place_events(struct textrace_source *source, struct ct_error *reterr)
{
	size_t nr_streams = source->lists.threads.count + source->lists.processes.count, i;
	ct_time limit = order_limit(&source->tables);
	ct_time *places = malloc(nr_streams * sizeof(*places));

	if (!places)
		return ct_fail_memory(reterr);
	for (i = 0; i < nr_streams; i++)
		places[i] = ORDER_FIRST;
	for (i = 0; i < source->events.count; i++) {
		struct textrace_placed *placed = &source->events.at[i];
		size_t stream = placed->event.thread
					? placed->event.thread
					: source->lists.threads.count + placed->event.process;

		places[stream] = order_place(places[stream], placed->event.time, limit);
		placed->place = places[stream];
	}
	free(places);
	if (source->events.count)
		qsort(source->events.at, source->events.count, sizeof(*source->events.at), compare);
	for (i = 0; i < source->events.count; i++)
		source->events.at[i].event.sequence = i;
	return CT_OK;
}

/* ----------------------------------------------------------------------- tables */

static void set_bounds(struct textrace_source *source)
{
	struct ct_tables *tables = &source->tables;
	ct_time from = 0, until = 0;
	size_t i;

	for (i = 0; i < source->events.count; i++) {
		ct_time time = source->events.at[i].event.time;

		if (source->events.at[i].is_carried)
			continue;
		from = time < from ? time : from;
		until = time > until ? time : until;
	}
	for (i = 1; i < source->lists.processes.count; i++) {
		if (source->lists.processes.at[i].ended > until)
			until = source->lists.processes.at[i].ended;
	}
	tables->observed_from = source->trace.from == CT_NO_TIME ? from : source->trace.from;
	tables->observed_until = source->trace.until == CT_NO_TIME ? until : source->trace.until;
	if (tables->observed_until < tables->observed_from)
		tables->observed_until = tables->observed_from;
}

/* Carried events lie before the trace, and are counted separately. */
static void set_carried(struct textrace_source *source)
{
	struct ct_tables *tables = &source->tables;
	size_t i;

	tables->carried_from = CT_NO_TIME;
	for (i = 0; i < source->events.count; i++) {
		const struct textrace_placed *placed = &source->events.at[i];

		if (!placed->is_carried)
			continue;
		if (tables->nr_carried++ == 0 || placed->event.time < tables->carried_from)
			tables->carried_from = placed->event.time;
	}
	tables->nr_events = source->events.count - tables->nr_carried;
	if ((tables->nr_before || tables->nr_carried) && tables->first_generation == 0)
		tables->first_generation = tables->last_generation = 1;
}

static void set_tables(struct textrace_source *source)
{
	const struct textrace_trace *trace = &source->trace;
	struct ct_tables *tables = &source->tables;

	memcpy(tables->run_id, trace->run_id, sizeof(tables->run_id));
	tables->host = trace->host;
	tables->reason = trace->reason;
	tables->reason_time = trace->reason_time;
	tables->first_generation = tables->last_generation = trace->generation;
	tables->nr_before = trace->nr_before;
	tables->nr_not_carried = trace->nr_not_carried;
	tables->is_cut = trace->is_cut;
	tables->clock = "CLOCK_MONOTONIC";
	tables->clock_skew_ns = trace->skew == CT_NO_TIME ? 0 : trace->skew;
	tables->reach_ns = trace->reach == CT_NO_TIME ? 0 : trace->reach;
	tables->epoch_realtime_ns = trace->epoch_realtime_ns;
	tables->epoch_monotonic_ns = trace->epoch_monotonic_ns;
	tables->is_complete = !trace->is_incomplete;
	tables->has_no_end = trace->has_no_end;
	tables->nr_impossible = trace->nr_impossible;
	tables->is_from_memory = trace->is_from_memory;
	lists_publish(&source->lists, tables);
	set_carried(source);
	set_bounds(source);
}

/* ----------------------------------------------------------------------- source */

static enum ct_status textrace_next(
	struct ct_source *source, struct ct_events *events, struct ct_error *reterr)
{
	struct textrace_source *text = (struct textrace_source *)source;
	const struct textrace_placed *placed, *end;

	(void)reterr;
	if (text->next == text->events.count)
		return CT_END;
	placed = text->events.at + text->next;
	end = text->events.at + text->events.count;
	events->are_carried = placed->is_carried;
	while (placed < end && events->count < events->capacity &&
		placed->is_carried == events->are_carried)
		events->room[events->count++] = placed++->event;
	text->next += events->count;
	return CT_OK;
}

static enum ct_status textrace_reset(struct ct_source *source, struct ct_error *reterr)
{
	(void)reterr;
	((struct textrace_source *)source)->next = 0;
	return CT_OK;
}

static void textrace_close(struct ct_source *source)
{
	struct textrace_source *text = (struct textrace_source *)source;

	lists_fini(&text->lists);
	vec_fini(&text->events);
	free(text->buffer);
	free(text);
}

static const struct ct_source_ops textrace_source_ops = {
	.next = textrace_next,
	.reset = textrace_reset,
	.close = textrace_close,
};

/* Takes over the buffer. */
static enum ct_status open_buffer(const char *name, unsigned first_line, char *buffer,
	size_t nr_bytes, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct textrace_source *source = calloc(1, sizeof(*source));
	struct textrace_parser parser = {
		.source = source, .name = name, .line = first_line, .reterr = reterr};
	enum ct_status status;

	if (!source) {
		free(buffer);
		return ct_fail_memory(reterr);
	}
	source->source.ops = &textrace_source_ops;
	source->source.tables = &source->tables;
	source->buffer = buffer;
	source->trace = (struct textrace_trace){
		.host = "",
		.from = CT_NO_TIME,
		.until = CT_NO_TIME,
		.skew = CT_NO_TIME,
		.reach = CT_NO_TIME,
		.reason = "",
		.reason_time = CT_NO_TIME,
	};
	status = lists_begin(&source->lists) ? textrace_parse(&parser, buffer, nr_bytes)
					     : ct_fail_memory(reterr);
	if (status == CT_OK) {
		set_tables(source);
		status = place_events(source, reterr);
	}
	if (status)
		textrace_close(&source->source);
	else
		*ret_source = &source->source;
	return status;
}

enum ct_status textrace_source_from_text(const char *name, unsigned first_line, const char *text,
	size_t nr_bytes, struct ct_source **ret_source, struct ct_error *reterr)
{
	char *buffer = nr_bytes < TEXT_BYTES_MAX ? malloc(nr_bytes + 1) : NULL;

	if (!buffer)
		return ct_fail_memory(reterr);
	if (nr_bytes)
		memcpy(buffer, text, nr_bytes);
	buffer[nr_bytes] = '\0';
	return open_buffer(name, first_line, buffer, nr_bytes, ret_source, reterr);
}

static enum ct_status open_input(
	const struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	size_t nr_bytes = (size_t)input->nr_bytes;
	char *buffer = input->nr_bytes < TEXT_BYTES_MAX ? malloc(nr_bytes + 1) : NULL;
	enum ct_status status;

	if (!buffer)
		return ct_fail_memory(reterr);
	status = input_read(input, 0, buffer, nr_bytes, &nr_bytes, reterr);
	if (status) {
		free(buffer);
		return status;
	}
	buffer[nr_bytes] = '\0';
	return open_buffer(input->name, 1, buffer, nr_bytes, ret_source, reterr);
}

enum ct_status textrace_source_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr)
{
	enum ct_status status = open_input(input, ret_source, reterr);

	/* An error in the text already names its place. */
	if (status && status != CT_ERR_FORMAT)
		input_fail(input, status, reterr);
	input_close(input);
	return status;
}

/* Does the first word that is not a comment begin a definition line? */
static bool begins_line(const char *at, size_t nr_bytes)
{
	size_t length;
	unsigned i;

	for (i = 0; i < TEXTRACE_NR_LINES; i++) {
		length = strlen(textrace_line_name(i));
		if (nr_bytes > length && memcmp(at, textrace_line_name(i), length) == 0 &&
			at[length] == ' ')
			return true;
	}
	return false;
}

/* "#include", "#!/bin/sh": hardly any comment in a hand-written trace begins like this. */
static bool is_directive(const char *at, const char *line_end)
{
	return line_end - at > 1 && (at[1] == '!' || (at[1] >= 'a' && at[1] <= 'z'));
}

bool textrace_is_ours(const void *first_bytes, size_t nr_bytes)
{
	const char *at = first_bytes, *end, *line_end;
	bool has_comment = false;

	if (nr_bytes > LOOK_BYTES)
		nr_bytes = LOOK_BYTES;
	if (nr_bytes == 0 || memchr(at, '\0', nr_bytes))
		return false;
	for (end = at + nr_bytes; at < end; at = line_end + 1) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		if (!line_end)
			line_end = end;
		while (at < line_end && (*at == ' ' || *at == '\t' || *at == '\r'))
			at++;
		if (at < line_end && *at != '#')
			return begins_line(at, (size_t)(end - at));
		has_comment = has_comment || (at < line_end && !is_directive(at, line_end));
	}
	return has_comment;
}
