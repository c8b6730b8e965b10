/* SPDX-License-Identifier: MIT */
/*
 * When recording begins and ends.
 */
#include <limits.h>

#include "base/clock.h"
#include "stages/filter.h"
#include "session/wanted.h"

#define BEGIN_WAIT_MS 100
#define MILLISECOND_NS UINT64_C(1000000)

enum ct_status wanted_open(struct wanted *wanted, const struct ct_wanted *options,
	struct ct_sink *output, struct ct_error *reterr)
{
	static const struct ct_wanted everything;

	if (!options)
		options = &everything;
	*wanted = (struct wanted){0};
	if (options->start_after_ns > 0)
		wanted->begin_ns = clock_monotonic_ns() + (uint64_t)options->start_after_ns;
	if (options->duration_ns > 0)
		wanted->duration_ns = (uint64_t)options->duration_ns;
	return filter_sink_open(options, output, &wanted->filter, reterr);
}

enum ct_status wanted_look(struct wanted *wanted, bool *ret_is_over, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	uint64_t now_ns;

	if (wanted->was_cut_off || (!wanted->begin_ns && !wanted->duration_ns))
		return CT_OK;
	now_ns = clock_monotonic_ns();
	if (wanted->begin_ns && now_ns >= wanted->begin_ns) {
		wanted->begin_ns = 0;
		queue_settle(wanted->queue);
		status = filter_begin(wanted->filter, reterr);
	}
	if (!wanted->duration_ns || !filter_has_begun(wanted->filter))
		return status;
	if (!wanted->end_ns)
		wanted->end_ns = now_ns + wanted->duration_ns;
	*ret_is_over = now_ns >= wanted->end_ns;
	return status;
}

int wanted_wait_ms(const struct wanted *wanted, int wait_ms)
{
	uint64_t due_ns = wanted->begin_ns ? wanted->begin_ns : wanted->end_ns;
	uint64_t now_ns;

	if (wanted->was_cut_off || (!wanted->begin_ns && !wanted->duration_ns))
		return wait_ms;
	/* Recording begins when the program says so, and that event may be on its way. */
	if (!due_ns)
		return wait_ms >= 0 && wait_ms < BEGIN_WAIT_MS ? wait_ms : BEGIN_WAIT_MS;
	now_ns = clock_monotonic_ns();
	if (due_ns <= now_ns)
		return 0;
	/* Rounded up, because a look that comes too early would be wasted. */
	due_ns = (due_ns - now_ns + MILLISECOND_NS - 1) / MILLISECOND_NS;
	return wait_ms >= 0 && (uint64_t)wait_ms < due_ns ? wait_ms
	       : due_ns < INT_MAX                         ? (int)due_ns
							  : INT_MAX;
}

void wanted_finish(struct wanted *wanted, struct collect *collect)
{
	struct filter_totals totals = {.now_ns = clock_monotonic_ns()};
	struct ct_record_stats stats;
	struct queue_state queue;

	collect_stats(collect, &stats);
	collect_release(collect);
	queue_settle(wanted->queue);
	queue_state(wanted->queue, &queue);
	totals.nr_events = stats.nr_events - queue.nr_lost;
	totals.nr_lost = stats.nr_lost + queue.nr_lost;
	wanted->was_cut_off = true;
	filter_finish(wanted->filter, &totals, NULL);
}
