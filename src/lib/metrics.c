/* SPDX-License-Identifier: MIT */
/*
 * The public function that writes the metrics of a trace.
 */
#include "base/failure.h"
#include "base/io.h"
#include "base/known_options.h"
#include "lib/trace.h"
#include "metrics/metrics.h"
#include "view/view.h"

static enum ct_status write_all(struct ct_view *view, enum ct_metrics_format format,
	struct text *text, struct ct_error *reterr)
{
	struct metrics_given given = {.view = view, .generation = 1};
	struct metrics *metrics = metrics_new();
	enum ct_status status;

	if (!metrics)
		return ct_fail_memory(reterr);
	status = ct_view_report(view, &given.report, reterr);
	if (status == CT_OK)
		status = metrics_write(metrics, &given, format, text, reterr);
	metrics_free(metrics);
	return status;
}

enum ct_status ct_metrics_write(struct ct_trace *trace, const struct ct_metrics_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_metrics_options options;
	struct text text = {0};
	struct ct_view *view;
	enum ct_status status;

	known_options(&options, sizeof(options), given);
	view = view_open(trace->source, &trace->live, options.thresholds);
	if (!view)
		return ct_fail_memory(reterr);
	status = write_all(view, options.format, &text, reterr);
	if (status == CT_OK)
		status = io_write_file(path, text_peek(&text), text.length, reterr);
	text_fini(&text);
	view_close(view);
	return status;
}
