/* SPDX-License-Identifier: MIT */
/* Counts samples of a run, and says which function took most. */
#include "analyze/hot.h"

#include <inttypes.h>
#include <string.h>

#include "analyze/hot_places.h"
#include "analyze/parts.h"
#include "base/text.h"
#include "event/kind_words.h"
#include "say/say.h"

#define RUNS_MAX 256u /* that samples are counted for: those of the gravest findings */
#define PLACES_TOLD 8u
#define SHARE_TOLD 50u /* percent; less than that has no place in a title */
#define FILES_COUNTED 16u
#define MINOR_TOLD 20000u /* fewer minor page faults are not what takes the time */
#define STARVED_TOLD_NS INT64_C(10000000)
#define SAMPLES_TOLD 10u /* a share of fewer says nothing */

/* A file of which pages had to be read. */
struct faulted {
	const char *path;
	uint64_t nr_pages;
};

struct hot_run {
	struct analyze_run of;
	uint64_t nr_samples;
	uint64_t nr_preempted;
	int64_t preempted_ns;
	uint64_t nr_waits;
	int64_t waited_ns;
	uint64_t nr_faults;
	/* likewise, by the kernel's account, also where they were too many to be told one by one */
	uint64_t nr_counted;
	int64_t faulted_ns;
	uint64_t nr_minor_faults;
	uint32_t nr_files;
	struct faulted files[FILES_COUNTED]; /* for whose pages it waited */
	struct hot_places *samples;          /* NULL: there are none, likewise */
	struct hot_places *waits;
	struct hot_places *faults;
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
	run = analyze_scratch(analysis, 1, sizeof(*run));
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
		*places = analyze_scratch(analysis, 1, sizeof(**places));
	if (*places)
		analyze_hot_place_add(*places, analysis->tables, site, weight);
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

static void count_file(struct hot_run *run, const char *path)
{
	uint32_t i = 0;

	while (i < run->nr_files && strcmp(run->files[i].path, path) != 0)
		i++;
	if (i == FILES_COUNTED)
		return;
	if (i == run->nr_files)
		run->files[run->nr_files++].path = path;
	run->files[i].nr_pages++;
}

/* A wait of no time that is known has a place nevertheless. */
static void take_fault(struct hot_run *run, struct analysis *analysis, const struct ct_event *event)
{
	int64_t longest = ct_time_between(run->of.since, event->time);
	int64_t ns = event->object < (uint64_t)longest ? (int64_t)event->object : longest;

	run->nr_faults++;
	add_ns(&run->faulted_ns, ns);
	if (!event->site)
		return;
	add_place(&run->faults, analysis, event->site, ns ? (uint64_t)ns : 1);
	count_file(run, say_peek_site(analysis->tables, event->site)->reason);
}

/* What was counted since before the run may have been before it. */
static void take_count(struct hot_run *run, const struct ct_event *event)
{
	if (event->coro > (uint64_t)ct_time_between(run->of.since, event->time))
		return;
	if (event->argument)
		run->nr_counted += event->object;
	else
		run->nr_minor_faults += event->object;
}

/* A runtime's own sampler names the coroutine; the kernel's does not know coroutines. */
static bool is_within(const struct hot_run *run, uint32_t coro, const struct ct_event *event)
{
	if (event->process != run->of.process || event->time < run->of.since ||
		(run->of.until && event->time > run->of.until))
		return false;
	if (!run->of.coro)
		return true;
	return event->coro && kind_has_coro(event->kind) ? run->of.coro == coro
							 : run->of.thread == event->thread;
}

static void take_into(struct hot_run *run, struct analysis *analysis, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_THREAD_OFF:
		take_off(run, analysis, event);
		return;
	case CTP_KIND_PAGE_FAULT:
		take_fault(run, analysis, event);
		return;
	case CTP_KIND_FAULTS:
		take_count(run, event);
		return;
	default:
		run->nr_samples++;
		add_place(&run->samples, analysis, event->site, 1);
	}
}

