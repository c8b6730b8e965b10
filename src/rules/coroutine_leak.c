/* SPDX-License-Identifier: MIT */
/*
 * Leaks: of the coroutines that one site starts at an even rate, more and more are alive. The time in which the site
 * starts them is divided into windows. The rule compares the least number alive in each window, so that a burst is no
 * leak.
 *
 * The rule is silent if the coroutines wait for the world outside (connections) or for timers, unless these are pollers
 * that outlive who started them (pollers.c); if they are no more than there are open connections; if they are marked,
 * or become fewer at the end; if their lifetime bounds their number (lifetimes.c); or if so many ends may be missing
 * that too few are left. If the load ended before the observation did, coroutines that all wait for the same object are
 * a pool; coroutines that were left behind wait for an object of their own each. A Suspect, if they wait for one of
 * several channels, and most of them not for long: one of the channels may be a timer's.
 *
 * Coroutines that have ended, and whose frames stay, are in kept_frames.c.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/runtime_words.h"
#include "rules/parts.h"

enum variant {
	VARIANT_ALIVE,
	VARIANT_KEPT,
};

#define WINDOWS 8u
#define RISING_WINDOWS 4u /* the last windows, which must rise: three steps up */

/* A coroutine begins or ends. */
struct change {
	ct_time time;
	int32_t by;
};

/* The coroutines of one spawn site: order[first, first + count). */
struct family {
	const uint32_t *order;
	uint32_t count;
	uint32_t process;
	uint64_t nr_started; /* also of those whose records were given back */
	uint32_t least[WINDOWS];
	uint32_t started[WINDOWS];
	uint32_t nr_alive;  /* at the end */
	uint64_t nr_hidden; /* of these: so many may have ended, and the event is missing */
	bool are_pollers;   /* they wait for timers, and outlive who started them */
	ct_time from;       /* begin of the load */
	ct_time until;
};

static int compare_changes(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return a->time == b->time ? a->by - b->by : (a->time > b->time) - (a->time < b->time);
}

static ct_time gone_at(const struct model_coro *coro)
{
	if (coro->rare->destroyed != CT_NO_TIME)
		return coro->rare->destroyed;
	return coro->state == CT_STATE_DONE ? coro->changed : CT_NO_TIME;
}

static uint32_t window_of(ct_time time, ct_time from, ct_time end)
{
	int64_t each = (end - from) / WINDOWS + 1;
	int64_t window = (time - from) / each;

	return window < 0 ? 0 : window >= (int64_t)WINDOWS ? WINDOWS - 1 : (uint32_t)window;
}

/* Walks through the begins and ends, and keeps the least number alive in each window. */
static void count_alive(struct family *family, const struct change *changes, uint32_t count)
{
	uint32_t alive = 0, window = 0, i;

	family->least[0] = 0;
	for (i = 0; i < count; i++) {
		uint32_t here = window_of(changes[i].time, family->from, family->until);

		while (window < here)
			family->least[++window] = alive;
		alive = (uint32_t)((int32_t)alive + changes[i].by);
		if (alive < family->least[window])
			family->least[window] = alive;
		family->started[window] += changes[i].by > 0;
	}
	while (window < WINDOWS - 1)
		family->least[++window] = alive;
	family->nr_alive = alive;
}

static void note_load(struct family *family, ct_time created, ct_time end)
{
	if (created < family->from)
		family->from = created;
	if (created > family->until && created <= end)
		family->until = created;
}

static void survey(struct analysis *analysis, struct family *family)
{
	const struct model *model = analysis->model;
	struct change *changes = calloc(2 * (size_t)family->count, sizeof(*changes));
	ct_time end = analyze_party_working_until(analysis, family->process);
	uint32_t count = 0, i;

	if (!changes) {
		analysis->is_broken = true;
		return;
	}
	for (i = 0; i < family->count; i++) {
		const struct model_coro *coro = &model->coros.at[family->order[i]];
		ct_time gone = gone_at(coro);

		note_load(family, coro->created, end);
		if (coro->created <= end)
			changes[count++] = (struct change){coro->created, 1};
		if (coro->created <= end && gone != CT_NO_TIME && gone <= end)
			changes[count++] = (struct change){gone, -1};
	}
	qsort(changes, count, sizeof(*changes), compare_changes);
	count_alive(family, changes, count);
	free(changes);
}

