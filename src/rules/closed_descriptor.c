/* SPDX-License-Identifier: MIT */
/*
 * Waits on a closed descriptor: the descriptor was closed after the coroutine suspended on it (or before), and nobody
 * has woken the coroutine since. A closed generation never reports anything again. Once every worker has gone idle,
 * nobody is left that would resume the coroutine.
 *
 * The rule is silent if the wait may still end: another descriptor of the same file is open, the program's I/O is
 * completion-based, a deadline is still to come, the coroutine is marked, the program is shutting down, or the open
 * of this number was never seen.
 */

#include "analyze/tried.h"
#include "rules/parts.h"

enum variant {
	/* the coroutine suspended on a descriptor that was already closed */
	VARIANT_AFTER = 1 << 0,
	VARIANT_DESTROYED = 1 << 1, /* the coroutine was destroyed while it still waited */
	/* bits above: the closing thread, if the place of the close is not known */
	VARIANT_SHIFT = 2,
};

/* One wait, and the close that it is about. */
struct wait {
	const struct model_coro *coro;
	const struct model_descriptor *descriptor;
	const struct party *party;
	ct_time closed; /* when the file was closed, with its last descriptor */
	ct_time since;  /* both closed and waited for since then */
	ct_time end;    /* end of the observation of the wait */
	bool is_after;
};

/* ---------------------------------------------------------------- guards */

/* Is the coroutine marked, or can something other than the descriptor end the wait? */
static bool is_meant_to_wait(const struct wait *wait)
{
	return (wait->coro->flags & MODEL_CORO_WAITS_FOR_MORE) || wait->coro->mark ||
	       analyze_wait_is_until_later(wait->coro, wait->end);
}

/* A transfer that was submitted to the kernel holds the file, and completes after the close. */
static bool may_complete(const struct analysis *analysis, const struct wait *wait)
{
	return analysis->model->processes[wait->coro->process].has_completions &&
	       !(wait->descriptor->flags & MODEL_DESCRIPTOR_WAS_ARMED);
}

static bool is_shutting_down(const struct analysis *analysis, const struct wait *wait)
{
	ct_time from = analysis->model->processes[wait->coro->process].shutdown_from;

	return from != CT_NO_TIME && wait->closed >= from;
}

/*
 * For a wait on a number that was closed before: were that close, and the open before it, seen? A number that was
 * inherited, or opened unseen, means nothing.
 */
static bool is_number_known(const struct wait *wait)
{
	return !wait->is_after || wait->descriptor->opened != CT_NO_TIME;
}

/* ---------------------------------------------------------------- the waits */

/* For a coroutine that is destroyed while it waits: has every worker been idle since its descriptor was closed? */
static bool look_at_cut(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	uint32_t descriptor = model_waited_descriptor(coro);
	ct_time closed = model->descriptors.at[descriptor].closed;
	bool *was_stuck = model_watch_coro(watch, sight->coro);

	*was_stuck =
		descriptor && closed != CT_NO_TIME &&
		model_quiet_since(model, coro->process,
			closed > coro->suspended ? closed : coro->suspended, sight->event->time);
	return true;
}

static bool was_stuck(const struct model_watch *watch, uint32_t index)
{
	return *(const bool *)model_watch_coro(watch, index);
}

/* Nothing that could silence the rule can happen any more, so the record must be kept. */
static bool keeps(const struct model_watch *watch, uint32_t index)
{
	const struct model_coro *coro = &watch->model->coros.at[index];

	return was_stuck(watch, index) &&
	       watch->model->processes[coro->process].last_run <= coro->rare->destroyed;
}

static bool is_waiting(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (!analyze_tried_descriptor(analysis, coro) || coro->point != CTP_POINT_AWAIT)
		return false;
	if (coro->state == CT_STATE_WAITING)
		return true;
	return coro->state == CT_STATE_DESTROYED &&
	       was_stuck(analyze_watch_of(analysis, &rules_closed_descriptor), index);
}

