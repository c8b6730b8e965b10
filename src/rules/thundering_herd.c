/* SPDX-License-Identifier: MIT */
/*
 * Thundering herds: again and again one event wakes all coroutines that wait for one object, one of them gets it, and
 * the rest wait for it again at once.
 *
 * The rule is silent about broadcasts and barriers: there all coroutines go on or, if their work is not recorded,
 * none seems to. Therefore in most bursts at least one coroutine must have been served. The rule is also silent while
 * the program warms up or ends, and if the coroutine is marked.
 */

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

/* Flag of a coroutine's burst number: the burst is over for it, because it waits again or has got something done. */
#define BURST_OVER (1u << 31)

/* The bursts at one place. */
struct herd {
	uint32_t burst; /* number of the present burst; the fields up to `present` are about it */
	uint64_t object;
	uint32_t nr_woken;
	uint32_t nr_vain; /* coroutines that wait again, with nothing done */
	uint32_t nr_told; /* coroutines that got something done and recorded it */
	uint32_t last_vain;
	int64_t vain_ns; /* sum of the runs of those in vain */
	ct_time first;
	ct_time last;
	uint64_t waker_id;           /* the coroutine that began it */
	struct model_waking present; /* its first wake, except for the waker's index */
	uint64_t nr_bursts;          /* large ones */
	/* of these, those in vain for nearly all; the following fields are about these */
	uint64_t nr_thundered;
	uint64_t nr_served; /* of nr_thundered: at least one coroutine got something done */
	uint64_t nr_vain_wakes;
	int64_t wasted_ns;
	ct_time since;
	ct_time until;
	uint32_t coro;             /* a coroutine that the last of them woke in vain */
	struct model_waking waker; /* the first wake of the last of them */
};

/* The watcher keeps a herd for each place, and for each coroutine the number of the burst that woke it. */
struct memory {
	uint32_t nr_bursts; /* the number given to a burst last */
	/*
	 * From how many wakes on a burst is large, how many may progress, and how soon "at once" is, also between two
	 * wakes.
	 */
	uint32_t least_woken;
	uint32_t most_progressed;
	int64_t back_ns;
};

static const struct herd *herd_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_thundering_herd), site);
}

static bool begin(struct model_watch *watch, const void *settings)
{
	const struct analysis *analysis = settings;
	struct memory *memory = watch->memory;

	memory->least_woken = (uint32_t)LIMIT(analysis, HERD_WOKEN);
	memory->most_progressed = (uint32_t)LIMIT(analysis, HERD_PROGRESS);
	memory->back_ns = LIMIT(analysis, HERD_TIME);
	return true;
}

static uint32_t *burst_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

#define ALONE                                                                          \
	(MODEL_WAITS_FOR(NONE) | MODEL_WAITS_FOR(COROUTINE) | MODEL_WAITS_FOR(FRAME) | \
		MODEL_WAITS_FOR(REMOTE) | MODEL_WAITS_FOR(TIMER) | MODEL_WAITS_FOR(PROCESS))

/* Coroutines that wait for an object of their own each are no herd. */
static bool is_shared(uint64_t object)
{
	unsigned kind = CTP_HANDLE_RESOURCE(object);

	/* Two coroutines whose objects the trace does not name need not wait for the same object (P-104). */
	return kind >= MODEL_NR_WAITED || !((ALONE >> kind & 1) || model_is_unnamed(object));
}

static void settle(struct model_watch *watch, struct herd *herd)
{
	const struct memory *memory = watch->memory;
	uint32_t nr_progressed = herd->nr_woken - herd->nr_vain, process;

	if (herd->nr_woken < memory->least_woken)
		return;
	herd->nr_bursts++;
	if (nr_progressed > memory->most_progressed || !herd->nr_vain)
		return;
	if (herd->nr_thundered++ == 0)
		herd->since = herd->first;
	herd->until = herd->last;
	herd->nr_served += herd->nr_told > 0;
	herd->nr_vain_wakes += herd->nr_vain;
	herd->wasted_ns += herd->vain_ns;
	herd->coro = herd->last_vain;
	herd->waker = herd->present;
	process = watch->model->coros.at[herd->last_vain].process;
	herd->waker.coro = model_coro_find(watch->model, process, herd->waker_id);
}

static void begin_burst(
	struct model_watch *watch, struct herd *herd, uint64_t object, const struct ct_event *event)
{
	struct memory *memory = watch->memory;

	settle(watch, herd);
	memory->nr_bursts = (memory->nr_bursts + 1) & (BURST_OVER - 1);
	herd->burst = memory->nr_bursts += memory->nr_bursts == 0;
	herd->object = object;
	herd->waker_id = event->coro;
	herd->first = event->time;
	herd->nr_woken = herd->nr_vain = herd->nr_told = herd->last_vain = 0;
	herd->vain_ns = 0;
	herd->present = (struct model_waking){
		.time = event->time,
		.sequence = event->sequence,
		.thread = event->thread,
		.site = event->site,
	};
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct ct_event *event = sight->event;
	struct memory *memory = watch->memory;
	struct herd *herd = model_watch_place(watch, coro->wait_site);
	uint32_t *burst = burst_of(watch, sight->coro);

