/* SPDX-License-Identifier: MIT */
/*
 * The words of one finding: its place, its beginning, the number of members, the grade, and what to do next.
 */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "render/facts.h"
#include "say/safe.h"
#include "say/say.h"

/* The site that all members have in common in this field, or 0. */
static uint32_t common_site(const struct ct_finding *finding, size_t offset)
{
	uint32_t site = 0, present, i;

	for (i = 0; i < finding->nr_members; i++) {
		memcpy(&present, (const char *)&finding->members[i].coro + offset, sizeof(present));
		if (i > 0 && present != site)
			return 0;
		site = present;
	}
	return site;
}

static bool has_common_state(const struct ct_finding *finding)
{
	uint32_t i;

	for (i = 1; i < finding->nr_members; i++) {
		if (finding->members[i].coro.state != finding->members[0].coro.state)
			return false;
	}
	return true;
}

const char *render_state(enum ct_state state)
{
	switch (state) {
#define X(name, text, words)  \
	case CT_STATE_##name: \
		return words;
#include "corotracer/def/states.def"
#undef X
	}
	return "unknown";
}

struct facts_common render_facts_common(const struct ct_finding *finding)
{
	struct facts_common common = {
		.has_state = has_common_state(finding),
		.spawn_site = common_site(finding, offsetof(struct ct_coro, spawn_site)),
		.function_site = common_site(finding, offsetof(struct ct_coro, function_site)),
		.wait_site = finding->wait_site,
	};

	if (!common.wait_site)
		common.wait_site = common_site(finding, offsetof(struct ct_coro, wait_site));
	return common;
}

static void place_row(
	struct text *rows, const char *label, const struct ct_tables *tables, uint32_t site)
{
	if (!site)
		return;
	render_facts_begin(rows, label);
	say_place(rows, tables, site);
	render_facts_end(rows);
}

/* Lists several places, with the number of members that wait at each. */
static void waits_rows(
	struct text *rows, const struct ct_tables *tables, const struct ct_finding *finding)
{
	uint32_t i;

	for (i = 0; i < finding->nr_waits_at; i++) {
		render_facts_begin(rows, i ? "" : "waiting at");
		text_count(rows, finding->waits_at[i].nr_coros);
		text_add(rows, " at ");
		say_place(rows, tables, finding->waits_at[i].site);
		render_facts_end(rows);
	}
}

/* Since when, and how long, members have been in their state: the least and the most of each. */
struct range_of_since {
	ct_time first;
	ct_time last; /* CT_NO_TIME: unknown for all members */
	int64_t shortest_ns;
	int64_t longest_ns;
	uint32_t nr_gone; /* members whose state ended when they were destroyed */
	uint32_t nr_there;
};

static void take_in(struct range_of_since *range, const struct ct_member *member)
{
	ct_time since = member->since;
	bool is_gone =
		member->coro.state == CT_STATE_DESTROYED && member->coro.destroyed == member->until;
	int64_t ns = ct_time_between(since, member->until);

	range->first = since < range->first ? since : range->first;
	range->last = since > range->last ? since : range->last;
	range->shortest_ns = ns < range->shortest_ns ? ns : range->shortest_ns;
	range->longest_ns = ns > range->longest_ns ? ns : range->longest_ns;
	range->nr_gone += is_gone;
	range->nr_there += !is_gone && !member->is_over;
}

static struct range_of_since range_of_since(const struct ct_finding *finding)
{
	struct range_of_since range = {.first = INT64_MAX,
		.last = CT_NO_TIME,
		.shortest_ns = INT64_MAX,
		.longest_ns = INT64_MIN};
	uint32_t i;

	for (i = 0; i < finding->nr_members; i++)
		if (finding->members[i].since != CT_NO_TIME)
			take_in(&range, &finding->members[i]);
	return range;
}

