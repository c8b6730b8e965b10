/* SPDX-License-Identifier: MIT */
/*
 * After the pass over a file: what is missing or damaged, in notes and losses, and the tables as they are handed out.
 */
#include "store_scan.h"

static enum ct_status note_condition(struct scan *scan, struct ct_error *reterr)
{
	uint64_t left = scan->input->size - scan->index->end_of_whole;
	enum ct_status status = CT_OK;

	if (left)
		status = store_tables_note(scan->all, 1, scan->index->end_of_whole, reterr,
			"the file was cut, or is still being written: its last %llu bytes are no "
			"whole block",
			(unsigned long long)left);
	if (status == CT_OK && scan->nr_damaged)
		status = store_tables_note(scan->all, scan->nr_damaged, scan->damaged_offset,
			reterr, "the file is damaged: %llu bytes hold no whole block",
			(unsigned long long)scan->damaged_bytes);
	if (status == CT_OK && scan->nr_skipped)
		status = store_tables_note(scan->all, scan->nr_skipped, scan->skipped_offset,
			reterr, "blocks of a type that this version does not know were skipped");
	if (status == CT_OK && scan->all->nr_unknown_types)
		status = store_tables_note(scan->all, scan->all->nr_unknown_types, CT_NO_OFFSET,
			reterr, "definitions that this version does not know were skipped");
	return status;
}

uint64_t store_generation_gap(
	const struct store_generation *one, const struct store_generation *next)
{
	uint64_t until = one->nr_before + one->nr_events;

	if (next->number == one->number + 1 || one->began_ns == STORE_NOT_KNOWN ||
		next->began_ns == STORE_NOT_KNOWN || next->nr_before < until)
		return 0;
	return next->nr_before - until;
}

/* Parts that are not there leave a gap. */
static bool add_gaps(struct scan *scan, uint64_t *ret_nr_missing)
{
	const struct store_generation *parts = scan->index->generations.at;
	size_t i;

	*ret_nr_missing = 0;
	for (i = 1; i < scan->index->generations.count; i++) {
		uint64_t from = parts[i - 1].ended_ns;
		struct ct_loss loss = {
			.reason = CTP_LOSS_PART,
			.count = store_generation_gap(&parts[i - 1], &parts[i]),
			.first = store_since_epoch(
				scan->all, from == STORE_NOT_KNOWN ? parts[i - 1].began_ns : from),
			.last = store_since_epoch(scan->all, parts[i].began_ns),
		};

		*ret_nr_missing += loss.count;
		if (loss.count && !vec_push(&scan->all->losses, loss))
			return false;
	}
	return true;
}

/*
 * What the end record says is missing is exact; else the bytes lost tell about how many. Those of parts that
 * are not there are known already.
 */
static uint64_t estimate_lost(const struct scan *scan, uint64_t nr_events, uint64_t nr_in_gaps)
{
	uint64_t nr_bytes = 0, nr_before_or_there, estimate;
	size_t i;

	/* END counts from the beginning of the recording. */
	nr_before_or_there = scan->all->tables.nr_before + nr_events + nr_in_gaps;
	if (scan->all->has_end && scan->all->end_nr_events > nr_before_or_there)
		return scan->all->end_nr_events - nr_before_or_there;
	for (i = 0; i < scan->index->blocks.count; i++)
		nr_bytes += scan->index->blocks.at[i].payload_bytes;
	if (scan->all->has_end || nr_bytes == 0)
		return scan->all->has_end ? 0 : 1;
	estimate = (uint64_t)((double)scan->damaged_bytes * (double)nr_events / (double)nr_bytes);
	estimate = estimate > nr_in_gaps ? estimate - nr_in_gaps : 0;
	return estimate || nr_in_gaps ? estimate : 1;
}

static const struct store_segment *segment_of(const struct scan *scan, uint32_t number)
{
	uint32_t index = 0;

	map_get(&scan->all->stream_of, number, &index);
	return &scan->all->segments.at[index];
}

