/* SPDX-License-Identifier: MIT */
/*
 * Orphans: a coroutine still waits, its parent has ended, and nobody waits for its end. If it holds a lock, others
 * cannot take that lock.
 *
 * The rule is silent if the coroutine is marked; if its wait, or that of the child that it waits for, ends by itself
 * (a timer, a deadline); if that child runs, or is to run; if it holds no lock and waits for the world outside,
 * because a connection outlives by design the coroutine that accepted it; if it may be idle; if it holds no lock and
 * others have woken it long after its parent's end, because then it works for them, if at least half of the orphans of
 * its place work for others, or if many waits at the place where it waits were ended for coroutines whose parents had
 * ended; if other coroutines that were started at the same place also end without a parent, because then that is
 * intended; while the program warms up or ends; if another finding explains the coroutine; and if events are missing.
 */
#include <inttypes.h>

#include "rules/parts.h"

enum holding {
	HOLDING_NOTHING,
	HOLDING_DESCRIPTOR,
	HOLDING_LOCK,
};

/* Facts computed once, before any coroutine is judged. In the scratch arena. */
struct lineage {
	bool *is_joined;      /* by coroutine: another one waits for its end */
	uint32_t *nr_orphans; /* by spawn site */
	uint32_t *
		nr_free; /* by spawn site: coroutines that ended unawaited, or after their parent had ended */
	uint32_t *nr_working; /* by spawn site: orphans that work for others */
	/* by process: a coroutine awaits several others, and which ones is not known */
	bool *has_many;
};

static bool is_over(const struct model_coro *coro)
{
	return coro->state >= CT_STATE_DONE && !coro->is_presumed_done;
}

static const struct model_coro *parent_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return &analysis->model->coros.at[coro->parent];
}

/* ---------------------------------------------------------------- the watcher */

/* So many wakes of coroutines without a parent show that those who wait at a place are looked after by others. */
#define NR_LOOKED_AFTER 8u

static const uint32_t *looked_after_at(const struct analysis *analysis, uint32_t site)
{
	return model_watch_place(analyze_watch_of(analysis, &rules_orphaned_child), site);
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	uint32_t *nr_wakes;

	if (coro->state != CT_STATE_WAITING || !coro->parent ||
		!is_over(&watch->model->coros.at[coro->parent]))
		return true;
	nr_wakes = model_watch_place(watch, coro->wait_site);
	if (nr_wakes)
		++*nr_wakes;
	return true;
}

/* ---------------------------------------------------------------- who waits for whom */

static void note_joins(struct analysis *analysis, struct lineage *lineage)
{
	struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (is_over(coro))
			continue;
		if (coro->state == CT_STATE_WAITING)
			lineage->is_joined[analyze_ties_child(analysis, coro)] = true;
		if (coro->rare->nr_awaits == 1)
			lineage->is_joined[model_find(model, coro->process, coro->rare->awaited)] =
				true;
		lineage->has_many[coro->process] |= coro->rare->nr_awaits > 1;
	}
}

/* The child whose wait a wait for a child, and so on, comes down to; the coroutine itself if it waits for none. */
static const struct model_coro *innermost(
	const struct analysis *analysis, const struct model_coro *coro)
{
	unsigned nr_left = MODEL_ANCESTORS;

	while (nr_left--) {
		const struct model_coro *child =
			&analysis->model->coros.at[analyze_ties_child(analysis, coro)];

		if (child == analysis->model->coros.at || child->state != CT_STATE_WAITING)
			break;
		coro = child;
	}
	return coro;
}

static bool waits_for_outside(const struct analysis *analysis, const struct model_coro *coro)
{
	unsigned kind = CTP_HANDLE_RESOURCE(coro->wait_object);

	return analyze_wait_is_timed(coro) || kind == CTP_RESOURCE_PROCESS ||
	       kind == CTP_RESOURCE_NETWORK || analyze_ties_may_be_idle(analysis, coro) ||
	       (analysis->model->descriptors.at[coro->rare->descriptor].flags &
		       (MODEL_DESCRIPTOR_IS_LISTENER | MODEL_DESCRIPTOR_IS_TIMER));
}

/* Did a signal, of which the process died in the end, interrupt it, and did this coroutine's last run come then? */
static bool was_ended_by_signal(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time interrupted = analysis->model->processes[coro->process].interrupted;

	return analysis->tables->processes[coro->process].ending == CT_ENDING_SIGNALED &&
	       interrupted != CT_NO_TIME && coro->resumed != CT_NO_TIME &&
	       coro->resumed >= interrupted;
}

/*
 * Did nothing run after its end, and did the process end by itself, or soon after, or by a signal that came to this
 * coroutine? Then the program ended in this coroutine. What an interpreter does at its end may take seconds.
 */
