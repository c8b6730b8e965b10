/* SPDX-License-Identifier: MIT */
/*
 * A fatal signal ended the program. The signal is a fact. The coroutine that was hit is named if the trace recorded
 * it; otherwise the coroutines that ran at the end are named as candidates. The finding also mentions what was
 * wrongly done, shortly before, to the coroutine that was hit, and a coroutine that was resumed or woken after its
 * destruction: the likely causes, which are findings of their own as well.
 */
#include <inttypes.h>

#include "rules/parts.h"
#include "rules/watchdog.h"

#define CANDIDATES_TOLD 8u

static const struct model_crash *crash_of(const struct analysis *analysis, uint32_t process)
{
	size_t i;

	for (i = analysis->model->crashes.count; i-- > 0;) {
		const struct model_crash *crash = &analysis->model->crashes.at[i];
		const struct ct_process *ended = &analysis->tables->processes[process];

		if (crash->process == process &&
			crash->signal_number == (unsigned)ended->ending_value)
			return crash;
	}
	return NULL;
}

bool rules_crash_has_coros(const struct analysis *analysis, uint32_t process)
{
	size_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (analysis->model->coros.at[i].process == process)
			return true;
	return false;
}

static bool is_shortly_before(const struct analysis *analysis, ct_time time, ct_time end)
{
	return time != CT_NO_TIME && end - time <= LIMIT(analysis, CRASH_SHORTLY);
}

/*
 * The crash of a child process, if this process then ended itself by the same signal, as timeout and shells do; NULL:
 * none.
 */
static const struct model_crash *echoed(
	const struct analysis *analysis, uint32_t process, const struct model_crash *own)
{
	const struct ct_process *ended = &analysis->tables->processes[process];
	ct_time time = own ? own->time : ended->ended;
	size_t i;

	if ((own && !own->is_raised) || rules_crash_has_coros(analysis, process))
		return NULL;
	for (i = analysis->model->crashes.count; i-- > 0;) {
		const struct model_crash *crash = &analysis->model->crashes.at[i];

		if (crash->process != process && !crash->is_sent && crash->time <= time &&
			crash->signal_number == (unsigned)ended->ending_value &&
			is_shortly_before(analysis, crash->time, time))
			return crash;
	}
	return NULL;
}

/*
 * Did the one process end shortly before the other one? Ends that are noticed at once may be noticed in either order:
 * the one that has a probe counts as the first.
 */
static bool has_ended_before(const struct analysis *analysis, uint32_t first, uint32_t then)
{
	const struct ct_process *at = analysis->tables->processes;
	ct_time a = at[first].ended, b = at[then].ended;

	if (at[first].has_probe != at[then].has_probe)
		return at[first].has_probe &&
		       is_shortly_before(analysis, a < b ? a : b, a < b ? b : a);
	return a < b && is_shortly_before(analysis, a, b);
}

/* The same, if only the end of the other process shows its crash. */
static bool is_echo(
	const struct analysis *analysis, uint32_t process, const struct model_crash *own)
{
	const struct ct_process *ended = &analysis->tables->processes[process];
	uint32_t i;

	if ((own && !own->is_raised) || rules_crash_has_coros(analysis, process))
		return false;
	for (i = 1; i < analysis->tables->nr_processes; i++) {
		const struct ct_process *other = &analysis->tables->processes[i];

		if (i != process && analysis->parties[i].has_crashed &&
			other->ending_value == ended->ending_value &&
			has_ended_before(analysis, i, process))
			return true;
	}
	return false;
}

