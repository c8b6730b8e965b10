/* SPDX-License-Identifier: MIT */
/*
 * Vain timers, of all threads of a process.
 */
#include <stdlib.h>

#include "analyze/parts.h"
#include "analyze/vain_timers.h"

#define MEMBERS 8u   /* more have too many times to tell chance from cause */
#define KEPT 64u     /* times that are looked at */
#define TOLERANCE 20 /* one part in so many */
#define LEAST_NS INT64_C(1000000)
#define MOST_EACH \
	2u /* for each member; a loop whose timers run out in vain all the time has one near any moment */

struct times {
	ct_time at[KEPT];
	bool is_taken[KEPT];
	uint32_t count;
};

/* Collects the times since `from`. */
static void collect(
	const struct analysis *analysis, uint32_t process, ct_time from, struct times *ret_times)
{
	const struct model *model = analysis->model;
	uint32_t i, k;

	*ret_times = (struct times){.count = 0};
	for (i = 1; i < model->nr_threads; i++) {
		const struct model_thread *thread = &model->threads[i];
		uint64_t nr = thread->nr_vain < MODEL_VAIN ? thread->nr_vain : MODEL_VAIN;

		if (thread->process != process)
			continue;
		for (k = 0; k < nr && ret_times->count < KEPT; k++)
			if (thread->vain[k] > from)
				ret_times->at[ret_times->count++] = thread->vain[k];
	}
}

/* Takes the time nearest to `from` plus `delay`, if it is near enough. Returns its delay; 0: there is none. */
static int64_t take(struct times *times, ct_time from, int64_t delay)
{
	uint32_t i, best = KEPT;
	int64_t error, least = delay / TOLERANCE + 1;

	for (i = 0; i < times->count; i++) {
		error = llabs(times->at[i] - from - delay);
		if (!times->is_taken[i] && error < least) {
			least = error;
			best = i;
		}
	}
	if (best == KEPT)
		return 0;
	times->is_taken[best] = true;
	return times->at[best] - from;
}

/* Does another timer run out about `delay` after each member's wait began? */
static bool fits(const struct analysis *analysis, const struct group *group, struct times times,
	int64_t delay, int64_t *ret_longest)
{
	uint32_t i;

	*ret_longest = 0;
	for (i = 0; i < group->count; i++) {
		int64_t taken =
			take(&times, analysis->candidates.at[group->first + i].since, delay);

		if (taken < LEAST_NS)
			return false;
		*ret_longest = taken > *ret_longest ? taken : *ret_longest;
	}
	return true;
}

/* The time after which timers ran out in vain for all members; 0: none. */
static int64_t delay_of(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct times times;
	int64_t longest;
	uint32_t i;

	collect(analysis, first->process, first->since, &times);
	if (times.count > MOST_EACH * group->count)
		return 0;
	for (i = 0; i < times.count; i++)
		if (fits(analysis, group, times, times.at[i] - first->since, &longest))
			return longest;
	return 0;
}

void analyze_vain_timers_tell(
	struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	int64_t delay;

	if (first->rule != CT_RULE_LOST_WAKEUP || group->count < 2 || group->count > MEMBERS ||
		analysis->model->coros.at[first->coro].state != CT_STATE_WAITING)
		return;
	delay = delay_of(analysis, group);
	if (delay)
		analyze_story_evidence(analysis, story,
			"a timer ran out at most %s after each of these waits began, and woke "
			"nobody: "
			"if it was a time-out of theirs, it has ended nothing",
			analyze_words_duration(analysis, delay));
}
