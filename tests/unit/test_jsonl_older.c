/* SPDX-License-Identifier: MIT */
/*
 * JSON lines as older engines wrote them: a probe writes the eight slots of a station in turn, and an engine looks at
 * each station's slots in their order now and then.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "base/io.h"
#include "jsonl/jsonl.h"
#include "base/text.h"
#include "write_output.h"
#include "opened.h"

#define FILE_NAME "older.jsonl"
#define START UINT64_C(1000000000000)
#define SECOND UINT64_C(1000000000)
#define NR_SLOTS 8u
#define NR_STATIONS 50u

struct slot {
	uint64_t ts;
	uint64_t tid;
	uint64_t seq;
	bool is_active;
};

struct station {
	uint64_t probe_id;
	uint64_t nr_events;
	struct slot slots[NR_SLOTS];
	uint64_t seen[NR_SLOTS]; /* numbers that the engine has read */
};

struct older {
	struct station stations[NR_STATIONS];
	struct text rows;
	uint64_t ts;
	uint64_t first_tid;
	bool probe_counts; /* else each slot has a sequence lock */
	bool only_even;    /* the engine takes odd numbers for a held lock */
};

static void write_event(struct older *older, struct station *station)
{
	uint64_t number = station->nr_events++;
	struct slot *slot = &station->slots[(number + older->probe_counts) % NR_SLOTS];

	slot->seq = older->probe_counts ? number + 1 : slot->seq + 2;
	slot->ts = older->ts += 1000;
	slot->tid = older->first_tid + station->probe_id % 3;
	slot->is_active = number % 2 == 1;
}

static void scan(struct older *older, struct station *station)
{
	struct slot *slot;
	unsigned i;

	for (i = 0; i < NR_SLOTS; i++) {
		slot = &station->slots[i];
		if (slot->seq == station->seen[i] || (older->only_even && slot->seq % 2))
			continue;
		station->seen[i] = slot->seq;
		text_format(&older->rows,
			"{\"probe_id\":%" PRIu64 ",\"tid\":%" PRIu64
			",\"addr\":\"0x%016x\",\"seq\":%" PRIu64 ",\"is_active\":%s,\"ts\":%" PRIu64
			"}\n",
			station->probe_id, slot->tid, slot->is_active ? 0 : 0x7000, slot->seq,
			slot->is_active ? "true" : "false", slot->ts);
	}
}

/* A program starts: the slots keep their content. */
static void begin_program(struct older *older, uint64_t first_id, uint64_t first_tid, uint64_t ts)
{
	unsigned i;

	for (i = 0; i < NR_STATIONS; i++) {
		older->stations[i].probe_id = first_id + i * (first_id > 65536 ? 512 : 1);
		older->stations[i].nr_events = 0;
		memset(older->stations[i].seen, 0, sizeof(older->stations[i].seen));
	}
	older->first_tid = first_tid;
	older->ts = ts;
}

/* Runs until each station has had this many events, 1 to `most` between two looks at it. */
static void run_program(struct older *older, unsigned nr_events, unsigned most)
{
	unsigned chance = 1, nr_done = 0, i, count;
	struct station *station;

	while (nr_done < NR_STATIONS) {
		for (i = nr_done = 0; i < NR_STATIONS; i++) {
			station = &older->stations[i];
			chance = chance * 1103515245u + 12345u;
			count = 1 + (chance >> 16) % most;
			while (count-- && station->nr_events < nr_events)
				write_event(older, station);
			scan(older, station);
			nr_done += station->nr_events >= nr_events;
		}
	}
}

static struct ct_source *open_rows(struct older *older)
{
	struct ct_source *source = NULL;
	struct ct_error error = {0};

	if (write_output(FILE_NAME, text_peek(&older->rows), older->rows.length, NULL) ||
		open_path(jsonl_source_open, FILE_NAME, &source, &error)) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return source;
}

static uint64_t sum_losses(const struct ct_source *source)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < source->tables->nr_losses; i++)
		sum += source->tables->losses[i].count;
	return sum;
}

