/* SPDX-License-Identifier: MIT */
/*
 * What was last done to the resource that a coroutine waits for, and by whom. A notify of an event, or a condition,
 * before the wait, which found nobody then, proves nothing, because an event may keep that it was set. But if nothing
 * is left to wake the coroutine, that is what a reader has to look at: the event was announced to nobody. A notify of
 * the coroutine's own is not the one that it missed. A lock that was given back before the wait, and that nobody has
 * taken since, is free: whoever waits for it looked before that.
 *
 * In a circle of givers, each of whom waits for the next one, one of these notifies began it: that of the event whose
 * notifies are in vain least often.
 */
#include <inttypes.h>

#include "analyze/giver_circle.h"
#include "rules/parts.h"

static bool was_in_vain(const struct model_object *object)
{
	return object->changed_how == CTP_KIND_NOTIFY && object->vain.time == object->changed;
}

bool rules_last_change_came_before(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	unsigned kind = CTP_HANDLE_RESOURCE(object->handle);

	return (kind == CTP_RESOURCE_EVENT || kind == CTP_RESOURCE_CONDITION) &&
	       was_in_vain(object) &&
	       object->changed_by_coro != model_index(analysis->model, coro) &&
	       object->changed_at && object->changed < coro->suspended;
}

static uint32_t nr_in_vain(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_ties_object(analysis, coro)->nr_vain;
}

/* The coroutine of whose wait to speak: another one of its circle, perhaps. */
static const struct model_coro *subject_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	uint32_t members[GIVER_CIRCLE_MEMBERS];
	unsigned count =
		analyze_giver_circle_members(analysis, model_index(analysis->model, coro), members);
	const struct model_coro *subject = NULL;
	unsigned i;

	for (i = 0; i < count; i++) {
		const struct model_coro *member = &analysis->model->coros.at[members[i]];

		if (rules_last_change_came_before(analysis, member) &&
			(!subject || nr_in_vain(analysis, member) < nr_in_vain(analysis, subject)))
			subject = member;
	}
	return subject ? subject : coro;
}

uint32_t rules_last_change_site(const struct analysis *analysis, const struct model_coro *coro)
{
	coro = subject_of(analysis, coro);
	return rules_last_change_came_before(analysis, coro)
		       ? analyze_ties_object(analysis, coro)->changed_at
		       : 0;
}

ct_time rules_last_change_time(const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_ties_object(analysis, subject_of(analysis, coro))->changed;
}

/* Was the lock given back before the wait began, and not taken since, with no event missing that might say so? */
static bool is_free_lock(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);

	return CTP_HANDLE_RESOURCE(object->handle) == CTP_RESOURCE_LOCK && !object->owner &&
	       object->has_takers && object->changed_how == CTP_KIND_RELEASE &&
	       object->changed < coro->suspended &&
	       !model_lost_between(analysis->model, coro->process, object->changed,
		       analysis->parties[coro->process].end);
}

static const char *words_free(struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);

	return analyze_say(analysis, "; %s was given back %s before, and nobody has taken it since",
		analyze_words_resource(analysis, object->handle, 0),
		analyze_words_duration(analysis, coro->suspended - object->changed));
}

const char *rules_last_change_words(struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *subject = subject_of(analysis, coro);

	if (is_free_lock(analysis, coro))
		return words_free(analysis, coro);
	if (!rules_last_change_came_before(analysis, subject))
		return "";
	return analyze_say(analysis, "; the notify from %s%s had come before, %s",
		analyze_words_place(analysis, analyze_ties_object(analysis, subject)->changed_at),
		subject == coro
			? ""
			: analyze_say(analysis, " for %s", analyze_words_coro(analysis, subject)),
		analyze_ties_object(analysis, subject)->vain.is_unkept
			? "found nobody, and nothing of it is kept"
			: "and found nobody");
}

static const char *words_done(unsigned kind)
{
	switch (kind) {
	case CTP_KIND_ACQUIRE:
		return "took";
	case CTP_KIND_RELEASE:
		return "gave back";
	case CTP_KIND_HAND_OVER:
		return "handed over";
	case CTP_KIND_NOTIFY:
		return "notified";
	default:
		return "changed";
	}
}

void rules_last_change_tell(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_object *object =
		analyze_ties_object(analysis, subject_of(analysis, coro));
	const struct model_coro *owner =
		&analysis->model->coros
			 .at[analyze_ties_next(analysis, model_index(analysis->model, coro))];
	struct ct_step step = {
		.time = object->changed,
		.site = object->changed_at,
		.thread = object->changed_by_thread,
		.coro = analysis->model->coros.at[object->changed_by_coro].id,
		.sequence = object->change_event,
	};

	if (!object->changed_how)
		return;
	step.text =
		analyze_say(analysis, "%s %s%s: its last change%s", words_done(object->changed_how),
			analyze_words_resource(analysis, object->handle, 0),
			was_in_vain(object) ? ", and woke nobody" : "",
			object->owner && owner->id
				? analyze_say(analysis, "; coroutine %" PRIu64 ", which has it, %s",
					  owner->id,
					  rules_kept_lock_has_ended(owner) ? "is gone" : "goes on")
				: "");
	analyze_story_step(analysis, story, &step);
}
