/* SPDX-License-Identifier: MIT */
/*
 * The public function that hands a trace on.
 */
#include <string.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "export/export.h"
#include "lib/trace.h"
#include "slices/slices.h"
#include "stages/sanitise.h"
#include "store/store.h"
#include "textrace/textrace.h"

/* All that an export needs to know. */
struct handed {
	struct ct_trace *trace;
	const struct ct_export_options *options;
	struct pass pass;
	const char *path;
};

static enum ct_status load(
	const struct handed *handed, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_export_options *options = handed->options;
	const struct export_server loading = {
		.address = handed->path, .database = options->database, .table = options->table};
	struct ct_source *source = view ? NULL : handed->trace->source;

	if (options->format == CT_EXPORT_POSTGRESQL ||
		options->format == CT_EXPORT_OLDER_POSTGRESQL)
		return export_postgresql(view, source, &loading, reterr);
	return export_mysql(view, source, &loading, reterr);
}

/* What a view is written as. */
static enum ct_status write_view(
	const struct handed *handed, struct ct_view *view, struct ct_error *reterr)
{
	const char *table = handed->options->table, *path = handed->path;

	switch (handed->options->format) {
	case CT_EXPORT_PERFETTO:
		return slices_perfetto(view, path, reterr);
	case CT_EXPORT_CHROME:
		return slices_chrome(view, path, reterr);
	case CT_EXPORT_OTLP:
		return slices_otlp(view, path, reterr);
	case CT_EXPORT_CSV:
		return export_csv_table(view, EXPORT_FOR_PEOPLE, table, path, reterr);
	case CT_EXPORT_DATAFRAME:
		return export_csv_table(view, EXPORT_FOR_DATA_FRAMES, table, path, reterr);
	case CT_EXPORT_SQLITE:
		return export_sqlite(view, table, path, reterr);
	case CT_EXPORT_PARQUET:
		return export_parquet(view, table, path, reterr);
	case CT_EXPORT_ARROW:
		return export_arrow(view, table, path, reterr);
	default:
		return load(handed, view, reterr);
	}
}

static enum ct_status from_view(struct handed *handed, struct ct_error *reterr)
{
	struct ct_view *view =
		view_open(handed->trace->source, &handed->trace->live, handed->options->thresholds);
	enum ct_status status;

	if (!view)
		return ct_fail_memory(reterr);
	view->pass = &handed->pass;
	status = write_view(handed, view, reterr);
	view_close(view);
	return status;
}

/* A table by its name; "coro_trace_events" is the rows of events, and a second one for a switch. */
static enum ct_status to_csv(struct handed *handed, enum export_form form, struct ct_error *reterr)
{
	const char *table = handed->options->table ? handed->options->table : "events";
	bool is_by_event = strcmp(table, EXPORT_DEFAULT_TABLE) != 0;

	if (is_by_event && strcmp(table, "events") != 0)
		return from_view(handed, reterr);
	return export_csv(
		handed->trace->source, &handed->pass, form, is_by_event, handed->path, reterr);
}

static enum ct_status copy(struct ct_source *source, const char *path, struct ct_error *reterr)
{
	struct store_options options = {.pack_level = 0};
	struct ct_sink *sink;
	enum ct_status status = store_sink_open(path, &options, &sink, reterr);

	if (status)
		return status;
	status = textrace_to_sink(source, sink, reterr);
	if (status) {
		sink_close(sink, false, NULL);
		return status;
	}
	return sink_close(sink, true, reterr);
}

/* A part of a trace begins with how things stood then, which is told for generations alone. */
static enum ct_status to_ctrace(struct handed *handed, struct ct_error *reterr)
{
	struct ct_source *source = handed->trace->source, *sanitised;
	enum ct_status status;

	if (!pass_is_all(&handed->pass))
		return ct_fail(reterr, CT_ERR_USAGE,
			"a trace file has no part by rows: 'corotracer cut' makes one by time");
	if (!handed->options->is_sanitised)
		return copy(source, handed->path, reterr);
	status = sanitise_open(source, &sanitised, reterr);
	if (status)
		return status;
	status = copy(sanitised, handed->path, reterr);
	source_close(sanitised);
	return status;
}

const char *ct_export_sanitised(void)
{
	return sanitise_words;
}

static enum ct_status hand_on(struct handed *handed, struct ct_error *reterr)
{
	struct ct_source *source = handed->trace->source;
	struct pass *pass = &handed->pass;
	const char *path = handed->path;

	switch (handed->options->format) {
	case CT_EXPORT_CSV:
		return to_csv(handed, EXPORT_FOR_PEOPLE, reterr);
	case CT_EXPORT_DATAFRAME:
		return to_csv(handed, EXPORT_FOR_DATA_FRAMES, reterr);
	case CT_EXPORT_CTF:
		return export_ctf(source, pass, path, reterr);
	case CT_EXPORT_CTRACE:
		return to_ctrace(handed, reterr);
	case CT_EXPORT_OLDER_CSV:
		return export_csv(source, pass, EXPORT_OLDER, false, path, reterr);
	case CT_EXPORT_OLDER_SQLITE:
		return export_sqlite_older(source, pass, handed->options->table, path, reterr);
	case CT_EXPORT_OLDER_POSTGRESQL:
	case CT_EXPORT_OLDER_MYSQL:
		return load(handed, NULL, reterr);
	case CT_EXPORT_SQLITE:
	case CT_EXPORT_PERFETTO:
	case CT_EXPORT_CHROME:
	case CT_EXPORT_OTLP:
	case CT_EXPORT_PARQUET:
	case CT_EXPORT_ARROW:
	case CT_EXPORT_POSTGRESQL:
	case CT_EXPORT_MYSQL:
		return from_view(handed, reterr);
	}
	return ct_fail(
		reterr, CT_ERR_USAGE, "there is no export format %d", (int)handed->options->format);
}

enum ct_status ct_export(struct ct_trace *trace, const struct ct_export_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_export_options options;
	struct handed handed = {.trace = trace, .options = &options, .path = path};
	enum ct_status status = ct_trace_rewind(trace, reterr);

	if (status)
		return status;
	known_options(&options, sizeof(options), given);
	status = pass_init(&handed.pass, &options, trace->source->tables, reterr);
	if (status == CT_OK)
		status = hand_on(&handed, reterr);
	if (status == CT_OK && options.exported)
		*options.exported = handed.pass.rows;
	pass_fini(&handed.pass);
	return status;
}
