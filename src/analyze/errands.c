/* SPDX-License-Identifier: MIT */
/*
 * Errands (errands.h): for each place, who ended waits there; for each coroutine that has started others, those that it
 * started in its last run.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/errands.h"
#include "analyze/parts.h"
#include "analyze/wakers.h"
#include "analyze/watched_places.h"
#include "say/say.h"

#define LEAST_ENDED 3u
#define LEAST_SENT 2u
#define LEAST_BROUGHT 10u
#define LEAST_AMONG_OTHERS \
	10u             /* so many waits after a start, if there are other waits at this place */
#define SHARE_OTHERS 3u /* one wait in so many, at most, was ended by somebody else */

struct place {
	uint64_t nr_all;   /* waits that were ended here */
	uint64_t nr_ended; /* of these, those of one that had started others in its last run */
	uint64_t nr_brought;
	int64_t longest_ns;
};

/* Kept for coroutines that have started others. */
struct of_coro {
	uint32_t nr_sent;  /* coroutines that it started since it was resumed last */
	uint32_t site;     /* where it started the last of these */
	uint32_t nr_there; /* how many it started at that place in a row, up to the last one */
	uint32_t nr_over;  /* of these, how many have ended */
	/* of these, the last one that ended */
	uint32_t spawn_site, wait_site, name_site, function_site;
	uint64_t id; /* 0: none */
	ct_time end;
	bool has_living; /* such a coroutine, or a descendant, lives: made by the survey */
	/* The last wait that this one ended of a coroutine that had not started it. */
	uint64_t other; /* whose; 0: none */
	uint32_t other_site;
};

/* ---------------------------------------------------------------- callbacks of the watcher */

static struct place *place_at(const struct model_watch *watch, const struct model_coro *coro)
{
	uint32_t site = coro->wait_site;

	return site && model_is_awaiting(coro) ? model_watch_place(watch, site) : NULL;
}

/* Was this one started since the last run of `coro` began? A first run may not be seen to begin. */
static bool is_younger(const struct model *model, uint32_t index, uint32_t coro)
{
	const struct model_coro *at = model->coros.at;

	return at[index].created >= at[coro].resumed &&
	       (at[coro].resumed != CT_NO_TIME || at[coro].suspended != CT_NO_TIME);
}

/* Did `coro` start this one in its last run, or one from which this one comes? */
static bool is_errand(const struct model *model, uint32_t index, uint32_t coro)
{
	return index && index != coro && is_younger(model, index, coro) &&
	       analyze_ties_comes_from(model, index, coro);
}

/* Are most waits here ended by one that the waiting one had started? */
static bool is_of_errands(const struct place *place)
{
	return place->nr_ended >= LEAST_BROUGHT &&
	       place->nr_ended - place->nr_brought <= place->nr_ended / SHARE_OTHERS;
}

static void note_other(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->by);

	of->other = coro->id;
	of->other_site = coro->wait_site;
}

static bool look_at_wake(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	const struct of_coro *of = model_watch_rare(watch, sight->coro);
	struct place *place = place_at(watch, coro);
	int64_t waited_ns = ct_time_between(coro->suspended, sight->event->time);
	bool is_brought;

	if (!place || sight->by == sight->coro)
		return true;
	place->nr_all++;
	/* Where a task's waits share a place, those without a start in its last run say nothing of the others. */
	if (!of->nr_sent)
		return true;
	is_brought = is_errand(watch->model, sight->by, sight->coro);
	if (sight->by && !is_brought && is_of_errands(place))
		note_other(watch, sight);
	place->nr_ended++;
	place->nr_brought += is_brought;
	place->longest_ns = waited_ns > place->longest_ns ? waited_ns : place->longest_ns;
	return true;
}

/* A wait that no wake has ended counts before it is forgotten whom the coroutine had started. */
static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *coro = &watch->model->coros.at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, sight->coro);
	struct place *place = model_is_unwoken(coro) ? place_at(watch, coro) : NULL;

	if (place) {
		place->nr_all++;
		place->nr_ended += of->nr_sent > 0;
	}
	if (of->nr_sent)
		*of = (struct of_coro){.other = of->other, .other_site = of->other_site};
	return true;
}

static bool look_at_begin(struct model_watch *watch, const struct model_sight *sight)
{
	struct of_coro *of = model_watch_rare(watch, sight->by);
	uint32_t site = watch->model->coros.at[sight->coro].spawn_site;

	if (!sight->by)
		return true;
	of->nr_sent++;
	if (of->site != site)
		of->nr_there = of->nr_over = 0;
	of->site = site;
	of->nr_there++;
	return true;
}

