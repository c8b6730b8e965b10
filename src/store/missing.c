/* SPDX-License-Identifier: MIT */
/*
 * How much of a file is missing, and when it would have been.
 *
 * Two kinds of numbers show what is missing: the numbers of blocks, which increase by one, and the numbers in
 * GENERATION, GENERATION_END and END, which count events from the beginning of the recording. Losses that neither kind
 * counts are estimated, as at least one event. The interval is the widest possible one: streams are written at
 * different times, so what one stream has on both sides of a place says nothing about another stream.
 */
#include "store/scan.h"

/* ---------------------------------------------------------------- while the file is read */

void store_missing_note(struct scan *scan)
{
	struct torn *torn = &scan->torn;
	size_t nr_blocks = scan->index->blocks.count;

	if (torn->nr_places++ == 0) {
		torn->block_before = nr_blocks ? (uint32_t)nr_blocks - 1 : STORE_NO_BLOCK;
		torn->beat_before_ns = scan->last_beat_ns;
	}
	torn->nr_beats_after = 0;
	torn->beat_after_ns = STORE_NOT_KNOWN;
	scan->nr_torn++;
	scan->nr_missing++;
}

void store_missing_beat(struct scan *scan, uint64_t monotonic_ns, bool is_end)
{
	struct torn *torn = &scan->torn;

	/* A recording's first heartbeat is written before events that are older than the heartbeat. */
	if (scan->index->blocks.count)
		scan->last_beat_ns = monotonic_ns;
	if (torn->nr_places == 0 || torn->nr_beats_after == 2)
		return;
	torn->nr_beats_after += is_end ? 2 - torn->nr_beats_after : 1;
	if (torn->nr_beats_after == 2)
		torn->beat_after_ns = monotonic_ns;
}

/* ---------------------------------------------------------------- how much is missing */

/* The position in the recording that the file has reached, and the events that it skipped on the way. */
struct walk {
	uint64_t position; /* number of events so far */
	bool is_known;
	/* generations are missing, and the number of their events is not known */
	bool has_unknown_gap;
	uint64_t nr_missing;
	uint64_t nr_in_gaps; /* missing events reported as losses of their own */
};

static void reach(struct walk *walk, uint64_t position)
{
	if (walk->is_known && position > walk->position)
		walk->nr_missing += position - walk->position;
	if (!walk->is_known || position > walk->position)
		walk->position = position;
	walk->is_known = true;
}

/* Missing generations leave a gap. */
static bool step_to(struct scan *scan, struct walk *walk, const struct store_generation *before)
{
	const struct store_generation *next = before + 1;
	uint64_t from = before->ended_ns;
	struct ct_loss loss = {
		.reason = CTP_LOSS_PART,
		.count = store_generation_gap(before, next),
		.first = store_since_epoch(
			scan->all, from == STORE_NOT_KNOWN ? before->began_ns : from),
		.last = store_since_epoch(scan->all, next->began_ns),
	};

	if (next->number > before->number + 1 &&
		(before->began_ns == STORE_NOT_KNOWN || next->began_ns == STORE_NOT_KNOWN))
		walk->has_unknown_gap = true;
	walk->nr_in_gaps += loss.count;
	if (walk->is_known)
		walk->position += loss.count;
	return !loss.count || vec_push(&scan->all->lists.losses, loss);
}

static void walk_generation(struct walk *walk, const struct store_generation *generation)
{
	if (generation->began_ns != STORE_NOT_KNOWN)
		reach(walk, generation->nr_before);
	if (walk->is_known)
		walk->position += generation->nr_events;
	if (generation->began_ns != STORE_NOT_KNOWN && generation->nr_told != STORE_NOT_KNOWN)
		reach(walk, generation->nr_before + generation->nr_told);
}

/* Returns false if out of memory. */
static bool walk_all(struct scan *scan, struct walk *walk)
{
	const struct store_generation *generations = scan->index->generations.at;
	size_t i;

	/* A recording begins at event 0; a part begins where its first generation says. */
	walk->is_known = !scan->index->generations.count || generations[0].number <= 1;
	for (i = 0; i < scan->index->generations.count; i++) {
		if (i > 0 && !step_to(scan, walk, &generations[i - 1]))
			return false;
		walk_generation(walk, &generations[i]);
	}
	if (scan->all->has_end)
		reach(walk, scan->all->end_nr_events);
	return true;
}

/* END also counts events that a recovered file reports as damaged, and that a writer reports as not written. */
static uint64_t count_told(const struct scan *scan)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < scan->all->lists.losses.count; i++) {
		const struct ct_loss *loss = &scan->all->lists.losses.at[i];

		if (loss->reason == CTP_LOSS_CORRUPT || loss->reason == CTP_LOSS_OUTPUT)
			count += loss->count;
	}
	return count;
}

