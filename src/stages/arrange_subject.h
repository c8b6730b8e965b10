/* SPDX-License-Identifier: MIT */
/*
 * Subjects, whose events are put in order: coroutines and locks, as far as they did something lately. A table of a
 * fixed size; one that finds no room in it is not looked after, and what it does is marked.
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
	ct_time mixed; /* when two threads last did something to it within the reach */
	ct_time moved; /* where its steps were last put into another order */
	uint32_t process;
	uint32_t newest;        /* arrival number of its newest event */
	uint32_t newest_thread; /* and on which thread that was */
	struct place place;     /* behind the last event that was played */
	uint16_t nr_futile;     /* odd steps that no other order made better */
	bool is_used;
	bool is_lock;
	bool is_lost; /* a step of it was marked: where it is since then is not certain */
};

struct subject_frame {
	uint64_t address;
	uint64_t coro;
	uint32_t process;
};

struct subjects {
	struct subject *at; /* NR_SUBJECTS */
	struct subject_frame *frames;
};

/* The change that one event makes to one subject. */
struct deed {
	uint64_t key;
	enum act act;
	uint32_t by;
};

/* deed_is_to_lock: to a lock, and to no coroutine. */
static inline bool deed_is_to_lock(const struct deed *deed)
{
	return deed->act >= NR_COROUTINE_ACTS;
}

/* arrange_subjects_init: false: out of memory. arrange_subjects_reset: nothing is known of anybody. */
bool arrange_subjects_init(struct subjects *subjects);
void arrange_subjects_reset(struct subjects *subjects);
void arrange_subjects_fini(struct subjects *subjects);

/* arrange_subject_deeds: what the event does, to two at most; returns how many. Frames that it tells are remembered. */
unsigned arrange_subject_deeds(
	struct subjects *subjects, const struct ct_event *event, struct deed deeds[2]);

/* arrange_subject_search: what subject_find does where its subject does not lie at its own place. */
uint32_t arrange_subject_search(
	struct subjects *subjects, uint32_t process, const struct deed *deed, uint32_t oldest);

static inline bool subject_is(
	const struct subject *subject, uint32_t process, const struct deed *deed)
{
	return subject->key == deed->key && subject->process == process && subject->is_used &&
	       subject->is_lock == deed_is_to_lock(deed);
}

/*
 * subject_find: the place in the table of whom the deed is done to; one that has nothing at or after place `oldest` may
 * have to give way. NO_SUBJECT: there is no room.
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
