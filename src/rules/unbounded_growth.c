/* SPDX-License-Identifier: MIT */
/*
 * Unbounded growth: of what is alive, ready, held, open, in a channel, or counted by the program, the least value of
 * each window is higher than that of the window before, and the slope over the whole time (the Theil-Sen estimate,
 * which no single value can turn) is positive.
 *
 * The beginning does not count: the program's warm-up, if it records one, or else the first quarter. Coroutines do
 * not count that wait for the world outside, are marked, have another finding, begin at a rising rate, or have a
 * lifetime that bounds their number (lifetimes.c); nor those of which no place has started more than there are
 * connections; nor if so many events are missing that as many may have ended unseen. Descriptors do not count that are
 * polled or waited for. A channel counts only if its takings are recorded, and its series begins again whenever a
 * coroutine waits for it. A counter that never falls may count past events, and is a Suspect. So is a counter of a
 * runtime that collects garbage, because its heap rises from one collection to the next. If such a counter did not
 * fall in each window, or has not doubled, nothing is reported. A channel from which all have ended that took from it
 * (untaken.c) is reported as such, and as soon as it is one.
 */

#include "analyze/runtime_words.h"
#include "rules/parts.h"

#define MOST_GROUPS 16u
#define PLACES_TOLD 3u

/* The windows after the beginning: at [first, first + count) of the series. */
struct trend {
	const struct model_series *series;
	uint32_t first;
	uint32_t count;
	uint32_t nr_groups;
	int64_t least[MOST_GROUPS];
	uint64_t nr_rises[MOST_GROUPS];
	bool has_fallen[MOST_GROUPS];
	double slope; /* per second */
	ct_time from;
};

static int64_t value_in(const struct model_series *series, uint32_t window)
{
	return window <= series->present ? series->least[window] : series->value;
}

static ct_time warm_until(
	const struct analysis *analysis, const struct model_series *series, ct_time end)
{
	const struct model_process *process = &analysis->model->processes[series->process];

	if (process->is_warming_up)
		return end;
	if (process->warm_up_until > series->from)
		return process->warm_up_until;
	return series->from + (end - series->from) / 4;
}

/* False: the series was not followed for long enough. */
static bool take_windows(
	const struct analysis *analysis, const struct model_series *series, struct trend *trend)
{
	ct_time end = analyze_party_working_until(analysis, series->process);
	int64_t last, first;

	*trend = (struct trend){.series = series};
	if (series->from == CT_NO_TIME || end <= series->from)
		return false;
	trend->from = warm_until(analysis, series, end);
	last = (end - series->from) / series->width_ns;
	first = (trend->from - series->from + series->width_ns - 1) / series->width_ns;
	trend->nr_groups = (uint32_t)LIMIT(analysis, GROWTH_WINDOWS);
	/* After the last window nothing has changed for as long as before. */
	if (last > (int64_t)MODEL_WINDOWS || last - first < (int64_t)trend->nr_groups ||
		(last - first) * series->width_ns < LIMIT(analysis, GROWTH_TIME))
		return false;
	trend->first = (uint32_t)first;
	trend->count = (uint32_t)(last - first);
	return true;
}

static void fill_groups(struct trend *trend)
{
	uint32_t i;

	for (i = 0; i < trend->nr_groups; i++)
		trend->least[i] = INT64_MAX;
	for (i = 0; i < trend->count; i++) {
		uint32_t group = i * trend->nr_groups / trend->count;
		int64_t value = value_in(trend->series, trend->first + i);

		if (value < trend->least[group])
			trend->least[group] = value;
		if (trend->first + i > trend->series->present)
			continue;
		trend->nr_rises[group] += trend->series->nr_rises[trend->first + i];
		trend->has_fallen[group] |= trend->series->falls >> (trend->first + i) & 1;
	}
}

static double rise_of(const struct trend *trend)
{
	return (double)trend->least[trend->nr_groups - 1] - (double)trend->least[0];
}

static bool is_rising(const struct analysis *analysis, const struct trend *trend)
{
	double before = (double)trend->least[0];
	uint32_t i;

	for (i = 1; i < trend->nr_groups; i++)
		if (trend->least[i] <= trend->least[i - 1])
			return false;
	return rise_of(trend) >= (double)LIMIT(analysis, GROWTH_RISE) &&
	       rise_of(trend) * 100 >=
		       (before < 0 ? -before : before) * (double)LIMIT(analysis, GROWTH_SHARE);
}

