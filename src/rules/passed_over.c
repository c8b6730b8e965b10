/* SPDX-License-Identifier: MIT */
/*
 * Ready and passed over: a coroutine has been ready for over a second, or had been until it finally ran, while others
 * ran again and again; or while the threads that run coroutines stayed in the scheduler's own code, or looked for
 * work and did not take it.
 *
 * One turn of each of the others before its own is fair, whatever the order; so is a tree of work that is done depth
 * first. Therefore the others must have run many times each, on the thread that ran this coroutine before. The rule
 * is silent about marked coroutines, during a warm-up or the end of a program, if events are missing meanwhile, and
 * if a wake may have been for another coroutine.
 */
#include <string.h>

#include "analyze/leads.h"
#include "rules/parts.h"

enum variant {
	VARIANT_OTHERS,  /* others ran again and again */
	VARIANT_AT_LAST, /* the same, and then the coroutine ran */
	VARIANT_SPINS,   /* a worker is busy with something of its own */
	VARIANT_LOOKS,   /* workers woke up, and went to sleep again */
	VARIANT_LEFT,    /* nothing ran since */
};

/* ---------------------------------------------------------------- the watcher */

/* A place whose coroutines run on more threads than this may be served by any thread. */
#define RUNNERS_MAX 4u

/* A coroutine that was ready for long, and what ran meanwhile. The longest one of each place is kept. */
struct passing {
	uint32_t coro; /* 0: none */
	ct_time until;
	int64_t ns;
	uint32_t nr_runs;
	uint32_t nr_own; /* runs of others on the thread asked about, as far as they were counted */
	uint32_t nr_others;  /* others that ran, or were created, at least */
	bool has_thread_run; /* others that still live ran on that thread */
	bool has_more_runners;
	uint32_t runners[RUNNERS_MAX]; /* the threads that ran coroutines that had waited there */
};

/*
 * Kept for each coroutine: how many runs and creations its process had when the coroutine became ready last, and how
 * many runs the thread had that ran the coroutine before.
 */
struct before {
	uint32_t nr_runs;
	uint32_t nr_made;
	uint32_t thread;
	uint32_t nr_own;
};

static bool look_at_ready(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	const struct model_process *process = &model->processes[coro->process];
	uint32_t thread = coro->nr_resumes ? coro->thread : 0;
	struct before *before = model_watch_coro(watch, sight->coro);

	*before = (struct before){process->nr_runs, process->nr_made, thread,
		(uint32_t)model->threads[thread].nr_resumes};
	return true;
}

/*
 * Counts what ran from `since` until now, while the coroutine was ready. Others count as preferred if they ran on
 * `thread` (0: on any). If another thread ran the coroutine before, how many runs `thread` had was not counted. Looks
 * at all coroutines.
 */
static struct passing passing_since(const struct model_watch *watch, uint32_t index,
	uint32_t thread, ct_time since, ct_time until)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[index];
	const struct model_process *process = &model->processes[coro->process];
	const struct before *before = model_watch_coro(watch, index);
	struct passing passing = {.coro = index,
		.until = until,
		.ns = until - since,
		.nr_runs = process->nr_runs - before->nr_runs,
		.nr_own = process->nr_runs - before->nr_runs};
	uint32_t nr_made = process->nr_made - before->nr_made, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *other = &model->coros.at[i];

		if (i == index || other->process != coro->process || other->resumed <= since)
			continue;
		passing.nr_others++;
		passing.has_thread_run |= !thread || other->thread == thread;
	}
	if (passing.nr_others < nr_made)
		passing.nr_others = nr_made;
	if (thread)
		passing.nr_own =
			thread == before->thread
				? (uint32_t)model->threads[thread].nr_resumes - before->nr_own
				: 0;
	return passing;
}

static void note_runner(struct passing *passing, uint32_t thread)
{
	uint32_t i;

	for (i = 0; i < RUNNERS_MAX && passing->runners[i] && passing->runners[i] != thread; i++)
		;
	if (i < RUNNERS_MAX)
		passing->runners[i] = thread;
	else
		passing->has_more_runners = true;
}