static bool look_at_end(struct model_watch *watch, const struct model_sight *sight)
{
	const struct model_coro *at = watch->model->coros.at, *coro = &at[sight->coro];
	struct of_coro *of = model_watch_rare(watch, coro->parent);

	if (!coro->parent || !of->nr_sent || coro->created < at[coro->parent].resumed)
		return true;
	*of = (struct of_coro){.nr_sent = of->nr_sent,
		.site = of->site,
		.nr_there = of->nr_there,
		.nr_over = of->nr_over + (coro->spawn_site == of->site),
		.spawn_site = coro->spawn_site,
		.wait_site = coro->point == CTP_POINT_AWAIT ? coro->wait_site : 0,
		.name_site = coro->rare->name_site,
		.function_site = coro->rare->function_site,
		.id = coro->id,
		.end = sight->until,
		.other = of->other,
		.other_site = of->other_site};
	return true;
}

const struct model_watcher analyze_errands_watcher = {
	.nr_rare_bytes = sizeof(struct of_coro),
	.nr_place_bytes = sizeof(struct place),
	.looks = {[MODEL_WAKE] = look_at_wake,
		[MODEL_RUN] = look_at_run,
		[MODEL_BEGIN] = look_at_begin,
		[MODEL_ADOPT] = look_at_begin,
		[MODEL_END] = look_at_end},
};

/* ---------------------------------------------------------------- queries */

static const struct of_coro *record_of(
	const struct analysis *analysis, const struct model_coro *coro)
{
	return analyze_watch_rare(analysis, &analyze_errands_watcher, coro);
}

static void mark_senders(const struct analysis *analysis, uint32_t index)
{
	const struct model *model = analysis->model;
	uint32_t from = model->coros.at[index].parent, steps;

	for (steps = 0; from && steps < TIES_GENERATIONS; steps++) {
		struct of_coro *of = model_watch_rare(
			analyze_watch_by(analysis, &analyze_errands_watcher), from);

		of->has_living |= is_younger(model, index, from);
		from = model->coros.at[from].parent;
	}
}

void analyze_errands_survey(const struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (analysis->model->coros.at[i].state < CT_STATE_DONE)
			mark_senders(analysis, i);
}

static bool has_enough(const struct place *place)
{
	return place->nr_ended >= LEAST_ENDED &&
	       (place->nr_ended == place->nr_all || place->nr_ended >= LEAST_AMONG_OTHERS);
}

bool analyze_errands_have_failed(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_errands_watcher, coro);
	const struct of_coro *of = record_of(analysis, coro);
	int64_t waited_ns = analyze_waited_ns(analysis, coro);

	return place && of->id && has_enough(place) && place->nr_brought == place->nr_ended &&
	       waited_ns / TIMES_LONGER > place->longest_ns &&
	       analyze_wakers_is_bound(analysis, coro) && !of->has_living;
}

bool analyze_errands_are_over(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	return of->id && of->nr_sent >= LEAST_SENT && !of->has_living &&
	       of->end > coro->suspended && analyze_wakers_is_bound(analysis, coro);
}

/* ---------------------------------------------------------------- those of one function */

/* Is one of the calls that led to this site made in the function? */
static bool leads_from(const struct analysis *analysis, uint32_t site, const char *function)
{
	const struct ct_tables *tables = analysis->tables;
	const struct ct_site *at = say_peek_site(tables, site);
	uint32_t row = at->stack < tables->nr_stacks ? at->stack : 0;

	if (strcmp(at->function, function) == 0)
		return true;
	for (; row; row = tables->stacks[row].caller)
		if (strcmp(say_peek_site(tables, tables->stacks[row].site)->function, function) ==
			0)
			return true;
	return false;
}

/* The coroutine that `index` started itself, and from which this one comes; 0: none. */
static uint32_t errand_above(const struct model *model, uint32_t coro, uint32_t index)
{
	uint32_t steps;

	for (steps = 0; coro && steps < TIES_GENERATIONS; steps++) {
		if (model->coros.at[coro].parent == index)
			return is_younger(model, coro, index) ? coro : 0;
		coro = model->coros.at[coro].parent;
	}
	return 0;
}

static bool has_living_from(const struct analysis *analysis, uint32_t index, const char *function)
{
	const struct model_coro *at = analysis->model->coros.at;
	uint32_t i, errand;

	for (i = 1; i < analysis->model->coros.count; i++) {
		errand = at[i].state < CT_STATE_DONE ? errand_above(analysis->model, i, index) : 0;
		if (errand && leads_from(analysis, at[errand].spawn_site, function))
			return true;
	}
	return false;
}

