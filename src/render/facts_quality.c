/* SPDX-License-Identifier: MIT */
/*
 * Words about the observation itself, which come before the findings, and words for a report without findings.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/facts.h"
#include "say/safe.h"
#include "say/say.h"

#define MAX_LOSSES 8u

/* A row about one kind of trouble and how often it occurred; no row if it never occurred. */
static void trouble(struct text *rows, uint64_t count, const char *one, const char *many)
{
	if (count == 0)
		return;
	render_facts_begin(rows, "doubt");
	say_count(rows, count, one, many);
	render_facts_end(rows);
}

/* A row for a trace that is only a part of a recording: what lies before it or behind it. */
static void part(struct text *rows, const struct ct_tables *tables)
{
	if (tables->first_generation < 2 && tables->nr_before == 0 && !tables->is_cut)
		return;
	render_facts_begin(rows, "part");
	if (tables->first_generation == tables->last_generation)
		text_format(rows, "a part of a recording, generation %" PRIu32 ": ",
			tables->first_generation);
	else
		text_format(rows, "a part of a recording, generations %" PRIu32 " to %" PRIu32 ": ",
			tables->first_generation, tables->last_generation);
	say_count(rows, tables->nr_before, "event lies before it", "events lie before it");
	if (tables->nr_carried) {
		text_add(rows, ", ");
		say_count(rows, tables->nr_carried, "event tells", "events tell");
		text_add(rows, " how things stood when it began");
	}
	if (tables->nr_not_carried) {
		text_add(rows, ", ");
		text_count(rows, tables->nr_not_carried);
		text_add(rows, " found no room there");
	}
	if (tables->is_cut)
		text_add(rows, "; the recording goes on after it, so its end is not the program's");
	render_facts_end(rows);
}

static void observation(struct text *rows, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;

	render_facts_begin(rows, "observed");
	say_span(rows, quality->observed_from, quality->observed_until);
	text_add(rows, ", from ");
	say_time(rows, quality->observed_from);
	text_add(rows, " to ");
	say_time(rows, quality->observed_until);
	if (report->tables->epoch_realtime_ns > 0) {
		text_add(rows, "; time 0 is ");
		say_wall_clock(rows, report->tables, 0);
	}
	render_facts_end(rows);
}

static const char *words_attached(const struct ct_process *process)
{
	if (process->has_probe && process->has_ledger)
		return "; probe and ledger attached";
	if (process->has_probe)
		return "; its probe attached, no descriptor ledger";
	return process->has_ledger ? "; no probe attached, only the descriptor ledger"
				   : "; nothing attached";
}

/* A process without a probe in which nothing is known to have gone wrong, such as a shell's tool. */
static bool is_quiet(const struct ct_process *process)
{
	return !process->has_probe && process->pid &&
	       (process->ending == CT_ENDING_UNKNOWN ||
		       (process->ending == CT_ENDING_EXITED && process->ending_value == 0));
}

static bool are_alike(const struct ct_process *one, const struct ct_process *other)
{
	return is_quiet(one) && is_quiet(other) && one->has_ledger == other->has_ledger &&
	       strcmp(one->program, other->program) == 0;
}

/*
 * The number of processes, without the first one of the trace, that are like this one, including itself; 0: an earlier
 * process is like it.
 */
static uint32_t count_alike(const struct ct_tables *tables, uint32_t index)
{
	uint32_t count = 1, i;

	for (i = 2; index > 1 && i < tables->nr_processes; i++) {
		if (i == index || !are_alike(&tables->processes[index], &tables->processes[i]))
			continue;
		if (i < index)
			return 0;
		count++;
	}
	return count;
}

static void tell_process(
	struct text *rows, const struct ct_tables *tables, uint32_t index, uint32_t nr_alike)
{
	const struct ct_process *process = &tables->processes[index];

	render_facts_begin(rows, "program");
	say_program(rows, process);
	if (nr_alike > 1) {
		text_format(rows, " and %" PRIu32 " more of it%s", nr_alike - 1,
			words_attached(process));
		render_facts_end(rows);
		return;
	}
	text_add(rows, ": ");
	say_ending(rows, process);
	if (process->ended != CT_NO_TIME) {
		text_add(rows, process->ending == CT_ENDING_UNKNOWN ? "; last seen at " : ", at ");
		say_time(rows, process->ended);
	}
	/*
	 * A form without the ends of processes does not say whether the ledger attached either; Go's form attaches
	 * nothing.
	 */
	if (!tables->has_no_end && process->pid)
		text_add(rows, words_attached(process));
	render_facts_end(rows);
}

