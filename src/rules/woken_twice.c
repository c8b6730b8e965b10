/* SPDX-License-Identifier: MIT */
/*
 * Woken twice: two wakes put a coroutine into a queue for one wait. The first wake resumed the coroutine, it began to
 * wait again, and the second wake resumed it out of that wait, which nobody had ended: the coroutine goes on without
 * what it waits for.
 *
 * The rule is silent if something unrecorded may have ended the wait: the world outside, the clock, a child's end, a
 * yield; if a wake came within the uncertainty of the clocks; and if events are missing in between.
 */

#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

#define MOST_TIMES 65536u

/* One wait was ended by two wakes, and the next wait, which nobody had ended, by the second of these wakes. */
struct twice {
	uint32_t coro;
	uint32_t wait_thread; /* on which it ran between the two waits */
	uint32_t wait_site;   /* of the wait that nobody had ended */
	uint64_t wait_object; /* resource handle of that wait */
	ct_time suspended;
	uint64_t wait_event;
	ct_time resumed; /* the first time */
	uint64_t resume_event;
	uint32_t thread; /* `thread`, `time` and `sequence` are of the second resume */
	ct_time time;
	uint64_t sequence;
	uint32_t by[2];    /* the coroutines that did the two resumes; 0: none ran there */
	bool has_deadline; /* of that wait */
	bool is_yield;
	bool is_explained; /* a wake for it was found after all */
	struct model_waking wakes[2];
};

struct memory {
	VEC(struct twice) twices; /* at most MOST_TIMES */
};

static const struct memory *memory_of(const struct analysis *analysis)
{
	return analyze_watch_of(analysis, &rules_woken_twice)->memory;
}

static void end(struct model_watch *watch)
{
	struct memory *memory = watch->memory;

	vec_fini(&memory->twices);
}

static bool keep(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct memory *memory = watch->memory;
	struct twice twice = {
		.coro = sight->coro,
		.wait_thread = coro->thread,
		.wait_site = coro->wait_site,
		.wait_object = coro->wait_object,
		.suspended = coro->suspended,
		.wait_event = coro->wait_event,
		.resumed = coro->resumed,
		.resume_event = coro->resume_event,
		.thread = sight->event->thread,
		.time = sight->event->time,
		.sequence = sight->event->sequence,
		.has_deadline = coro->rare->deadline != CT_NO_TIME,
		.by = {coro->rare->resumer, model_resumer(watch->model, sight->event)},
		.is_yield = coro->point != CTP_POINT_AWAIT,
		.wakes = {coro->turns->wake_before, model_wake_last(coro)},
	};

	return memory->twices.count >= MOST_TIMES || vec_push(&memory->twices, twice);
}

/* Keeps the resume if one of two wakes had run the coroutine already, and nobody has ended its wait since. */
static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];

	return !coro->has_spare_wake || model_is_order_doubtful(coro) || keep(watch, sight);
}

/* The coroutine already runs: this wake may have caused the resume, and only have been recorded after it. */
static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	struct memory *memory = watch->memory;
	size_t i;

	if (coro->thread == sight->event->thread ||
		!model_is_near(model, coro->changed, sight->event->time))
		return true;
	for (i = memory->twices.count; i-- > 0;) {
		struct twice *twice = &memory->twices.at[i];

		if (!model_is_near(model, twice->time, coro->changed))
			break;
		twice->is_explained |= twice->coro == sight->coro;
	}
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	struct memory *memory = watch->memory;
	size_t i;

	for (i = 0; i < memory->twices.count; i++) {
		visit_coro(release, &memory->twices.at[i].coro, MODEL_MARK_WHOLE);
		visit_coro(release, &memory->twices.at[i].by[0], MODEL_MARK_SELF);
		visit_coro(release, &memory->twices.at[i].by[1], MODEL_MARK_SELF);
		visit_coro(release, &memory->twices.at[i].wakes[0].coro, MODEL_MARK_SELF);
		visit_coro(release, &memory->twices.at[i].wakes[1].coro, MODEL_MARK_SELF);
	}
}

/* ---------------------------------------------------------------- the candidates */

/* Can only the program itself end such a wait, by a wake? */
static bool is_for_a_wake(const struct twice *twice)
{
	switch (CTP_HANDLE_RESOURCE(twice->wait_object)) {
	case CTP_RESOURCE_LOCK:
	case CTP_RESOURCE_CONDITION:
	case CTP_RESOURCE_CHANNEL:
	case CTP_RESOURCE_SEMAPHORE:
	case CTP_RESOURCE_EVENT:
	case CTP_RESOURCE_QUEUE:
	case CTP_RESOURCE_OTHER:
		return !twice->has_deadline && !twice->is_yield;
	default:
		return false;
	}
}

/* How many of these resumes happened at each place. */
static uint32_t *count_places(struct analysis *analysis)
{
	const struct memory *memory = memory_of(analysis);
	uint32_t *counts =
		analyze_scratch(analysis, analysis->tables->nr_sites + 1, sizeof(*counts));
	size_t i;

	for (i = 0; counts && i < memory->twices.count; i++)
		if (memory->twices.at[i].wait_site < analysis->tables->nr_sites)
			counts[memory->twices.at[i].wait_site]++;
	return counts;
}

/* Limits the grade unless coroutines at this place are usually woken, and these wakes are recorded. */
static void limit_for_place(
	const struct analysis *analysis, const uint32_t *counts, struct candidate *candidate)
{
	uint32_t site =
		candidate->wait_site < analysis->tables->nr_sites ? candidate->wait_site : 0;
	const struct model_place_times *times = analysis->model->place_times[site];

	if (!times || times->nr_unwoken > counts[site])
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_UNTOLD_WAKES);
	else if (model_histogram(times->delays)->count == 0)
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_UNTOLD_WAKES);
}

