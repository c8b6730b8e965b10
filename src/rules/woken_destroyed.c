/* SPDX-License-Identifier: MIT */
/*
 * Woken and destroyed: a wake had ended the coroutine's wait, and the coroutine was destroyed before it ran. What the
 * wake brought is lost with it, unless the wake was taken back. If others are known to wait for it,
 * destroyed-while-suspended reports that; this rule is about the rest: an acceptor whose server lives on, a request
 * that nobody answers.
 *
 * Likely if its listening descriptor was closed at the same time and no coroutine waits there any more, or if all
 * other coroutines that were woken at that place ran on and none is cancelled there. Otherwise Suspect. The rule is
 * silent at the program's end, and if what the coroutine waited for has changed since, because the wake may have been
 * passed on. For the same reason it is silent, where no such sign is known, if somebody was woken at that place since,
 * and because the wake was not needed, if nobody waits there.
 */

#include "analyze/watched_places.h"
#include "rules/parts.h"

/* ---------------------------------------------------------------- the watcher */

/* The wakes at one place, and the last of them. */
struct wakes {
	uint64_t count;
	uint64_t whom; /* id */
	ct_time since; /* when that one had begun to wait */
	ct_time time;
	uint32_t thread;
	/* id of the coroutine that was the last to be destroyed there when the last wake came; 0: none */
	uint64_t cut;
	bool is_handed_on; /* the wake of that one, as far as is known */
	uint64_t nr_before;
};

/*
 * Is the last wake one that was handed on by the destruction of `cut`? A future that hands its wake on does so before
 * its coroutine is gone.
 */
static bool is_part_of(const struct wakes *wakes, const struct model_coro *cut)
{
	return wakes->count && wakes->whom != cut->id && wakes->time >= cut->turns->wake.time &&
	       wakes->since <= cut->turns->wake.time && wakes->thread == cut->rare->destroy_thread;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model *model = watch->model;
	const struct model_coro *coro = &model->coros.at[sight->coro];
	const struct model_place_times *times = model_times_at(model, coro->wait_site);
	struct wakes *wakes = model_watch_place(watch, coro->wait_site);
	const struct model_coro *cut = &model->coros.at[times ? times->cut : 0];

	if (!wakes || coro->state != CT_STATE_WAITING || sight->by == sight->coro)
		return true;
	if (cut->id != wakes->cut) {
		wakes->cut = cut->id;
		wakes->is_handed_on = is_part_of(wakes, cut);
		wakes->nr_before = wakes->count;
	}
	wakes->is_handed_on |= wakes->cut && coro->suspended <= cut->turns->wake.time;
	wakes->count++;
	wakes->whom = coro->id;
	wakes->since = coro->suspended;
	wakes->time = sight->event->time;
	wakes->thread = sight->event->thread;
	return true;
}

static const struct wakes *wakes_at(const struct analysis *analysis, const struct model_coro *coro)
{
	return model_watch_place(
		analyze_watch_of(analysis, &rules_woken_destroyed), coro->wait_site);
}

/* ---------------------------------------------------------------- the judgement */

enum variant {
	VARIANT_ALONE = 1, /* nothing else is known */
	VARIANT_LISTENER,
	VARIANT_SIBLINGS,
};

static const struct model_coro *cut_at(
	const struct analysis *analysis, const struct model_place_times *times)
{
	return &analysis->model->coros.at[times->cut];
}

static bool was_woken(const struct model_coro *coro)
{
	return coro->turns->wake.time != CT_NO_TIME && coro->suspended != CT_NO_TIME &&
	       coro->turns->wake.time >= coro->suspended && coro->point == CTP_POINT_AWAIT;
}

/* Was that at the end of the program, or of its scheduler? */
static bool is_at_the_end(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct party *party = &analysis->parties[coro->process];
	ct_time last = analysis->model->processes[coro->process].last_run;

	if (analyze_ties_is_shutting_down(analysis, coro->process, coro->rare->destroyed))
		return true;
	return party->end - coro->rare->destroyed <= LIMIT(analysis, GRACE) ||
	       (party->has_ended_itself && last <= coro->rare->destroyed);
}

