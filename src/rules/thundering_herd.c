/* SPDX-License-Identifier: MIT */
/*
 * Thundering herds: again and again one event wakes everybody who waits for one thing, one of them gets it, and the
 * rest wait for it again right away.
 *
 * Silent for broadcasts and barriers: there all go on, or, where what they do is not told, none seems to; most times
 * somebody must have been served. Silent, too, while the program warms up or ends, and where the coroutine is marked.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "rules/parts.h"

/* ---------------------------------------------------------------- what it watches */

/* A burst's number, and that it is over for this coroutine: it waits again, or has got something done. */
#define BURST_OVER (1u << 31)
#define MOST_HERDS 16384u

/* What is woken at one place. */
struct herd {
	uint32_t site;
	uint32_t burst; /* number of the present one; the rest up to `present` is of that */
	uint64_t object;
	uint32_t nr_woken;
	uint32_t nr_vain; /* that wait again, with nothing done */
	uint32_t nr_told; /* that got something done, and told of it */
	uint32_t last_vain;
	int64_t vain_ns; /* for which those ran */
	ct_time first;
	ct_time last;
	uint64_t waker_id;           /* who began it */
	struct model_waking present; /* its first wake, without who did it */
	uint64_t nr_bursts;          /* large ones */
	uint64_t nr_thundered;       /* of those: for nearly all in vain; the rest is of those */
	uint64_t nr_served;          /* somebody told of something done */
	uint64_t nr_vain_wakes;
	int64_t wasted_ns;
	ct_time since;
	ct_time until;
	uint32_t coro;             /* that was woken in vain by the last one */
	struct model_waking waker; /* the first wake of the last one */
};

/* Of a coroutine is kept the number of the burst that woke it. */
struct memory {
	VEC(struct herd) herds; /* [0] is none; at most MOST_HERDS */
	uint32_t *of_site;
	uint32_t nr_bursts; /* numbers that were given */
	/* From when on it is one, and what is right away: also between two wakes of a burst. */
	uint32_t least_woken;
	uint32_t most_progressed;
	int64_t back_ns;
};

static const struct memory *memory_of(const struct analysis *analysis)
{
	return analyze_memory_of(analysis, &rules_thundering_herd);
}

static bool begin(struct model_watch *watch, const void *settings)
{
	const struct analysis *analysis = settings;
	struct memory *memory = watch->memory;

	memory->least_woken = (uint32_t)LIMIT(analysis, HERD_WOKEN);
	memory->most_progressed = (uint32_t)LIMIT(analysis, HERD_PROGRESS);
	memory->back_ns = LIMIT(analysis, HERD_TIME);
	memory->of_site = calloc(watch->model->tables->nr_sites + 1, sizeof(*memory->of_site));
	return memory->of_site && vec_push(&memory->herds, (struct herd){0});
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	vec_fini(&memory->herds);
	free(memory->of_site);
}

static uint32_t *burst_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

#define RESOURCE(name) (1u << CTP_RESOURCE_##name)

/* What each waits for alone is nobody's herd. */
static bool is_shared(uint64_t object)
{
	static const unsigned alone = RESOURCE(NONE) | RESOURCE(COROUTINE) | RESOURCE(FRAME) |
				      RESOURCE(REMOTE) | RESOURCE(TIMER) | RESOURCE(PROCESS);
	unsigned kind = CTP_HANDLE_RESOURCE(object);

	return kind >= 32 || !(alone >> kind & 1);
}

/* The herd of a place, made if there is none; *ret_index 0: there is no room. False: out of memory. */
static bool herd_at(struct model_watch *watch, uint32_t site, uint32_t *ret_index)
{
	struct memory *memory = watch->memory;
	bool is_known = site < watch->model->tables->nr_sites;

	*ret_index = is_known ? memory->of_site[site] : 0;
	if (*ret_index || !is_known)
		return true;
	if (memory->herds.count > MOST_HERDS) {
		model_watch_refuse(watch);
		return true;
	}
	*ret_index = memory->of_site[site] = (uint32_t)memory->herds.count;
	return vec_push(&memory->herds, (struct herd){.site = site});
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
	uint32_t *burst = burst_of(watch, sight->coro), place;
	struct herd *herd;

	if (coro->state != CT_STATE_WAITING || coro->point != CTP_POINT_AWAIT ||
		!is_shared(coro->wait_object) || !model_makes_ready(event->argument))
		return true;
	if (!herd_at(watch, coro->wait_site, &place))
		return false;
	if (!place)
		return true;
	herd = &memory->herds.at[place];
	if (herd->burst == (*burst & ~BURST_OVER) || herd->object != coro->wait_object ||
		herd->present.thread != event->thread || event->time - herd->last > memory->back_ns)
		begin_burst(watch, herd, coro->wait_object, event);
	herd->last = event->time;
	herd->nr_woken++;
	*burst = herd->burst;
	return true;
}

