/* SPDX-License-Identifier: MIT */
/*
 * The first reading: runs, threads, losses and notes, so that the tables are complete before the first event is handed
 * out. Its memory grows with the number of coroutines, threads and runs, and by 16 bytes for some thousand rows.
 */
#include <inttypes.h>
#include <string.h>

#include "base/failure.h"
#include "jsonl/counts.h"
#include "jsonl/window.h"

/* The number of chunks that a source sorts at once (see read.c). */
#define SORTED_CHUNKS 256u
#define WAS_COUNTED 0x80000000u

struct scanner {
	struct jsonl_scan *scan;
	struct jsonl_counts counts;
	struct jsonl_tracker tracker;
	struct map run_of;                   /* probe_id to the last run that used it, from 1 */
	uint64_t nr_emitted;                 /* rows of the present run that become events */
	uint64_t nr_by[NR_JSONL_NUMBERINGS]; /* coroutines of the runs before the present one */
	uint64_t nr_left;                    /* probe_ids of leftover rows */
};

/* ------------------------------------------------------------------- listener */

static void note_bad_line(void *context, uint64_t line, const char *why)
{
	struct scanner *scanner = context;

	if (!scanner->counts.bad.count)
		scanner->counts.why_bad = why;
	jsonl_lines_add(&scanner->counts.bad, line);
}

static void note_cut_line(void *context, uint64_t line)
{
	struct scanner *scanner = context;

	scanner->counts.cut_line = line;
}

static void note_key(void *context, const char *key, size_t nr_bytes)
{
	struct scanner *scanner = context;

	jsonl_counts_key(&scanner->counts, key, nr_bytes);
}

static void note_further(void *context, uint64_t number, const char *line, size_t nr_bytes)
{
	struct scanner *scanner = context;
	struct jsonl_keys keys = {scanner, note_key};

	jsonl_lines_add(&scanner->counts.further, number);
	jsonl_row_keys(line, nr_bytes, &keys);
}

/* ----------------------------------------------------------------------- runs */

static struct jsonl_run *present_run(struct scanner *scanner)
{
	return &scanner->scan->runs.at[scanner->scan->runs.count - 1];
}

static bool begin_run(struct scanner *scanner, const struct jsonl_row *row)
{
	struct jsonl_scan *scan = scanner->scan;
	struct jsonl_run run = {
		.offset = row->offset,
		.line = row->line,
		.begin_ts = row->ts,
		.first_chunk = scan->chunks.count,
		.first_thread = (uint32_t)scan->lists.threads.count - 1,
		.thread_max = JSONL_THREADS_MAX - ((uint32_t)scan->lists.threads.count - 1),
	};

	scanner->tracker.thread_max = run.thread_max;
	scanner->tracker.is_last = scan->runs.count + 1 == JSONL_RUNS_MAX;
	scanner->counts.is_full |= scanner->tracker.is_last;
	scanner->tracker.past = &scan->past;
	scanner->tracker.nr_past = (uint32_t)scan->runs.count;
	scanner->tracker.left = &scan->left[scan->runs.count];
	scanner->tracker.begin_ts = run.begin_ts;
	scanner->nr_emitted = 0;
	memcpy(scanner->nr_by, scanner->counts.nr_by, sizeof(scanner->nr_by));
	return vec_push(&scan->runs, run);
}

/* Turns the times of each chunk into the times of that chunk and all later ones. */
static void sum_chunks(struct scanner *scanner, const struct jsonl_run *run)
{
	struct jsonl_chunk *chunks;
	size_t i;

	/* A run whose rows make no events has no chunks. */
	if (run->nr_chunks == 0)
		return;
	chunks = scanner->scan->chunks.at + run->first_chunk;
	for (i = run->nr_chunks; i-- > 1;) {
		if (chunks[i].least_ts < chunks[i - 1].least_ts)
			chunks[i - 1].least_ts = chunks[i].least_ts;
		if (i + SORTED_CHUNKS - 1 < run->nr_chunks &&
			chunks[i + SORTED_CHUNKS - 1].least_ts < chunks[i - 1].most_ts)
			scanner->counts.is_out_of_order = true;
	}
}

