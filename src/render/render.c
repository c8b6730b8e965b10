/* SPDX-License-Identifier: MIT */
/*
 * The one door to the renderers: options made complete, and the form chosen.
 */

#include "base/known_options.h"
#include "render/render.h"
#include "render/report.h"

#define DEFAULT_FINDINGS 20u
#define DEFAULT_MEMBERS 10u
#define DEFAULT_WIDTH 100u
#define LEAST_WIDTH 60u
#define DEFAULT_ROWS 20u

static struct ct_report_options complete(const struct ct_report_options *given)
{
	struct ct_report_options options;

	known_options(&options, sizeof(options), given);
	if (options.max_findings == 0)
		options.max_findings = DEFAULT_FINDINGS;
	if (options.max_members == 0)
		options.max_members = DEFAULT_MEMBERS;
	if (options.max_rows == 0)
		options.max_rows = DEFAULT_ROWS;
	if (options.width == 0)
		options.width = DEFAULT_WIDTH;
	if (options.width < LEAST_WIDTH)
		options.width = LEAST_WIDTH;
	return options;
}

enum ct_status render_report(const struct ct_report *report, const struct ct_report_options *given,
	struct text *text, struct ct_error *reterr)
{
	struct ct_report_options options = complete(given);

	if (options.is_why && options.format == CT_REPORT_TEXT) {
		render_report_why(text, report, &options);
		return text_status(text, reterr);
	}
	switch (options.format) {
	case CT_REPORT_TEXT:
		if (options.is_statistics)
			render_statistics_text(text, report, &options);
		else
			render_report_text(text, report, &options);
		return text_status(text, reterr);
	case CT_REPORT_MARKDOWN:
		if (options.is_statistics)
			render_statistics_markdown(text, report, &options);
		else
			render_report_markdown(text, report, &options);
		return text_status(text, reterr);
	case CT_REPORT_HTML:
		render_report_html(text, report, &options);
		return text_status(text, reterr);
	case CT_REPORT_JSON:
		render_report_json(text, report);
		return text_status(text, reterr);
	case CT_REPORT_DOT:
		if (!options.is_why)
			break;
		render_report_dot(text, report);
		return text_status(text, reterr);
	}
	return ct_fail(reterr, CT_ERR_USAGE, "a report has no format %d", (int)options.format);
}
