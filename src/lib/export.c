/* SPDX-License-Identifier: MIT */
/*
 * The public function that hands a trace on.
 */

#include "export/export.h"
#include "base/failure.h"
#include "base/known_options.h"
#include "columnar/columnar.h"
#include "lib/trace.h"
#include "load/load.h"
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

/* A database holds the findings, too. */
static enum ct_status to_sqlite(struct handed *handed, struct ct_error *reterr)
{
	struct ct_analyze_options judging = {
		.size = sizeof(judging), .thresholds = handed->options->thresholds};
	const struct ct_report *report;
	enum ct_status status;

	pass_begin(&handed->pass, "judging", 0);
	status = ct_analyze(handed->trace, &judging, &report, reterr);
	if (status)
		return status;
	status = ct_trace_rewind(handed->trace, reterr);
	if (status == CT_OK)
		status = export_sqlite(handed->trace->source, &handed->pass, report,
			handed->options->table, handed->path, reterr);
	ct_report_free(report);
	return status;
}

static struct ct_view *open_view(struct handed *handed)
{
	struct ct_view *view =
		view_open(handed->trace->source, &handed->trace->live, handed->options->thresholds);

	if (view)
		view->pass = &handed->pass;
	return view;
}

static enum ct_status to_timeline(struct handed *handed, struct ct_error *reterr)
{
	struct ct_view *view = open_view(handed);
	enum ct_status status;

	if (!view)
		return ct_fail_memory(reterr);
	if (handed->options->format == CT_EXPORT_PERFETTO)
		status = slices_perfetto(view, handed->path, reterr);
	else if (handed->options->format == CT_EXPORT_CHROME)
		status = slices_chrome(view, handed->path, reterr);
	else
		status = slices_otlp(view, handed->path, reterr);
	view_close(view);
	return status;
}

static enum ct_status to_columns(struct handed *handed, struct ct_error *reterr)
{
	struct ct_view *view = open_view(handed);
	enum ct_status status;

	if (!view)
		return ct_fail_memory(reterr);
	if (handed->options->format == CT_EXPORT_PARQUET)
		status = columnar_parquet(view, handed->options->table, handed->path, reterr);
	else
		status = columnar_arrow(view, handed->options->table, handed->path, reterr);
	view_close(view);
	return status;
}

static bool is_older(enum ct_export_format format)
{
	return format == CT_EXPORT_OLDER_POSTGRESQL || format == CT_EXPORT_OLDER_MYSQL;
}

static enum ct_status load(
	const struct handed *handed, struct ct_view *view, struct ct_error *reterr)
{
	const struct ct_export_options *options = handed->options;
	const struct load_options loading = {
		.address = handed->path, .database = options->database, .table = options->table};
	struct ct_source *source = view ? NULL : handed->trace->source;

	if (options->format == CT_EXPORT_POSTGRESQL ||
		options->format == CT_EXPORT_OLDER_POSTGRESQL)
		return load_postgresql(view, source, &loading, reterr);
	return load_mysql(view, source, &loading, reterr);
}

static enum ct_status to_server(struct handed *handed, struct ct_error *reterr)
{
	struct ct_view *view;
	enum ct_status status;

	if (is_older(handed->options->format))
		return load(handed, NULL, reterr);
	view = open_view(handed);
	if (!view)
		return ct_fail_memory(reterr);
	status = load(handed, view, reterr);
	view_close(view);
	return status;
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
		return export_csv(source, pass, EXPORT_FOR_PEOPLE, path, reterr);
	case CT_EXPORT_DATAFRAME:
		return export_csv(source, pass, EXPORT_FOR_DATA_FRAMES, path, reterr);
	case CT_EXPORT_SQLITE:
		return to_sqlite(handed, reterr);
	case CT_EXPORT_CTF:
		return export_ctf(source, pass, path, reterr);
	case CT_EXPORT_CTRACE:
		return to_ctrace(handed, reterr);
	case CT_EXPORT_OLDER_CSV:
		return export_csv(source, pass, EXPORT_OLDER, path, reterr);
	case CT_EXPORT_OLDER_SQLITE:
		return export_sqlite_older(source, pass, handed->options->table, path, reterr);
	case CT_EXPORT_PERFETTO:
	case CT_EXPORT_CHROME:
	case CT_EXPORT_OTLP:
		return to_timeline(handed, reterr);
	case CT_EXPORT_PARQUET:
	case CT_EXPORT_ARROW:
		return to_columns(handed, reterr);
	case CT_EXPORT_POSTGRESQL:
	case CT_EXPORT_MYSQL:
	case CT_EXPORT_OLDER_POSTGRESQL:
	case CT_EXPORT_OLDER_MYSQL:
		return to_server(handed, reterr);
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
