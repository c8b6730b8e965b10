/* SPDX-License-Identifier: MIT */
/*
 * Ready while every worker slept, and run late (slept_late.h).
 */
#include <inttypes.h>

#include "analyze/telling.h"
#include "rules/parts.h"
#include "rules/slept_late.h"

/* ---------------------------------------------------------------- the watcher */

/* Did the worker sleep from `since` on, until just before `until`, which is now? One that has ended does not count. */
static bool slept_through(const struct model *model, uint32_t worker, ct_time since, ct_time until)
{
	const struct model_thread *thread = &model->threads[worker];

	if (thread->stopped != CT_NO_TIME)
		return true;
	return thread->idle_began != CT_NO_TIME && thread->idle_began <= since &&
	       (thread->idle_from != CT_NO_TIME || thread->left >= until - (until - since) / 10);
}

bool rules_slept_late_look(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	const struct model_process *process = &model->processes[coro->process];
	struct slept_late *late = model_watch_place(watch, sight->site);
	ct_time since = sight->until - sight->ns;
	size_t i;

	for (i = 0; i < process->workers.count; i++)
		if (model_is_sure_worker(model, process->workers.at[i]) &&
			!slept_through(model, process->workers.at[i], since, sight->until))
			return true;
	if (!late || coro->mark || coro->is_queue_private)
		return true;
	late->count++;
	late->total_ns += sight->ns;
	if (sight->ns <= late->until - late->since)
		return true;
	late->coro = sight->coro;
	late->wake = model_wake_ready(coro);
	late->since = since;
	late->until = sight->until;
	return true;
}

void rules_slept_late_visit(
	struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct slept_late *late = model_watch_place(watch, site);

		visit_coro(release, &late->coro, MODEL_MARK_WHOLE);
		visit_coro(release, &late->wake.coro, MODEL_MARK_SELF);
	}
}

static const struct slept_late *late_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_missed_wake), site);
}

/* ---------------------------------------------------------------- the judgement */

#define LATE_LEAST 3u
#define LATE_STARVED \
	4 /* a thread that had no processor for a quarter of the time may have been awake */

/* Did no worker wait for a processor for a part of that time? False: one did, or it is not known. */
static bool had_processors(
	const struct analysis *analysis, uint32_t process, ct_time from, ct_time until)
{
	const struct model_process *of = &analysis->model->processes[process];
	struct model_account account;
	size_t i;

	for (i = 0; i < of->workers.count; i++) {
		uint32_t worker = of->workers.at[i];

		if (!model_is_sure_worker(analysis->model, worker) ||
			analysis->model->threads[worker].stopped != CT_NO_TIME)
			continue;
		if (!model_account_between(analysis->model, worker, from, until, &account) ||
			(int64_t)account.waited_ns > (until - from) / LATE_STARVED)
			return false;
	}
	return true;
}

/* All that wakes at one place led to; `coro`, `since` and `until` are of the longest time. */
static struct slept_late sum_of(const struct analysis *analysis, const struct slept_late *late)
{
	uint32_t process = analysis->model->coros.at[late->coro].process, site;
	struct slept_late sum = {0};

	for (site = 0; site < analysis->tables->nr_sites; site++) {
		const struct slept_late *at = late_at(analysis, site);
		int64_t longest_ns = sum.until - sum.since;

		if (!at->coro || at->wake.site != late->wake.site ||
			analysis->model->coros.at[at->coro].process != process)
			continue;
		sum.count += at->count;
		sum.total_ns += at->total_ns;
		if (at->until - at->since <= longest_ns)
			continue;
		sum.coro = at->coro;
		sum.since = at->since;
		sum.until = at->until;
	}
	return sum;
}

static void judge(struct analysis *analysis, uint32_t site, unsigned variant)
{
	const struct slept_late *late = late_at(analysis, site);
	const struct model_coro *coro = &analysis->model->coros.at[late->coro];
	struct slept_late sum = late->coro ? sum_of(analysis, late) : *late;
	struct candidate candidate = {
		.rule = CT_RULE_MISSED_WAKE,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = late->coro,
		.wait_site = site,
		.cause_site = late->wake.site,
		.variant = variant,
		.since = late->since,
		.until = late->until,
	};

	/* The place with the longest time stands for all to which these wakes led. */
	if (!late->coro || sum.coro != late->coro || sum.count < LATE_LEAST ||
		!analyze_telling_is_by_scheduler(analysis, coro) ||
		!analyze_party_is_at_work(analysis, coro->process, late->since, late->until) ||
		model_lost_between(analysis->model, coro->process, late->since, late->until) ||
		!had_processors(analysis, coro->process, late->since, late->until))
		return;
	analyze_candidate_add(analysis, &candidate);
}

void rules_slept_late_find(struct analysis *analysis, unsigned variant)
{
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++)
		judge(analysis, site, variant);
}

/* ---------------------------------------------------------------- the story */

static const char *words_title(struct analysis *analysis, const struct candidate *first)
{
	struct slept_late sum = sum_of(analysis, late_at(analysis, first->wait_site));

	return analyze_say(analysis,
		"%s was ready for %s, and every worker slept meanwhile; so %s times, for %s "
		"together, after wakes at %s",
		analyze_words_coro(analysis, &analysis->model->coros.at[first->coro]),
		analyze_words_duration(analysis, first->until - first->since),
		analyze_words_number(analysis, sum.count),
		analyze_words_duration(analysis, sum.total_ns),
		analyze_words_place(analysis, first->cause_site));
}

/* The coroutine may have gone on since: only that time is told. */
void rules_slept_late_describe(struct analysis *analysis, const struct candidate *first,
	struct story *story, struct ct_finding *finding)
{
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct ct_step ran = {
		.time = first->until,
		.coro = coro->id,
		.sequence = UINT64_MAX,
		.text = "ran at last",
	};

	finding->title = words_title(analysis, first);
	finding->last_sequence = coro->last_event;
	analyze_story_wake(analysis, story, &late_at(analysis, first->wait_site)->wake,
		analyze_say(analysis, "made coroutine %" PRIu64 " ready, while every worker slept",
			coro->id));
	analyze_story_step(analysis, story, &ran);
	analyze_story_evidence(analysis, story,
		"by the kernel's account no worker waited for a processor for a quarter of that "
		"time");
}