static void processes(struct text *rows, const struct ct_tables *tables)
{
	uint32_t nr_told = 0, nr_alike, i;

	for (i = 1; i < tables->nr_processes && nr_told < FACTS_MAX_LIST; i++) {
		nr_alike = count_alike(tables, i);
		if (!nr_alike)
			continue;
		tell_process(rows, tables, i, nr_alike);
		nr_told++;
	}
	if (i < tables->nr_processes)
		render_facts_row(
			rows, "program", "... and %" PRIu32 " more", tables->nr_processes - i);
}

/* The run's id and its host; a trace written by hand has neither. */
static void origin(struct text *rows, const struct ct_tables *tables)
{
	static const uint8_t none[sizeof(tables->run_id)];
	size_t i;

	if (memcmp(tables->run_id, none, sizeof(none)) != 0) {
		text_add(rows, "; run ");
		for (i = 0; i < sizeof(tables->run_id); i++)
			text_format(rows, "%02x", tables->run_id[i]);
	}
	if (*tables->host) {
		text_add(rows, " on ");
		say_safe(rows, tables->host);
	}
}

/* A flight recorder writes when it is asked to; this row says what asked. */
static void reason(struct text *rows, const struct ct_tables *tables)
{
	if (!tables->reason || !*tables->reason)
		return;
	render_facts_begin(rows, "written");
	text_add(rows, "at ");
	say_time(rows, tables->reason_time);
	text_add(rows, ", since ");
	say_safe(rows, tables->reason);
	render_facts_end(rows);
}

static void counts(struct text *rows, const struct ct_quality *quality)
{
	say_standing_count(rows, CT_STANDING_EVENTS, quality->nr_events);
	text_add(rows, ", ");
	say_standing_count(rows, CT_STANDING_LOST, quality->nr_lost);
	if (!quality->nr_left_out)
		return;
	text_add(rows, ", ");
	say_standing_count(rows, CT_STANDING_LEFT_OUT, quality->nr_left_out);
}

static void trace(struct text *rows, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;

	render_facts_begin(rows, "trace");
	counts(rows, &report->quality);
	text_format(rows, ", %s", say_end(tables));
	origin(rows, tables);
	render_facts_end(rows);
}

void render_facts_clock(struct text *rows, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;

	say_safe(rows, *tables->clock ? tables->clock : "not known");
	if (tables->clock_hz >= 1e9)
		text_format(rows, " at %.2f GHz", tables->clock_hz / 1e9);
	else if (tables->clock_hz > 0)
		text_format(rows, " at %.1f MHz", tables->clock_hz / 1e6);
	text_add(rows, !tables->clock_skew_ns                 ? ", no skew seen"
		       : strcmp(tables->clock, "coarse") == 0 ? ", in steps of up to "
							      : ", readings disagree by up to ");
	if (tables->clock_skew_ns)
		text_duration(rows, tables->clock_skew_ns);
	/* Within one step of a coarse clock, the order of time-stamps says nothing about the cores. */
	if (report->quality.reordered_ns && strcmp(tables->clock, "coarse") != 0) {
		text_add(rows, ", time-stamps lie before their events by up to ");
		text_duration(rows, report->quality.reordered_ns);
	}
}

static void clocks(struct text *rows, const struct ct_report *report)
{
	render_facts_begin(rows, "clock");
	render_facts_clock(rows, report);
	render_facts_end(rows);
}

/* Coroutines that were destroyed before they had returned. */
static void destroyed(struct text *rows, const struct ct_quality *quality)
{
	const char *separator = " (";

	if (quality->nr_destroyed_waiting) {
		text_add(rows, separator);
		text_count(rows, quality->nr_destroyed_waiting);
		text_add(rows, " while suspended");
		separator = ", ";
	}
	if (quality->nr_destroyed_woken) {
		text_add(rows, separator);
		text_count(rows, quality->nr_destroyed_woken);
		text_add(rows, " when woken");
	}
	if (quality->nr_destroyed_waiting || quality->nr_destroyed_woken)
		text_add(rows, ")");
}

static void count_state(
	struct text *rows, const char **separator, uint64_t nr_coros, const char *name)
{
	if (nr_coros == 0)
		return;
	text_add(rows, *separator);
	text_count(rows, nr_coros);
	text_format(rows, " %s", name);
	*separator = ", ";
}

static void states(struct text *rows, const struct ct_quality *quality)
{
	const char *separator = ": ";
	uint64_t nr_coros;
	unsigned state;

	say_count(rows, quality->nr_coros, "coroutine", "coroutines");
	for (state = 0; state <= CT_STATE_DESTROYED; state++) {
		nr_coros = quality->nr_by_state[state];
		if (state == CT_STATE_WAITING)
			nr_coros -= quality->nr_yielding;
		count_state(rows, &separator, nr_coros, render_state((enum ct_state)state));
		if (state == CT_STATE_WAITING)
			count_state(rows, &separator, quality->nr_yielding, "at a yield");
	}
	destroyed(rows, quality);
	if (quality->nr_of_runtime) {
		text_add(rows, "; besides ");
		text_count(rows, quality->nr_of_runtime);
		text_add(rows, " of the runtime's own");
	}
}

