/* SPDX-License-Identifier: MIT */
/*
 * Kept frames: a variant of leaks. Coroutines have come to their end, and were never destroyed, although the frame of
 * the one that started each is gone: what would have destroyed the child has most likely gone with that frame.
 *
 * Silent if any of those that were started at the same place was destroyed, because then somebody keeps them and lets
 * go of them later; if they became no more in each quarter of the time; if the starter was destroyed just before the
 * end; if the end is only presumed, or neither end is recorded; and if events are missing since the first ended.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define QUARTERS 4u
/* So many at least, of which each quarter of the time has at least a sixteenth. */
#define NR_KEPT 100u
#define LEAST_SHARE 16u

/* The coroutines of one spawn site. In the scratch arena. */
struct kept {
	uint32_t count;
	uint32_t nr_freed;
	uint32_t of[QUARTERS];
	ct_time first;
	ct_time last;
};

static const struct model_coro *starter_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return &analysis->model->coros.at[coro->parent];
}

static bool is_kept(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *starter = starter_of(analysis, coro);

	return coro->state == CT_STATE_DONE && !coro->is_presumed_done && !coro->is_half_told &&
	       coro->spawn_site && (coro->flags & MODEL_CORO_WAS_CREATED) && coro->parent &&
	       starter->state == CT_STATE_DESTROYED && starter->rare->destroy_event != UINT64_MAX &&
	       !(starter->flags & MODEL_CORO_WAS_REPLACED) &&
	       ct_time_between(coro->changed, starter->rare->destroyed) >= 0 &&
	       ct_time_between(starter->rare->destroyed, analysis->parties[coro->process].end) >
		       LIMIT(analysis, LEAK_TIME);
}

static void count(const struct analysis *analysis, struct kept *at)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		struct kept *kept = &at[coro->spawn_site];

		kept->nr_freed += coro->state == CT_STATE_DESTROYED;
		if (!is_kept(analysis, coro))
			continue;
		if (!kept->count++ || coro->changed < kept->first)
			kept->first = coro->changed;
		if (kept->count == 1 || coro->changed > kept->last)
			kept->last = coro->changed;
	}
}

static void divide(const struct analysis *analysis, struct kept *at)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		struct kept *kept = &at[coro->spawn_site];
		int64_t each = (kept->last - kept->first) / QUARTERS + 1;

		if (is_kept(analysis, coro))
			kept->of[(coro->changed - kept->first) / each]++;
	}
}

static bool are_more_and_more(
	const struct analysis *analysis, const struct kept *kept, uint32_t site)
{
	const struct model_place_times *times = model_times_at(analysis->model, site);
	uint32_t i;

	if (kept->count < NR_KEPT || kept->nr_freed || (times && times->nr_ended) ||
		kept->last - kept->first < 2 * LIMIT(analysis, LEAK_TIME))
		return false;
	for (i = 0; i < QUARTERS; i++)
		if (kept->of[i] * LEAST_SHARE < kept->count)
			return false;
	return true;
}

/* A lost event may have been the destruction of one of them. */
static bool is_any_lost(
	const struct analysis *analysis, const struct model_coro *coro, const struct kept *kept)
{
	return model_lost_between(analysis->model, coro->process, kept->first,
		       analysis->parties[coro->process].end) != 0;
}

void rules_kept_frames_find(struct analysis *analysis, uint8_t variant)
{
	const struct model *model = analysis->model;
	size_t nr_sites = analysis->tables->nr_sites + 1u;
	struct kept *at = analyze_scratch(analysis, nr_sites, sizeof(*at));
	uint32_t i;

	if (!at)
		return;
	count(analysis, at);
	divide(analysis, at);
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		struct candidate candidate = {
			.rule = CT_RULE_COROUTINE_LEAK,
			.grade = CT_GRADE_SUSPECT,
			.process = coro->process,
			.coro = i,
			.cause_site = coro->spawn_site,
			.variant = variant,
			.since = coro->changed,
		};

		if (is_kept(analysis, coro) &&
			are_more_and_more(analysis, &at[coro->spawn_site], coro->spawn_site) &&
			!is_any_lost(analysis, coro, &at[coro->spawn_site]))
			analyze_candidate_add(analysis, &candidate);
	}
}

static const char *words_function(struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_words_place(
		analysis, coro->rare->function_site ? coro->rare->function_site : coro->spawn_site);
}

void rules_kept_frames_describe(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const struct model_coro *starter = starter_of(analysis, coro);
	struct ct_step started = {
		.time = coro->created,
		.site = coro->spawn_site,
		.thread = coro->creator,
		.coro = starter->id,
		.sequence = UINT64_MAX,
		.text = analyze_say(
			analysis, "started coroutine %" PRIu64 ", the first of them", coro->id),
	};
	struct ct_step ended = {
		.time = coro->changed,
		.thread = coro->thread,
		.coro = coro->id,
		.sequence = UINT64_MAX,
		.text = "came to its end",
	};
	struct ct_step gone = {
		.time = starter->rare->destroyed,
		.site = starter->rare->destroy_site,
		.thread = starter->rare->destroy_thread,
		.coro = starter->rare->destroy_coro,
		.sequence = starter->rare->destroy_event,
		.text = analyze_say(analysis,
			"coroutine %" PRIu64 ", which had started it, was destroyed", starter->id),
	};
	struct ct_step since = {
		.time = CT_NO_TIME,
		.sequence = UINT64_MAX,
		.text = "nobody has destroyed any of them since",
	};

	finding->title = analyze_say(analysis,
		"%s coroutines of %s have come to their end, and were never destroyed, though "
		"those that started them are gone",
		analyze_words_number(analysis, group->count), words_function(analysis, coro));
	finding->next_step =
		"find what holds such a coroutine's handle, and why that does not destroy it";
	analyze_story_step(analysis, story, &started);
	analyze_story_step(analysis, story, &ended);
	analyze_story_step(analysis, story, &gone);
	analyze_story_step(analysis, story, &since);
	analyze_story_evidence(analysis, story,
		"none of those started at %s was ever destroyed; the frames of those that started "
		"them were, each after the end of its child",
		analyze_words_place(analysis, coro->spawn_site));
	finding->first_sequence = starter->rare->destroy_event;
	finding->last_sequence = starter->rare->destroy_event;
}
