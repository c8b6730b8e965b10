/* SPDX-License-Identifier: MIT */
/*
 * Printing and reading are inverse: a random trace is printed, read, written to a trace file and printed again, and
 * nothing changes.
 */
#include <stdint.h>
#include <stdlib.h>

#include "made_trace.h"
#include "text_form.h"
#include "base/vec.h"

/* A trace made at random, as its tables and lines; texts live in `texts`. */
struct made {
	struct ct_tables tables;
	struct ct_process processes[4];
	struct ct_thread threads[6];
	struct ct_site sites[9];
	struct ct_stack stacks[9];
	struct ct_mapping mappings[4];
	struct ct_loss losses[4];
	struct ct_note notes[4];
	struct ct_sight sights[4];
	char texts[64][24];
	unsigned nr_texts;
};

static const char *random_text(struct made *made, uint64_t *state)
{
	char *text = made->texts[made->nr_texts++ % 64];
	size_t length = made_random(state) % 23, i;

	for (i = 0; i < length; i++) {
		uint8_t byte = (uint8_t)made_random(state);

		text[i] = (char)(byte ? byte : 'z');
	}
	text[length] = '\0';
	return text;
}

static const char *random_sentence(struct made *made, uint64_t *state)
{
	const char *text = random_text(made, state);

	return *text ? text : "a note";
}

/* In a file whose epoch is 0 a time of -1 ns is one that is not known (F-32). */
static ct_time random_time(uint64_t *state)
{
	ct_time time = (ct_time)(made_odd(state) >> 3) - (ct_time)(made_odd(state) >> 4);

	return time == -1 ? -2 : time;
}

static ct_time random_time_or_none(uint64_t *state)
{
	return made_random(state) % 4 ? random_time(state) : CT_NO_TIME;
}

static void make_processes(struct made *made, uint64_t *state)
{
	uint32_t i;

	made->tables.nr_processes = (uint32_t)(1 + made_random(state) % 4);
	for (i = 0; i < made->tables.nr_processes; i++)
		made->processes[i] = (struct ct_process){.pid = made_odd(state),
			.program = random_text(made, state),
			.command_line = random_text(made, state),
			.attached = random_time_or_none(state),
			.ended = random_time_or_none(state),
			.ending = (enum ct_ending)(made_random(state) % 4),
			.ending_value = (int)made_odd(state),
			.has_probe = made_random(state) % 2,
			.has_ledger = made_random(state) % 2,
			.was_killed_by_engine_user = made_random(state) % 2};
	made->tables.nr_threads = (uint32_t)(1 + made_random(state) % 6);
	for (i = 1; i < made->tables.nr_threads; i++)
		made->threads[i] = (struct ct_thread){
			.process = (uint32_t)(made_random(state) % made->tables.nr_processes),
			.tid = made_odd(state),
			.name = random_text(made, state)};
}

/* Each site has a call of its own, whose caller is an earlier site of the same process, or none. */
static void make_stacks(struct made *made, uint64_t *state)
{
	uint32_t i, caller;

	made->tables.nr_stacks = made->tables.nr_sites;
	for (i = 1; i < made->tables.nr_stacks; i++) {
		caller = (uint32_t)(made_random(state) % i);
		if (made->sites[caller].process != made->sites[i].process)
			caller = 0;
		made->stacks[i] = (struct ct_stack){.site = i, .caller = caller};
		made->sites[i].stack = made_random(state) % 2 ? i : caller;
	}
}

