/* SPDX-License-Identifier: MIT */
/*
 * The only entry to the renderers: fills in the options' defaults and chooses the form.
 */

#include "base/known_options.h"
#include "render/facts.h"
#include "render/render.h"
#include "render/sarif.h"
#include "render/page.h"
#include "render/picture.h"

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

/* An HTML page is always a whole report. */
static void render_form(const struct page *page)
{
	if (page->options->is_why && page->options->format == CT_REPORT_TEXT)
		render_page_why(page);
	else if (page->options->is_statistics && page->options->format != CT_REPORT_HTML)
		render_page_statistics(page);
	else
		render_page(page);
}

static const char *why_no_picture(const struct ct_report *report)
{
	const char *unseen = render_facts_unseen(report);

	if (report->nr_findings)
		return "No finding has a picture.";
	return unseen ? unseen : "Nothing was found that is wrong.";
}

/* Draws the finding that was asked for, or else the gravest one that has a picture. */
static enum ct_status render_svg(
	const struct ct_report *report, uint32_t number, struct text *text, struct ct_error *reterr)
{
	uint32_t first = number ? number - 1 : 0;
	uint32_t behind = number ? number : report->nr_findings;
	struct scene scene;

	if (number > report->nr_findings)
		return ct_fail(reterr, CT_ERR_NOT_FOUND,
			"there is no finding %u: the report has %u", (unsigned)number,
			(unsigned)report->nr_findings);
	for (; first < behind; first++) {
		if (!render_scene_init(&scene, report, &report->findings[first]))
			continue;
		render_picture_alone(text, &scene);
		return text_status(text, reterr);
	}
	if (number)
		return ct_fail(reterr, CT_ERR_NOT_FOUND,
			"finding %u has no picture: none of its steps has a time, or it is not "
			"among "
			"the first %u",
			(unsigned)number, CT_PICTURES);
	render_picture_none(text, why_no_picture(report));
	return text_status(text, reterr);
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
	case CT_REPORT_SVG:
		return render_svg(report, options.finding, text, reterr);
	case CT_REPORT_JSON:
		render_json(text, report);
		return text_status(text, reterr);
	case CT_REPORT_SARIF:
		render_sarif_begin(&sarif, text, options.source_root);
		render_sarif_run(&sarif, report, NULL);
		render_sarif_run_end(&sarif);
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