/* `crash`: NULL if the thread that met the signal was not recorded. */
static void judge(struct analysis *analysis, uint32_t process, const struct model_crash *crash)
{
	struct candidate candidate = {
		.rule = CT_RULE_CRASH,
		.grade = CT_GRADE_PROVEN,
		.process = process,
		.variant = process,
		.since = analysis->parties[process].end,
	};

	if (crash) {
		candidate.crash = (uint32_t)(crash - analysis->model->crashes.at) + 1;
		candidate.coro = crash->coro;
		candidate.cause_site = crash->caller ? crash->caller : crash->site;
		candidate.since = crash->time;
		candidate.is_end = analyze_party_is_watchdog(analysis, crash->thread) ||
				   rules_watchdog_is(analysis, crash);
	}
	/* A launcher's child may have crashed in the time of the missing events. */
	if (crash && crash->is_raised && analysis->model->nr_lost &&
		analysis->tables->nr_processes > 2 && !rules_crash_has_coros(analysis, process))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_GAP);
	/* The sender of the signal may be among the missing events. */
	if (!crash)
		analyze_candidate_lower_for_gaps(analysis, &candidate,
			candidate.since - LIMIT(analysis, CRASH_SHORTLY), candidate.since);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model_crash *crash, *first;
	uint32_t i;

	for (i = 1; i < analysis->tables->nr_processes; i++) {
		if (!analysis->parties[i].has_crashed)
			continue;
		crash = crash_of(analysis, i);
		first = crash && crash->is_sent ? NULL : echoed(analysis, i, crash);
		/* Nothing records how a child's child ended. */
		if (first && !analysis->parties[first->process].has_crashed)
			judge(analysis, first->process, first);
		else if (!first && !(crash && crash->is_sent) && !is_echo(analysis, i, crash))
			judge(analysis, i, crash);
	}
}

/* ---------------------------------------------------------------- the likely causes */

/* Adds where the coroutine was suspended when it was destroyed, and who destroyed it. */
static void tell_victim(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	if (coro->suspended != CT_NO_TIME)
		analyze_story_suspended(analysis, story, coro);
	if (coro->flags & MODEL_CORO_WAS_DESTROYED_READY)
		analyze_story_woken(analysis, story, coro, model_wake_ready(coro));
	analyze_story_destroyed(analysis, story, coro);
}

/* Did the event do anything to the destroyed coroutine? A wake that its waker gave up did nothing. */
static bool is_deed(const struct model_ghost *ghost)
{
	return ghost->kind != CTP_KIND_WAKE || event_makes_ready(ghost->argument);
}

/* Adds the last ghost; one is enough. */
static uint32_t tell_ghost(
	struct analysis *analysis, uint32_t process, ct_time end, struct story *story)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = model->ghosts.count; i-- > 0;) {
		const struct model_ghost *ghost = &model->ghosts.at[i];
		const struct model_coro *coro = &model->coros.at[ghost->coro];
		struct ct_step step = {
			.time = ghost->time,
			.site = ghost->site,
			.thread = ghost->thread,
			.coro = model->coros.at[ghost->by].id,
			.sequence = ghost->sequence,
		};

		if (coro->process != process || coro->is_remains || !is_deed(ghost) ||
			!rules_resume_after_destroy_is_meant(analysis, ghost) ||
			!is_shortly_before(analysis, ghost->time, end))
			continue;
		tell_victim(analysis, coro, story);
		step.text = analyze_say(analysis,
			"%s coroutine %" PRIu64 " after that: its frame was gone",
			ghost->kind == CTP_KIND_WAKE ? "woke" : "resumed", coro->id);
		analyze_story_step(analysis, story, &step);
		return ghost->coro;
	}
	return 0;
}

/* Adds that the coroutine that crashed was resumed twice at once, or after its end. */
static bool tell_conflict(
	struct analysis *analysis, uint32_t crashed, ct_time end, struct story *story)
{
	const struct model *model = analysis->model;
	size_t i;

	for (i = model->conflicts.count; crashed && i-- > 1;) {
		const struct model_conflict *conflict = &model->conflicts.at[i];

		if (conflict->coro != crashed || !rules_double_resume_is(conflict) ||
			!is_shortly_before(analysis, conflict->time, end))
			continue;
		rules_double_resume_tell(analysis, conflict, story);
		return true;
	}
	return false;
}

/*
 * One of two wakes has resumed the coroutine. For the other wake the coroutine is still in a queue, or was resumed
 * once more.
 */
static void tell_wakes(struct analysis *analysis, uint32_t crashed, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[crashed];

	if (event_makes_ready(coro->turns->wake.outcome))
		analyze_story_woken(analysis, story, coro, coro->turns->wake_before);
	analyze_story_woken(analysis, story, coro, model_wake_ready(coro));
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64
		" was woken twice for one wait, and has run once since: the second wake resumes it "
		"once more than it waits",
		coro->id);
}

