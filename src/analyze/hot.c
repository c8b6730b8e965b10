/* SPDX-License-Identifier: MIT */
/* Counts samples of a run, and says which function took most. */
#include "analyze/hot.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/hot_places.h"
#include "analyze/parts.h"
#include "base/text.h"
#include "say/say.h"

#define RUNS_MAX 256u /* that samples are counted for: those of the gravest findings */
#define PLACES_TOLD 8u
#define SHARE_TOLD 50u /* percent; less than that has no place in a title */
#define STARVED_TOLD_NS INT64_C(10000000)
#define SAMPLES_TOLD 10u /* a share of fewer says nothing */

struct hot_run {
	struct analyze_run of;
	uint64_t nr_samples;
	uint64_t nr_preempted;
	int64_t preempted_ns;
	uint64_t nr_waits;
	int64_t waited_ns;
	struct hot_places *samples; /* NULL: there are none, likewise */
	struct hot_places *waits;
};

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

static void add_place(
	struct hot_places **places, struct analysis *analysis, uint32_t site, uint64_t weight)
{
	if (!*places)
		*places = arena_array(&analysis->scratch, 1, sizeof(**places));
	if (*places)
		analyze_hot_place_add(*places, analysis->tables, site, weight);
	analysis->is_broken |= !*places;
}

static void add_ns(int64_t *sum, int64_t ns)
{
	if (__builtin_add_overflow(*sum, ns, sum))
		*sum = INT64_MAX;
}

