/* SPDX-License-Identifier: MIT */
/*
 * The contents of a database beside the events: the tables that they refer to, the findings, and views that put
 * them together.
 */
#include <stdio.h>
#include <string.h>

#include "export/rows.h"
#include "export/sqlite_insert.h"
#include "export/sqlite_tables.h"
#include "textrace/names.h"

enum table {
#define X(name, text, columns, meaning) TABLE_##name,
#include "export/tables.def"
#undef X
	NR_TABLES,
};

static const struct {
	const char *name;
	const char *columns;
} tables_of[NR_TABLES] = {
#define X(name, text, columns, meaning) [TABLE_##name] = {text, columns},
#include "export/tables.def"
#undef X
};

/* -------------------------------------------------------------------- create */

/* Runs what was put together, and releases it. */
static int perform(sqlite3 *database, sqlite3_str *sql)
{
	char *terminated = sqlite3_str_finish(sql);
	int result =
		terminated ? sqlite3_exec(database, terminated, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(terminated);
	return result;
}

static bool is_own(unsigned column)
{
	return !*export_columns[column].of;
}

int export_sqlite_tables_create(sqlite3 *database, const char *events)
{
	sqlite3_str *sql = sqlite3_str_new(database);
	unsigned i;

	for (i = 0; i < NR_TABLES; i++)
		sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (%s);\n", tables_of[i].name,
			tables_of[i].columns);
	sqlite3_str_appendf(sql, "CREATE TABLE \"%w\" (", events);
	for (i = 0; i < EXPORT_NR_COLUMNS; i++) {
		if (is_own(i))
			sqlite3_str_appendf(sql, "%s%s %s", i ? ", " : "", export_columns[i].name,
				export_columns[i].type == EXPORT_TEXT ? "TEXT" : "INTEGER");
	}
	sqlite3_str_appendall(sql, ");\n");
	return perform(database, sql);
}

int export_sqlite_tables_finish(sqlite3 *database, const char *events)
{
	sqlite3_str *sql = sqlite3_str_new(database);
	unsigned i;

	sqlite3_str_appendf(sql,
		"CREATE INDEX \"%w_by_coroutine\" ON \"%w\" (process, coroutine);\n"
		"CREATE VIEW events AS SELECT ",
		events, events);
	for (i = 0; i < EXPORT_NR_COLUMNS; i++)
		sqlite3_str_appendf(sql, "%s%s%s AS %s", i ? ", " : "", is_own(i) ? "e." : "",
			is_own(i) ? export_columns[i].name : export_columns[i].of,
			export_columns[i].name);
	sqlite3_str_appendf(sql,
		" FROM \"%w\" AS e LEFT JOIN processes USING (process) LEFT JOIN threads USING "
		"(thread) LEFT JOIN sites USING (site);\n",
		events);
	sqlite3_str_appendf(sql,
		"CREATE VIEW coroutines AS SELECT process, coroutine, min(time_ns) AS first_ns, "
		"max(time_ns) AS last_ns, count(*) AS nr_rows, sum(is_active IS 1) AS nr_resumes, "
		"sum(is_active IS 0) AS nr_suspends, max(kind = 'destroy') AS is_destroyed FROM "
		"\"%w\" WHERE coroutine IS NOT NULL GROUP BY process, coroutine;\n",
		events);
	return perform(database, sql);
}

/* ---------------------------------------------------------------------- fill */

static void begin(struct sqlite_insert *insert, sqlite3 *database, enum table table)
{
	const char *at = tables_of[table].columns;
	unsigned nr_columns = 1;

	for (; *at; at++)
		nr_columns += *at == ',';
	export_sqlite_insert_open(insert, database, tables_of[table].name, nr_columns);
}

static int fill_trace(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;
	struct sqlite_insert insert;
	char run[sizeof(tables->run_id) * 2 + 1];
	size_t i;

	for (i = 0; i < sizeof(tables->run_id); i++)
		snprintf(run + 2 * i, 3, "%02x", tables->run_id[i]);
	begin(&insert, database, TABLE_TRACE);
	export_sqlite_insert_text(&insert, run);
	export_sqlite_insert_text(&insert, tables->host);
	export_sqlite_insert_text(&insert, tables->clock);
	export_sqlite_insert_number(&insert, tables->epoch_realtime_ns);
	export_sqlite_insert_number(&insert, tables->epoch_monotonic_ns);
	export_sqlite_insert_time(&insert, report->quality.observed_from);
	export_sqlite_insert_time(&insert, report->quality.observed_until);
	export_sqlite_insert_number(&insert, tables->is_complete);
	export_sqlite_insert_number(&insert, tables->has_no_end);
	export_sqlite_insert_number(&insert, (int64_t)report->quality.nr_events);
	export_sqlite_insert_number(&insert, (int64_t)report->quality.nr_lost);
	export_sqlite_insert_number(&insert, (int64_t)report->quality.nr_impossible);
	export_sqlite_insert_row(&insert);
	return export_sqlite_insert_close(&insert);
}