static void survey_windows(struct family *family, const struct model_series *series, ct_time end)
{
	uint32_t window, i;

	for (i = 0; series->from != CT_NO_TIME && i <= series->present; i++) {
		ct_time start = series->from + (int64_t)i * series->width_ns;
		uint32_t least = series->least[i] > 0 ? (uint32_t)series->least[i] : 0;

		if (start > end)
			break;
		window = window_of(start, family->from, family->until);
		family->least[window] =
			least < family->least[window] ? least : family->least[window];
		family->started[window] += series->nr_rises[i];
		family->nr_alive = i == series->present ? (uint32_t)series->value : least;
	}
}

/*
 * The same from what the model recorded for the site, if it gave some coroutines back: 33 to 64 windows instead of
 * the time of each coroutine.
 */
static void survey_series(
	struct analysis *analysis, struct family *family, const struct model_place_times *times)
{
	const struct model_series *series = times->alive;
	ct_time end = analyze_party_working_until(analysis, family->process);
	uint32_t i;

	family->from = series->from;
	family->until = times->last_started < end ? times->last_started : end;
	if (family->until < family->from)
		return;
	memset(family->least, 0xff, sizeof(family->least));
	survey_windows(family, &series[0], end);
	survey_windows(family, &series[1], end);
	/* Windows after the end of a short load. */
	for (i = 0; i < WINDOWS; i++)
		if (family->least[i] == UINT32_MAX)
			family->least[i] = i ? family->least[i - 1] : 0;
}

/* ---------------------------------------------------------------- the judgement */

static bool is_rising(const struct analysis *analysis, const struct family *family)
{
	uint32_t before = family->least[WINDOWS - RISING_WINDOWS], i;

	for (i = WINDOWS - RISING_WINDOWS + 1; i < WINDOWS; i++)
		if (family->least[i] <= family->least[i - 1])
			return false;
	return (int64_t)family->least[WINDOWS - 1] - before - (int64_t)family->nr_hidden >=
	       LIMIT(analysis, LEAK_RISE);
}

/* Has no window more than twice the load of another one? */
static bool is_load_even(const struct analysis *analysis, const struct family *family)
{
	uint32_t least = UINT32_MAX, most = 0, i;

	for (i = WINDOWS - RISING_WINDOWS; i < WINDOWS; i++) {
		least = family->started[i] < least ? family->started[i] : least;
		most = family->started[i] > most ? family->started[i] : most;
	}
	return least >= LIMIT(analysis, LEAK_STARTED) && most <= 2 * least;
}

static bool is_left_behind(
	const struct analysis *analysis, const struct family *family, const struct model_coro *coro)
{
	if (family->are_pollers && rules_pollers_is_one(analysis, coro))
		return true;
	return model_is_awaiting(coro) && !analyze_wait_is_for_outside(coro) &&
	       coro->rare->deadline == CT_NO_TIME && coro->mark == 0 &&
	       coro->suspended < analyze_party_working_until(analysis, coro->process);
}

/* Does another finding explain why the coroutine does not end? */
static bool is_explained(const struct analysis *analysis, uint32_t index)
{
	return analysis->is_told[index] || analyze_ties_behind(analysis, index);
}

/* Of those that were left behind at one of several channels, may most go on soon? One leak has one grade. */
static bool are_timed(const struct analysis *analysis, const struct family *family)
{
	uint32_t count = 0, nr_timed = 0, i;

	for (i = 0; i < family->count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[family->order[i]];

		if (!is_left_behind(analysis, family, coro) ||
			!analyze_runtime_words_is(analysis, coro, GO_WORD_SELECT))
			continue;
		count++;
		nr_timed += analyze_runtime_words_may_be_timed(analysis, coro);
	}
	return nr_timed * 2 > count;
}

