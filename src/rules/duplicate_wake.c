/* SPDX-License-Identifier: MIT */
/*
 * Duplicate wakes: over half of the waits at one place are ended by more than one wake, each of which put the
 * coroutine into a queue. A duplicate wake wastes a scheduling round at best; at worst the coroutine is resumed
 * twice.
 *
 * The rule is silent if the scheduler reports that it found its target in the queue (it coalesces wakes), if too few
 * waits were ended by wakes, if events are missing, and if the coroutine is marked.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

#define WAKERS 8u
#define WAKERS_TOLD 3u

/*
 * For one place at which coroutines wait: wakes of coroutines that had been woken there already and had not run
 * since. A wake whose waker reports that it found its target in the queue does not count.
 */
struct repeat {
	uint32_t coro;     /* the last coroutine that was woken again */
	uint32_t waker;    /* the coroutine that woke it again; 0: a thread did */
	uint32_t thread;   /* the thread on which it was woken again */
	uint64_t event;    /* sequence number of that wake */
	ct_time time;      /* time of that wake */
	uint64_t nr_waits; /* waits that were ended by more than one wake */
	uint64_t nr_wakes; /* wakes beyond the first of a wait */
	/* The most frequent wakers. A new waker replaces the rarest one, and takes over its count. */
	struct repeat_waker {
		uint32_t site;
		uint64_t count;
	} wakers[WAKERS];
};

static const struct repeat *repeat_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_duplicate_wake), site);
}

/* A new waker takes over the count of the rarest one, so that no frequent waker is missed. */
static void count_waker(struct repeat *repeat, uint32_t site)
{
	struct repeat_waker *place = &repeat->wakers[0];
	unsigned i;

	for (i = 0; i < WAKERS; i++) {
		if (repeat->wakers[i].site == site && repeat->wakers[i].count) {
			place = &repeat->wakers[i];
			break;
		}
		if (repeat->wakers[i].count < place->count)
			place = &repeat->wakers[i];
	}
	place->site = site;
	place->count++;
}

static uint32_t waker_of(struct model *model, const struct ct_event *event)
{
	return event->coro ? model_find(model, event->process, event->coro)
			   : model->threads[event->thread].top;
}

static bool look_at_wake_again(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct ct_event *event = sight->event;
	struct repeat *repeat = model_watch_place(watch, coro->wait_site);

	if (!repeat)
		return true;
	repeat->nr_waits += !(coro->flags & MODEL_CORO_WAS_WOKEN_AGAIN);
	repeat->nr_wakes++;
	repeat->coro = sight->coro;
	repeat->waker = waker_of(watch->model, event);
	repeat->thread = event->thread;
	repeat->event = event->sequence;
	repeat->time = event->time;
	count_waker(repeat, event->site);
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct repeat *repeat = model_watch_place(watch, site);

		visit_coro(release, &repeat->coro, MODEL_MARK_WHOLE);
		visit_coro(release, &repeat->waker, MODEL_MARK_SELF);
	}
}

/* ---------------------------------------------------------------- the candidates */

/* How many waits at this place were ended by a wake. */
static uint64_t nr_woken(const struct analysis *analysis, uint32_t site)
{
	const struct model_place_times *times = model_times_at(analysis->model, site);

	return times ? model_histogram(times->delays)->count : 0;
}

static const struct repeat_waker *most_often(const struct repeat *repeat)
{
	const struct repeat_waker *most = &repeat->wakers[0];
	unsigned i;

	for (i = 1; i < WAKERS; i++)
		if (repeat->wakers[i].count > most->count)
			most = &repeat->wakers[i];
	return most;
}

static void judge(struct analysis *analysis, uint32_t site)
{
	const struct repeat *repeat = repeat_at(analysis, site);
	const struct model_coro *coro = &analysis->model->coros.at[repeat->coro];
	struct candidate candidate = {
		.rule = CT_RULE_DUPLICATE_WAKE,
		.grade = CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = repeat->coro,
		.descriptor = coro->rare->descriptor,
		.wait_site = site,
		.cause_site = most_often(repeat)->site,
		.subject = site,
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
	double share = (double)LIMIT(analysis, DUPLICATE_SHARE) / 100;
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++) {
		const struct repeat *repeat = repeat_at(analysis, site);
		uint64_t count = nr_woken(analysis, site);

		if (count >= (uint64_t)LIMIT(analysis, DUPLICATE_WAKES) &&
			(double)repeat->nr_waits > share * (double)count)
			judge(analysis, site);
	}
}

/* ---------------------------------------------------------------- the evidence */

static int compare_wakers(const void *left, const void *right)
{
	const struct repeat_waker *a = left, *b = right;
	int order = (a->count < b->count) - (a->count > b->count);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static void tell_wakers(struct analysis *analysis, const struct repeat *repeat, struct story *story)
{
	struct repeat_waker wakers[WAKERS];
	unsigned i;

	memcpy(wakers, repeat->wakers, sizeof(wakers));
	qsort(wakers, WAKERS, sizeof(wakers[0]), compare_wakers);
	for (i = 0; i < WAKERS_TOLD && wakers[i].count; i++)
		analyze_story_evidence(analysis, story, "%s of %s further wakes came from %s",
			analyze_words_number(analysis, wakers[i].count),
			analyze_words_number(analysis, repeat->nr_wakes),
			analyze_words_place(analysis, wakers[i].site));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct repeat *repeat = repeat_at(analysis, first->subject);
	struct ct_step step = {
		.time = repeat->time,
		.site = first->cause_site,
		.thread = repeat->thread,
		.coro = analysis->model->coros.at[repeat->waker].id,
		.sequence = repeat->event,
		.text = analyze_say(analysis,
			"coroutine %" PRIu64 ", for example, was woken once more before it ran",
			analysis->model->coros.at[repeat->coro].id),
	};

	finding->title = analyze_say(analysis,
		"coroutines that wait at %s are woken more than once: %s of %s times",
		analyze_words_place(analysis, first->subject),
		analyze_words_number(analysis, repeat->nr_waits),
		analyze_words_number(analysis, nr_woken(analysis, first->subject)));
	analyze_story_step(analysis, story, &step);
	tell_wakers(analysis, repeat, story);
}

const struct rule rules_duplicate_wake = {
	.watcher = {.nr_place_bytes = sizeof(struct repeat),
		.looks = {[MODEL_WAKE_AGAIN] = look_at_wake_again},
		.visit = visit},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
