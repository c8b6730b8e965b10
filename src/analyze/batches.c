/* SPDX-License-Identifier: MIT */
/*
 * Batches: for each coroutine that starts others, the run in which it did so last, and in how many runs it did.
 */
#include <inttypes.h>

#include "analyze/batches.h"
#include "analyze/parts.h"

#define LEAST_BEFORE 2u /* batches that ended whole */
#define MEMBERS_TOLD 4u

struct of_coro {
	ct_time run; /* when the run began in which it started the last batch */
	uint32_t nr_batches;
	/* made by the survey, of the last batch: members of groups, and the first of them to wait */
	uint32_t nr_found;
	uint32_t first;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static bool look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	struct of_coro *of = model_watch_rare(watch, sight->by);
	ct_time run = watch->model->coros.at[sight->by].resumed;

	if (!sight->by || run == CT_NO_TIME || (of->nr_batches && of->run == run))
		return true;
	of->run = run;
	of->nr_batches++;
	return true;
}

const struct model_watcher analyze_batches_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.looks = {[MODEL_BEGIN] = look_at_begin},
};

/* ---------------------------------------------------------------- the survey */

static struct of_coro *record_of(const struct analysis *analysis, uint32_t coro)
{
	return model_watch_rare(analyze_watch_by(analysis, &analyze_batches_watcher), coro);
}

/* The coroutine that started this one in its last batch, and waits since; 0: none. */
static uint32_t starter_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *parent = &analysis->model->coros.at[coro->parent];
	const struct of_coro *of = record_of(analysis, coro->parent);

	return coro->parent && of->nr_batches > LEAST_BEFORE && coro->created != CT_NO_TIME &&
			       coro->created >= of->run && parent->state == CT_STATE_WAITING
		       ? coro->parent
		       : 0;
}

/* The coroutine that started all members of the group in its last batch; 0: there is no such one. */
static uint32_t starter_of_group(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *at = analyze_group_first(analysis, group);
	const struct model_coro *coros = analysis->model->coros.at;
	uint32_t starter = starter_of(analysis, &coros[at->coro]), i;

	for (i = 0; i < group->count; i++)
		if (!at[i].is_bare || at[i].grade != at->grade || at[i].rule != at->rule ||
			coros[at[i].coro].state != CT_STATE_WAITING ||
			starter_of(analysis, &coros[at[i].coro]) != starter)
			return 0;
	return starter;
}

static void count_members(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *at = analyze_group_first(analysis, group);
	const struct model_coro *coros = analysis->model->coros.at;
	struct of_coro *of = record_of(analysis, starter_of_group(analysis, group));
	uint32_t i;

	if (!starter_of_group(analysis, group))
		return;
	for (i = 0; i < group->count; i++) {
		of->nr_found++;
		if (!of->first || coros[at[i].coro].suspended < coros[of->first].suspended)
			of->first = at[i].coro;
	}
}

/* Has every one that `starter` has started ended, but for the members of groups, which are all of the last batch? */
static bool is_whole(const struct analysis *analysis, uint32_t starter)
{
	const struct of_coro *of = record_of(analysis, starter);
	uint64_t nr_living = 0, nr_of_batch = 0;
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		if (coro->parent != starter)
			continue;
		nr_living += coro->state < CT_STATE_DONE;
		nr_of_batch += coro->created != CT_NO_TIME && coro->created >= of->run;
	}
	return nr_living == of->nr_found && nr_of_batch == of->nr_found;
}

/* Does another group have the first of the batch to wait? */
static bool is_second(const struct analysis *analysis, const struct group *group)
{
	uint32_t starter = starter_of_group(analysis, group);
	const struct of_coro *of = record_of(analysis, starter);
	size_t i;

	if (!starter || analyze_group_has(analysis, group, of->first) ||
		!is_whole(analysis, starter))
		return false;
	for (i = 0; i < analysis->groups.count; i++) {
		const struct group *other = &analysis->groups.at[i];

		if (analyze_group_has(analysis, other, of->first))
			return analyze_group_first(analysis, other)->grade ==
			       analyze_group_first(analysis, group)->grade;
	}
	return false;
}

void analyze_batches_survey(struct analysis *analysis)
{
	size_t i;

	for (i = 0; i < analysis->groups.count; i++)
		count_members(analysis, &analysis->groups.at[i]);
	analyze_groups_fold(analysis, is_second);
}

/* ---------------------------------------------------------------- the evidence */

void analyze_batches_tell(struct analysis *analysis, const struct group *group, struct story *story)
{
	uint32_t starter = starter_of_group(analysis, group), nr_told = 0, i;
	const struct of_coro *of = record_of(analysis, starter);
	const char *words = "";

	if (!starter || of->nr_found <= group->count ||
		!analyze_group_has(analysis, group, of->first) || !is_whole(analysis, starter))
		return;
	for (i = 1; i < analysis->model->coros.count && nr_told < MEMBERS_TOLD; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[i];

		if (coro->parent != starter || coro->state >= CT_STATE_DONE ||
			analyze_group_has(analysis, group, i))
			continue;
		words = analyze_say(analysis, "%s%s%s, at %s", words, nr_told++ ? "; " : "",
			analyze_words_coro(analysis, coro),
			analyze_words_place(analysis, coro->wait_site));
		analyze_story_party(analysis, story, i, 0);
	}
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " started %" PRIu32
		" in one run, and all of them wait: one may have what another one waits for; all "
		"that it had started in %" PRIu32 " runs before have ended; the rest: %s",
		analysis->model->coros.at[starter].id, of->nr_found, of->nr_batches - 1, words);
}
