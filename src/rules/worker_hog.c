/* SPDX-License-Identifier: MIT */
/*
 * Hogs: one run of a coroutine lasted far longer than runs from that place usually do, and others were ready for at
 * least half of the run, and still not run at its end. A loop that runs on one thread makes nobody ready meanwhile, so
 * that others count, too, whose timers ran out in the first half of a run of a tenth of a second, or which the thread
 * woke right after such a run, and whose waits would have ended in its first half, had they taken the longest time
 * that waits there ever took. The kernel's accounts of the thread must confirm that it computed, or was in a blocking
 * call, for that long.
 *
 * The rule is silent if the accounts are missing, or the thread waited for a processor, or slept in a way that nothing
 * recorded explains; if the world stood still meanwhile, as during a garbage collection; if nobody was kept waiting; if
 * the coroutine is marked; while the program warms up or ends; and under a debugger. A thread in a futex waits for
 * another one: a Suspect, if one of the others had no processor, and silent, if one that was just started had none yet
 * when last looked at.
 */
#include <inttypes.h>

#include "analyze/hot.h"
#include "base/system_calls.h"
#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

/* For each place: the last run from there for which the delay of others was looked up. */
struct hog {
	struct model_run run;
	/*
	 * Others that were ready for at least half of the run, and still at its end; others whose timers had run out;
	 * others that were held up; `behind` had been so for the longest time.
	 */
	uint32_t nr_behind, nr_overdue, nr_held;
	uint32_t behind;
	ct_time behind_since;
	/* the call in which the engine found the thread asleep during the run; MODEL_NO_CALL: none */
	uint32_t system_call;
	int64_t slept_ns; /* from the first to the last look that found it in that call */
};

static const struct hog *hog_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_worker_hog), site);
}

/* Since when the coroutine could have run: it is ready, or its timer ran out during the run. CT_NO_TIME: never. */
static ct_time behind_since(const struct model_coro *coro, const struct model_run *run)
{
	if (coro->state == CT_STATE_READY)
		return coro->changed;
	if (coro->state == CT_STATE_WAITING && coro->rare->deadline >= run->until - run->ns)
		return coro->rare->deadline;
	return CT_NO_TIME;
}

static void add_behind(struct hog *hog, uint32_t coro, ct_time since)
{
	hog->nr_behind++;
	if (hog->behind && hog->behind_since <= since)
		return;
	hog->behind = coro;
	hog->behind_since = since;
}

static void find_behind(const struct model *model, struct hog *hog)
{
	uint32_t process = model->coros.at[hog->run.coro].process, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		ct_time since = behind_since(coro, &hog->run);

		if (coro->process != process || since == CT_NO_TIME ||
			since > hog->run.until - hog->run.ns / 2)
			continue;
		hog->nr_overdue += coro->state == CT_STATE_WAITING;
		add_behind(hog, i, since);
	}
}

/*
 * Notes the call in which the run slept, and for how long at least. A look at its very end may find the thread awake
 * again: then the looks before count, if they reach over a quarter of the run, for they come at ever longer intervals.
 * A thread that waits for descriptors waits for work, whatever coroutine is said to run.
 */
static void note_sleep(const struct model *model, struct hog *hog)
{
	const struct model_run *run = &hog->run;
	const struct model_thread *thread = &model->threads[run->thread];
	ct_time since = run->until - run->ns;

	hog->system_call = MODEL_NO_CALL;
	if (thread->seen_from != CT_NO_TIME && thread->seen_from >= since) {
		hog->system_call = thread->seen_system_call;
		hog->slept_ns = thread->seen - thread->seen_from;
	} else if (thread->slept_from != CT_NO_TIME && thread->slept_from >= since &&
		   thread->slept_until - thread->slept_from >= run->ns / 4) {
		hog->system_call = thread->slept_call;
		hog->slept_ns = thread->slept_until - thread->slept_from;
	}
	if (!system_call_is_epoll(hog->system_call))
		return;
	hog->system_call = MODEL_NO_CALL;
	hog->slept_ns = 0;
}

/*
 * The coroutines that a run kept waiting are found by a look at all coroutines. That is done only for a run at least
 * twice as long as any looked up at this place before, so that such looks are rare.
 */
static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_place_times *times = model_times_at(watch->model, sight->site);
	struct hog *hog = model_watch_place(watch, sight->site);

	if (!hog || times->longest.ns / 2 < hog->run.ns)
		return true;
	*hog = (struct hog){.run = times->longest};
	note_sleep(watch->model, hog);
	find_behind(watch->model, hog);
	return true;
}