/* The latest coroutine that two wakes of one wait had queued and that has run only once since; 0: none. */
static uint32_t woken_twice(const struct analysis *analysis, uint32_t process, ct_time end)
{
	const struct model *model = analysis->model;
	uint32_t found = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == process && coro->has_spare_wake &&
			coro->state != CT_STATE_READY &&
			is_shortly_before(analysis, coro->turns->wake.time, end) &&
			(!found ||
				coro->turns->wake.time > model->coros.at[found].turns->wake.time))
			found = i;
	}
	return found;
}

/* The coroutine that was woken last after it had ended, with its frame still there; 0: none. */
static uint32_t woken_after_end(const struct analysis *analysis, uint32_t process, ct_time end)
{
	const struct model *model = analysis->model;
	uint32_t found = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		ct_time woken = coro->turns->wake.time;

		if (coro->process == process && coro->state == CT_STATE_DONE &&
			!coro->is_presumed_done && woken != CT_NO_TIME && woken > coro->changed &&
			event_makes_ready(coro->turns->wake.outcome) &&
			is_shortly_before(analysis, woken, end) &&
			(!found || woken > model->coros.at[found].turns->wake.time))
			found = i;
	}
	return found;
}

/* Adds the end of a coroutine that was not destroyed then. */
static void tell_kept_end(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	struct ct_step ended = {
		.time = coro->changed,
		.coro = coro->id,
		.thread = coro->thread,
		.site = coro->rare->function_site,
		.sequence = UINT64_MAX,
		.text = "ended, and its frame stayed",
	};

	analyze_story_step(analysis, story, &ended);
}

static void tell_woken_after_end(struct analysis *analysis, uint32_t index, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	tell_kept_end(analysis, coro, story);
	analyze_story_woken(analysis, story, coro, model_wake_ready(coro));
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64
		" was woken %s after its end: who resumes it then runs code that is not there",
		coro->id, analyze_words_duration(analysis, coro->turns->wake.time - coro->changed));
}

/* Was each wake of it to bring a resume, and are some left that none has followed? The first step may need none. */
static bool has_spare_wakes(const struct model_coro *coro)
{
	return !coro->had_vain_wake && coro->turns->nr_wakes > coro->nr_resumes;
}

/* The coroutine that ended last, with its frame still there, and with wakes left that were to resume it; 0: none. */
static uint32_t woken_too_often(const struct analysis *analysis, uint32_t process, ct_time end)
{
	const struct model *model = analysis->model;
	uint32_t found = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process == process && coro->state == CT_STATE_DONE &&
			!coro->is_presumed_done && has_spare_wakes(coro) &&
			is_shortly_before(analysis, coro->changed, end) &&
			(!found || coro->changed > model->coros.at[found].changed))
			found = i;
	}
	return found;
}

static void tell_woken_too_often(struct analysis *analysis, uint32_t index, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	analyze_story_woken(analysis, story, coro, model_wake_ready(coro));
	tell_kept_end(analysis, coro, story);
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " was woken %" PRIu32 " times, and had run %" PRIu32
		" times when it ended: a wake that is left resumes what is not there",
		coro->id, coro->turns->nr_wakes, coro->nr_resumes);
}

/* A resume of a destroyed coroutine jumps to whatever address its freed frame contains. */
static void tell_cut(struct analysis *analysis, uint32_t cut, ct_time end, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[cut];

	tell_victim(analysis, coro, story);
	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " was destroyed %s before, while it was suspended: a resume "
		"through an old handle runs into its freed frame",
		coro->id, analyze_words_duration(analysis, end - coro->rare->destroyed));
}

/*
 * The thread on which the coroutine suspended last, if that is another one than the thread that runs it now, and has
 * recorded nothing since, though it did not sleep: it may not have left the coroutine's stack yet. 0: there is none.
 */