static const char *words_until(const struct range_of_since *range)
{
	if (!range->nr_there && !range->nr_gone)
		return "";
	if (!range->nr_gone)
		return " when observation ended";
	if (!range->nr_there)
		return range->nr_gone == 1 ? " until it was destroyed"
					   : " until they were destroyed";
	return " until they were destroyed, or observation ended";
}

/* "2.17 s to 2.19 s", or only one of the two if both print the same. */
static void range(struct text *rows, const struct text *first, const struct text *last)
{
	text_add(rows, text_peek(first));
	if (strcmp(text_peek(first), text_peek(last)) != 0)
		text_format(rows, " to %s", text_peek(last));
}

const char *render_facts_since(const struct ct_finding *finding)
{
	uint32_t i;

	for (i = 0; i < finding->nr_members; i++)
		if (!finding->members[i].is_over)
			return "since";
	switch (finding->rule) {
	case CT_RULE_STARVATION:
	case CT_RULE_PASSED_OVER:
		return "ready from";
	case CT_RULE_WORKER_HOG:
		return "ran from";
	default:
		return "from";
	}
}

static void since_row(struct text *rows, const struct ct_finding *finding)
{
	struct range_of_since known = range_of_since(finding);
	struct text words[2] = {{0}, {0}};

	if (known.last == CT_NO_TIME)
		return;
	render_facts_begin(rows, render_facts_since(finding));
	say_time(&words[0], known.first);
	say_time(&words[1], known.last);
	range(rows, &words[0], &words[1]);
	text_add(rows, "; for ");
	text_clear(&words[0]);
	text_clear(&words[1]);
	text_duration(&words[0], known.shortest_ns);
	text_duration(&words[1], known.longest_ns);
	range(rows, &words[0], &words[1]);
	text_add(rows, words_until(&known));
	render_facts_end(rows);
	render_facts_drop(rows, &words[0]);
	render_facts_drop(rows, &words[1]);
}

/* The member of a convoy is only the one that was woken last. */
bool render_facts_is_of_place(const struct ct_finding *finding)
{
	return finding->rule == CT_RULE_LOCK_CONVOY;
}

static void members_row(struct text *rows, const struct ct_finding *finding)
{
	if (!finding->nr_members || render_facts_is_of_place(finding))
		return;
	render_facts_begin(rows, "how many");
	text_count(rows, finding->nr_members);
	if (finding->nr_peers >= finding->nr_members && finding->peers && *finding->peers) {
		text_add(rows, " of ");
		say_count(rows, finding->nr_peers, "coroutine ", "coroutines ");
		say_safe(rows, finding->peers);
	} else {
		text_add(rows, finding->nr_members == 1 ? " coroutine" : " coroutines");
	}
	render_facts_end(rows);
}

/*
 * If the creation of a coroutine is not inlined into its caller, the recorded spawn place lies in the coroutine's own
 * function: it says which function runs, not where it was spawned.
 */
static bool is_own_function(
	const struct ct_tables *tables, uint32_t spawn_site, uint32_t function_site)
{
	if (!spawn_site || spawn_site >= tables->nr_sites || function_site >= tables->nr_sites)
		return false;
	return tables->sites[function_site].function[0] != '\0' &&
	       strcmp(tables->sites[spawn_site].function, tables->sites[function_site].function) ==
		       0;
}

static uint64_t common_parent(const struct ct_finding *finding)
{
	uint32_t i;

	for (i = 1; i < finding->nr_members; i++) {
		if (finding->members[i].coro.parent != finding->members[0].coro.parent)
			return 0;
	}
	return finding->nr_members ? finding->members[0].coro.parent : 0;
}

static void spawn_rows(struct text *rows, const struct ct_tables *tables,
	const struct ct_finding *finding, const struct facts_common *common)
{
	uint64_t parent = common_parent(finding);
	bool is_own = is_own_function(tables, common->spawn_site, common->function_site);

	place_row(rows, is_own ? "running" : "started at", tables, common->spawn_site);
	if (!parent)
		return;
	render_facts_row(rows, "started by", "coroutine %" PRIu64, parent);
}

