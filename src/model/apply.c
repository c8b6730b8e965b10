/* SPDX-License-Identifier: MIT */
/*
 * Dispatches each event by a table to the function for its kind. Most of these functions are in the other files of
 * this folder.
 */
#include "base/failure.h"
#include "model/parts.h"

/* ---------------------------------------------------------------- details */

static bool take_deadline(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	if (!thread->last_suspended) {
		model_thread_deadline(model, event->thread);
		return true;
	}
	model_set_rare(model, coro_at(model, thread->last_suspended), deadline,
		time_of_clock(model, event->object));
	model_set_rare(model, coro_at(model, thread->last_suspended), turns_before,
		(uint32_t)thread->nr_turns);
	return true;
}

static bool take_resource(struct model *model, const struct ct_event *event)
{
	struct model_thread *thread = thread_at(model, event->thread);

	if (thread->last_suspended && !model_coro_waits_for(model, thread->last_suspended, event))
		return false;
	return !thread->last_doubled ||
	       model_descriptor_is_copy_of(model, thread->last_doubled, event->object, event);
}

static bool take_missing(struct model *model, const struct ct_event *event)
{
	model_gap_of_coro(model, event);
	return true;
}

/* Only a coroutine that is known has a frame. */
static bool take_bytes(struct model *model, const struct ct_event *event)
{
	uint32_t coro = model_coro_find(model, event->process, event->coro);

	return !coro ||
	       model_footprint_tell(model, coro_at(model, coro), event->object, event->time);
}

static bool take_unreached(struct model *model, const struct ct_event *event)
{
	uint32_t coro = model_coro_find(model, event->process, event->coro);

	if (coro && coro_at(model, coro)->state == CT_STATE_WAITING)
		coro_at(model, coro)->flags |= MODEL_CORO_IS_UNREACHED;
	return true;
}

static bool take_caller(struct model *model, const struct ct_event *event)
{
	size_t i;

	for (i = model->crashes.count; i-- > 0;) {
		struct model_crash *crash = &model->crashes.at[i];

		if (crash->thread != event->thread)
			continue;
		crash->caller = event->site;
		break;
	}
	return true;
}

static bool take_detail(struct model *model, const struct ct_event *event);

/* ---------------------------------------------------------------- objects, descriptors, crashes */

static void tell_given(struct model *model, uint32_t coro, const struct ct_event *event)
{
	uint32_t by = event->coro ? coro : model_thread_doer(model, event->thread);
	enum model_moment moment = event->kind == CTP_KIND_ACQUIRE ? MODEL_GET : MODEL_GIVE;

	model_tell_often(model, moment, (struct model_sight){.coro = by, .event = event});
}

static bool change_object(struct model *model, const struct ct_event *event)
{
	uint32_t coro;

	if (!model_coro_touch(model, event, &coro))
		return false;
	model_coro_progress(model, coro);
	tell_given(model, coro, event);
	return model_object_change(model, coro, event);
}

/* What a thread does to a descriptor counts as an act of the coroutine that runs on it. */
static void progress_of_thread(struct model *model, const struct ct_event *event)
{
	model_coro_progress(model, thread_at(model, event->thread)->top);
}

/*
 * A scheduler polls on the stack of the coroutine that is about to leave the thread: the poll is not an act of that
 * coroutine.
 */
static bool poll_descriptor(struct model *model, const struct ct_event *event)
{
	thread_at(model, event->thread)->leaving = 0;
	return model_descriptor_ready(model, event);
}

static bool use_descriptor(struct model *model, const struct ct_event *event)
{
	if ((int64_t)event->coro < 0)
		model_coro_try(model, thread_at(model, event->thread)->top);
	else
		progress_of_thread(model, event);
	return model_descriptor_transfer(model, event);
}

static bool take_crash(struct model *model, const struct ct_event *event)
{
	struct model_crash crash = {
		.process = event->process,
		.thread = event->thread,
		.coro = thread_at(model, event->thread)->top,
		.site = event->site,
		.signal_number = event->argument,
		.is_sent = event->flags & 1,
		.is_raised = event->flags & 2,
		.address = event->object,
		.time = event->time,
		.sequence = event->sequence,
	};

	return vec_push(&model->crashes, crash);
}

