/* SPDX-License-Identifier: MIT */
/*
 * The tables and lines of one finding: its members, their last events, its chain of causes.
 */
#include <inttypes.h>
#include <stdio.h>

#include "event/kind_words.h"
#include "render/facts.h"
#include "say/safe.h"
#include "say/say.h"

void render_facts_await(
	struct text *text, const struct ct_tables *tables, const struct ct_await *await)
{
	text_format(text, "coroutine %" PRIu64, await->id);
	switch (await->state) {
	case CT_STATE_WAITING:
		text_add(text, " waits for ");
		say_safe(text, await->resource);
		if (!await->site)
			return;
		text_add(text, ", at ");
		say_place(text, tables, await->site);
		return;
	case CT_STATE_RUNNING:
		text_add(text, " runs on ");
		say_thread(text, tables, await->thread);
		return;
	default:
		text_format(text, " is %s", render_state(await->state));
		return;
	}
}

void render_facts_step(
	struct text *text, const struct ct_tables *tables, const struct ct_step *step)
{
	const char *separator = "";

	if (step->coro) {
		text_format(text, "by coroutine %" PRIu64, step->coro);
		separator = " on ";
	}
	if (step->thread) {
		text_add(text, step->coro ? separator : "by ");
		say_thread(text, tables, step->thread);
		text_add(text, step->is_outside ? ", outside any coroutine" : "");
	}
	if (step->coro || step->thread)
		separator = ", ";
	if (step->site) {
		text_format(text, "%sat ", separator);
		say_place(text, tables, step->site);
		separator = ", ";
	}
	if (step->sequence != UINT64_MAX)
		text_format(text, "%sevent %" PRIu64, separator, step->sequence);
}

/* A wake before the wait began, or after it was over, says nothing about the wait. */
static void wake_cell(struct table *table, const struct ct_member *member)
{
	const struct ct_coro *coro = &member->coro;

	if (coro->waker_time != CT_NO_TIME && coro->waker_time >= member->since &&
		!(member->is_over && coro->waker_time > member->until)) {
		say_time(&table->cells, coro->waker_time);
		text_format(&table->cells, " %s", ct_outcome_name(coro->waker_outcome));
	}
	render_table_end_cell(table);
}

/* The time and the thread or coroutine of the cause. What was done stands in the chain of causes. */
static void cause_cell(
	struct table *table, const struct ct_tables *tables, const struct ct_step *cause)
{
	if (cause->text && *cause->text) {
		say_time(&table->cells, cause->time);
		text_add(&table->cells, " by ");
		if (cause->coro)
			text_format(&table->cells, "coroutine %" PRIu64, cause->coro);
		else
			say_thread(&table->cells, tables, cause->thread);
	}
	render_table_end_cell(table);
}

/* A value that all rows share is printed once, above the table, so its column stays empty here. */
static void member_row(struct table *table, const struct ct_report *report,
	const struct facts_common *common, const struct ct_member *member)
{
	const struct ct_tables *tables = report->tables;
	const struct ct_coro *coro = &member->coro;

	render_cell(table, "%" PRIu64, coro->id);
	render_cell_safe(table, member->name);
	render_cell_safe(table, member->task);
	render_cell_function(table, tables, common->function_site ? 0 : coro->function_site);
	render_cell(table, "%s", common->has_state ? "" : render_state(coro->state));
	render_cell_safe(table, member->resource);
	render_cell_time(table, member->since);
	say_span(&table->cells, member->since, member->until);
	render_table_end_cell(table);
	if (coro->frame)
		text_format(&table->cells, "0x%" PRIx64, coro->frame);
	render_table_end_cell(table);
	wake_cell(table, member);
	cause_cell(table, tables, &member->cause);
	render_cell_place(table, tables, common->wait_site ? 0 : coro->wait_site);
	render_cell_place(table, tables, common->spawn_site ? 0 : coro->spawn_site);
}

#define HEADS_BYTES 256u

/* What one that has gone on, or ended, waited for is past. */
static const char *head_of_wait(const struct ct_finding *finding)
{
	uint32_t nr_waiting = 0, i;

	for (i = 0; i < finding->nr_members; i++)
		nr_waiting += finding->members[i].coro.state == CT_STATE_WAITING &&
			      !finding->members[i].is_over;
	if (nr_waiting == finding->nr_members)
		return "waits for";
	return nr_waiting ? "waits, or waited last, for" : "waited last for";
}

void render_facts_members(struct table *table, const struct ct_report *report,
	const struct ct_finding *finding, uint32_t max)
{
	struct facts_common common = render_facts_common(finding);
	char heads[HEADS_BYTES];
	uint32_t i;

	snprintf(heads, sizeof(heads),
		">coroutine|name|works for|function|state|%s|>%s|>for|frame|woken since|cause|"
		"waits at|started at",
		head_of_wait(finding), render_facts_since(finding));
	render_table_init(table, heads);
	for (i = 0; i < finding->nr_members && i < max; i++)
		member_row(table, report, &common, &finding->members[i]);
}

static void event_row(struct table *table, const struct ct_tables *tables,
	const struct ct_member *member, uint32_t index)
{
	const struct ct_event *event = &member->events[index];
	const char *said = member->event_texts ? member->event_texts[index] : "";

	render_cell(table, "%" PRIu64, event->sequence);
	render_cell_time(table, event->time);
	if (event->thread)
		say_thread_name(&table->cells, tables, event->thread);
	render_table_end_cell(table);
	say_kind(&table->cells, event->kind);
	if (event->coro && event->coro != member->coro.id && kind_has_coro(event->kind))
		text_format(&table->cells, " by %" PRIu64, event->coro);
	render_table_end_cell(table);
	if (*said)
		say_safe(&table->cells, said);
	else
		say_event(&table->cells, event);
	render_table_end_cell(table);
	if (event->site)
		say_line(&table->cells, tables, event->site);
	render_table_end_cell(table);
}

void render_facts_events(
	struct table *table, const struct ct_tables *tables, const struct ct_member *member)
{
	uint32_t from =
		member->nr_events > FACTS_MAX_EVENTS ? member->nr_events - FACTS_MAX_EVENTS : 0;
	uint32_t i;

	render_table_init(table, ">event|>time|thread|what||at");
	for (i = from; i < member->nr_events; i++)
		event_row(table, tables, member, i);
}