	if (!model_is_awaiting(coro) || !herd || !is_shared(coro->wait_object))
		return true;
	if (herd->burst == (*burst & ~BURST_OVER) || herd->object != coro->wait_object ||
		herd->present.thread != event->thread || event->time - herd->last > memory->back_ns)
		begin_burst(watch, herd, coro->wait_object, event);
	herd->last = event->time;
	herd->nr_woken++;
	*burst = herd->burst;
	return true;
}

static bool is_over(uint32_t burst)
{
	return !burst || (burst & BURST_OVER);
}

static bool look_at_progress(struct model_watch *watch, const struct model_sight *sight)
{
	uint32_t site = watch->model->coros.at[sight->coro].wait_site;
	uint32_t *burst = burst_of(watch, sight->coro);
	struct herd *herd = model_watch_place(watch, site);

	if (is_over(*burst) || !herd)
		return true;
	herd->nr_told += herd->burst == *burst;
	*burst |= BURST_OVER;
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct memory *memory = watch->memory;
	struct herd *herd = model_watch_place(watch, coro->wait_site);
	uint32_t *burst = burst_of(watch, sight->coro);

	if (is_over(*burst) || !herd)
		return true;
	if (herd->burst == *burst && herd->object == coro->wait_object &&
		coro->resumed != CT_NO_TIME && coro->suspended - coro->resumed <= memory->back_ns) {
		herd->nr_vain++;
		herd->vain_ns += coro->suspended - coro->resumed;
		herd->last_vain = sight->coro;
	}
	*burst |= BURST_OVER;
	return true;
}

/* Settles all bursts: no coroutine waits again any more. */
static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	uint32_t site;

	(void)sight;
	for (site = 0; site < watch->nr_places; site++)
		settle(watch, model_watch_place(watch, site));
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct herd *herd = model_watch_place(watch, site);
		uint32_t process = watch->model->threads[herd->present.thread].process;
		uint32_t waker = model_find(watch->model, process, herd->waker_id);

		visit_coro(release, &herd->last_vain, MODEL_MARK_WHOLE);
		visit_coro(release, &herd->coro, MODEL_MARK_WHOLE);
		visit_coro(release, &herd->waker.coro, MODEL_MARK_SELF);
		/* Only used to visit the waker by index; the present burst keeps its waker's id. */
		visit_coro(release, &waker, MODEL_MARK_SELF);
	}
}

/* ---------------------------------------------------------------- the candidates */

static bool is_herd(const struct analysis *analysis, const struct herd *herd)
{
	return herd->nr_thundered >= (uint64_t)LIMIT(analysis, HERD_TIMES) &&
	       herd->nr_served * 2 > herd->nr_thundered && herd->nr_thundered * 2 > herd->nr_bursts;
}

static void judge(struct analysis *analysis, uint32_t site)
{
	const struct herd *herd = herd_at(analysis, site);
	const struct model_coro *coro = &analysis->model->coros.at[herd->coro];
	struct candidate candidate = {
		.rule = CT_RULE_THUNDERING_HERD,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = herd->coro,
		.wait_site = site,
		.cause_site = herd->waker.site,
		.descriptor = coro->rare->descriptor,
		.subject = site,
		.since = herd->since,
		.until = herd->until,
	};

	if (coro->mark ||
		!analyze_party_is_at_work(analysis, coro->process, herd->since, herd->until))
		return;
	analyze_candidate_lower_for_gaps(
		analysis, &candidate, herd->since, analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++)
		if (is_herd(analysis, herd_at(analysis, site)))
			judge(analysis, site);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct herd *herd = herd_at(analysis, first->subject);

	finding->title = analyze_say(analysis,
		"%s times all coroutines that wait at %s were woken at once, and hardly any had "
		"something to "
		"do",
		analyze_words_number(analysis, herd->nr_thundered),
		analyze_words_place(analysis, first->subject));
	analyze_story_wake(
		analysis, story, &herd->waker, "woke the first of them, for the last time");
	analyze_story_evidence(analysis, story,
		"%s wakes were in vain, %s each time, and they took %s of a worker's time",
		analyze_words_number(analysis, herd->nr_vain_wakes),
		analyze_words_number(analysis, herd->nr_vain_wakes / herd->nr_thundered),
		analyze_words_duration(analysis, herd->wasted_ns));
	analyze_story_evidence(analysis, story,
		"%s of %s wakes of so many at once at this place were of this kind",
		analyze_words_number(analysis, herd->nr_thundered),
		analyze_words_number(analysis, herd->nr_bursts));
}

const struct rule rules_thundering_herd = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.nr_coro_bytes = sizeof(uint32_t),
		.nr_place_bytes = sizeof(struct herd),
		.looks = {[MODEL_WAKE] = look_at_wake,
			[MODEL_WAIT] = look_at_wait,
			[MODEL_PROGRESS] = look_at_progress,
			[MODEL_FINISH] = look_at_end},
		.wakes_from = ~ALONE,
		.begin = begin,
		.visit = visit},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
