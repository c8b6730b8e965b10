/* SPDX-License-Identifier: MIT */
/*
 * Notes: a sentence for each thing that the reader of a report must know about the file, the gravest first.
 */
#include <inttypes.h>
#include <string.h>

#include "jsonl/counts.h"
#include "base/text.h"

void jsonl_lines_add(struct jsonl_lines *lines, uint64_t line)
{
	if (lines->count < JSONL_LINES_KEPT)
		lines->at[lines->count] = line;
	lines->count++;
}

void jsonl_counts_key(struct jsonl_counts *counts, const char *key, size_t nr_bytes)
{
	struct jsonl_key *kept = counts->keys;

	if (nr_bytes >= JSONL_KEY_BYTES)
		nr_bytes = JSONL_KEY_BYTES - 1;
	for (; kept < counts->keys + counts->nr_keys; kept++) {
		if (strlen(kept->name) == nr_bytes && memcmp(kept->name, key, nr_bytes) == 0) {
			kept->count++;
			return;
		}
	}
	if (counts->nr_keys == JSONL_KEYS_KEPT) {
		counts->nr_other_keys++;
		return;
	}
	memcpy(kept->name, key, nr_bytes);
	kept->name[nr_bytes] = '\0';
	kept->count = 1;
	counts->nr_keys++;
}

/* ----------------------------------------------------------------------- gaps */

static void add_gap(struct jsonl_gap *sum, const struct jsonl_gap *gap)
{
	unsigned each;

	sum->id = 0;
	for (each = 0; each < NR_JSONL_NUMBERINGS; each++)
		sum->missing[each] += gap->missing[each];
	if (gap->first_ts < sum->first_ts)
		sum->first_ts = gap->first_ts;
	if (gap->last_ts > sum->last_ts)
		sum->last_ts = gap->last_ts;
}

/* Once the limit of coroutines that are reported one by one is reached, gaps are summed by run and numbering. */
static bool keep_gap(struct jsonl_counts *counts, const struct jsonl_gap *gap)
{
	size_t i;

	if (counts->gaps.count < JSONL_LOSSES_MAX)
		return vec_push(&counts->gaps, *gap);
	for (i = JSONL_LOSSES_MAX; i < counts->gaps.count; i++) {
		if (counts->gaps.at[i].run == gap->run &&
			counts->gaps.at[i].numbering == gap->numbering) {
			add_gap(&counts->gaps.at[i], gap);
			return true;
		}
	}
	return vec_push(&counts->gaps, *gap);
}

bool jsonl_counts_coro(struct jsonl_counts *counts, uint32_t run, const struct jsonl_seen *coro)
{
	/* If some slots are one number ahead of the others, a greater seq can have an earlier time. */
	bool is_turned = coro->last_ts < coro->first_ts;
	enum jsonl_numbering each;
	struct jsonl_gap gap = {
		.run = run,
		.numbering = jsonl_seen_numbering(coro),
		.id = coro->id,
		.first_ts = is_turned ? coro->last_ts : coro->first_ts,
		.last_ts = is_turned ? coro->first_ts : coro->last_ts,
	};
	uint64_t sum = 0;

	for (each = JSONL_BY_ONES; each < NR_JSONL_NUMBERINGS; each++)
		sum += gap.missing[each] = jsonl_seen_missing(coro, each);
	counts->nr_by[gap.numbering]++;
	return sum == 0 || keep_gap(counts, &gap);
}

/* If a coroutine's rows do not show their numbering, it is the one that most other coroutines have. */
static enum jsonl_numbering numbering_of(
	const struct jsonl_counts *counts, const struct jsonl_gap *gap)
{
	const uint64_t *nr_by = counts->nr_by;

	if (gap->numbering == JSONL_BY_ONES || gap->numbering == JSONL_BY_BLOCKS)
		return gap->numbering;
	/* Blocks of which only one row each was read look like numbering by twos. */
	if (nr_by[JSONL_BY_BLOCKS] > nr_by[JSONL_BY_TWOS] / 8)
		return JSONL_BY_BLOCKS;
	if (gap->numbering == JSONL_BY_TWOS)
		return JSONL_BY_TWOS;
	return nr_by[JSONL_BY_ONES] && !nr_by[JSONL_BY_TWOS] ? JSONL_BY_ONES : JSONL_BY_TWOS;
}

static bool tell_gap(
	const struct jsonl_gap *gap, const struct jsonl_counts *counts, struct jsonl_scan *scan)
{
	uint64_t count = gap->missing[numbering_of(counts, gap)];
	ct_time epoch = scan->tables.epoch_monotonic_ns;
	struct ct_loss loss = {
		.process = gap->run + 1,
		.coro = gap->id,
		.reason = CTP_LOSS_SEQUENCE,
		.count = count,
		.first = (ct_time)gap->first_ts - epoch,
		.last = (ct_time)gap->last_ts - epoch,
	};

	return !count || vec_push(&scan->lists.losses, loss);
}

