/* SPDX-License-Identifier: MIT */
/*
 * Turns events into rows.
 *
 * A switch suspends one coroutine and resumes another at one instant. Such an event makes two rows, so that the six
 * keys are complete for each coroutine; it makes one row if rows are counted like events.
 */
#include <stdio.h>
#include <string.h>

#include "event/kind_words.h"
#include "event/flags.h"
#include "export/rows.h"
#include "textrace/names.h"
#include "textrace/textrace.h"

const struct export_column_description export_columns[EXPORT_NR_COLUMNS] = {
#define X(name, text, type, of, meaning) [EXPORT_##name] = {text, EXPORT_##type, of},
#include "export/columns.def"
#undef X
};

static void set_number(struct export_rows *rows, enum export_column column, uint64_t number)
{
	rows->cells[column] = (struct export_cell){.is_set = true, .number = (int64_t)number};
}

/* Row numbers of tables, and numbers of coroutines: 0 means none. */
static void set_reference(struct export_rows *rows, enum export_column column, uint64_t number)
{
	if (number)
		set_number(rows, column, number);
}

/* Texts of tables: "" means unknown. */
static void set_text(struct export_rows *rows, enum export_column column, const char *text)
{
	if (*text)
		rows->cells[column] = (struct export_cell){.is_set = true, .text = text};
}

static void set_times(struct export_rows *rows)
{
	ct_time time = rows->event->time;
	int64_t monotonic;

	if (time == CT_NO_TIME)
		return;
	set_number(rows, EXPORT_TIME_NS, (uint64_t)time);
	if (!__builtin_add_overflow(time, rows->source->tables->epoch_monotonic_ns, &monotonic))
		set_number(rows, EXPORT_TS, (uint64_t)monotonic);
}

static void set_place(struct export_rows *rows)
{
	const struct ct_tables *tables = rows->source->tables;
	const struct ct_event *event = rows->event;
	const struct ct_site *site;

	set_reference(rows, EXPORT_PROCESS, event->process);
	if (event->process && event->process < tables->nr_processes)
		set_reference(rows, EXPORT_PID, tables->processes[event->process].pid);
	set_reference(rows, EXPORT_THREAD, event->thread);
	if (event->thread && event->thread < tables->nr_threads) {
		set_reference(rows, EXPORT_TID, tables->threads[event->thread].tid);
		set_text(rows, EXPORT_THREAD_NAME, tables->threads[event->thread].name);
	}
	set_reference(rows, EXPORT_SITE, event->site);
	if (!event->site || event->site >= tables->nr_sites)
		return;
	site = &tables->sites[event->site];
	set_text(rows, EXPORT_FUNCTION, site->function);
	set_text(rows, EXPORT_FILE, site->file);
	set_text(rows, EXPORT_REASON, site->reason);
	set_reference(rows, EXPORT_LINE, site->line);
}

static void set_kind(struct export_rows *rows)
{
	const char *name = textrace_name(TEXTRACE_KINDS, rows->event->kind);

	if (!name)
		snprintf(rows->kind, sizeof(rows->kind), "kind-%u", rows->event->kind);
	set_text(rows, EXPORT_KIND, name ? name : rows->kind);
}

static void set_argument(struct export_rows *rows)
{
	const struct ct_event *event = rows->event;
	enum textrace_list list;
	const char *key = textrace_argument(event->kind, &list);
	const char *name = key ? textrace_name(list, event->argument) : NULL;

	if (!key && !event->argument)
		return;
	if (!name)
		snprintf(rows->argument, sizeof(rows->argument), "%u", event->argument);
	set_text(rows, EXPORT_ARGUMENT, name ? name : rows->argument);
}

static void set_words(struct export_rows *rows)
{
	const struct ct_event *event = rows->event;

	set_kind(rows);
	set_argument(rows);
	set_number(rows, EXPORT_FLAGS, event_flags_told(event));
	if (kind_has_coro(event->kind))
		set_reference(rows, EXPORT_COROUTINE, event->coro);
	else
		set_number(rows, EXPORT_VALUE, event->coro);
	text_clear(&rows->object);
	textrace_print_object(&rows->object, event);
	set_text(rows, EXPORT_OBJECT, text_peek(&rows->object));
}

/* Rows that were read from JSON lines are kept as they were. */
static void set_row(struct export_rows *rows, const struct ct_row *row)
{
	rows->change = *row;
	text_clear(&rows->address);
	text_add(&rows->address, "0x");
	text_digits(&rows->address, row->address, 16, 16);
	set_number(rows, EXPORT_PROBE_ID, row->probe_id);
	set_text(rows, EXPORT_ADDR, text_peek(&rows->address));
	set_number(rows, EXPORT_SEQ, row->seq);
}