/* ---------------------------------------------------------------- the slope */

static int compare_slopes(const void *left, const void *right)
{
	const double *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The median of the slopes between any two windows. */
static double slope_of(const struct trend *trend)
{
	static const uint32_t most = MODEL_WINDOWS * (MODEL_WINDOWS - 1) / 2;
	double slopes[MODEL_WINDOWS * (MODEL_WINDOWS - 1) / 2];
	uint32_t count = 0, i, k;

	for (i = 0; i < trend->count; i++)
		for (k = i + 1; k < trend->count && count < most; k++)
			slopes[count++] =
				((double)value_in(trend->series, trend->first + k) -
					(double)value_in(trend->series, trend->first + i)) /
				(double)(k - i);
	if (!count)
		return 0;
	qsort(slopes, count, sizeof(slopes[0]), compare_slopes);
	return slopes[count / 2] * 1e9 / (double)trend->series->width_ns;
}

/*
 * Does the slope account for at least half of the rise? Otherwise most of the rise came at once, as when a load
 * begins.
 */
static bool is_steady(const struct trend *trend)
{
	double seconds = (double)trend->count * (double)trend->series->width_ns / 1e9;

	return trend->slope * seconds * 2 >= rise_of(trend);
}

static bool measure(
	const struct analysis *analysis, const struct model_series *series, struct trend *trend)
{
	if (!take_windows(analysis, series, trend))
		return false;
	fill_groups(trend);
	if (!is_rising(analysis, trend))
		return false;
	trend->slope = slope_of(trend);
	return is_steady(trend);
}

/* ---------------------------------------------------------------- the places */

struct place_count {
	uint32_t site;
	uint32_t count;
};

static int compare_places(const void *left, const void *right)
{
	const struct place_count *a = left, *b = right;
	int order = (a->count < b->count) - (a->count > b->count);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static void count_coros(const struct analysis *analysis, const struct model_series *series,
	struct place_count *places)
{
	const struct model *model = analysis->model;
	bool is_alive = series->kind == MODEL_SERIES_ALIVE;
	uint32_t i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];
		uint32_t site = is_alive ? coro->spawn_site : coro->wait_site;

		if (coro->process == series->process && site < analysis->tables->nr_sites &&
			(is_alive ? coro->state < CT_STATE_DONE : is_ready(coro)))
			places[site].count++;
	}
}

static void count_locks(const struct analysis *analysis, const struct model_series *series,
	struct place_count *places)
{
	const struct model *model = analysis->model;
	uint32_t site, i;

	for (i = 1; i < model->objects.count; i++)
		if (model->objects.at[i].process == series->process &&
			rules_lock_order_is_held(analysis, i, &site) &&
			site < analysis->tables->nr_sites)
			places[site].count++;
}

static void count_descriptors(const struct analysis *analysis, const struct model_series *series,
	struct place_count *places)
{
	const struct model *model = analysis->model;
	uint32_t i;

	for (i = 1; i < model->descriptors.count; i++) {
		const struct model_descriptor *descriptor = &model->descriptors.at[i];

		if (descriptor->process == series->process && descriptor->opened != CT_NO_TIME &&
			(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN) &&
			descriptor->open_site < analysis->tables->nr_sites)
			places[descriptor->open_site].count++;
	}
}

/*
 * Counts by place, the most frequent first; as many entries as there are sites. In the scratch arena; NULL: out of
 * memory.
 */
static struct place_count *count_places(
	struct analysis *analysis, const struct model_series *series)
{
	size_t nr_sites = analysis->tables->nr_sites + 1u;
	struct place_count *places = analyze_scratch(analysis, nr_sites, sizeof(*places));
	uint32_t i;

	if (!places)
		return NULL;
	for (i = 0; i < nr_sites; i++)
		places[i].site = i;
	if (series->kind == MODEL_SERIES_LOCKS)
		count_locks(analysis, series, places);
	else if (series->kind == MODEL_SERIES_DESCRIPTORS)
		count_descriptors(analysis, series, places);
	else
		count_coros(analysis, series, places);
	qsort(places, nr_sites, sizeof(*places), compare_places);
	return places;
}

/* ---------------------------------------------------------------- the judgement */