/* Do others wait for what the coroutine held or was to take? Other findings report that. */
static bool is_missed(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];
	uint32_t object = model_find_object(analysis->model, coro->process, coro->wait_object);
	const struct model_object *at = &analysis->model->objects.at[object];

	return analyze_ties_holds_lock(analysis, index) || (object && at->owner == index) ||
	       (object && at->cut == index && analyze_ties_nr_waiters(analysis, object)) ||
	       rules_wake_lost_with_task_is_told(analysis, index);
}

static bool is_passed_on(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);

	return object->handle && object->changed > coro->rare->destroyed;
}

/*
 * Was one woken at the coroutine's place that had waited there with it, or anybody long after? Others that are woken
 * soon after may have had what they went for before, and wait for something else.
 */
static bool is_handed_on(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct wakes *wakes = wakes_at(analysis, coro);

	if (!wakes)
		return false;
	if (wakes->cut != coro->id)
		return is_part_of(wakes, coro);
	return wakes->is_handed_on || wakes->time - coro->rare->destroyed > LIMIT(analysis, GRACE);
}

/* How many wait at the coroutine's place for something of its kind, or for what it waited for? */
static uint32_t count_waiting(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	bool is_known = coro->wait_object && !model_is_unnamed(coro->wait_object);
	uint32_t i, count = 0;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *other = &model->coros.at[i];

		count += other->process == coro->process && model_is_awaiting(other) &&
			 CTP_HANDLE_RESOURCE(other->wait_object) ==
				 CTP_HANDLE_RESOURCE(coro->wait_object) &&
			 (other->wait_site == coro->wait_site ||
				 (is_known && other->wait_object == coro->wait_object));
	}
	return count;
}

/* Did the coroutine accept connections, is its listener closed, and does no other coroutine wait at its place? */
static bool has_lost_listener(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_place_times *times)
{
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[coro->rare->descriptor];
	int64_t apart;

	if (!coro->rare->descriptor || descriptor->closed == CT_NO_TIME || times->waiting.count ||
		!(descriptor->flags & MODEL_DESCRIPTOR_IS_LISTENER))
		return false;
	apart = descriptor->closed - coro->rare->destroyed;
	return (apart < 0 ? -apart : apart) <= LIMIT(analysis, WOKEN_DESTROYED_CLOSE);
}

/*
 * Did all others that were woken there run on, and is none destroyed there while it waits? Then cancellation is no
 * habit there.
 */
static bool has_siblings(const struct analysis *analysis, const struct model_place_times *times)
{
	uint64_t nr_ran = model_histogram(times->delays)->count;

	return times->nr_cut == 0 && nr_ran >= (uint64_t)LIMIT(analysis, WOKEN_DESTROYED_RAN) &&
	       nr_ran / 10 >= times->nr_cut_ready;
}

static enum variant variant_of(const struct analysis *analysis, const struct model_coro *coro,
	const struct model_place_times *times)
{
	if (has_lost_listener(analysis, coro, times))
		return VARIANT_LISTENER;
	return has_siblings(analysis, times) ? VARIANT_SIBLINGS : VARIANT_ALONE;
}

static void judge(struct analysis *analysis, uint32_t site, const struct model_place_times *times)
{
	const struct model_coro *coro = cut_at(analysis, times);
	enum variant variant = variant_of(analysis, coro, times);
	/* An answer that was meant for this coroutine alone can be handed on to nobody. */
	bool is_own = variant == VARIANT_SIBLINGS && coro->wait_object &&
		      !model_is_unnamed(coro->wait_object);
	struct candidate candidate = {
		.rule = CT_RULE_WOKEN_DESTROYED,
		.grade = variant == VARIANT_ALONE ? CT_GRADE_SUSPECT : CT_GRADE_LIKELY,
		.process = coro->process,
		.coro = times->cut,
		.wait_site = coro->wait_site,
		.cause_site = coro->turns->wake.site,
		.variant = variant,
		.descriptor = coro->rare->descriptor,
		.subject = site,
		.since = coro->rare->destroyed,
	};

	if (variant != VARIANT_LISTENER && !is_own &&
		(is_handed_on(analysis, coro) || !count_waiting(analysis, coro)))
		return;
	if (coro->flags & MODEL_CORO_HAS_DOUBTFUL_WAKE)
		analyze_candidate_lower(&candidate, REASON_DOUBTFUL_WAKE);
	if (analyze_candidate_outlives_gaps(analysis, &candidate,
		    analyze_candidate_life_start(analysis, coro), coro->rare->destroyed))
		analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 0; i < model->tables->nr_sites + 1u; i++) {
		const struct model_place_times *times = model->place_times[i];
		const struct model_coro *coro;

		if (!times || !times->cut || is_missed(analysis, times->cut))
			continue;
		coro = cut_at(analysis, times);
		if (was_woken(coro) && coro->mark != CTP_MARK_DAEMON && !coro->is_remains &&
			!is_at_the_end(analysis, coro) && !is_passed_on(analysis, coro))
			judge(analysis, i, times);
	}
}

