/* SPDX-License-Identifier: MIT */
/*
 * The public function that hands a trace on.
 */

#include "export/export.h"
#include "base/failure.h"
#include "base/known_options.h"
#include "lib/trace.h"
#include "load/load.h"
#include "slices/slices.h"

/* A database holds the findings, too. */
static enum ct_status to_sqlite(struct ct_trace *trace, const struct ct_export_options *options,
	const char *path, struct ct_error *reterr)
{
	struct ct_analyze_options judging = {
		.size = sizeof(judging), .thresholds = options->thresholds};
	const struct ct_report *report;
	enum ct_status status = ct_analyze(trace, &judging, &report, reterr);

	if (status)
		return status;
	status = ct_trace_rewind(trace, reterr);
	if (status == CT_OK)
		status = export_sqlite(trace->source, report, options->table, path, reterr);
	ct_report_free(report);
	return status;
}

static enum ct_status to_timeline(struct ct_trace *trace, const struct ct_export_options *options,
	const char *path, struct ct_error *reterr)
{
	struct ct_view *view = view_open(trace->source, &trace->live, options->thresholds);
	enum ct_status status;

	if (!view)
		return ct_fail_memory(reterr);
	if (options->format == CT_EXPORT_PERFETTO)
		status = slices_perfetto(view, path, reterr);
	else if (options->format == CT_EXPORT_CHROME)
		status = slices_chrome(view, path, reterr);
	else
		status = slices_otlp(view, path, reterr);
	view_close(view);
	return status;
}

static bool is_older(enum ct_export_format format)
{
	return format == CT_EXPORT_OLDER_POSTGRESQL || format == CT_EXPORT_OLDER_MYSQL;
}

static enum ct_status load(struct ct_trace *trace, struct ct_view *view,
	const struct ct_export_options *options, const char *address, struct ct_error *reterr)
{
	const struct load_options loading = {
		.address = address, .database = options->database, .table = options->table};
	struct ct_source *source = view ? NULL : trace->source;

	if (options->format == CT_EXPORT_POSTGRESQL ||
		options->format == CT_EXPORT_OLDER_POSTGRESQL)
		return load_postgresql(view, source, &loading, reterr);
	return load_mysql(view, source, &loading, reterr);
}

static enum ct_status to_server(struct ct_trace *trace, const struct ct_export_options *options,
	const char *address, struct ct_error *reterr)
{
	struct ct_view *view;
	enum ct_status status;

	if (is_older(options->format))
		return load(trace, NULL, options, address, reterr);
	view = view_open(trace->source, &trace->live, options->thresholds);
	if (!view)
		return ct_fail_memory(reterr);
	status = load(trace, view, options, address, reterr);
	view_close(view);
	return status;
}

enum ct_status ct_export(struct ct_trace *trace, const struct ct_export_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_export_options options;
	enum ct_status status = ct_trace_rewind(trace, reterr);

	if (status)
		return status;
	known_options(&options, sizeof(options), given);
	switch (options.format) {
	case CT_EXPORT_CSV:
		return export_csv(trace->source, EXPORT_FOR_PEOPLE, path, reterr);
	case CT_EXPORT_DATAFRAME:
		return export_csv(trace->source, EXPORT_FOR_DATA_FRAMES, path, reterr);
	case CT_EXPORT_SQLITE:
		return to_sqlite(trace, &options, path, reterr);
	case CT_EXPORT_CTF:
		return export_ctf(trace->source, path, reterr);
	case CT_EXPORT_OLDER_CSV:
		return export_csv(trace->source, EXPORT_OLDER, path, reterr);
	case CT_EXPORT_OLDER_SQLITE:
		return export_sqlite_older(trace->source, options.table, path, reterr);
	case CT_EXPORT_PERFETTO:
	case CT_EXPORT_CHROME:
	case CT_EXPORT_OTLP:
		return to_timeline(trace, &options, path, reterr);
	case CT_EXPORT_POSTGRESQL:
	case CT_EXPORT_MYSQL:
	case CT_EXPORT_OLDER_POSTGRESQL:
	case CT_EXPORT_OLDER_MYSQL:
		return to_server(trace, &options, path, reterr);
	}
	return ct_fail(reterr, CT_ERR_USAGE, "there is no export format %d", (int)options.format);
}