/* The herd of the place at which it waits, or did last; one that is none. */
static struct herd *herd_of(const struct model_watch *watch, const struct model_coro *coro)
{
	const struct memory *memory = watch->memory;
	bool is_known = coro->wait_site < watch->model->tables->nr_sites;

	return &memory->herds.at[is_known ? memory->of_site[coro->wait_site] : 0];
}

static bool is_over(uint32_t burst)
{
	return !burst || (burst & BURST_OVER);
}

static bool look_at_progress(struct model_watch *watch, const struct model_sight *sight)
{
	uint32_t *burst = burst_of(watch, sight->coro);
	struct herd *herd;

	if (is_over(*burst))
		return true;
	herd = herd_of(watch, &watch->model->coros.at[sight->coro]);
	herd->nr_told += herd->burst == *burst;
	*burst |= BURST_OVER;
	return true;
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct memory *memory = watch->memory;
	uint32_t *burst = burst_of(watch, sight->coro);
	struct herd *herd;

	if (is_over(*burst))
		return true;
	herd = herd_of(watch, coro);
	if (herd->burst == *burst && herd->object == coro->wait_object &&
		coro->resumed != CT_NO_TIME && coro->suspended - coro->resumed <= memory->back_ns) {
		herd->nr_vain++;
		herd->vain_ns += coro->suspended - coro->resumed;
		herd->last_vain = sight->coro;
	}
	*burst |= BURST_OVER;
	return true;
}

/* Nobody comes back any more. */
static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	struct memory *memory = watch->memory;
	size_t i;

	(void)sight;
	for (i = 1; i < memory->herds.count; i++)
		settle(watch, &memory->herds.at[i]);
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	struct memory *memory = watch->memory;
	size_t i;

	for (i = 1; i < memory->herds.count; i++) {
		struct herd *herd = &memory->herds.at[i];
		uint32_t process = watch->model->threads[herd->present.thread].process;
		uint32_t waker = model_find(watch->model, process, herd->waker_id);

		visit_coro(release, &herd->last_vain, MARK_WHOLE);
		visit_coro(release, &herd->coro, MARK_WHOLE);
		visit_coro(release, &herd->waker.coro, MARK_SELF);
		/* Who began the present burst is known by its id. */
		visit_coro(release, &waker, MARK_SELF);
	}
}

/* ---------------------------------------------------------------- what it finds */

static bool is_herd(const struct analysis *analysis, const struct herd *herd)
{
	return herd->nr_thundered >= (uint64_t)LIMIT(analysis, HERD_TIMES) &&
	       herd->nr_served * 2 > herd->nr_thundered && herd->nr_thundered * 2 > herd->nr_bursts;
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct herd *herd = &memory_of(analysis)->herds.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[herd->coro];
	struct candidate candidate = {
		.rule = CT_RULE_THUNDERING_HERD,
		.grade = CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = herd->coro,
		.wait_site = herd->site,
		.cause_site = herd->waker.site,
		.descriptor = coro->descriptor,
		.subject = index,
		.since = herd->since,
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
	const struct memory *memory = memory_of(analysis);
	uint32_t i;

	for (i = 1; i < memory->herds.count; i++)
		if (is_herd(analysis, &memory->herds.at[i]))
			judge(analysis, i);
}

static void describe(
	struct analysis *analysis, const struct group *group, struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct herd *herd = &memory_of(analysis)->herds.at[first->subject];
	struct story story = {0};

	finding->title = analyze_say(analysis,
		"%" PRIu64 " times all who wait at %s were woken at once, and hardly any had "
		"something to do",
		herd->nr_thundered, analyze_words_place(analysis, herd->site));
	analyze_story_wake(
		analysis, &story, &herd->waker, "woke the first of them, for the last time");
	analyze_story_evidence(analysis, &story,
		"%" PRIu64 " wakes were in vain, %" PRIu64
		" each time, and they took %s of a worker's time",
		herd->nr_vain_wakes, herd->nr_vain_wakes / herd->nr_thundered,
		analyze_words_duration(analysis, herd->wasted_ns));
	analyze_story_evidence(analysis, &story,
		"%" PRIu64 " of %" PRIu64 " wakes of so many at once at this place were such",
		herd->nr_thundered, herd->nr_bursts);
	analyze_story_end(analysis, &story, finding);
}

const struct rule rules_thundering_herd = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.nr_coro_bytes = sizeof(uint32_t),
		.looks = {[MODEL_WAKE] = look_at_wake,
			[MODEL_WAIT] = look_at_wait,
			[MODEL_PROGRESS] = look_at_progress,
			[MODEL_FINISH] = look_at_end},
		.begin = begin,
		.end = end,
		.visit = visit},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
