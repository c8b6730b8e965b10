/* SPDX-License-Identifier: MIT */
/* The sink that watches: what is measured, and when a condition becomes true. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "event/places.h"
#include "stages/watch_parts.h"

#define CALM_NS UINT64_C(1000000000)
#define NAMES_MAX 65536u
#define PENDING_MAX (1u << 20)
#define TIDY_RECORDS 65536u

/* ---------------------------------------------------------------- observations of folding */

uint64_t watch_ns(const struct watch *watch, uint32_t origin, uint64_t raw)
{
	uint32_t stream = snapshot_origin_at(watch->snapshot, origin).stream;

	return directory_ns(
		&watch->directory, directory_segment(&watch->directory, stream)->clock, raw);
}

static void add(struct watched *watched, uint64_t from_ns, uint64_t to)
{
	histogram_add(watched->now, to > from_ns ? to - from_ns : 0);
}

static void note_run(void *context, uint32_t origin, uint64_t woken, uint64_t resumed)
{
	struct watch *watch = context;
	size_t i;

	for (i = 0; i < watch->list.count; i++)
		if (watch->list.at[i].condition.metric == CONDITION_SCHED_LATENCY)
			add(&watch->list.at[i], watch_ns(watch, origin, woken),
				watch_ns(watch, origin, resumed));
}

static bool has_site(const struct watched *watched, uint64_t site)
{
	uint32_t known;

	return map_get(&watched->sites, site, &known);
}

static uint64_t site_of(const struct watch *watch, uint32_t origin, const struct ctp_record *record)
{
	uint32_t segment = snapshot_origin_at(watch->snapshot, origin).segment;

	return (uint64_t)segment << 32 | CTP_TAIL_SITE(record->tail);
}

static void note_end(void *context, uint32_t origin, const struct ctp_record *begin,
	const struct ctp_record *end)
{
	struct watch *watch = context;
	bool is_region = CTP_TAIL_KIND(begin->tail) == CTP_KIND_REGION_BEGIN;
	uint64_t site = site_of(watch, origin, begin);
	size_t i;

	for (i = 0; i < watch->list.count; i++) {
		struct watched *watched = &watch->list.at[i];

		if (watched->condition.metric == (is_region ? CONDITION_REGION : CONDITION_TASK) &&
			has_site(watched, site))
			add(watched, watch_ns(watch, origin, begin->time),
				watch_ns(watch, origin, end->time));
	}
}

/* ---------------------------------------------------------------- records */

static void note_counter(struct watch *watch, uint32_t origin, const struct ctp_record *record)
{
	uint64_t site = site_of(watch, origin, record);
	size_t i;

	for (i = 0; i < watch->list.count; i++) {
		struct watched *watched = &watch->list.at[i];

		if (watched->condition.metric != CONDITION_COUNTER || !has_site(watched, site))
			continue;
		watched->value = (double)(int64_t)record->object;
		watched->has_value = true;
	}
}

static void note_record(struct watch *watch, const struct pending *pending)
{
	switch (CTP_TAIL_KIND(pending->record.tail)) {
	case CTP_KIND_RESUME:
	case CTP_KIND_SWITCH:
		watch->ran_ns = watch->moved_ns = pending->ns;
		break;
	case CTP_KIND_CREATE:
	case CTP_KIND_SUSPEND:
	case CTP_KIND_RETURN:
	case CTP_KIND_DESTROY:
		watch->moved_ns = pending->ns;
		break;
	case CTP_KIND_COUNTER:
		note_counter(watch, pending->origin, &pending->record);
		break;
	case CTP_KIND_MARK:
		if (CTP_TAIL_ARGUMENT(pending->record.tail) == CTP_MARK_DUMP) {
			watch->wants_dump = true;
			watch->dump_site = site_of(watch, pending->origin, &pending->record);
		}
		break;
	default:
		break;
	}
}

