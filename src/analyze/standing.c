/* SPDX-License-Identifier: MIT */
/*
 * The state of the observation as a whole, in a few words for every screen.
 */
#include <inttypes.h>

#include "analyze/parts.h"
#include "analyze/standing.h"
#include "analyze/stillness.h"
#include "analyze/waking_threads.h"
#include "base/system_calls.h"
#include "event/attaching.h"
#include "say/say.h"

#define THREADS_TOLD 2u

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

/* Is the thread in a wait as for another thread, a child or a pipe, and not in one for clients or signals? */
static bool is_call_of_hang(uint32_t call)
{
	return call == SYSTEM_CALL_futex || call == SYSTEM_CALL_read || call == SYSTEM_CALL_write ||
	       call == SYSTEM_CALL_wait4 || call == SYSTEM_CALL_waitid;
}

enum hanging {
	HANGING_NOT = 0,
	HANGING_HERE, /* seen in such a wait, without time-out, at each look since */
	HANGING_NONE, /* it computes, or serves, so that the process goes on */
};

static enum hanging is_hanging(const struct analysis *analysis, uint32_t index, ct_time since)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	if (thread_is_computing(thread))
		return HANGING_NONE;
	if (!thread_is_seen(thread) || thread->seen <= since || !thread->seen_untimed)
		return HANGING_NOT;
	if (!is_call_of_hang(thread->seen_system_call))
		return HANGING_NONE;
	return thread->nr_looks > 1 ? HANGING_HERE : HANGING_NOT;
}

bool analyze_standing_has_living(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++)
		if (model->coros.at[i].process == process &&
			model->coros.at[i].state < CT_STATE_DONE)
			return true;
	return false;
}

/*
 * What the threads wait in that hang: of one that was still to end a wait, that alone. "" if none hangs, or if the
 * process goes on.
 */
static const char *words_hanging(struct analysis *analysis, uint32_t process, ct_time since)
{
	const char *words = "", *owing = "";
	uint32_t count = 0, i;

	for (i = 1; i < analysis->model->nr_threads; i++) {
		enum hanging hanging = is_hanging(analysis, i, since);
		const char *one, *owed;

		if (analysis->model->threads[i].process != process)
			continue;
		if (hanging == HANGING_NONE)
			return "";
		if (hanging == HANGING_NOT)
			continue;
		owed = analyze_waking_threads_words(analysis, i);
		one = analyze_say(analysis, "%s is %s%s", analyze_words_thread(analysis, i),
			analyze_stillness_words_thread(analysis, i), owed);
		if (*owed)
			owing = one;
		if (count++ < THREADS_TOLD)
			words = analyze_say(analysis, "%s%s%s", words, count > 1 ? "; " : "", one);
	}
	return *owing ? owing : words;
}

/* May a client, a timer or another coroutine make the process go on? */
static bool may_go_on(const struct analysis *analysis, uint32_t process)
{
	const struct stillness *still = &analysis->stills[process];

	return still->outside_descriptor || still->clock_thread ||
	       analyze_standing_has_living(analysis, process);
}

/* A process that no coroutine keeps alive: something outside of them does. */
static bool tell_outlived(struct standings *standings, uint32_t process)
{
	struct analysis *analysis = standings->analysis;
	ct_time since = analysis->stills[process].moment;
	const char *words;

	if (analysis->model->processes[process].last_run == CT_NO_TIME ||
		!analyze_stillness_lasts(analysis, process, since) || may_go_on(analysis, process))
		return false;
	words = words_hanging(analysis, process, since);
	if (!*words)
		return false;
	add_words(standings, CT_STANDING_OUTLIVED, true,
		analyze_say(analysis,
			"process %" PRIu64 " lived on for %s after its last coroutine: %s",
			analysis->tables->processes[process].pid,
			analyze_words_duration(analysis, analysis->parties[process].end - since),
			words));
	return true;
}

void analyze_standing_export(struct analysis *analysis, struct ct_report *report)
{
	struct standings standings = {.analysis = analysis};
	uint32_t process;

	standings.at = analyze_array(analysis, CT_NR_STANDINGS, sizeof(*standings.at));
	if (!standings.at)
		return;
	tell_numbers(&standings, &report->quality);
	tell_file(&standings, report->tables);
	tell_pauses(&standings, analysis->model);
	tell_program(&standings);
	for (process = 1; !report->nr_findings && process < analysis->model->nr_processes;
		process++)
		if (tell_outlived(&standings, process))
			break;
	report->standings = standings.at;
	report->nr_standings = standings.count;
}