/* The numbering of most coroutines of the present run. */
static enum jsonl_numbering numbering_of_run(const struct scanner *scanner)
{
	enum jsonl_numbering most = JSONL_BY_UNKNOWN, each;
	uint64_t count, nr_most = 0;

	for (each = JSONL_BY_ONES; each < NR_JSONL_NUMBERINGS; each++) {
		count = scanner->counts.nr_by[each] - scanner->nr_by[each];
		if (count > nr_most) {
			nr_most = count;
			most = each;
		}
	}
	return most;
}

/* Leftover rows do not count as rows of the next run: its tracker gets their probe_ids, in both readings. */
static void leave_run(struct scanner *scanner)
{
	struct map *left = &scanner->scan->left[scanner->scan->runs.count];

	jsonl_tracker_begin_next(&scanner->tracker, left);
	scanner->nr_left += left->count;
	if (scanner->nr_left > JSONL_LEFT_MAX)
		map_fini(left);
}

static bool end_run(struct scanner *scanner, uint64_t end_offset)
{
	struct jsonl_scan *scan = scanner->scan;
	struct jsonl_run *run = present_run(scanner);
	struct jsonl_past_run past = {scanner->tracker.first_ts, scanner->tracker.last_ts};
	uint32_t index = (uint32_t)scan->runs.count - 1;
	size_t i;

	run->nr_rows = scanner->tracker.nr_rows;
	if (run->nr_rows == 0) {
		scan->runs.count--;
		return true;
	}
	for (i = 0; i < scanner->tracker.coros.count; i++) {
		if (!jsonl_counts_coro(&scanner->counts, index, &scanner->tracker.coros.at[i]))
			return false;
	}
	run->end_offset = end_offset;
	run->first_ts = scanner->tracker.first_ts;
	run->last_ts = scanner->tracker.last_ts;
	run->nr_chunks = scan->chunks.count - run->first_chunk;
	run->nr_threads = scanner->tracker.nr_threads;
	run->numbering = numbering_of_run(scanner);
	sum_chunks(scanner, run);
	return jsonl_past_add(&scan->past, &past);
}

/* ----------------------------------------------------------------------- rows */

static bool note_time(struct scanner *scanner, const struct jsonl_row *row)
{
	struct jsonl_chunk fresh = {row->ts, row->ts}, *chunk;

	if (scanner->nr_emitted++ % JSONL_CHUNK_ROWS == 0)
		return vec_push(&scanner->scan->chunks, fresh);
	chunk = &scanner->scan->chunks.at[scanner->scan->chunks.count - 1];
	if (row->ts < chunk->least_ts)
		chunk->least_ts = row->ts;
	if (row->ts > chunk->most_ts)
		chunk->most_ts = row->ts;
	return true;
}

static bool note_thread(struct scanner *scanner, const struct jsonl_row *row)
{
	struct ct_thread thread = {
		.process = (uint32_t)scanner->scan->runs.count,
		.tid = row->tid,
		.name = "",
		.started = CT_NO_TIME,
		.stopped = CT_NO_TIME,
	};

	return vec_push(&scanner->scan->lists.threads, thread) &&
	       jsonl_past_thread(&scanner->scan->past, row->tid);
}

static bool note_probe_id(struct scanner *scanner, uint64_t probe_id)
{
	uint32_t run = (uint32_t)scanner->scan->runs.count, before = run;

	map_get(&scanner->run_of, probe_id, &before);
	if (before & WAS_COUNTED)
		return true;
	if (before != run) {
		scanner->counts.nr_colliding++;
		run |= WAS_COUNTED;
	}
	return map_put(&scanner->run_of, probe_id, run);
}

