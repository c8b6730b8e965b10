/* SPDX-License-Identifier: MIT */
/*
 * After the pass over a file: makes notes and losses of what is missing or damaged, and the tables that are handed out.
 */
#include "base/text.h"
#include "store/scan.h"

static enum ct_status note_condition(struct scan *scan, struct ct_error *reterr)
{
	uint64_t left = scan->input->nr_bytes - scan->index->end_of_whole;
	enum ct_status status = CT_OK;
	struct text cut = {0}, damaged = {0};

	text_count(&cut, left);
	text_count(&damaged, scan->damaged_bytes);
	/* The missing half of a block may still be on its way. */
	scan->all->tables.is_damaged = scan->nr_damaged || (left && !input_is_written(scan->input));
	if (left)
		status = store_tables_note(scan->all, 1, scan->index->end_of_whole, reterr,
			"the file was cut, or is still being written: its last %s bytes are no "
			"whole block",
			text_peek(&cut));
	if (status == CT_OK && scan->nr_damaged)
		status = store_tables_note(scan->all, scan->nr_damaged, scan->damaged_offset,
			reterr, "the file is damaged: %s bytes hold no whole block",
			text_peek(&damaged));
	if (status == CT_OK && scan->nr_skipped)
		status = store_tables_note(scan->all, scan->nr_skipped, scan->skipped_offset,
			reterr, "blocks of a type that this version does not know were skipped");
	if (status == CT_OK && scan->all->nr_unknown_types)
		status = store_tables_note(scan->all, scan->all->nr_unknown_types, CT_NO_OFFSET,
			reterr, "definitions that this version does not know were skipped");
	text_fini(&cut);
	text_fini(&damaged);
	return status;
}

uint64_t store_generation_events(const struct store_generation *generation)
{
	bool is_told = generation->nr_told != STORE_NOT_KNOWN;

	return is_told && generation->nr_told > generation->nr_events ? generation->nr_told
								      : generation->nr_events;
}

uint64_t store_generation_gap(
	const struct store_generation *one, const struct store_generation *next)
{
	uint64_t until = one->nr_before + store_generation_events(one);

	if (next->number == one->number + 1 || one->began_ns == STORE_NOT_KNOWN ||
		next->began_ns == STORE_NOT_KNOWN || next->nr_before < until)
		return 0;
	return next->nr_before - until;
}

struct extremes {
	/* latest time of the present stream before the first place where something is missing */
	ct_time before;
	ct_time latest;
	ct_time carried; /* earliest carried time */
};

static void look_at_block(const struct scan *scan, uint32_t at, uint32_t clock,
	struct extremes *extremes, size_t *hint)
{
	const struct store_block *block = &scan->index->blocks.at[at];
	ct_time latest = store_tables_time(scan->all, clock, block->latest, hint);
	ct_time first = store_tables_time(scan->all, clock, block->first, hint);
	bool is_before = scan->torn.nr_places && scan->torn.block_before != STORE_NO_BLOCK &&
			 at <= scan->torn.block_before;

	if (block->is_carried) {
		if (extremes->carried == CT_NO_TIME || first < extremes->carried)
			extremes->carried = first;
		return;
	}
	if (latest > extremes->latest)
		extremes->latest = latest;
	if (is_before && latest > extremes->before)
		extremes->before = latest;
}

static void look_at_stream(struct scan *scan, const struct store_stream *stream,
	struct extremes *extremes, size_t *hint)
{
	uint32_t clock = scan->all->segments.at[stream->segment].clock, at;

	extremes->before = CT_NO_TIME;
	for (at = stream->first_block; at != STORE_NO_BLOCK; at = scan->index->blocks.at[at].next)
		look_at_block(scan, at, clock, extremes, hint);
	if (extremes->before != CT_NO_TIME && extremes->before < scan->torn.latest_before)
		scan->torn.latest_before = extremes->before;
}

/* Joins streams with their segments; records of a stream without a segment cannot be placed, and count as lost. */
static uint64_t settle_streams(struct scan *scan, struct extremes *extremes, uint64_t *ret_placed)
{
	uint64_t nr_orphans = 0;
	size_t i, hint = 0;

	scan->torn.latest_before = INT64_MAX;
	for (i = 0; i < scan->index->streams.count; i++) {
		struct store_stream *stream = &scan->index->streams.at[i];

		stream->segment = store_tables_segment(scan->all, stream->number);
		if (!stream->segment) {
			nr_orphans += stream->nr_records;
			continue;
		}
		*ret_placed += stream->nr_records;
		scan->index->nr_carried += stream->nr_carried;
		look_at_stream(scan, stream, extremes, &hint);
	}
	return nr_orphans;
}

/* Adds the events of undefined streams as lost: their process and clock are not known. */
static bool add_orphans(struct scan *scan, uint64_t count)
{
	struct ct_loss loss = {
		.reason = CTP_LOSS_CORRUPT,
		.count = count,
		.first = CT_NO_TIME,
		.last = CT_NO_TIME,
	};

	return count == 0 || vec_push(&scan->all->lists.losses, loss);
}

/*
 * Returns whether the file is open at its end: a recovered file has an END, which states no more than the last
 * heartbeat did.
 */
static bool is_open(const struct store_tables *all)
{
	size_t i;

	for (i = 0; i < all->lists.losses.count; i++) {
		const struct ct_loss *loss = &all->lists.losses.at[i];

		if (loss->reason == CTP_LOSS_OPEN_END && loss->first > all->tables.observed_until)
			return true;
	}
	return false;
}

/*
 * Discards how a process ended if that was recorded after the last heartbeat: what the process did before that may be
 * missing.
 */
static void doubt_endings(struct store_tables *all)
{
	size_t i;

	if (!is_open(all))
		return;
	for (i = 1; i < all->lists.processes.count; i++) {
		struct ct_process *process = &all->lists.processes.at[i];

		if (process->ended == CT_NO_TIME || process->ended <= all->tables.observed_until)
			continue;
		process->ending = CT_ENDING_UNKNOWN;
		process->ended = CT_NO_TIME;
	}
}

enum ct_status store_scan_sum_up(struct scan *scan, struct ct_error *reterr)
{
	struct extremes extremes = {CT_NO_TIME, CT_NO_TIME, CT_NO_TIME};
	uint64_t nr_events = 0, nr_orphans;
	struct ct_tables *tables = &scan->all->tables;
	enum ct_status status = note_condition(scan, reterr);

	store_tables_finish(scan->all);
	nr_orphans = settle_streams(scan, &extremes, &nr_events);
	if (status == CT_OK && nr_orphans)
		status = store_tables_note(scan->all, nr_orphans, CT_NO_OFFSET, reterr,
			"events belong to streams that are not defined, and were left out");
	if (status)
		return status;
	tables->nr_events = nr_events;
	tables->nr_carried = scan->index->nr_carried;
	tables->is_packed = scan->index->has_packed;
	tables->carried_from = extremes.carried;
	if (scan->index->generations.count)
		tables->last_generation = store_scan_generation(scan)->number;
	if (!scan->all->has_heartbeat && extremes.latest > 0)
		tables->observed_until = extremes.latest;
	status = store_missing_sum_up(scan, nr_events + nr_orphans, reterr);
	if (status == CT_OK && !add_orphans(scan, nr_orphans))
		status = ct_fail_memory(reterr);
	doubt_endings(scan->all);
	store_tables_publish(scan->all);
	return status;
}
