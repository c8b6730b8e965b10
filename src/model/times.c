/* SPDX-License-Identifier: MIT */
/*
 * Times: in which states coroutines were, what threads did, and the sums of these at each place in the program.
 *
 * Every instant belongs to one state: the event that ends a state begins the next one at the same time, so the parts
 * of a life add up to it exactly. If the clocks of two threads disagree, a part may be negative by that amount;
 * distributions count it as zero. Time before the observation is left out.
 */
#include <stdlib.h>
#include <string.h>

#include "model/parts.h"

static uint64_t length(int64_t ns)
{
	return ns > 0 ? (uint64_t)ns : 0;
}

/* ---------------------------------------------------------------- places */

static uint32_t place_of(const struct model *model, uint32_t site)
{
	return site < model->tables->nr_sites ? site : 0;
}

static __attribute__((noinline)) struct model_place_times *make_times(
	struct model *model, struct model_place_times **times)
{
	if (model->nr_place_times < MODEL_PLACES)
		*times = calloc(1, sizeof(**times));
	if (!*times) {
		model->nr_times_refused++;
		return NULL;
	}
	model->nr_place_times++;
	return *times;
}

/* The times of a place, made if there are none. NULL: no room or no memory is left; either is counted. */
static struct model_place_times *times_of(struct model *model, uint32_t site)
{
	struct model_place_times **times = &model->place_times[place_of(model, site)];

	return *times ? *times : make_times(model, times);
}

/* Adds a value to a distribution of a place. If there is no room or no memory for it, that is counted. */
static void count(struct model *model, struct histogram **histogram, int64_t ns)
{
	model->nr_times_refused +=
		!histogram_count(histogram, length(ns), &model->distribution_bytes);
}

/* A run starts where the coroutine waited; before its first wait, where it was started. */
static uint32_t resumed_from(const struct model_coro *coro)
{
	return coro->suspended == CT_NO_TIME ? coro->spawn_site : coro->wait_site;
}

/* A shorter run keeps no other coroutine waiting for long. */
#define LONG_RUN_NS INT64_C(10000000)

static __attribute__((noinline)) void note_longest(struct model *model,
	struct model_place_times *times, const struct model_coro *coro, ct_time until, int64_t ns)
{
	const struct model_thread *thread = &model->threads[coro->thread];

	times->longest = (struct model_run){
		.coro = model_index(model, coro),
		.thread = coro->thread,
		.until = until,
		.ns = ns,
		.event = model->sequence,
		.blocked_ns = thread->spent[MODEL_ACTIVITY_BLOCKED] - coro->blocked_before,
		.call = thread->blocked_call,
	};
	if (ns >= LONG_RUN_NS)
		model_tell(model, MODEL_LONG_RUN,
			(struct model_sight){.coro = times->longest.coro,
				.site = place_of(model, resumed_from(coro))});
}

static void count_run(struct model *model, const struct model_coro *coro, ct_time until, int64_t ns)
{
	struct model_place_times *times = times_of(model, resumed_from(coro));

	histogram_add(&process_at(model, coro->process)->runs, length(ns));
	thread_at(model, coro->thread)->last_run = (struct model_past_run){
		.coro = model_index(model, coro),
		.thread = coro->thread,
		.site = place_of(model, resumed_from(coro)),
		.until = until,
		.ns = ns,
	};
	if (ns >= LONG_RUN_NS)
		model_tell(model, MODEL_RAN,
			(struct model_sight){.coro = model_index(model, coro),
				.thread = coro->thread,
				.ns = ns,
				.until = until});
	if (!times)
		return;
	if (length(ns) > model_histogram(times->runs)->max)
		note_longest(model, times, coro, until, ns);
	count(model, &times->runs, ns);
}

static void count_wait(struct model *model, const struct model_coro *coro, int64_t ns)
{
	struct model_place_times *times = times_of(model, resumed_from(coro));

	if (times)
		count(model, &times->waits, ns);
}

