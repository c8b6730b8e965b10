/* SPDX-License-Identifier: MIT */
/*
 * A timeline as Perfetto reads it: track events, in the encoding of Protocol Buffers.
 * https://perfetto.dev/docs/reference/trace-packet-proto
 *
 * All packets belong to one sequence. Its times count from the trace's time 0, on a clock of its own; one snapshot
 * relates that clock to CLOCK_MONOTONIC and CLOCK_REALTIME. Each name is written once in the sequence, before its first
 * use.
 */
#include <stdlib.h>
#include <string.h>

#include "base/interning.h"
#include "base/io.h"
#include "base/protobuf.h"
#include "slices/slices.h"
#include "slices/tell.h"

/* Numbers of fields. */
enum {
	TRACE_PACKET = 1,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE_ID = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED_DATA = 12,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_TIMESTAMP_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
	SNAPSHOT_CLOCK = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	PROCESS_PID = 1,
	PROCESS_COMMAND = 2,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	EVENT_CATEGORY_ID = 3,
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER_VALUE = 30,
	EVENT_SITE_ID = 34,
	EVENT_FLOW = 47,
	EVENT_FLOW_END = 48,
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_NUMBER = 4,
	ANNOTATION_TEXT_ID = 17,
	INTERNED_CATEGORY = 1,
	INTERNED_EVENT_NAME = 2,
	INTERNED_ANNOTATION_NAME = 3,
	INTERNED_SITE = 4,
	INTERNED_TEXT = 29,
	INTERNED_TABLES = 30,
	INTERNED_ID = 1,
	INTERNED_NAME = 2,
	SITE_FILE = 2,
	SITE_FUNCTION = 3,
	SITE_LINE = 4,
};

enum event_type {
	SLICE_BEGIN = 1,
	SLICE_END = 2,
	INSTANT = 3,
	COUNTER = 4,
};

enum clock {
	REALTIME = 1,
	MONOTONIC = 3,
	OWN = 64, /* the first clock number that a sequence may define */
};

#define IS_CLEARED 1u     /* flags of a sequence: all interned names are invalid */
#define NEEDS_INTERNED 2u /* the packet uses interned names */
#define SEQUENCE_ID 1u    /* the only sequence */
#define WRITE_BYTES (256u << 10)

struct perfetto {
	struct slices_writer writer;
	struct io_output output;
	struct text page; /* packets to be written */
	struct text packet;
	struct text event;
	struct text part;
	struct text interned; /* names that the next packet defines */
	struct interning names[INTERNED_TABLES];
	bool *is_site_told;
	uint64_t origin_ns; /* CLOCK_MONOTONIC at the time 0 of the sequence */
	ct_time origin;
	bool is_broken; /* out of memory */
};

/* ---------------------------------------------------------------- names */

/* The number of a name in one of the sequence's tables, which count from 1; 0: out of memory. */
static uint64_t intern(struct perfetto *perfetto, unsigned table, const char *value)
{
	struct interning *names = &perfetto->names[table];
	size_t nr_before = names->ends.count;
	uint32_t number = interning_number(names, value, strlen(value));

	if (number == INTERNING_NONE) {
		perfetto->is_broken = true;
		return 0;
	}
	if (number < nr_before)
		return number + 1;
	protobuf_number(&perfetto->part, INTERNED_ID, number + 1);
	protobuf_text(&perfetto->part, INTERNED_NAME, value);
	protobuf_part(&perfetto->interned, table, &perfetto->part);
	return number + 1;
}

static uint64_t intern_site(struct perfetto *perfetto, uint32_t site)
{
	const struct ct_site *of = &perfetto->writer.tables->sites[site];

	if (!site || (!*of->file && !*of->function))
		return 0;
	if (perfetto->is_site_told[site])
		return site;
	perfetto->is_site_told[site] = true;
	protobuf_number(&perfetto->part, INTERNED_ID, site);
	protobuf_text(&perfetto->part, SITE_FILE, of->file);
	protobuf_text(&perfetto->part, SITE_FUNCTION, of->function);
	protobuf_number(&perfetto->part, SITE_LINE, of->line);
	protobuf_part(&perfetto->interned, INTERNED_SITE, &perfetto->part);
	return site;
}

/* ---------------------------------------------------------------- packets */

static struct perfetto *of(struct slices_writer *writer)
{
	return (struct perfetto *)writer;
}

/* Adds the fields that all packets have, and ends the packet. */
static void end_packet(struct perfetto *perfetto, unsigned flags)
{
	protobuf_number(&perfetto->packet, PACKET_SEQUENCE_ID, SEQUENCE_ID);
	protobuf_number(&perfetto->packet, PACKET_SEQUENCE_FLAGS, flags);
	protobuf_part(&perfetto->page, TRACE_PACKET, &perfetto->packet);
}

