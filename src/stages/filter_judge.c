/* SPDX-License-Identifier: MIT */
/*
 * Deciding about one record.
 *
 * A coroutine is left out by its id, or from the record on that shows a reason; from that record on, all records of the
 * coroutine are left out, on whatever thread.
 */
#include "stages/filter_parts.h"
#include "event/kind_words.h"

static uint8_t match_of(const struct filter_segment *segment, const struct ctp_record *record)
{
	uint32_t site = CTP_TAIL_SITE(record->tail);

	return site < segment->sites.count ? segment->sites.at[site] : 0;
}

/* Ids are given to threads in blocks: only their mixed bits are evenly distributed. */
static bool is_sampled(const struct filter *filter, uint64_t coro)
{
	uint64_t mixed = coro * UINT64_C(0x9e3779b97f4a7c15);

	return filter->sample <= 1 || (mixed >> 32) % filter->sample == 0;
}

/* The factor differs from the one in is_sampled, so that a sample of a sample has its full share. */
static bool is_one_too_many(const struct filter *filter, uint64_t coro)
{
	uint64_t mixed = coro * UINT64_C(0xd6e8feb86659fd93);

	return filter->sample_of_new > 1 && (mixed >> 32) % filter->sample_of_new != 0;
}

static enum fate fate_of(
	const struct filter *filter, const struct filter_segment *segment, uint64_t coro)
{
	uint32_t leaving;

	if (!coro)
		return FATE_KEEP;
	if (!is_sampled(filter, coro))
		return FATE_SAMPLE;
	if (!map_get(&segment->coros, coro, &leaving))
		return FATE_KEEP;
	return leaving == LEAVING_SAMPLED ? FATE_SAMPLE : FATE_LEFT_OUT;
}

/* ---------------------------------------------------------------- leaving out coroutines */

/* A coroutine for which there is no room is not left out. */
static bool has_room(const struct filter *filter, const struct map *known, uint64_t key)
{
	uint32_t unused;

	return known->count < filter->max_known || map_get(known, key, &unused);
}

/* Ends the part of the coroutine that was passed on with a mark. */
static bool put_mark(struct filter *filter, const struct ctp_record *record, uint64_t coro)
{
	struct ctp_record mark = {
		record->time, coro, 0, CTP_TAIL(0, CTP_KIND_MARK, CTP_MARK_LEFT_OUT, 0)};

	filter->nr_added++;
	return vec_push(&filter->kept, mark);
}

static bool leave_out(struct filter *filter, struct filter_segment *segment,
	const struct ctp_record *record, uint64_t coro, enum leaving leaving)
{
	if (fate_of(filter, segment, coro) != FATE_KEEP || !coro ||
		!has_room(filter, &segment->coros, coro))
		return true;
	if (!map_put(&segment->coros, coro, leaving))
		return false;
	if (CTP_TAIL_KIND(record->tail) == CTP_KIND_CREATE || !filter->is_open)
		return true;
	return put_mark(filter, record, coro);
}

static bool tells_a_place(unsigned kind)
{
	return kind == CTP_KIND_CREATE || kind == CTP_KIND_FRAME || kind == CTP_KIND_SUSPEND ||
	       kind == CTP_KIND_SWITCH || kind == CTP_KIND_AWAIT;
}

static bool is_task_left_out(const struct filter_segment *segment, uint64_t task)
{
	uint32_t unused;

	return task && map_get(&segment->tasks, task, &unused);
}

static bool is_child_of_a_task(const struct filter_segment *segment, uint64_t parent)
{
	uint32_t leaving;

	return parent && map_get(&segment->coros, parent, &leaving) && leaving == LEAVING_WITH_TASK;
}

/* Checks whether the record shows that a coroutine is not wanted. `who` is the coroutine that wrote the record. */
static bool notice(struct filter *filter, const struct filter_stream *stream,
	struct filter_segment *segment, const struct ctp_record *record, uint64_t who)
{
	unsigned kind = CTP_TAIL_KIND(record->tail);
	uint8_t match = match_of(segment, record);

	if (kind == CTP_KIND_TASK_BEGIN && (match & SITE_IS_TASK) &&
		has_room(filter, &segment->tasks, record->object) &&
		!map_put(&segment->tasks, record->object, 1))
		return false;
	if (kind == CTP_KIND_CREATE && is_one_too_many(filter, who))
		return leave_out(filter, segment, record, who, LEAVING_SAMPLED);
	if ((match & SITE_IS_PLACE) && tells_a_place(kind))
		return leave_out(filter, segment, record, who, LEAVING_ALONE);
	if (kind == CTP_KIND_NAME && (match & SITE_IS_NAME)) {
		if (record->object)
			who = CTP_HANDLE_RESOURCE(record->object) == CTP_RESOURCE_COROUTINE
				      ? CTP_HANDLE_IDENTITY(record->object)
				      : 0;
		return leave_out(filter, segment, record, who, LEAVING_ALONE);
	}
	if ((kind == CTP_KIND_TASK_BEGIN || kind == CTP_KIND_TASK_SET) &&
		is_task_left_out(segment, record->object))
		return leave_out(filter, segment, record, who, LEAVING_WITH_TASK);
	if (kind == CTP_KIND_CREATE && is_child_of_a_task(segment, stream->running))
		return leave_out(filter, segment, record, who, LEAVING_WITH_TASK);
	return true;
}

/* ---------------------------------------------------------------- records of two coroutines */

