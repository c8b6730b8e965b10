/* SPDX-License-Identifier: MIT */
/*
 * Missed wakes: a coroutine has been ready for over a second, and every thread that could run it sleeps without
 * time-out: it was put into a queue, and no thread was woken. A shorter time, ten times the usual delay at its place,
 * suffices if the engine saw the threads asleep after that: a thread that was woken but got no processor yet does not
 * count as asleep.
 *
 * A worker that goes to sleep has found its queue empty. So it is enough, too, that each worker has recorded a park
 * while the coroutine was ready, whatever it has run since, or sleeps since before: the coroutine is in no queue that
 * anybody looks at.
 *
 * Coroutines that ran in the end are the matter of slept_late.h.
 *
 * The rule is silent if a worker has been awake since, or wakes up by itself; if the coroutine is marked; and if the
 * wake may have been for another coroutine.
 */

#include "analyze/leads.h"
#include "analyze/telling.h"
#include "rules/parts.h"
#include "rules/slept_late.h"

enum variant {
	VARIANT_ASLEEP,  /* every worker sleeps */
	VARIANT_PRIVATE, /* the only worker that may take it does */
	VARIANT_LEFT,    /* each worker has parked since it was ready, or sleeps since before */
	VARIANT_LATE,    /* every worker slept, and then it ran (slept_late.h) */
};

/* Since when the worker sleeps; CT_NO_TIME: it has ended; INT64_MAX: it does not sleep, or not for ever. */
static ct_time sleeps_since(const struct analysis *analysis, uint32_t worker)
{
	const struct model_thread *thread = &analysis->model->threads[worker];

	if (thread_is_over(thread, analysis->parties[thread->process].end))
		return CT_NO_TIME;
	return thread->idle_from == CT_NO_TIME || thread->is_idle_timed ? INT64_MAX
									: thread->idle_from;
}

/* Since when all workers of a process sleep; INT64_MAX: one does not, or none is left. */
static ct_time all_sleep_since(const struct analysis *analysis, uint32_t process)
{
	const struct model_process *of = &analysis->model->processes[process];
	ct_time since = CT_NO_TIME;
	size_t i;

	for (i = 0; i < of->workers.count; i++) {
		ct_time own = sleeps_since(analysis, of->workers.at[i]);

		if (!model_is_sure_worker(analysis->model, of->workers.at[i]))
			continue;

		if (own > since)
			since = own;
	}
	return since == CT_NO_TIME ? INT64_MAX : since;
}

static ct_time *list_sleeping(struct analysis *analysis)
{
	uint32_t count = analysis->model->nr_processes, i;
	ct_time *since = analyze_scratch(analysis, count, sizeof(*since));

	for (i = 0; since && i < count; i++)
		since[i] = all_sleep_since(analysis, i);
	return since;
}

static bool is_excused(const struct model_coro *coro)
{
	return coro->mark || (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE);
}

/* How long coroutines that waited at this place usually take to run once woken; 0: not known. */
static int64_t usual_time(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times =
		coro->suspended == CT_NO_TIME ? NULL
					      : model_times_at(analysis->model, coro->wait_site);

	return model_usual_time(times ? times->delays : NULL, LIMIT(analysis, MISSED_WAKES));
}

/* The delay after which the wake has been missed if the engine saw all workers asleep then; INT64_MAX: not known. */
static int64_t shorter_limit(const struct analysis *analysis, const struct model_coro *coro)
{
	int64_t usual = usual_time(analysis, coro), limit;

	if (!usual || __builtin_mul_overflow(LIMIT(analysis, MISSED_FACTOR), usual, &limit))
		return INT64_MAX;
	return limit > LIMIT(analysis, MISSED_LEAST) ? limit : LIMIT(analysis, MISSED_LEAST);
}

static bool was_seen_asleep(const struct analysis *analysis, uint32_t worker, ct_time after)
{
	const struct model_thread *thread = &analysis->model->threads[worker];

	return sleeps_since(analysis, worker) == CT_NO_TIME ||
	       (thread->seen != CT_NO_TIME && thread->seen >= after && thread->seen_untimed);
}

static bool were_seen_asleep(
	const struct analysis *analysis, const struct model_coro *coro, ct_time after)
{
	const struct model_process *process = &analysis->model->processes[coro->process];
	size_t i;

	if (coro->is_queue_private)
		return was_seen_asleep(analysis, coro->turns->queue_thread, after);
	for (i = 0; i < process->workers.count; i++)
		if (model_is_sure_worker(analysis->model, process->workers.at[i]) &&
			!was_seen_asleep(analysis, process->workers.at[i], after))
			return false;
	return true;
}

/*
 * Since when the coroutine has been ready with every worker asleep that could run it; INT64_MAX: one is not asleep.
 * If only one worker may take it, only that one counts; it may have ended.
 */
