/* SPDX-License-Identifier: MIT */
/* Counts samples of a finding's run by place, and says which function took most. */
#include "analyze/hot.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/parts.h"
#include "base/text.h"
#include "say/say.h"

#define PLACES_MAX 512u /* of a run; samples elsewhere are counted together */
#define CALLS_LOOKED_AT 64u
#define RUNS_MAX 256u /* that samples are counted for: those of the gravest findings */
#define PLACES_TOLD 8u
#define SHARE_TOLD 50u   /* percent; less than that has no place in a title */
#define SAMPLES_TOLD 10u /* a share of fewer says nothing */

/* A place as the compiler knows it, perhaps inlined: it need not be a site. */
struct hot_place {
	const char *function;
	size_t function_bytes;
	const char *file;
	size_t file_bytes;
	uint32_t line;
	uint32_t
		site; /* where the sample was: of the call that is counted, or into which it was inlined */
	uint64_t nr_samples;
};

struct hot_run {
	struct analyze_run of;
	uint64_t nr_samples;
	uint64_t nr_preempted;
	int64_t preempted_ns;
	uint64_t nr_waits;
	int64_t waited_ns;
	uint32_t nr_places;
	struct hot_place places[PLACES_MAX];
};

/* ---------------------------------------------------------------- whose code */

static bool begins(const char *text, size_t bytes, const char *with)
{
	return bytes >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* Code of libraries, and of headers that come with compilers and systems. */
static bool is_own(const struct ct_site *site, const char *file, size_t file_bytes)
{
	bool is_of_system = begins(site->module, strlen(site->module), "/usr/") ||
			    begins(site->module, strlen(site->module), "/lib");

	if (site->module[0] == '[' || (is_of_system && strstr(site->module, ".so")))
		return false;
	return !begins(file, file_bytes, "/usr/include/") && !begins(file, file_bytes, "/usr/lib/");
}

/* Code without a name is as one function of its module. */
static struct hot_place place_of_site(const struct ct_site *site, uint32_t index)
{
	const char *file = site->function[0] ? site->file : site->module;

	return (struct hot_place){.function = site->function,
		.function_bytes = strlen(site->function),
		.file = file,
		.file_bytes = strlen(file),
		.line = site->line,
		.site = index};
}

/* Looks through one call, and the functions into which it was inlined, innermost first. */
static bool find_own_in(const struct ct_tables *tables, uint32_t index, struct hot_place *ret_place)
{
	const struct ct_site *site = say_peek_site(tables, index);
	const char *callers = site->callers;
	struct ct_caller caller;

	if (!site->function[0])
		return false;
	*ret_place = place_of_site(site, index);
	if (is_own(site, site->file, ret_place->file_bytes))
		return true;
	while (ct_caller_next(&callers, &caller)) {
		if (!is_own(site, caller.file, caller.file_bytes))
			continue;
		ret_place->function = caller.function;
		ret_place->function_bytes = caller.function_bytes;
		ret_place->file = caller.file;
		ret_place->file_bytes = caller.file_bytes;
		ret_place->line = caller.line;
		return true;
	}
	return false;
}

static struct hot_place find_place(const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);
	uint32_t stack = site->stack, count = 0;
	struct hot_place place;

	if (find_own_in(tables, index, &place))
		return place;
	while (stack && stack < tables->nr_stacks && count++ < CALLS_LOOKED_AT) {
		if (find_own_in(tables, tables->stacks[stack].site, &place))
			return place;
		stack = tables->stacks[stack].caller;
	}
	return place_of_site(site, index);
}

/* ---------------------------------------------------------------- counting */

void analyze_hot_own_run(const struct analysis *analysis, const struct candidate *candidate,
	struct analyze_run *ret_run)
{
	*ret_run = (struct analyze_run){
		.coro = candidate->coro,
		.process = candidate->process,
		.thread = analysis->model->coros.at[candidate->coro].thread,
		.since = candidate->since,
		.until = candidate->until,
	};
}

struct hot_run *analyze_hot_add(
	struct hots *hots, struct analysis *analysis, const struct analyze_run *of)
{
	struct hot_run *run;

	if (hots->runs.count == RUNS_MAX)
		return NULL;
	run = arena_array(&analysis->scratch, 1, sizeof(*run));
	if (!run || !vec_push(&hots->runs, run)) {
		analysis->is_broken = true;
		return NULL;
	}
	run->of = *of;
	return run;
}

void analyze_hot_prepare(struct hots *hots, struct analysis *analysis, struct group *group)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct rule *rule = analysis->rules->by_number[first->rule];
	struct analyze_run of;

	if (!rule->find_run)
		return;
	rule->find_run(analysis, first, &of);
	group->hot = analyze_hot_add(hots, analysis, &of);
}

static bool is_same_text(const char *one, size_t one_bytes, const char *other, size_t other_bytes)
{
	return one_bytes == other_bytes && memcmp(one, other, one_bytes) == 0;
}