static uint32_t still_leaving(const struct analysis *analysis, uint32_t crashed)
{
	const struct model *model = analysis->model;
	const struct model_coro *coro = &model->coros.at[crashed];
	uint32_t i;

	if (!crashed || coro->state != CT_STATE_RUNNING || coro->suspended == CT_NO_TIME ||
		coro->resumed - coro->suspended > LIMIT(analysis, GRACE))
		return 0;
	for (i = 1; i < model->nr_threads; i++)
		if (model->threads[i].leaving == crashed && i != coro->thread &&
			model->threads[i].last_event >= coro->suspended)
			return i;
	return 0;
}

static void tell_still_leaving(
	struct analysis *analysis, uint32_t crashed, uint32_t thread, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[crashed];

	analyze_story_evidence(analysis, story,
		"coroutine %" PRIu64 " was resumed %s after it had suspended on %s, which has "
		"recorded nothing since: this thread may not have left it yet",
		coro->id, analyze_words_duration(analysis, coro->resumed - coro->suspended),
		analyze_words_thread(analysis, thread));
}

static void tell_others(
	struct analysis *analysis, uint32_t process, uint32_t told, struct story *story)
{
	const unsigned suspended =
		MODEL_CORO_WAS_DESTROYED_WAITING | MODEL_CORO_WAS_DESTROYED_READY;
	uint64_t count = analysis->model->processes[process].nr_cut +
			 analysis->model->processes[process].nr_cut_ready;

	count -= told && (analysis->model->coros.at[told].flags & suspended);
	if (count)
		analyze_story_evidence(analysis, story,
			"%s %scoroutine%s of this program %s destroyed while suspended",
			analyze_words_number(analysis, count), told ? "more " : "",
			count == 1 ? "" : "s", count == 1 ? "was" : "were");
}

static void tell_causes(
	struct analysis *analysis, const struct candidate *first, ct_time end, struct story *story)
{
	const struct model *model = analysis->model;
	uint32_t told = tell_ghost(analysis, first->process, end, story);
	uint32_t cut = model->processes[first->process].last_cut;
	uint32_t late = woken_after_end(analysis, first->process, end);
	uint32_t often = woken_too_often(analysis, first->process, end);
	bool is_double = tell_conflict(analysis, first->coro, end, story);
	uint32_t leaving = still_leaving(analysis, first->coro);
	uint32_t spare = model->coros.at[first->coro].has_spare_wake
				 ? first->coro
				 : woken_twice(analysis, first->process, end);

	if (!is_double && spare)
		tell_wakes(analysis, spare, story);
	if (!is_double && !spare && late)
		tell_woken_after_end(analysis, late, story);
	if (!is_double && !spare && !late && often)
		tell_woken_too_often(analysis, often, story);
	if (!told && !is_double && !spare && leaving)
		tell_still_leaving(analysis, first->coro, leaving, story);
	if (!told && !is_double && cut &&
		is_shortly_before(analysis, model->coros.at[cut].rare->destroyed, end)) {
		told = cut;
		tell_cut(analysis, cut, end, story);
	}
	tell_others(analysis, first->process, told, story);
}

/* ---------------------------------------------------------------- the evidence */

static void tell_candidates(struct analysis *analysis, uint32_t process, struct story *story)
{
	const struct model *model = analysis->model;
	uint32_t i, told = 0;

	for (i = 1; i < model->nr_threads && told < CANDIDATES_TOLD; i++) {
		const struct model_thread *thread = &model->threads[i];
		struct ct_step step = {
			.time = thread->last_event,
			.thread = i,
			.coro = model->coros.at[thread->top].id,
			.site = model->coros.at[thread->top].wait_site,
			.text = "was running at the end: it may have met the signal",
			.sequence = model->coros.at[thread->top].last_event,
		};

		if (thread->process != process || !thread->top)
			continue;
		analyze_story_step(analysis, story, &step);
		told++;
	}
}

/* If the signal came outside of coroutines: the coroutine that the thread ran last, of those that wait. */
static void tell_last_run(struct analysis *analysis, uint32_t thread, struct story *story)
{
	const struct model *model = analysis->model;
	uint32_t last = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->thread == thread && coro->state == CT_STATE_WAITING &&
			coro->resumed != CT_NO_TIME &&
			(!last || coro->suspended > model->coros.at[last].suspended))
			last = i;
	}
	if (last)
		analyze_story_suspended_as(analysis, story, &model->coros.at[last],
			"suspended: the last coroutine that this thread ran, of those that wait");
}