static bool names_generation(const struct model_coro *coro)
{
	return CTP_HANDLE_IDENTITY(coro->wait_object) >> 32;
}

/*
 * The generation that the wait is for. If the wait names only the number, and the number was reused within the
 * clocks' uncertainty, it is the new generation.
 */
static uint32_t generation_of(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	uint32_t newer = at[coro->rare->descriptor].newer;

	if (!coro->rare->descriptor)
		return coro->rare->tried;

	if (!names_generation(coro) && newer &&
		model_is_near(analysis->model, at[newer].opened, coro->suspended))
		return newer;
	return coro->rare->descriptor;
}

static bool look_at_wait(
	const struct analysis *analysis, uint32_t index, uint32_t descriptor, struct wait *wait)
{
	const struct model *model = analysis->model;
	const struct model_descriptor *file;

	wait->coro = &model->coros.at[index];
	wait->descriptor = &model->descriptors.at[descriptor];
	wait->party = &analysis->parties[wait->coro->process];
	file = &model->descriptors.at[wait->descriptor->file];
	if (wait->descriptor->closed == CT_NO_TIME || file->file_closed == CT_NO_TIME)
		return false;
	wait->closed = wait->descriptor->closed;
	if (file->file_closed > wait->closed)
		wait->closed = file->file_closed;
	wait->is_after = wait->closed < wait->coro->suspended;
	wait->since = wait->is_after ? wait->coro->suspended : wait->closed;
	wait->end = wait->party->end;
	if (wait->coro->state == CT_STATE_DESTROYED)
		wait->end = wait->coro->rare->destroyed;
	return wait->since <= wait->end;
}

/* Is it not known which descriptor the coroutine waits for, and may the end of its wait be among the missing events? */
static bool is_guess_open(const struct analysis *analysis, const struct wait *wait)
{
	return !wait->coro->rare->descriptor &&
	       model_lost_between(
		       analysis->model, wait->coro->process, wait->coro->suspended, wait->end);
}

/* What was seen in memory may have gone on since the look, and have closed the descriptor itself. */
static bool is_excused(const struct analysis *analysis, const struct wait *wait)
{
	return (analysis->tables->is_from_memory && !wait->is_after) || is_meant_to_wait(wait) ||
	       is_guess_open(analysis, wait) ||
	       model_is_woken_since(analysis->model, wait->coro, wait->since) ||
	       !is_number_known(wait) || may_complete(analysis, wait) ||
	       is_shutting_down(analysis, wait);
}

/* ---------------------------------------------------------------- the grade */

/* Did the program end in the middle of the run that closed the descriptor? The resume may have been next. */
static bool has_ended_amid(const struct analysis *analysis, const struct wait *wait)
{
	const struct model_coro *closer = &analysis->model->coros.at[wait->descriptor->close_coro];

	return wait->descriptor->close_coro && closer->state == CT_STATE_RUNNING &&
	       closer->changed <= wait->closed && wait->end - wait->closed < LIMIT(analysis, GRACE);
}

/* Had the scheduler been shut down before the close, so that nobody was left that could have resumed the coroutine? */
static bool has_scheduler_ended(const struct wait *wait)
{
	return wait->party->workers_ended != INT64_MIN &&
	       wait->party->workers_ended <= wait->closed;
}

/* Have all workers been idle since, and the thread that closed the descriptor, even if it is no worker? */
static bool is_quiet(const struct analysis *analysis, const struct wait *wait)
{
	uint32_t closer = wait->descriptor->close_thread;

	return wait->party->quiet > wait->since &&
	       (!closer ||
		       model_thread_quiet_time(analysis->model, closer, wait->end) > wait->since);
}

