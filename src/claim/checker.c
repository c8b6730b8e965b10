/* SPDX-License-Identifier: MIT */
/*
 * Reading the trace: each event is looked up, by its number and by its subject, among the events and subjects that
 * claims name.
 */
#include "claim/checker.h"

#include <stdlib.h>

#include "base/failure.h"
#include "event/around.h"
#include "stream/order.h"
#include "claim/progress.h"

/* ---------------------------------------------------------------- events and subjects that claims name */

static void list_under(struct checker *checker, struct map *map, uint64_t key, size_t claim)
{
	uint32_t first = 0;

	map_get(map, key, &first);
	if (!vec_push(&checker->links, ((struct link){.claim = (uint32_t)claim, .next = first})) ||
		!map_put(map, key, (uint32_t)checker->links.count - 1))
		checker->is_broken = true;
}

static void list_event(struct checker *checker, uint64_t event, size_t claim)
{
	if (event != CLAIM_NO_EVENT)
		list_under(checker, &checker->by_event, event, claim);
}

/* Both kinds need all events of a subject. */
static bool has_subject(const struct claim *claim)
{
	return claim->kind == CLAIM_NOTHING || claim->kind == CLAIM_OVERLAP;
}

static void list_claim(struct checker *checker, size_t index)
{
	const struct claim *claim = &checker->claims->list.at[index];
	unsigned i;

	checker->asks_for_sleep |= claim->kind == CLAIM_ASLEEP;
	if (claim->kind == CLAIM_ASLEEP || claim->kind == CLAIM_WHOLE || claim->kind == CLAIM_WAKES)
		return;
	list_event(checker, claim->after, index);
	if (claim->kind != CLAIM_TOLD && claim->kind != CLAIM_AT_SWITCH)
		list_event(checker, claim->before, index);
	if (!has_subject(claim))
		return;
	list_under(checker, &checker->by_subject, claim_key(claim->process, claim->subject), index);
	for (i = 0; i < 2; i++)
		if (claim->frames[i])
			list_under(checker, &checker->by_subject,
				claim_key(claim->process,
					CTP_HANDLE(CTP_RESOURCE_FRAME, claim->frames[i])),
				index);
}

static void prepare(struct checker *checker)
{
	size_t count = checker->claims->list.count, i;

	checker->progress = calloc(count ? count : 1, sizeof(*checker->progress));
	if (!checker->progress || !vec_push(&checker->links, (struct link){0})) {
		checker->is_broken = true;
		return;
	}
	for (i = 0; i < count; i++) {
		checker->progress[i].against = CLAIM_NO_EVENT;
		list_claim(checker, i);
	}
	if (checker->asks_for_sleep)
		claim_sleep_prepare(checker);
	claim_wakes_prepare(checker);
}

static void fini(struct checker *checker)
{
	free(checker->progress);
	vec_fini(&checker->links);
	vec_fini(&checker->missing);
	map_fini(&checker->by_event);
	map_fini(&checker->by_subject);
	claim_sleep_fini(checker);
	claim_wakes_fini(checker);
}

/* ---------------------------------------------------------------- events that claims name by number */

/* Returns what an event is about: the target of a wake, the lock of a lock's event; else the coroutine. */
static uint64_t subject_of(const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_WAKE:
	case CTP_KIND_ACQUIRE:
	case CTP_KIND_RELEASE:
	case CTP_KIND_HAND_OVER:
	case CTP_KIND_NOTIFY:
	case CTP_KIND_DESCRIPTOR_OPEN:
	case CTP_KIND_DESCRIPTOR_CLOSE:
		return event->object;
	default:
		return claim_coro(event->coro);
	}
}

static bool is_about(const struct ct_event *event, const struct claim *claim)
{
	if (!claim->subject || subject_of(event) == claim->subject)
		return true;
	return event->kind == CTP_KIND_SWITCH && claim_coro(event->object) == claim->subject;
}

static bool is_of_kinds(const struct ct_event *event, uint64_t kinds)
{
	return event->kind < 64 && kinds >> event->kind & 1;
}