static ct_time missed_since(
	const struct analysis *analysis, const struct model_coro *coro, ct_time all_since)
{
	ct_time since = coro->is_queue_private ? sleeps_since(analysis, coro->turns->queue_thread)
					       : all_since;
	ct_time ready = ready_since(coro);

	return since < ready ? ready : since;
}

static bool is_missed(
	const struct analysis *analysis, const struct model_coro *coro, ct_time all_since)
{
	ct_time since = missed_since(analysis, coro, all_since);
	int64_t lasted, shorter;

	if (since == INT64_MAX)
		return false;
	lasted = analyze_party_working_until(analysis, coro->process) - since;
	if (lasted > LIMIT(analysis, MISSED_TIME))
		return true;
	shorter = shorter_limit(analysis, coro);
	return lasted > shorter && were_seen_asleep(analysis, coro, since + shorter);
}

/* Did the worker park while the coroutine was ready? The first moments do not count: the put comes after the wake. */
static bool has_parked(const struct analysis *analysis, uint32_t worker, ct_time ready)
{
	ct_time parked = analysis->model->threads[worker].parked;

	return parked != CT_NO_TIME && parked - ready > LIMIT(analysis, MISSED_LEAST);
}

/* Has each worker parked since the coroutine was ready, or does it sleep? One at least has parked. */
static bool is_left(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_process *process = &analysis->model->processes[coro->process];
	ct_time ready = ready_since(coro);
	size_t nr_parked = 0, i;

	if (!coro->nr_resumes || !analyze_telling_is_by_scheduler(analysis, coro) ||
		analyze_party_working_until(analysis, coro->process) - ready <=
			LIMIT(analysis, MISSED_TIME))
		return false;
	for (i = 0; i < process->workers.count; i++) {
		uint32_t worker = process->workers.at[i];
		bool has = has_parked(analysis, worker, ready);

		if (!model_is_sure_worker(analysis->model, worker) ||
			(coro->is_queue_private && worker != coro->turns->queue_thread))
			continue;
		if (!has && sleeps_since(analysis, worker) == INT64_MAX)
			return false;
		nr_parked += has;
	}
	return nr_parked > 0;
}

static void judge(struct analysis *analysis, uint32_t index, enum variant variant)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct candidate candidate = {
		.rule = CT_RULE_MISSED_WAKE,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.cause_site = coro->turns->wake.time != CT_NO_TIME ? coro->turns->wake.site
								   : coro->spawn_site,
		.variant = variant,
		.descriptor = coro->rare->descriptor,
		.since = ready_since(coro),
	};

	if (variant != VARIANT_LEFT && analysis->parties[coro->process].timers <= candidate.since)
		analyze_candidate_lower(&candidate, REASON_TIMER);
	/* The coroutine's resume may be among the lost events, and most often is. */
	if (model_lost_between(analysis->model, coro->process, candidate.since,
		    analysis->parties[coro->process].end))
		return;
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	const ct_time *all_since = list_sleeping(analysis);
	uint32_t i;

	for (i = 1; all_since && i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (analysis->is_told[i] || !is_ready(coro) || is_excused(coro))
			continue;
		if (is_missed(analysis, coro, all_since[coro->process]))
			judge(analysis, i,
				coro->is_queue_private ? VARIANT_PRIVATE : VARIANT_ASLEEP);
		else if (is_left(analysis, coro))
			judge(analysis, i, VARIANT_LEFT);
	}
	rules_slept_late_find(analysis, VARIANT_LATE);
}

/* ---------------------------------------------------------------- the evidence */

/* The worker that went to sleep last, of those that could have run the coroutine; 0: all have ended. */
static uint32_t last_asleep(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_process *process = &analysis->model->processes[coro->process];
	uint32_t last = 0;
	size_t i;

	if (coro->is_queue_private)
		return coro->turns->queue_thread;
	for (i = 0; i < process->workers.count; i++) {
		uint32_t worker = process->workers.at[i];
		ct_time since = sleeps_since(analysis, worker);

		if (model_is_sure_worker(analysis->model, worker) && since != CT_NO_TIME &&
			(!last || since > sleeps_since(analysis, last)))
			last = worker;
	}
	return last;
}

static void tell_asleep(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	uint32_t worker = last_asleep(analysis, coro);
	ct_time since = sleeps_since(analysis, worker);
	struct ct_step step = {
		.time = since,
		.thread = worker,
		.sequence = UINT64_MAX,
		.text = coro->is_queue_private
				? "the only worker that may take it sleeps, without time-out"
				: "the last worker went to sleep: all do now, without time-out",
	};

	if (since == CT_NO_TIME)
		step.text = "the only worker that may take it has ended";
	analyze_story_step(analysis, story, &step);
}

/* If the delay is long only by comparison: adds what is usual. */
static void tell_usual(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	ct_time since = missed_since(analysis, coro, all_sleep_since(analysis, coro->process));
	int64_t lasted = analyze_party_working_until(analysis, coro->process) - since;

	if (lasted <= LIMIT(analysis, MISSED_TIME))
		analyze_story_evidence(analysis, story,
			"99 of 100 that had waited there ran within %s; the engine saw "
			"who could have run it asleep",
			analyze_words_duration(analysis, usual_time(analysis, coro)));
}

