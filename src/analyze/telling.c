/* SPDX-License-Identifier: MIT */
/*
 * What the program records about its coroutines, and what it does not.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/parts.h"
#include "analyze/telling.h"
#include "say/say.h"

#define TELLS(kind) (UINT64_C(1) << CTP_KIND_##kind)
#define WAITED(resource) (1u << CTP_RESOURCE_##resource)
static const struct {
	const char *what;
	uint64_t kinds;  /* a bit for each kind of event; 0: counted otherwise */
	uint32_t waited; /* kinds of resources, one bit each */
	const char *silent;
	const char *less;
} facts[CT_NR_FACTS] = {
#define X(name, what, kinds, waited, calls, needed, more) {what, kinds, waited, needed, more},
#include "corotracer/def/integration.def"
#undef X
};

struct telling *analyze_telling_new(void)
{
	return calloc(1, sizeof(struct telling));
}

static void free_lists(struct telling *telling)
{
	vec_fini(&telling->places);
	vec_fini(&telling->parked);
}

void analyze_telling_clear(struct telling *telling)
{
	/* The latest waits are by far the largest part; none is there without its place. */
	size_t nr_bytes =
		telling->places.count ? sizeof(*telling) : offsetof(struct telling, latest);

	free_lists(telling);
	memset(telling, 0, nr_bytes);
}

void analyze_telling_free(struct telling *telling)
{
	if (telling)
		free_lists(telling);
	free(telling);
}

/* ---------------------------------------------------------------- counting */

/* The latest wait of the event's coroutine; NULL: not known. */
static struct telling_wait *wait_of(struct telling *telling, const struct ct_event *event)
{
	struct telling_wait *wait = &telling->latest[event->coro % TELLING_LATEST];

	return event->coro && wait->coro == event->coro && wait->process == event->process ? wait
											   : NULL;
}

static bool make_room(struct telling *telling, uint32_t site)
{
	struct telling_place none = {0};

	while (telling->places.count <= site)
		if (!vec_push(&telling->places, none))
			return false;
	return true;
}

static void add_wait(struct telling *telling, const struct telling_wait *wait, int step)
{
	struct telling_place *place = &telling->places.at[wait->site];

	telling->nr_waits += step;
	place->nr_waits += step;
	if (!wait->is_named)
		return;
	telling->nr_named += step;
	place->nr_named += step;
}

static void note_resource(struct telling *telling, uint64_t handle)
{
	if (CTP_HANDLE_RESOURCE(handle) < 32)
		telling->waited |= 1u << CTP_HANDLE_RESOURCE(handle);
}

static bool note_wait(
	struct telling *telling, const struct ct_tables *tables, const struct ct_event *event)
{
	bool is_named = event->kind == CTP_KIND_SUSPEND && event->object;
	uint32_t site = event->site < tables->nr_sites ? event->site : 0;
	struct telling_wait wait = {event->coro, event->process, site, is_named};

	if (event->argument != CTP_POINT_AWAIT || !event->coro)
		return true;
	if (!make_room(telling, site))
		return false;
	add_wait(telling, &wait, 1);
	if (is_named)
		note_resource(telling, event->object);
	telling->latest[event->coro % TELLING_LATEST] = wait;
	return true;
}

/* Cancels the coroutine's latest wait, which did not take place. */
static void take_back(struct telling *telling, const struct ct_event *event)
{
	struct telling_wait *wait = wait_of(telling, event);

	if (!wait)
		return;
	add_wait(telling, wait, -1);
	wait->coro = 0;
}

/* The event that names the object of a wait may come after the wait: at a switch it does. */
static void name_wait(struct telling *telling, const struct ct_event *event)
{
	struct telling_wait *wait = wait_of(telling, event);

	note_resource(telling, event->object);
	if (!wait || wait->is_named)
		return;
	add_wait(telling, wait, -1);
	wait->is_named = true;
	add_wait(telling, wait, 1);
}

static void note_detail(struct telling *telling, const struct ct_event *event)
{
	if (event->argument == CTP_DETAIL_DEADLINE)
		telling->nr_deadlines++;
	if (event->argument == CTP_DETAIL_RESOURCE && event->object)
		name_wait(telling, event);
}

static bool note_parked(struct telling *telling, const struct ct_event *event)
{
	while (telling->parked.count <= event->thread)
		if (!vec_push(&telling->parked, false))
			return false;
	telling->parked.at[event->thread] = event->kind == CTP_KIND_PARK;
	return true;
}

static void note_run(struct telling *telling, const struct ct_event *event)
{
	if (event->thread < telling->parked.count)
		telling->nr_parked_runs += telling->parked.at[event->thread];
}