void model_times_unwoken(struct model *model, const struct model_coro *coro)
{
	struct model_place_times *times = times_of(model, resumed_from(coro));
	const struct model_coro *newest = coro_at(model, times ? times->newest : 0);

	if (!times)
		return;
	times->nr_unwoken++;
	times->nr_in_turn += newest != coro && newest->state == CT_STATE_WAITING &&
			     newest->wait_site == coro->wait_site;
}

void model_times_wait(struct model *model, const struct model_coro *coro)
{
	struct model_place_times *times = times_of(model, coro->wait_site);

	if (times)
		times->newest = model_index(model, coro);
}

void model_times_cut(struct model *model, const struct model_coro *coro)
{
	struct model_place_times *times = times_of(model, resumed_from(coro));
	struct model_process *process = process_at(model, coro->process);
	bool is_ready = coro->state == CT_STATE_READY;

	process->nr_cut += !is_ready;
	process->nr_cut_ready += is_ready;
	if (!times)
		return;
	times->nr_cut += !is_ready;
	times->nr_cut_ready += is_ready;
	if (is_ready)
		times->cut = model_index(model, coro);
}

/* A shorter delay is not looked into. */
#define LONG_DELAY_NS INT64_C(100000000)

/* Counts the time from ready to running, at the place where the coroutine waited and at the place of the wake. */
static void count_delay(
	struct model *model, const struct model_coro *coro, ct_time until, int64_t ns)
{
	struct model_place_times *times = times_of(model, resumed_from(coro));

	histogram_add(&process_at(model, coro->process)->delays, length(ns));
	if (times)
		model_times_delay(model, times, coro, until, ns);
	if (times && ns >= LONG_DELAY_NS)
		model_tell(model, MODEL_DELAY,
			(struct model_sight){.coro = model_index(model, coro),
				.site = place_of(model, resumed_from(coro)),
				.ns = ns,
				.until = until});
	if (times)
		count(model, &times->delays, ns);
	/* A queue alone makes a coroutine ready, too; then there is no place of a wake. */
	times = model_was_woken(coro) ? times_of(model, coro->turns->wake.site) : NULL;
	if (times)
		count(model, &times->delays_caused, ns);
}

/* ---------------------------------------------------------------- coroutines */

/* An event may be later than the last sign of life of its recorder. */
static int64_t observed_until(const struct model *model, ct_time end, ct_time since)
{
	return end > since ? time_observed(model, end) - time_observed(model, since) : 0;
}

/* Does the time in its present state follow from its other times, also after it enters `state`? */
static bool is_shown(const struct model_coro *coro, enum ct_state state)
{
	if (coro->turns != &model_no_turns)
		return false;
	if (coro->state == CT_STATE_UNSEEN)
		return coro->counts_unseen ||
		       (state == CT_STATE_UNSEEN && coro->created != CT_NO_TIME);
	return coro->state == CT_STATE_RUNNING && coro->counts_run;
}

static void spend(struct model *model, struct model_coro *coro, enum ct_state state, int64_t ns)
{
	if (ns && !is_shown(coro, state))
		model_turns_of(model, coro)->spent[coro->state] += ns;
}

void model_times_show(struct model_coro *coro)
{
	if (coro->state == CT_STATE_UNSEEN)
		coro->counts_unseen = coro->created != CT_NO_TIME && coro->resumed == CT_NO_TIME;
	else
		coro->counts_run =
			coro->state == CT_STATE_RUNNING && coro->changed == coro->resumed;
}

static void count_life(struct model *model, const struct model_coro *coro, ct_time end)
{
	struct model_place_times *times;

	if (!(coro->flags & MODEL_CORO_WAS_CREATED) || model_is_of_runtime(coro))
		return;
	times = times_of(model, coro->spawn_site);
	if (times)
		count(model, &times->lives, end - coro->created);
}