static void fail(struct progress *progress, const struct ct_event *event)
{
	if (!progress->has_failed)
		progress->against = event->sequence;
	progress->has_failed = true;
}

static void sight(
	const struct claim *claim, struct progress *progress, const struct ct_event *event)
{
	bool is_second = event->sequence != claim->after;

	progress->at[is_second] = (struct sighting){
		.is_seen = true,
		.thread = event->thread,
		.time = event->time,
	};
	if (claim->kind == CLAIM_TOLD &&
		!(is_of_kinds(event, claim->kinds) && is_about(event, claim)))
		fail(progress, event);
	if (claim->kind == CLAIM_AT_SWITCH && event_is_told_around(event))
		fail(progress, event);
}

static void take_named(struct checker *checker, const struct ct_event *event)
{
	uint32_t link = 0;

	map_get(&checker->by_event, event->sequence, &link);
	for (; link; link = checker->links.at[link].next) {
		uint32_t claim = checker->links.at[link].claim;

		sight(&checker->claims->list.at[claim], &checker->progress[claim], event);
	}
}

/* ---------------------------------------------------------------- events of a subject */

/* Returns whether the event lies between the two events of the claim, and is neither of them. */
static bool is_between(
	const struct claim *claim, const struct progress *progress, const struct ct_event *event)
{
	return progress->at[0].is_seen && !progress->at[1].is_seen &&
	       event->sequence != claim->after && event->sequence != claim->before;
}

/* Notes the end of the run, or of the holding, that one of the two events began. */
static void end_one(const struct claim *claim, struct progress *progress, unsigned which,
	const struct ct_event *event)
{
	struct sighting *at = &progress->at[which];
	bool is_own =
		claim->by[which] ? event->coro == claim->by[which] : event->thread == at->thread;

	if (!at->is_seen || at->has_ended || !is_own)
		return;
	at->has_ended = true;
	at->end = event->time;
}

static void touch_claim(const struct claim *claim, struct progress *progress, uint64_t kind,
	const struct ct_event *event)
{
	if (!(claim->kinds & kind))
		return;
	if (claim->kind == CLAIM_OVERLAP) {
		end_one(claim, progress, 0, event);
		end_one(claim, progress, 1, event);
	} else if (is_between(claim, progress, event) &&
		   (!claim->by[0] || event->coro == claim->by[0])) {
		fail(progress, event);
	}
}

static void touch(
	struct checker *checker, uint64_t subject, uint64_t kind, const struct ct_event *event)
{
	uint32_t link = 0;

	map_get(&checker->by_subject, claim_key(event->process, subject), &link);
	for (; link; link = checker->links.at[link].next) {
		uint32_t claim = checker->links.at[link].claim;

		touch_claim(
			&checker->claims->list.at[claim], &checker->progress[claim], kind, event);
	}
}

static void take_subject(struct checker *checker, const struct ct_event *event)
{
	if (event->kind >= 64 ||
		(event->kind == CTP_KIND_WAKE && !event_makes_ready(event->argument)))
		return;
	if (event->kind == CTP_KIND_SWITCH) {
		touch(checker, claim_coro(event->coro), CLAIM_KIND(SUSPEND), event);
		touch(checker, claim_coro(event->object), CLAIM_KIND(RESUME), event);
		return;
	}
	touch(checker, subject_of(event), UINT64_C(1) << event->kind, event);
}

/* ---------------------------------------------------------------- missing events */

static void note_missing(struct checker *checker, struct missing missing)
{
	if (!vec_push(&checker->missing, missing))
		checker->is_broken = true;
}

static void take_loss(struct checker *checker, const struct ct_event *event)
{
	ct_time first = (ct_time)event->coro;

	if (event->object)
		note_missing(
			checker, (struct missing){event->process, event->thread,
					 first < event->time ? first : event->time, event->time});
}