static bool has_note(const struct ct_source *source, const char *piece)
{
	uint32_t i;

	for (i = 0; i < source->tables->nr_notes; i++) {
		if (strstr(source->tables->notes[i].text, piece))
			return true;
	}
	return false;
}

/* Counts suspends and resumes, in order of time; they alternate for each coroutine if none is missing. */
static uint64_t count_changes(struct ct_source *source, bool has_turns)
{
	const struct ct_event *event;
	uint8_t last[65536] = {0};
	ct_time before = INT64_MIN;
	uint64_t count = 0;

	source_reset(source, NULL);
	while (source_next(source, &event, NULL) == CT_OK) {
		CHECK(event->time >= before);
		before = event->time;
		if (event->kind == CTP_KIND_FRAME)
			continue;
		count++;
		if (has_turns)
			CHECK(last[event->coro % 65536] != event->kind);
		last[event->coro % 65536] = event->kind;
	}
	return count;
}

static void expect(struct older *older, uint32_t nr_runs, uint64_t nr_rows, uint64_t nr_impossible,
	uint64_t nr_lost)
{
	struct ct_source *source = open_rows(older);

	CHECK_EQUAL(source->tables->nr_processes, 1 + nr_runs);
	CHECK_EQUAL(source->tables->nr_impossible, nr_impossible);
	CHECK_EQUAL(sum_losses(source), nr_lost);
	CHECK_EQUAL(count_changes(source, nr_lost == 0), nr_rows);
	source_close(source);
	text_clear(&older->rows);
}

/* eight events share one number. */
static void test_blocks(void)
{
	static struct older older;
	struct ct_source *source;

	begin_program(&older, 1, 100, START);
	run_program(&older, 80, 1);
	expect(&older, 1, 4000, 0, 0);
	text_fini(&older.rows);
	older = (struct older){0};
	begin_program(&older, 0x7f0000001000, 100, START);
	run_program(&older, 80, 8);
	source = open_rows(&older);
	CHECK(has_note(source, "seq rises by two with each eight events of 50 coroutines"));
	source_close(source);
	expect(&older, 1, 4000, 0, 0);
	text_fini(&older.rows);
}

/* events that were overwritten before the engine looked are missing, except what the last numbers leave open. */
static void test_blocks_with_losses(void)
{
	static struct older older;
	struct ct_source *source;
	uint64_t nr_rows, nr_lost;

	begin_program(&older, 1, 100, START);
	run_program(&older, 1000, 20);
	source = open_rows(&older);
	nr_rows = count_changes(source, false);
	nr_lost = sum_losses(source);
	CHECK_EQUAL(source->tables->nr_processes, 2);
	CHECK_EQUAL(source->tables->nr_impossible, 0);
	CHECK(nr_lost > 10000);
	CHECK(nr_rows + nr_lost <= 50000 && nr_rows + nr_lost + NR_STATIONS * NR_SLOTS >= 50000);
	source_close(source);
	text_fini(&older.rows);
}

/* an engine for locks with a probe that counts reads every other row, all of one kind. */
static void test_every_other_row(void)
{
	static struct older older = {.probe_counts = true, .only_even = true};

	begin_program(&older, 1, 100, START);
	run_program(&older, 80, 8);
	expect(&older, 1, 2000, 0, 2000);
	text_fini(&older.rows);
}

/* an address that is reused again and again by coroutines with a few events each. */
static void test_addresses_anew(void)
{
	static struct older older;
	unsigned i;

	begin_program(&older, 0x7f0000001000, 100, START);
	for (i = 0; i < 100; i++) {
		struct station station = {.probe_id = 0x7f0000001000};
		unsigned count = 4 + i % 9;

		while (count--)
			write_event(&older, &station);
		scan(&older, &station);
		run_program(&older, 2 * i + 2, 8);
	}
	{
		struct ct_source *source = open_rows(&older);

		CHECK_EQUAL(source->tables->nr_processes, 2);
		CHECK(source->tables->nr_impossible * 50 < source->tables->nr_events);
		source_close(source);
	}
	text_fini(&older.rows);
}

/*
 * The next run's engine looks for the first time when half of the coroutines have written. Returns how many rows of the
 * previous run, whose threads have lower numbers, it reads again.
 */
