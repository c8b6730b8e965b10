/* SPDX-License-Identifier: MIT */
/*
 * Measures the quantities that conditions ask about.
 *
 * Some quantities need a look at all coroutines. Such a look is not taken before the condition can have become true,
 * and at most ten times within the condition's limit: with a million coroutines a look takes some 20 ms.
 */
#include <string.h>

#include "stages/watch_parts.h"

#define TURN_NS UINT64_C(1000000000) /* a statistic is of the last two turns */
#define LOOKS_PER_LIMIT 10u
#define LEAST_PAUSE_NS UINT64_C(50000000)

static void turn(struct watched *watched, uint64_t now_ns)
{
	struct histogram *emptied = watched->before;

	if (now_ns - watched->turned_ns < TURN_NS)
		return;
	watched->before = watched->now;
	watched->now = emptied;
	memset(emptied, 0, sizeof(*emptied));
	watched->turned_ns = now_ns;
}

static double statistic_of(const struct watched *watched)
{
	struct histogram both = *watched->before;

	histogram_merge(&both, watched->now);
	return (double)histogram_at(&both, watched->condition.share);
}

/* ---------------------------------------------------------------- looks at all coroutines */

static uint64_t pause_of(const struct watched *watched)
{
	double pause_ns = watched->condition.limit / LOOKS_PER_LIMIT;

	return pause_ns > (double)LEAST_PAUSE_NS ? (uint64_t)pause_ns : LEAST_PAUSE_NS;
}

/*
 * Measures a silence, once nothing has happened for as long as the limit. From then on it checks from time to time
 * whether there are any coroutines.
 */
static double silence(const struct watch *watch, struct watched *watched, uint64_t since_ns,
	uint64_t now_ns, uint64_t (*count)(const struct snapshot *snapshot))
{
	double for_ns = (double)(int64_t)(now_ns - since_ns);

	if (!since_ns || for_ns < watched->condition.limit) {
		watched->due_ns = 0;
		return 0;
	}
	if (now_ns >= watched->due_ns) {
		watched->has_value = count(watch->snapshot) > 0;
		watched->due_ns = now_ns + pause_of(watched);
	}
	return watched->has_value ? for_ns : 0;
}

struct waiting {
	const struct watch *watch;
	const struct watched *watched;
	uint64_t first_ns; /* begin of the longest wait; UINT64_MAX: no coroutine waits */
};

static void note_waiting(void *context, uint32_t origin, const struct ctp_record *record)
{
	struct waiting *waiting = context;
	uint32_t segment = snapshot_origin_at(waiting->watch->snapshot, origin).segment;
	uint64_t ns;
	uint32_t known;

	if (!map_get(&waiting->watched->sites,
		    (uint64_t)segment << 32 | CTP_TAIL_SITE(record->tail), &known))
		return;
	ns = watch_ns(waiting->watch, origin, record->time);
	if (ns < waiting->first_ns)
		waiting->first_ns = ns;
}

/* Measures the longest wait, which determines when the condition can become true at the earliest. */
static double longest_wait(const struct watch *watch, struct watched *watched, uint64_t now_ns)
{
	struct waiting waiting = {watch, watched, UINT64_MAX};
	uint64_t limit_ns = (uint64_t)watched->condition.limit;

	if (now_ns < watched->due_ns)
		return watched->value;
	snapshot_each_waiting(watch->snapshot, &waiting, note_waiting);
	watched->value = 0;
	watched->due_ns = now_ns + pause_of(watched);
	if (waiting.first_ns < now_ns)
		watched->value = (double)(now_ns - waiting.first_ns);
	if (waiting.first_ns == UINT64_MAX)
		waiting.first_ns = now_ns;
	if (waiting.first_ns + limit_ns > watched->due_ns)
		watched->due_ns = waiting.first_ns + limit_ns;
	return watched->value;
}

/* ---------------------------------------------------------------- all quantities */

bool watch_measure(
	const struct watch *watch, struct watched *watched, uint64_t now_ns, double *ret_value)
{
	switch (watched->condition.metric) {
	case CONDITION_SCHED_LATENCY:
	case CONDITION_REGION:
	case CONDITION_TASK:
		*ret_value = statistic_of(watched);
		turn(watched, now_ns);
		return *ret_value > 0;
	case CONDITION_COUNTER:
	case CONDITION_FINDING:
		*ret_value = watched->value;
		return watched->has_value;
	case CONDITION_LIVE_COROUTINES:
		*ret_value = (double)snapshot_nr_live(watch->snapshot);
		return true;
	case CONDITION_STALLED:
		*ret_value = silence(watch, watched, watch->ran_ns, now_ns, snapshot_nr_ready);
		return true;
	case CONDITION_NO_PROGRESS:
		*ret_value =
			silence(watch, watched, watch->moved_ns, now_ns, snapshot_nr_unfinished);
		return true;
	case CONDITION_WAITING:
		*ret_value = longest_wait(watch, watched, now_ns);
		return true;
	default: /* of a whole trace only: not parsed for a running program */
		return false;
	}
}
