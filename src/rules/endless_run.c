/* SPDX-License-Identifier: MIT */
/*
 * Endless runs: a coroutine was resumed, and for over a second neither the coroutine nor its thread did anything that
 * is recorded: the thread computes. If the thread is in a system call, the rule blocked-worker finds it.
 *
 * The finding is only a Suspect if, by the kernel's accounts, the thread had a processor for less than half of that
 * time. A thread that was not looked at counts only if nothing else of the process runs and a coroutine waits. The
 * rule is silent about marked coroutines, about programs that are stopped, and if events are missing since. If the
 * program does not record the ends of coroutines, the coroutine may have ended, and the finding is a Suspect.
 *
 * A thread that does things, such as reading from a descriptor, counts as well, if the run keeps at least two others
 * waiting that usually go on sooner.
 */

#include "analyze/hot.h"
#include "rules/parts.h"

enum doing {
	DOING_NOTHING, /* nothing that counts */
	DOING_COMPUTING,
	DOING_UNSEEN, /* the thread was not looked at since */
};

#define LEAST_KEPT 2u /* a single one may wait for something else */

static const struct model_thread *thread_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return &analysis->model->threads[coro->thread];
}

static bool is_on_top(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_thread *thread = thread_of(analysis, coro);

	return coro->state == CT_STATE_RUNNING && thread->top == index &&
	       thread->idle_from == CT_NO_TIME &&
	       !thread_is_over(thread, analysis->parties[coro->process].end);
}

static int64_t silent_ns(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time last = thread_last_sign(thread_of(analysis, coro));

	return analyze_party_working_until(analysis, coro->process) -
	       (last > coro->changed ? last : coro->changed);
}

static bool is_excused(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_process *process = &analysis->model->processes[coro->process];

	return coro->mark || process->halted != CT_NO_TIME || process->is_warming_up ||
	       analysis->parties[coro->process].has_ended_well;
}

static enum doing doing_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_thread *thread = thread_of(analysis, coro);

	if (!thread_is_seen(thread))
		return thread->is_blocked_last ? DOING_NOTHING : DOING_UNSEEN;
	return thread_is_computing(thread) ? DOING_COMPUTING : DOING_NOTHING;
}

/* Does nothing else of the process run, for as long? */
static bool is_all_still(const struct analysis *analysis, uint32_t process)
{
	return analyze_party_working_until(analysis, process) - analysis->stills[process].moment >
	       LIMIT(analysis, ENDLESS_TIME);
}

/* The longest time that a run from this place usually takes; 0: not known. */
static int64_t usual_time(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_place_times *times = model_times_at(analysis->model,
		coro->suspended == CT_NO_TIME ? coro->spawn_site : coro->wait_site);

	return model_usual_time(times ? times->runs : NULL, LIMIT(analysis, HOG_RUNS));
}

bool rules_endless_run_is_unusual(const struct analysis *analysis, const struct model_coro *coro)
{
	int64_t usual = usual_time(analysis, coro), limit;

	return usual && !__builtin_mul_overflow(usual, LIMIT(analysis, HOG_FACTOR), &limit) &&
	       analyze_party_working_until(analysis, coro->process) - coro->changed > limit;
}

/* ---------------------------------------------------------------- the judgement */

/* Does it run, and keep others of its thread waiting, whatever the thread does? */
static bool is_keeping(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t first;

	return is_on_top(analysis, index) && !is_excused(analysis, coro) &&
	       analyze_party_working_until(analysis, coro->process) - coro->changed >
		       LIMIT(analysis, ENDLESS_TIME) &&
	       rules_kept_waiting_count(analysis, index, &first) >= LEAST_KEPT;
}

struct context {
	struct analysis *analysis;
	uint32_t *nr_stuck; /* by process: coroutines that wait, are ready, or run without end */
};