/* A duration that ended before the observation was not observed: it is in no distribution. */
static bool is_before(const struct model *model, ct_time time)
{
	return model->from != CT_NO_TIME && time < model->from;
}

static void count_change(struct model *model, const struct model_coro *coro, enum ct_state state,
	ct_time time, int64_t ns)
{
	if (model_is_of_runtime(coro))
		return;
	if (model->breakdown)
		model_breakdown_leave(model, coro, state, ns);
	if (coro->state == CT_STATE_RUNNING && state != CT_STATE_RUNNING)
		count_run(model, coro, time, ns);
	else if (coro->state == CT_STATE_WAITING && state != CT_STATE_DESTROYED)
		count_wait(model, coro, ns);
	else if (coro->state == CT_STATE_READY && state == CT_STATE_RUNNING)
		count_delay(model, coro, time, ns);
}

void model_times_change(
	struct model *model, struct model_coro *coro, enum ct_state state, ct_time time)
{
	int64_t ns = time_observed(model, time) - time_observed(model, coro->changed);

	if (coro->state == CT_STATE_DESTROYED)
		return;
	if (work_has(model, coro))
		model_work_count(model, coro, time);
	spend(model, coro, state, ns);
	if (is_before(model, time))
		model->nr_changes_before++;
	else
		count_change(model, coro, state, time, ns);
	if (coro->state < CT_STATE_DONE && state >= CT_STATE_DONE)
		count_life(model, coro, time);
}

void model_times_begin(struct model *model, const struct model_coro *coro)
{
	struct model_place_times *times = times_of(model, coro->spawn_site);

	if (!times)
		return;
	/* Times may run backwards within a thread. */
	if (times->nr_started++ == 0 || coro->created > times->last_started)
		times->last_started = coro->created;
	times->nr_started_before += is_before(model, coro->created);
}

void model_times_withdraw(struct model *model, const struct model_coro *coro)
{
	struct model_place_times *times = times_of(model, coro->spawn_site);

	if (!times || !times->nr_started)
		return;
	times->nr_started--;
	times->nr_started_before -= is_before(model, coro->created);
}

static struct model_series *begin_alive(void)
{
	struct model_series *alive = calloc(2, sizeof(*alive));

	if (!alive)
		return NULL;
	model_series_init(&alive[0]);
	model_series_init(&alive[1]);
	return alive;
}

/*
 * Starts are counted in windows up to the last start: a coroutine that ends much later must not widen these.
 */
void model_times_alive(struct model *model, uint32_t site, ct_time time, int64_t by)
{
	struct model_place_times *times = times_of(model, site);

	if (times && !times->alive)
		times->alive = begin_alive();
	if (!times || !times->alive) {
		model->nr_times_refused++;
		return;
	}
	if (by < 0) {
		model_series_change(&times->alive[1], time, by);
		return;
	}
	model_series_join(&times->alive[0], &times->alive[1]);
	model_series_change(&times->alive[0], time, by);
	times->alive[1].value = times->alive[0].value;
}

void model_times_end(struct model *model, const struct model_coro *coro)
{
	struct model_place_times *times = times_of(model, coro->spawn_site);

	if (!times)
		return;
	times->nr_events += model_nr_events(coro);
	times->nr_ended++;
	times->nr_free += model_was_free(coro);
}

static int64_t amount_of(const struct model *model, uint32_t index, enum model_measure measure)
{
	static const uint8_t states[] = {
		[MODEL_MEASURE_RUNNING] = CT_STATE_RUNNING,
		[MODEL_MEASURE_READY] = CT_STATE_READY,
		[MODEL_MEASURE_WAITING] = CT_STATE_WAITING,
	};
	const struct model_coro *coro = &model->coros.at[index];

	return measure < sizeof(states) ? model_spent(model, coro, states[measure])
					: coro->turns->nr_migrations;
}

/* The amounts of those with the most, in order. */
struct amounts {
	int64_t of[CT_BUSIEST];
};

