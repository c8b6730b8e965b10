/* SPDX-License-Identifier: MIT */
/*
 * Subjects, whose events are put in order: coroutines and locks that had events recently. A table of a fixed size; a
 * subject that finds no room is not followed, and its events are marked.
 */
#ifndef STAGES_ARRANGE_SUBJECT_H
#define STAGES_ARRANGE_SUBJECT_H

#include "base/map.h"
#include "stages/arrange_step.h"

#define NO_SUBJECT UINT32_MAX
#define NR_SUBJECTS 4096u

struct subject {
	uint64_t key; /* the coroutine's id, or the lock's handle: these may be equal */
	ct_time newest_time;
	ct_time mixed; /* when two threads last acted on it within the reach */
	ct_time moved; /* when its steps were last reordered */
	uint32_t process;
	uint32_t newest;        /* arrival number of its newest event */
	uint32_t newest_thread; /* thread of its newest event */
	struct place place;     /* state after the last event that was played */
	uint16_t nr_futile;     /* odd steps that no other order improved */
	bool is_used;
	bool is_lock;
	bool is_lost; /* a step of it was marked: its state is uncertain since */
};

struct subject_frame {
	uint64_t address;
	uint64_t coro;
	uint32_t process;
};

struct subjects {
	struct subject *at; /* NR_SUBJECTS subjects */
	struct subject_frame *frames;
};

/* The change that one event makes to one subject. */
struct deed {
	uint64_t key;
	enum act act;
	uint32_t by;
};

/* deed_is_to_lock: returns whether the deed changes a lock, not a coroutine. */
static inline bool deed_is_to_lock(const struct deed *deed)
{
	return deed->act >= NR_COROUTINE_ACTS;
}

/*
 * arrange_subjects_init: makes an empty table. Returns false if out of memory. arrange_subjects_reset: forgets all
 * subjects.
 */
bool arrange_subjects_init(struct subjects *subjects);
void arrange_subjects_reset(struct subjects *subjects);
void arrange_subjects_fini(struct subjects *subjects);

/*
 * arrange_subject_deeds: fills in the changes that the event makes, to at most two subjects; returns their number.
 * Frames that the event states are remembered.
 */
unsigned arrange_subject_deeds(
	struct subjects *subjects, const struct ct_event *event, struct deed deeds[2]);

/* arrange_subject_search: does what subject_find does, if the subject is not in its home slot. */
uint32_t arrange_subject_search(
	struct subjects *subjects, uint32_t process, const struct deed *deed, uint32_t oldest);

static inline bool subject_is(
	const struct subject *subject, uint32_t process, const struct deed *deed)
{
	return subject->key == deed->key && subject->process == process && subject->is_used &&
	       subject->is_lock == deed_is_to_lock(deed);
}

/*
 * subject_find: returns the slot of the deed's subject; a subject without events at or after place `oldest` may have to
 * give way. NO_SUBJECT: there is no room.
 */
static inline uint32_t subject_find(
	struct subjects *subjects, uint32_t process, const struct deed *deed, uint32_t oldest)
{
	uint32_t home = (uint32_t)map_home(deed->key + process, NR_SUBJECTS);

	if (subject_is(&subjects->at[home], process, deed))
		return home;
	return arrange_subject_search(subjects, process, deed, oldest);
}

#endif