#define RIGHT_AFTER_NS INT64_C(1000000) /* what a loop does within this time, it does first */
#define LEAST_WAITS 3u                  /* fewer do not show how long such a wait takes */

/* When the wait would have ended, had it taken the longest time that waits there ever took; CT_NO_TIME: not known. */
static ct_time due(const struct model *model, const struct model_coro *coro)
{
	const struct histogram *waits = model_waits_at(model, coro->wait_site);

	return waits->count >= LEAST_WAITS ? coro->suspended + (ct_time)waits->max : CT_NO_TIME;
}

/* Does this thread, right after a long run and in no coroutine, end a wait that would have ended during that run? */
static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	const struct model_past_run *run = &model->threads[sight->event->thread].last_run;
	struct hog *hog;
	ct_time since;

	if (sight->by || !run->coro)
		return true;
	hog = model_watch_place(watch, run->site);
	if (!hog || coro->state != CT_STATE_WAITING || hog->run.until != run->until ||
		hog->run.thread != run->thread || sight->event->time - run->until > RIGHT_AFTER_NS)
		return true;
	since = due(model, coro);
	if (since == CT_NO_TIME || since < run->until - run->ns ||
		since > run->until - run->ns / 2 || coro->rare->deadline != CT_NO_TIME)
		return true;
	hog->nr_held++;
	add_behind(hog, sight->coro, since);
	return true;
}

static void visit(struct model_watch *watch, struct release *release, model_visitor *visit_coro)
{
	uint32_t site;

	for (site = 0; site < watch->nr_places; site++) {
		struct hog *hog = model_watch_place(watch, site);

		visit_coro(release, &hog->run.coro, MODEL_MARK_WHOLE);
		visit_coro(release, &hog->behind, MODEL_MARK_WHOLE);
	}
}

/* ---------------------------------------------------------------- the candidates */

/* The longest time that a run usually takes: a run from this place or, if there were too few, any run. 0: not known. */
static int64_t usual_time(const struct analysis *analysis, uint32_t site)
{
	uint32_t coro = hog_at(analysis, site)->run.coro;
	uint32_t process = analysis->model->coros.at[coro].process;
	int64_t usual = model_usual_time(
		model_times_at(analysis->model, site)->runs, LIMIT(analysis, HOG_RUNS));

	return usual ? usual
		     : model_usual_time(&analysis->model->processes[process].runs,
			       LIMIT(analysis, HOG_RUNS));
}

/* Was none of them ready? */
static bool are_overdue(const struct hog *hog)
{
	return hog->nr_overdue + hog->nr_held == hog->nr_behind;
}

/* A single one that was held up may have had to wait for something else, unless the thread slept. */
static bool is_anybody_behind(const struct hog *hog)
{
	return hog->nr_behind > (hog->nr_held == 1 && hog->system_call == MODEL_NO_CALL);
}

/* Did an error end the run? */
static bool has_failed(const struct analysis *analysis, const struct model_run *run)
{
	const struct model_coro *coro = &analysis->model->coros.at[run->coro];

	return coro->rare->failed_site && coro->resumed == run->until - run->ns;
}

static int64_t limit_of(const struct analysis *analysis, uint32_t site)
{
	int64_t least = are_overdue(hog_at(analysis, site)) ? LIMIT(analysis, HOG_OVERDUE)
							    : LIMIT(analysis, HOG_TIME);
	int64_t usual;

	if (__builtin_mul_overflow(LIMIT(analysis, HOG_FACTOR), usual_time(analysis, site), &usual))
		return INT64_MAX;
	return usual > least ? usual : least;
}

static bool is_excused(const struct analysis *analysis, const struct model_run *run)
{
	const struct model_coro *coro = &analysis->model->coros.at[run->coro];
	const struct model_process *process = &analysis->model->processes[coro->process];

	return coro->mark || process->halted != CT_NO_TIME ||
	       run->until > analyze_party_working_until(analysis, coro->process) ||
	       (process->warm_up_until != CT_NO_TIME &&
		       run->until - run->ns < process->warm_up_until);
}

static bool is_blocked(const struct model_run *run)
{
	return run->blocked_ns >= run->ns / 2;
}

/* The part of the run that the runtime took, because this thread happened to be the one that stopped the world. */
static int64_t paused_time(const struct analysis *analysis, const struct model_run *run)
{
	uint32_t process = analysis->model->coros.at[run->coro].process;
	const struct model_runtime *runtime = analysis->model->processes[process].runtime;
	int64_t paused_ns;

	if (!runtime)
		return 0;
	/* Pauses whose beginning was lost may seem longer than they were. */
	paused_ns = model_paused_between(runtime, run->until - run->ns, run->until);
	return paused_ns < 0 ? 0 : paused_ns < run->ns ? paused_ns : run->ns;
}

