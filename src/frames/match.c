/* SPDX-License-Identifier: MIT */
/* Finds the coroutines of the past among those in memory (match.h). */
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "frames/match.h"

#define NUMBERS_MAX (UINT64_C(1) << 48)

struct reading {
	struct matches *matches;
	uint64_t highest; /* number of a coroutine */
};

/* ---------------------------------------------------------------- the past */

static struct life *life_of(struct reading *reading, uint64_t coro)
{
	struct matches *matches = reading->matches;
	struct life fresh = {.coro = coro};
	uint32_t index;

	if (coro > reading->highest)
		reading->highest = coro;
	if (map_get(&matches->by_coro, coro, &index))
		return &matches->lives.at[index];
	index = (uint32_t)matches->lives.count;
	if (!vec_push(&matches->lives, fresh) || !map_put(&matches->by_coro, coro, index))
		return NULL;
	return &matches->lives.at[index];
}

static void suspend(struct life *life, const struct ct_event *event)
{
	life->is_suspended = true;
	life->sequence = event->sequence;
	life->site = event->site;
	life->object = event->kind == CTP_KIND_SUSPEND ? event->object : 0;
}

static void take_step(struct life *life, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_CREATE:
		life->created = event->object;
		return;
	case CTP_KIND_FRAME:
		life->frame = event->object;
		return;
	case CTP_KIND_SUSPEND:
	case CTP_KIND_SWITCH:
		suspend(life, event);
		return;
	case CTP_KIND_DESTROY:
		life->is_gone = true;
		life->is_suspended = false;
		return;
	case CTP_KIND_RESUME:
	case CTP_KIND_CANCEL:
	case CTP_KIND_RETURN:
		life->is_suspended = false;
		return;
	default:
		return;
	}
}

/* Kinds that say nothing of a coroutine's own state are no history. */
static bool is_step(const struct ct_event *event)
{
	return event->coro &&
	       ((event->kind >= CTP_KIND_CREATE && event->kind <= CTP_KIND_CANCEL) ||
		       event->kind == CTP_KIND_RETURN || event->kind == CTP_KIND_DESTROY ||
		       event->kind == CTP_KIND_SWITCH);
}

static enum ct_status take_event(
	void *context, const struct ct_event *event, struct ct_error *reterr)
{
	struct reading *reading = context;
	struct life *life;

	reading->matches->last = event->time;
	reading->matches->nr_events++;
	if (event->coro > reading->highest)
		reading->highest = event->coro;
	if (is_step(event)) {
		life = life_of(reading, event->coro);
		if (!life)
			return ct_fail_memory(reterr);
		take_step(life, event);
	}
	if (event->kind == CTP_KIND_SWITCH && event->object) {
		life = life_of(reading, event->object);
		if (!life)
			return ct_fail_memory(reterr);
		life->is_suspended = false;
	}
	return CT_OK;
}

