/* SPDX-License-Identifier: MIT */
/*
 * Omitted wakes: how the run of each coroutine was begun, kept until it ends, and for each place some habits of the
 * runs that go on from there.
 */
#include <inttypes.h>

#include "analyze/omitted.h"
#include "analyze/pairs.h"
#include "analyze/parts.h"

#define HABITS 3u /* kept for one place; runs begun in further ways have no known habit */
#define LEAST_WOKE 19u
#define SHARE_OMITTED 20u /* at most one run in so many woke nobody */

struct of_coro {
	/* place where it waited when it was woken; 0: not woken, or the run is over */
	uint32_t from;
	uint32_t by; /* place where its waker had waited; 0: no coroutine woke it */
	/* place where the coroutine had waited that it woke last in this run */
	uint32_t woken_at;
};

/* Runs that go on from one place, and that were begun by a wake of a coroutine from one other place. */
struct habit {
	uint32_t by;
	uint32_t woken_at; /* place where the first coroutine waited that such a run woke */
	uint64_t nr_woke;  /* runs that woke a coroutine there */
	uint64_t nr_others;
	/* The next four are of the last run that woke nobody. */
	uint64_t coro; /* its id; 0: there was no such run */
	uint32_t process;
	ct_time began;
	int64_t ran_ns;
};

struct place {
	struct habit habits[HABITS];
};

static struct of_coro *record_of(const struct model_watch *watch, uint32_t coro)
{
	return model_watch_coro(watch, coro);
}

/* ---------------------------------------------------------------- callbacks of the watcher */

static uint32_t place_of(const struct model_watch *watch, uint32_t coro)
{
	return watch->model->coros.at[coro].wait_site;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	struct of_coro *of = record_of(watch, sight->coro);
	uint32_t from = place_of(watch, sight->coro);
	uint32_t by = sight->by ? place_of(watch, sight->by) : 0;

	if (sight->by == sight->coro)
		return true;
	if (sight->by && record_of(watch, sight->by)->from)
		record_of(watch, sight->by)->woken_at = from;
	if (from && (by || !sight->by))
		*of = (struct of_coro){.from = from, .by = by};
	return true;
}

static struct habit *habit_of(const struct model_watch *watch, const struct of_coro *of)
{
	struct place *place = model_watch_place(watch, of->from);
	unsigned i;

	for (i = 0; place && i < HABITS; i++) {
		struct habit *habit = &place->habits[i];

		if (habit->by == of->by || !(habit->nr_woke || habit->nr_others))
			return habit;
	}
	return NULL;
}

static void count_run(struct habit *habit, const struct of_coro *of)
{
	habit->by = of->by;
	if (!habit->woken_at)
		habit->woken_at = of->woken_at;
	if (of->woken_at && of->woken_at == habit->woken_at)
		habit->nr_woke++;
	else
		habit->nr_others++;
}

static void end_run(struct model_watch *watch, uint32_t index, ct_time until)
{
	const struct model_coro *coro = &watch->model->coros.at[index];
	struct of_coro *of = record_of(watch, index);
	struct habit *habit;

	if (!of->from)
		return;
	habit = habit_of(watch, of);
	if (habit)
		count_run(habit, of);
	if (habit && !of->woken_at && coro->resumed != CT_NO_TIME) {
		habit->coro = coro->id;
		habit->process = coro->process;
		habit->began = coro->resumed;
		habit->ran_ns = until - coro->resumed;
	}
	*of = (struct of_coro){0};
}

static bool look_at_wait(struct model_watch *watch, const struct model_sight *sight)
{
	end_run(watch, sight->coro, watch->model->coros.at[sight->coro].suspended);
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	if (watch->model->coros.at[sight->coro].state == CT_STATE_RUNNING)
		end_run(watch, sight->coro, sight->until);
	return true;
}