static const char *words_crash(struct analysis *analysis, const struct candidate *first,
	const struct model_crash *crash, const char *name)
{
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	if (!crash)
		return analyze_say(analysis, "the program was ended by %s", name);
	if (!coro->id)
		return analyze_say(analysis, "the program was ended by %s, on %s%s", name,
			analyze_words_thread(analysis, crash->thread),
			analyze_words_is_outside(analysis, crash->thread) &&
					analysis->model->threads[crash->thread].nr_resumes
				? ", outside any coroutine"
			: first->is_end ? ", which had only slept: a watchdog, perhaps"
					: "");
	return analyze_say(analysis,
		"the program was ended by %s, on %s, in coroutine %" PRIu64 "%s", name,
		analyze_words_thread(analysis, crash->thread), coro->id,
		first->is_end ? ", which had done nothing but wait: a watchdog, perhaps" : "");
}

static const char *words_blow(
	struct analysis *analysis, const struct model_crash *crash, const char *name)
{
	if (crash->is_raised)
		return analyze_say(analysis, "%s, sent by the program itself", name);
	if (crash->caller)
		return analyze_say(analysis,
			"%s: called address 0x%" PRIx64 ", where there is no code%s", name,
			crash->address,
			rules_freed_frame_of(analysis, crash)
				? ": a frame was resumed that was freed before"
				: "");
	return analyze_say(analysis, "%s, at address 0x%" PRIx64, name, crash->address);
}

/* The rule's own advice assumes a fault in a coroutine. */
static const char *next_step(const struct ct_finding *finding, const struct group *group,
	const struct model_crash *crash)
{
	if (group->is_last)
		return "look at the findings before this one: a watchdog ends a program "
		       "that "
		       "hangs";
	if (!crash)
		return "open the core dump, and look at what each thread was doing";
	if (crash->is_raised)
		return "open the core dump, and look at who called abort, raise or kill";
	if (!crash->coro)
		return "open the core dump at the instruction named";
	return finding->next_step;
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_crash *crash =
		first->crash ? &analysis->model->crashes.at[first->crash - 1] : NULL;
	const char *name = analyze_words_signal(
		analysis, crash ? (int)crash->signal_number
				: analysis->tables->processes[first->process].ending_value);
	struct ct_step step = {.time = first->since, .sequence = UINT64_MAX};

	finding->title = words_crash(analysis, first, crash, name);
	finding->next_step = next_step(finding, group, crash);
	tell_causes(analysis, first, first->since, story);
	if (rules_freed_frame_of(analysis, crash))
		rules_freed_frame_tell(
			analysis, rules_freed_frame_of(analysis, crash), crash, story, finding);
	if (!crash)
		tell_candidates(analysis, first->process, story);
	else if (!crash->coro)
		tell_last_run(analysis, crash->thread, story);
	step.text = analyze_say(analysis, "%s ended the program", name);
	if (crash) {
		step.text = words_blow(analysis, crash, name);
		step.thread = crash->thread;
		step.coro = analysis->model->coros.at[crash->coro].id;
		step.site = crash->caller ? crash->caller : crash->site;
		step.sequence = crash->sequence;
	}
	analyze_story_step(analysis, story, &step);
	if (!crash)
		analyze_story_evidence(
			analysis, story, "%s", analyze_words_reason(REASON_NO_CRASH_EVENT));
}

const struct rule rules_crash = {
	.watcher = {.nr_coro_bytes = sizeof(bool),
		.looks = {[MODEL_WAKE] = rules_watchdog_look_by,
			[MODEL_BEGIN] = rules_watchdog_look_at_begin,
			[MODEL_WAIT] = rules_watchdog_look_at_wait,
			[MODEL_TRANSFER] = rules_watchdog_look,
			[MODEL_TAKE] = rules_watchdog_look,
			[MODEL_GIVE] = rules_watchdog_look,
			[MODEL_GET] = rules_watchdog_look}},
	.find = find,
	.describe = describe,
	.is_fact = true,
};