static int compare(const void *left, const void *right)
{
	const struct pending *a = left, *b = right;

	if (a->ns != b->ns)
		return (int64_t)a->ns > (int64_t)b->ns ? 1 : -1;
	return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

/*
 * Folds records that no earlier record can precede any more, in order of time: a wake must come before the resume to
 * which it leads, whichever ring was drained first.
 */
static void fold_until(struct watch *watch, int64_t ns)
{
	size_t i;

	if (watch->pending.count)
		qsort(watch->pending.at, watch->pending.count, sizeof(*watch->pending.at), compare);
	for (i = 0; i < watch->pending.count && (int64_t)watch->pending.at[i].ns <= ns; i++) {
		/* An event for which there is no memory is not watched, but recorded. */
		snapshot_fold(
			watch->snapshot, watch->pending.at[i].origin, &watch->pending.at[i].record);
		note_record(watch, &watch->pending.at[i]);
	}
	watch->pending.count -= i;
	if (i == 0)
		return;
	memmove(watch->pending.at, watch->pending.at + i,
		watch->pending.count * sizeof(*watch->pending.at));
}

/*
 * Forgets coroutines and other things that have ended. The search takes time in proportion to the known things, so it
 * waits until clearly more are known than after the last search.
 */
static void tidy(struct watch *watch)
{
	uint64_t known = snapshot_nr_told_at_most(watch->snapshot);

	if (known < watch->tidy_at)
		return;
	snapshot_tidy(watch->snapshot);
	known = snapshot_nr_told_at_most(watch->snapshot);
	watch->tidy_at = known + known / 8 + TIDY_RECORDS;
}

static void keep(struct watch *watch, uint32_t origin, struct ctp_record record)
{
	struct pending pending = {
		.ns = watch_ns(watch, origin, record.time),
		.sequence = watch->nr_pending_ever++,
		.origin = origin,
		.record = record,
	};

	if (watch->pending.count >= PENDING_MAX)
		fold_until(watch, INT64_MAX);
	vec_push(&watch->pending, pending);
}

static void take_up(struct watch *watch, const struct ct_batch *batch)
{
	struct snapshot_origin from = {0, batch->stream, batch->thread};
	uint32_t origin;
	size_t i;

	if (!directory_has(&watch->directory, batch->stream))
		return;
	from.segment = watch->directory.segment_of.at[batch->stream];
	origin = snapshot_origin(watch->snapshot, from);
	for (i = 0; origin && i < batch->nr_records; i++)
		keep(watch, origin, stream_record(&batch->records[i]));
}

static enum ct_status watch_put(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	struct watch *watch = (struct watch *)sink;

	take_up(watch, batch);
	return sink_put(watch->next, batch, reterr);
}

/* ---------------------------------------------------------------- definitions */

static bool keep_name(struct watch *watch, uint64_t site, const char *name)
{
	uint32_t at = (uint32_t)watch->names.count;
	char *copy;

	if (!*name || watch->names.count >= NAMES_MAX)
		return true;
	copy = strdup(name);
	if (copy && vec_push(&watch->names, copy))
		return map_put(&watch->name_at, site, at);
	free(copy);
	return false;
}

/*
 * Returns whether the condition means this site. Addresses get function and file later, when the site is defined again.
 */
static bool is_meant(const struct condition *condition, const struct ct_define_site *from)
{
	const struct ct_site site = {.line = from->line,
		.file = from->file ? from->file : "",
		.function = from->function ? from->function : "",
		.reason = from->reason ? from->reason : "",
		.callers = from->callers ? from->callers : ""};

	if (!*condition->name)
		return false;
	return condition->metric == CONDITION_WAITING ? place_matches(condition->name, &site)
						      : strcmp(condition->name, site.reason) == 0;
}

static bool note_site(struct watch *watch, const struct ct_define_site *from)
{
	uint64_t site = (uint64_t)from->segment << 32 | from->id;
	const char *name = from->reason ? from->reason : "";
	size_t i;

	for (i = 0; i < watch->list.count; i++) {
		struct watched *watched = &watch->list.at[i];

		if (is_meant(&watched->condition, from) && !map_put(&watched->sites, site, 1))
			return false;
	}
	if (!snapshot_name(watch->snapshot, from->segment, from->id, name))
		return false;
	return keep_name(watch, site, name);
}

static enum ct_status watch_define(
	struct ct_sink *sink, const struct ct_definition *definition, struct ct_error *reterr)
{
	struct watch *watch = (struct watch *)sink;
	enum ct_status status = sink_define(watch->next, definition, reterr);

	if (definition->type == CT_DEFINE_SITE && !note_site(watch, &definition->site))
		return ct_fail_memory(reterr);
	return directory_note(&watch->directory, definition) ? status : ct_fail_memory(reterr);
}

/* ---------------------------------------------------------------- conditions */

/*
 * Returns whether the condition becomes true. After a report the condition must be clearly false for a while before it
 * counts again; without a value it is false.
 */
static bool becomes_true(struct watched *watched, bool has_value, double value, uint64_t now_ns)
{
	bool holds = has_value && condition_holds(&watched->condition, value);

	if (holds && !watched->was_told) {
		watched->was_told = true;
		watched->calm_since_ns = 0;
		return true;
	}
	if (has_value && condition_is_near(&watched->condition, value))
		watched->calm_since_ns = 0;
	else if (!watched->calm_since_ns)
		watched->calm_since_ns = now_ns;
	else if (now_ns - watched->calm_since_ns >= CALM_NS)
		watched->was_told = false;
	return false;
}

static void tell_asked(struct watch *watch, struct text *reason)
{
	uint32_t name;

	watch->wants_dump = false;
	text_add(reason, "the program asked for it");
	if (map_get(&watch->name_at, watch->dump_site, &name))
		text_format(reason, ": %s", watch->names.at[name]);
}

bool watch_look(struct watch *watch, uint64_t now_ns, struct text *ret_reason)
{
	bool is_wanted;
	double value = 0;
	size_t i;

	fold_until(watch, (int64_t)watch->looked_ns);
	tidy(watch);
	watch->looked_ns = now_ns;
	is_wanted = watch->wants_dump;
	text_clear(ret_reason);
	if (watch->wants_dump)
		tell_asked(watch, ret_reason);
	for (i = 0; i < watch->list.count; i++) {
		struct watched *watched = &watch->list.at[i];
		bool has_value = watch_measure(watch, watched, now_ns, &value);

		if (!becomes_true(watched, has_value, value, now_ns))
			continue;
		if (is_wanted)
			text_add(ret_reason, "; ");
		condition_tell(&watched->condition, value, ret_reason);
		is_wanted = true;
	}
	return is_wanted;
}

/* ---------------------------------------------------------------- findings */

bool watch_wants_findings(const struct watch *watch)
{
	size_t i;

	for (i = 0; i < watch->list.count; i++)
		if (watch->list.at[i].condition.metric == CONDITION_FINDING)
			return true;
	return false;
}

void watch_take_findings(struct watch *watch, const enum ct_grade grades[CT_NR_RULES])
{
	unsigned rule;
	size_t i;

	for (i = 0; i < watch->list.count; i++) {
		struct watched *watched = &watch->list.at[i];

		if (watched->condition.metric != CONDITION_FINDING)
			continue;
		watched->has_value = true;
		watched->value = CT_GRADE_NONE;
		for (rule = CT_RULE_NONE + 1; rule < CT_NR_RULES; rule++)
			if ((double)grades[rule] > watched->value &&
				fnmatch(watched->condition.name, ct_rule_name((enum ct_rule)rule),
					0) == 0)
				watched->value = (double)grades[rule];
	}
}

/* ---------------------------------------------------------------- opening and closing */

static enum ct_status watch_flush(struct ct_sink *sink, struct ct_error *reterr)
{
	return sink_flush(((struct watch *)sink)->next, reterr);
}

static void release(struct watch *watch)
{
	size_t i;

	for (i = 0; i < watch->list.count; i++) {
		free(watch->list.at[i].now);
		free(watch->list.at[i].before);
		map_fini(&watch->list.at[i].sites);
	}
	for (i = 0; i < watch->names.count; i++)
		free(watch->names.at[i]);
	vec_fini(&watch->list);
	vec_fini(&watch->pending);
	vec_fini(&watch->names);
	map_fini(&watch->name_at);
	directory_fini(&watch->directory);
	snapshot_free(watch->snapshot);
	free(watch);
}

static enum ct_status watch_close(struct ct_sink *sink, bool is_wanted, struct ct_error *reterr)
{
	struct watch *watch = (struct watch *)sink;
	enum ct_status status = sink_close(watch->next, is_wanted, reterr);

	release(watch);
	return status;
}

enum ct_status watch_open(struct ct_sink *next, struct watch **ret_watch, struct ct_error *reterr)
{
	static const struct ct_sink_ops ops = {
		.put = watch_put,
		.define = watch_define,
		.flush = watch_flush,
		.close = watch_close,
	};
	struct watch *watch = calloc(1, sizeof(*watch));
	struct snapshot_observer observer = {.context = watch, .ran = note_run, .ended = note_end};

	if (watch)
		watch->snapshot = snapshot_new();
	if (!watch || !watch->snapshot) {
		free(watch);
		return ct_fail_memory(reterr);
	}
	watch->sink.ops = &ops;
	watch->next = next;
	snapshot_observe(watch->snapshot, &observer);
	*ret_watch = watch;
	return CT_OK;
}

struct ct_sink *watch_sink(struct watch *watch)
{
	return &watch->sink;
}

enum ct_status watch_add(struct watch *watch, const char *condition, struct ct_error *reterr)
{
	struct watched watched = {0};
	enum ct_status status =
		condition_parse(condition, CONDITION_LIVE, &watched.condition, reterr);

	if (status)
		return status;
	if (condition_is_spread(&watched.condition)) {
		watched.now = calloc(1, sizeof(*watched.now));
		watched.before = calloc(1, sizeof(*watched.before));
	}
	if ((!condition_is_spread(&watched.condition) || (watched.now && watched.before)) &&
		vec_push(&watch->list, watched))
		return CT_OK;
	free(watched.now);
	free(watched.before);
	return ct_fail_memory(reterr);
}
