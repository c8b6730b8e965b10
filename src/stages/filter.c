/* SPDX-License-Identifier: MIT */
/*
 * The sink: its window, its counts, and its end.
 *
 * Records are copied before they are judged, because the target owns their memory. If nothing is to be left out and
 * there is no mark among the records, they are passed on in place.
 */
#include <stdlib.h>

#include "stages/filter_parts.h"
#include "base/text.h"

static struct filter *filter_of(const struct ct_sink *sink)
{
	return (struct filter *)(uintptr_t)sink;
}

/* ---------------------------------------------------------------- reports of what is left out */

static enum ct_status define(
	struct filter *filter, const struct ct_definition *definition, struct ct_error *reterr)
{
	return sink_define(filter->inner, definition, reterr);
}

enum ct_status filter_note(
	struct filter *filter, const char *text, uint64_t count, struct ct_error *reterr)
{
	struct ct_definition definition = {
		.type = CT_DEFINE_NOTE,
		.note = {.text = text, .count = count, .offset = CT_NO_OFFSET},
	};

	return define(filter, &definition, reterr);
}

static enum ct_status tell_loss(struct filter *filter, uint32_t process, enum fate reason,
	uint64_t until_ns, struct ct_error *reterr)
{
	uint64_t *count = &filter->processes.at[process].nr_left_out[reason];
	struct ct_definition definition = {
		.type = CT_DEFINE_LOSS,
		.loss = {.process = process,
			.reason = reason,
			.count = *count,
			.first_monotonic_ns = filter->told_ns,
			.last_monotonic_ns = until_ns},
	};

	*count = 0;
	return definition.loss.count ? define(filter, &definition, reterr) : CT_OK;
}

/*
 * Reports the events that were left out since the last report. Events that the closed window left out are reported in
 * the streams.
 */
enum ct_status filter_tell_losses(struct filter *filter, uint64_t until_ns, struct ct_error *reterr)
{
	static const enum fate reasons[] = {FATE_CATEGORY, FATE_SAMPLE, FATE_LEFT_OUT};
	enum ct_status status = CT_OK;
	uint32_t process, i;

	for (process = 1; process < filter->processes.count; process++)
		for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]) && status == CT_OK; i++)
			status = tell_loss(filter, process, reasons[i], until_ns, reterr);
	filter->told_ns = until_ns;
	return status;
}

/* Reports the gaps of streams in which no event was wanted any more. */
static enum ct_status tell_open_gaps(
	struct filter *filter, uint64_t until_ns, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	uint32_t i;

	for (i = 1; i < filter->streams.count && status == CT_OK; i++) {
		struct filter_stream *stream = &filter->streams.at[i];
		const struct directory_segment *segment;
		struct ct_definition definition = {.type = CT_DEFINE_LOSS};

		if (!stream->gap_count)
			continue;
		segment = directory_segment(&filter->directory, i);
		definition.loss = (struct ct_define_loss){
			.process = segment->process,
			.thread = stream->thread,
			.reason = CTP_LOSS_PAUSED,
			.count = stream->gap_count,
			.first_monotonic_ns =
				directory_ns(&filter->directory, segment->clock, stream->gap_first),
			.last_monotonic_ns = until_ns,
		};
		stream->gap_count = 0;
		status = define(filter, &definition, reterr);
	}
	return status;
}

/* ---------------------------------------------------------------- the window */

static struct filter_stream *stream_at(struct filter *filter, uint32_t stream)
{
	return vec_reach(&filter->streams, stream) ? &filter->streams.at[stream] : NULL;
}

/* Puts the records that lead to the present state, each in its stream. */
static enum ct_status put_carried(struct filter *filter, struct ct_error *reterr)
{
	const struct snapshot_record *records;
	bool was_told = snapshot_tell(filter->snapshot);
	enum ct_status status = CT_OK;
	size_t count = 1, i;