static uint64_t find_residue(struct older *older, uint32_t first_tid)
{
	uint64_t nr_residue = 0;
	unsigned i, slot;

	for (i = 0; i < NR_STATIONS; i++) {
		if (i % 2)
			write_event(older, &older->stations[i]);
		scan(older, &older->stations[i]);
		for (slot = 0; slot < NR_SLOTS; slot++)
			nr_residue += older->stations[i].slots[slot].tid < first_tid;
	}
	return nr_residue;
}

/* the next run's engine reads the slots again, under its own ids. */
static void test_residue(uint64_t first_id, uint64_t second_id, bool probe_counts)
{
	static struct older older;
	uint64_t nr_residue;

	older = (struct older){.probe_counts = probe_counts};
	begin_program(&older, first_id, 100, START);
	run_program(&older, 80, 4);
	begin_program(&older, second_id, 500, older.ts + 2 * SECOND);
	nr_residue = find_residue(&older, 500);
	run_program(&older, 80, 4);
	expect(&older, 2, 8000, nr_residue, 0);
	text_fini(&older.rows);
}

/* ------------------------------------------------------------------ runs */

static uint64_t count_rows(const struct older *older)
{
	const char *at = text_peek(&older->rows);
	uint64_t count = 0;

	while ((at = strchr(at, '\n')) != NULL) {
		count++;
		at++;
	}
	return count;
}

/* Each run has its rows, except those left from the previous run. */
static void expect_runs(struct older *older, uint32_t nr_runs, uint64_t nr_residue)
{
	struct ct_source *source = open_rows(older);

	CHECK_EQUAL(source->tables->nr_processes, 1 + nr_runs);
	CHECK_EQUAL(source->tables->nr_impossible, nr_residue);
	CHECK_EQUAL(count_changes(source, false), count_rows(older) - nr_residue);
	source_close(source);
	text_fini(&older->rows);
}

static void empty_slots(struct older *older)
{
	unsigned i;

	for (i = 0; i < NR_STATIONS; i++)
		memset(older->stations[i].slots, 0, sizeof(older->stations[i].slots));
}

static void write_unread(struct older *older, unsigned nr_events)
{
	unsigned i;

	while (nr_events--)
		for (i = 0; i < NR_STATIONS; i++)
			write_event(older, &older->stations[i]);
}

/*
 * runs one second apart, each on threads of its own; each has lost its first rows, so its numbers begin anywhere.
 */
static void test_runs_that_lost(
	uint64_t first_id, uint64_t id_step, bool probe_counts, bool is_anew)
{
	static struct older older;
	unsigned run;

	older = (struct older){.probe_counts = probe_counts};
	for (run = 0; run < 3; run++) {
		begin_program(&older, first_id + run * id_step, 100 + run * 400,
			run ? older.ts + SECOND : START);
		if (is_anew)
			empty_slots(&older);
		write_unread(&older, 30 + run * 50);
		run_program(&older, 200, 4);
	}
	expect_runs(&older, 3, 0);
}

/*
 * a run's own engine did not read its last rows; the next run's engine finds them, later than everything that was
 * read.
 */
static void test_residue_unread(uint64_t first_id, uint64_t second_id, bool probe_counts)
{
	static struct older older;
	uint64_t nr_residue;

	older = (struct older){.probe_counts = probe_counts};
	begin_program(&older, first_id, 100, START);
	run_program(&older, 80, 4);
	write_unread(&older, 1);
	begin_program(&older, second_id, 500, older.ts + SECOND);
	nr_residue = find_residue(&older, 500);
	run_program(&older, 80, 4);
	expect_runs(&older, 2, nr_residue);
}

/* late rows of new coroutines right before the next run: they were never read before. */
static void test_last_scan(bool probe_counts)
{
	static struct older older;
	unsigned i;

	older = (struct older){.probe_counts = probe_counts};
	begin_program(&older, 0x7f0000001000, 100, START);
	for (i = NR_STATIONS / 2; i < NR_STATIONS; i++)
		write_event(&older, &older.stations[i]);
	write_unread(&older, 4);
	older.ts += SECOND / 100;
	for (i = 0; i < 5; i++)
		write_event(&older, &older.stations[i]);
	for (i = 0; i < NR_STATIONS; i++)
		scan(&older, &older.stations[i]);
	begin_program(&older, 0x7e0000001000, 500, older.ts + SECOND);
	empty_slots(&older);
	run_program(&older, 80, 4);
	expect_runs(&older, 2, 0);
}

