/* SPDX-License-Identifier: MIT */
/*
 * Lock convoys: coroutines queue for a lock at one place again and again. A coroutine that releases the lock wakes
 * the next one, and soon queues there as well. Because there is always a queue, their work is serialised, whatever
 * the number of workers.
 *
 * The place stands for the lock, which the trace often does not name. The rule is silent if the queue is short on
 * average, if coroutines that do not queue there wake those that do (something is handed out, or a condition
 * announced), while the program warms up or ends, and if the workers lacked processors by the kernel's accounts. The
 * queue is certain, but whether it harms is not: the finding is a Suspect.
 */

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

/* The queue at one place. */
struct convoy {
	uint64_t nr_wakes;
	uint64_t nr_handed; /* of these: by a waker that had queued there itself */
	int64_t waited_ns;  /* sum of the waits of those that were woken */
	ct_time first;      /* begin of the first of these waits */
	uint64_t object;    /* the lock of the last wake */
	bool has_several;   /* several locks, or a lock without a name */
	uint32_t coro;      /* the coroutine that was woken last */
	struct model_waking waker;
};

static const struct convoy *convoy_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_lock_convoy), site);
}

static uint32_t waker_of(struct model *model, const struct ct_event *event)
{
	return event->coro ? model_coro_find(model, event->process, event->coro)
			   : model->threads[event->thread].top;
}

/* The place at which a coroutine was last woken out of a queue for a lock, plus 1; 0: none. */
static uint32_t *queued_at(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct ct_event *event = sight->event;
	struct convoy *convoy;
	uint32_t waker;

	if (CTP_HANDLE_RESOURCE(coro->wait_object) != CTP_RESOURCE_LOCK ||
		coro->state != CT_STATE_WAITING || coro->suspended == CT_NO_TIME)
		return true;
	convoy = model_watch_place(watch, coro->wait_site);
	if (!convoy)
		return true;
	waker = waker_of(watch->model, event);
	if (!convoy->nr_wakes++)
		convoy->first = coro->suspended;
	else if (convoy->object != coro->wait_object)
		convoy->has_several = true;
	convoy->has_several |= !CTP_HANDLE_IDENTITY(coro->wait_object);
	convoy->object = coro->wait_object;
	convoy->nr_handed += waker && *queued_at(watch, waker) == coro->wait_site + 1;
	*queued_at(watch, sight->coro) = coro->wait_site + 1;
	convoy->waited_ns += event->time > coro->suspended ? event->time - coro->suspended : 0;
	convoy->coro = sight->coro;
	convoy->waker = (struct model_waking){.time = event->time,
		.sequence = event->sequence,
		.coro = waker,
		.thread = event->thread,
		.site = event->site};
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct convoy *convoy = model_watch_place(watch, site);

		visit_coro(release, &convoy->coro, MODEL_MARK_WHOLE);
		visit_coro(release, &convoy->waker.coro, MODEL_MARK_SELF);
	}
}

/* ---------------------------------------------------------------- the candidates */

static double mean_queue(const struct convoy *convoy)
{
	return (double)convoy->waited_ns / (double)(convoy->waker.time - convoy->first);
}

static bool is_convoy(const struct analysis *analysis, const struct convoy *convoy)
{
	return convoy->nr_wakes >= (uint64_t)LIMIT(analysis, CONVOY_WAKES) &&
	       convoy->waker.time - convoy->first >= LIMIT(analysis, CONVOY_TIME) &&
	       convoy->nr_handed * 100 >=
		       convoy->nr_wakes * (uint64_t)LIMIT(analysis, CONVOY_SHARE) &&
	       mean_queue(convoy) >= (double)LIMIT(analysis, CONVOY_QUEUE);
}

/*
 * Did the workers wait for a processor for as long as they had one? Then holders of the lock were interrupted, and the
 * queue is the machine's.
 */
static bool lacks_processors(
	const struct analysis *analysis, uint32_t process, const struct convoy *convoy)
{
	struct model_account sum;

	return analyze_party_account(analysis, process, convoy->first, convoy->waker.time, &sum) &&
	       sum.waited_ns >= sum.ran_ns && sum.waited_ns;
}

static void judge(struct analysis *analysis, uint32_t site)
{
	const struct convoy *convoy = convoy_at(analysis, site);
	const struct model_coro *coro = &analysis->model->coros.at[convoy->coro];
	struct candidate candidate = {
		.rule = CT_RULE_LOCK_CONVOY,
		.grade = CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = convoy->coro,
		.wait_site = site,
		.cause_site = convoy->waker.site,
		.subject = site,
		.since = convoy->first,
		.until = convoy->waker.time,
	};

	if (coro->mark ||
		!analyze_party_is_at_work(
			analysis, coro->process, convoy->first, convoy->waker.time) ||
		lacks_processors(analysis, coro->process, convoy))
		return;
	if (convoy->has_several)
		candidate.reasons |= REASON(LOCK_UNTOLD);
	if (analyze_candidate_outlives_gaps(
		    analysis, &candidate, convoy->first, analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++)
		if (is_convoy(analysis, convoy_at(analysis, site)))
			judge(analysis, site);
}

/* ---------------------------------------------------------------- the evidence */

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct convoy *convoy = convoy_at(analysis, first->subject);

	finding->title = analyze_say(analysis,
		"%.1f coroutines queue for a lock on average, at %s, and wake each other",
		mean_queue(convoy), analyze_words_place(analysis, first->subject));
	analyze_story_wake(analysis, story, &convoy->waker,
		"released the lock, and woke a coroutine that queued for it, for the last time");
	analyze_story_evidence(analysis, story,
		"%s of %s wakes of coroutines that queued there came from one that had queued "
		"there itself",
		analyze_words_number(analysis, convoy->nr_handed),
		analyze_words_number(analysis, convoy->nr_wakes));
	analyze_story_evidence(analysis, story,
		"within %s they queued for %s together; one was woken every %s on average, and "
		"had waited %s",
		analyze_words_duration(analysis, convoy->waker.time - convoy->first),
		analyze_words_duration(analysis, convoy->waited_ns),
		analyze_words_duration(
			analysis, (convoy->waker.time - convoy->first) / (int64_t)convoy->nr_wakes),
		analyze_words_duration(analysis, convoy->waited_ns / (int64_t)convoy->nr_wakes));
}

const struct rule rules_lock_convoy = {
	.watcher = {.nr_coro_bytes = sizeof(uint32_t),
		.nr_place_bytes = sizeof(struct convoy),
		.looks = {[MODEL_WAKE] = look_at_wake},
		.wakes_from = MODEL_WAITS_FOR(LOCK),
		.visit = visit},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