static void add_members(struct analysis *analysis, const struct family *family)
{
	const struct model *model = analysis->model;
	bool is_timed = are_timed(analysis, family);
	uint32_t i;

	for (i = 0; i < family->count; i++) {
		const struct model_coro *coro = &model->coros.at[family->order[i]];
		struct candidate candidate = {
			.rule = CT_RULE_COROUTINE_LEAK,
			.grade = family->are_pollers ? CT_GRADE_SUSPECT : CT_GRADE_LIKELY,
			.process = coro->process,
			.coro = family->order[i],
			.wait_site = coro->wait_site,
			.cause_site = coro->spawn_site,
			.descriptor = coro->rare->descriptor,
			.since = family->are_pollers ? coro->created : coro->suspended,
		};

		if (!is_left_behind(analysis, family, coro) ||
			is_explained(analysis, family->order[i]))
			continue;
		analyze_candidate_lower_for_gaps(analysis, &candidate, FROM_THE_BEGINNING,
			analysis->parties[coro->process].end);
		if (is_timed && analyze_runtime_words_is(analysis, coro, GO_WORD_SELECT))
			analyze_candidate_limit(&candidate, CT_GRADE_SUSPECT, REASON_WAIT_UNTOLD);
		analyze_candidate_add(analysis, &candidate);
	}
}

/* If there are no more than open connections, a peer outside may decide how long each of them lives. */
static bool may_be_of_connections(
	const struct analysis *analysis, const struct family *family, uint64_t count)
{
	return !family->are_pollers &&
	       count <= analyze_party_nr_connections(analysis, family->process);
}

/* Do most living coroutines wait for something inside the program? As many as may have ended unseen do not count. */
static bool are_left_behind(const struct analysis *analysis, const struct family *family)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < family->count; i++)
		count += is_left_behind(
			analysis, family, &analysis->model->coros.at[family->order[i]]);
	return count * 4 >= (uint64_t)family->nr_alive * 3 &&
	       count >= family->nr_hidden + (uint64_t)LIMIT(analysis, LEAK_RISE) &&
	       !may_be_of_connections(analysis, family, count);
}

/*
 * How many may have ended unseen: those behind whose wait events are missing, and no more than there are such events,
 * since each end is one.
 */
static uint64_t count_hidden(const struct analysis *analysis, const struct family *family)
{
	ct_time end = analysis->parties[family->process].end;
	uint64_t nr_lost = 0, nr_unsure = 0;
	uint32_t i;

	for (i = 0; i < family->count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[family->order[i]];
		uint64_t nr_since = 0;

		if (is_left_behind(analysis, family, coro))
			nr_since = model_lost_between(
				analysis->model, family->process, coro->suspended, end);
		nr_unsure += nr_since > 0;
		nr_lost = nr_since > nr_lost ? nr_since : nr_lost;
	}
	return nr_unsure < nr_lost ? nr_unsure : nr_lost;
}