static bool has_ended_the_program(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct ct_process *process = &analysis->tables->processes[coro->process];
	ct_time end = analysis->parties[coro->process].end;

	return coro->changed >= analysis->model->processes[coro->process].last_run &&
	       (process->ending == CT_ENDING_EXITED || was_ended_by_signal(analysis, coro) ||
		       end - coro->changed < LIMIT(analysis, STANDSTILL_TIME));
}

static bool is_parent_over(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *parent = parent_of(analysis, coro);

	return coro->parent && is_over(parent) && !(parent->flags & MODEL_CORO_WAS_REPLACED) &&
	       (coro->flags & MODEL_CORO_WAS_CREATED) && !has_ended_the_program(analysis, parent);
}

/* Does the child that its wait comes down to run, or is it to run, by a wake or after a yield? */
static bool has_child_at_work(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *last = innermost(analysis, coro);
	uint32_t child = analyze_ties_child(analysis, last);

	if (!model_is_awaiting(last))
		return true;
	return child && !is_over(&analysis->model->coros.at[child]) &&
	       !model_is_awaiting(&analysis->model->coros.at[child]);
}

/* At the end of observation a coroutine may have just begun to wait. */
static bool has_just_begun(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_waited_ns(analysis, coro) <= LIMIT(analysis, GRACE);
}

static bool is_orphan(
	const struct analysis *analysis, const struct lineage *lineage, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (!model_is_awaiting(coro) || coro->mark || has_just_begun(analysis, coro) ||
		!is_parent_over(analysis, coro) || has_child_at_work(analysis, coro) ||
		waits_for_outside(analysis, innermost(analysis, coro)))
		return false;
	return !lineage->is_joined[index] &&
	       !(lineage->has_many[coro->process] && (coro->flags & MODEL_CORO_WAS_AWAITED));
}

/* Did others have something for it to do after its parent was long over? */
static bool works_for_others(const struct analysis *analysis, const struct model_coro *coro)
{
	ct_time over = parent_of(analysis, coro)->changed;

	return coro->turns->wake.time != CT_NO_TIME &&
	       ct_time_between(over, coro->turns->wake.time) > LIMIT(analysis, ORPHAN_TIME);
}

static bool survey(struct analysis *analysis, struct lineage *lineage)
{
	const struct model *model = analysis->model;
	size_t nr_sites = analysis->tables->nr_sites + 1u;
	uint32_t i;

	lineage->is_joined = analyze_scratch(analysis, model->coros.count, sizeof(bool));
	lineage->has_many = analyze_scratch(analysis, model->nr_processes, sizeof(bool));
	lineage->nr_orphans = analyze_scratch(analysis, nr_sites, sizeof(uint32_t));
	lineage->nr_free = analyze_scratch(analysis, nr_sites, sizeof(uint32_t));
	lineage->nr_working = analyze_scratch(analysis, nr_sites, sizeof(uint32_t));
	if (!lineage->is_joined || !lineage->has_many || !lineage->nr_orphans ||
		!lineage->nr_free || !lineage->nr_working)
		return false;
	note_joins(analysis, lineage);
	for (i = 0; i < analysis->tables->nr_sites; i++)
		lineage->nr_free[i] =
			model->place_times[i] ? (uint32_t)model->place_times[i]->nr_free : 0;
	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->spawn_site >= nr_sites)
			continue;
		lineage->nr_free[coro->spawn_site] += model_was_free(coro);
		if (is_orphan(analysis, lineage, i)) {
			lineage->nr_orphans[coro->spawn_site]++;
			lineage->nr_working[coro->spawn_site] += works_for_others(analysis, coro);
		}
	}
	return true;
}

/* ---------------------------------------------------------------- the judgement */

static enum holding holds(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[coro->rare->descriptor];

	if (analyze_ties_holds_lock(analysis, index))
		return HOLDING_LOCK;
	if (!coro->rare->descriptor || !(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) ||
		descriptor->type == CTP_DESCRIPTOR_TYPE_EVENT ||
		descriptor->type == CTP_DESCRIPTOR_TYPE_POLL)
		return HOLDING_NOTHING;
	return HOLDING_DESCRIPTOR;
}

/* Is this a connection? The coroutine goes on when its peer does something, and ends with the peer. */
static bool is_connection(const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t descriptor = innermost(analysis, coro)->rare->descriptor;

	return descriptor && !analyze_party_is_inside(analysis, descriptor);
}

/* Did the parent end more than a moment ago, and neither during the warm-up nor at the program's end? */
static bool is_time_of_work(const struct analysis *analysis, uint32_t process, ct_time since)
{
	const struct party *party = &analysis->parties[process];

	return party->end - since > LIMIT(analysis, ORPHAN_TIME) &&
	       analyze_party_is_at_work(analysis, process, since, since);
}

/*
 * Are coroutines of this site left to themselves by design? True if at least as many of them have ended unawaited as
 * are orphans; and for one that holds no lock if at least half of the orphans work for others.
 */