	while (was_told && count && status == CT_OK) {
		was_told = snapshot_tell_next(filter->snapshot, &records, &count);
		for (i = 0; i < count && status == CT_OK; i++) {
			struct snapshot_origin from =
				snapshot_origin_at(filter->snapshot, records[i].origin);
			struct ct_batch batch = {
				from.stream, from.thread, &records[i].record, 1, false, true};

			status = sink_put(filter->inner, &batch, reterr);
			filter->nr_added += status == CT_OK;
		}
	}
	return was_told ? status : ct_fail_memory(reterr);
}

enum ct_status filter_open_window(struct filter *filter, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	filter->is_open = true;
	if (filter->has_begun)
		return CT_OK;
	ctp_store_relaxed(&filter->has_begun, true);
	if (filter->nr_before)
		status = filter_note(filter,
			"events before recording was started were left out, as asked; what they "
			"led to is known",
			filter->nr_before, reterr);
	if (status == CT_OK)
		status = put_carried(filter, reterr);
	snapshot_free(filter->snapshot);
	filter->snapshot = NULL;
	return status;
}

static bool fold_before(struct filter *filter, struct filter_stream *stream, uint32_t number,
	const struct ctp_record *record)
{
	if (!stream->origin)
		stream->origin = snapshot_origin(filter->snapshot,
			(struct snapshot_origin){
				filter->directory.segment_of.at[number], number, stream->thread});
	filter->nr_before++;
	return stream->origin && snapshot_fold(filter->snapshot, stream->origin, record);
}

/* Handles a record that is wanted, but not now. */
static bool pause_record(struct filter *filter, struct filter_stream *stream, uint32_t number,
	const struct ctp_record *record)
{
	filter->nr_left_out++;
	if (!filter->has_begun)
		return fold_before(filter, stream, number, record);
	if (stream->gap_count++ == 0)
		stream->gap_first = record->time;
	return true;
}

static bool keep_record(
	struct filter *filter, struct filter_stream *stream, const struct ctp_record *record)
{
	struct ctp_record gap = {record->time, stream->gap_first, stream->gap_count,
		CTP_TAIL(0, CTP_KIND_LOST, CTP_LOSS_PAUSED, 0)};

	if (stream->gap_count && !vec_push(&filter->kept, gap))
		return false;
	stream->gap_count = 0;
	return vec_push(&filter->kept, *record);
}

/* ---------------------------------------------------------------- records */

static enum ct_status put_kept(
	struct filter *filter, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct ct_batch kept = {batch->stream, batch->thread, filter->kept.at, filter->kept.count,
		batch->is_carried, true};

	if (!kept.nr_records)
		return CT_OK;
	filter->kept.count = 0;
	return sink_put(filter->inner, &kept, reterr);
}

static void count_left_out(struct filter *filter, uint32_t stream, enum fate fate)
{
	uint32_t process = directory_segment(&filter->directory, stream)->process;

	filter->nr_left_out++;
	filter->nr_quiet += fate == FATE_QUIET;
	if (process < filter->processes.count)
		filter->processes.at[process].nr_left_out[fate]++;
}

/* Losses that the probe reports, and crashes, are always wanted. */
static bool is_always_wanted(unsigned kind)
{
	return kind == CTP_KIND_LOST || kind == CTP_KIND_CRASH || kind == CTP_KIND_THREAD_START ||
	       kind == CTP_KIND_THREAD_STOP;
}

static enum ct_status take_mark(
	struct filter *filter, const struct ctp_record *record, struct ct_error *reterr)
{
	if (CTP_TAIL_KIND(record->tail) != CTP_KIND_MARK)
		return CT_OK;
	if (CTP_TAIL_ARGUMENT(record->tail) == CTP_MARK_START && !filter->is_open)
		return filter_open_window(filter, reterr);
	return CT_OK;
}

