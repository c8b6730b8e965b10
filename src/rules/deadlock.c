/* SPDX-License-Identifier: MIT */
/*
 * Circles of waiting coroutines, each of which can go on only after the next one: the owner of a lock, or a child.
 * With a lock in it the circle is a deadlock of mutexes; without a lock it is an await cycle.
 *
 * Threads are part of a circle if the program records them (P-35): a thread that holds a lock outside of coroutines
 * and waits for another lock, and a thread that waits for a lock together with the coroutine that runs on it. A
 * circle of threads only is not our concern.
 *
 * The rule is silent if one of the waits has a deadline, or if its coroutine is marked. A wait that is also for
 * something else counts once it has lasted for long, and such a circle is a Suspect.
 *
 * If the trace records waits for locks but not which locks (P-104), coroutines that have waited for long at two or
 * more places are one finding: each of these locks has an owner that does not release it.
 */
#include <inttypes.h>

#include "rules/parts.h"

#define PLACES_NAMED 3u /* in the title of a circle */

/* One circle. */
struct circle {
	uint32_t first;
	uint32_t length;
	uint32_t nr_threads; /* threads between its coroutines */
	/* the sum of its wait sites: circles with the same sites are of one kind */
	uint32_t sites;
	uint32_t closing; /* the coroutine that closed it: the last one to suspend */
	/* creation of its oldest coroutine: a mark may have come right after it */
	ct_time oldest;
	ct_time closed; /* beginning of its last wait: the circle exists since then */
	bool has_lock;
	bool has_child;
	bool waits_for_more; /* a wait in it is also for something else */
	bool has_doubt;      /* a wake may have been for one of its waits */
	bool is_explained;   /* another finding says why one of its members does not go on */
	bool has_thread; /* a wait in it is that of a thread with the coroutines that run on it */
};

/* Is the wait also for something else, and not yet long? */
static bool may_end_soon(const struct analysis *analysis, const struct model_coro *coro)
{
	return (coro->flags & MODEL_CORO_WAITS_FOR_MORE) &&
	       !analyze_stillness_lasts(analysis, coro->process, coro->suspended);
}

/* The wait of a coroutine that runs is its thread's wait, which has no time-out. */
static bool is_link(const struct analysis *analysis, const struct model_coro *coro)
{
	if (coro->state == CT_STATE_RUNNING)
		return coro->mark == 0;
	return model_is_awaiting(coro) && coro->rare->deadline == CT_NO_TIME &&
	       !may_end_soon(analysis, coro) && coro->mark == 0;
}

static uint32_t follow(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_link(analysis, coro) ? analyze_ties_next(analysis, index) : 0;
}

/* The wait of a coroutine in a circle, which always has one. */
static struct ties_wait wait_of(const struct analysis *analysis, uint32_t index)
{
	struct ties_wait wait = {0};

	analyze_ties_wait(analysis, index, &wait);
	return wait;
}

/* ---------------------------------------------------------------- the size of a circle */

/* Threads between this wait and the next coroutine: each holds a lock, and waits for one. */
static void take_in_threads(struct analysis *analysis, uint32_t process,
	const struct ties_wait *wait, struct circle *circle)
{
	uint64_t lock = wait->object;
	uint32_t thread;

	circle->has_thread |= wait->thread != 0;
	while ((thread = analyze_ties_thread_ahead(analysis, process, lock)) != 0) {
		const struct model_thread *at = &analysis->model->threads[thread];

		circle->has_thread = true;
		circle->nr_threads++;
		circle->sites += at->wanted_at * 2654435761u;
		if (at->blocked_from > circle->closed)
			circle->closed = at->blocked_from;
		lock = at->wanted;
	}
}

static void take_in(struct analysis *analysis, uint32_t index, struct circle *circle)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct ties_wait wait = wait_of(analysis, index);

	circle->length++;
	circle->waits_for_more |= coro->flags & MODEL_CORO_WAITS_FOR_MORE;
	circle->has_doubt |= coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE;
	circle->is_explained |= analysis->is_told[index];
	circle->sites += wait.site * 2654435761u;
	if (analyze_candidate_life_start(analysis, coro) < circle->oldest)
		circle->oldest = analyze_candidate_life_start(analysis, coro);
	if (wait.since > wait_of(analysis, circle->closing).since)
		circle->closing = index;
	if (wait.since > circle->closed)
		circle->closed = wait.since;
	take_in_threads(analysis, coro->process, &wait, circle);
	if (CTP_HANDLE_RESOURCE(wait.object) != CTP_RESOURCE_LOCK) {
		circle->has_child = true;
		return;
	}
	circle->has_lock = true;
}

