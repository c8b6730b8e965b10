/* SPDX-License-Identifier: MIT */
/* The longest delays, and what ran meanwhile. */
#include "model/parts.h"

/* How much of the time from `from` to `until` the run took. */
static int64_t part_of(const struct model_past_run *run, ct_time from, ct_time until)
{
	ct_time begins = run->until - run->ns > from ? run->until - run->ns : from;
	ct_time ends = run->until < until ? run->until : until;

	return run->coro ? ends - begins : 0;
}

/* The run that took most of that time, among the last runs of the workers. */
static struct model_past_run delayed_by(
	const struct model *model, uint32_t process, ct_time from, ct_time until)
{
	const struct model_process *of = &model->processes[process];
	struct model_past_run most = {0};
	int64_t most_ns = 0;
	size_t i;

	for (i = 0; i < of->workers.count; i++) {
		const struct model_past_run *run = &model->threads[of->workers.at[i]].last_run;
		int64_t ns = part_of(run, from, until);

		if (ns <= most_ns)
			continue;
		most = *run;
		most_ns = ns;
	}
	return most;
}

static uint64_t ran_from(const struct model *model, uint32_t site)
{
	const struct model_place_times *times = model->place_times[site];

	return times ? model_histogram(times->runs)->sum : 0;
}

void model_times_delay(struct model *model, struct model_place_times *times,
	const struct model_coro *coro, ct_time until, int64_t ns)
{
	bool is_longer = (uint64_t)ns > model_histogram(times->delays)->max;
	struct model_past_run run;

	if (ns < 0 || (uint64_t)ns < model_histogram(times->delays)->max)
		return;
	run = delayed_by(model, coro->process, until - ns, until);
	if (!is_longer &&
		(!run.coro || run.site == times->delayed_by.site ||
			ran_from(model, run.site) < ran_from(model, times->delayed_by.site)))
		return;
	times->most_delayed = model_index(model, coro);
	times->most_delayed_until = until;
	times->delayed_by = run;
}