static bool is_same_function(const struct hot_place *one, const struct hot_place *other)
{
	return is_same_text(one->function, one->function_bytes, other->function,
		       other->function_bytes) &&
	       is_same_text(one->file, one->file_bytes, other->file, other->file_bytes);
}

static void count(struct hot_run *run, const struct hot_place *place)
{
	uint32_t i = 0;

	while (i < run->nr_places &&
		(run->places[i].line != place->line || !is_same_function(&run->places[i], place)))
		i++;
	if (i == PLACES_MAX)
		return;
	if (i == run->nr_places) {
		run->places[run->nr_places++] = *place;
		run->places[i].nr_samples = 0;
	}
	run->places[i].nr_samples++;
}

/* Only what lies within the run counts; a trace that claims more than there is time for is cut off. */
static void take_off(struct hot_run *run, const struct ct_event *event)
{
	int64_t longest = ct_time_between(run->of.since, event->time);
	int64_t ns = event->object < (uint64_t)longest ? (int64_t)event->object : longest;
	int64_t *sum = event->argument ? &run->preempted_ns : &run->waited_ns;

	run->nr_preempted += event->argument != 0;
	run->nr_waits += event->argument == 0;
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

/* A runtime's own sampler names the coroutine; the kernel's does not know coroutines. */
static bool is_within(const struct hot_run *run, uint32_t coro, const struct ct_event *event)
{
	if (event->process != run->of.process || event->time < run->of.since ||
		(run->of.until && event->time > run->of.until))
		return false;
	if (!run->of.coro)
		return true;
	return event->coro ? run->of.coro == coro : run->of.thread == event->thread;
}

static void take_into(
	struct hot_run *run, const struct analysis *analysis, const struct ct_event *event)
{
	struct hot_place place;

	if (event->kind == CTP_KIND_THREAD_OFF) {
		take_off(run, event);
		return;
	}
	place = find_place(analysis->tables, event->site);
	run->nr_samples++;
	count(run, &place);
}

void analyze_hot_take(
	struct hots *hots, const struct analysis *analysis, const struct ct_event *event)
{
	uint32_t coro = event->coro ? model_find(analysis->model, event->process, event->coro) : 0;
	size_t i;

	hots->has_samples |= event->kind == CTP_KIND_SAMPLE && event->flags & CTP_SAMPLE_BY_KERNEL;
	for (i = 0; i < hots->runs.count; i++)
		if (is_within(hots->runs.at[i], coro, event))
			take_into(hots->runs.at[i], analysis, event);
}

void analyze_hot_fini(struct hots *hots)
{
	vec_fini(&hots->runs);
}

/* ---------------------------------------------------------------- the sentence */

/* Gives each function's samples to its place that has most of them, and sorts functions, the hottest first. */
static uint32_t sum_functions(const struct hot_run *run, struct hot_place *functions)
{
	uint64_t most[PLACES_MAX];
	uint32_t nr_functions = 0, i, j;

	for (i = 0; i < run->nr_places; i++) {
		const struct hot_place *place = &run->places[i];

		for (j = 0; j < nr_functions && !is_same_function(&functions[j], place); j++)
			;
		if (j == nr_functions) {
			functions[nr_functions++] = *place;
			most[j] = place->nr_samples;
			continue;
		}
		functions[j].nr_samples += place->nr_samples;
		if (place->nr_samples <= most[j])
			continue;
		most[j] = place->nr_samples;
		functions[j].line = place->line;
		functions[j].site = place->site;
	}
	for (i = 1; i < nr_functions; i++) {
		struct hot_place moved = functions[i];

		for (j = i; j > 0 && functions[j - 1].nr_samples < moved.nr_samples; j--)
			functions[j] = functions[j - 1];
		functions[j] = moved;
	}
	return nr_functions;
}

static const char *keep(struct analysis *analysis, const char *text, size_t bytes)
{
	const char *kept = arena_text(analysis->arena, text, bytes);

	analysis->is_broken |= !kept;
	return kept ? kept : "";
}

static struct ct_hot hot_of(struct analysis *analysis, const struct hot_place *place)
{
	return (struct ct_hot){
		.function = keep(analysis, place->function, place->function_bytes),
		.file = keep(analysis, place->file, place->file_bytes),
		.line = place->line,
		.site = place->site,
		.nr_samples = place->nr_samples,
	};
}

static unsigned percent_of(uint64_t part, uint64_t whole)
{
	return (unsigned)((part * 100 + whole / 2) / whole);
}

static const char *words_function(struct analysis *analysis, const struct ct_hot *hot)
{
	struct text text = {0};
	const char *words;

	if (hot->function[0])
		say_function(&text, hot->function);
	else
		say_file(&text, hot->file[0] ? hot->file : "code that is in no file");
	words = keep(analysis, text_peek(&text), text.length);
	text_fini(&text);
	return words;
}

static const char *words_line(struct analysis *analysis, const struct ct_hot *hot)
{
	struct text text = {0};
	const char *words;

	if (!hot->function[0] || !hot->file[0])
		return "";
	text_add(&text, " (");
	say_file(&text, hot->file);
	text_format(&text, ":%" PRIu32 ")", hot->line);
	words = keep(analysis, text_peek(&text), text.length);
	text_fini(&text);
	return words;
}

static const char *words_place(
	struct analysis *analysis, const struct ct_run_samples *samples, uint32_t at)
{
	return analyze_say(analysis, "%s%s", words_function(analysis, &samples->hot[at]),
		words_line(analysis, &samples->hot[at]));
}

static unsigned share_of(const struct ct_run_samples *samples, uint32_t at)
{
	return percent_of(samples->hot[at].nr_samples, samples->count);
}

/* "": there are no samples. */
static const char *words_places(struct analysis *analysis, const struct ct_run_samples *samples)
{
	if (!samples->count)
		return "";
	return analyze_say(analysis, "%u %% of %s sample%s meanwhile were in %s%s",
		share_of(samples, 0), analyze_words_number(analysis, samples->count),
		samples->count == 1 ? "" : "s", words_place(analysis, samples, 0),
		samples->nr_hot < 2 ? ""
				    : analyze_say(analysis, ", %u %% in %s", share_of(samples, 1),
					      words_place(analysis, samples, 1)));
}

/* How often the thread lost its processor although it could have run; "": never. */
static const char *words_preempted(struct analysis *analysis, const struct ct_run_samples *samples)
{
	if (!samples->nr_preempted)
		return "";
	return analyze_say(analysis,
		"other threads took the processor from it %s time%s meanwhile, for %s in all",
		analyze_words_number(analysis, samples->nr_preempted),
		samples->nr_preempted == 1 ? "" : "s",
		analyze_words_duration(analysis, samples->preempted_ns));
}

/* How long the thread waited in the kernel; "": never for long. */
static const char *words_waits(struct analysis *analysis, const struct ct_run_samples *samples)
{
	if (!samples->nr_waits)
		return "";
	return analyze_say(analysis,
		"it waited in the kernel %s time%s meanwhile for at least a millisecond, %s in all",
		analyze_words_number(analysis, samples->nr_waits),
		samples->nr_waits == 1 ? "" : "s",
		analyze_words_duration(analysis, samples->waited_ns));
}

#define NR_SENTENCES 3u

static const char *(*const sentences[NR_SENTENCES])(struct analysis *analysis,
	const struct ct_run_samples *samples) = {words_places, words_preempted, words_waits};

const char *analyze_hot_words(struct analysis *analysis, const struct ct_run_samples *samples)
{
	const char *words = "";
	unsigned i;

	for (i = 0; i < NR_SENTENCES; i++) {
		const char *more = sentences[i](analysis, samples);

		if (*more)
			words = analyze_say(analysis, "%s%s%s", words, *words ? "; " : "", more);
	}
	return words;
}

static void add_places(
	struct analysis *analysis, const struct hot_run *run, struct ct_run_samples *samples)
{
	struct hot_place *functions =
		arena_array(&analysis->scratch, PLACES_MAX, sizeof(*functions));
	struct ct_hot *hot = arena_array(analysis->arena, PLACES_TOLD, sizeof(*hot));
	uint32_t i;

	if (!functions || !hot) {
		analysis->is_broken = true;
		return;
	}
	samples->count = run->nr_samples;
	samples->nr_hot = sum_functions(run, functions);
	if (samples->nr_hot > PLACES_TOLD)
		samples->nr_hot = PLACES_TOLD;
	for (i = 0; i < samples->nr_hot; i++)
		hot[i] = hot_of(analysis, &functions[i]);
	samples->hot = hot;
}

struct ct_run_samples analyze_hot_export(struct analysis *analysis, const struct hot_run *run)
{
	struct ct_run_samples samples = {
		.nr_preempted = run->nr_preempted,
		.preempted_ns = run->preempted_ns,
		.nr_waits = run->nr_waits,
		.waited_ns = run->waited_ns,
	};

	if (run->nr_samples)
		add_places(analysis, run, &samples);
	return samples;
}

/* The title names the function that had half of the samples. */
static void add_to_title(struct analysis *analysis, struct ct_finding *finding)
{
	const struct ct_run_samples *samples = &finding->samples;

	if (samples->count >= SAMPLES_TOLD && share_of(samples, 0) >= SHARE_TOLD)
		finding->title = analyze_say(analysis, "%s; %u %% of it in %s", finding->title,
			share_of(samples, 0), words_function(analysis, &samples->hot[0]));
}

void analyze_hot_tell(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	unsigned i;

	if (!group->hot)
		return;
	finding->samples = analyze_hot_export(analysis, group->hot);
	for (i = 0; i < NR_SENTENCES; i++) {
		const char *words = sentences[i](analysis, &finding->samples);

		if (*words)
			analyze_story_evidence(analysis, story, "%s", words);
	}
	if (group->hot->of.coro)
		add_to_title(analysis, finding);
}