/* Does the coroutine's thread wait, directly or through others, for a coroutine that has a finding? */
static bool is_consequence(const struct analysis *analysis, uint32_t index)
{
	uint32_t next = analyze_ties_next(analysis, index), steps;

	for (steps = 0; next && steps < analysis->model->nr_threads; steps++) {
		if (analysis->is_told[next])
			return true;
		next = analyze_ties_next(analysis, next);
	}
	return false;
}

/* Does a finding about coroutines behind this one, or ahead of it, cover this run already? */
static bool is_told(const struct analysis *analysis, uint32_t index)
{
	return analysis->is_told[index] || is_consequence(analysis, index) ||
	       analyze_candidate_is_there(
		       analysis, CT_RULE_STUCK_WORKER, analysis->model->coros.at[index].process, 0);
}

bool rules_endless_run_is(const struct analysis *analysis, uint32_t index, int64_t limit_ns)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_on_top(analysis, index) && !is_excused(analysis, coro) &&
	       silent_ns(analysis, coro) > limit_ns;
}

uint32_t rules_endless_run_place(const struct model_coro *coro)
{
	return coro->suspended != CT_NO_TIME ? coro->wait_site : coro->spawn_site;
}

static bool is_long(const struct analysis *analysis, uint32_t index)
{
	return rules_endless_run_is(analysis, index, LIMIT(analysis, ENDLESS_TIME)) &&
	       doing_of(analysis, &analysis->model->coros.at[index]) != DOING_NOTHING;
}

static enum ct_grade grade_of(const struct context *context, const struct model_coro *coro)
{
	const struct analysis *analysis = context->analysis;
	bool is_alone =
		is_all_still(analysis, coro->process) && context->nr_stuck[coro->process] > 1;

	/* A thread that does things may be at a long piece of work, and come to its end. */
	if (!is_long(analysis, model_index(analysis->model, coro)))
		return CT_GRADE_SUSPECT;
	/* Two coroutines that compute side by side look like two that wait for each other. */
	if (doing_of(analysis, coro) == DOING_COMPUTING)
		return rules_endless_run_is_unusual(analysis, coro) ? CT_GRADE_LIKELY
								    : CT_GRADE_SUSPECT;
	/* A thread that computes may be about to make this coroutine go on. */
	if (!is_alone || analysis->stills[coro->process].nr_computing ||
		!analysis->model->processes[coro->process].tells_ends)
		return CT_GRADE_NONE;
	return CT_GRADE_SUSPECT;
}

static void judge(struct context *context, uint32_t index)
{
	struct analysis *analysis = context->analysis;
	const struct model_coro *coro = &analysis->model->coros.at[index];
	enum reason doubt = analyze_stillness_doubt(analysis, coro->thread);
	struct candidate candidate = {
		.rule = CT_RULE_ENDLESS_RUN,
		.grade = grade_of(context, coro),
		.process = coro->process,
		.coro = index,
		.since = coro->changed,
	};

	if (candidate.grade == CT_GRADE_NONE || is_told(analysis, index))
		return;
	if (!analysis->model->processes[coro->process].tells_ends)
		analyze_candidate_lower(&candidate, REASON_ENDS_UNTOLD);
	if (doing_of(analysis, coro) == DOING_COMPUTING && doubt != NR_REASONS)
		analyze_candidate_lower(&candidate, doubt);
	/* The coroutine's suspend may be among the lost events. */
	if (model_lost_between(analysis->model, coro->process, coro->changed,
		    analysis->parties[coro->process].end))
		return;
	analyze_candidate_lower_for_gaps(analysis, &candidate,
		analyze_candidate_life_start(analysis, coro), analysis->parties[coro->process].end);
	analyze_candidate_add(analysis, &candidate);
}

static bool is_stuck(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return is_ready(coro) || is_long(analysis, index) ||
	       (model_is_awaiting(coro) && !coro->mark &&
		       (!coro->rare->descriptor ||
			       analyze_party_is_own(analysis, coro->rare->descriptor)));
}