/* after a pause a new thread writes first; earlier rows of older threads are read behind it. */
static void test_late_rows(void)
{
	static struct older older;
	unsigned i, number;

	older = (struct older){.probe_counts = false};
	begin_program(&older, 0x7f0000001000, 100, START);
	for (number = 0; number < 20; number++) {
		for (i = 0; i < 10; i++)
			write_event(&older, &older.stations[i]);
		for (i = 0; i < 10; i++)
			scan(&older, &older.stations[i]);
		/* The engine has not looked at these yet. */
		if (number == 10)
			for (i = 20; i < 43; i++)
				while (older.stations[i].nr_events < 4)
					write_event(&older, &older.stations[i]);
		older.ts += SECOND / 1000;
	}
	older.ts += SECOND;
	older.first_tid = 500;
	write_event(&older, &older.stations[15]);
	scan(&older, &older.stations[15]);
	for (i = 20; i < 43; i++)
		scan(&older, &older.stations[i]);
	run_program(&older, 80, 4);
	expect_runs(&older, 1, 0);
}

/* time goes back by more than a run has lasted, on threads with the same ids, as in containers. */
static void test_time_goes_back(void)
{
	static struct older older;

	older = (struct older){.probe_counts = false};
	begin_program(&older, 0x7f0000001000, 7, START);
	run_program(&older, 4000, 4);
	CHECK(older.ts - START > SECOND / 10);
	begin_program(&older, 0x7e0000001000, 7, START - SECOND);
	empty_slots(&older);
	run_program(&older, 80, 4);
	expect_runs(&older, 2, 0);
}

/* each wait ends on a thread of its own, which is never seen again; and no coroutine runs meanwhile. */
static void test_threads_once(bool probe_counts)
{
	static struct older older;
	unsigned i, number;

	older = (struct older){.probe_counts = probe_counts};
	begin_program(&older, 0x7f0000001000, 100, START);
	for (number = 0; number < 30; number++) {
		for (i = 0; i < 20; i++) {
			write_event(&older, &older.stations[i]);
			if (number)
				write_event(&older, &older.stations[i]);
			scan(&older, &older.stations[i]);
			older.first_tid += 3;
		}
		older.ts += SECOND;
	}
	expect_runs(&older, 1, 0);
}

int main(void)
{
	test_blocks();
	test_blocks_with_losses();
	test_every_other_row();
	test_addresses_anew();
	test_residue(0x7f0000001000, 0x7e0000001000, false);
	test_residue(0x7f0000001000, 0x7e0000001000, true);
	test_residue(0x7f0000001000, 0x7f0000001000, false);
	test_residue(1, 1, false);
	test_residue(1, 1, true);
	test_residue(1, 11, false);
	test_residue(1, 11, true);
	test_runs_that_lost(0x7f0000001000, 0x100000000, false, true);
	test_runs_that_lost(0x7f0000001000, 0x100000000, true, true);
	test_runs_that_lost(0x7f0000001000, 0, false, true);
	test_runs_that_lost(0x7f0000001000, 0, false, false);
	test_runs_that_lost(0x7f0000001000, 0, true, true);
	test_runs_that_lost(1, 0, false, true);
	test_runs_that_lost(1, 0, false, false);
	test_runs_that_lost(1, 0, true, true);
	test_residue_unread(0x7f0000001000, 0x7e0000001000, false);
	test_residue_unread(0x7f0000001000, 0x7e0000001000, true);
	test_residue_unread(1, 11, false);
	test_residue_unread(1, 11, true);
	test_last_scan(false);
	test_last_scan(true);
	test_late_rows();
	test_time_goes_back();
	test_threads_once(false);
	test_threads_once(true);
	unlink(FILE_NAME);
	return check_result();
}