/* Only what lies within the run counts; a trace that claims more than there is time for is cut off. */
static void take_off(struct hot_run *run, struct analysis *analysis, const struct ct_event *event)
{
	int64_t longest = ct_time_between(run->of.since, event->time);
	int64_t ns = event->object < (uint64_t)longest ? (int64_t)event->object : longest;
	bool is_new = !(event->flags & CTP_OFF_GOES_ON);

	if (event->argument) {
		run->nr_preempted += is_new;
		add_ns(&run->preempted_ns, ns);
		return;
	}
	run->nr_waits += is_new;
	add_ns(&run->waited_ns, ns);
	if (event->site)
		add_place(&run->waits, analysis, event->site, (uint64_t)ns);
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

static void take_into(struct hot_run *run, struct analysis *analysis, const struct ct_event *event)
{
	if (event->kind == CTP_KIND_THREAD_OFF) {
		take_off(run, analysis, event);
		return;
	}
	run->nr_samples++;
	add_place(&run->samples, analysis, event->site, 1);
}

void analyze_hot_take(struct hots *hots, struct analysis *analysis, const struct ct_event *event)
{
	uint32_t coro = event->coro ? model_find(analysis->model, event->process, event->coro) : 0;
	size_t i;

	analysis->has_samples |=
		event->kind == CTP_KIND_THREAD_OFF || event->flags & CTP_SAMPLE_BY_KERNEL;
	for (i = 0; i < hots->runs.count; i++)
		if (is_within(hots->runs.at[i], coro, event))
			take_into(hots->runs.at[i], analysis, event);
}

void analyze_hot_fini(struct hots *hots)
{
	vec_fini(&hots->runs);
}

/* ---------------------------------------------------------------- the sentence */

static const char *keep(struct analysis *analysis, const char *text, size_t bytes)
{
	const char *kept = arena_text(analysis->arena, text, bytes);

	analysis->is_broken |= !kept;
	return kept ? kept : "";
}

static struct ct_hot hot_of(
	struct analysis *analysis, const struct hot_place *place, bool is_of_waits)
{
	return (struct ct_hot){
		.function = keep(analysis, place->function, place->function_bytes),
		.file = keep(analysis, place->file, place->file_bytes),
		.line = place->line,
		.site = place->site,
		.nr_samples = place->count,
		.waited_ns = is_of_waits ? (int64_t)place->weight : 0,
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

static const char *words_place(struct analysis *analysis, const struct ct_hot *hot)
{
	return analyze_say(
		analysis, "%s%s", words_function(analysis, hot), words_line(analysis, hot));
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
		samples->count == 1 ? "" : "s", words_place(analysis, &samples->hot[0]),
		samples->nr_hot < 2 ? ""
				    : analyze_say(analysis, ", %u %% in %s", share_of(samples, 1),
					      words_place(analysis, &samples->hot[1])));
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

static unsigned waited_share(const struct ct_run_samples *samples)
{
	return percent_of((uint64_t)samples->waits[0].waited_ns, (uint64_t)samples->waited_ns);
}

static bool is_much(int64_t part_ns, int64_t whole_ns)
{
	return part_ns >= STARVED_TOLD_NS && part_ns >= whole_ns / 10;
}

/* How long the thread had no processor at least, if the switches do not tell it, or not all of it; "": they do. */
static const char *words_starved(struct analysis *analysis, const struct ct_run_samples *samples)
{
	if (!is_much(samples->starved_ns - samples->preempted_ns, samples->starved_ns))
		return "";
	return analyze_say(analysis,
		"by the kernel's account it could run and had no processor for at least %s of that",
		analyze_words_duration(analysis, samples->starved_ns));
}

/* How long the thread waited in the kernel; "": never for long. */
static const char *words_waits(struct analysis *analysis, const struct ct_run_samples *samples)
{
	if (!samples->waited_ns)
		return "";
	return analyze_say(analysis,
		"it waited in the kernel %s time%s meanwhile for at least a millisecond, %s in "
		"all%s",
		analyze_words_number(analysis, samples->nr_waited),
		samples->nr_waited == 1 ? "" : "s",
		analyze_words_duration(analysis, samples->waited_ns),
		!samples->nr_waits
			? ""
			: analyze_say(analysis, ", %u %% of that in %s", waited_share(samples),
				  words_place(analysis, &samples->waits[0])));
}

#define NR_SENTENCES 4u

static const char *(*const sentences[NR_SENTENCES])(
	struct analysis *analysis, const struct ct_run_samples *samples) = {
	words_places, words_preempted, words_starved, words_waits};

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

/* Returns the functions of these places, the heaviest first, and in *ret_count how many. */
static struct ct_hot *functions_of(struct analysis *analysis, const struct hot_places *places,
	bool is_of_waits, uint32_t *ret_count)
{
	struct hot_places *functions = arena_array(&analysis->scratch, 1, sizeof(*functions));
	struct ct_hot *hot = arena_array(analysis->arena, PLACES_TOLD, sizeof(*hot));
	uint32_t i;

	*ret_count = 0;
	if (!functions || !hot) {
		analysis->is_broken = true;
		return NULL;
	}
	analyze_hot_place_sum(places, functions);
	for (i = 0; i < functions->count && i < PLACES_TOLD; i++)
		hot[i] = hot_of(analysis, &functions->at[i], is_of_waits);
	*ret_count = i;
	return hot;
}

static ct_time end_of(const struct analysis *analysis, const struct analyze_run *run)
{
	return run->until ? run->until : analysis->parties[run->process].end;
}

/* A run that is no coroutine's is all that ran meanwhile, on any thread. */
static int64_t starved_ns_of(const struct analysis *analysis, const struct analyze_run *run)
{
	if (!run->coro)
		return 0;
	return model_account_starved(
		analysis->model, run->thread, run->since, end_of(analysis, run));
}

struct ct_run_samples analyze_hot_export(struct analysis *analysis, const struct hot_run *run)
{
	struct ct_run_samples samples = {
		.starved_ns = starved_ns_of(analysis, &run->of),
		.count = run->nr_samples,
		.nr_preempted = run->nr_preempted,
		.preempted_ns = run->preempted_ns,
		.nr_waited = run->nr_waits,
		.waited_ns = run->waited_ns,
	};

	if (run->samples)
		samples.hot = functions_of(analysis, run->samples, false, &samples.nr_hot);
	if (run->waits)
		samples.waits = functions_of(analysis, run->waits, true, &samples.nr_waits);
	return samples;
}

static int64_t length_of(const struct analysis *analysis, const struct analyze_run *run)
{
	return ct_time_between(run->since, end_of(analysis, run));
}

/* A run that had no processor for a tenth of its time or more is as long as it is for that, too. */
static void add_starved_to_title(
	struct analysis *analysis, const struct analyze_run *run, struct ct_finding *finding)
{
	const struct ct_run_samples *samples = &finding->samples;
	bool is_counted = samples->preempted_ns >= samples->starved_ns;
	int64_t ns = is_counted ? samples->preempted_ns : samples->starved_ns;

	if (is_much(ns, length_of(analysis, run)))
		finding->title = analyze_say(analysis, "%s; it had no processor for %s%s of it",
			finding->title, is_counted ? "" : "at least ",
			analyze_words_duration(analysis, ns));
}

/* The title names the function that had half of the samples, or in which half of the time was waited. */
static void add_to_title(
	struct analysis *analysis, const struct analyze_run *run, struct ct_finding *finding)
{
	const struct ct_run_samples *samples = &finding->samples;
	int64_t waited_ns = samples->nr_waits ? samples->waits[0].waited_ns : 0;

	if (waited_ns && waited_ns >= length_of(analysis, run) / 2)
		finding->title = analyze_say(analysis, "%s; it waited in %s for %s", finding->title,
			words_function(analysis, &samples->waits[0]),
			analyze_words_duration(analysis, waited_ns));
	else if (samples->count >= SAMPLES_TOLD && share_of(samples, 0) >= SHARE_TOLD)
		finding->title = analyze_say(analysis, "%s; %u %% of it in %s", finding->title,
			share_of(samples, 0), words_function(analysis, &samples->hot[0]));
}

/* Samples would say more. Only what a probe recorded can be recorded again with them. */
static void add_to_next_step(struct analysis *analysis, struct ct_finding *finding)
{
	if (analysis->has_samples || !analysis->tables->processes[finding->process].has_probe)
		return;
	finding->next_step = analyze_say(analysis,
		"%s; `--cpu-samples 99` records in which function the time goes",
		finding->next_step);
}

void analyze_hot_tell(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	unsigned i;

	if (!group->hot)
		return;
	add_to_next_step(analysis, finding);
	finding->samples = analyze_hot_export(analysis, group->hot);
	for (i = 0; i < NR_SENTENCES; i++) {
		const char *words = sentences[i](analysis, &finding->samples);

		if (*words)
			analyze_story_evidence(analysis, story, "%s", words);
	}
	if (!group->hot->of.coro)
		return;
	add_to_title(analysis, &group->hot->of, finding);
	add_starved_to_title(analysis, &group->hot->of, finding);
}
