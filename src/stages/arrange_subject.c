/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "event/around.h"
#include "stages/arrange_subject.h"

#define NR_FRAMES 16384u
#define PROBES 8u

bool arrange_subjects_init(struct subjects *subjects)
{
	subjects->at = calloc(NR_SUBJECTS, sizeof(*subjects->at));
	subjects->frames = calloc(NR_FRAMES, sizeof(*subjects->frames));
	return subjects->at && subjects->frames;
}

void arrange_subjects_reset(struct subjects *subjects)
{
	memset(subjects->at, 0, NR_SUBJECTS * sizeof(*subjects->at));
	memset(subjects->frames, 0, NR_FRAMES * sizeof(*subjects->frames));
}

void arrange_subjects_fini(struct subjects *subjects)
{
	free(subjects->at);
	free(subjects->frames);
}

/* ---------------------------------------------------------------- targets of wakes */

static struct subject_frame *frame_at(struct subjects *subjects, uint64_t address)
{
	return &subjects->frames[map_home(address, NR_FRAMES)];
}

static uint64_t target_of(struct subjects *subjects, const struct ct_event *event)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(event->object);
	const struct subject_frame *frame;

	switch (CTP_HANDLE_RESOURCE(event->object)) {
	case CTP_RESOURCE_COROUTINE:
		return identity;
	case CTP_RESOURCE_FRAME:
		frame = frame_at(subjects, identity);
		return frame->address == identity && frame->process == event->process ? frame->coro
										      : 0;
	default:
		return 0;
	}
}

/* ---------------------------------------------------------------- effects of an event */

static unsigned deed(struct deed *deed, uint64_t key, enum act act, uint32_t by)
{
	*deed = (struct deed){key, act, by};
	return key != 0;
}

static enum act act_of_leave(const struct ct_event *event)
{
	if (event->kind == CTP_KIND_SUSPEND && event_is_told_around(event))
		return ACT_LEAVE_AROUND;
	switch (event->argument) {
	case CTP_POINT_INITIAL:
		return ACT_LEAVE_FIRST;
	case CTP_POINT_FINAL:
		return ACT_LEAVE_LAST;
	case CTP_POINT_PREEMPTED:
		return ACT_STEP_ASIDE;
	default:
		return ACT_LEAVE;
	}
}

static enum act act_of_resume(const struct ct_event *event)
{
	return event_is_told_around(event) ? ACT_RESUME_AROUND : ACT_RESUME;
}

static unsigned deeds_of_switch(const struct ct_event *event, struct deed deeds[2])
{
	unsigned count = deed(deeds, event->coro, act_of_leave(event), event->thread);

	return count + deed(deeds + count, event->object, ACT_RESUME, event->thread);
}

static unsigned deed_of_wake(
	struct subjects *subjects, const struct ct_event *event, struct deed *ret_deed)
{
	uint64_t target = target_of(subjects, event);
	bool is_own = target == event->coro;

	switch (event->argument) {
	case CTP_OUTCOME_QUEUED:
	case CTP_OUTCOME_RESUMED:
		return deed(ret_deed, target, is_own ? ACT_WAKE_ITSELF : ACT_WAKE, event->thread);
	case CTP_OUTCOME_ALREADY_QUEUED:
		return deed(
			ret_deed, target, is_own ? ACT_WAKE_ITSELF : ACT_WAKE_AGAIN, event->thread);
	default:
		return 0;
	}
}

static unsigned deed_of_lock(const struct ct_event *event, enum act act, struct deed *ret_deed)
{
	uint32_t by = event->coro ? (uint32_t)event->coro : ~event->thread;

	if (CTP_HANDLE_RESOURCE(event->object) != CTP_RESOURCE_LOCK)
		return 0;
	return deed(ret_deed, event->object, act, by);
}

static unsigned tell_frame(struct subjects *subjects, const struct ct_event *event)
{
	struct subject_frame *frame = frame_at(subjects, event->object);

	*frame = (struct subject_frame){event->object, event->coro, event->process};
	return 0;
}

unsigned arrange_subject_deeds(
	struct subjects *subjects, const struct ct_event *event, struct deed deeds[2])
{
	bool is_suspended = event->argument == CTP_LIFE_SUSPENDED;

	switch (event->kind) {
	case CTP_KIND_CREATE:
		return deed(deeds, event->coro, ACT_CREATE, event->thread);
	case CTP_KIND_FRAME:
		return tell_frame(subjects, event);
	case CTP_KIND_RESUME:
		return deed(deeds, event->coro, act_of_resume(event), event->thread);
	case CTP_KIND_SUSPEND:
		return deed(deeds, event->coro, act_of_leave(event), event->thread);
	case CTP_KIND_SYSCALL_END:
		return event->flags & CTP_SYSCALL_READY
			       ? deed(deeds, event->coro, ACT_STEP_ASIDE, event->thread)
			       : 0;
	case CTP_KIND_SWITCH:
		return deeds_of_switch(event, deeds);
	case CTP_KIND_CANCEL:
		return deed(deeds, event->coro, ACT_CANCEL, event->thread);
	case CTP_KIND_WAKE:
		return deed_of_wake(subjects, event, deeds);
	case CTP_KIND_ENQUEUE:
		return deed(deeds, event->coro, ACT_QUEUE, event->thread);
	case CTP_KIND_RETURN:
		return deed(deeds, event->coro, ACT_RETURN, event->thread);
	case CTP_KIND_DESTROY:
		return deed(deeds, event->coro, is_suspended ? ACT_TAKE_AWAY : ACT_DESTROY,
			event->thread);
	case CTP_KIND_ACQUIRE:
		return deed_of_lock(event, ACT_TAKE, deeds);
	case CTP_KIND_RELEASE:
		return deed_of_lock(event, ACT_GIVE, deeds);
	case CTP_KIND_HAND_OVER:
		return deed_of_lock(event, ACT_PASS, deeds);
	default:
		return 0;
	}
}

/* ---------------------------------------------------------------- the table of subjects */

static bool is_free(const struct subject *subject, uint32_t oldest)
{
	return (int32_t)(subject->newest - oldest) < 0;
}

/* Finds a slot for a new subject: a free one, or the subject with the oldest event, if that may go. */
static uint32_t take_place(struct subjects *subjects, size_t home, uint32_t oldest)
{
	uint32_t found = NO_SUBJECT, at;
	size_t i;

	for (i = 0; i < PROBES; i++) {
		at = (uint32_t)((home + i) % NR_SUBJECTS);
		if (!subjects->at[at].is_used)
			return at;
		if (!is_free(&subjects->at[at], oldest))
			continue;
		if (found == NO_SUBJECT ||
			(int32_t)(subjects->at[at].newest - subjects->at[found].newest) < 0)
			found = at;
	}
	return found;
}

uint32_t arrange_subject_search(
	struct subjects *subjects, uint32_t process, const struct deed *deed, uint32_t oldest)
{
	size_t home = map_home(deed->key + process, NR_SUBJECTS), i;
	uint32_t found;

	for (i = 1; i < PROBES; i++)
		if (subject_is(&subjects->at[(home + i) % NR_SUBJECTS], process, deed))
			return (uint32_t)((home + i) % NR_SUBJECTS);
	found = take_place(subjects, home, oldest);
	if (found != NO_SUBJECT)
		subjects->at[found] = (struct subject){.key = deed->key,
			.process = process,
			.is_lock = deed_is_to_lock(deed),
			.newest = oldest - 1,
			.newest_time = CT_NO_TIME,
			.mixed = CT_NO_TIME,
			.moved = CT_NO_TIME,
			.is_used = true};
	return found;
}