static enum ct_status take_record(struct filter *filter, const struct ct_batch *batch,
	struct ctp_record *record, struct ct_error *reterr)
{
	struct filter_stream *stream = &filter->streams.at[batch->stream];
	uint32_t segment = filter->directory.segment_of.at[batch->stream];
	unsigned kind = CTP_TAIL_KIND(record->tail);
	enum ct_status status = take_mark(filter, record, reterr);
	enum fate fate;
	bool is_taken = true;

	if (status)
		return status;
	if (!filter_judge(filter, stream, &filter->segments.at[segment], record, &fate))
		return ct_fail_memory(reterr);
	if (fate != FATE_KEEP)
		count_left_out(filter, batch->stream, fate);
	else if (!filter->is_open && !is_always_wanted(kind))
		is_taken = pause_record(filter, stream, batch->stream, record);
	else
		is_taken = keep_record(filter, stream, record);
	if (kind == CTP_KIND_MARK && CTP_TAIL_ARGUMENT(record->tail) == CTP_MARK_STOP)
		filter->is_open = false;
	return is_taken ? CT_OK : ct_fail_memory(reterr);
}

static bool has_window_mark(const struct ct_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->nr_records; i++)
		if (CTP_TAIL_KIND(ctp_load_relaxed(&batch->records[i].tail)) == CTP_KIND_MARK)
			return true;
	return false;
}

/* Counts a batch that comes after the recording is over. */
static enum ct_status ignore(struct filter *filter, const struct ct_batch *batch)
{
	filter->nr_left_out += batch->nr_records;
	filter->nr_quiet += batch->nr_records;
	return CT_OK;
}

static enum ct_status filter_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct filter *filter = filter_of(sink);
	struct filter_stream *stream;
	enum ct_status status = CT_OK;
	size_t i;

	if (!filter->inner)
		return ignore(filter, batch);
	if (!directory_has(&filter->directory, batch->stream))
		return ct_fail(reterr, CT_ERR_USAGE, "stream %u was not defined", batch->stream);
	stream = stream_at(filter, batch->stream);
	if (!stream)
		return ct_fail_memory(reterr);
	if (filter->is_open && !filter->has_coros && !filter->categories_off &&
		!stream->gap_count && !has_window_mark(batch))
		return sink_put(filter->inner, batch, reterr);
	if (stream->thread != batch->thread)
		stream->origin = 0;
	stream->thread = batch->thread;
	filter->kept.count = 0;
	for (i = 0; i < batch->nr_records && status == CT_OK; i++) {
		struct ctp_record record = stream_record(&batch->records[i]);

		status = take_record(filter, batch, &record, reterr);
	}
	return status ? status : put_kept(filter, batch, reterr);
}

/* ---------------------------------------------------------------- definitions */

/*
 * Whether there were events of a category that is off cannot be known: findings must not take their absence for
 * silence.
 */
static void note_categories(struct filter *filter, uint32_t process)
{
	uint64_t nr_noted = 0;

#define X(name, number, text, is_evidence, meaning) \
	nr_noted += (is_evidence) && filter->categories_off >> (number)&1;
#include "corotracer/def/categories.def"
#undef X
	filter->processes.at[process].nr_left_out[FATE_CATEGORY] += nr_noted;
	filter->nr_noted += nr_noted;
}

void filter_note_categories(struct filter *filter)
{
	uint32_t process;

	for (process = 1; process < filter->processes.count; process++)
		if (filter->processes.at[process].is_live)
			note_categories(filter, process);
}

static bool note_process(struct filter *filter, uint32_t process)
{
	if (!vec_reach(&filter->processes, process))
		return false;
	if (filter->processes.at[process].is_live)
		return true;
	filter->processes.at[process].is_live = true;
	note_categories(filter, process);
	return true;
}

static bool name_site(struct filter *filter, const struct ct_define_site *site)
{
	return !filter->snapshot || snapshot_name(filter->snapshot, site->segment, site->id,
					    site->reason ? site->reason : "");
}