/* ---------------------------------------------------------------------- notes */

/* Notes are collected in one text, one note on each line. */

/* "1 time", "1,234 times" */
static void add_number(struct text *text, uint64_t count, const char *one, const char *many)
{
	text_count(text, count);
	text_char(text, ' ');
	text_add(text, count == 1 ? one : many);
}

/* "3 lines are no rows (lines 1, 5, 9)" */
static void add_count(
	struct text *text, const struct jsonl_lines *lines, const char *one, const char *many)
{
	uint64_t shown = lines->count < JSONL_LINES_KEPT ? lines->count : JSONL_LINES_KEPT, i;

	add_number(text, lines->count, one, many);
	text_add(text, lines->count == 1 ? " (line" : " (lines");
	for (i = 0; i < shown; i++)
		text_format(text, "%s %" PRIu64, i ? "," : "", lines->at[i]);
	text_add(text, lines->count > shown ? ", ...)" : ")");
}

static void tell_runs(
	struct text *text, const struct jsonl_counts *counts, const struct jsonl_scan *scan)
{
	size_t i;

	if (scan->runs.count < 2)
		return;
	text_format(text,
		"%zu runs stand in this file, one behind the other; each is a process of its own"
		" (they begin at lines",
		scan->runs.count);
	for (i = 0; i < scan->runs.count && i < 2 * JSONL_LINES_KEPT; i++)
		text_format(text, "%s %" PRIu64, i ? "," : "", scan->runs.at[i].line);
	text_add(text, i < scan->runs.count ? ", ...)" : ")");
	text_add(text, counts->is_full ? "; further ones are not distinguished\n" : "\n");
}

static void tell_colliding(struct text *text, uint64_t count)
{
	if (!count)
		return;
	add_number(text, count, "probe_id is", "probe_ids are");
	text_add(text, " used by more than one run; they name different coroutines\n");
}

static void add_reason(struct text *text, const struct jsonl_lines *lines, bool *is_first,
	const char *one, const char *many)
{
	if (!lines->count)
		return;
	if (!*is_first)
		text_add(text, ", ");
	*is_first = false;
	add_count(text, lines, one, many);
}

static void tell_impossible(struct text *text, const struct jsonl_counts *counts)
{
	uint64_t count =
		counts->zero_times.count + counts->residue.count + counts->impossible.count;
	bool is_first = true;

	if (!count)
		return;
	text_count(text, count);
	text_add(text, " of ");
	text_count(text, counts->nr_rows);
	text_format(text, " rows (%.1f %%) cannot be true and are left out of everything: ",
		100.0 * (double)count / (double)counts->nr_rows);
	add_reason(text, &counts->zero_times, &is_first, "has the time 0", "have the time 0");
	add_reason(text, &counts->residue, &is_first,
		"is what an earlier run left, under an id of a later one",
		"are what an earlier run left, under ids of a later one");
	add_reason(text, &counts->impossible, &is_first, "does not fit into the run around it",
		"do not fit into the run around them");
	text_char(text, '\n');
}

static void tell_bad(struct text *text, const struct jsonl_counts *counts)
{
	if (counts->bad.count) {
		add_count(text, &counts->bad, "line is no row and was left out",
			"lines are no rows and were left out");
		text_format(text, "; of the first one, %s\n", counts->why_bad);
	}
	if (counts->cut_line)
		text_format(text, "the last line (%" PRIu64 ") is cut short and was left out\n",
			counts->cut_line);
}

static void tell_lines(
	struct text *text, const struct jsonl_lines *lines, const char *one, const char *many)
{
	if (!lines->count)
		return;
	add_count(text, lines, one, many);
	text_char(text, '\n');
}

static void tell_renewed(struct text *text, uint64_t count)
{
	if (!count)
		return;
	add_number(text, count, "time", "times");
	text_add(text, " a probe_id was given out anew within a run; "
		       "each of its lives is a coroutine of its own\n");
}

static void tell_numbering(struct text *text, const uint64_t nr_by[NR_JSONL_NUMBERINGS])
{
	uint64_t nr_twos = nr_by[JSONL_BY_TWOS], nr_blocks = nr_by[JSONL_BY_BLOCKS];

	if (!nr_twos && !nr_blocks)
		return;
	text_add(text, "seq rises by two with each ");
	text_add(text, nr_blocks > nr_twos ? "eight events of " : "event of ");
	text_count(text, nr_blocks > nr_twos ? nr_blocks : nr_twos);
	text_add(text, " coroutines (a sequence lock of version 1), by one of ");
	text_count(text, nr_by[JSONL_BY_ONES]);
	text_char(text, '\n');
}