static int compare_objects(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Does each of them wait for an object that no other one waits for? */
static bool has_each_its_own(struct analysis *analysis, const struct family *family)
{
	uint64_t *objects = calloc(family->count, sizeof(*objects));
	uint32_t count = 0, nr_own = 0, i;

	if (!objects) {
		analysis->is_broken = true;
		return false;
	}
	for (i = 0; i < family->count; i++) {
		const struct model_coro *coro = &analysis->model->coros.at[family->order[i]];

		if (is_left_behind(analysis, family, coro))
			objects[count++] = coro->wait_object;
	}
	qsort(objects, count, sizeof(*objects), compare_objects);
	for (i = 0; i < count; i++)
		nr_own += objects[i] && (i == 0 || objects[i] != objects[i - 1]);
	free(objects);
	return nr_own * 4 >= count * 3;
}

/* Did the load last to the end, or do the remaining coroutines show that they are no pool? */
static bool is_no_pool(struct analysis *analysis, const struct family *family)
{
	ct_time end = analyze_party_working_until(analysis, family->process);
	int64_t lasted = family->until - family->from;

	return end - family->until <= lasted / WINDOWS || has_each_its_own(analysis, family);
}

/*
 * Surveys the site in either way. False: too little was kept of the coroutines that ended, or all were started after
 * the program's work.
 */
static bool survey_any(struct analysis *analysis, struct family *family, uint32_t site)
{
	const struct model *model = analysis->model;
	const struct model_place_times *times = model_times_at(model, site);

	if (!model->ended.count || (times && !times->nr_ended)) {
		survey(analysis, family);
		return family->from <= family->until;
	}
	if (!times || !times->alive || times->alive->from == CT_NO_TIME)
		return false;
	family->nr_started = times->nr_started;
	survey_series(analysis, family, times);
	return family->from <= family->until;
}

static void judge(struct analysis *analysis, struct family *family, uint32_t site)
{
	family->nr_started = family->count;
	if (!survey_any(analysis, family, site) ||
		(int64_t)family->nr_started <
			LIMIT(analysis, LEAK_RISE) + LIMIT(analysis, LEAK_STARTED) * RISING_WINDOWS)
		return;
	family->are_pollers =
		family->nr_started == family->count &&
		rules_pollers_are(analysis, family->order, family->count, family->process);
	family->nr_hidden = count_hidden(analysis, family);
	if (family->until - family->from >= LIMIT(analysis, LEAK_TIME) &&
		analyze_party_is_at_work(analysis, family->process, family->from, family->until) &&
		is_rising(analysis, family) && is_load_even(analysis, family) &&
		are_left_behind(analysis, family) && is_no_pool(analysis, family) &&
		!rules_lifetimes_is_bound(analysis, family->process, site))
		add_members(analysis, family);
}

static int compare_families(const void *left, const void *right, void *context)
{
	const struct model *model = context;
	const struct model_coro *a = &model->coros.at[*(const uint32_t *)left];
	const struct model_coro *b = &model->coros.at[*(const uint32_t *)right];

	if (a->process != b->process)
		return a->process > b->process ? 1 : -1;
	return (a->spawn_site > b->spawn_site) - (a->spawn_site < b->spawn_site);
}

static uint32_t list_known(const struct model *model, uint32_t *order)
{
	uint32_t count = 0, i;

	for (i = 1; i < model->coros.count; i++)
		if (model->coros.at[i].spawn_site && model->coros.at[i].created != CT_NO_TIME)
			order[count++] = i;
	return count;
}

/* Usually all are of one site: then sorting, which takes as much memory again, is not necessary. */
static bool is_sorted(const uint32_t *order, uint32_t count, struct model *model)
{
	uint32_t i;

	for (i = 1; i < count; i++)
		if (compare_families(&order[i - 1], &order[i], model) > 0)
			return false;
	return true;
}

static void find(struct analysis *analysis)
{
	struct model *model = analysis->model;
	uint32_t *order = analyze_scratch(analysis, model->coros.count, sizeof(*order));
	uint32_t count, first, next;

	if (!order)
		return;
	count = list_known(model, order);
	if (!is_sorted(order, count, model))
		qsort_r(order, count, sizeof(*order), compare_families, model);
	for (first = 0; first < count; first = next) {
		struct family family = {
			.order = &order[first], .from = INT64_MAX, .until = INT64_MIN};

		for (next = first + 1; next < count; next++)
			if (compare_families(&order[first], &order[next], model) != 0)
				break;
		family.count = next - first;
		family.process = model->coros.at[order[first]].process;
		judge(analysis, &family, model->coros.at[order[first]].spawn_site);
	}
	rules_kept_frames_find(analysis, VARIANT_KEPT);
}

/* What would end the wait for such a resource. */
static const char *words_end(uint64_t handle)
{
	switch (CTP_HANDLE_RESOURCE(handle)) {
	case CTP_RESOURCE_DESCRIPTOR:
	case CTP_RESOURCE_NETWORK:
		return "is ready";
	case CTP_RESOURCE_LOCK:
	case CTP_RESOURCE_SEMAPHORE:
		return "is released";
	case CTP_RESOURCE_COROUTINE:
	case CTP_RESOURCE_FRAME:
	case CTP_RESOURCE_REMOTE:
	case CTP_RESOURCE_PROCESS:
		return "ends";
	case CTP_RESOURCE_TIMER:
		return "expires";
	case CTP_RESOURCE_EVENT:
		return "is set";
	default:
		return "is notified";
	}
}

/* The end of the coroutine that started it, if that came while it waited; CT_NO_TIME: it did not. */
static ct_time left_by(const struct analysis *analysis, const struct model_coro *coro)
{
	const struct model_coro *parent = &analysis->model->coros.at[coro->parent];
	ct_time end = CT_NO_TIME;

	if (coro->parent && parent->state == CT_STATE_DONE)
		end = parent->changed;
	else if (coro->parent && parent->state == CT_STATE_DESTROYED)
		end = parent->rare->destroyed;
	return end != CT_NO_TIME && end > coro->suspended ? end : CT_NO_TIME;
}

/* The deciding step: the one that started it is gone, or nothing has come that would end the wait. */
static void tell_left(struct analysis *analysis, const struct group *group,
	const struct model_coro *coro, struct story *story)
{
	const struct model_coro *parent = &analysis->model->coros.at[coro->parent];
	const char *whom =
		group->count == 1 ? "it" : analyze_say(analysis, "coroutine %" PRIu64, coro->id);
	struct ct_step gone = {
		.time = left_by(analysis, coro),
		.thread = parent->thread,
		.coro = parent->id,
		.sequence = parent->last_event,
		.text = analyze_say(
			analysis, "ended, and left coroutine %" PRIu64 " waiting", coro->id),
	};
	struct ct_step since = {
		.time = CT_NO_TIME,
		.sequence = UINT64_MAX,
		.text = group->count == 1 ? "nobody has resumed it since"
					  : "nobody has resumed any of them since",
	};

	if (rules_pollers_is_one(analysis, coro)) {
		since.text = "each comes back when its timer expires, and waits for the next one; "
			     "none of them has ever ended";
		analyze_story_step(analysis, story, &since);
		return;
	}
	if (coro->wait_object)
		since.text = analyze_say(analysis, "%s; %s goes on when %s %s", since.text, whom,
			analyze_words_resource(analysis, coro->wait_object, coro->rare->descriptor),
			words_end(coro->wait_object));
	if (gone.time != CT_NO_TIME)
		analyze_story_step(analysis, story, &gone);
	analyze_story_step(analysis, story, &since);
}

static void describe(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	const struct candidate *first = &analysis->candidates.at[group->first];
	const struct candidate *last = &analysis->candidates.at[group->first + group->count - 1];
	const struct model_coro *coro = &analysis->model->coros.at[first->coro];
	struct ct_step step = {
		.time = coro->created,
		.site = coro->spawn_site,
		.thread = coro->thread,
		.coro = analysis->model->coros.at[coro->parent].id,
		.sequence = UINT64_MAX,
		.text = analyze_say(analysis, "started coroutine %" PRIu64 ", %s", coro->id,
			group->count == 1
				? "which was left behind"
				: analyze_say(analysis, "the first of %s that were left behind",
					  analyze_words_number(analysis, group->count))),
	};

	if (first->variant == VARIANT_KEPT) {
		rules_kept_frames_describe(analysis, group, story, finding);
		return;
	}
	finding->title =
		analyze_say(analysis, "coroutines started at %s pile up, and do not end: %s at %s",
			analyze_words_place(analysis, first->cause_site),
			analyze_words_count(analysis, group),
			analyze_words_place(analysis, first->wait_site));
	analyze_story_step(analysis, story, &step);
	analyze_story_suspended(analysis, story, coro);
	tell_left(analysis, group, coro, story);
	analyze_story_evidence(analysis, story,
		"the youngest of them has %s for %s, the oldest for %s",
		rules_pollers_is_one(analysis, coro) ? "lived" : "waited",
		analyze_words_duration(
			analysis, analysis->parties[first->process].end - last->since),
		analyze_words_duration(
			analysis, analysis->parties[first->process].end - first->since));
	analyze_story_victims(analysis, story, group);
	finding->first_sequence = coro->wait_event;
	finding->last_sequence = coro->last_event;
}

const struct rule rules_coroutine_leak = {
	.find = find,
	.describe = describe,
	.finds_victims = true,
	.is_no_explanation = true,
};
