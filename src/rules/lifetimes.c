/* SPDX-License-Identifier: MIT */
/*
 * Lifetimes: a coroutine that looks once more after five seconds, and then ends, lives for five seconds, whatever it
 * waits for. As long as others begin at an even rate, more and more of them are alive, up to as many as begin within
 * that time. Such a place is known by those that have ended: many of them have lived about as long as those that are
 * alive, of which next to none are older.
 */
#include <stdlib.h>

#include "rules/parts.h"

#define OLDER_SHARE 16 /* one in so many may be meant to stay */

struct life {
	uint32_t site;
	int64_t lasted;
};

/* By place, the longest life first. */
static int compare_lives(const void *left, const void *right)
{
	const struct life *a = left, *b = right;

	if (a->site != b->site)
		return a->site > b->site ? 1 : -1;
	return (a->lasted < b->lasted) - (a->lasted > b->lasted);
}

static ct_time gone_at(const struct model_coro *coro)
{
	if (coro->rare->destroyed != CT_NO_TIME)
		return coro->rare->destroyed;
	return coro->state == CT_STATE_DONE ? coro->changed : CT_NO_TIME;
}

static bool is_of(const struct analysis *analysis, const struct model_coro *coro, uint32_t process)
{
	return coro->process == process && coro->spawn_site &&
	       coro->spawn_site < analysis->tables->nr_sites;
}

static uint32_t list_lives(
	const struct analysis *analysis, uint32_t process, ct_time end, struct life *lives)
{
	const struct model *model = analysis->model;
	uint32_t count = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		ct_time gone = gone_at(coro);

		if (is_of(analysis, coro, process) && coro->created != CT_NO_TIME &&
			gone != CT_NO_TIME && gone <= end)
			lives[count++] = (struct life){coro->spawn_site, gone - coro->created};
	}
	qsort(lives, count, sizeof(*lives), compare_lives);
	return count;
}

/* The life, by place, that so many have reached as make a rise. */
static void take_reached(
	const struct analysis *analysis, const struct life *lives, uint32_t count, int64_t *reached)
{
	uint32_t most = (uint32_t)LIMIT(analysis, LEAK_RISE), first = 0, i;

	for (i = 0; i < count; i++) {
		if (lives[i].site != lives[first].site)
			first = i;
		if (i - first + 1 == most)
			reached[lives[i].site] = lives[i].lasted;
	}
}

/*
 * The same with those whose records were given back. What a signal ended at once would count as well, so that the
 * program must have worked to the end.
 */
static void take_reached_before(
	const struct analysis *analysis, uint32_t process, ct_time end, int64_t *reached)
{
	double most = (double)LIMIT(analysis, LEAK_RISE);
	uint32_t site;

	if (end != analysis->parties[process].end)
		return;
	for (site = 1; site < analysis->tables->nr_sites; site++) {
		const struct model_place_times *times = model_times_at(analysis->model, site);
		const struct histogram *lives = times ? model_histogram(times->lives) : NULL;
		int64_t lasted;

		if (!lives || !times->nr_ended || (double)lives->count < most)
			continue;
		lasted = (int64_t)histogram_at(lives, 1 - most / (double)lives->count);
		if (lasted > reached[site])
			reached[site] = lasted;
	}
}

struct ages {
	uint32_t nr_alive;
	uint32_t nr_older; /* than those that have ended were, clearly */
};

static void count_ages(const struct analysis *analysis, uint32_t process, ct_time end,
	const int64_t *reached, struct ages *ages)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		ct_time gone = gone_at(coro);

		if (!is_of(analysis, coro, process) || (gone != CT_NO_TIME && gone <= end))
			continue;
		ages[coro->spawn_site].nr_alive++;
		ages[coro->spawn_site].nr_older +=
			coro->created == CT_NO_TIME ||
			(end - coro->created) / 10 > reached[coro->spawn_site] / 9;
	}
}

bool *rules_lifetimes_bound(struct analysis *analysis, uint32_t process)
{
	size_t nr_sites = analysis->tables->nr_sites + 1u;
	ct_time end = analyze_party_working_until(analysis, process);
	bool *is_bound = analyze_scratch(analysis, nr_sites, sizeof(*is_bound));
	int64_t *reached = analyze_scratch(analysis, nr_sites, sizeof(*reached));
	struct ages *ages = analyze_scratch(analysis, nr_sites, sizeof(*ages));
	struct life *lives =
		analyze_scratch(analysis, analysis->model->coros.count, sizeof(*lives));
	uint32_t site;

	if (!is_bound || !reached || !ages || !lives)
		return NULL;
	take_reached(analysis, lives, list_lives(analysis, process, end, lives), reached);
	take_reached_before(analysis, process, end, reached);
	count_ages(analysis, process, end, reached, ages);
	for (site = 1; site < analysis->tables->nr_sites; site++)
		is_bound[site] = reached[site] > 0 &&
				 (uint64_t)ages[site].nr_older * OLDER_SHARE <= ages[site].nr_alive;
	return is_bound;
}

bool rules_lifetimes_is_bound(struct analysis *analysis, uint32_t process, uint32_t site)
{
	struct arena_mark before = arena_mark(&analysis->scratch);
	const bool *is_bound = rules_lifetimes_bound(analysis, process);
	bool is_one = is_bound && is_bound[site];

	arena_reset(&analysis->scratch, before);
	return is_one;
}
