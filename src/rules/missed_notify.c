/* SPDX-License-Identifier: MIT */
/*
 * Notifies that a wait has missed: how that can be, and what other notifies there were.
 */
#include <inttypes.h>

#include "rules/parts.h"

/* A suspend is recorded before the waiter is in the list; a notify this soon after the suspend may come in between. */
#define INTO_THE_LIST_NS INT64_C(1000000)

bool rules_missed_notify_was_outlived(const struct analysis *analysis,
	const struct model_coro *coro, const struct model_object *object)
{
	return object->found.time > object->vain.time && coro->resumed != CT_NO_TIME &&
	       object->found.time < coro->resumed && object->owned >= coro->resumed &&
	       object->owner == model_index(analysis->model, coro);
}

/* How a notify could miss this wait, which is what the reader asks there; "" if another notify found waiters. */
static const char *how_missed(
	struct analysis *analysis, const struct model_coro *coro, const struct model_waking *notify)
{
	ct_time waited = notify->time - coro->suspended;

	if (waited < 0)
		return analyze_say(
			analysis, ": coroutine %" PRIu64 " was on its way to suspend", coro->id);
	if (waited >= INTO_THE_LIST_NS ||
		analyze_ties_object(analysis, coro)->found.time >= coro->suspended)
		return "";
	return analyze_say(analysis,
		": coroutine %" PRIu64
		" had suspended %s before, but was perhaps not yet listed as "
		"waiting",
		coro->id, analyze_words_duration(analysis, waited));
}

void rules_missed_notify_tell(struct analysis *analysis, const struct model_coro *coro,
	const struct model_waking *notify, struct story *story)
{
	struct ct_step step = {
		.time = notify->time,
		.site = notify->site,
		.thread = notify->thread,
		.coro = analysis->model->coros.at[notify->coro].id,
		.sequence = notify->sequence,
		.text = analyze_say(analysis, "notified %s, and woke nobody%s",
			analyze_words_resource(analysis, coro->wait_object, 0),
			how_missed(analysis, coro, notify)),
	};

	analyze_story_step(analysis, story, &step);
}

/* A notify that moves the waiters into a list of its own leaves no waiter for a notify that comes meanwhile. */
static void tell_other_notify(
	struct analysis *analysis, const struct model_coro *coro, struct story *story)
{
	const struct model_waking *found = &analyze_ties_object(analysis, coro)->found;
	struct ct_step step = {
		.time = found->time,
		.site = found->site,
		.thread = found->thread,
		.coro = analysis->model->coros.at[found->coro].id,
		.sequence = found->sequence,
		.text = "notified it, too, and woke others: it may have held all the waiters in a "
			"list of its own when the other notify found nobody",
	};

	if (found->time != CT_NO_TIME && found->time >= coro->suspended)
		analyze_story_step(analysis, story, &step);
}

/* Adds the notifies of the object during this wait, in order. */
void rules_missed_notify_tell_all(struct analysis *analysis, const struct model_coro *coro,
	const struct model_waking *missed, struct story *story)
{
	bool is_other_first = analyze_ties_object(analysis, coro)->found.time < missed->time;

	if (is_other_first)
		tell_other_notify(analysis, coro, story);
	rules_missed_notify_tell(analysis, coro, missed, story);
	if (!is_other_first)
		tell_other_notify(analysis, coro, story);
}

const struct model_waking *rules_missed_notify_meanwhile(
	const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_object *object = analyze_ties_object(analysis, coro);
	bool is_own = object->vain.coro && &analysis->model->coros.at[object->vain.coro] == coro;

	if (!object->handle || object->vain.time == CT_NO_TIME || is_own)
		return NULL;
	return object->vain.time >= coro->suspended ? &object->vain : NULL;
}