/* Notes the thread that runs a woken coroutine. The run that ends the delay does not count. */
static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct passing *passing = model_watch_place(watch, coro->wait_site);
	struct before *before = model_watch_coro(watch, sight->coro);

	if (coro->state != CT_STATE_READY)
		return true;
	before->nr_runs++;
	before->nr_own += before->thread == sight->event->thread;
	if (passing)
		note_runner(passing, sight->event->thread);
	return true;
}

/*
 * All coroutines are looked at, so this is done only for a delay at least twice as long as the longest at this place
 * so far.
 */
static bool look_at_delay(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct passing *passing = model_watch_place(watch, sight->site), longest;

	if (!passing || sight->ns / 2 < passing->ns)
		return true;
	longest = passing_since(watch, sight->coro, coro->nr_resumes > 1 ? coro->thread : 0,
		sight->until - sight->ns, sight->until);
	longest.has_more_runners = passing->has_more_runners;
	memcpy(longest.runners, passing->runners, sizeof(longest.runners));
	*passing = longest;
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct passing *passing = model_watch_place(watch, site);

		visit_coro(release, &passing->coro, MODEL_MARK_WHOLE);
	}
}

static const struct passing *passing_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_passed_over), site);
}

/* ---------------------------------------------------------------- others ran */

static bool were_others_preferred(const struct analysis *analysis, const struct passing *passing)
{
	int64_t fair;

	if (passing->ns <= LIMIT(analysis, PASSED_TIME) || !passing->nr_others)
		return false;
	return !__builtin_mul_overflow(
		       (int64_t)passing->nr_others, LIMIT(analysis, PASSED_TURNS), &fair) &&
	       passing->nr_runs >= fair;
}

static bool is_excused(
	const struct analysis *analysis, const struct model_coro *coro, ct_time from, ct_time until)
{
	const struct model_process *process = &analysis->model->processes[coro->process];

	return coro->mark || (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE) ||
	       process->halted != CT_NO_TIME ||
	       !analyze_party_ended_at_work(analysis, coro->process, from) ||
	       !analyze_party_is_at_work(analysis, coro->process, from, until) ||
	       model_lost_between(analysis->model, coro->process, from, until);
}

/* `site`: where the coroutine had waited. */
static void add(struct analysis *analysis, const struct passing *passing, uint32_t site,
	enum variant variant, uint64_t reasons)
{
	const struct model_coro *coro = &analysis->model->coros.at[passing->coro];
	struct candidate candidate = {
		.rule = CT_RULE_PASSED_OVER,
		/* A program that ends well may have had several loops, of which each ran until its own end. */
		.grade = reasons || variant >= VARIANT_LOOKS ||
					 analysis->parties[coro->process].has_ended_well
				 ? CT_GRADE_SUSPECT
				 : CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = passing->coro,
		.wait_site = site,
		.variant = variant,
		.reasons = reasons,
		.since = passing->until - passing->ns,
		.until = passing->until,
	};