static void take_losses_of_tables(struct checker *checker)
{
	uint32_t i;

	for (i = 0; i < checker->tables->nr_losses; i++) {
		const struct ct_loss *loss = &checker->tables->losses[i];

		if (loss->count)
			note_missing(checker,
				(struct missing){loss->process, loss->thread, loss->first,
					loss->last == CT_NO_TIME ? INT64_MAX : loss->last});
	}
}

static bool is_whole(const struct checker *checker, const struct claim *claim)
{
	size_t i;

	for (i = 0; i < checker->missing.count; i++) {
		const struct missing *missing = &checker->missing.at[i];

		if ((!missing->process || missing->process == claim->process) &&
			(!claim->thread || !missing->thread || missing->thread == claim->thread) &&
			missing->from <= claim->until && missing->until >= claim->from)
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- verdicts */

static bool is_ordered(const struct checker *checker, const struct progress *progress)
{
	const struct sighting *at = progress->at;

	if (!at[0].is_seen || !at[1].is_seen)
		return false;
	if (at[0].thread == at[1].thread)
		return at[0].time <= at[1].time;
	return at[1].time - at[0].time > order_reach(checker->tables);
}

/*
 * Returns whether neither of the two can have begun after the other one's end. A stamp may lie before its event, by the
 * reach, but never after it.
 */
static bool do_overlap(const struct checker *checker, const struct progress *progress)
{
	const struct sighting *at = progress->at;
	int64_t reach = at[0].thread == at[1].thread ? 0 : order_reach(checker->tables);
	unsigned i;

	if (!at[0].is_seen || !at[1].is_seen)
		return false;
	for (i = 0; i < 2; i++)
		if (at[i].has_ended && at[i].end - at[!i].time <= reach)
			return false;
	return true;
}

static bool does_hold(const struct checker *checker, size_t index)
{
	const struct claim *claim = &checker->claims->list.at[index];
	const struct progress *progress = &checker->progress[index];

	switch (claim->kind) {
	case CLAIM_TOLD:
	case CLAIM_AT_SWITCH:
		return progress->at[0].is_seen && !progress->has_failed;
	case CLAIM_NOTHING:
		return progress->at[0].is_seen && !progress->has_failed &&
		       (claim->before == CLAIM_NO_EVENT || progress->at[1].is_seen);
	case CLAIM_ORDER:
		return is_ordered(checker, progress);
	case CLAIM_OVERLAP:
		return do_overlap(checker, progress);
	case CLAIM_WHOLE:
		return is_whole(checker, claim);
	case CLAIM_ASLEEP:
		return claim_sleep_judge(checker, claim->process);
	case CLAIM_WAKES:
		return claim_wakes_judge(checker, claim);
	default:
		return false;
	}
}

static void decide(struct checker *checker)
{
	size_t i;

	for (i = 0; i < checker->claims->list.count; i++) {
		checker->claims->list.at[i].holds = does_hold(checker, i);
		checker->claims->list.at[i].against = checker->progress[i].against;
	}
}

static enum ct_status take(void *context, const struct ct_event *event, struct ct_error *reterr)
{
	struct checker *checker = context;

	/* An event whose time cannot be true shows nothing. */
	if (event->time > order_limit(checker->tables))
		return CT_OK;
	if (event->kind == CTP_KIND_LOST)
		take_loss(checker, event);
	take_subject(checker, event);
	take_named(checker, event);
	if (checker->asks_for_sleep)
		claim_sleep_take(checker, event);
	claim_wakes_take(checker, event);
	return checker->is_broken ? ct_fail_memory(reterr) : CT_OK;
}

enum ct_status claim_check(struct ct_source *source, struct claims *claims, struct ct_error *reterr)
{
	struct checker checker = {.tables = source->tables, .claims = claims};
	enum ct_status status;

	prepare(&checker);
	take_losses_of_tables(&checker);
	status = checker.is_broken ? ct_fail_memory(reterr)
				   : source_each(source, take, &checker, reterr);
	if (status == CT_OK)
		decide(&checker);
	fini(&checker);
	return status;
}