static void find(struct analysis *analysis)
{
	struct context context = {.analysis = analysis,
		.nr_stuck = analyze_scratch(
			analysis, analysis->model->nr_processes, sizeof(*context.nr_stuck))};
	uint32_t i;

	for (i = 1; context.nr_stuck && i < analysis->model->coros.count; i++)
		context.nr_stuck[analysis->model->coros.at[i].process] += is_stuck(analysis, i);
	for (i = 1; i < analysis->model->nr_threads; i++) {
		uint32_t top = analysis->model->threads[i].top;

		if (context.nr_stuck && top &&
			(is_long(analysis, top) || is_keeping(analysis, top)))
			judge(&context, top);
	}
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_doing(struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t index = model_index(analysis->model, coro), first, count;

	if (!is_long(analysis, index)) {
		count = rules_kept_waiting_count(analysis, index, &first);
		return analyze_say(analysis,
			"has run on %s for %s, and %s others of this thread wait ten times longer "
			"than they do",
			analyze_words_thread(analysis, coro->thread),
			analyze_words_duration(
				analysis, analyze_party_working_until(analysis, coro->process) -
						  coro->changed),
			analyze_words_number(analysis, count));
	}
	return analyze_say(analysis, "has run on %s for %s; the thread is %s",
		analyze_words_thread(analysis, coro->thread),
		analyze_words_duration(analysis,
			analyze_party_working_until(analysis, coro->process) - coro->changed),
		analyze_stillness_words_thread(analysis, coro->thread));
}

/* Where the one waits that has been kept waiting for longest. */
static void tell_kept(struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	uint32_t index = model_index(analysis->model, coro), first;
	const struct model_coro *kept;

	if (is_long(analysis, index) || !rules_kept_waiting_count(analysis, index, &first))
		return;
	kept = &analysis->model->coros.at[first];
	analyze_story_evidence(analysis, story, "the first of them, %s, has waited since %s, at %s",
		analyze_words_coro(analysis, kept), analyze_words_time(analysis, kept->suspended),
		analyze_words_place(analysis, kept->wait_site));
}

static void tell_run(struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	struct ct_step step = {
		.time = coro->changed,
		.site = rules_endless_run_place(coro),
		.thread = coro->thread,
		.coro = coro->id,
		.sequence = coro->last_event,
		.text = "resumed from here, and has not suspended since",
	};

	analyze_story_step(analysis, story, &step);
	analyze_story_evidence(analysis, story, "%s %s", analyze_words_coro(analysis, coro),
		words_doing(analysis, coro));
	tell_kept(analysis, coro, story);
	if (usual_time(analysis, coro))
		analyze_story_evidence(analysis, story, "99 of 100 runs from there take at most %s",
			analyze_words_duration(analysis, usual_time(analysis, coro)));
	rules_behind_tell_left(analysis, story, model_index(analysis->model, coro));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	uint32_t i;

	if (group->count == 1)
		finding->title = analyze_say(analysis, "%s %s", analyze_words_coro(analysis, coro),
			words_doing(analysis, coro));
	else
		finding->title = analyze_say(analysis,
			"%s coroutines run on a thread each and never suspend, the first one "
			"since %s",
			analyze_words_number(analysis, group->count),
			analyze_words_duration(
				analysis, analyze_party_working_until(analysis, coro->process) -
						  coro->changed));
	for (i = 0; i < group->count && i < GROUP_EXAMPLES; i++)
		tell_run(analysis,
			&analysis->model->coros.at[analysis->candidates.at[group->first + i].coro],
			story);
	if (is_all_still(analysis, first->process))
		analyze_story_evidence(
			analysis, story, "nothing else of the program has run meanwhile");
}

const struct rule rules_endless_run = {
	.find = find,
	.describe = describe,
	.find_run = analyze_hot_own_run,
	.finds_victims = true,
};