/* Measures the circle, and begins it after the coroutine that closed it, so that the numbering does not matter. */
static struct circle measure(struct analysis *analysis, uint32_t first)
{
	struct circle circle = {
		.first = first, .closing = first, .oldest = INT64_MAX, .closed = CT_NO_TIME};
	uint32_t index = first;

	do {
		take_in(analysis, index, &circle);
		index = follow(analysis, index);
	} while (index != first);
	circle.first = follow(analysis, circle.closing);
	return circle;
}

/* ---------------------------------------------------------------- the judgement */

/* One circle is one finding: if one of its members is at an allowed place, the whole circle is allowed. */
static bool is_allowed(
	struct analysis *analysis, const struct circle *circle, struct candidate candidate)
{
	uint32_t index = circle->first;

	do {
		candidate.coro = index;
		if (analyze_candidate_is_allowed(analysis, &candidate))
			return true;
		index = follow(analysis, index);
	} while (index != circle->first);
	return false;
}

/* Reports neither the circle nor the coroutines that wait behind it. */
static void allow(struct analysis *analysis, const struct circle *circle)
{
	uint32_t index = circle->first;

	analysis->nr_allowed += circle->length;
	do {
		analysis->is_told[index] = true;
		index = follow(analysis, index);
	} while (index != circle->first);
}

static void add_member(struct analysis *analysis, uint32_t index, struct candidate candidate)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	candidate.coro = index;
	candidate.descriptor = coro->rare->descriptor;
	candidate.since = wait_of(analysis, index).since;
	analyze_candidate_add(analysis, &candidate);
}

/* Is the thread part of this circle: does it wait for what a coroutine on it wants, or for itself? */
static bool is_thread_in(struct analysis *analysis, const struct circle *circle, uint32_t thread)
{
	uint32_t index = circle->first;

	do {
		struct ties_wait wait = wait_of(analysis, index);
		uint32_t process = analysis->model->coros.at[index].process, ahead;

		for (ahead = wait.thread; ahead != thread;
			wait.object = analysis->model->threads[ahead].wanted) {
			ahead = analyze_ties_thread_ahead(analysis, process, wait.object);
			if (!ahead)
				break;
		}
		if (ahead == thread)
			return true;
		index = follow(analysis, index);
	} while (index != circle->first);
	return false;
}

/* Have all workers been idle since, except those that wait in the circle and do nothing else? */
static bool are_others_quiet(struct analysis *analysis, const struct circle *circle)
{
	const struct model *model = analysis->model;
	uint32_t process = model->coros.at[circle->first].process;
	const struct model_process *of = &model->processes[process];
	size_t i;

	for (i = 0; i < of->workers.count; i++)
		if (model_thread_quiet_time(model, of->workers.at[i],
			    analysis->parties[process].end) <= circle->closed &&
			!is_thread_in(analysis, circle, of->workers.at[i]))
			return false;
	return true;
}

/* False: too early to say anything. */
static bool settle(
	struct analysis *analysis, const struct circle *circle, struct candidate *candidate)
{
	if (circle->has_thread && are_others_quiet(analysis, circle))
		return true;
	return analyze_candidate_settle(analysis, candidate, circle->closed);
}