static void put_time(struct perfetto *perfetto, ct_time time)
{
	uint64_t ns = time > perfetto->origin ? (uint64_t)time - (uint64_t)perfetto->origin : 0;

	protobuf_number_always(&perfetto->packet, PACKET_TIMESTAMP, ns);
}

static void put_clock(struct perfetto *perfetto, struct text *snapshot, enum clock id, uint64_t ns)
{
	protobuf_number(&perfetto->part, CLOCK_ID, id);
	protobuf_number_always(&perfetto->part, CLOCK_TIMESTAMP, ns);
	protobuf_part(snapshot, SNAPSHOT_CLOCK, &perfetto->part);
}

/* Writes the first packet: the clocks. */
static void put_beginning(struct perfetto *perfetto)
{
	const struct ct_tables *tables = perfetto->writer.tables;
	uint64_t behind_ns = (uint64_t)perfetto->origin;
	struct text *snapshot = &perfetto->event;

	put_clock(perfetto, snapshot, OWN, 0);
	put_clock(perfetto, snapshot, MONOTONIC, perfetto->origin_ns);
	if (tables->epoch_realtime_ns > 0)
		put_clock(perfetto, snapshot, REALTIME,
			(uint64_t)tables->epoch_realtime_ns + behind_ns);
	protobuf_number(snapshot, SNAPSHOT_PRIMARY, MONOTONIC);
	protobuf_part(&perfetto->packet, PACKET_CLOCK_SNAPSHOT, snapshot);
	protobuf_number(&perfetto->part, PACKET_TIMESTAMP_CLOCK, OWN);
	protobuf_part(&perfetto->packet, PACKET_DEFAULTS, &perfetto->part);
	end_packet(perfetto, IS_CLEARED);
}

/* ---------------------------------------------------------------- tracks */

static void put_process(struct perfetto *perfetto, const struct slices_track *track)
{
	const struct ct_process *process = &perfetto->writer.tables->processes[track->process];

	protobuf_number(&perfetto->part, PROCESS_PID, process->pid & INT32_MAX);
	protobuf_text(&perfetto->part, PROCESS_COMMAND, process->command_line);
	protobuf_text(&perfetto->part, PROCESS_NAME, track->name);
	protobuf_part(&perfetto->event, TRACK_PROCESS, &perfetto->part);
}

static void put_thread(struct perfetto *perfetto, const struct slices_track *track)
{
	const struct ct_tables *tables = perfetto->writer.tables;

	protobuf_number(
		&perfetto->part, THREAD_PID, tables->processes[track->process].pid & INT32_MAX);
	protobuf_number(&perfetto->part, THREAD_TID, tables->threads[track->thread].tid);
	protobuf_text(&perfetto->part, THREAD_NAME, track->name);
	protobuf_part(&perfetto->event, TRACK_THREAD, &perfetto->part);
}

static void take_track(struct slices_writer *writer, const struct slices_track *track)
{
	struct perfetto *perfetto = of(writer);

	protobuf_number(&perfetto->event, TRACK_UUID, track->number);
	protobuf_number(&perfetto->event, TRACK_PARENT, track->parent);
	if (track->kind == SLICES_OF_PROCESS)
		put_process(perfetto, track);
	else if (track->kind == SLICES_OF_THREAD)
		put_thread(perfetto, track);
	else
		protobuf_text(&perfetto->event, TRACK_NAME, track->name);
	if (track->kind == SLICES_OF_COUNTER)
		protobuf_bytes(&perfetto->event, TRACK_COUNTER, "", 0);
	protobuf_part(&perfetto->packet, PACKET_TRACK_DESCRIPTOR, &perfetto->event);
	end_packet(perfetto, 0);
}

/* ---------------------------------------------------------------- events */

/* Ends the event that was assembled, and gives it a time. */
static void end_event(struct perfetto *perfetto, ct_time time)
{
	put_time(perfetto, time);
	if (perfetto->interned.length)
		protobuf_part(&perfetto->packet, PACKET_INTERNED_DATA, &perfetto->interned);
	protobuf_part(&perfetto->packet, PACKET_TRACK_EVENT, &perfetto->event);
	end_packet(perfetto, NEEDS_INTERNED);
}

static void put_argument(struct perfetto *perfetto, const struct slices_argument *argument)
{
	uint64_t key = intern(perfetto, INTERNED_ANNOTATION_NAME, argument->key);
	uint64_t value = argument->text ? intern(perfetto, INTERNED_TEXT, argument->text) : 0;

	protobuf_number(&perfetto->part, ANNOTATION_NAME_ID, key);
	if (argument->text)
		protobuf_number(&perfetto->part, ANNOTATION_TEXT_ID, value);
	else
		protobuf_number_always(
			&perfetto->part, ANNOTATION_NUMBER, (uint64_t)argument->number);
	protobuf_part(&perfetto->event, EVENT_ANNOTATION, &perfetto->part);
}