#define LOCKED_TOLD 4u

/* Adds the threads that wait for a mutex, amid some call, and not for work: these hold up the others, or each other. */
static void tell_locked(struct analysis *analysis, uint32_t process, struct story *story)
{
	const struct model_thread *at = analysis->model->threads;
	uint32_t i, nr_told = 0;

	for (i = 1; i < analysis->model->nr_threads && nr_told < LOCKED_TOLD; i++) {
		if (at[i].process != process || !thread_is_seen(&at[i]) || !at[i].seen_in_mutex ||
			thread_is_over(&at[i], analysis->parties[process].end))
			continue;
		nr_told++;
		analyze_story_evidence(analysis, story,
			"%s waits as for a mutex, and not for work: its last event came %s before "
			"the observation ended",
			analyze_words_thread(analysis, i),
			analyze_words_duration(
				analysis, analysis->parties[process].end - at[i].last_event));
	}
	if (nr_told)
		analyze_story_evidence(analysis, story,
			"a wake of these threads changes nothing: look at who holds the mutex, and "
			"whether two are taken in two orders");
}

#define WORKERS_TOLD 8u

static const char *words_asleep(struct analysis *analysis, uint32_t worker)
{
	ct_time since = sleeps_since(analysis, worker),
		end = analysis->parties[analysis->model->threads[worker].process].end;

	return analyze_words_duration(analysis, since == CT_NO_TIME ? 0 : end - since);
}

/* Adds when each worker parked last, or since when it sleeps. */
static void tell_parks(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_process *process = &analysis->model->processes[coro->process];
	ct_time ready = ready_since(coro);
	size_t i;

	for (i = 0; i < process->workers.count && i < WORKERS_TOLD; i++) {
		uint32_t worker = process->workers.at[i];
		const struct model_thread *thread = &analysis->model->threads[worker];
		const char *who = analyze_words_thread(analysis, worker);

		if (!model_is_sure_worker(analysis->model, worker))
			continue;
		if (has_parked(analysis, worker, ready))
			analyze_story_evidence(analysis, story,
				"%s parked last %s after the coroutine was made ready: its queue "
				"was empty then",
				who, analyze_words_duration(analysis, thread->parked - ready));
		else
			analyze_story_evidence(analysis, story,
				"%s has slept for %s: if the coroutine is in this worker's queue, "
				"nobody has woken the worker",
				who, words_asleep(analysis, worker));
	}
}

static const char *words_workers(const struct candidate *first, uint32_t count)
{
	switch (first->variant) {
	case VARIANT_PRIVATE:
		return "the only worker that may take it sleeps";
	case VARIANT_LEFT:
		return count == 1 ? "each worker went to sleep without running it"
				  : "each worker went to sleep without running them";
	default:
		return "every worker sleeps";
	}
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct candidate *first)
{
	int64_t lasted = analyze_party_working_until(analysis, first->process) - first->since;

	return analyze_say(analysis, "%s %s been ready for %s, and %s; made ready at %s",
		analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine has" : "coroutines have",
		analyze_words_duration(analysis, lasted), words_workers(first, group->count),
		analyze_words_place(analysis, first->cause_site));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	uint32_t worker = last_asleep(analysis, coro);
	bool is_left = first->variant == VARIANT_LEFT;
	bool is_asleep_first = sleeps_since(analysis, worker) < first->since;

	if (first->variant == VARIANT_LATE) {
		rules_slept_late_describe(analysis, first, story, finding);
		return;
	}
	finding->title = words_title(analysis, group, first);
	if (coro->suspended != CT_NO_TIME)
		analyze_story_suspended(analysis, story, coro);
	if (is_asleep_first && !is_left)
		tell_asleep(analysis, coro, story);
	analyze_story_made_ready(analysis, story, coro);
	if (!is_asleep_first && !is_left)
		tell_asleep(analysis, coro, story);
	if (is_left) {
		tell_parks(analysis, coro, story);
		finding->next_step =
			"look at the put that follows this wake: can it be refused, or reach a "
			"queue "
			"that no worker looks at? A worker that sleeps has to be woken";
	}
	analyze_leads_tell_ready(analysis, story, coro);
	tell_locked(analysis, first->process, story);
	if (!is_left)
		tell_usual(analysis, coro, story);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence =
		coro->suspended != CT_NO_TIME ? coro->wait_event : coro->last_event;
	finding->last_sequence = coro->last_event;
}

const struct rule rules_missed_wake = {
	.watcher = {.nr_place_bytes = sizeof(struct slept_late),
		.looks = {[MODEL_DELAY] = rules_slept_late_look},
		.visit = rules_slept_late_visit},
	.find = find,
	.describe = describe,
};