void render_facts_finding(
	struct text *rows, const struct ct_report *report, const struct ct_finding *finding)
{
	const struct ct_tables *tables = report->tables;
	struct facts_common common = render_facts_common(finding);

	place_row(rows, "waiting at", tables, common.wait_site);
	if (!common.wait_site && finding->nr_waits_at > 1)
		waits_rows(rows, tables, finding);
	spawn_rows(rows, tables, finding, &common);
	members_row(rows, finding);
	since_row(rows, finding);
	if (finding->cause_site || finding->look_site != common.wait_site)
		place_row(rows, "look first at", tables, finding->look_site);
}

static void observed_row(
	struct text *rows, const struct ct_report *report, const struct ct_finding *finding)
{
	const struct ct_tables *tables = report->tables;

	render_facts_begin(rows, "observed until");
	say_time(rows, report->quality.observed_until);
	if (finding->process && finding->process < tables->nr_processes) {
		text_add(rows, "; ");
		say_program(rows, &tables->processes[finding->process]);
		text_add(rows, ": ");
		say_ending(rows, &tables->processes[finding->process]);
	}
	render_facts_end(rows);
}

static void losses_row(struct text *rows, const struct ct_finding *finding)
{
	render_facts_begin(rows, "lost nearby");
	if (finding->nr_lost_nearby == 0) {
		text_add(rows, "nothing: no event is missing on the threads concerned");
	} else {
		say_count(rows, finding->nr_lost_nearby, "event is missing", "events are missing");
		text_add(rows, " on the threads concerned");
	}
	render_facts_end(rows);
}

static const char *meaning_of_grade(enum ct_grade grade)
{
	switch (grade) {
	case CT_GRADE_PROVEN:
		return "a contradiction, in a window without gaps";
	case CT_GRADE_LIKELY:
		return "a limit is passed, and an independent fact agrees";
	case CT_GRADE_SUSPECT:
		return "age or shape alone";
	case CT_GRADE_NONE:
		break;
	}
	return "not graded";
}

static void list_rows(struct text *rows, const char *label, const char *const *list, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count && i < FACTS_MAX_LIST; i++) {
		render_facts_safe(rows, label, list[i]);
	}
	if (count > FACTS_MAX_LIST)
		render_facts_row(rows, label, "... and %" PRIu32 " more", count - FACTS_MAX_LIST);
}

static void evidence_row(struct text *rows, const struct ct_report *report,
	const struct ct_finding *finding, const char *trace)
{
	/* Events of a look at a process are in no file. */
	if (finding->first_sequence == UINT64_MAX || (!trace && report->live.pid))
		return;
	render_facts_begin(rows, "evidence");
	if (finding->last_sequence == finding->first_sequence)
		text_format(rows, "event %" PRIu64 ": corotracer dump --events %" PRIu64 " ",
			finding->first_sequence, finding->first_sequence);
	else
		text_format(rows,
			"events %" PRIu64 " to %" PRIu64 ": corotracer dump --events %" PRIu64
			"-%" PRIu64 " ",
			finding->first_sequence, finding->last_sequence, finding->first_sequence,
			finding->last_sequence);
	say_command_word(rows, trace ? trace : "FILE");
	render_facts_end(rows);
}

void render_facts_judgement(struct text *rows, const struct ct_report *report,
	const struct ct_finding *finding, const char *trace)
{
	list_rows(rows, "besides", finding->evidence, finding->nr_evidence);
	observed_row(rows, report, finding);
	losses_row(rows, finding);
	render_facts_row(rows, "grade", "%s: %s", ct_grade_name(finding->grade),
		meaning_of_grade(finding->grade));
	list_rows(rows, "lowered since", finding->lowered, finding->nr_lowered);
	render_facts_row(rows, "could be wrong", "if %s", ct_rule_wrong_if(finding->rule));
	render_facts_safe(rows, "next step", finding->next_step);
	evidence_row(rows, report, finding, trace);
}
