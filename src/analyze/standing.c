/* SPDX-License-Identifier: MIT */
/*
 * The state of the observation as a whole, in a few words for every screen.
 */
#include "analyze/parts.h"
#include "analyze/standing.h"
#include "event/attaching.h"
#include "say/say.h"

struct standings {
	struct analysis *analysis;
	struct ct_standing *at; /* room for one of each kind */
	uint32_t count;
};

/* Takes the text. */
static const char *keep(struct analysis *analysis, struct text *text)
{
	const char *kept = analyze_say(analysis, "%s", text_peek(text));

	text_fini(text);
	return kept;
}

static void add(
	struct standings *standings, enum ct_standing_kind kind, bool is_doubt, struct text *text)
{
	standings->at[standings->count++] =
		(struct ct_standing){kind, is_doubt, keep(standings->analysis, text)};
}

static void add_count(
	struct standings *standings, enum ct_standing_kind kind, bool is_doubt, uint64_t count)
{
	struct text text = {0};

	say_standing_count(&text, kind, count);
	add(standings, kind, is_doubt, &text);
}

static void add_words(
	struct standings *standings, enum ct_standing_kind kind, bool is_doubt, const char *words)
{
	struct text text = {0};

	text_add(&text, words);
	add(standings, kind, is_doubt, &text);
}

/* ---------------------------------------------------------------- the standings */

static void tell_numbers(struct standings *standings, const struct ct_quality *quality)
{
	add_count(standings, CT_STANDING_EVENTS, false, quality->nr_events);
	add_count(standings, CT_STANDING_LOST, quality->nr_lost > 0, quality->nr_lost);
	if (quality->nr_left_out)
		add_count(standings, CT_STANDING_LEFT_OUT, false, quality->nr_left_out);
}

static void tell_file(struct standings *standings, const struct ct_tables *tables)
{
	struct text text = {0};

	if (tables->is_damaged)
		add_words(standings, CT_STANDING_DAMAGE, true, "the file is damaged");
	add_words(standings, CT_STANDING_END, say_lacks_its_end(tables), say_end(tables));
	if (!tables->nr_before)
		return;
	say_count(&text, tables->nr_before, "event lies before", "events lie before");
	add(standings, CT_STANDING_PART, false, &text);
}

static void tell_pauses(struct standings *standings, const struct model *model)
{
	const struct model_gap *last = NULL;
	struct text text = {0};
	uint32_t count = 0;
	size_t i;

	for (i = 0; i < model->gaps.count; i++) {
		if (model->gaps.at[i].reason != CTP_LOSS_PAUSED)
			continue;
		last = &model->gaps.at[i];
		count++;
	}
	if (!count)
		return;
	text_add(&text, "recording was stopped");
	if (count > 1)
		text_format(&text, " %u times", count);
	else if (last->first != CT_NO_TIME && last->last != CT_NO_TIME && last->last != INT64_MAX) {
		text_add(&text, " from ");
		say_time(&text, last->first);
		text_add(&text, " to ");
		say_time(&text, last->last);
	}
	add(standings, CT_STANDING_PAUSED, false, &text);
}

/* The traced program, if the trace has several processes. */
static void tell_program(struct standings *standings)
{
	const struct analysis *analysis = standings->analysis;
	uint32_t index = attaching_find_process(analysis->tables);
	const struct ct_process *process;
	struct text text = {0};

	if (!index)
		return;
	process = &analysis->tables->processes[index];
	if (analysis->model->processes[index].halted != CT_NO_TIME) {
		text_add(&text, "the program is stopped, since ");
		say_time(&text, analysis->model->processes[index].halted);
		add(standings, CT_STANDING_PROGRAM, true, &text);
		return;
	}
	if (process->ending == CT_ENDING_UNKNOWN)
		return;
	text_add(&text, "the program ");
	text_add(&text, process->ending == CT_ENDING_DETACHED ? "was " : "");
	say_ending(&text, process);
	add(standings, CT_STANDING_PROGRAM, false, &text);
}

void analyze_standing_export(struct analysis *analysis, struct ct_report *report)
{
	struct standings standings = {.analysis = analysis};

	standings.at = arena_array(analysis->arena, CT_NR_STANDINGS, sizeof(*standings.at));
	if (!standings.at) {
		analysis->is_broken = true;
		return;
	}
	tell_numbers(&standings, &report->quality);
	tell_file(&standings, report->tables);
	tell_pauses(&standings, analysis->model);
	tell_program(&standings);
	report->standings = standings.at;
	report->nr_standings = standings.count;
}