static void take_most(
	struct model_most *most, struct amounts *amounts, uint32_t index, int64_t amount)
{
	uint32_t at = most->count;

	for (; at > 0 && amounts->of[at - 1] < amount; at--) {
		if (at == CT_BUSIEST)
			continue;
		most->coros[at] = most->coros[at - 1];
		amounts->of[at] = amounts->of[at - 1];
	}
	if (at == CT_BUSIEST)
		return;
	most->coros[at] = index;
	amounts->of[at] = amount;
	most->count += most->count < CT_BUSIEST;
}

/* Those that are left out at once are nearly all. */
static bool is_among(const struct model_most *most, const struct amounts *amounts, int64_t amount)
{
	return amount > 0 && (most->count < CT_BUSIEST || amount > amounts->of[CT_BUSIEST - 1]);
}

void model_most_of(const struct model *model, enum ct_state least,
	struct model_most ret_most[MODEL_NR_MEASURES])
{
	struct amounts amounts[MODEL_NR_MEASURES];
	unsigned measure;
	uint32_t i;

	memset(ret_most, 0, MODEL_NR_MEASURES * sizeof(*ret_most));
	for (i = 1; i < model->coros.count; i++) {
		if (model->coros.at[i].state < least || model_is_of_runtime(&model->coros.at[i]))
			continue;
		for (measure = 0; measure < MODEL_NR_MEASURES; measure++) {
			int64_t amount = amount_of(model, i, measure);

			if (is_among(&ret_most[measure], &amounts[measure], amount))
				take_most(&ret_most[measure], &amounts[measure], i, amount);
		}
	}
}

bool model_was_free(const struct model_coro *coro)
{
	if (coro->state < CT_STATE_DONE ||
		(coro->flags & (MODEL_CORO_WAS_DESTROYED_WAITING | MODEL_CORO_WAS_REPLACED)))
		return false;
	return !(coro->flags & MODEL_CORO_WAS_AWAITED) || coro->has_outlived;
}

/* The time in a state as it follows from the times of a coroutine without turns. */
static int64_t spent_by_times(
	const struct model *model, const struct model_coro *coro, enum ct_state state)
{
	ct_time first = coro->resumed == CT_NO_TIME ? coro->suspended : coro->resumed;

	if (state == CT_STATE_UNSEEN && coro->created != CT_NO_TIME &&
		(coro->state == CT_STATE_UNSEEN || coro->counts_unseen))
		return time_observed(
			       model, coro->state == CT_STATE_UNSEEN ? coro->changed : first) -
		       time_observed(model, coro->created);
	if (state == CT_STATE_RUNNING && coro->counts_run)
		return time_observed(model, coro->suspended) - time_observed(model, coro->resumed);
	return 0;
}

int64_t model_spent(const struct model *model, const struct model_coro *coro, enum ct_state state)
{
	int64_t ns = coro->turns == &model_no_turns ? spent_by_times(model, coro, state)
						    : coro->turns->spent[state];

	if (model->are_ends_counted && coro->state == state)
		ns += observed_until(model, model_end_of(model, coro->process), coro->changed);
	return ns;
}

void model_spent_all(const struct model *model, const struct model_coro *coro,
	int64_t ret_spent[CT_STATE_DESTROYED])
{
	unsigned state;

	for (state = 0; state < CT_STATE_DESTROYED; state++)
		ret_spent[state] = model_spent(model, coro, state);
}

void model_times_level(struct model *model, struct histogram *histogram, ct_time *counted,
	uint64_t level, ct_time time)
{
	time = time_observed(model, time);
	if (*counted != CT_NO_TIME && time > *counted)
		histogram_add_times(histogram, level, (uint64_t)(time - *counted));
	if (*counted == CT_NO_TIME || time > *counted)
		*counted = time;
}

void model_times_ready(struct model *model, struct model_process *process, ct_time time)
{
	model_times_level(model, &process->ready, &process->ready_counted, process->nr_ready, time);
}