static void judge(struct analysis *analysis, const uint32_t *counts, uint32_t index)
{
	const struct twice *twice = &memory_of(analysis)->twices.at[index];
	const struct model_coro *coro = &analysis->model->coros.at[twice->coro];
	int64_t doubt = analysis->model->uncertainty_ns;
	struct candidate candidate = {
		.rule = CT_RULE_WOKEN_TWICE,
		.grade = CT_GRADE_PROVEN,
		.process = coro->process,
		.coro = twice->coro,
		.wait_site = twice->wait_site,
		.cause_site = twice->wakes[1].site,
		.subject = index,
		.since = twice->time,
	};

	if (model_lost_between(analysis->model, coro->process, twice->wakes[0].time - doubt,
		    twice->time + doubt))
		return;
	limit_for_place(analysis, counts, &candidate);
	if (!analysis->model->processes[coro->process].tells_queues)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_QUEUES_UNTOLD);
	/* The resume may have come before the wait: then the coroutine was resumed while it ran. */
	if (twice->thread != twice->wait_thread && twice->time - twice->suspended <= doubt)
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_CLOCKS);
	analyze_candidate_add(analysis, &candidate);
}

/* Judges the first one of each coroutine; other findings of the coroutine do not matter here. */
static void find(struct analysis *analysis)
{
	const struct memory *memory = memory_of(analysis);
	uint32_t *counts = memory->twices.count ? count_places(analysis) : NULL, i;
	bool *is_judged =
		analyze_scratch(analysis, analysis->model->coros.count, sizeof(*is_judged));

	for (i = 0; counts && is_judged && i < memory->twices.count; i++) {
		const struct twice *twice = &memory->twices.at[i];

		if (twice->is_explained || is_judged[twice->coro] || !is_for_a_wake(twice))
			continue;
		is_judged[twice->coro] = true;
		judge(analysis, counts, i);
	}
}

/* ---------------------------------------------------------------- the proof */

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct twice *twice = &memory_of(analysis)->twices.at[candidate->subject];
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	uint64_t resumes = CLAIM_KIND(RESUME) | CLAIM_KIND(SWITCH), subject = claim_coro(coro->id);
	struct claim unwoken = {
		.kind = CLAIM_NOTHING,
		.process = coro->process,
		.subject = subject,
		.frames = {coro->rare->frame, coro->rare->address},
		.kinds = CLAIM_RUNS | CLAIM_KIND(WAKE),
		.after = twice->wait_event,
		.before = twice->sequence,
	};

	claim_told(claims, twice->wakes[0].sequence, CLAIM_KIND(WAKE), 0);
	claim_told(claims, twice->wakes[1].sequence, CLAIM_KIND(WAKE), 0);
	claim_told(claims, twice->resume_event, resumes, subject);
	claim_told(claims, twice->wait_event, CLAIM_KIND(SUSPEND) | CLAIM_KIND(SWITCH), subject);
	claim_told(claims, twice->sequence, resumes, subject);
	claim_at_switch(claims, twice->wait_event);
	claim_at_switch(claims, twice->sequence);
	claim_add(claims, &unwoken);
	claim_order(claims, twice->wait_event, twice->sequence);
	claim_wakes(claims, coro->process, twice->wait_site);
	claim_whole(claims, coro->process, 0, twice->wakes[0].time, twice->time);
}

/* ---------------------------------------------------------------- the evidence */

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct twice *twice = &memory_of(analysis)->twices.at[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const char *what = analyze_words_resource(analysis, twice->wait_object, 0);
	struct ct_step wait = {
		.time = twice->suspended,
		.site = twice->wait_site,
		.coro = coro->id,
		.sequence = twice->wait_event,
		.text = analyze_say(analysis, "suspended anew, to wait for %s", what),
	};

	finding->title = analyze_say(analysis,
		"%s %s woken twice for one wait, and resumed by the second wake from the next "
		"wait, at %s; it came from %s",
		analyze_words_number(analysis, group->count),
		group->count == 1 ? "coroutine was" : "coroutines were",
		analyze_words_place(analysis, first->wait_site),
		analyze_words_place(analysis, first->cause_site));
	analyze_story_woken(analysis, story, coro, twice->wakes[0]);
	analyze_story_woken(analysis, story, coro, twice->wakes[1]);
	analyze_story_step(analysis, story,
		&(struct ct_step){.time = twice->resumed,
			.thread = twice->wait_thread,
			.coro = analysis->model->coros.at[twice->by[0]].id,
			.sequence = twice->resume_event,
			.text = "resumed it: that was one of the two wakes"});
	wait.thread = twice->wait_thread;
	analyze_story_step(analysis, story, &wait);
	analyze_story_step(analysis, story,
		&(struct ct_step){.time = twice->time,
			.thread = twice->thread,
			.coro = analysis->model->coros.at[twice->by[1]].id,
			.sequence = twice->sequence,
			.text = analyze_say(analysis,
				"resumed it, though nobody had woken it since: it goes on without "
				"%s",
				what)});
}

const struct rule rules_woken_twice = {
	.watcher = {.nr_bytes = sizeof(struct memory),
		.looks = {[MODEL_RUN_UNWOKEN] = look_at_run, [MODEL_WAKE_RUNNING] = look_at_wake},
		.end = end,
		.visit = visit},
	.find = find,
	.certify = certify,
	.describe = describe,
	.is_no_explanation = true,
};