static void grade_alive(
	const struct analysis *analysis, const struct wait *wait, struct candidate *candidate)
{
	const struct party *party = wait->party;

	if (party->has_ended_itself) {
		if (analyze_party_ended_amid_turn(
			    analysis, wait->descriptor->close_thread, wait->closed, wait->end))
			return;
		candidate->grade = CT_GRADE_PROVEN;
		if (has_ended_amid(analysis, wait))
			analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_ENDED_AMID);
		return;
	}
	if (is_quiet(analysis, wait))
		candidate->grade = CT_GRADE_PROVEN;
	else if (wait->end - wait->since >= LIMIT(analysis, GRACE))
		candidate->grade = CT_GRADE_LIKELY;
	if (candidate->grade == CT_GRADE_LIKELY)
		candidate->reasons |= REASON(NOT_QUIET);
	if (party->timers <= wait->since)
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_TIMER);
	analyze_candidate_limit_for_doer(
		analysis, candidate, wait->descriptor->close_coro, wait->descriptor->closed);
}

static void grade_destroyed(
	const struct analysis *analysis, const struct wait *wait, struct candidate *candidate)
{
	const struct model_process *process = &analysis->model->processes[wait->coro->process];

	/* While the program goes on, the destruction of a waiter is one way to cancel it. */
	if (!wait->party->has_ended_itself || process->last_run > wait->coro->rare->destroyed ||
		wait->party->timers != INT64_MAX)
		return;
	candidate->grade = CT_GRADE_LIKELY;
	candidate->reasons |= REASON(DESTROYED);
}

/* Did the number change its file so near to the suspend that the clocks do not show which file was meant? */
static bool is_generation_doubtful(const struct analysis *analysis, const struct wait *wait)
{
	const struct model_descriptor *at = analysis->model->descriptors.at;
	uint32_t newer = wait->descriptor->newer;

	if (names_generation(wait->coro) || !wait->coro->rare->descriptor)
		return false;
	if ((wait->descriptor->older || wait->descriptor->has_forgotten) &&
		model_is_near(analysis->model, wait->descriptor->opened, wait->coro->suspended))
		return true;
	/* Since when a coroutine waits that was found in memory is not known: its wait is told as after the close. */
	if (analysis->tables->is_from_memory)
		return false;
	/* The number was opened again later, so it was free until then, whatever the wait meant. */
	return wait->is_after && !(newer && at[newer].opened != CT_NO_TIME);
}

/*
 * Events matter from the time at which a copy of the descriptor may have been made: since the first descriptor of its
 * file was opened or, if that was not seen, at any time.
 */
static ct_time gap_start(const struct analysis *analysis, const struct wait *wait)
{
	ct_time life = analyze_candidate_life_start(analysis, wait->coro);
	ct_time opened = analysis->model->descriptors.at[wait->descriptor->file].opened;

	if (opened == CT_NO_TIME || wait->descriptor->opened == CT_NO_TIME)
		return FROM_THE_BEGINNING;
	return opened < life ? opened : life;
}

static void lower(struct analysis *analysis, const struct wait *wait, struct candidate *candidate)
{
	if (!wait->coro->rare->descriptor)
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_DESCRIPTOR_GUESSED);
	if (analysis->tables->is_from_memory)
		analyze_candidate_limit(candidate, CT_GRADE_SUSPECT, REASON_MEMBER_GUESSED);
	if (has_scheduler_ended(wait))
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_SCHEDULER_ENDED);
	if (wait->party->blocked_since < wait->closed)
		analyze_candidate_limit(candidate, CT_GRADE_LIKELY, REASON_BLOCKED_READER);
	if (is_generation_doubtful(analysis, wait))
		analyze_candidate_lower(candidate, REASON_GENERATION_GUESSED);
	if (wait->descriptor->flags & MODEL_DESCRIPTOR_CLOSE_UNSEEN)
		analyze_candidate_lower(candidate, REASON_CLOSE_UNSEEN);
	if (wait->coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(candidate, REASON_DOUBTFUL_WAKE);
	analyze_candidate_lower_for_gaps(analysis, candidate, gap_start(analysis, wait), wait->end);
}