static void tell_further(struct text *text, const struct jsonl_counts *counts)
{
	uint32_t i;

	if (!counts->further.count)
		return;
	add_count(text, &counts->further, "row has further keys", "rows have further keys");
	text_add(text, ", which stay in the file, and which nothing here reads: ");
	for (i = 0; i < counts->nr_keys; i++) {
		text_format(text, "%s'%s' ", i ? ", " : "", counts->keys[i].name);
		add_number(text, counts->keys[i].count, "time", "times");
	}
	if (counts->nr_other_keys) {
		text_add(text, ", others ");
		add_number(text, counts->nr_other_keys, "time", "times");
	}
	text_char(text, '\n');
}

static void tell_disorder(struct text *text, bool is_out_of_order)
{
	if (is_out_of_order)
		text_add(text, "rows of one run are too far out of order to be sorted; what "
			       "depends on the order of events may be wrong\n");
}

static void tell_untold_threads(struct text *text, uint64_t count)
{
	if (!count)
		return;
	add_number(text, count, "row names a thread", "rows name threads");
	text_add(text, " beyond the limit; their threads are not recorded\n");
}

/* Reports count events, so this note says how events were made from rows. */
static void tell_rows(struct text *text, const struct jsonl_counts *counts, uint64_t nr_events)
{
	if (nr_events == counts->nr_rows)
		return;
	add_number(text, counts->nr_rows, "row was read", "rows were read");
	text_add(text, ", from which come ");
	add_number(text, nr_events, "event", "events");
	if (counts->nr_frames) {
		text_add(text, ", ");
		text_count(text, counts->nr_frames);
		text_add(text, " of them for an addr that its coroutine had not named before");
	}
	text_char(text, '\n');
}

static void tell_file(
	struct text *text, const struct jsonl_counts *counts, const struct jsonl_scan *scan)
{
	text_add(text, "a JSONL trace does not record when observation ended: silence behind the "
		       "last row proves nothing, and no finding is graded above suspect\n");
	tell_runs(text, counts, scan);
	tell_colliding(text, counts->nr_colliding);
}

/* Everything in the file that does not become events, or only in part. */
static void tell_left_out(struct text *text, const struct jsonl_counts *counts)
{
	tell_impossible(text, counts);
	tell_bad(text, counts);
	tell_lines(text, &counts->twice, "row stands there once more, and counts once",
		"rows stand there once more, and count once");
	tell_lines(text, &counts->unknown_kinds, "row is of a kind that has no name here",
		"rows are of kinds that have no name here");
	tell_untold_threads(text, counts->nr_untold_threads);
}

static void tell_rest(
	struct text *text, const struct jsonl_counts *counts, const struct jsonl_scan *scan)
{
	tell_renewed(text, counts->nr_renewed);
	tell_numbering(text, counts->nr_by);
	tell_further(text, counts);
	tell_disorder(text, counts->is_out_of_order);
	tell_rows(text, counts, scan->tables.nr_events);
}

/* Makes a note of each line: no key contains a newline. */
static bool keep_notes(struct jsonl_scan *scan, const char *lines, bool is_left_out)
{
	struct ct_note note = {.count = 1, .offset = CT_NO_OFFSET, .is_left_out = is_left_out};
	size_t length;

	for (; *lines; lines += length + 1) {
		length = strcspn(lines, "\n");
		note.text = arena_text(&scan->arena, lines, length);
		if (!note.text || !vec_push(&scan->lists.notes, note))
			return false;
	}
	return true;
}

/* Keeps the notes in the text, and clears it. */
static bool keep_told(struct jsonl_scan *scan, struct text *text, bool is_left_out)
{
	bool is_kept =
		text_status(text, NULL) == CT_OK && keep_notes(scan, text_peek(text), is_left_out);

	text_clear(text);
	return is_kept;
}

/* Adds the notes, the gravest first. */
static bool tell(const struct jsonl_counts *counts, struct jsonl_scan *scan)
{
	struct text text = {0};
	bool is_kept;

	tell_file(&text, counts, scan);
	is_kept = keep_told(scan, &text, false);
	tell_left_out(&text, counts);
	is_kept = is_kept && keep_told(scan, &text, true);
	tell_rest(&text, counts, scan);
	is_kept = is_kept && keep_told(scan, &text, false);
	text_fini(&text);
	return is_kept;
}

bool jsonl_counts_tell(const struct jsonl_counts *counts, struct jsonl_scan *scan)
{
	size_t i;

	for (i = 0; i < counts->gaps.count; i++) {
		if (!tell_gap(&counts->gaps.at[i], counts, scan))
			return false;
	}
	return tell(counts, scan);
}