/* Has one group of windows more than twice the load of another one? */
static bool is_load_uneven(const struct trend *trend)
{
	uint64_t least = UINT64_MAX, most = 0;
	uint32_t i;

	for (i = 0; i < trend->nr_groups; i++) {
		least = trend->nr_rises[i] < least ? trend->nr_rises[i] : least;
		most = trend->nr_rises[i] > most ? trend->nr_rises[i] : most;
	}
	return most > 2 * least;
}

static bool is_excused(const struct analysis *analysis, uint32_t index)
{
	const struct model_coro *coro = &analysis->model->coros.at[index];

	if (coro->mark || analysis->is_told[index] || analyze_ties_behind(analysis, index))
		return true;
	return coro->state == CT_STATE_WAITING &&
	       (analyze_wait_is_for_outside(coro) || coro->rare->deadline != CT_NO_TIME);
}

/* Have most of the living coroutines a known reason to be alive? */
static bool are_alive_excused(struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	struct arena_mark before = arena_mark(&analysis->scratch);
	const bool *is_bound = rules_lifetimes_bound(analysis, process);
	uint32_t nr_alive = 0, nr_excused = 0, i;

	for (i = 1; i < model->coros.count; i++) {
		const struct model_coro *coro = &model->coros.at[i];

		if (coro->process != process || coro->state >= CT_STATE_DONE)
			continue;
		nr_alive++;
		nr_excused += is_excused(analysis, i) ||
			      (is_bound && coro->spawn_site < analysis->tables->nr_sites &&
				      is_bound[coro->spawn_site]);
	}
	arena_reset(&analysis->scratch, before);
	return nr_excused * 2 > nr_alive;
}

/* Are most of the open descriptors polled, or waited for? Then the world outside makes more and more connections. */
static bool are_descriptors_excused(struct analysis *analysis, uint32_t process)
{
	const struct model *model = analysis->model;
	struct arena_mark before = arena_mark(&analysis->scratch);
	bool *is_waited_for = analyze_scratch(analysis, model->descriptors.count, sizeof(bool));
	uint32_t nr_open = 0, nr_excused = 0, i;

	for (i = 1; is_waited_for && i < model->coros.count; i++)
		if (model->coros.at[i].state == CT_STATE_WAITING)
			is_waited_for[model->coros.at[i].rare->descriptor] = true;
	for (i = 1; is_waited_for && i < model->descriptors.count; i++) {
		const struct model_descriptor *descriptor = &model->descriptors.at[i];

		if (descriptor->process != process || descriptor->opened == CT_NO_TIME ||
			!(descriptor->flags & MODEL_DESCRIPTOR_IS_OPEN))
			continue;
		nr_open++;
		nr_excused += is_waited_for[i] || (descriptor->flags & MODEL_DESCRIPTOR_IS_ARMED);
	}
	arena_reset(&analysis->scratch, before);
	return nr_excused * 2 > nr_open;
}

/*
 * Were at no place more of the living coroutines started than connections are open? Then each connection has a few
 * coroutines, and their number is that of the world's requests.
 */
static bool are_alive_of_connections(struct analysis *analysis, const struct model_series *series)
{
	struct arena_mark before = arena_mark(&analysis->scratch);
	const struct place_count *places = count_places(analysis, series);
	uint32_t most = places ? places[0].count : 0;

	arena_reset(&analysis->scratch, before);
	return most <= analyze_party_nr_connections(analysis, series->process);
}

/*
 * Does the program's runtime record its processors? Then its counters may be of the heap. Python's counters are the
 * program's own.
 */
static bool is_of_runtime(const struct analysis *analysis, const struct model_series *series)
{
	const struct model_runtime *runtime = analysis->model->processes[series->process].runtime;

	return series->kind == MODEL_SERIES_COUNTER && runtime && runtime->nr_processors > 0;
}

static bool has_fallen_throughout(const struct trend *trend)
{
	uint32_t i;

	for (i = 0; i < trend->nr_groups; i++)
		if (!trend->has_fallen[i])
			return false;
	return true;
}

/* A heap grows by some tenths while caches and pools fill, in each program that has just begun. */
static bool has_doubled(const struct trend *trend)
{
	return trend->least[trend->nr_groups - 1] >= 2 * trend->least[0];
}