void analyze_hot_take(struct hots *hots, struct analysis *analysis, const struct ct_event *event)
{
	bool has_coro = event->coro && kind_has_coro(event->kind);
	uint32_t coro = has_coro ? model_find(analysis->model, event->process, event->coro) : 0;
	size_t i;

	analysis->has_samples |=
		event->kind != CTP_KIND_SAMPLE || event->flags & CTP_SAMPLE_BY_KERNEL;
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

static unsigned faulted_share(const struct ct_run_samples *samples)
{
	return percent_of((uint64_t)samples->faults[0].waited_ns, (uint64_t)samples->faulted_ns);
}

/* "data.bin"; pages of several files are mostly of one. */
static const char *words_faulted_file(struct analysis *analysis, const struct ct_run_samples *of)
{
	struct text text = {0};
	const char *words;

	if (!of->faulted_file[0])
		return "a file";
	say_file(&text, of->faulted_file);
	words = keep(analysis, text_peek(&text), text.length);
	text_fini(&text);
	return words;
}

/* Pages that had to be read for the thread; "": none had. */
static const char *words_faults(struct analysis *analysis, const struct ct_run_samples *samples)
{
	const char *pages;

	if (!samples->nr_faults)
		return "";
	pages = analyze_say(analysis, "%s page%s that had to be read from %s",
		analyze_words_number(analysis, samples->nr_faults),
		samples->nr_faults == 1 ? "" : "s", words_faulted_file(analysis, samples));
	if (!samples->faulted_ns)
		return analyze_say(analysis, "it needed %s", pages);
	return analyze_say(analysis, "it waited %s%s in all for %s%s",
		samples->is_faulted_least ? "at least " : "",
		analyze_words_duration(analysis, samples->faulted_ns), pages,
		!samples->nr_faults_at
			? ""
			: analyze_say(analysis, ", %u %% of that in %s", faulted_share(samples),
				  words_place(analysis, &samples->faults[0])));
}

/* Memory that was new to it, or to its address space: each page costs a little. */
static const char *words_minor(struct analysis *analysis, const struct ct_run_samples *samples)
{
	if (samples->nr_minor_faults < MINOR_TOLD)
		return "";
	return analyze_say(analysis, "it had at least %s minor page faults meanwhile",
		analyze_words_number(analysis, samples->nr_minor_faults));
}

#define NR_SENTENCES 6u

static const char *(*const sentences[NR_SENTENCES])(
	struct analysis *analysis, const struct ct_run_samples *samples) = {
	words_places, words_preempted, words_starved, words_waits, words_faults, words_minor};

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
	struct hot_places *functions = analyze_scratch(analysis, 1, sizeof(*functions));
	struct ct_hot *hot = analyze_array(analysis, PLACES_TOLD, sizeof(*hot));
	uint32_t i;

	*ret_count = 0;
	if (!functions || !hot)
		return NULL;
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

/* The file of which most pages were read; "": not known. */
static const char *most_wanted(const struct hot_run *run)
{
	uint32_t most = 0, i;

	for (i = 1; i < run->nr_files; i++)
		if (run->files[i].nr_pages > run->files[most].nr_pages)
			most = i;
	return run->nr_files ? run->files[most].path : "";
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
		.nr_faults = run->nr_faults > run->nr_counted ? run->nr_faults : run->nr_counted,
		.is_faulted_least = run->nr_faults < run->nr_counted,
		.faulted_ns = run->faulted_ns,
		.faulted_file = most_wanted(run),
		.nr_minor_faults = run->nr_minor_faults,
	};

	if (run->samples)
		samples.hot = functions_of(analysis, run->samples, false, &samples.nr_hot);
	if (run->waits)
		samples.waits = functions_of(analysis, run->waits, true, &samples.nr_waits);
	if (run->faults)
		samples.faults = functions_of(analysis, run->faults, true, &samples.nr_faults_at);
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

/*
 * The title names what half of the time was waited for, or in which function; or the one that had half of the samples.
 */
static void add_to_title(
	struct analysis *analysis, const struct analyze_run *run, struct ct_finding *finding)
{
	const struct ct_run_samples *samples = &finding->samples;
	int64_t waited_ns = samples->nr_waits ? samples->waits[0].waited_ns : 0;

	if (samples->faulted_ns && samples->faulted_ns >= length_of(analysis, run) / 2)
		finding->title = analyze_say(analysis, "%s; it waited %s for pages of %s",
			finding->title, analyze_words_duration(analysis, samples->faulted_ns),
			words_faulted_file(analysis, samples));
	else if (waited_ns && waited_ns >= length_of(analysis, run) / 2)
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
