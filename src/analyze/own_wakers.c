/* SPDX-License-Identifier: MIT */
/*
 * Wakers of their own (own_wakers.h): for each coroutine one place of its waits, and who ended them there.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/parts.h"
#include "analyze/own_wakers.h"
#include "analyze/watched_places.h"

#define LEAST_WAITS 3u /* fewer do not show a habit */
#define LEAST_PAIRS 3u

/* What the survey finds of a coroutine that has one of its own. */
struct pairing {
	bool is_known; /* at least three have one of their own there, and nobody shares this one's */
	bool do_others_bring; /* the one that another coroutine has of its own there lives */
};

struct of_coro {
	uint64_t by; /* the id of the coroutine that ended the first of these waits */
	uint32_t site;
	uint32_t count;
	bool is_mixed; /* somebody else ended one of them */
};

/* A place counts from its third wait on; until then the next place takes over. */
static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	uint64_t by = sight->by ? model->coros.at[sight->by].id : 0;

	if (!model_is_awaiting(coro) || !coro->wait_site)
		return true;
	if (of->site != coro->wait_site && of->count < LEAST_WAITS)
		*of = (struct of_coro){.by = by, .site = coro->wait_site};
	if (of->site != coro->wait_site)
		return true;
	of->is_mixed |= !by || of->by != by;
	of->count++;
	return true;
}

struct memory {
	struct pairing *pairings; /* by coroutine; in the scratch arena */
};

const struct model_watcher analyze_own_wakers_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_WAKE] = look_at_wake},
};

static struct memory *memory_of(const struct analysis *analysis)
{
	return analyze_watch_by(analysis, &analyze_own_wakers_watcher)->memory;
}

static const struct of_coro *record_of(const struct analysis *analysis, uint32_t coro)
{
	return analyze_watch_rare(
		analysis, &analyze_own_wakers_watcher, &analysis->model->coros.at[coro]);
}

/* Has that one ended? One that is not known any more has. */
static bool is_over(const struct analysis *analysis, uint32_t process, uint64_t by)
{
	uint32_t index = model_find(analysis->model, process, by);

	return !index || analysis->model->coros.at[index].state >= CT_STATE_DONE;
}

/* ---------------------------------------------------------------- the survey, once the whole trace was read */

/* A coroutine of which waits at its place were ended. */
struct waiter {
	uint32_t coro, process;
	const struct of_coro *of;
};

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* By process and place; those with the same waker beside each other. */
static int compare_waiters(const void *left, const void *right)
{
	const struct waiter *a = left, *b = right;
	int order = COMPARE(a->process, b->process);

	order = order ? order : COMPARE(a->of->site, b->of->site);
	return order ? order : COMPARE(a->of->by, b->of->by);
}

static bool share_place(const struct waiter *one, const struct waiter *other)
{
	return one->process == other->process && one->of->site == other->of->site;
}

/* The waiters of one place of one process. */
static void survey_place(
	const struct analysis *analysis, const struct waiter *at, size_t count, struct pairing *ret)
{
	uint32_t nr_pairs = 0, nr_living = 0;
	size_t i;

	for (i = 0; i < count; i++) {
		if (at[i].of->is_mixed)
			return;
		nr_pairs += at[i].of->count >= LEAST_WAITS;
		nr_living += at[i].of->count >= LEAST_WAITS &&
			     !is_over(analysis, at[i].process, at[i].of->by);
	}
	for (i = 0; i < count; i++)
		ret[at[i].coro] = (struct pairing){
			.is_known = nr_pairs >= LEAST_PAIRS &&
				    (i == 0 || at[i - 1].of->by != at[i].of->by) &&
				    (i + 1 == count || at[i + 1].of->by != at[i].of->by),
			.do_others_bring = nr_living > 0,
		};
}

void analyze_own_wakers_survey(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	size_t count = 0, from, until;
	struct waiter *waiters = analyze_scratch(analysis, model->coros.count, sizeof(*waiters));
	struct memory *memory = memory_of(analysis);
	uint32_t i;

	memory->pairings = analyze_scratch(analysis, model->coros.count, sizeof(*memory->pairings));
	if (!waiters || !memory->pairings)
		return;
	for (i = 1; i < model->coros.count; i++)
		if (record_of(analysis, i)->count)
			waiters[count++] = (struct waiter){
				i, model->coros.at[i].process, record_of(analysis, i)};
	qsort(waiters, count, sizeof(*waiters), compare_waiters);
	for (from = 0; from < count; from = until) {
		for (until = from + 1;
			until < count && share_place(&waiters[from], &waiters[until]); until++)
			;
		survey_place(analysis, &waiters[from], until - from, memory->pairings);
	}
}

/* ---------------------------------------------------------------- queries */

bool analyze_own_wakers_has_ended(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro);
	const struct of_coro *of = record_of(analysis, index);
	ct_time end = analysis->parties[coro->process].end;

	return memory_of(analysis)->pairings[index].is_known && of->site == coro->wait_site &&
	       of->count >= LEAST_WAITS && !of->is_mixed && coro->state == CT_STATE_WAITING &&
	       is_over(analysis, coro->process, of->by) &&
	       analyze_stillness_lasts(analysis, coro->process, coro->suspended) &&
	       !model_lost_between(analysis->model, coro->process, analysis->model->from, end) &&
	       analyze_party_is_at_work(analysis, coro->process, coro->suspended, end) &&
	       !analyze_ties_is_shutting_down(analysis, coro->process, end);
}

bool analyze_own_wakers_bring_others(const struct analysis *analysis, const struct model_coro *coro)
{
	return memory_of(analysis)->pairings[model_index(analysis->model, coro)].do_others_bring;
}

void analyze_own_wakers_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, model_index(analysis->model, coro));

	if (!analyze_own_wakers_has_ended(analysis, coro))
		return;
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " ended all %" PRIu32 " waits of coroutine %" PRIu64
		" there, and those of nobody else; that one %s, and each coroutine that waits "
		"there has one of its own",
		of->by, of->count, coro->id,
		analyze_words_how_ended(analysis, coro->process, of->by));
}