static void judge(struct analysis *analysis, uint32_t index)
{
	uint32_t descriptor = generation_of(analysis, &analysis->model->coros.at[index]);
	struct candidate candidate = {.rule = CT_RULE_CLOSED_DESCRIPTOR};
	struct wait wait;

	if (!look_at_wait(analysis, index, descriptor, &wait) || is_excused(analysis, &wait))
		return;
	if (wait.coro->state == CT_STATE_DESTROYED)
		grade_destroyed(analysis, &wait, &candidate);
	else
		grade_alive(analysis, &wait, &candidate);
	if (candidate.grade == CT_GRADE_NONE)
		return;
	candidate.process = wait.coro->process;
	candidate.coro = index;
	candidate.descriptor = descriptor;
	candidate.wait_site = wait.coro->wait_site;
	candidate.cause_site = wait.descriptor->close_site;
	candidate.since = wait.coro->suspended;
	candidate.variant = (wait.is_after ? VARIANT_AFTER : 0) |
			    (wait.coro->state == CT_STATE_DESTROYED ? VARIANT_DESTROYED : 0);
	if (!candidate.cause_site)
		candidate.variant |= wait.descriptor->close_thread << VARIANT_SHIFT;
	lower(analysis, &wait, &candidate);
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (is_waiting(analysis, i))
			judge(analysis, i);
}

/* ---------------------------------------------------------------- the proof */

static void certify(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	const struct model_coro *coro = &analysis->model->coros.at[candidate->coro];
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[candidate->descriptor];

	analyze_claim_stays(analysis, candidate->coro, true, claims);
	claim_told(claims, descriptor->close_event,
		CLAIM_KIND(DESCRIPTOR_CLOSE) | CLAIM_KIND(DESCRIPTOR_OPEN) |
			CLAIM_KIND(DESCRIPTOR_DUP),
		0);
	claim_whole(claims, coro->process, 0, coro->suspended,
		coro->state == CT_STATE_DESTROYED ? coro->rare->destroyed
						  : analysis->parties[coro->process].end);
}

/* ---------------------------------------------------------------- the evidence */

#define THREADS_COUNTED 64u

/* The closes of a group's descriptors. */
struct closer {
	uint32_t count;
	uint32_t nr_threads;
	const struct model_descriptor *first;
	const struct model_descriptor *last;
};

static const struct model_descriptor *descriptor_of(
	const struct analysis *analysis, const struct candidate *candidate)
{
	return &analysis->model->descriptors.at[candidate->descriptor];
}

static void tell_wait(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	const char *first_of = group->count > 1
				       ? analyze_say(analysis, "; the first of %s",
						 analyze_words_number(analysis, group->count))
				       : "";
	const char *words = analyze_tried_words(analysis, coro, first->descriptor);

	if (analysis->tables->is_from_memory)
		words = analyze_say(analysis, "found in memory, waiting for %s",
			analyze_words_resource(analysis, coro->wait_object, first->descriptor));
	analyze_story_suspended_as(
		analysis, story, coro, analyze_say(analysis, "%s%s", words, first_of));
}

/* Sums up the closes of a group, which are all at one place. Threads beyond THREADS_COUNTED are not told apart. */
static struct closer sum_closers(struct analysis *analysis, const struct group *group)
{
	uint32_t threads[THREADS_COUNTED], i, known;
	struct closer closer = {.count = group->count};

	for (i = 0; i < group->count; i++) {
		const struct model_descriptor *descriptor =
			descriptor_of(analysis, &analysis->candidates.at[group->first + i]);

		for (known = 0; known < closer.nr_threads; known++)
			if (threads[known] == descriptor->close_thread)
				break;
		if (known == closer.nr_threads && known < THREADS_COUNTED)
			threads[closer.nr_threads++] = descriptor->close_thread;
		if (!closer.first || descriptor->closed < closer.first->closed)
			closer.first = descriptor;
		if (!closer.last || descriptor->closed > closer.last->closed)
			closer.last = descriptor;
	}
	return closer;
}