/* ---------------------------------------------------------------- the evidence */

static void tell_closed(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_descriptor *descriptor =
		&analysis->model->descriptors.at[coro->rare->descriptor];
	struct ct_step step = {
		.time = descriptor->closed,
		.site = descriptor->close_site,
		.thread = descriptor->close_thread,
		.coro = analysis->model->coros.at[descriptor->close_coro].id,
		.sequence = descriptor->close_event,
		.text = analyze_say(analysis, "closed %s, which takes connections",
			analyze_words_resource(
				analysis, coro->wait_object, coro->rare->descriptor)),
	};

	analyze_story_step(analysis, story, &step);
}

static void tell_place(
	struct analysis *analysis, const struct model_place_times *times, struct story *story)
{
	uint64_t nr_ran = model_histogram(times->delays)->count;

	analyze_story_evidence(analysis, story,
		"of those that were woken at that place, %s ran on, and %s %s destroyed before; %s "
		"%s destroyed there waiting",
		analyze_words_number(analysis, nr_ran),
		analyze_words_number(analysis, times->nr_cut_ready),
		times->nr_cut_ready == 1 ? "was" : "were",
		analyze_words_number(analysis, times->nr_cut), times->nr_cut == 1 ? "was" : "were");
}

/* Adds how many wait there, and that nobody is woken. */
static void tell_waiting(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	uint32_t count = count_waiting(analysis, coro);
	const struct wakes *wakes = wakes_at(analysis, coro);
	bool is_later = wakes && wakes->cut == coro->id;
	uint64_t nr_before = !wakes ? 0 : is_later ? wakes->nr_before : wakes->count;

	if (!count || is_handed_on(analysis, coro) ||
		model_lost_between(analysis->model, coro->process, coro->rare->destroyed,
			analysis->parties[coro->process].end))
		return;
	analyze_story_evidence(analysis, story,
		"%s %s there at the end, and nobody has been woken there since %s; %s %s before",
		analyze_words_number(analysis, count), count == 1 ? "waits" : "wait",
		is_later ? analyze_say(analysis, "%s after that destruction",
				   analyze_words_duration(
					   analysis, wakes->time - coro->rare->destroyed))
			 : "that destruction",
		analyze_words_number(analysis, nr_before), nr_before == 1 ? "was" : "were");
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_place_times *times = analysis->model->place_times[first->subject];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];

	finding->title = analyze_say(analysis, "%s %s woken at %s, and destroyed before %s%s",
		analyze_words_number(analysis, times->nr_cut_ready),
		times->nr_cut_ready == 1 ? "coroutine was" : "coroutines were",
		analyze_words_place(analysis, first->wait_site),
		times->nr_cut_ready == 1 ? "it ran" : "they ran",
		first->variant == VARIANT_LISTENER
			? ", and what it accepted connections from was closed with it"
			: "");
	analyze_story_suspended(analysis, story, coro);
	analyze_story_woken(analysis, story, coro, model_wake_ready(coro));
	analyze_story_destroyed(analysis, story, coro);
	if (first->variant == VARIANT_LISTENER)
		tell_closed(analysis, coro, story);
	tell_place(analysis, times, story);
	tell_waiting(analysis, coro, story);
}

const struct rule rules_woken_destroyed = {
	.watcher = {.nr_place_bytes = sizeof(struct wakes), .looks = {[MODEL_WAKE] = look_at_wake}},
	.find = find,
	.describe = describe,
};