bool analyze_errands_are_over_there(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);
	const char *function = say_peek_site(analysis->tables, coro->wait_site)->function;

	return of->id && of->nr_there >= LEAST_SENT && of->nr_over == of->nr_there &&
	       of->spawn_site == of->site && of->end > coro->suspended && *function &&
	       strcmp(say_peek_site(analysis->tables, of->site)->function, function) == 0 &&
	       !has_living_from(analysis, model_index(analysis->model, coro), function) &&
	       analyze_wakers_is_bound(analysis, coro);
}

/* ---------------------------------------------------------------- the evidence */

/* "coroutine 36 (fetch)"; its own record may be gone. */
static const char *words_errand(struct analysis *analysis, const struct of_coro *of)
{
	struct text text = {0};
	const char *words;

	say_coroutine(&text, analysis->tables, of->id, analyze_words_site(analysis, of->name_site),
		of->function_site);
	words = analyze_say(analysis, "%s", text_peek(&text));
	text_fini(&text);
	return words;
}

void analyze_errands_tell_over(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct of_coro *of = record_of(analysis, coro);

	bool is_all = analyze_errands_are_over(analysis, coro);

	if (!is_all && !analyze_errands_are_over_there(analysis, coro))
		return;
	analyze_story_evidence(analysis, story,
		"the %" PRIu32
		" coroutines that it had started just before%s have ended; the last one, "
		"%s, which was started at %s, %s %s after this wait began, and did not wake it",
		is_all ? of->nr_sent : of->nr_there, is_all ? "" : " in the same function",
		words_errand(analysis, of), analyze_words_place(analysis, of->spawn_site),
		analyze_words_how_ended(analysis, coro->process, of->id),
		analyze_words_duration(analysis, of->end - coro->suspended));
}

static const char *words_which(const struct place *place)
{
	return place->nr_ended == place->nr_all ? "" : " that began after a start";
}

/* One that this coroutine has started, and that ended the wait of another one there instead; 0: none. */
static uint32_t taken_by_other(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model *model = analysis->model;
	const struct model_watch *watch = analyze_watch_by(analysis, &analyze_errands_watcher);
	uint32_t index = model_index(model, coro), site = coro->wait_site, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct of_coro *of = model_watch_rare(watch, i);

		if (of->other && of->other_site == site && of->other != coro->id &&
			is_errand(model, i, index))
			return i;
	}
	return 0;
}

static void tell_taken(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_errands_watcher, coro);
	uint32_t errand = place && is_of_errands(place) && analyze_wakers_is_bound(analysis, coro)
				  ? taken_by_other(analysis, coro)
				  : 0;
	const struct model_coro *from = &analysis->model->coros.at[errand];

	if (!errand)
		return;
	analyze_story_evidence(analysis, story,
		"%" PRIu64 " of %" PRIu64
		" waits there%s were ended by a coroutine that the waiting "
		"one had started just before; %s, which this one had started, ended that of "
		"coroutine %" PRIu64 " instead%s%s",
		place->nr_brought, place->nr_ended, words_which(place),
		analyze_words_coro(analysis, from), record_of(analysis, from)->other,
		from->state == CT_STATE_WAITING ? ", and waits itself now, at " : "",
		from->state == CT_STATE_WAITING ? analyze_words_place(analysis, from->wait_site)
						: "");
}

/* Where the error arose that ended the process's last coroutine to fail. */
static const char *words_error(struct analysis *analysis, uint32_t process)
{
	uint32_t site = analysis->model->processes[process].failed.failed;

	return site ? analyze_say(
			      analysis, ", by an error at %s", analyze_words_place(analysis, site))
		    : "";
}

void analyze_errands_tell(
	struct analysis *analysis, struct story *story, const struct model_coro *coro)
{
	const struct place *place = analyze_watch_wait(analysis, &analyze_errands_watcher, coro);
	const struct of_coro *of = record_of(analysis, coro);
	bool has_failed = analysis->model->processes[coro->process].failed.id == of->id;

	tell_taken(analysis, story, coro);
	if (!analyze_errands_have_failed(analysis, coro))
		return;
	analyze_story_evidence(analysis, story,
		"each of %" PRIu64
		" waits there%s was ended by a coroutine that the waiting one had "
		"started just before; %s, which this one had started, at %s, %s %s %s%s, and "
		"did not wake it%s%s",
		place->nr_ended, words_which(place), words_errand(analysis, of),
		analyze_words_place(analysis, of->spawn_site),
		has_failed ? "failed" : analyze_words_how_ended(analysis, coro->process, of->id),
		analyze_words_duration(analysis, llabs(of->end - coro->suspended)),
		of->end < coro->suspended ? "before this wait began" : "after this wait began",
		has_failed ? words_error(analysis, coro->process) : "",
		of->wait_site ? "; it had waited last at " : "",
		of->wait_site ? analyze_words_place(analysis, of->wait_site) : "");
}