static void coroutines(struct text *rows, const struct ct_quality *quality)
{
	render_facts_begin(rows, "at the end");
	states(rows, quality);
	render_facts_end(rows);
	if (quality->nr_frames_reused == 0)
		return;
	render_facts_begin(rows, "addresses");
	say_count(rows, quality->nr_frames_reused, "frame's address", "frames' addresses");
	text_add(rows, " served more than one coroutine; each counts as one of its own");
	render_facts_end(rows);
}

static int by_count(const void *left, const void *right)
{
	uint64_t a = ((const struct ct_loss *)left)->count;
	uint64_t b = ((const struct ct_loss *)right)->count;

	return a < b ? 1 : a > b ? -1 : 0;
}

static int by_place(const void *left, const void *right)
{
	const struct ct_loss *a = left, *b = right;

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->coro != b->coro)
		return a->coro < b->coro ? -1 : 1;
	if (a->coro && a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return a->reason < b->reason ? -1 : a->reason > b->reason ? 1 : 0;
}

/*
 * Merges losses that have the same thread, coroutine and reason; the largest come first. Returns the number that is
 * left.
 */
static uint32_t merge_losses(struct ct_loss *losses, uint32_t nr_losses)
{
	uint32_t kept = 0, i;

	qsort(losses, nr_losses, sizeof(*losses), by_place);
	for (i = 1; i < nr_losses; i++) {
		if (by_place(&losses[kept], &losses[i]) != 0) {
			losses[++kept] = losses[i];
			continue;
		}
		losses[kept].count += losses[i].count;
		if (losses[i].first < losses[kept].first)
			losses[kept].first = losses[i].first;
		if (losses[i].last > losses[kept].last)
			losses[kept].last = losses[i].last;
	}
	qsort(losses, kept + 1, sizeof(*losses), by_count);
	return kept + 1;
}

/* A loss at the beginning or end of the recording, whose number of events is unknown. */
static void one_side(struct text *rows, const struct ct_loss *loss)
{
	bool is_before = loss->reason == CTP_LOSS_BEFORE;

	render_facts_begin(rows, is_before ? "not seen" : "not known");
	if (is_before) {
		text_add(rows, "what the program did before ");
		say_time(rows, loss->last);
		text_add(rows, ": recording began while it ran");
	} else {
		text_add(rows, "what was to be written ");
		text_add(rows, loss->first == CT_NO_TIME ? "after what is here" : "of ");
		if (loss->first != CT_NO_TIME) {
			say_time(rows, loss->first);
			text_add(rows, " and later");
		}
		text_add(rows, ": the engine was ended, or still writes");
	}
	render_facts_end(rows);
}

/* "between 1 s and 2 s", as far as the times are known. */
static void when_lost(struct text *rows, const struct ct_loss *loss)
{
	bool has_first = loss->first != CT_NO_TIME, has_last = loss->last != CT_NO_TIME;

	if (!has_first && !has_last) {
		text_add(rows, "when is not known");
		return;
	}
	text_add(rows, has_first && has_last ? "between " : has_first ? "behind " : "before ");
	say_time(rows, has_first ? loss->first : loss->last);
	if (!has_first || !has_last)
		return;
	text_add(rows, " and ");
	say_time(rows, loss->last);
}

/* The trace has these events; a report made with more memory would have them, too. */
static void no_room(struct text *rows, const struct ct_loss *loss)
{
	render_facts_begin(rows, "no room");
	say_count(rows, loss->count, "event", "events");
	text_add(rows, " of further coroutines are in the trace, and not in this report: there "
		       "was no memory for them (more with '--memory'), ");
	when_lost(rows, loss);
	render_facts_end(rows);
}

static void one_loss(struct text *rows, const struct ct_tables *tables, const struct ct_loss *loss)
{
	bool was_asked = ct_loss_was_asked(loss->reason);

	if (loss->reason == CTP_LOSS_BEFORE || loss->reason == CTP_LOSS_OPEN_END) {
		one_side(rows, loss);
		return;
	}
	if (loss->reason == CTP_LOSS_NO_ROOM) {
		no_room(rows, loss);
		return;
	}
	render_facts_begin(rows, was_asked ? "left out" : "lost");
	say_count(rows, loss->count, "event", "events");
	text_add(rows, " of ");
	if (loss->coro)
		text_format(rows, "coroutine %" PRIu64, loss->coro);
	else if (was_asked && !loss->thread)
		text_add(rows, "all threads");
	else
		say_thread(rows, tables, loss->thread);
	if (loss->coro && tables->nr_processes > 2) {
		text_add(rows, " of ");
		say_program(rows, &tables->processes[loss->process]);
	}
	text_format(rows, " (%s), ", ct_loss_name(loss->reason));
	when_lost(rows, loss);
	render_facts_end(rows);
}