static void judge(struct analysis *analysis, const struct circle *circle)
{
	const struct model_coro *closing = &analysis->model->coros.at[circle->closing];
	struct candidate candidate = {
		.rule = circle->has_lock ? CT_RULE_MUTEX_DEADLOCK : CT_RULE_AWAIT_CYCLE,
		.grade = CT_GRADE_PROVEN,
		.process = closing->process,
		.cause_site = wait_of(analysis, circle->closing).site,
		.variant = circle->sites,
	};
	uint32_t index = circle->first;

	if (analyze_ties_is_shutting_down(analysis, candidate.process, circle->closed))
		return;
	/* The circle existed only for a moment: what would end it may have been about to come. */
	if (!settle(analysis, circle, &candidate))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_NOT_QUIET);
	if (circle->waits_for_more)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_WAITS_FOR_MORE);
	if (circle->has_doubt)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	analyze_candidate_lower_for_gaps(
		analysis, &candidate, circle->oldest, analysis->parties[candidate.process].end);
	if (is_allowed(analysis, circle, candidate)) {
		allow(analysis, circle);
		return;
	}
	do {
		add_member(analysis, index, candidate);
		index = follow(analysis, index);
	} while (index != circle->first);
}

/* ---------------------------------------------------------------- locks without a name */

static bool waits_long_unnamed(const struct analysis *analysis, uint32_t index, uint32_t process)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return coro->process == process && model_is_awaiting(coro) && !coro->mark &&
	       coro->rare->deadline == CT_NO_TIME && analyze_ties_is_for_untold_lock(coro) &&
	       !analysis->is_told[index] &&
	       analysis->parties[process].end - coro->suspended > LIMIT(analysis, WAIT_LIMIT);
}

static uint32_t first_to_wait(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t first = 0, i;

	for (i = 1; i < model->coros.count; i++)
		if (waits_long_unnamed(analysis, i, process) &&
			(!first || model->coros.at[i].suspended < model->coros.at[first].suspended))
			first = i;
	return first;
}

/* The last coroutine that began to wait at another place than the first one; 0: all wait at one place. */
static uint32_t last_elsewhere(const struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t first = first_to_wait(analysis, process), last = 0, i;

	for (i = 1; i < model->coros.count; i++)
		if (waits_long_unnamed(analysis, i, process) &&
			model->coros.at[i].wait_site != model->coros.at[first].wait_site &&
			(!last || model->coros.at[i].suspended > model->coros.at[last].suspended))
			last = i;
	return last;
}

static void judge_unnamed(struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	uint32_t last = last_elsewhere(analysis, process), i;
	struct candidate candidate = {
		.rule = CT_RULE_MUTEX_DEADLOCK,
		.grade = CT_GRADE_SUSPECT,
		.process = process,
		.cause_site = model->coros.at[last].wait_site,
		.reasons = REASON(LOCKS_UNTOLD),
	};

	for (i = 1; last && i < model->coros.count; i++) {
		if (!waits_long_unnamed(analysis, i, process))
			continue;
		candidate.coro = i;
		candidate.since = model->coros.at[i].suspended;
		analyze_candidate_lower_for_gaps(
			analysis, &candidate, candidate.since, analysis->parties[process].end);
		analyze_candidate_add(analysis, &candidate);
	}
}

static void describe_unnamed(struct analysis *analysis, const struct group *group,
	struct story *story, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	uint32_t i, site = 0;

	finding->title = analyze_say(analysis,
		"%s coroutines wait for locks, for longer than the limit, at %s, and at %s: in a "
		"circle, or for a lock that is never released",
		analyze_words_number(analysis, group->count),
		analyze_words_place(analysis, coro->wait_site),
		analyze_words_place(analysis, first->cause_site));
	for (i = 0; i < group->count && i < GROUP_EXAMPLES; i++) {
		uint32_t index = analysis->candidates.at[group->first + i].coro;

		coro = &analysis->model->coros.at[index];
		if (coro->wait_site != site)
			analyze_story_suspended(analysis, story, coro);
		site = coro->wait_site;
	}
	finding->first_sequence = analysis->model->coros.at[first->coro].wait_event;
	finding->last_sequence = coro->last_event;
}

/* Follows the chain from each coroutine; a coroutine that is met again on the same way is in a circle. */
static void find(struct analysis *analysis)
{
	uint32_t count = (uint32_t)analysis->model->coros.count, start, index;
	uint32_t *way = analyze_scratch(analysis, count, sizeof(*way));

	if (!way)
		return;
	for (start = 1; start < count; start++) {
		for (index = start; index && !way[index]; index = follow(analysis, index))
			way[index] = start;
		if (index && way[index] == start) {
			struct circle circle = measure(analysis, index);

			if (!circle.is_explained)
				judge(analysis, &circle);
		}
	}
	for (start = 0; start < analysis->model->nr_processes; start++)
		judge_unnamed(analysis, start);
}