const struct model_watcher analyze_omitted_watcher = {
	.nr_coro_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake,
		[MODEL_WAIT] = look_at_wait,
		[MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- the evidence */

/* Did the last such run wake nobody, although nearly all had woken a coroutine that waited at this place? */
static bool is_exception(const struct habit *habit, uint32_t place, const struct model_coro *coro)
{
	return habit->coro && habit->process == coro->process && habit->woken_at == place &&
	       habit->nr_woke >= LEAST_WOKE &&
	       habit->nr_others <= (habit->nr_woke + habit->nr_others) / SHARE_OMITTED;
}

static bool is_since(const struct habit *habit, const struct model_coro *coro)
{
	return habit->began >= coro->suspended;
}

/* Did the coroutine run when that run was over, and begin to wait after that? */
static bool is_before(const struct habit *habit, const struct model_coro *coro)
{
	ct_time until = habit->began + habit->ran_ns;

	return coro->resumed != CT_NO_TIME && coro->resumed <= until && until <= coro->suspended;
}

typedef bool is_when(const struct habit *habit, const struct model_coro *coro);

/* The habit to report. NULL: none. */
static const struct habit *find(const struct analysis *analysis, const struct model_coro *coro,
	is_when *is_meant, uint32_t *ret_from)
{
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_omitted_watcher);
	uint32_t at = coro->wait_site, site;
	const struct habit *first = NULL;
	unsigned i;

	for (site = 1; at && site < watch->nr_places; site++) {
		const struct place *place = model_watch_place(watch, site);

		for (i = 0; i < HABITS; i++) {
			const struct habit *habit = &place->habits[i];

			if (!is_exception(habit, at, coro) || !is_meant(habit, coro) ||
				(first && first->began <= habit->began))
				continue;
			first = habit;
			*ret_from = site;
		}
	}
	return first;
}

/* The coroutine of that run, if it waits since; 0: it does not. */
static uint32_t waits_since(const struct analysis *analysis, const struct habit *habit)
{
	uint32_t index = model_find(analysis->model, habit->process, habit->coro);
	const struct model_coro *coro = &analysis->model->coros.at[index];

	return index && coro->state == CT_STATE_WAITING &&
			       coro->suspended == habit->began + habit->ran_ns
		       ? index
		       : 0;
}

static const char *words_since(struct analysis *analysis, const struct habit *habit)
{
	uint32_t index = waits_since(analysis, habit);
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (!index)
		return "";
	return analyze_say(
		analysis, "; it waits at %s since", analyze_words_place(analysis, coro->wait_site));
}

/* "20 of the 21 runs from here that a wake of a coroutine from there began woke a coroutine that waited" */
static const char *words_habit(struct analysis *analysis, const struct habit *habit, uint32_t from)
{
	return analyze_say(analysis,
		"%" PRIu64 " of the %" PRIu64
		" runs from %s that %s began woke a coroutine that waited",
		habit->nr_woke, habit->nr_woke + habit->nr_others,
		analyze_words_place(analysis, from),
		habit->by ? analyze_say(analysis, "a wake of a coroutine from %s",
				    analyze_words_place(analysis, habit->by))
			  : "no coroutine's wake");
}

void analyze_omitted_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t from = 0;
	const struct habit *habit = find(analysis, coro, is_since, &from);

	/* If events of this time are missing, the wake may be among them. */
	if (!habit || model_lost_between(analysis->model, coro->process, coro->suspended,
			      analysis->parties[coro->process].end))
		return;
	analyze_story_evidence(analysis, story,
		"%s here; the run of coroutine %" PRIu64
		", %s after this wait began and %s long, woke nobody%s",
		words_habit(analysis, habit, from), habit->coro,
		analyze_words_duration(analysis, habit->began - coro->suspended),
		analyze_words_duration(analysis, habit->ran_ns), words_since(analysis, habit));
}

/* Tells of `coro`, which waits, and of the run of `other`. */
static void tell_between(struct analysis *analysis, struct story *story,
	const struct model_coro *coro, const struct model_coro *other)
{
	uint32_t from = 0;
	const struct habit *habit = find(analysis, coro, is_before, &from);

	if (!habit || habit->coro != other->id || !waits_since(analysis, habit) ||
		model_lost_between(analysis->model, coro->process, habit->began, coro->suspended))
		return;
	analyze_story_evidence(analysis, story,
		"%s at %s; the last run of coroutine %" PRIu64
		" woke nobody, and was over %s before coroutine %" PRIu64
		", which ran meanwhile, began to wait there: what it did came between that one's "
		"last look and its wait, perhaps",
		words_habit(analysis, habit, from), analyze_words_place(analysis, coro->wait_site),
		other->id,
		analyze_words_duration(analysis, coro->suspended - habit->began - habit->ran_ns),
		coro->id);
}

void analyze_omitted_tell_between(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	uint32_t index = analyze_pairs_other(analysis, coro);
	const struct model_coro *other = &analysis->model->coros.at[index];

	if (!index)
		return;
	tell_between(analysis, story, coro, other);
	tell_between(analysis, story, other, coro);
}