	if (analyze_candidate_outlives_gaps(analysis, &candidate,
		    analyze_candidate_life_start(analysis, coro),
		    analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

/* Has the thread that ran this coroutine before run others again and again? Other threads may have other queues. */
static bool has_own_turns(const struct analysis *analysis, const struct passing *passing)
{
	return passing->has_thread_run && passing->nr_own >= LIMIT(analysis, PASSED_TURNS);
}

static uint64_t doubt_of(const struct analysis *analysis, const struct passing *passing)
{
	return has_own_turns(analysis, passing) ? 0 : REASON(OTHER_WORKER);
}

/* Judges a coroutine that ran in the end. */
static void judge_delay(struct analysis *analysis, uint32_t site)
{
	const struct passing *passing = passing_at(analysis, site);
	const struct model_coro *coro = &analysis->model->coros.at[passing->coro];

	if (passing->coro && !analysis->is_told[passing->coro] &&
		were_others_preferred(analysis, passing) &&
		!is_excused(analysis, coro, passing->until - passing->ns, passing->until))
		add(analysis, passing, site, VARIANT_AT_LAST, doubt_of(analysis, passing));
}

/* Has the thread been in one run for most of the time? Then the turns were those of other threads' queues. */
static bool is_held_up(const struct analysis *analysis, uint32_t thread, ct_time since, ct_time end)
{
	uint32_t top = analysis->model->threads[thread].top;

	return thread && top &&
	       ct_time_between(analysis->model->coros.at[top].resumed, end) > (end - since) / 2;
}

/* ---------------------------------------------------------------- nothing ran */

static bool may_take(
	const struct analysis *analysis, const struct model_coro *coro, uint32_t worker)
{
	const struct model_thread *thread = &analysis->model->threads[worker];

	return thread->is_worker &&
	       (!coro->is_queue_private || coro->turns->queue_thread == worker) &&
	       !thread_is_over(thread, analysis->parties[coro->process].end);
}

/* Was the worker on a processor at each look since its last event, without a coroutine? */
static bool spins(const struct analysis *analysis, uint32_t worker, uint64_t *reasons)
{
	const struct model_thread *thread = &analysis->model->threads[worker];
	enum reason doubt = analyze_stillness_doubt(analysis, worker);

	if (thread->top || thread->idle_from != CT_NO_TIME || !thread_is_computing(thread))
		return false;
	*reasons |= doubt == NR_REASONS ? 0 : UINT64_C(1) << doubt;
	return true;
}

/* Was the worker awake since, because it sleeps for a limited time again and again? */
static bool has_looked(const struct analysis *analysis, uint32_t worker, ct_time since)
{
	const struct model_thread *thread = &analysis->model->threads[worker];
	struct model_account account;
	ct_time from;

	if (thread->idle_from != CT_NO_TIME && thread->is_idle_timed && thread->timed_end > since)
		return true;
	return thread->seen_state == 'S' && !thread->seen_untimed && !thread->top &&
	       model_account_since(analysis->model, worker, since, &account, &from) &&
	       account.ran_ns > 0;
}

static void judge_left(struct analysis *analysis, const struct passing *passing)
{
	const struct model_coro *coro = &analysis->model->coros.at[passing->coro];
	const struct model_process *process = &analysis->model->processes[coro->process];
	ct_time since = passing->until - passing->ns;
	uint32_t nr_spinning = 0, nr_looking = 0;
	uint64_t reasons = 0;
	size_t i;

	for (i = 0; i < process->workers.count; i++) {
		uint32_t worker = process->workers.at[i];

		if (!may_take(analysis, coro, worker))
			continue;
		nr_spinning += spins(analysis, worker, &reasons);
		nr_looking += has_looked(analysis, worker, since);
	}
	/* The finding of spinning-worker says what the worker does, and counts the coroutines that are ready. */
	if (analyze_candidate_is_there(analysis, CT_RULE_SPINNING_WORKER, coro->process, 0))
		return;
	if (nr_spinning)
		add(analysis, passing, coro->wait_site, VARIANT_SPINS,
			reasons | REASON(BUSY_UNTOLD));
	else if (nr_looking)
		add(analysis, passing, coro->wait_site, VARIANT_LOOKS, 0);
	else if (!analysis->stills[coro->process].nr_running)
		add(analysis, passing, coro->wait_site, VARIANT_LEFT, 0);
}

/* Judges a coroutine that has not run yet. */
static void judge_ready(struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	ct_time end = analyze_party_working_until(analysis, coro->process),
		since = ready_since(coro);
	uint32_t thread = coro->nr_resumes ? coro->thread : 0;
	struct passing passing;

	if (end - since <= LIMIT(analysis, PASSED_TIME) || is_excused(analysis, coro, since, end) ||
		rules_blocked_worker_is_named(analysis, index))
		return;
	thread = coro->is_queue_private ? coro->turns->queue_thread : thread;
	passing = passing_since(
		analyze_watch_of(analysis, &rules_passed_over), index, thread, since, end);
	passing.has_thread_run &= !is_held_up(analysis, thread, since, end);
	if (were_others_preferred(analysis, &passing))
		add(analysis, &passing, coro->wait_site, VARIANT_OTHERS,
			doubt_of(analysis, &passing));
	else if (end - analysis->stills[coro->process].moment > LIMIT(analysis, PASSED_TIME))
		judge_left(analysis, &passing);
}

/* Each of these needs a look at all coroutines: usually they are few; otherwise these are enough for the finding. */
#define JUDGED 1000u

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t nr_judged = 0, i;

	for (i = 1; i < model->coros.count && nr_judged < JUDGED; i++) {
		if (analysis->is_told[i] || !is_ready(&model->coros.at[i]))
			continue;
		nr_judged++;
		judge_ready(analysis, i);
	}
	for (i = 0; i < analysis->tables->nr_sites; i++)
		judge_delay(analysis, i);
}

/* ---------------------------------------------------------------- the evidence */

static struct passing passing_of(const struct analysis *analysis, const struct candidate *candidate)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];

