/* SPDX-License-Identifier: MIT */
/* Runs that lasted for long, in sentences. */
#include "analyze/long_runs.h"

#include "analyze/parts.h"

#define LONG_RUN_NS INT64_C(10000000)
#define RUNS_LISTED 16u

/* ---------------------------------------------------------------- the watcher */

struct memory {
	uint64_t asked; /* id of the coroutine */
};

struct longest {
	uint32_t thread;
	int64_t ns;
	ct_time until;
};

static bool begin(struct model_watch *watch, const void *settings)
{
	const struct analysis *analysis = settings;
	struct memory *memory = watch->memory;

	memory->asked = analysis->why_coro;
	return true;
}

static bool look_at_run(struct model_watch *watch, const struct model_sight *sight)
{
	const struct memory *memory = watch->memory;
	struct longest *longest;

	if (watch->model->coros.at[sight->coro].id != memory->asked)
		return true;
	longest = model_watch_coro(watch, sight->coro);
	if (sight->ns > longest->ns)
		*longest = (struct longest){sight->thread, sight->ns, sight->until};
	return true;
}

const struct model_watcher analyze_long_runs_watcher = {
	.nr_bytes = sizeof(struct memory),
	.nr_coro_bytes = sizeof(struct longest),
	.looks = {[MODEL_RAN] = look_at_run},
	.begin = begin,
};

/* ---------------------------------------------------------------- the list */

struct listed {
	uint32_t coro; /* index in the model */
	bool is_told;
	struct ct_long_run run;
	const struct hot_run *hot; /* NULL: there was no room */
};

struct long_runs {
	struct listed at[RUNS_LISTED];
	uint32_t count;
};

static void list(
	struct analysis *analysis, struct hots *hots, uint32_t coro, const struct ct_long_run *run)
{
	const struct model_coro *at = &analysis->model->coros.at[coro];
	struct long_runs *runs = analysis->long_runs;
	struct analyze_run of = {
		.coro = coro,
		.process = at->process,
		.thread = run->thread,
		.since = run->since,
		.until = run->goes_on ? 0 : run->since + run->duration_ns,
	};
	struct listed listed = {.coro = coro, .run = *run};

	if (run->duration_ns < LONG_RUN_NS || runs->count == RUNS_LISTED)
		return;
	listed.run.coro = at->id;
	listed.run.process = at->process;
	listed.hot = analyze_hot_add(hots, analysis, &of);
	runs->at[runs->count++] = listed;
}

static void list_longest(struct analysis *analysis, struct hots *hots, uint32_t coro)
{
	const struct longest *longest =
		model_watch_coro(analyze_watch_by(analysis, &analyze_long_runs_watcher), coro);
	struct ct_long_run run = {
		.thread = longest->thread,
		.since = longest->until - longest->ns,
		.duration_ns = longest->ns,
	};

	list(analysis, hots, coro, &run);
}

static void list_open(struct analysis *analysis, struct hots *hots, uint32_t thread)
{
	uint32_t coro = analysis->model->threads[thread].top;
	const struct model_coro *at = &analysis->model->coros.at[coro];
	struct ct_long_run run = {.thread = thread, .since = at->changed, .goes_on = true};

	if (!coro || at->state != CT_STATE_RUNNING)
		return;
	run.duration_ns = ct_time_between(at->changed, analysis->parties[at->process].end);
	list(analysis, hots, coro, &run);
}

void analyze_long_runs_prepare(struct analysis *analysis, struct hots *hots)
{
	uint32_t coro = analysis->why_coro ? analyze_why_find(analysis) : 0, i;

	if (!coro)
		return;
	analysis->long_runs = analyze_scratch(analysis, 1, sizeof(*analysis->long_runs));
	if (!analysis->long_runs)
		return;
	list_longest(analysis, hots, coro);
	for (i = 1; i < analysis->model->nr_threads; i++)
		if (analysis->model->threads[i].process == analysis->model->coros.at[coro].process)
			list_open(analysis, hots, i);
}

/* ---------------------------------------------------------------- sentences */

/* What the thread did meanwhile; "": nothing is to be said. */
static const char *words_meanwhile(struct analysis *analysis, const struct ct_long_run *run)
{
	const char *words = analyze_hot_words(analysis, &run->samples);

	if (*words || analysis->has_samples || run->duration_ns < LIMIT(analysis, ENDLESS_TIME))
		return words;
	return "what took the time is not recorded: --cpu-samples 99 records it";
}

static void tell_open(struct analysis *analysis, struct story *story, struct ct_long_run *run)
{
	const char *meanwhile = words_meanwhile(analysis, run);

	if (*meanwhile)
		analyze_story_fact(analysis, story, "%s", meanwhile);
	run->text = analyze_say(analysis, "it has run on %s for %s%s%s",
		analyze_words_thread(analysis, run->thread),
		analyze_words_duration(analysis, run->duration_ns), *meanwhile ? ": " : "",
		meanwhile);
}

static void tell_ended(struct analysis *analysis, struct story *story, struct ct_long_run *run)
{
	const char *meanwhile = words_meanwhile(analysis, run);
	struct ct_step step = {
		.time = run->since,
		.thread = run->thread,
		.coro = run->coro,
		.sequence = UINT64_MAX,
	};

	run->text = step.text = analyze_say(analysis, "its longest run kept %s for %s%s%s",
		analyze_words_thread(analysis, run->thread),
		analyze_words_duration(analysis, run->duration_ns), *meanwhile ? ": " : "",
		meanwhile);
	if (*meanwhile)
		analyze_story_step(analysis, story, &step);
}

void analyze_long_runs_tell(struct analysis *analysis, struct story *story, uint32_t coro)
{
	struct long_runs *runs = analysis->long_runs;
	uint32_t i;

	for (i = 0; runs && i < runs->count; i++) {
		struct listed *listed = &runs->at[i];

		if (listed->coro != coro || listed->is_told)
			continue;
		listed->is_told = true;
		if (listed->hot)
			listed->run.samples = analyze_hot_export(analysis, listed->hot);
		if (listed->run.goes_on)
			tell_open(analysis, story, &listed->run);
		else
			tell_ended(analysis, story, &listed->run);
	}
}

void analyze_long_runs_export(struct analysis *analysis, struct ct_report *report)
{
	const struct long_runs *runs = analysis->long_runs;
	struct ct_long_run *told = analyze_array(analysis, runs ? runs->count : 0, sizeof(*told));
	uint32_t i;

	if (!told)
		return;
	report->long_runs = told;
	for (i = 0; runs && i < runs->count; i++)
		if (runs->at[i].is_told)
			told[report->nr_long_runs++] = runs->at[i].run;
}
