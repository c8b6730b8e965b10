/* SPDX-License-Identifier: MIT */
/*
 * One number for each measure and place of a report, under names that are the same in other runs: no ids, no addresses.
 */
#include <math.h>
#include <string.h>

#include "diff/diff.h"
#include "say/say.h"

struct gathering {
	struct ct_diff *diff;
	const struct ct_report *report;
	uint32_t run;
	bool is_after;
	bool is_broken; /* out of memory */
};

static const char *keep(struct gathering *gathering, const char *text)
{
	const char *kept = arena_text(&gathering->diff->lasting, text, strlen(text));

	gathering->is_broken |= !kept;
	return kept;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *place_of(struct gathering *gathering, uint32_t site)
{
	struct text text = {0};
	const char *place;

	say_place(&text, gathering->report->tables, site);
	place = keep(gathering, text_peek(&text));
	gathering->is_broken |= text.is_broken;
	text_fini(&text);
	return place;
}

/* An address outside all files differs in each run, so it does not serve as a name. */
static void name_place(struct gathering *gathering, struct diff_item *item, uint32_t index)
{
	const struct ct_site *site = say_peek_site(gathering->report->tables, index);

	item->function = keep(gathering, site->function);
	item->file = keep(gathering, last_part(*site->file ? site->file : site->module));
	item->name = keep(gathering, site->reason);
	item->line = *site->file ? site->line : *site->module ? site->module_offset : 0;
	item->place = place_of(gathering, index);
}

/* Regions, tasks and counters are identified by their names, not by their places. */
static void name_thing(
	struct gathering *gathering, struct diff_item *item, const char *name, uint32_t site)
{
	item->function = item->file = "";
	item->name = keep(gathering, name);
	item->place = site ? place_of(gathering, site) : "";
}

static struct diff_item new_item(const struct gathering *gathering, enum ct_measure measure)
{
	return (struct diff_item){
		.measure = measure,
		.run = gathering->run,
		.is_after = gathering->is_after,
		.value = (double)NAN,
	};
}

static void take(struct gathering *gathering, struct diff_item item)
{
	gathering->is_broken |= !vec_push(&gathering->diff->items, item);
}

static void measure(const struct gathering *gathering, struct diff_item *item,
	const struct ct_distribution *distribution)
{
	item->count = distribution->count;
	if (!distribution->count)
		return;
	switch (gathering->diff->options.statistic) {
	case CT_DIFF_P50:
		item->value = (double)distribution->p50_ns;
		return;
	case CT_DIFF_P90:
		item->value = (double)distribution->p90_ns;
		return;
	case CT_DIFF_P99:
		item->value = (double)distribution->p99_ns;
		return;
	case CT_DIFF_MEAN:
		item->value = (double)distribution->total_ns / (double)distribution->count;
		return;
	}
}

static void take_at(struct gathering *gathering, enum ct_measure asked, uint32_t site,
	const struct ct_distribution *distribution, uint64_t nr_going_on, bool is_there)
{
	struct diff_item item = new_item(gathering, asked);

	if (!distribution->count && !is_there)
		return;
	name_place(gathering, &item, site);
	item.nr_going_on = nr_going_on;
	measure(gathering, &item, distribution);
	take(gathering, item);
}

static void gather_places(struct gathering *gathering)
{
	const struct ct_statistics *statistics = &gathering->report->statistics;
	uint32_t i;

	for (i = 0; i < statistics->nr_places; i++) {
		const struct ct_place *place = &statistics->places[i];

		take_at(gathering, CT_MEASURE_WAIT, place->site, &place->waits,
			place->waiting.count, place->waiting.count > 0);
		take_at(gathering, CT_MEASURE_DELAY, place->site, &place->delays, 0, false);
		take_at(gathering, CT_MEASURE_RUN, place->site, &place->runs, 0, false);
	}
	for (i = 0; i < statistics->nr_spawnings; i++)
		take_at(gathering, CT_MEASURE_LIFE, statistics->spawnings[i].site,
			&statistics->spawnings[i].lives, statistics->spawnings[i].alive.count,
			true);
}

static void gather_annotations(struct gathering *gathering)
{
	const struct ct_report *report = gathering->report;
	uint32_t i;

	for (i = 0; i < report->nr_spans; i++) {
		const struct ct_span *span = &report->spans[i];
		struct diff_item item =
			new_item(gathering, span->is_task ? CT_MEASURE_TASK : CT_MEASURE_REGION);

		name_thing(gathering, &item, span->name, span->site);
		item.nr_going_on = span->open.count;
		measure(gathering, &item, &span->durations);
		take(gathering, item);
	}
	for (i = 0; i < report->nr_counters; i++) {
		struct diff_item item = new_item(gathering, CT_MEASURE_COUNTER);

		name_thing(gathering, &item, report->counters[i].name, report->counters[i].site);
		item.count = report->counters[i].nr_values;
		item.value = (double)report->counters[i].last;
		take(gathering, item);
	}
}

static void gather_findings(struct gathering *gathering)
{
	const struct ct_report *report = gathering->report;
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[i];
		struct diff_item item = new_item(gathering, CT_MEASURE_FINDING);

		name_place(gathering, &item,
			finding->cause_site ? finding->cause_site : finding->wait_site);
		item.name = ct_rule_name(finding->rule);
		item.count = 1;
		take(gathering, item);
	}
}

bool diff_gather(struct ct_diff *diff, const struct ct_report *report, bool is_after)
{
	struct gathering gathering = {
		.diff = diff,
		.report = report,
		.run = (uint32_t)diff->runs.count,
		.is_after = is_after,
	};

	gather_places(&gathering);
	gather_annotations(&gathering);
	gather_findings(&gathering);
	return !gathering.is_broken && vec_push(&diff->runs, is_after);
}