	if (candidate->variant == VARIANT_AT_LAST)
		return *passing_at(analysis, candidate->wait_site);
	return passing_since(analyze_watch_of(analysis, &rules_passed_over), candidate->coro,
		coro->thread, candidate->since,
		analyze_party_working_until(analysis, coro->process));
}

static const char *words_title(
	struct analysis *analysis, const struct candidate *first, const struct passing *passing)
{
	const char *who = analyze_say(analysis, "%s %s ready for %s",
		analyze_words_coro(analysis, &analysis->model->coros.at[first->coro]),
		first->variant == VARIANT_AT_LAST ? "was" : "has been",
		analyze_words_duration(analysis, passing->ns));

	switch (first->variant) {
	case VARIANT_OTHERS:
	case VARIANT_AT_LAST:
		return analyze_say(analysis, "%s, and %s runs of %s other%s came before", who,
			analyze_words_number(analysis, passing->nr_runs),
			analyze_words_number(analysis, passing->nr_others),
			passing->nr_others == 1 ? "" : "s");
	case VARIANT_SPINS:
		return analyze_say(
			analysis, "%s, and a worker is busy without running anything", who);
	case VARIANT_LEFT:
		return analyze_say(analysis, "%s, and nothing has run since", who);
	default:
		return analyze_say(
			analysis, "%s, and workers woke up, and went to sleep again", who);
	}
}

/* Has the thread recorded no event after `since`, and did the engine see the thread asleep after `since`? */
static bool sleeps_since(const struct analysis *analysis, uint32_t index, ct_time since)
{
	const struct model_thread *thread = &analysis->model->threads[index];

	return thread->last_event <= since && thread_is_seen(thread) && thread->seen > since &&
	       thread->seen_state == 'S' &&
	       !thread_is_over(thread, analysis->parties[thread->process].end);
}

/* Adds that only a few threads ran the coroutines of this place, if each of these threads sleeps. */
static void tell_runners(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct passing *passing = passing_at(analysis, coro->wait_site);
	ct_time since = ready_since(coro);
	uint32_t i, count = 0;

	if (!passing || passing->has_more_runners)
		return;
	for (; count < RUNNERS_MAX && passing->runners[count]; count++)
		if (!sleeps_since(analysis, passing->runners[count], since))
			return;
	for (i = 0; i < count; i++)
		analyze_story_evidence(analysis, story,
			"%s, which %s the coroutines that had waited there, has recorded nothing "
			"since, and is "
			"%s: the queue may belong to this thread, which is not recorded",
			analyze_words_thread(analysis, passing->runners[i]),
			count == 1 ? "alone ran" : "with others ran",
			analyze_stillness_words_thread(analysis, passing->runners[i]));
}

/* Tells of the only thread that has ever run the coroutine, if that thread has run hardly anything, and sleeps. */
static void tell_own_thread(struct analysis *analysis, struct story *story,
	struct ct_finding *finding, const struct model_coro *coro, const struct passing *passing)
{
	const struct model_thread *thread = &analysis->model->threads[coro->thread];

	if (coro->nr_resumes < 2 || coro->turns->nr_migrations || coro->is_queue_private ||
		has_own_turns(analysis, passing) || thread->top || !thread_is_seen(thread) ||
		thread->seen_state != 'S' || thread->seen <= ready_since(coro))
		return;
	analyze_story_evidence(analysis, story,
		"%s, which made all %s runs of it, made %s of these, and is %s",
		analyze_words_thread(analysis, coro->thread),
		analyze_words_number(analysis, coro->nr_resumes),
		passing->nr_own ? analyze_words_number(analysis, passing->nr_own) : "none",
		analyze_stillness_words_thread(analysis, coro->thread));
	finding->next_step = "look at which thread its wake rouses: if the coroutine is bound to "
			     "the one that ran it before, another one cannot take it";
}

/* A wake that comes sooner than this may have come before the worker was done with the coroutine. */
#define OVERLAP_NS 50000