/* ---------------------------------------------------------------- the proof */

/* Claims that the coroutine, or its thread, waits and has not gone on since. */
static void claim_wait(const struct analysis *analysis, uint32_t index, struct claims *claims)
{
	struct ties_wait wait = wait_of(analysis, index);

	if (wait.thread)
		claim_told(claims, wait.event, CLAIM_KIND(BLOCK_BEGIN), 0);
	else
		analyze_claim_stays(analysis, index, false, claims);
}

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	struct ties_wait wait = wait_of(analysis, candidate->coro);

	claim_wait(analysis, candidate->coro, claims);
	if (CTP_HANDLE_RESOURCE(wait.object) == CTP_RESOURCE_LOCK)
		analyze_claim_kept(
			analyze_ties_object_at(analysis, coro->process, wait.object), claims);
	claim_whole(claims, coro->process, 0, analyze_candidate_life_start(analysis, coro),
		analysis->parties[coro->process].end);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_taken(
	struct analysis *analysis, const struct model_object *object, struct story *story)
{
	uint32_t owner = object->owner == MODEL_OWNER_UNKNOWN ? 0 : object->owner;
	struct ct_step step = {
		.time = object->owned,
		.site = object->owner_site,
		.thread = object->owner_thread,
		.coro = owner ? analysis->model->coros.at[owner].id : object->taken_within,
		.sequence = object->owner_event,
		.text = analyze_say(analysis, "took %s",
			analyze_words_named(analysis, object->process, object->handle, 0)),
	};

	analyze_story_step(analysis, story, &step);
	analyze_story_resource(analysis, story, object->handle);
}

static const char *words_holder(struct analysis *analysis, uint32_t thread, uint32_t coro)
{
	if (thread)
		return analyze_words_thread(analysis, thread);
	return analyze_say(analysis, "coroutine %" PRIu64, analysis->model->coros.at[coro].id);
}

/*
 * The threads between a wait and the next coroutine: each holds the lock that the previous one waits for, and waits
 * for another one.
 */
static void tell_threads(struct analysis *analysis, uint32_t process, uint64_t lock, uint32_t next,
	struct story *story)
{
	uint32_t thread;

	while ((thread = analyze_ties_thread_ahead(analysis, process, lock)) != 0) {
		const struct model_thread *at = &analysis->model->threads[thread];
		uint32_t ahead = analyze_ties_thread_ahead(analysis, process, at->wanted);
		struct ct_step step = {
			.time = at->blocked_from,
			.site = at->wanted_at,
			.thread = thread,
			.sequence = at->wanted_event,
			.text = analyze_say(analysis,
				"waits for %s, outside of any coroutine; %s holds it",
				analyze_words_named(analysis, process, at->wanted, 0),
				words_holder(analysis, ahead, next)),
		};

		tell_taken(analysis, analyze_ties_object_at(analysis, process, at->wanted), story);
		analyze_story_step(analysis, story, &step);
		lock = at->wanted;
	}
}

static void tell_wait(struct analysis *analysis, uint32_t index, uint32_t next, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct ties_wait wait = wait_of(analysis, index);
	uint32_t ahead = analyze_ties_thread_ahead(analysis, coro->process, wait.object);
	struct ct_step step = {
		.time = wait.since,
		.site = wait.site,
		.thread = coro->thread,
		.coro = coro->id,
		.sequence = wait.event,
	};

	if (CTP_HANDLE_RESOURCE(wait.object) != CTP_RESOURCE_LOCK)
		step.text = analyze_say(analysis,
			"suspended, to wait for the end of coroutine %" PRIu64,
			analysis->model->coros.at[next].id);
	else
		step.text = analyze_say(analysis, "%s %s, which %s holds",
			wait.thread ? "blocks its thread, to wait for" : "suspended, to wait for",
			analyze_words_named(analysis, coro->process, wait.object, 0),
			words_holder(analysis, ahead, next));
	if (CTP_HANDLE_RESOURCE(wait.object) == CTP_RESOURCE_LOCK)
		tell_taken(analysis, analyze_ties_object_at(analysis, coro->process, wait.object),
			story);
	analyze_story_step(analysis, story, &step);
	tell_threads(analysis, coro->process, wait.object, next, story);
}