static void begin_event(
	struct perfetto *perfetto, const struct slices_item *item, enum event_type type)
{
	protobuf_number(&perfetto->event, EVENT_TYPE, type);
	protobuf_number(&perfetto->event, EVENT_TRACK, item->track->number);
}

static void put_words(struct perfetto *perfetto, const struct slices_item *item)
{
	uint64_t category =
		intern(perfetto, INTERNED_CATEGORY, slices_category_name(item->category));
	uint64_t name = intern(perfetto, INTERNED_EVENT_NAME, item->name);
	uint64_t site = intern_site(perfetto, item->site);
	uint32_t i;

	protobuf_number(&perfetto->event, EVENT_CATEGORY_ID, category);
	protobuf_number(&perfetto->event, EVENT_NAME_ID, name);
	protobuf_number(&perfetto->event, EVENT_SITE_ID, site);
	if (item->flow)
		protobuf_fixed(&perfetto->event, item->is_flow_ending ? EVENT_FLOW_END : EVENT_FLOW,
			item->flow);
	for (i = 0; i < item->nr_arguments; i++)
		put_argument(perfetto, &item->arguments[i]);
}

static void take_slice(struct slices_writer *writer, const struct slices_item *slice)
{
	struct perfetto *perfetto = of(writer);

	begin_event(perfetto, slice, SLICE_BEGIN);
	put_words(perfetto, slice);
	end_event(perfetto, slice->from);
	begin_event(perfetto, slice, SLICE_END);
	end_event(perfetto, slice->until);
}

static void take_instant(struct slices_writer *writer, const struct slices_item *instant)
{
	struct perfetto *perfetto = of(writer);

	begin_event(perfetto, instant, INSTANT);
	put_words(perfetto, instant);
	end_event(perfetto, instant->from);
}

static void take_counter(struct slices_writer *writer, const struct slices_item *value)
{
	struct perfetto *perfetto = of(writer);

	begin_event(perfetto, value, COUNTER);
	protobuf_number_always(&perfetto->event, EVENT_COUNTER_VALUE, (uint64_t)value->value);
	end_event(perfetto, value->from);
}

/* ---------------------------------------------------------------- the file */

static enum ct_status write_page(struct perfetto *perfetto, struct ct_error *reterr)
{
	enum ct_status status;

	if (perfetto->is_broken || perfetto->interned.is_broken || perfetto->packet.is_broken)
		return ct_fail_memory(reterr);
	status = text_status(&perfetto->page, reterr);
	if (status == CT_OK)
		status = io_output_write(&perfetto->output, text_peek(&perfetto->page),
			perfetto->page.length, reterr);
	text_clear(&perfetto->page);
	return status;
}

static enum ct_status flush(struct slices_writer *writer, struct ct_error *reterr)
{
	struct perfetto *perfetto = of(writer);

	return perfetto->page.length < WRITE_BYTES ? CT_OK : write_page(perfetto, reterr);
}

/* Times before the trace's time 0, or before the machine's start, cannot be encoded: the sequence begins there. */
static void find_origin(struct perfetto *perfetto, const struct ct_tables *tables)
{
	ct_time from = tables->observed_from;
	int64_t monotonic;

	perfetto->origin = from != CT_NO_TIME && from < 0 ? from : 0;
	if (__builtin_add_overflow(perfetto->origin, tables->epoch_monotonic_ns, &monotonic) ||
		monotonic < 0)
		monotonic = 0;
	perfetto->origin_ns = (uint64_t)monotonic;
}

static enum ct_status write_all(
	struct perfetto *perfetto, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_tables *tables = ct_view_tables(view);
	enum ct_status status;

	perfetto->writer.tables = tables;
	perfetto->is_site_told = calloc(tables->nr_sites + 1u, sizeof(bool));
	if (!perfetto->is_site_told)
		return ct_fail_memory(reterr);
	find_origin(perfetto, tables);
	put_beginning(perfetto);
	status = slices_tell(view, &perfetto->writer, reterr);
	return status ? status : write_page(perfetto, reterr);
}

static void release(struct perfetto *perfetto)
{
	unsigned i;

	for (i = 0; i < INTERNED_TABLES; i++)
		interning_fini(&perfetto->names[i]);
	free(perfetto->is_site_told);
	text_fini(&perfetto->page);
	text_fini(&perfetto->packet);
	text_fini(&perfetto->event);
	text_fini(&perfetto->part);
	text_fini(&perfetto->interned);
}

enum ct_status slices_perfetto(const struct export_job *job, struct ct_error *reterr)
{
	struct perfetto perfetto = {.writer = {.track = take_track,
					    .slice = take_slice,
					    .instant = take_instant,
					    .counter = take_counter,
					    .flush = flush}};
	enum ct_status status = io_output_open(&perfetto.output, job->path, reterr);

	if (status)
		return status;
	status = write_all(&perfetto, job->view, reterr);
	release(&perfetto);
	return io_output_end(&perfetto.output, status, reterr);
}