/* How much of the run counts against the thread. */
static int64_t own_time(const struct analysis *analysis, const struct hog *hog)
{
	const struct model_run *run = &hog->run;
	int64_t paused_ns = paused_time(analysis, run), ns, ran_ns;
	struct model_account account;

	if (!model_account_between(
		    analysis->model, run->thread, run->until - run->ns, run->until, &account))
		return 0;
	ns = run->ns - (int64_t)account.waited_ns - paused_ns;
	if (is_blocked(run) || hog->system_call != MODEL_NO_CALL)
		return ns > hog->slept_ns - paused_ns ? ns : hog->slept_ns - paused_ns;
	/* A sleep beside the run may have been in it: for the lock of an interpreter whose owner has no processor. */
	ns -= model_account_asleep(analysis->model, run->thread, run->until - run->ns, run->until);
	ran_ns = (int64_t)account.ran_ns - paused_ns;
	return ns < ran_ns ? ns : ran_ns;
}

/*
 * The accounts reach slightly beyond the run at both ends. If the thread had no processor for most of the run, the
 * rest of the accounts may be from before and after it.
 */
static bool is_starved(const struct analysis *analysis, const struct hog *hog)
{
	return own_time(analysis, hog) < hog->run.ns / 2;
}

/* What a thread waits for that had no processor for a quarter of the run may have had none either. */
static bool is_short_of_time(const struct analysis *analysis, const struct hog *hog)
{
	return own_time(analysis, hog) < hog->run.ns / 4 * 3;
}

/* Had the thread no processor for a quarter of the run, or did it only come to life meanwhile? */
static bool is_kept_off(const struct model *model, uint32_t index, const struct model_run *run)
{
	const struct model_thread *thread = &model->threads[index];
	ct_time since = run->until - run->ns;
	size_t i;

	for (i = 0; i < thread->accounts.count && thread->accounts.at[i].time <= run->until; i++)
		if (thread->accounts.at[i].time > since && !thread->accounts.at[i].ran_ns)
			return true;
	return model_account_starved(model, index, since, run->until) > run->ns / 4;
}

/* Did it come to life meanwhile, and had it had no processor when last looked at, in the last three quarters? */
static bool is_unborn(const struct model *model, uint32_t index, const struct model_run *run)
{
	const struct model_thread *thread = &model->threads[index];
	const struct model_account *last = NULL;
	ct_time since = run->until - run->ns;
	size_t i;

	for (i = 0; i < thread->accounts.count && thread->accounts.at[i].time <= run->until; i++)
		last = &thread->accounts.at[i];
	return last && thread->accounts.at[0].time > since && !last->ran_ns &&
	       last->time >= since + run->ns / 4;
}

typedef bool thread_predicate(
	const struct model *model, uint32_t index, const struct model_run *run);

/* A thread in a futex waits for another one: is that so of one of the others? */
static bool may_wait_for(const struct model *model, const struct hog *hog, thread_predicate *is_so)
{
	const struct model_run *run = &hog->run;
	uint32_t process = model->threads[run->thread].process, i;

	if (hog->system_call != SYSTEM_CALL_futex)
		return false;
	for (i = 1; i < model->nr_threads; i++)
		if (i != run->thread && model->threads[i].process == process &&
			is_so(model, i, run))
			return true;
	return false;
}

/* What may have kept the thread, and is not the coroutine's fault. */
static void add_doubts(
	struct analysis *analysis, const struct hog *hog, struct candidate *candidate)
{
	if (is_short_of_time(analysis, hog))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT,
			is_starved(analysis, hog) ? REASON_STARVED : REASON_SHORT_OF_TIME);
	/* The other thread may not run: neither is at fault. */
	if (may_wait_for(analysis->model, hog, is_kept_off))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_OTHER_STARVED);
	if (has_failed(analysis, &hog->run))
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_RUN_FAILED);
}