/*
 * Adds what the closing thread was told of the descriptor between the suspend and the close, and may have taken for
 * its reason.
 */
static void tell_readiness(
	struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_descriptor *descriptor = descriptor_of(analysis, first);
	struct ct_step step = {
		.time = descriptor->reported,
		.thread = descriptor->ready_thread,
		.sequence = descriptor->ready_event,
	};

	if (descriptor->reported == CT_NO_TIME || descriptor->reported > descriptor->closed ||
		descriptor->reported < analysis->model->coros.at[first->coro].suspended)
		return;
	step.text = analyze_say(analysis, "a poll reported %s:%s",
		analyze_words_descriptor(analysis, descriptor),
		analyze_words_readiness(analysis, descriptor->ready_flags));
	analyze_story_step(analysis, story, &step);
}

static const char *words_closing(struct analysis *analysis, const struct closer *closer)
{
	const char *what = analyze_words_descriptor(analysis, closer->first);

	if (closer->first->flags & MODEL_DESCRIPTOR_CLOSE_UNSEEN)
		return analyze_say(analysis,
			"%s had been closed, unseen: its number was given out again", what);
	if (closer->count == 1)
		return analyze_say(analysis, "closed %s", what);
	return analyze_say(analysis, "closed %s, the first of %s; the last %s later%s", what,
		analyze_words_number(analysis, closer->count),
		analyze_words_duration(analysis, closer->last->closed - closer->first->closed),
		closer->nr_threads == 1
			? ""
			: analyze_say(analysis, "; by %s threads",
				  analyze_words_number(analysis, closer->nr_threads)));
}

/* The step of one close, with the caller's text. */
static struct ct_step closing_step(const struct analysis *analysis,
	const struct model_descriptor *descriptor, const char *text)
{
	return (struct ct_step){
		.time = descriptor->closed,
		.text = text,
		.site = descriptor->close_site,
		.thread = descriptor->close_thread,
		.coro = analysis->model->coros.at[descriptor->close_coro].id,
		.sequence = descriptor->close_event,
	};
}

static void tell_cause(
	struct analysis *analysis, const struct candidate *candidate, struct ct_step *ret_cause)
{
	const struct model_descriptor *descriptor = descriptor_of(analysis, candidate);
	struct closer alone = {
		.count = 1, .nr_threads = 1, .first = descriptor, .last = descriptor};

	*ret_cause = closing_step(analysis, descriptor, words_closing(analysis, &alone));
}

static void tell_closing(struct analysis *analysis, const struct group *group, struct story *story)
{
	struct closer closer = sum_closers(analysis, group);
	struct ct_step step =
		closing_step(analysis, closer.first, words_closing(analysis, &closer));

	analyze_story_step(analysis, story, &step);
}

static void tell_rest(struct analysis *analysis, const struct group *group, struct story *story)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct party *party = &analysis->parties[first->process];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct ct_step step = {.time = CT_NO_TIME, .sequence = UINT64_MAX};

	step.text = group->count == 1 ? "no wake for it since, and it was not resumed"
				      : "no wake for any of them since, and none was resumed";
	analyze_story_step(analysis, story, &step);
	step.time = party->end;
	if (coro->state == CT_STATE_DESTROYED) {
		step.time = coro->rare->destroyed;
		step.thread = coro->rare->destroy_thread;
		step.sequence = coro->rare->destroy_event;
		step.text = "destroyed, while it still waited";
	} else if (party->has_ended_itself) {
		step.text = "the program ended by itself, with the wait unfinished";
	} else if (first->grade == CT_GRADE_PROVEN || !(first->reasons & REASON(NOT_QUIET))) {
		step.time = party->quiet == INT64_MAX ? party->end : party->quiet;
		step.text = "every worker has been idle since, with nothing ready";
	} else {
		step.text = "the observation ended here";
	}
	analyze_story_step(analysis, story, &step);
}