static bool take_up(struct filter *filter, const struct ct_definition *definition)
{
	if (!directory_note(&filter->directory, definition))
		return false;
	switch (definition->type) {
	case CT_DEFINE_PROCESS:
		return note_process(filter, definition->process.process);
	case CT_DEFINE_SEGMENT:
		return vec_reach(&filter->segments, definition->segment.segment);
	case CT_DEFINE_SITE:
		return name_site(filter, &definition->site) &&
		       filter_keep_site(filter, &definition->site) &&
		       filter_match_site(filter, &definition->site);
	case CT_DEFINE_ENDING:
		if (definition->ending.process < filter->processes.count)
			filter->processes.at[definition->ending.process].is_live = false;
		return true;
	default:
		return true;
	}
}

/* A change during the run is reported as long as it holds. */
static enum ct_status tell_at_heartbeat(
	struct filter *filter, uint64_t until_ns, struct ct_error *reterr)
{
	enum ct_status status;

	if (filter->was_changed)
		filter_note_categories(filter);
	status = filter_tell_losses(filter, until_ns, reterr);
	return status || !filter->is_stopped ? status : tell_open_gaps(filter, until_ns, reterr);
}

/* Reports losses right before other definitions. */
static enum ct_status tell_before(
	struct filter *filter, const struct ct_definition *definition, struct ct_error *reterr)
{
	enum ct_status status;

	switch (definition->type) {
	case CT_DEFINE_PROCESS:
		if (filter->was_told)
			return CT_OK;
		filter->was_told = true;
		return filter_tell_options(filter, "", reterr);
	case CT_DEFINE_HEARTBEAT:
		return tell_at_heartbeat(filter, definition->heartbeat.monotonic_ns, reterr);
	case CT_DEFINE_END:
		status = filter_tell_losses(filter, definition->end.monotonic_ns, reterr);
		if (status == CT_OK)
			status = tell_open_gaps(filter, definition->end.monotonic_ns, reterr);
		return status;
	default:
		return CT_OK;
	}
}

static enum ct_status filter_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct filter *filter = filter_of(sink);
	struct ct_definition changed = *definition;
	enum ct_status status;

	if (!filter->inner)
		return CT_OK;
	if (!take_up(filter, definition))
		return ct_fail_memory(reterr);
	status = tell_before(filter, definition, reterr);
	if (status)
		return status;
	if (definition->type == CT_DEFINE_END)
		changed.end.nr_events += filter->nr_added - filter->nr_left_out;
	return define(filter, &changed, reterr);
}

/* ---------------------------------------------------------------- the end of the recording */

static enum ct_status define_end(
	struct filter *filter, const struct filter_totals *totals, struct ct_error *reterr)
{
	struct ct_definition heartbeat = {
		.type = CT_DEFINE_HEARTBEAT, .heartbeat = {.monotonic_ns = totals->now_ns}};
	struct ct_definition end = {.type = CT_DEFINE_END,
		.end = {.monotonic_ns = totals->now_ns,
			.nr_events = totals->nr_events,
			.nr_lost = totals->nr_lost}};
	struct ct_definition ending = {.type = CT_DEFINE_ENDING,
		.ending = {.ending = CT_ENDING_DETACHED, .monotonic_ns = totals->now_ns}};
	enum ct_status status = CT_OK;
	uint32_t process;

	for (process = 1; process < filter->processes.count && status == CT_OK; process++) {
		ending.ending.process = process;
		if (filter->processes.at[process].is_live)
			status = filter_define(&filter->sink, &ending, reterr);
	}
	if (status == CT_OK)
		status = filter_note(filter,
			"recording ended before the program did, as asked; the program runs on", 1,
			reterr);
	if (status == CT_OK)
		status = filter_define(&filter->sink, &heartbeat, reterr);
	return status ? status : filter_define(&filter->sink, &end, reterr);
}

enum ct_status filter_finish(
	struct ct_sink *sink, const struct filter_totals *totals, struct ct_error *reterr)
{
	struct filter *filter = filter_of(sink);
	struct ct_sink *inner = filter->inner;
	enum ct_status defined, closed;