static bool set_change(struct export_rows *rows, uint64_t id, bool is_active)
{
	const struct ct_row *read = source_row(rows->source);
	struct ct_row row;
	struct jsonl_coro *coro;

	if (id == 0)
		return true;
	coro = jsonl_coros_find(&rows->coros, rows->event->process, id);
	if (!coro)
		return false;
	row = (struct ct_row){
		id, is_active ? 0 : coro->frame, jsonl_coro_number(coro, rows->numbers)};
	set_row(rows, read ? read : &row);
	set_number(rows, EXPORT_COROUTINE, id);
	set_number(rows, EXPORT_IS_ACTIVE, is_active);
	return true;
}

/* Notes what a frame event, or a detail, says about its coroutine. */
static bool note(struct export_rows *rows, unsigned detail)
{
	const struct ct_event *event = rows->event;
	struct jsonl_coro *coro;

	if (event->coro == 0)
		return true;
	coro = jsonl_coros_find(&rows->coros, event->process, event->coro);
	if (coro)
		jsonl_coro_note(coro, detail, event->object);
	return coro != NULL;
}

/* Only coroutines of version 1 have these details; for other coroutines, the value of a detail is not a coroutine. */
static bool is_of_version_1(unsigned detail)
{
	return detail == CTP_DETAIL_ADDRESS || detail == CTP_DETAIL_NUMBERING ||
	       detail == CTP_DETAIL_MISSING;
}

/* Notes what the event changes about its coroutine; false: out of memory. */
static bool follow(struct export_rows *rows)
{
	const struct ct_event *event = rows->event;

	switch (event->kind) {
	case CTP_KIND_RESUME:
	case CTP_KIND_CANCEL:
		return set_change(rows, event->coro, true);
	case CTP_KIND_SUSPEND:
		return set_change(rows, event->coro, false);
	case CTP_KIND_SWITCH:
		rows->has_second_half = event->object != 0;
		return set_change(rows, event->coro, false);
	case CTP_KIND_FRAME:
		return note(rows, CTP_DETAIL_ADDRESS);
	case CTP_KIND_DETAIL:
		return !is_of_version_1(event->argument) || note(rows, event->argument);
	case CTP_KIND_DESTROY:
		return jsonl_coros_forget(&rows->coros, event->process, event->coro);
	default:
		return true;
	}
}

void export_rows_init(struct export_rows *rows, struct ct_source *source, struct pass *pass)
{
	*rows = (struct export_rows){.source = source, .pass = pass, .numbers = CT_ROW_NUMBERS_OWN};
	pass_begin(pass, "writing", source->tables->nr_events);
}

void export_rows_fini(struct export_rows *rows)
{
	jsonl_coros_fini(&rows->coros);
	text_fini(&rows->object);
	text_fini(&rows->address);
}

static enum ct_status status_of(
	const struct export_rows *rows, bool is_complete, struct ct_error *reterr)
{
	if (!is_complete || rows->object.is_broken || rows->address.is_broken)
		return ct_fail_memory(reterr);
	return CT_OK;
}

/* Includes events that are not wanted, because a coroutine's rows are counted from its first one on. */
static bool follow_all(struct export_rows *rows)
{
	bool is_complete = follow(rows);

	if (rows->has_second_half)
		is_complete &= set_change(rows, rows->event->object, true);
	rows->has_second_half = false;
	return is_complete;
}

static bool is_wanted(struct export_rows *rows)
{
	pass_advance(rows->pass, 1);
	return pass_is_all(rows->pass) ||
	       pass_count(rows->pass, pass_takes_event(rows->pass, rows->event));
}

static enum ct_status take_event(
	struct export_rows *rows, bool *ret_is_wanted, struct ct_error *reterr)
{
	enum ct_status status = source_next(rows->source, &rows->event, reterr);

	if (status)
		return status;
	memset(rows->cells, 0, sizeof(rows->cells));
	*ret_is_wanted = is_wanted(rows) && !source_is_carried(rows->source);
	if (!*ret_is_wanted)
		return status_of(rows, follow_all(rows), reterr);
	set_number(rows, EXPORT_EVENT, rows->event->sequence);
	set_times(rows);
	set_place(rows);
	set_words(rows);
	return status_of(rows, follow(rows), reterr);
}

enum ct_status export_rows_next(struct export_rows *rows, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	bool is_wanted = false;

	if (rows->has_second_half) {
		rows->has_second_half = false;
		status = status_of(rows, set_change(rows, rows->event->object, true), reterr);
		if (status || !rows->is_by_event)
			return status;
	}
	while (status == CT_OK && !is_wanted)
		status = take_event(rows, &is_wanted, reterr);
	return status;
}