/* An address may have had several; who is alive has it. */
static bool index_frames(struct matches *matches)
{
	uint32_t i;

	for (i = 0; i < matches->lives.count; i++) {
		const struct life *life = &matches->lives.at[i];

		if (life->frame && !life->is_gone && !map_put(&matches->by_frame, life->frame, i))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- who is who */

static int compare_created(const void *left, const void *right)
{
	const struct life *a = *(const struct life *const *)left;
	const struct life *b = *(const struct life *const *)right;

	return a->created < b->created ? -1 : a->created > b->created;
}

/* A probe that never saw it suspend does not know its frame, but the promise, which lies in the frame. */
static bool take_created(struct matches *matches, const struct found *found)
{
	size_t count = matches->lives.count, nr = 0, i, at;
	const struct life **lives = calloc(count + 1, sizeof(const struct life *));
	const struct found_coroutine *coroutine;
	bool is_kept = lives != NULL;

	for (i = 0; is_kept && i < count; i++)
		if (matches->lives.at[i].created && !matches->lives.at[i].frame &&
			!matches->lives.at[i].is_gone)
			lives[nr++] = &matches->lives.at[i];
	if (nr > 0)
		qsort(lives, nr, sizeof(*lives), compare_created);
	for (i = 0; is_kept && i < found->coroutines.count; i++) {
		coroutine = &found->coroutines.at[i];
		at = vec_count_while(nr, j, lives[j]->created < coroutine->address);
		if (!coroutine->is_frame || at == nr ||
			lives[at]->created - coroutine->address >= coroutine->bytes)
			continue;
		is_kept = map_put(&matches->by_frame, coroutine->address,
			(uint32_t)(lives[at] - matches->lives.at));
	}
	free(lives);
	return is_kept;
}

/* A number in memory that belongs to another frame is none. */
static bool by_number(
	const struct matches *matches, const struct found_coroutine *coroutine, uint32_t *ret_life)
{
	const struct life *life;

	if (!coroutine->identity || !map_get(&matches->by_coro, coroutine->identity, ret_life))
		return false;
	life = &matches->lives.at[*ret_life];
	return !life->is_gone && (!life->frame || life->frame == coroutine->address);
}

/* A probe numbers a coroutine at its first event: one without a number has had none since a recording began. */
static bool is_silent(const struct matches *matches, const struct found_coroutine *coroutine)
{
	uint32_t life;

	if (coroutine->has_probe && !coroutine->identity)
		return true;
	return coroutine->identity && coroutine->identity < NUMBERS_MAX &&
	       !map_get(&matches->by_coro, coroutine->identity, &life);
}

static enum match match(struct matches *matches, const struct found *found, size_t at)
{
	const struct found_coroutine *coroutine = &found->coroutines.at[at];
	uint32_t life;

	if (!coroutine->is_frame && matches->lives.count > 0)
		return MATCH_LEFT_OUT;
	if (by_number(matches, coroutine, &life) ||
		map_get(&matches->by_frame, coroutine->address, &life)) {
		matches->life[at] = life;
		matches->coro[at] = matches->lives.at[life].coro;
		return MATCH_HISTORY;
	}
	/* While others run, memory is read at many moments: only what the probe vouches for holds still. */
	if (!is_silent(matches, coroutine))
		return found->is_moving && matches->lives.count > 0 ? MATCH_LEFT_OUT : MATCH_NONE;
	matches->coro[at] = coroutine->identity;
	return MATCH_SILENT;
}

static enum ct_status match_all(struct matches *matches, const struct found *found,
	uint64_t highest, struct ct_error *reterr)
{
	size_t count = found->coroutines.count, i;
	struct map taken = {0};
	uint32_t other;
	bool is_kept = true;

	matches->match = calloc(count + 1, sizeof(*matches->match));
	matches->coro = calloc(count + 1, sizeof(*matches->coro));
	matches->life = calloc(count + 1, sizeof(*matches->life));
	if (!matches->match || !matches->coro || !matches->life)
		return ct_fail_memory(reterr);
	for (i = 0; i < count; i++) {
		matches->match[i] = match(matches, found, i);
		if (matches->coro[i] > highest)
			highest = matches->coro[i];
	}
	for (i = 0; is_kept && i < count; i++) {
		/* A copy of a frame, or of a number: only one has it. */
		if (matches->coro[i] && map_get(&taken, matches->coro[i], &other)) {
			matches->coro[i] = 0;
			matches->match[i] = MATCH_NONE;
		}
		if (matches->coro[i] == 0)
			matches->coro[i] = ++highest ? highest : ++highest;
		is_kept = map_put(&taken, matches->coro[i], (uint32_t)i);
		matches->counts[matches->match[i]]++;
	}
	map_fini(&taken);
	return is_kept ? CT_OK : ct_fail_memory(reterr);
}

enum ct_status match_find(struct matches *matches, struct ct_source *past,
	const struct found *found, struct ct_error *reterr)
{
	struct reading reading = {.matches = matches};
	enum ct_status status;

	memset(matches, 0, sizeof(*matches));
	status = source_each(past, take_event, &reading, reterr);
	if (status)
		return status;
	if (!index_frames(matches) || !take_created(matches, found))
		return ct_fail_memory(reterr);
	return match_all(matches, found, reading.highest, reterr);
}

void match_fini(struct matches *matches)
{
	vec_fini(&matches->lives);
	map_fini(&matches->by_coro);
	map_fini(&matches->by_frame);
	free(matches->match);
	free(matches->coro);
	free(matches->life);
}