/* Not everything that grows is left behind by mistake. */
static bool is_growth_excused(struct analysis *analysis, const struct trend *trend)
{
	const struct model_series *series = trend->series;

	switch ((enum model_series_kind)series->kind) {
	case MODEL_SERIES_ALIVE:
		return is_load_uneven(trend) || are_alive_excused(analysis, series->process) ||
		       are_alive_of_connections(analysis, series);
	case MODEL_SERIES_DESCRIPTORS:
		return is_load_uneven(trend) || are_descriptors_excused(analysis, series->process);
	case MODEL_SERIES_CONTENT:
		return !analysis->model->objects.at[series->object].has_takers;
	case MODEL_SERIES_COUNTER:
		return is_of_runtime(analysis, series) &&
		       (!has_fallen_throughout(trend) || !has_doubled(trend));
	default:
		return false;
	}
}

/* Each end is an event: are so many events missing that as many may have ended unseen as there are more now? */
static bool may_have_ended_unseen(const struct analysis *analysis, const struct trend *trend)
{
	uint32_t process = trend->series->process;
	int64_t growth = trend->least[trend->nr_groups - 1] - trend->least[0];

	return (trend->series->kind == MODEL_SERIES_ALIVE ||
		       trend->series->kind == MODEL_SERIES_READY) &&
	       model_lost_between(analysis->model, process, trend->from,
		       analysis->parties[process].end) >= (uint64_t)growth;
}

static uint32_t place_of(struct analysis *analysis, const struct model_series *series)
{
	struct arena_mark before = arena_mark(&analysis->scratch);
	const struct place_count *places;
	uint32_t site;

	if (series->kind == MODEL_SERIES_COUNTER)
		return analysis->model->spans.at[series->span].site;
	if (series->kind == MODEL_SERIES_CONTENT)
		return analysis->model->objects.at[series->object].put_site;
	places = count_places(analysis, series);
	site = places && places[0].count ? places[0].site : 0;
	arena_reset(&analysis->scratch, before);
	return site;
}

static bool is_growing(struct analysis *analysis, const struct model_series *series)
{
	struct trend trend;

	return measure(analysis, series, &trend) && !is_growth_excused(analysis, &trend) &&
	       !may_have_ended_unseen(analysis, &trend);
}

/* Is it the content of a channel of which more is known? */
static bool is_of_untaken(const struct analysis *analysis, const struct model_series *series)
{
	return series->kind == MODEL_SERIES_CONTENT &&
	       rules_untaken_is_object(analysis, series->object);
}

/* May most of the living coroutines that came with the growth wait for timers? */
static bool are_alive_timed(const struct analysis *analysis, const struct model_series *series)
{
	ct_time end = analyze_party_working_until(analysis, series->process);

	return analyze_runtime_words_most_may_be_timed(
		analysis, series->process, warm_until(analysis, series, end));
}

static void judge(struct analysis *analysis, uint32_t index)
{
	const struct model_series *series = &analysis->model->series.at[index];
	bool is_level = series->kind != MODEL_SERIES_COUNTER || series->falls;
	struct candidate candidate = {
		.rule = CT_RULE_UNBOUNDED_GROWTH,
		.grade = is_level ? CT_GRADE_LIKELY : CT_GRADE_SUSPECT,
		.process = series->process,
		.variant = index,
		.subject = index,
		.since = series->from,
	};

	if (!is_growing(analysis, series) || is_of_untaken(analysis, series))
		return;
	candidate.cause_site = place_of(analysis, series);
	if (is_of_runtime(analysis, series))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_COLLECTED);
	if (series->kind == MODEL_SERIES_ALIVE && are_alive_timed(analysis, series))
		analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_WAIT_UNTOLD);
	if (analyze_candidate_outlives_gaps(analysis, &candidate, FROM_THE_BEGINNING,
		    analysis->parties[series->process].end))
		analyze_candidate_add(analysis, &candidate);
}

static void judge_object(struct analysis *analysis, uint32_t index)
{
	uint32_t series = analysis->model->objects.at[index].content_series;
	struct candidate candidate;

	if (!rules_untaken_is_object(analysis, index))
		return;
	candidate = rules_untaken_candidate(analysis, index);
	if (series && is_growing(analysis, &analysis->model->series.at[series]))
		candidate.grade = CT_GRADE_LIKELY;
	analyze_candidate_add(analysis, &candidate);
}

static void find(struct analysis *analysis)
{
	uint32_t i;

	for (i = 1; i < analysis->model->series.count; i++)
		judge(analysis, i);
	for (i = 1; i < analysis->model->objects.count; i++)
		judge_object(analysis, i);
}