	if (!inner)
		return filter->outcome;
	defined = define_end(filter, totals, &filter->outcome_text);
	filter->inner = NULL;
	closed = sink_close(inner, true, defined ? NULL : &filter->outcome_text);
	filter->outcome = defined ? defined : closed;
	if (filter->outcome && reterr)
		*reterr = filter->outcome_text;
	return filter->outcome;
}

static enum ct_status filter_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	struct filter *filter = filter_of(sink);

	return filter->inner ? sink_flush(filter->inner, reterr) : CT_OK;
}

static void free_filter(struct filter *filter)
{
	size_t i;

	for (i = 0; i < filter->segments.count; i++) {
		map_fini(&filter->segments.at[i].coros);
		map_fini(&filter->segments.at[i].frames);
		map_fini(&filter->segments.at[i].tasks);
		vec_fini(&filter->segments.at[i].sites);
	}
	vec_fini(&filter->segments);
	vec_fini(&filter->streams);
	vec_fini(&filter->processes);
	vec_fini(&filter->kept);
	directory_fini(&filter->directory);
	filter_patterns_fini(&filter->sites);
	filter_patterns_fini(&filter->names);
	filter_patterns_fini(&filter->tasks);
	filter_forget_sites(filter);
	snapshot_free(filter->snapshot);
	free(filter);
}

static enum ct_status filter_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	struct filter *filter = filter_of(sink);
	enum ct_status status = filter->outcome;

	if (filter->inner)
		status = sink_close(filter->inner, is_wanted, reterr);
	else if (status && reterr)
		*reterr = filter->outcome_text;
	free_filter(filter);
	return status;
}

/* ---------------------------------------------------------------- opening */

enum ct_status filter_sink_open(const struct ct_wanted *wanted, struct ct_sink *inner,
	struct ct_sink **ret_sink, struct ct_error *reterr)
{
	static const struct ct_sink_ops ops = {
		.put = filter_put,
		.define = filter_define,
		.flush = filter_flush,
		.close = filter_close,
	};
	struct filter *filter = calloc(1, sizeof(*filter));
	bool waits = wanted->start_after_ns > 0 || wanted->wait_for_start;

	if (!filter)
		return ct_fail_memory(reterr);
	filter->sink.ops = &ops;
	filter->inner = inner;
	filter->categories_off = wanted->categories_off & ~UINT32_C(1);
	filter->sample = wanted->sample;
	filter->max_known = FILTER_KNOWN;
	filter->is_open = filter->has_begun = !waits;
	if (waits)
		filter->snapshot = snapshot_new();
	if (!filter_patterns_copy(&filter->sites, wanted->leave_out_sites) ||
		!filter_patterns_copy(&filter->names, wanted->leave_out_names) ||
		!filter_patterns_copy(&filter->tasks, wanted->leave_out_tasks) ||
		(waits && !filter->snapshot)) {
		free_filter(filter);
		return ct_fail_memory(reterr);
	}
	filter->has_coros =
		filter->sample > 1 || filter->sites.at || filter->names.at || filter->tasks.at;
	*ret_sink = &filter->sink;
	return CT_OK;
}

enum ct_status filter_begin(struct ct_sink *sink, struct ct_error *reterr)
{
	struct filter *filter = filter_of(sink);

	return filter->has_begun || !filter->inner ? CT_OK : filter_open_window(filter, reterr);
}

bool filter_has_begun(const struct ct_sink *sink)
{
	return ctp_load_relaxed(&filter_of(sink)->has_begun);
}

uint64_t filter_nr_left_out(const struct ct_sink *sink)
{
	const struct filter *filter = filter_of(sink);

	return filter->nr_left_out - filter->nr_added;
}

uint64_t filter_nr_told(const struct ct_sink *sink)
{
	const struct filter *filter = filter_of(sink);

	return filter->nr_left_out - filter->nr_quiet + filter->nr_noted;
}