static int fill_processes(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_process *process;
	struct sqlite_insert insert;
	const char *ending;
	uint32_t i;

	begin(&insert, database, TABLE_PROCESSES);
	for (i = 1; i < report->tables->nr_processes; i++) {
		process = &report->tables->processes[i];
		ending = textrace_name(TEXTRACE_ENDINGS, process->ending);
		export_sqlite_insert_number(&insert, i);
		export_sqlite_insert_reference(&insert, process->pid);
		export_sqlite_insert_text(&insert, process->program);
		export_sqlite_insert_text(&insert, process->command_line);
		export_sqlite_insert_time(&insert, process->attached);
		export_sqlite_insert_time(&insert, process->ended);
		export_sqlite_insert_text(&insert, ending ? ending : "");
		export_sqlite_insert_number(&insert, process->ending_value);
		export_sqlite_insert_number(&insert, process->has_probe);
		export_sqlite_insert_number(&insert, process->has_ledger);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static int fill_threads(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_thread *thread;
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_THREADS);
	for (i = 1; i < report->tables->nr_threads; i++) {
		thread = &report->tables->threads[i];
		export_sqlite_insert_number(&insert, i);
		export_sqlite_insert_reference(&insert, thread->process);
		export_sqlite_insert_reference(&insert, thread->tid);
		export_sqlite_insert_text(&insert, thread->name);
		export_sqlite_insert_time(&insert, thread->started);
		export_sqlite_insert_time(&insert, thread->stopped);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static int fill_sites(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_site *site;
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_SITES);
	for (i = 1; i < report->tables->nr_sites; i++) {
		site = &report->tables->sites[i];
		export_sqlite_insert_number(&insert, i);
		export_sqlite_insert_reference(&insert, site->process);
		export_sqlite_insert_text(&insert, site->function);
		export_sqlite_insert_text(&insert, site->file);
		export_sqlite_insert_reference(&insert, site->line);
		export_sqlite_insert_reference(&insert, site->column);
		export_sqlite_insert_text(&insert, site->reason);
		export_sqlite_insert_text(&insert, site->module);
		export_sqlite_insert_reference(&insert, site->module_offset);
		export_sqlite_insert_text(&insert, site->callers);
		export_sqlite_insert_text(&insert, site->form ? ct_form_name(site->form) : "");
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static int fill_losses(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_loss *loss;
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_LOSSES);
	for (i = 0; i < report->quality.nr_losses; i++) {
		loss = &report->quality.losses[i];
		export_sqlite_insert_reference(&insert, loss->process);
		export_sqlite_insert_reference(&insert, loss->thread);
		export_sqlite_insert_reference(&insert, loss->coro);
		export_sqlite_insert_text(&insert, ct_loss_name(loss->reason));
		export_sqlite_insert_number(&insert, (int64_t)loss->count);
		export_sqlite_insert_time(&insert, loss->first);
		export_sqlite_insert_time(&insert, loss->last);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static int fill_notes(sqlite3 *database, const struct ct_report *report)
{
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_NOTES);
	for (i = 0; i < report->tables->nr_notes; i++) {
		export_sqlite_insert_text(&insert, report->tables->notes[i].text);
		export_sqlite_insert_number(&insert, (int64_t)report->tables->notes[i].count);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static int fill_findings(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_finding *finding;
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_FINDINGS);
	for (i = 0; i < report->nr_findings; i++) {
		finding = &report->findings[i];
		export_sqlite_insert_number(&insert, i + 1);
		export_sqlite_insert_text(&insert, ct_rule_name(finding->rule));
		export_sqlite_insert_text(&insert, ct_grade_name(finding->grade));
		export_sqlite_insert_reference(&insert, finding->process);
		export_sqlite_insert_text(&insert, finding->title);
		export_sqlite_insert_reference(&insert, finding->wait_site);
		export_sqlite_insert_reference(&insert, finding->cause_site);
		export_sqlite_insert_number(&insert, finding->nr_members);
		export_sqlite_insert_number(&insert, (int64_t)finding->nr_lost_nearby);
		export_sqlite_insert_number(&insert, (int64_t)finding->first_sequence);
		export_sqlite_insert_number(&insert, (int64_t)finding->last_sequence);
		export_sqlite_insert_text(&insert, ct_rule_wrong_if(finding->rule));
		export_sqlite_insert_text(&insert, finding->next_step);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static void insert_members(
	struct sqlite_insert *insert, uint32_t number, const struct ct_finding *finding)
{
	const struct ct_member *member;
	uint32_t i;

	for (i = 0; i < finding->nr_members; i++) {
		member = &finding->members[i];
		export_sqlite_insert_number(insert, number);
		export_sqlite_insert_reference(insert, member->coro.process);
		export_sqlite_insert_number(insert, (int64_t)member->coro.id);
		export_sqlite_insert_text(insert, ct_state_name(member->coro.state));
		export_sqlite_insert_time(insert, member->since);
		export_sqlite_insert_text(insert, member->resource ? member->resource : "");
		export_sqlite_insert_reference(insert, member->coro.wait_site);
		export_sqlite_insert_reference(insert, member->coro.spawn_site);
		export_sqlite_insert_text(insert, member->name ? member->name : "");
		export_sqlite_insert_text(insert, member->task ? member->task : "");
		export_sqlite_insert_row(insert);
	}
}

static void insert_steps(
	struct sqlite_insert *insert, uint32_t number, const struct ct_finding *finding)
{
	const struct ct_step *step;
	uint32_t i;

	for (i = 0; i < finding->nr_steps; i++) {
		step = &finding->steps[i];
		export_sqlite_insert_number(insert, number);
		export_sqlite_insert_number(insert, i + 1);
		export_sqlite_insert_time(insert, step->time);
		export_sqlite_insert_text(insert, step->text);
		export_sqlite_insert_reference(insert, step->site);
		export_sqlite_insert_reference(insert, step->thread);
		export_sqlite_insert_reference(insert, step->coro);
		if (step->sequence == UINT64_MAX)
			export_sqlite_insert_null(insert);
		else
			export_sqlite_insert_number(insert, (int64_t)step->sequence);
		export_sqlite_insert_row(insert);
	}
}

/* One table that has rows for each finding. */
static int fill_of_findings(sqlite3 *database, const struct ct_report *report, enum table table,
	void (*insert_of)(struct sqlite_insert *, uint32_t, const struct ct_finding *))
{
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, table);
	for (i = 0; i < report->nr_findings; i++)
		insert_of(&insert, i + 1, &report->findings[i]);
	return export_sqlite_insert_close(&insert);
}

static int fill_spans(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_span *span;
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_SPANS);
	for (i = 0; i < report->nr_spans; i++) {
		span = &report->spans[i];
		export_sqlite_insert_text(&insert, span->is_task ? "task" : "region");
		export_sqlite_insert_text(&insert, span->name);
		export_sqlite_insert_reference(&insert, span->process);
		export_sqlite_insert_reference(&insert, span->site);
		export_sqlite_insert_number(&insert, (int64_t)span->nr_begun);
		export_sqlite_insert_number(&insert, (int64_t)span->nr_ended);
		export_sqlite_insert_number(&insert, (int64_t)span->nr_open);
		export_sqlite_insert_number(&insert, span->durations.total_ns);
		export_sqlite_insert_number(&insert, span->durations.p50_ns);
		export_sqlite_insert_number(&insert, span->durations.p99_ns);
		export_sqlite_insert_number(&insert, span->durations.max_ns);
		export_sqlite_insert_number(&insert, span->durations.p90_ns);
		export_sqlite_insert_number(&insert, span->durations.p999_ns);
		export_sqlite_insert_number(&insert, span->durations.p9999_ns);
		export_sqlite_insert_number(&insert, span->open_ns);
		export_sqlite_insert_number(&insert, span->times.unseen_ns);
		export_sqlite_insert_number(&insert, span->times.ready_ns);
		export_sqlite_insert_number(&insert, span->times.running_ns);
		export_sqlite_insert_number(&insert, span->times.waiting_ns);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

static int fill_counters(sqlite3 *database, const struct ct_report *report)
{
	const struct ct_counter *counter;
	struct sqlite_insert insert;
	uint32_t i;

	begin(&insert, database, TABLE_COUNTERS);
	for (i = 0; i < report->nr_counters; i++) {
		counter = &report->counters[i];
		export_sqlite_insert_text(&insert, counter->name);
		export_sqlite_insert_reference(&insert, counter->process);
		export_sqlite_insert_reference(&insert, counter->site);
		export_sqlite_insert_number(&insert, (int64_t)counter->nr_values);
		export_sqlite_insert_number(&insert, counter->last);
		export_sqlite_insert_time(&insert, counter->last_time);
		export_sqlite_insert_number(&insert, counter->least);
		export_sqlite_insert_number(&insert, counter->greatest);
		export_sqlite_insert_row(&insert);
	}
	return export_sqlite_insert_close(&insert);
}

int export_sqlite_tables_fill(sqlite3 *database, const struct ct_report *report)
{
	static int (*const fill[])(sqlite3 *, const struct ct_report *) = {
		fill_trace,
		fill_processes,
		fill_threads,
		fill_sites,
		fill_losses,
		fill_notes,
		fill_findings,
		fill_spans,
		fill_counters,
	};
	int result = SQLITE_OK;
	size_t i;

	for (i = 0; result == SQLITE_OK && i < sizeof(fill) / sizeof(fill[0]); i++)
		result = fill[i](database, report);
	if (result == SQLITE_OK)
		result = fill_of_findings(
			database, report, TABLE_FINDING_COROUTINES, insert_members);
	if (result == SQLITE_OK)
		result = fill_of_findings(database, report, TABLE_FINDING_STEPS, insert_steps);
	return result;
}