static void make_places(struct made *made, uint64_t *state)
{
	uint32_t i;

	made->tables.nr_sites = (uint32_t)(1 + made_random(state) % 9);
	for (i = 1; i < made->tables.nr_sites; i++)
		made->sites[i] = (struct ct_site){
			.process = (uint32_t)(made_random(state) % made->tables.nr_processes),
			.kind = (uint32_t)made_random(state) % 9,
			.form = (uint32_t)made_random(state) % 5,
			.line = (uint32_t)made_odd(state),
			.column = (uint32_t)made_odd(state),
			.file = random_text(made, state),
			.function = random_text(made, state),
			.reason = random_text(made, state),
			.module = random_text(made, state),
			.address = made_odd(state),
			.module_offset = made_odd(state),
			.callers = random_text(made, state)};
	make_stacks(made, state);
	made->tables.nr_mappings = (uint32_t)(1 + made_random(state) % 4);
	for (i = 1; i < made->tables.nr_mappings; i++)
		made->mappings[i] = (struct ct_mapping){
			.process = (uint32_t)(made_random(state) % made->tables.nr_processes),
			.start = made_odd(state),
			.end = made_odd(state),
			.offset = made_odd(state),
			.path = random_text(made, state),
			.build_id = random_text(made, state)};
	made->tables.nr_losses = (uint32_t)(made_random(state) % 4);
	for (i = 0; i < made->tables.nr_losses; i++)
		made->losses[i] = (struct ct_loss){
			.process = (uint32_t)(made_random(state) % made->tables.nr_processes),
			.thread = (uint32_t)(made_random(state) % made->tables.nr_threads),
			.coro = made_odd(state),
			.reason = (enum ctp_loss)(made_random(state) % 9),
			.count = made_odd(state),
			.first = random_time_or_none(state),
			.last = random_time_or_none(state)};
	made->tables.nr_notes = (uint32_t)(made_random(state) % 4);
	/* A note that says nothing is none. */
	for (i = 0; i < made->tables.nr_notes; i++)
		made->notes[i] = (struct ct_note){.text = random_sentence(made, state),
			.count = made_odd(state),
			.offset = made_random(state) % 2 ? made_odd(state) : CT_NO_OFFSET};
	made->tables.nr_sights = (uint32_t)(made_random(state) % 4);
	for (i = 0; i < made->tables.nr_sights; i++)
		made->sights[i] = (struct ct_sight){.text = random_sentence(made, state),
			.coro = made_odd(state),
			.begun = random_time_or_none(state),
			.ended = random_time_or_none(state)};
}

/* F-9: adds the loss of the open end, which a trace without END has once it went through a file. */
static void make_open_end(struct made *made)
{
	size_t i;

	if (made->tables.is_complete || made->tables.has_no_end)
		return;
	made->losses[made->tables.nr_losses++] = (struct ct_loss){
		.reason = CTP_LOSS_OPEN_END,
		.count = 1,
		.first = made->tables.observed_until + 1,
		.last = CT_NO_TIME,
	};
	for (i = 1; i < made->tables.nr_processes; i++) {
		struct ct_process *process = &made->processes[i];

		if (process->ended <= made->tables.observed_until)
			continue;
		process->ending = CT_ENDING_UNKNOWN;
		process->ended = CT_NO_TIME;
	}
}

static void make_tables(struct made *made, uint64_t *state)
{
	size_t i;

	memset(made, 0, sizeof(*made));
	make_processes(made, state);
	make_places(made, state);
	for (i = 0; i < 16; i++)
		made->tables.run_id[i] = (uint8_t)made_random(state);
	made->tables.host = random_text(made, state);
	made->tables.clock_skew_ns = (int64_t)(made_odd(state) >> 1);
	made->tables.epoch_realtime_ns = (int64_t)made_odd(state);
	made->tables.epoch_monotonic_ns = (int64_t)(made_odd(state) >> 1);
	made->tables.observed_from = random_time(state);
	made->tables.observed_until = made->tables.observed_from + (ct_time)(made_odd(state) >> 3);
	made->tables.is_complete = made_random(state) % 2;
	made->tables.has_no_end = made_random(state) % 2;
	made->tables.nr_impossible = made_odd(state);
	made->tables.is_from_memory = made_random(state) % 2;
	made->tables.first_generation = (uint32_t)(made_random(state) % 40);
	made->tables.nr_before = made->tables.first_generation > 1 ? 1 + (made_odd(state) >> 1) : 0;
	made->tables.nr_not_carried = made->tables.nr_before ? made_odd(state) : 0;
	made->tables.is_cut = made->tables.is_complete && made_random(state) % 2;
	made->tables.reason = random_text(made, state);
	made->tables.reason_time = *made->tables.reason ? random_time(state) : CT_NO_TIME;
	made->tables.processes = made->processes;
	made->tables.threads = made->threads;
	made->tables.sites = made->sites;
	made->tables.stacks = made->stacks;
	made->tables.mappings = made->mappings;
	made->tables.losses = made->losses;
	made->tables.notes = made->notes;
	made->tables.sights = made->sights;
	make_open_end(made);
}