/* ---------------------------------------------------------------- the end */

void model_times_so_far(struct ct_going_on *going_on, int64_t ns)
{
	if (ns <= 0)
		return;
	going_on->total_ns += ns;
	if (ns > going_on->longest_ns)
		going_on->longest_ns = ns;
}

static void go_on(struct ct_going_on *going_on, int64_t ns)
{
	going_on->count++;
	model_times_so_far(going_on, ns);
}

/* A coroutine that was there before it was seen has lived at least since its last change. */
static void finish_life(struct model *model, const struct model_coro *coro, ct_time end)
{
	struct model_place_times *times = times_of(model, coro->spawn_site);
	ct_time since = coro->created == CT_NO_TIME ? coro->changed : coro->created;

	if (!times)
		return;
	times->nr_events += model_nr_events(coro);
	if (coro->state < CT_STATE_DONE)
		go_on(&times->living, observed_until(model, end, since));
}

static void finish_state(struct model *model, const struct model_coro *coro, int64_t ns)
{
	bool is_waiting = coro->state == CT_STATE_WAITING;
	struct model_place_times *times;

	if (!is_waiting && coro->state != CT_STATE_READY && coro->state != CT_STATE_RUNNING)
		return;
	times = times_of(model, is_waiting ? coro->wait_site : resumed_from(coro));
	if (!times)
		return;
	if (is_waiting)
		go_on(&times->waiting, ns);
	else
		go_on(coro->state == CT_STATE_READY ? &times->ready : &times->running, ns);
}

static void finish_coro(struct model *model, struct model_coro *coro)
{
	ct_time end = model_end_of(model, coro->process);
	int64_t ns = observed_until(model, end, coro->changed);

	if (!model_is_of_runtime(coro)) {
		finish_life(model, coro, end);
		finish_state(model, coro, ns);
	}
	if (coro->state == CT_STATE_DESTROYED || end <= coro->changed)
		return;
	if (model->breakdown && !model_is_of_runtime(coro))
		model_breakdown_end(model, coro, ns);
	if (work_has(model, coro))
		model_work_count(model, coro, end);
}

static void finish_thread(struct model *model, struct model_thread *thread)
{
	ct_time end = model_end_of(model, thread->process);

	if (thread->stopped != CT_NO_TIME && thread->stopped < end)
		end = thread->stopped;
	if (thread->counted != CT_NO_TIME && end > thread->counted)
		model_times_thread(model, thread, end);
}

void model_times_finish(struct model *model)
{
	size_t i;

	for (i = 1; i < model->coros.count; i++)
		finish_coro(model, coro_at(model, (uint32_t)i));
	model->are_ends_counted = true;
	for (i = 1; i < model->nr_threads; i++)
		finish_thread(model, thread_at(model, (uint32_t)i));
	for (i = 0; i < model->nr_processes; i++)
		if (process_at(model, (uint32_t)i)->ready_counted != CT_NO_TIME)
			model_times_ready(model, process_at(model, (uint32_t)i),
				model_end_of(model, (uint32_t)i));
}

bool model_times_reserve(struct model *model)
{
	model->place_times = calloc(model->tables->nr_sites + 1, sizeof(*model->place_times));
	model->distribution_bytes = MODEL_DISTRIBUTION_BYTES;
	return model->place_times != NULL;
}

static void free_place(struct model_place_times *times)
{
	if (!times)
		return;
	free(times->waits);
	free(times->delays);
	free(times->runs);
	free(times->delays_caused);
	free(times->lives);
	free(times->alive);
	free(times);
}

void model_times_fini(struct model *model)
{
	uint32_t i;

	for (i = 0; model->threads && i < model->nr_threads; i++)
		vec_fini(&model->threads[i].accounts);
	for (i = 0; model->place_times && i < model->tables->nr_sites + 1; i++)
		free_place(model->place_times[i]);
	free(model->place_times);
}