#define NOTED                                                                           \
	(TELLS(SUSPEND) | TELLS(SWITCH) | TELLS(PARK) | TELLS(UNPARK) | TELLS(RESUME) | \
		TELLS(CANCEL) | TELLS(DETAIL))

/* Notes an event of one of these kinds; apart, so that others save no registers for it. False: out of memory. */
static __attribute__((noinline)) bool note(
	struct telling *telling, const struct ct_tables *tables, const struct ct_event *event)
{
	switch (event->kind) {
	case CTP_KIND_SUSPEND:
	case CTP_KIND_SWITCH:
		return note_wait(telling, tables, event);
	case CTP_KIND_PARK:
	case CTP_KIND_UNPARK:
		return note_parked(telling, event);
	case CTP_KIND_RESUME:
		note_run(telling, event);
		return true;
	case CTP_KIND_CANCEL:
		take_back(telling, event);
		return true;
	case CTP_KIND_DETAIL:
		note_detail(telling, event);
		return true;
	default:
		return true;
	}
}

bool analyze_telling_note(
	struct telling *telling, const struct ct_tables *tables, const struct ct_event *event)
{
	if (event->kind >= CT_INTEGRATION_KINDS)
		return true;
	telling->nr_by_kind[event->kind]++;
	return !(NOTED >> event->kind & 1) || note(telling, tables, event);
}

/* ---------------------------------------------------------------- into the report */

static uint64_t count_of(const struct telling *telling, unsigned fact)
{
	uint64_t count = 0;
	unsigned kind;

	if (fact == CT_FACT_RESOURCE)
		return telling->nr_named;
	if (fact == CT_FACT_DEADLINE)
		return telling->nr_deadlines;
	for (kind = 0; kind < CT_INTEGRATION_KINDS; kind++)
		if (facts[fact].kinds >> kind & 1)
			count += telling->nr_by_kind[kind];
	return count;
}

/* Does every wait name its resource, and is none of them of a kind that the fact is about? */
static bool is_needless(const struct telling *telling, unsigned fact)
{
	return facts[fact].waited && !(facts[fact].waited & telling->waited) && telling->nr_waits &&
	       telling->nr_named == telling->nr_waits;
}

static void export_facts(struct analysis *analysis, const struct telling *telling,
	struct ct_integration *integration)
{
	struct ct_fact *list = analyze_array(analysis, CT_NR_FACTS, sizeof(*list));
	unsigned i;

	for (i = 0; list && i < CT_NR_FACTS; i++)
		list[i] = (struct ct_fact){
			.what = facts[i].what,
			.nr_events = count_of(telling, i),
			.is_needed = !is_needless(telling, i),
			.waited = facts[i].waited,
			.silent = facts[i].silent,
			.less = facts[i].less,
		};
	integration->facts = list;
	integration->nr_facts = list ? CT_NR_FACTS : 0;
}

static int compare(const void *left, const void *right)
{
	const struct ct_unnamed *a = left, *b = right;
	int order = (a->nr_waits < b->nr_waits) - (a->nr_waits > b->nr_waits);

	return order ? order : (a->site > b->site) - (a->site < b->site);
}

static uint64_t nr_unnamed_at(const struct telling *telling, size_t site)
{
	return telling->places.at[site].nr_waits - telling->places.at[site].nr_named;
}

static void export_unnamed(struct analysis *analysis, const struct telling *telling,
	struct ct_integration *integration)
{
	struct ct_unnamed *list;
	uint32_t count = 0;
	size_t i;

	for (i = 0; i < telling->places.count; i++)
		count += nr_unnamed_at(telling, i) != 0;
	list = analyze_array(analysis, count, sizeof(*list));
	if (!list)
		return;
	for (i = 0, count = 0; i < telling->places.count; i++)
		if (nr_unnamed_at(telling, i))
			list[count++] = (struct ct_unnamed){
				.site = (uint32_t)i, .nr_waits = nr_unnamed_at(telling, i)};
	if (count)
		qsort(list, count, sizeof(*list), compare);
	integration->unnamed = list;
	integration->nr_unnamed = count;
}

void analyze_telling_export(
	struct analysis *analysis, const struct telling *telling, struct ct_report *report)
{
	struct ct_integration *integration = &report->integration;

	integration->nr_waits = telling->nr_waits;
	integration->nr_parked_runs = telling->nr_parked_runs;
	memcpy(integration->nr_by_kind, telling->nr_by_kind, sizeof(integration->nr_by_kind));
	export_facts(analysis, telling, integration);
	export_unnamed(analysis, telling, integration);
}

bool analyze_telling_is_by_scheduler(const struct analysis *analysis, const struct model_coro *coro)
{
	enum say_language language = say_language(analysis->tables, coro->wait_site);

	return language == SAY_LANGUAGE_C || language == SAY_LANGUAGE_CPP ||
	       language == SAY_LANGUAGE_ZIG;
}