static void losses(struct text *rows, const struct ct_report *report)
{
	uint32_t nr_losses = report->quality.nr_losses, i;
	struct ct_loss *merged;

	if (nr_losses == 0)
		return;
	merged = calloc(nr_losses, sizeof(*merged));
	if (!merged) {
		rows->is_broken = true;
		return;
	}
	memcpy(merged, report->quality.losses, nr_losses * sizeof(*merged));
	nr_losses = merge_losses(merged, nr_losses);
	for (i = 0; i < nr_losses && i < MAX_LOSSES; i++)
		one_loss(rows, report->tables, &merged[i]);
	if (nr_losses > MAX_LOSSES)
		render_facts_row(rows, "lost", "... on %" PRIu32 " more threads or coroutines",
			nr_losses - MAX_LOSSES);
	free(merged);
}

static void notes(struct text *rows, const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 0; i < tables->nr_notes && i < FACTS_MAX_LIST; i++) {
		render_facts_begin(rows, "doubt");
		say_safe(rows, tables->notes[i].text);
		if (tables->notes[i].count > 1)
			text_format(rows, " (%" PRIu64 " times)", tables->notes[i].count);
		render_facts_end(rows);
	}
}

void render_facts_doubts(struct text *rows, const struct ct_report *report)
{
	if (!report->tables->has_no_end)
		notes(rows, report->tables);
#define X(field, name, one, many) trouble(rows, report->field, one, many);
#include "corotracer/def/doubts.def"
}

static void remarks(struct text *rows, const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->nr_remarks && i < FACTS_MAX_LIST; i++) {
		render_facts_safe(rows, "note", report->remarks[i]);
	}
}

/* What the kernel reports about a process that still runs: a row for each thread. */
static void look(struct text *rows, const struct ct_live *live)
{
	uint32_t i;

	if (!live->pid)
		return;
	render_facts_begin(rows, "kernel asked");
	text_format(rows, "of process %" PRIu64 ": %s%s%s", live->pid, live->known,
		*live->trouble ? "; " : "", live->trouble);
	render_facts_end(rows);
	for (i = 0; i < live->nr_looks && i < FACTS_MAX_LIST; i++) {
		render_facts_safe(rows, "", live->looks[i].text);
	}
	if (i == live->nr_looks)
		return;
	render_facts_row(rows, "", "and %" PRIu32 " more threads", live->nr_looks - i);
}

void render_facts_warnings(struct text *rows, const struct ct_report *report)
{
	if (report->quality.nr_lost || report->quality.nr_left_out ||
		!(report->tables->is_complete || report->tables->has_no_end))
		trace(rows, report);
	losses(rows, report);
	render_facts_doubts(rows, report);
	remarks(rows, report);
}

void render_facts_quality(struct text *rows, const struct ct_report *report)
{
	/* Without an end of observation, the following rows do not have their usual meaning. */
	if (report->tables->has_no_end)
		notes(rows, report->tables);
	part(rows, report->tables);
	processes(rows, report->tables);
	observation(rows, report);
	reason(rows, report->tables);
	trace(rows, report);
	clocks(rows, report);
	losses(rows, report);
	coroutines(rows, &report->quality);
	look(rows, &report->live);
	render_facts_doubts(rows, report);
	remarks(rows, report);
	if (report->quality.has_lower_grades)
		render_facts_row(
			rows, "therefore", "findings that depend on this have a lower grade");
}

void render_facts_sights(struct text *rows, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;
	uint32_t i, count = 0, nr_with_coroutine = 0;

	for (i = 0; i < tables->nr_sights; i++) {
		if (tables->sights[i].coro) {
			nr_with_coroutine++;
			continue;
		}
		if (count++ < FACTS_MAX_LIST)
			render_facts_safe(rows, "seen", tables->sights[i].text);
	}
	if (count > FACTS_MAX_LIST)
		render_facts_row(rows, "", "and %" PRIu32 " more", count - FACTS_MAX_LIST);
	if (count && nr_with_coroutine)
		render_facts_row(rows, "",
			"what was in variables stands with each coroutine: "
			"'corotracer why' tells it");
}

void render_facts_headline(struct text *rows, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;

	if (tables->nr_processes > 1) {
		say_program(rows, &tables->processes[1]);
		if (tables->nr_processes > 2)
			text_format(rows, " and %" PRIu32 " more", tables->nr_processes - 2);
		text_add(rows, ", ");
	}
	text_add(rows, "observed for ");
	say_span(rows, report->quality.observed_from, report->quality.observed_until);
	text_add(rows, ", ");
	counts(rows, &report->quality);
}