static void tell_evidence(struct analysis *analysis, const struct group *group, struct story *story)
{
	uint32_t nr_armed = 0, nr_again = 0, nr_doubled = 0, nr_hidden = 0, i;

	for (i = 0; i < group->count; i++) {
		const struct model_descriptor *descriptor =
			descriptor_of(analysis, &analysis->candidates.at[group->first + i]);

		nr_armed += !!(descriptor->flags & MODEL_DESCRIPTOR_IS_ARMED);
		nr_again += descriptor->newer != 0;
		nr_hidden += !descriptor->close_coro && descriptor->nr_hidden > 0;
		nr_doubled += !!(descriptor->flags & MODEL_DESCRIPTOR_IS_DOUBLED);
	}
	if (nr_armed)
		analyze_story_evidence(analysis, story,
			"closing took %sthe descriptor%s out of an epoll interest list, which "
			"cannot report %s any more",
			nr_armed == group->count ? "" : analyze_say(analysis, "%u of ", nr_armed),
			group->count == 1 ? "" : "s", nr_armed == 1 ? "it" : "them");
	if (nr_again)
		analyze_story_evidence(analysis, story,
			"%s of the %s numbers were given out again since: an event for such a "
			"number is another connection's",
			analyze_words_number(analysis, nr_again),
			analyze_words_number(analysis, group->count));
	if (nr_hidden)
		analyze_story_evidence(analysis, story,
			"%s of the %s closes may have been made by a coroutine after all: some "
			"coroutines had been created and not been seen running yet",
			analyze_words_number(analysis, nr_hidden),
			analyze_words_number(analysis, group->count));
	if (nr_doubled)
		analyze_story_evidence(analysis, story,
			"%s of the %s files had further descriptors, which are closed, too",
			analyze_words_number(analysis, nr_doubled),
			analyze_words_number(analysis, group->count));
}

static const char *words_title(
	struct analysis *analysis, const struct group *group, const struct candidate *first)
{
	const char *by = first->cause_site ? analyze_words_place(analysis, first->cause_site) : "";
	bool is_after = first->variant & VARIANT_AFTER, is_one = group->count == 1;
	bool is_from_memory = analysis->tables->is_from_memory;
	const char *what = is_one ? "a descriptor that was" : "descriptors that were";
	const char *how = is_from_memory ? ""
			  : is_after     ? " before"
			  : is_one       ? " under it"
					 : " under them";

	return analyze_say(analysis, "%s for %s closed%s%s%s; %s at %s",
		analyze_words_count(analysis, group), what, how, *by ? " at " : "", by,
		is_one ? "it waits" : "they wait", analyze_words_place(analysis, first->wait_site));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	uint32_t i;

	finding->title = words_title(analysis, group, first);
	if (first->variant & VARIANT_AFTER)
		tell_closing(analysis, group, story);
	tell_wait(analysis, group, story);
	if (!(first->variant & VARIANT_AFTER)) {
		tell_readiness(analysis, group, story);
		tell_closing(analysis, group, story);
	}
	tell_rest(analysis, group, story);
	tell_evidence(analysis, group, story);
	analyze_tried_tell(analysis, story, &analysis->model->coros.at[first->coro]);
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = analysis->model->coros.at[first->coro].wait_event;
	for (i = 0; i < group->count; i++) {
		uint64_t closed =
			descriptor_of(analysis, &analysis->candidates.at[group->first + i])
				->close_event;

		if (closed != UINT64_MAX && closed > finding->last_sequence)
			finding->last_sequence = closed;
	}
}

const struct rule rules_closed_descriptor = {
	.watcher = {.nr_coro_bytes = sizeof(bool),
		.looks = {[MODEL_CUT] = look_at_cut},
		.keeps = keeps},
	.find = find,
	.certify = certify,
	.describe = describe,
	.tell_cause = tell_cause,
};