/* Tells of a wake from another thread, so soon that what the worker stored after the run may have undone it. */
static void tell_overlap(struct analysis *analysis, struct story *story, struct ct_finding *finding,
	const struct model_coro *coro)
{
	struct model_waking wake = model_wake_last(coro);
	int64_t after;

	if (coro->suspended == CT_NO_TIME || wake.time == CT_NO_TIME || wake.time < coro->resumed ||
		wake.thread == coro->thread)
		return;
	after = wake.time - coro->suspended;
	if (after > OVERLAP_NS)
		return;
	analyze_story_evidence(analysis, story,
		"its wake came %s, from another thread than the one that had run it",
		after < 0 ? "while it ran"
			  : analyze_say(analysis, "%s after its suspension",
				    analyze_words_duration(analysis, after)));
	finding->next_step = "look at what the worker stores once a coroutine has suspended: if it "
			     "overwrites what a wake has just stored, the wake is lost; otherwise "
			     "at the order in which the queue is emptied";
}

/* The thread that ended last, if all that ran coroutines of this process have ended; otherwise 0. */
static uint32_t last_worker_gone(const struct analysis *analysis, uint32_t index)
{
	const struct model_process *process = &analysis->model->processes[index];
	uint32_t last = 0;
	size_t i;

	for (i = 0; i < process->workers.count; i++) {
		uint32_t worker = process->workers.at[i];
		const struct model_thread *thread = &analysis->model->threads[worker];

		if (!thread_is_over(thread, analysis->parties[index].end))
			return 0;
		if (!last || thread->stopped > analysis->model->threads[last].stopped)
			last = worker;
	}
	return last;
}

/* Tells that nobody is left who could run it, and which errors came before. */
static void tell_gone(struct analysis *analysis, struct story *story, struct ct_finding *finding,
	const struct model_coro *coro, uint32_t worker)
{
	struct ct_step step = {
		.time = analysis->model->threads[worker].stopped,
		.thread = worker,
		.sequence = UINT64_MAX,
		.text = "the last thread that ran coroutines has ended",
	};

	finding->title = analyze_say(
		analysis, "%s; all threads that ran coroutines have ended", finding->title);
	finding->next_step = "look at why these threads ended: an error that leaves a coroutine "
			     "may have ended the worker's own loop";
	analyze_story_step(analysis, story, &step);
	analyze_story_failed(analysis, story, coro->process);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	uint32_t gone;
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct passing passing = passing_of(analysis, first);
	struct ct_step ran = {
		.time = passing.until,
		.coro = coro->id,
		.sequence = UINT64_MAX,
		.text = "ran at last",
	};

	finding->title = words_title(analysis, first, &passing);
	if (first->variant == VARIANT_LEFT)
		finding->next_step =
			"look at what the thread that should run it waits for, and whether "
			"that wait ends when a coroutine is made ready";
	if (first->variant == VARIANT_AT_LAST)
		analyze_story_step(analysis, story, &ran);
	else
		analyze_story_made_ready(analysis, story, coro);
	if (group->count > 1)
		analyze_story_evidence(analysis, story,
			"%s more that waited there are ready as well",
			analyze_words_number(analysis, group->count - 1));
	if (first->variant != VARIANT_AT_LAST) {
		tell_runners(analysis, story, coro);
		analyze_leads_tell_ready(analysis, story, coro);
	}
	if (first->variant == VARIANT_OTHERS) {
		tell_own_thread(analysis, story, finding, coro, &passing);
		tell_overlap(analysis, story, finding, coro);
	}
	gone = last_worker_gone(analysis, first->process);
	if (first->variant == VARIANT_LEFT && gone)
		tell_gone(analysis, story, finding, coro, gone);
	if (first->variant >= VARIANT_SPINS)
		analyze_stillness_tell_threads(analysis, first->process, story);
	finding->last_sequence = coro->last_event;
}

const struct rule rules_passed_over = {
	.watcher = {.nr_coro_bytes = sizeof(struct before),
		.nr_place_bytes = sizeof(struct passing),
		.looks = {[MODEL_READY] = look_at_ready,
			[MODEL_RUN] = look_at_run,
			[MODEL_DELAY] = look_at_delay},
		.visit = visit},
	.find = find,
	.describe = describe,
};