struct extremes {
	ct_time before; /* latest time before the first damage; CT_NO_TIME */
	ct_time after;  /* first time after the last damage */
	ct_time latest;
	ct_time carried; /* the earliest */
};

static void look_at_block(const struct scan *scan, uint32_t at, uint32_t clock,
	struct extremes *extremes, size_t *hint)
{
	const struct store_block *block = &scan->index->blocks.at[at];
	ct_time latest = store_tables_time(scan->all, clock, block->latest, hint);
	ct_time first = store_tables_time(scan->all, clock, block->first, hint);

	if (block->is_carried) {
		if (extremes->carried == CT_NO_TIME || first < extremes->carried)
			extremes->carried = first;
		return;
	}
	if (latest > extremes->latest)
		extremes->latest = latest;
	if (!scan->nr_damaged)
		return;
	if (scan->block_before != STORE_NO_BLOCK && at <= scan->block_before &&
		latest > extremes->before)
		extremes->before = latest;
	if (at >= scan->block_after && (extremes->after == CT_NO_TIME || first < extremes->after))
		extremes->after = first;
}

/* Joins streams with their segments; those of none can not be placed, and count as lost. */
static uint64_t settle_streams(struct scan *scan, struct extremes *extremes, uint64_t *ret_placed)
{
	uint64_t nr_orphans = 0;
	size_t i, hint = 0;
	uint32_t at, segment = 0;

	for (i = 0; i < scan->index->streams.count; i++) {
		struct store_stream *stream = &scan->index->streams.at[i];

		segment = 0;
		map_get(&scan->all->stream_of, stream->number, &segment);
		stream->segment = segment;
		if (!segment) {
			nr_orphans += stream->nr_records;
			continue;
		}
		*ret_placed += stream->nr_records;
		scan->index->nr_carried += stream->nr_carried;
		for (at = stream->first_block; at != STORE_NO_BLOCK;
			at = scan->index->blocks.at[at].next)
			look_at_block(
				scan, at, segment_of(scan, stream->number)->clock, extremes, &hint);
	}
	return nr_orphans;
}

static struct ct_loss make_loss(uint64_t count, const struct extremes *extremes)
{
	return (struct ct_loss){
		.reason = CTP_LOSS_CORRUPT,
		.count = count,
		.first = extremes->before,
		.last = extremes->after,
	};
}

static bool add_loss(struct scan *scan, struct ct_loss loss)
{
	return loss.count == 0 || vec_push(&scan->all->losses, loss);
}

enum ct_status store_scan_sum_up(struct scan *scan, struct ct_error *reterr)
{
	struct extremes extremes = {CT_NO_TIME, CT_NO_TIME, CT_NO_TIME, CT_NO_TIME};
	struct extremes whole = extremes;
	uint64_t nr_events = 0, nr_orphans, nr_in_gaps;
	struct ct_tables *tables = &scan->all->tables;
	enum ct_status status = note_condition(scan, reterr);

	store_tables_finish(scan->all);
	nr_orphans = settle_streams(scan, &extremes, &nr_events);
	if (status == CT_OK && nr_orphans)
		status = store_tables_note(scan->all, nr_orphans, CT_NO_OFFSET, reterr,
			"events belong to streams that are not defined, and were left out");
	if (status)
		return status;
	if (!add_gaps(scan, &nr_in_gaps))
		return ct_fail_memory(reterr);
	if (scan->nr_damaged)
		scan->index->damage = make_loss(
			estimate_lost(scan, nr_events + nr_orphans, nr_in_gaps), &extremes);
	if (!add_loss(scan, make_loss(nr_orphans, &whole)) || !add_loss(scan, scan->index->damage))
		return ct_fail_memory(reterr);
	tables->nr_events = nr_events;
	tables->nr_carried = scan->index->nr_carried;
	tables->is_packed = scan->index->has_packed;
	tables->carried_from = extremes.carried;
	if (scan->index->generations.count)
		tables->last_generation = store_scan_generation(scan)->number;
	if (!scan->all->has_heartbeat && extremes.latest > 0)
		tables->observed_until = extremes.latest;
	store_tables_publish(scan->all);
	return CT_OK;
}
