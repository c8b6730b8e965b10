/* SPDX-License-Identifier: MIT */
/*
 * The public functions that export a trace, and tables of a view.
 */
#include "base/failure.h"
#include "base/known_options.h"
#include "export/export.h"
#include "lib/trace.h"
#include "stages/sanitise.h"
#include "store/store.h"
#include "textrace/textrace.h"

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

/* A part of a trace begins with carried events, which only generations can express. */
enum ct_status lib_ctrace(const struct export_job *job, struct ct_error *reterr)
{
	struct ct_source *source = job->view->source, *sanitised;
	enum ct_status status;

	if (!pass_is_all(job->view->pass))
		return ct_fail(reterr, CT_ERR_USAGE,
			"a trace file has no part by rows: 'corotracer cut' makes one by time");
	if (!job->options->is_sanitised)
		return copy(source, job->path, reterr);
	status = sanitise_open(source, &sanitised, reterr);
	if (status)
		return status;
	status = copy(sanitised, job->path, reterr);
	source_close(sanitised);
	return status;
}

const char *ct_export_sanitised(void)
{
	return sanitise_words;
}

static enum ct_status (*const writers[])(const struct export_job *job, struct ct_error *reterr) = {
#define FORM(NAME, folder, file, holds, word, ending, meaning) [CT_EXPORT_##NAME] = folder##_##file,
#define OLDER(NAME, file, word, ending) [CT_EXPORT_##NAME] = export_older_##file,
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
};

/* What a form of exports.def holds. */
enum holds {
	HOLDS_TABLE,
	HOLDS_TABLES,
	HOLDS_DATABASE,
	HOLDS_TIMELINE,
	HOLDS_SPANS,
	HOLDS_EVENTS,
};

static bool is_of_tables(enum ct_export_format format)
{
	static const enum holds of[] = {
#define FORM(NAME, folder, file, holds, word, ending, meaning) [CT_EXPORT_##NAME] = HOLDS_##holds,
#define OLDER(NAME, file, word, ending) [CT_EXPORT_##NAME] = HOLDS_EVENTS,
#define ALSO(NAME, word, ending)
#define ADDRESS(NAME, scheme)
#include "corotracer/def/exports.def"
	};

	return (unsigned)format < sizeof(of) / sizeof(of[0]) && of[format] <= HOLDS_TABLES;
}

static enum ct_status hand_on(struct ct_trace *trace, const struct ct_export_options *options,
	const char *path, struct pass *pass, struct ct_error *reterr)
{
	struct export_job job = {.options = options, .path = path};
	enum ct_status status;

	if ((unsigned)options->format >= sizeof(writers) / sizeof(writers[0]))
		return ct_fail(
			reterr, CT_ERR_USAGE, "there is no export format %d", (int)options->format);
	job.view = view_open(trace->source, &trace->live, options->thresholds);
	if (!job.view)
		return ct_fail_memory(reterr);
	job.view->pass = pass;
	status = writers[options->format](&job, reterr);
	pass->rows.nr_without_room = ct_view_nr_without_room(job.view);
	view_close(job.view);
	return status;
}

enum ct_status ct_export(struct ct_trace *trace, const struct ct_export_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_export_options options;
	struct pass pass;
	enum ct_status status = ct_trace_rewind(trace, reterr);

	if (status)
		return status;
	known_options(&options, sizeof(options), given);
	status = pass_init(&pass, &options, trace->source->tables, reterr);
	if (status == CT_OK)
		status = hand_on(trace, &options, path, &pass, reterr);
	if (status == CT_OK && options.exported)
		*options.exported = pass.rows;
	pass_fini(&pass);
	return status;
}

enum ct_status ct_view_export(struct ct_view *view, const struct ct_export_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_export_options options;
	const struct export_job job = {.view = view, .options = &options, .path = path};

	known_options(&options, sizeof(options), given);
	if (!is_of_tables(options.format) || options.selection)
		return ct_fail(reterr, CT_ERR_USAGE,
			"of an open view, whole tables are exported, as files of tables");
	return writers[options.format](&job, reterr);
}