/* Removes an unwanted waker from a wake; a wake of an unwanted coroutine is left out as a whole. */
static enum fate judge_wake(const struct filter *filter, const struct filter_segment *segment,
	struct ctp_record *record)
{
	uint64_t identity = CTP_HANDLE_IDENTITY(record->object);
	enum fate fate = FATE_KEEP;
	uint32_t unused;

	if (CTP_HANDLE_RESOURCE(record->object) == CTP_RESOURCE_COROUTINE)
		fate = fate_of(filter, segment, identity);
	else if (CTP_HANDLE_RESOURCE(record->object) == CTP_RESOURCE_FRAME &&
		 map_get(&segment->frames, identity, &unused))
		fate = FATE_LEFT_OUT;
	if (fate == FATE_KEEP && fate_of(filter, segment, record->coro) != FATE_KEEP)
		record->coro = 0;
	return fate;
}

static enum fate judge_switch(const struct filter *filter, const struct filter_segment *segment,
	struct ctp_record *record)
{
	enum fate from = fate_of(filter, segment, record->coro);
	enum fate to = fate_of(filter, segment, record->object);
	bool has_one = (record->coro && from == FATE_KEEP) || (record->object && to == FATE_KEEP);

	if (!has_one && (record->coro || record->object))
		return from != FATE_KEEP ? from : to;
	if (from != FATE_KEEP)
		record->coro = 0;
	if (to != FATE_KEEP)
		record->object = 0;
	return FATE_KEEP;
}

static bool note_frame(const struct filter *filter, struct filter_segment *segment,
	const struct ctp_record *record, bool is_kept)
{
	uint64_t address = CTP_HANDLE_IDENTITY(record->object);

	if (!is_kept)
		return !has_room(filter, &segment->frames, address) ||
		       map_put(&segment->frames, address, 1);
	map_remove(&segment->frames, address);
	return true;
}

/* ---------------------------------------------------------------- all records */

static void note_running(struct filter_stream *stream, const struct ctp_record *record)
{
	switch (CTP_TAIL_KIND(record->tail)) {
	case CTP_KIND_RESUME:
		stream->running = record->coro;
		break;
	case CTP_KIND_SWITCH:
		stream->running = record->object;
		break;
	case CTP_KIND_CREATE: /* it may run at once, as coroutines that start eagerly do */
		break;
	case CTP_KIND_SUSPEND:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		if (stream->running == record->coro)
			stream->running = 0;
		break;
	default:
		break;
	}
}

/* A mark is kept, whoever makes it. */
static bool is_annotation(unsigned kind)
{
	return kind_is_annotation(kind) && kind != CTP_KIND_MARK;
}

/* Returns whether an annotation is unwanted by its own place or name; for a task, begin and end are left out. */
static bool is_unwanted_annotation(
	const struct filter_segment *segment, const struct ctp_record *record)
{
	unsigned kind = CTP_TAIL_KIND(record->tail);

	if (!is_annotation(kind))
		return false;
	if (match_of(segment, record) & (SITE_IS_PLACE | SITE_IS_NAME))
		return true;
	return (kind == CTP_KIND_TASK_BEGIN || kind == CTP_KIND_TASK_END ||
		       kind == CTP_KIND_TASK_SET) &&
	       is_task_left_out(segment, record->object);
}

static bool judge_coro(struct filter *filter, struct filter_stream *stream,
	struct filter_segment *segment, struct ctp_record *record, enum fate *ret_fate)
{
	unsigned kind = CTP_TAIL_KIND(record->tail);
	uint64_t who = kind_has_coro(kind) ? record->coro : 0;

	if (!who && is_annotation(kind))
		who = stream->running;
	if (!notice(filter, stream, segment, record, who))
		return false;
	note_running(stream, record);
	if (kind == CTP_KIND_WAKE)
		*ret_fate = judge_wake(filter, segment, record);
	else if (kind == CTP_KIND_SWITCH)
		*ret_fate = judge_switch(filter, segment, record);
	else
		*ret_fate = fate_of(filter, segment, who);
	if (*ret_fate == FATE_KEEP && is_unwanted_annotation(segment, record))
		*ret_fate = FATE_LEFT_OUT;
	if (kind == CTP_KIND_FRAME && !note_frame(filter, segment, record, *ret_fate == FATE_KEEP))
		return false;
	if (kind == CTP_KIND_TASK_END)
		map_remove(&segment->tasks, record->object);
	if (kind == CTP_KIND_DESTROY)
		map_remove(&segment->coros, record->coro);
	return true;
}

static bool is_evidence(unsigned kind)
{
	static const bool evidence[] = {
#define X(name, number, text, is_evidence, meaning) [number] = is_evidence,
#include "corotracer/def/categories.def"
#undef X
	};

	return evidence[kind_category(kind)];
}

bool filter_judge(struct filter *filter, struct filter_stream *stream,
	struct filter_segment *segment, struct ctp_record *record, enum fate *ret_fate)
{
	unsigned kind = CTP_TAIL_KIND(record->tail);

	if (kind == CTP_KIND_DETAIL) {
		*ret_fate = stream->last;
		return true;
	}
	*ret_fate = FATE_KEEP;
	if (filter->categories_off >> kind_category(kind) & 1)
		*ret_fate = is_evidence(kind) ? FATE_CATEGORY : FATE_QUIET;
	else if (filter->has_coros && !judge_coro(filter, stream, segment, record, ret_fate))
		return false;
	stream->last = *ret_fate;
	return true;
}
