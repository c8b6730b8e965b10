/* SPDX-License-Identifier: MIT */
/*
 * Duplicate wakes: over half of the waits at one place are ended by more than one wake, each of which put the
 * coroutine into a queue. It is work for nothing at best, and a coroutine that is resumed twice at worst.
 *
 * Silent where the scheduler says that it found its target in the queue (it coalesces), where too few were woken to
 * tell, where events are missing, and where the coroutine is marked.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define WAKERS_TOLD 3u

/* How many waits at this place a wake has ended. */
static uint64_t nr_woken(const struct analysis *analysis, const struct model_repeat *repeat)
{
	const struct model_place_times *times;

	if (repeat->site >= analysis->tables->nr_sites)
		return 0;
	times = analysis->model->place_times[repeat->site];
	return times ? model_histogram(times->delays)->count : 0;
}

static const struct model_repeat_waker *most_often(const struct model_repeat *repeat)
{
	const struct model_repeat_waker *most = &repeat->wakers[0];
	unsigned i;

	for (i = 1; i < MODEL_REPEAT_WAKERS; i++)
		if (repeat->wakers[i].count > most->count)
			most = &repeat->wakers[i];
	return most;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_repeat *repeat = &analysis->model->repeats.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[repeat->coro];
	struct candidate candidate = {
		.rule = CT_RULE_DUPLICATE_WAKE,
		.grade = CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = repeat->coro,
		.descriptor = coro->descriptor,
		.wait_site = repeat->site,
		.cause_site = most_often(repeat)->site,
		.subject = index,
		.since = repeat->time,
	};

	if (!coro->mark &&
		analyze_party_is_at_work(analysis, coro->process, repeat->time, repeat->time) &&
		analyze_candidate_outlives_gaps(analysis, &candidate, FROM_THE_BEGINNING,
			analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 0; i < model->repeats.count; i++) {
		const struct model_repeat *repeat = &model->repeats.at[i];
		double share = (double)LIMIT(analysis, DUPLICATE_SHARE) / 100;
		uint64_t count = nr_woken(analysis, repeat);

		if (count >= (uint64_t)LIMIT(analysis, DUPLICATE_WAKES) &&
			(double)repeat->nr_waits > share * (double)count)
			judge(analysis, i);
	}
}

/* ---------------------------------------------------------------- telling it */

static int compare_wakers(const void *left, const void *right)
{
	const struct model_repeat_waker *a = left, *b = right;
	int order = (a->count < b->count) - (a->count > b->count);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static void tell_wakers(
	struct analysis *analysis, const struct model_repeat *repeat, struct story *story)
{
	struct model_repeat_waker wakers[MODEL_REPEAT_WAKERS];
	unsigned i;

	memcpy(wakers, repeat->wakers, sizeof(wakers));
	qsort(wakers, MODEL_REPEAT_WAKERS, sizeof(wakers[0]), compare_wakers);
	for (i = 0; i < WAKERS_TOLD && wakers[i].count; i++)
		analyze_story_evidence(analysis, story,
			analyze_say(analysis,
				"%" PRIu64 " of %" PRIu64 " further wakes came from %s",
				wakers[i].count, repeat->nr_wakes,
				analyze_words_place(analysis, wakers[i].site)));
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_repeat *repeat = &analysis->model->repeats.at[first->subject];
	struct story story = {0};
	struct ct_step step = {
		.time = repeat->time,
		.site = first->cause_site,
		.thread = repeat->thread,
		.sequence = repeat->event,
		.text = analyze_say(analysis,
			"coroutine %" PRIu64 ", for example, was woken once more before it ran",
			analysis->model->coros.at[repeat->coro].id),
	};

	finding->title = analyze_say(analysis,
		"coroutines that wait at %s are woken more than once: %" PRIu64 " of %" PRIu64
		" times",
		analyze_words_place(analysis, repeat->site), repeat->nr_waits,
		nr_woken(analysis, repeat));
	analyze_story_step(analysis, &story, &step);
	tell_wakers(analysis, repeat, &story);
	analyze_story_end(analysis, &story, finding);
}

const struct rule rules_duplicate_wake = {
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
