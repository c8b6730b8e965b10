/* SPDX-License-Identifier: MIT */
/*
 * Decides whether all threads of a process sleep without time-out, by each thread's last own event, and by what the
 * engine saw of the thread since.
 */
#include <stdlib.h>

#include "event/kind_words.h"
#include "claim/progress.h"

enum sleep {
	SLEEP_UNKNOWN = 0, /* the thread never wrote anything, and was not looked at */
	SLEEP_NONE,
	SLEEP_TIMED,
	SLEEP_FOR_GOOD,
	SLEEP_OVER, /* the thread has ended */
};

void claim_sleep_prepare(struct checker *checker)
{
	const struct ct_tables *tables = checker->tables;
	uint32_t i;

	checker->sleeps = calloc(tables->nr_threads, sizeof(*checker->sleeps));
	checker->has_unseen_threads =
		calloc(tables->nr_processes, sizeof(*checker->has_unseen_threads));
	checker->is_broken |= !checker->sleeps || !checker->has_unseen_threads;
	/* If several threads had the same kernel id, the last one has it at the end. */
	for (i = 1; i < tables->nr_threads; i++)
		if (!map_put(&checker->tids,
			    claim_key(tables->threads[i].process, tables->threads[i].tid), i))
			checker->is_broken = true;
}

void claim_sleep_fini(struct checker *checker)
{
	free(checker->sleeps);
	free(checker->has_unseen_threads);
	map_fini(&checker->tids);
}

/* What the engine saw concerns the thread whose kernel id the event names, not the stream of the event. */
static void take_look(struct checker *checker, const struct ct_event *event)
{
	char letter = (char)(event->object & 0x7f);
	uint32_t thread;

	if (event->flags & 1)
		checker->has_unseen_threads[event->process] = true;
	if (!map_get(&checker->tids, claim_key(event->process, event->coro), &thread) ||
		checker->sleeps[thread] == SLEEP_OVER)
		return;
	if (event->argument == 1)
		checker->sleeps[thread] = SLEEP_FOR_GOOD;
	else
		checker->sleeps[thread] = letter == 'S' ? SLEEP_TIMED : SLEEP_NONE;
}

static enum sleep sleep_after(const struct ct_event *event, enum sleep before)
{
	switch (event->kind) {
	case CTP_KIND_PARK:
		return SLEEP_FOR_GOOD;
	case CTP_KIND_BLOCK_BEGIN:
		return (int64_t)event->object < 0 ? SLEEP_FOR_GOOD : SLEEP_TIMED;
	case CTP_KIND_THREAD_STOP:
		return SLEEP_OVER;
	case CTP_KIND_DETAIL:
		/* The deadline of a park. */
		return event->argument == CTP_DETAIL_DEADLINE && before == SLEEP_FOR_GOOD
			       ? SLEEP_TIMED
			       : before;
	case CTP_KIND_CRASH:
	case CTP_KIND_THREAD_START:
		return before;
	default:
		return SLEEP_NONE;
	}
}

void claim_sleep_take(struct checker *checker, const struct ct_event *event)
{
	if (event->thread >= checker->tables->nr_threads ||
		event->process >= checker->tables->nr_processes)
		return;
	if (event->kind == CTP_KIND_THREAD_STATE)
		take_look(checker, event);
	else if (!kind_is_observed(event->kind) && event->kind != CTP_KIND_LOST)
		checker->sleeps[event->thread] =
			(uint8_t)sleep_after(event, checker->sleeps[event->thread]);
}

bool claim_sleep_judge(const struct checker *checker, uint32_t process)
{
	const struct ct_tables *tables = checker->tables;
	uint32_t i, nr_asleep = 0;

	for (i = 1; i < tables->nr_threads; i++) {
		if (tables->threads[i].process != process || checker->sleeps[i] == SLEEP_OVER ||
			tables->threads[i].stopped != CT_NO_TIME)
			continue;
		if (checker->sleeps[i] != SLEEP_FOR_GOOD)
			return false;
		nr_asleep++;
	}
	return process < tables->nr_processes && !checker->has_unseen_threads[process] &&
	       nr_asleep > 0;
}