/* ": at lock in transfer, and at send in produce": a circle's first places; ", at lock in transfer": its only one. */
static const char *words_places(struct analysis *analysis, const struct circle *circle)
{
	uint32_t sites[PLACES_NAMED], nr_named = 0, nr_places = 0, index = circle->first, i;
	const char *words = "";

	do {
		uint32_t site = wait_of(analysis, index).site;

		for (i = 0; i < nr_named && sites[i] != site;)
			i++;
		nr_places += i == nr_named;
		if (i == nr_named && nr_named < PLACES_NAMED)
			sites[nr_named++] = site;
		index = follow(analysis, index);
	} while (index != circle->first);
	for (i = 0; i < nr_named; i++)
		words = analyze_say(analysis, "%s%sat %s", words,
			i               ? i + 1 == nr_places ? ", and " : ", "
			: nr_places > 1 ? ": "
					: ", ",
			analyze_words_place(analysis, sites[i]));
	return nr_places > nr_named ? analyze_say(analysis, "%s, and elsewhere", words) : words;
}

/* What two coroutines that wait for each other wait for. */
static const char *words_each_other(const struct circle *circle)
{
	if (circle->has_lock && circle->has_child)
		return "2 coroutines wait for each other, one for a lock and one for the other's "
		       "end";
	return circle->has_lock ? "2 coroutines each wait for a lock that the other holds"
				: "2 coroutines each wait for the end of the other";
}

static const char *words_what(const struct circle *circle)
{
	if (circle->has_lock && circle->has_child)
		return "for locks and for each other's end";
	return circle->has_child ? "for each other's end" : "for locks";
}

static const char *words_circle(
	struct analysis *analysis, const struct group *group, const struct circle *circle)
{
	const char *what = words_what(circle);
	const char *where = words_places(analysis, circle);

	if (group->count > circle->length)
		return analyze_say(analysis, "%s coroutines wait in circles of %s %s%s",
			analyze_words_number(analysis, group->count),
			analyze_words_number(analysis, circle->length), what, where);
	if (circle->length == 2)
		return analyze_say(analysis, "%s%s", words_each_other(circle), where);
	return analyze_say(analysis, "%s coroutines wait in a circle %s%s",
		analyze_words_number(analysis, circle->length), what, where);
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct circle *circle)
{
	const char *site =
		analyze_words_place(analysis, analysis->candidates.at[group->first].cause_site);
	const char *waits = group->count == 1 ? "coroutine waits" : "coroutines wait";
	const char *what = words_what(circle);

	if (circle->nr_threads)
		return analyze_say(analysis,
			"%s %s in a circle with %s %s, %s; the last began to wait at %s",
			analyze_words_number(analysis, group->count), waits,
			analyze_words_number(analysis, circle->nr_threads),
			circle->nr_threads == 1 ? "thread" : "threads", what, site);
	if (circle->length > 1)
		return words_circle(analysis, group, circle);
	if (!circle->has_lock)
		return analyze_say(analysis, "%s %s for %s own end, at %s",
			analyze_words_number(analysis, group->count), waits,
			group->count == 1 ? "its" : "their", site);
	return analyze_say(analysis, "%s %s for a lock that %s, at %s",
		analyze_words_number(analysis, group->count), waits,
		group->count == 1 ? "it holds itself" : "they hold themselves", site);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	struct circle circle;
	uint32_t index;

	if (analyze_ties_is_for_untold_lock(&analysis->model->coros.at[first->coro])) {
		describe_unnamed(analysis, group, story, finding);
		return;
	}
	circle = measure(analysis, first->coro);
	index = circle.first;
	finding->title = analyze_say(analysis, "%s%s", words_title(analysis, group, &circle),
		analyze_words_behind(analysis, group));
	do {
		uint32_t next = follow(analysis, index);

		tell_wait(analysis, index, next, story);
		index = next;
	} while (index != circle.first);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = wait_of(analysis, circle.first).event;
	finding->last_sequence = wait_of(analysis, circle.closing).event;
}

const struct rule rules_deadlock = {
	.find = find,
	.certify = certify,
	.describe = describe,
};
