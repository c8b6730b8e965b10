/* SPDX-License-Identifier: MIT */
/*
 * The one door to the renderers: options made complete, and the form chosen.
 */

#include "base/known_options.h"
#include "render/render.h"
#include "render/sarif.h"
#include "render/page.h"

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

static const struct form *form_of(enum ct_report_format format)
{
	switch (format) {
	case CT_REPORT_MARKDOWN:
		return &render_form_markdown;
	case CT_REPORT_HTML:
		return &render_form_html;
	default:
		return &render_form_text;
	}
}

/* A page of HTML is a whole report always. */
static void render_form(const struct page *page)
{
	if (page->options->is_why && page->options->format == CT_REPORT_TEXT)
		render_page_why(page);
	else if (page->options->is_statistics && page->options->format != CT_REPORT_HTML)
		render_page_statistics(page);
	else
		render_page(page);
}

enum ct_status render_report(const struct ct_report *report, const struct ct_report_options *given,
	struct text *text, struct ct_error *reterr)
{
	struct ct_report_options options = complete(given);
	struct render_sarif sarif;

	switch (options.format) {
	case CT_REPORT_TEXT:
	case CT_REPORT_MARKDOWN:
	case CT_REPORT_HTML:
		render_form(&(const struct page){form_of(options.format), text, report, &options});
		return text_status(text, reterr);
	case CT_REPORT_JSON:
		render_json(text, report);
		return text_status(text, reterr);
	case CT_REPORT_SARIF:
		render_sarif_begin(&sarif, text, report, options.source_root);
		render_sarif_end(&sarif);
		return text_status(text, reterr);
	case CT_REPORT_DOT:
		if (!options.is_why)
			break;
		render_dot(text, report);
		return text_status(text, reterr);
	}
	return ct_fail(reterr, CT_ERR_USAGE, "a report has no format %d", (int)options.format);
}