/* ---------------------------------------------------------------- the table */

struct taker {
	bool (*take)(struct model *model, const struct ct_event *event);
	void (*note)(struct model *model, const struct ct_event *event);
	bool is_progress; /* progress of the coroutine that runs on its thread */
	bool is_known;
};

static const struct taker taker_of_kind[256] = {
#define KIND(name, function) [CTP_KIND_##name] = {.take = (function), .is_known = true},
#define PROGRESS(name, function) \
	[CTP_KIND_##name] = {.take = (function), .is_progress = true, .is_known = true},
#define NOTED(name, function) [CTP_KIND_##name] = {.note = (function), .is_known = true},
#define DETAIL(name, function)
#include "model/kinds.def"
};

static const struct taker taker_of_detail[256] = {
#define KIND(name, function)
#define DETAIL(name, function) [CTP_DETAIL_##name] = {.take = (function), .is_known = true},
#include "model/kinds.def"
};

/* Compile-time check: a kind or detail of the protocol that is missing in model/kinds.def is not declared here. */
enum has {
#define KIND(name, function) HAS_KIND_##name,
#define DETAIL(name, function) HAS_DETAIL_##name,
#include "model/kinds.def"
#define X(name, number, text, category, object, argument, meaning) \
	KIND_##name##_IS_THERE = HAS_KIND_##name,
#include "corotracer/def/kinds.def"
#undef X
#define X(name, number, text, meaning) DETAIL_##name##_IS_THERE = HAS_DETAIL_##name,
#include "corotracer/def/details.def"
#undef X
};

static bool take(struct model *model, const struct taker *taker, const struct ct_event *event)
{
	if (taker->take)
		return taker->take(model, event);
	if (taker->note)
		taker->note(model, event);
	return true;
}

static bool take_detail(struct model *model, const struct ct_event *event)
{
	const struct taker *taker = &taker_of_detail[event->argument];

	model->nr_unknown_kinds += !taker->is_known;
	return take(model, taker, event);
}

static bool take_kind(struct model *model, const struct ct_event *event)
{
	const struct taker *taker = &taker_of_kind[event->kind];

	if (!taker->is_known)
		model->nr_unknown_kinds++;
	if (taker->is_progress)
		progress_of_thread(model, event);
	return take(model, taker, event);
}

/* ---------------------------------------------------------------- one event */

/* A history without a callback, and a breakdown, name coroutines by their index, so no record may move. */
static bool may_release(const struct model *model)
{
	return (!model->history || model->history->take) && !model->breakdown;
}

/* If there is hardly room for further coroutines, ended ones are given back sooner. */
static bool is_release_due(const struct model *model)
{
	if (model->nr_ended > model->release_at)
		return may_release(model);
	return model->is_nearly_full && model->nr_ended > model->full_release_at &&
	       model->least_ended != UINT32_MAX && may_release(model);
}

/* What ended in this epoch is kept for the next one. If there is still no room, the next epoch begins at once. */
static bool give_back(struct model *model)
{
	return model_release_now(model) && (!model->is_nearly_full || model_release_now(model));
}

enum ct_status model_apply(
	struct model *model, const struct ct_event *event, struct ct_error *reterr)
{
	struct ct_event placed;
	uint32_t place;
	bool is_taken;

	if (is_release_due(model) && !give_back(model))
		return ct_fail_memory(reterr);
	model->nr_events++;
	model->sequence = event->sequence;
	if (!model_observation_admit(model, event))
		return CT_OK;
	model->own_site = event->site;
	place = model_place(model, event->site);
	if (place != event->site) {
		placed = *event;
		placed.site = place;
		event = &placed;
	}
	model_stillness_note(model, event);
	model_thread_note(model, event);
	is_taken = take_kind(model, event);
	if (!is_taken && model->is_left_out)
		is_taken = model_bound_leave_out(model, event);
	return is_taken && !model->has_no_memory ? CT_OK : ct_fail_memory(reterr);
}