static bool is_meant(
	const struct lineage *lineage, const struct model_coro *coro, enum holding holding)
{
	uint32_t nr_orphans = lineage->nr_orphans[coro->spawn_site];

	if (!coro->spawn_site)
		return false;
	return lineage->nr_free[coro->spawn_site] >= nr_orphans ||
	       (holding != HOLDING_LOCK && 2 * lineage->nr_working[coro->spawn_site] >= nr_orphans);
}

static bool is_looked_after(const struct analysis *analysis, const struct model_coro *coro)
{
	const uint32_t *nr_wakes = looked_after_at(analysis, coro->wait_site);

	return nr_wakes && *nr_wakes >= NR_LOOKED_AFTER;
}

static void judge(struct analysis *analysis, const struct lineage *lineage, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	enum holding holding = holds(analysis, index);
	struct candidate candidate = {
		.rule = CT_RULE_ORPHANED_CHILD,
		.grade = holding == HOLDING_LOCK ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT,
		.process = coro->process,
		.coro = index,
		.wait_site = coro->wait_site,
		.cause_site = coro->spawn_site,
		.variant = holding,
		.descriptor = coro->rare->descriptor,
		.since = parent_of(analysis, coro)->changed,
	};

	if (holding != HOLDING_LOCK &&
		(is_connection(analysis, coro) || works_for_others(analysis, coro)))
		return;
	if (holding != HOLDING_LOCK && is_looked_after(analysis, coro))
		return;
	if (is_meant(lineage, coro, holding) || analysis->is_told[index] ||
		analyze_ties_behind(analysis, index) ||
		!is_time_of_work(analysis, coro->process, candidate.since))
		return;
	if (analyze_candidate_outlives_gaps(analysis, &candidate,
		    analyze_candidate_life_start(analysis, coro),
		    analysis->parties[coro->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	struct lineage lineage;
	uint32_t i;

	if (!survey(analysis, &lineage)) {
		analysis->is_broken = true;
		return;
	}
	for (i = 1; i < analysis->model->coros.count; i++)
		if (is_orphan(analysis, &lineage, i))
			judge(analysis, &lineage, i);
}

/* ---------------------------------------------------------------- the evidence */

/* Adds the creation of the coroutine and of its ancestors, the oldest first. */
static void tell_lineage(
	struct analysis *analysis, uint32_t index, unsigned nr_left, struct story *story)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	struct ct_step step = {
		.time = coro->created,
		.site = coro->spawn_site,
		.coro = parent_of(analysis, coro)->id,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "started coroutine %" PRIu64, coro->id),
	};

	if (coro->created == CT_NO_TIME || !nr_left)
		return;
	if (coro->parent)
		tell_lineage(analysis, coro->parent, nr_left - 1, story);
	analyze_story_step(analysis, story, &step);
}

static void tell_end(
	struct analysis *analysis, const struct model_coro *parent, struct story *story)
{
	struct ct_step step = {
		.time = parent->changed,
		.thread = parent->thread,
		.coro = parent->id,
		.sequence = parent->last_event,
		.text = parent->flags & MODEL_CORO_WAS_DESTROYED_WAITING ? "was destroyed"
									 : "came to its end",
	};

	analyze_story_step(analysis, story, &step);
}

static const char *words_holding(
	struct analysis *analysis, const struct group *group, const struct candidate *first)
{
	const char *they = group->count == 1 ? "it" : "each";

	if (first->variant == HOLDING_LOCK)
		return analyze_say(analysis, "; %s holds a lock", they);
	if (first->variant == HOLDING_DESCRIPTOR)
		return analyze_say(analysis, "; %s keeps a descriptor", they);
	return "";
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = analyze_say(analysis,
		"%s at %s, started at %s by %s that %s ended since, and nobody waits for %s end%s",
		analyze_words_count(analysis, group),
		analyze_words_place(analysis, first->wait_site),
		analyze_words_place(analysis, first->cause_site),
		group->count == 1 ? "a coroutine" : "coroutines",
		group->count == 1 ? "has" : "have", group->count == 1 ? "its" : "their",
		words_holding(analysis, group, first));
	tell_lineage(analysis, first->coro, MODEL_ANCESTORS, story);
	analyze_story_suspended(analysis, story, coro);
	tell_end(analysis, parent_of(analysis, coro), story);
	analyze_story_held(analysis, story, first->coro);
	if (first->variant == HOLDING_DESCRIPTOR)
		analyze_story_evidence(analysis, story, "%s is still open",
			analyze_words_resource(
				analysis, coro->wait_object, coro->rare->descriptor));
	analyze_story_victims(analysis, story, group);
}

const struct rule rules_orphaned_child = {
	.watcher = {.nr_place_bytes = sizeof(uint32_t), .looks = {[MODEL_WAKE] = look_at_wake}},
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