static struct ct_event make_event(const struct made *made, uint64_t *state)
{
	struct ct_event event = {
		.time = made_random(state) % 2 ? (ct_time)(made_random(state) % 20)
					       : random_time(state),
		.coro = made_odd(state),
		.object = made_odd(state),
		.site = (uint32_t)(made_random(state) % made->tables.nr_sites),
		.kind = (uint8_t)(made_random(state) % 70),
		.argument = (uint8_t)(made_random(state) & made_random(state)),
		.flags = (uint16_t)(made_random(state) & made_random(state)),
		.thread = (uint32_t)(made_random(state) % made->tables.nr_threads),
	};

	event.process = event.thread ? made->threads[event.thread].process
				     : (uint32_t)(made_random(state) % made->tables.nr_processes);
	if (event.site && made->sites[event.site].process != event.process)
		event.site = 0;
	if (event.kind == CTP_KIND_LOST)
		event.coro = (uint64_t)random_time(state);
	return event;
}

/* Prints a source after its events went through a trace file. */
static struct text print_through_a_file(struct ct_source *source)
{
	struct ct_sink *sink = made_sink("assembled.ctrace");
	struct ct_error error = {0};
	struct ct_source *file;
	struct text text;

	if (textrace_to_sink(source, sink, &error)) {
		fprintf(stderr, "%s\n", error.text);
		check_failures++;
	}
	source_reset(source, NULL);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_OK);
	file = made_source("assembled.ctrace");
	text = print_all(file);
	source_close(file);
	return text;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether both texts have the same lines, in any order. */
static bool has_same_lines(const struct text *a, const struct text *b)
{
	VEC(char *) lines[2] = {0};
	char *copies[2] = {strdup(text_peek(a)), strdup(text_peek(b))}, *line, *state;
	bool is_same = true;
	size_t i;

	for (i = 0; i < 2; i++) {
		for (line = strtok_r(copies[i], "\n", &state); line;
			line = strtok_r(NULL, "\n", &state))
			is_same = vec_push(&lines[i], line) && is_same;
		qsort(lines[i].at, lines[i].count, sizeof(char *), compare_lines);
	}
	is_same = is_same && lines[0].count == lines[1].count;
	for (i = 0; is_same && i < lines[0].count; i++)
		is_same = strcmp(lines[0].at[i], lines[1].at[i]) == 0;
	for (i = 0; i < 2; i++) {
		vec_fini(&lines[i]);
		free(copies[i]);
	}
	return is_same;
}

/* A part of a recording begins with carried events, which tell the state before it. */
static bool choose_carried(const struct made *made, uint64_t *state, struct ct_event *event)
{
	if (made->tables.first_generation < 2 || made_random(state) % 3)
		return false;
	event->flags |= CT_FLAG_AFTER_GAP;
	return true;
}

/* F-38, F-39, F-64, F-68: print, read, print, and print, read, assemble, open, print, give the same text. */
static void test_nothing_changes(void)
{
	static struct made made;
	uint64_t state = 11;
	unsigned round, i;

	for (round = 0; round < 300; round++) {
		struct text first = {0}, second, third, fourth;
		struct ct_source *source;

		make_tables(&made, &state);
		textrace_print_tables(&first, &made.tables);
		for (i = 0; i < 60; i++) {
			struct ct_event event = make_event(&made, &state);
			bool is_carried = choose_carried(&made, &state, &event);

			textrace_print_event(&first, &made.tables, &event, is_carried);
			text_char(&first, '\n');
		}
		source = open_text(text_peek(&first));
		if (!source)
			return;
		second = print_all(source);
		third = print_through_a_file(source);
		source_close(source);
		source = open_text(text_peek(&second));
		fourth = print_all(source);
		source_close(source);
		CHECK(has_same_lines(&first, &second));
		CHECK(strcmp(text_peek(&second), text_peek(&third)) == 0);
		CHECK(strcmp(text_peek(&second), text_peek(&fourth)) == 0);
		text_fini(&first);
		text_fini(&second);
		text_fini(&third);
		text_fini(&fourth);
	}
}

int main(void)
{
	made_enter();
	test_nothing_changes();
	return check_result();
}