/* Estimates the events in damaged bytes by the density of events in the other bytes. */
static uint64_t estimate(const struct scan *scan, uint64_t nr_events)
{
	uint64_t nr_bytes = 0;
	size_t i;

	for (i = 0; i < scan->index->blocks.count; i++)
		nr_bytes += scan->index->blocks.at[i].payload_bytes;
	if (scan->all->has_end || nr_bytes == 0)
		return 0;
	return (uint64_t)((double)scan->damaged_bytes * (double)nr_events / (double)nr_bytes);
}

/* Counts the missing events that no loss reports yet: at least one, if anything is missing. */
static uint64_t count_untold(const struct scan *scan, const struct walk *walk, uint64_t nr_events)
{
	uint64_t told = count_told(scan), guessed = estimate(scan, nr_events);
	uint64_t missing = walk->nr_missing > told ? walk->nr_missing - told : 0;
	bool is_torn = scan->torn.nr_places > 0 || walk->has_unknown_gap;

	guessed = guessed > walk->nr_in_gaps ? guessed - walk->nr_in_gaps : 0;
	if (scan->torn.nr_places && guessed > missing)
		missing = guessed;
	return missing || !is_torn || told ? missing : 1;
}

/* ---------------------------------------------------------------- when it would have been */

static ct_time begin_of(const struct scan *scan)
{
	const struct torn *torn = &scan->torn;
	ct_time beat;

	if (torn->beat_before_ns == STORE_NOT_KNOWN)
		return CT_NO_TIME;
	beat = store_since_epoch(scan->all, torn->beat_before_ns);
	return torn->latest_before < beat ? torn->latest_before : beat;
}

static struct ct_loss make_loss(const struct scan *scan, uint64_t count, bool is_anywhere)
{
	uint64_t until = scan->torn.beat_after_ns;
	struct ct_loss loss = {
		.reason = CTP_LOSS_CORRUPT,
		.count = count,
		.first = CT_NO_TIME,
		.last = CT_NO_TIME,
	};

	if (is_anywhere)
		return loss;
	loss.first = begin_of(scan);
	if (until != STORE_NOT_KNOWN)
		loss.last = store_since_epoch(scan->all, until);
	return loss;
}

ct_time store_open_from(const struct store_tables *all)
{
	bool is_known = all->has_heartbeat && all->tables.observed_until < INT64_MAX;

	return is_known ? all->tables.observed_until + 1 : CT_NO_TIME;
}

static bool has_loss(const struct scan *scan, unsigned reason)
{
	size_t i;

	for (i = 0; i < scan->all->lists.losses.count; i++)
		if (scan->all->lists.losses.at[i].reason == reason)
			return true;
	return false;
}

/* The writer was killed: events after the last heartbeat may be missing. */
static bool add_open_end(struct scan *scan)
{
	const struct ct_tables *tables = &scan->all->tables;
	struct ct_loss loss = {
		.reason = CTP_LOSS_OPEN_END,
		.count = 1,
		.first = store_open_from(scan->all),
		.last = CT_NO_TIME,
	};

	if (scan->all->has_end || tables->has_no_end || has_loss(scan, CTP_LOSS_OPEN_END))
		return true;
	return vec_push(&scan->all->lists.losses, loss);
}

static enum ct_status note_counts(
	struct scan *scan, const struct walk *walk, uint64_t count, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (scan->nr_twice)
		status = store_tables_note(scan->all, scan->nr_twice, scan->twice_offset, reterr,
			"blocks stand in the file a second time, and were left out");
	if (status || !scan->all->has_end)
		return status;
	if (count && scan->torn.nr_places == 0)
		return store_tables_note(scan->all, 1, CT_NO_OFFSET, reterr,
			"its end counts %llu events more than the file holds",
			(unsigned long long)count);
	if (walk->is_known && walk->position > scan->all->end_nr_events)
		return store_tables_note(scan->all, 1, CT_NO_OFFSET, reterr,
			"its end counts %llu events fewer than the file holds",
			(unsigned long long)(walk->position - scan->all->end_nr_events));
	return CT_OK;
}

enum ct_status store_missing_sum_up(struct scan *scan, uint64_t nr_events, struct ct_error *reterr)
{
	struct walk walk = {.position = 0};
	uint64_t count;

	if (!walk_all(scan, &walk))
		return ct_fail_memory(reterr);
	count = count_untold(scan, &walk, nr_events);
	scan->index->damage =
		make_loss(scan, count, scan->torn.nr_places == 0 || walk.has_unknown_gap);
	if (count && !vec_push(&scan->all->lists.losses, scan->index->damage))
		return ct_fail_memory(reterr);
	if (!add_open_end(scan))
		return ct_fail_memory(reterr);
	return note_counts(scan, &walk, count, reterr);
}