static bool note_ended(struct scanner *scanner, const struct jsonl_seen *coro)
{
	scanner->counts.nr_renewed++;
	return jsonl_counts_coro(&scanner->counts, (uint32_t)scanner->scan->runs.count - 1, coro);
}

static bool note_row(
	struct scanner *scanner, const struct jsonl_row *row, const struct jsonl_place *place)
{
	scanner->counts.nr_untold_threads += place->thread == 0;
	if (place->is_new_thread && !note_thread(scanner, row))
		return false;
	if (place->is_new_coro && !note_probe_id(scanner, row->probe_id))
		return false;
	if (place->ended && !note_ended(scanner, place->ended))
		return false;
	scanner->scan->tables.nr_events += place->frame != 0;
	scanner->counts.nr_frames += place->frame != 0;
	if (!jsonl_is_emitted(row)) {
		jsonl_lines_add(&scanner->counts.unknown_kinds, row->line);
		return place->frame == 0 || note_time(scanner, row);
	}
	scanner->scan->tables.nr_events++;
	return note_time(scanner, row);
}

static bool take_row(struct scanner *scanner, struct jsonl_row *rows, size_t nr_rows)
{
	struct jsonl_place place;
	enum jsonl_verdict verdict = jsonl_tracker_take(&scanner->tracker, rows, nr_rows, &place);

	if (verdict == JSONL_NEXT_RUN) {
		if (!end_run(scanner, rows->offset))
			return false;
		leave_run(scanner);
		if (!begin_run(scanner, rows))
			return false;
		verdict = jsonl_tracker_take(&scanner->tracker, rows, nr_rows, &place);
	}
	switch (verdict) {
	case JSONL_IN_RUN:
		return note_row(scanner, rows, &place);
	case JSONL_RESIDUE:
		jsonl_lines_add(&scanner->counts.residue, rows->line);
		return true;
	case JSONL_IMPOSSIBLE:
		jsonl_lines_add(
			rows->ts ? &scanner->counts.impossible : &scanner->counts.zero_times,
			rows->line);
		return true;
	case JSONL_TWICE:
		jsonl_lines_add(&scanner->counts.twice, rows->line);
		return true;
	default:
		return false;
	}
}

static enum ct_status read_rows(
	struct scanner *scanner, struct jsonl_window *window, struct ct_error *reterr)
{
	enum ct_status status;

	while ((status = jsonl_window_fill(window, reterr)) == CT_OK) {
		struct jsonl_row *rows = &window->rows[window->first_row];

		if (scanner->counts.nr_rows++ == 0 && !begin_run(scanner, rows))
			return ct_fail_memory(reterr);
		if (!take_row(scanner, rows, window->nr_rows))
			return ct_fail_memory(reterr);
		jsonl_window_advance(window);
	}
	scanner->scan->end_offset = window->offset;
	if (status == CT_END && scanner->counts.nr_rows && !end_run(scanner, window->offset))
		return ct_fail_memory(reterr);
	return status == CT_END ? CT_OK : status;
}

/* --------------------------------------------------------------------- tables */

static bool add_process(struct jsonl_scan *scan, uint32_t index)
{
	const struct jsonl_run *run = &scan->runs.at[index];
	ct_time epoch = scan->tables.epoch_monotonic_ns;
	struct ct_process process = {
		.program = "",
		.command_line = "",
		.attached = (ct_time)run->first_ts - epoch,
		.ended = (ct_time)run->last_ts - epoch,
		.has_probe = true,
		.has_bare_resumes = true,
	};

	if (scan->runs.count > 1)
		process.program = arena_format(&scan->arena,
			"run %" PRIu32 " (from line %" PRIu64 ")", index + 1, run->line);
	return process.program && vec_push(&scan->lists.processes, process);
}