/* ---------------------------------------------------------------- the evidence */

static const char *words_what(struct analysis *analysis, const struct model_series *series)
{
	switch ((enum model_series_kind)series->kind) {
	case MODEL_SERIES_ALIVE:
		return "coroutines alive";
	case MODEL_SERIES_READY:
		return "coroutines that are ready, and not run";
	case MODEL_SERIES_LOCKS:
		return "locks that are held";
	case MODEL_SERIES_DESCRIPTORS:
		return "open descriptors";
	case MODEL_SERIES_CONTENT:
		return analyze_say(analysis, "what lies in %s",
			analyze_words_resource(
				analysis, analysis->model->objects.at[series->object].handle, 0));
	default:
		return analyze_say(
			analysis, "counter '%s'", analysis->model->spans.at[series->span].name);
	}
}

static void tell_places(
	struct analysis *analysis, const struct model_series *series, struct story *story)
{
	static const char *const doing[MODEL_NR_SERIES_OF_PROCESS] = {
		[MODEL_SERIES_ALIVE] = "are alive that were started at",
		[MODEL_SERIES_READY] = "are ready at",
		[MODEL_SERIES_LOCKS] = "are held that were taken at",
		[MODEL_SERIES_DESCRIPTORS] = "are open that were opened at",
	};
	struct arena_mark before = arena_mark(&analysis->scratch);
	const struct place_count *places;
	uint32_t i;

	if (series->kind >= MODEL_NR_SERIES_OF_PROCESS)
		return;
	places = count_places(analysis, series);
	for (i = 0; places && i < PLACES_TOLD && i < analysis->tables->nr_sites && places[i].count;
		i++)
		analyze_story_evidence(analysis, story, "at the end %s %s %s",
			analyze_words_number(analysis, places[i].count), doing[series->kind],
			analyze_words_place(analysis, places[i].site));
	arena_reset(&analysis->scratch, before);
}

/* Adds where the channel is filled, and where it is emptied. */
static void tell_ends(
	struct analysis *analysis, const struct model_series *series, struct story *story)
{
	const struct model_object *object = &analysis->model->objects.at[series->object];

	if (series->kind != MODEL_SERIES_CONTENT)
		return;
	analyze_story_evidence(analysis, story, "given last at %s, and taken last at %s",
		analyze_words_place(analysis, object->put_site),
		analyze_words_place(analysis, object->owner_site));
}

static void tell_limit(struct analysis *analysis, const struct trend *trend, struct story *story)
{
	int64_t limit = trend->series->kind == MODEL_SERIES_DESCRIPTORS
				? LIMIT(analysis, GROWTH_DESCRIPTORS)
				: LIMIT(analysis, GROWTH_LIMIT);
	double left = ((double)limit - (double)trend->series->value) / trend->slope * 1e9;

	if (left > 0 && left < 1e18)
		analyze_story_evidence(analysis, story,
			"at this rate, %.4g a second, it comes to %s in %s", trend->slope,
			analyze_words_number(analysis, (uint64_t)limit),
			analyze_words_duration(analysis, (int64_t)left));
}

/* The number with its sign: a counter of the program may be negative. */
static const char *words_level(struct analysis *analysis, int64_t level)
{
	return analyze_say(analysis, "%s%s", level < 0 ? "-" : "",
		analyze_words_number(analysis, level < 0 ? -(uint64_t)level : (uint64_t)level));
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct model_series *series;
	struct trend trend;

	if (rules_untaken_is(first)) {
		rules_untaken_describe(analysis, group, story, finding);
		return;
	}
	series = &analysis->model->series.at[first->subject];
	if (!measure(analysis, series, &trend))
		return;
	finding->title =
		analyze_say(analysis, "%s: ever more, from at least %s to at least %s within %s",
			words_what(analysis, series), words_level(analysis, trend.least[0]),
			words_level(analysis, trend.least[trend.nr_groups - 1]),
			analyze_words_duration(analysis, (int64_t)trend.count * series->width_ns));
	tell_places(analysis, series, story);
	tell_ends(analysis, series, story);
	tell_limit(analysis, &trend, story);
	if (series->kind == MODEL_SERIES_COUNTER && !series->falls)
		analyze_story_evidence(analysis, story,
			"it never fell: it may count what has happened, which is no growth");
}

const struct rule rules_unbounded_growth = {
	.find = find,
	.describe = describe,
	.is_no_explanation = true,
};