static void judge(struct analysis *analysis, uint32_t site)
{
	const struct hog *hog = hog_at(analysis, site);
	const struct model_run *run = &hog->run;
	struct candidate candidate = {
		.rule = CT_RULE_WORKER_HOG,
		.grade = CT_GRADE_LIKELY,
		.process = analysis->model->coros.at[run->coro].process,
		.coro = run->coro,
		.cause_site = site,
		.subject = site,
		.since = run->until - run->ns,
		.until = run->until,
	};

	/* A thread that starts another one sleeps until that one has run. */
	if (!is_anybody_behind(hog) || is_excused(analysis, run) ||
		own_time(analysis, hog) <= limit_of(analysis, site) ||
		(are_overdue(hog) && is_starved(analysis, hog)) ||
		may_wait_for(analysis->model, hog, is_unborn))
		return;
	add_doubts(analysis, hog, &candidate);
	/* Meanwhile the coroutine may have suspended, and gone on. */
	if (analyze_candidate_outlives_gaps(analysis, &candidate, run->until - run->ns, run->until))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t site;

	for (site = 0; site < analysis->tables->nr_sites; site++)
		if (hog_at(analysis, site)->run.coro)
			judge(analysis, site);
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_state(const struct hog *hog)
{
	if (hog->nr_held)
		return hog->nr_held == hog->nr_behind
			       ? "waiting for what the thread found right after it"
			       : "ready, or waiting for what the thread found right after it,";
	if (!hog->nr_overdue)
		return "ready";
	return are_overdue(hog) ? "waiting for timers that had run out"
				: "ready, or waiting for timers that had run out,";
}

static void tell_run(
	struct analysis *analysis, const struct hog *hog, uint32_t site, struct story *story)
{
	const struct model_coro *behind = &analysis->model->coros.at[hog->behind];
	const struct model_run *run = &hog->run;
	struct ct_step step = {
		.time = run->until - run->ns,
		.site = site,
		.thread = run->thread,
		.coro = analysis->model->coros.at[run->coro].id,
		.sequence = UINT64_MAX,
		.text = "resumed from here",
	};

	analyze_story_step(analysis, story, &step);
	analyze_story_party(analysis, story, hog->behind, run->thread);
	step.time = run->until;
	step.site = 0;
	step.sequence = run->event;
	step.text = analyze_say(analysis,
		"suspended after %s; %s other%s had been %s for at least half of that, "
		"coroutine %" PRIu64 " for the longest time",
		analyze_words_duration(analysis, run->ns),
		analyze_words_number(analysis, hog->nr_behind), hog->nr_behind == 1 ? "" : "s",
		words_state(hog), behind->id);
	analyze_story_step(analysis, story, &step);
}

static const char *words_doing(struct analysis *analysis, const struct hog *hog)
{
	const struct model_run *run = &hog->run;

	if (!is_blocked(run) && hog->system_call != MODEL_NO_CALL)
		return analyze_say(analysis, "the engine found the thread asleep meanwhile, in %s",
			analyze_words_system_call(analysis, hog->system_call));
	if (!is_blocked(run))
		return "by the kernel's account the thread computed meanwhile";
	return analyze_say(analysis,
		"%s of it the thread was in system calls, in %s for the last time",
		analyze_words_duration(analysis, run->blocked_ns), ct_call_name(run->call));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_place_times *times = model_times_at(analysis->model, first->subject);
	const struct hog *hog = hog_at(analysis, first->subject);
	const struct model_run *run = &hog->run;

	finding->title = analyze_say(analysis,
		"coroutine %" PRIu64 " kept %s for %s from %s on, and %s %s%s waiting",
		analysis->model->coros.at[run->coro].id,
		analyze_words_thread(analysis, run->thread),
		analyze_words_duration(analysis, run->ns),
		analyze_words_place(analysis, first->subject),
		analyze_words_number(analysis, hog->nr_behind),
		hog->nr_overdue || hog->nr_held ? "other" : "ready one",
		hog->nr_behind == 1 ? "" : "s");
	tell_run(analysis, hog, first->subject, story);
	analyze_story_evidence(analysis, story, "%s", words_doing(analysis, hog));
	if (usual_time(analysis, first->subject))
		analyze_story_evidence(analysis, story, "99 of 100 runs%s take at most %s",
			times->runs->count < (uint64_t)LIMIT(analysis, HOG_RUNS) ? ""
										 : " from there",
			analyze_words_duration(analysis, usual_time(analysis, first->subject)));
}

/* The coroutine may have gone on to other threads since. */
static void find_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run)
{
	analyze_hot_own_run(analysis, candidate, ret_run);
	ret_run->thread = hog_at(analysis, candidate->subject)->run.thread;
}

const struct rule rules_worker_hog = {
	.watcher = {.nr_place_bytes = sizeof(struct hog),
		.looks = {[MODEL_LONG_RUN] = look_at_run, [MODEL_WAKE] = look_at_wake},
		.visit = visit},
	.find = find,
	.describe = describe,
	.find_run = find_run,
	.is_no_explanation = true,
};