static bool add_processes(struct jsonl_scan *scan)
{
	uint64_t first_ts = UINT64_MAX, last_ts = 0;
	uint32_t i;

	for (i = 0; i < scan->runs.count; i++) {
		if (scan->runs.at[i].first_ts < first_ts)
			first_ts = scan->runs.at[i].first_ts;
		if (scan->runs.at[i].last_ts > last_ts)
			last_ts = scan->runs.at[i].last_ts;
	}
	scan->tables.epoch_monotonic_ns = (int64_t)first_ts;
	scan->tables.observed_until = (ct_time)(last_ts - first_ts);
	for (i = 0; i < scan->runs.count; i++) {
		if (!add_process(scan, i))
			return false;
	}
	return true;
}

static void set_tables(struct jsonl_scan *scan, const struct jsonl_counts *counts)
{
	struct ct_tables *tables = &scan->tables;

	tables->host = tables->reason = "";
	tables->clock = "CLOCK_MONOTONIC";
	tables->has_no_end = true;
	tables->nr_impossible =
		counts->zero_times.count + counts->impossible.count + counts->residue.count;
	lists_publish(&scan->lists, tables);
}

/* An incomplete last line does not count as damage while the file is still being written. */
static bool is_damaged(const struct jsonl_counts *counts, const struct input *input)
{
	return counts->bad.count || (counts->cut_line && !input_is_written(input));
}

static enum ct_status refuse(
	const struct jsonl_counts *counts, const char *name, struct ct_error *reterr)
{
	if (counts->nr_rows)
		return ct_fail(reterr, CT_ERR_FORMAT,
			"%s:%" PRIu64 ": none of its %" PRIu64 " rows has a time that can be true",
			name,
			counts->zero_times.count ? counts->zero_times.at[0]
						 : counts->impossible.at[0],
			counts->nr_rows);
	if (counts->bad.count)
		return ct_fail(reterr, CT_ERR_FORMAT,
			"%s:%" PRIu64 ": no line is a row of a trace; of this one, %s", name,
			counts->bad.at[0], counts->why_bad);
	return ct_fail(reterr, CT_ERR_FORMAT, "%s:%" PRIu64 ": the only line is cut short", name,
		counts->cut_line);
}

static enum ct_status read_all(
	struct scanner *scanner, const struct input *input, struct ct_error *reterr)
{
	struct jsonl_listener listener = {scanner, note_bad_line, note_cut_line, note_further};
	struct jsonl_window window;
	enum ct_status status = jsonl_window_open(&window, input, 0, UINT64_MAX, 1, reterr);

	if (status)
		return status;
	window.listener = &listener;
	status = read_rows(scanner, &window, reterr);
	jsonl_window_close(&window);
	return status;
}

enum ct_status jsonl_scan_read(
	struct jsonl_scan *scan, const struct input *input, struct ct_error *reterr)
{
	struct scanner scanner = {.scan = scan};
	enum ct_status status = CT_OK;

	arena_init(&scan->arena);
	if (!lists_begin(&scan->lists))
		status = ct_fail_memory(reterr);
	if (status == CT_OK)
		status = read_all(&scanner, input, reterr);
	if (status == CT_OK && scan->runs.count == 0)
		status = refuse(&scanner.counts, input->name, reterr);
	if (status == CT_OK && (!add_processes(scan) || !jsonl_counts_tell(&scanner.counts, scan)))
		status = ct_fail_memory(reterr);
	if (status == CT_OK) {
		set_tables(scan, &scanner.counts);
		scan->tables.is_damaged = is_damaged(&scanner.counts, input);
	}
	jsonl_tracker_fini(&scanner.tracker);
	map_fini(&scanner.run_of);
	vec_fini(&scanner.counts.gaps);
	return status;
}

void jsonl_scan_fini(struct jsonl_scan *scan)
{
	size_t i;

	for (i = 0; i < JSONL_RUNS_MAX; i++)
		map_fini(&scan->left[i]);
	vec_fini(&scan->runs);
	vec_fini(&scan->chunks);
	lists_fini(&scan->lists);
	jsonl_past_fini(&scan->past);
	arena_fini(&scan->arena);
}
