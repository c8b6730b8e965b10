/* SPDX-License-Identifier: MIT */
/*
 * Verdicts as text for people, as JSON for programs, and as JUnit's XML and SARIF for continuous integration.
 */
#include <inttypes.h>

#include "base/json_write.h"
#include "check/check.h"
#include "render/sarif.h"
#include "say/safe.h"
#include "say/say.h"

#define RED "\033[1;31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

/* Findings listed for one assertion; a report has all of them. */
#define FINDINGS_MAX 5u

static uint64_t nr_of(const struct ct_checks *checks, enum ct_verdict verdict)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < checks->results.count; i++)
		count += checks->results.at[i].verdict == verdict;
	return count;
}

/* Names what was checked; by default the first process of the trace. */
static void say_subject(
	struct text *text, const struct ct_checks *checks, const struct ct_checks_options *options)
{
	const struct ct_tables *tables = checks->report->tables;

	if (options->subject)
		say_safe(text, options->subject);
	else if (tables->nr_processes > 1)
		say_program(text, &tables->processes[1]);
	else
		text_add(text, "the trace");
}

/* ---------------------------------------------------------------- text */

static void say_findings(struct text *text, const struct ct_checks *checks,
	const struct ct_assertion *assertion, const char *margin)
{
	const struct ct_report *report = checks->report;
	uint32_t i;

	for (i = 0; i < assertion->nr_findings && i < FINDINGS_MAX; i++) {
		const struct ct_finding *finding = &report->findings[assertion->findings[i]];
		uint32_t site = finding->cause_site ? finding->cause_site : finding->wait_site;

		text_format(text, "%s%s %s: ", margin, ct_grade_name(finding->grade),
			ct_rule_name(finding->rule));
		say_safe(text, finding->title);
		text_char(text, '\n');
		if (site) {
			text_format(text, "%s  look first at ", margin);
			say_place(text, report->tables, site);
			text_char(text, '\n');
		}
	}
	if (assertion->nr_findings > FINDINGS_MAX)
		text_format(text, "%sand %u more\n", margin, assertion->nr_findings - FINDINGS_MAX);
}

static void say_assertion(struct text *text, const struct ct_checks *checks,
	const struct ct_assertion *assertion, bool use_colour)
{
	bool is_good = assertion->verdict == CT_VERDICT_HOLDS;
	const char *colour = is_good ? GREEN : RED;

	text_format(text, "%s%-8s%s ", use_colour ? colour : "",
		ct_verdict_name(assertion->verdict), use_colour ? PLAIN : "");
	say_safe(text, assertion->text);
	if (*assertion->origin) {
		text_add(text, "  (");
		say_safe(text, assertion->origin);
		text_char(text, ')');
	}
	text_format(text, "\n         %s\n", assertion->told);
	say_findings(text, checks, assertion, "           ");
}

static void say_headline(
	struct text *text, const struct ct_checks *checks, const struct ct_checks_options *options)
{
	const struct ct_quality *quality = &checks->report->quality;
	const struct ct_tables *tables = checks->report->tables;

	text_add(text, "corotracer check: ");
	say_subject(text, checks, options);
	text_add(text, ", ");
	say_count(text, quality->nr_events, "event", "events");
	text_add(text, ", ");
	text_count(text, quality->nr_lost);
	text_add(text, " lost");
	if (!tables->is_complete && !tables->has_no_end)
		text_format(text, ", %s", say_end(tables));
	text_char(text, '\n');
}

static void say_total(struct text *text, const struct ct_checks *checks)
{
	uint64_t nr_unknown = nr_of(checks, CT_VERDICT_UNKNOWN);

	say_count(text, checks->results.count, "assertion", "assertions");
	text_format(text, ": %" PRIu64 " held, %" PRIu64 " broken", nr_of(checks, CT_VERDICT_HOLDS),
		nr_of(checks, CT_VERDICT_BROKEN));
	if (nr_unknown)
		text_format(text, ", %" PRIu64 " not measured", nr_unknown);
	text_char(text, '\n');
}

static void begin_nothing(struct check_output *output, const struct ct_checks_options *options)
{
	(void)output;
	(void)options;
}

/* Assertions that hold are told of one trace, and only counted of many. */
static void write_text(struct check_output *output, const struct ct_checks *checks,
	const struct ct_checks_options *options)
{
	struct text *text = &output->text;
	size_t i;

	say_headline(text, checks, options);
	for (i = 0; i < checks->results.count; i++)
		if (!output->is_of_many || checks->results.at[i].verdict != CT_VERDICT_HOLDS)
			say_assertion(text, checks, &checks->results.at[i], options->use_colour);
	say_total(text, checks);
}

static void end_text(struct check_output *output)
{
	if (!output->is_of_many)
		return;
	say_count(&output->text, output->nr_traces, "trace", "traces");
	text_format(&output->text, ": all assertions hold of %" PRIu64 "\n", output->nr_good);
}

/* ---------------------------------------------------------------- JSON */

static void write_place(struct json *json, const struct ct_tables *tables, uint32_t index)
{
	const struct ct_site *site = say_peek_site(tables, index);

	json_key(json, "place");
	if (!index) {
		json_null(json);
		return;
	}
	json_open(json, '{');
	json_key_text(json, "function", site->function);
	json_key_text(json, "file", site->file);
	json_key_unsigned(json, "line", site->line);
	json_close(json, '}');
}

static void write_findings(
	struct json *json, const struct ct_report *report, const struct ct_assertion *assertion)
{
	uint32_t i;

	json_key_open(json, "findings", '[');
	for (i = 0; i < assertion->nr_findings; i++) {
		const struct ct_finding *finding = &report->findings[assertion->findings[i]];

		json_open(json, '{');
		json_key_text(json, "rule", ct_rule_name(finding->rule));
		json_key_text(json, "grade", ct_grade_name(finding->grade));
		json_key_text(json, "title", finding->title);
		write_place(json, report->tables,
			finding->cause_site ? finding->cause_site : finding->wait_site);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_assertion(
	struct json *json, const struct ct_report *report, const struct ct_assertion *assertion)
{
	json_open(json, '{');
	json_key_text(json, "assertion", assertion->text);
	json_key_text(json, "origin", assertion->origin);
	json_key_text(json, "verdict", ct_verdict_name(assertion->verdict));
	json_key_text(json, "told", assertion->told);
	write_place(json, report->tables, assertion->site);
	write_findings(json, report, assertion);
	json_close(json, '}');
}

static void begin_json(struct check_output *output, const struct ct_checks_options *options)
{
	struct json *json = &output->json;

	(void)options;
	json_init(json, &output->text, true);
	if (!output->is_of_many)
		return;
	json_open(json, '{');
	json_key_open(json, "traces", '[');
}

static void write_json(struct check_output *output, const struct ct_checks *checks,
	const struct ct_checks_options *options)
{
	struct json *json = &output->json;
	struct text subject = {0};
	size_t i;

	say_subject(&subject, checks, options);
	json_open(json, '{');
	json_key_text(json, "subject", text_peek(&subject));
	json_key_unsigned(json, "events", checks->report->quality.nr_events);
	json_key_unsigned(json, "lost", checks->report->quality.nr_lost);
	json_key_bool(json, "holds", nr_of(checks, CT_VERDICT_HOLDS) == checks->results.count);
	json_key_open(json, "assertions", '[');
	for (i = 0; i < checks->results.count; i++)
		write_assertion(json, checks->report, &checks->results.at[i]);
	json_close(json, ']');
	json_close(json, '}');
	output->text.is_broken |= subject.is_broken;
	text_fini(&subject);
}

static void end_json(struct check_output *output)
{
	struct json *json = &output->json;

	if (output->is_of_many) {
		json_close(json, ']');
		json_key_bool(json, "holds", output->nr_good == output->nr_traces);
		json_close(json, '}');
	}
	text_char(&output->text, '\n');
}

/* ---------------------------------------------------------------- JUnit */

/* Escapes the content of an element or attribute: only what XML allows, and nothing that it reads as markup. */
static void write_xml(struct text *text, const char *value)
{
	struct text safe = {0};

	say_safe(&safe, value);
	say_html(text, text_peek(&safe), safe.length);
	text->is_broken |= safe.is_broken;
	text_fini(&safe);
}

static void write_case(
	struct text *text, const struct ct_checks *checks, const struct ct_assertion *assertion)
{
	bool is_broken = assertion->verdict == CT_VERDICT_BROKEN;
	const char *element = is_broken ? "failure" : "error";
	struct text findings = {0};

	text_add(text, "    <testcase classname=\"corotracer\" name=\"");
	write_xml(text, assertion->text);
	if (assertion->verdict == CT_VERDICT_HOLDS) {
		text_add(text, "\" time=\"0\"/>\n");
		return;
	}
	text_format(text, "\" time=\"0\">\n      <%s type=\"%s\" message=\"", element,
		ct_verdict_name(assertion->verdict));
	write_xml(text, assertion->told);
	text_add(text, "\">");
	write_xml(text, assertion->told);
	text_char(text, '\n');
	say_findings(&findings, checks, assertion, "");
	say_html(text, text_peek(&findings), findings.length);
	text->is_broken |= findings.is_broken;
	text_fini(&findings);
	text_format(text, "</%s>\n    </testcase>\n", element);
}

static void write_junit(struct check_output *output, const struct ct_checks *checks,
	const struct ct_checks_options *options)
{
	const struct ct_quality *quality = &checks->report->quality;
	double seconds =
		(double)ct_time_between(quality->observed_from, quality->observed_until) / 1e9;
	struct text subject = {0}, *text = &output->text;
	size_t i;

	say_subject(&subject, checks, options);
	text_add(text, "  <testsuite name=\"");
	write_xml(text, text_peek(&subject));
	text_format(text,
		"\" tests=\"%zu\" failures=\"%" PRIu64 "\" errors=\"%" PRIu64
		"\" skipped=\"0\" time=\"%.3f\">\n",
		checks->results.count, nr_of(checks, CT_VERDICT_BROKEN),
		nr_of(checks, CT_VERDICT_UNKNOWN), seconds);
	for (i = 0; i < checks->results.count; i++)
		write_case(text, checks, &checks->results.at[i]);
	text_add(text, "  </testsuite>\n");
	text->is_broken |= subject.is_broken;
	text_fini(&subject);
}

/* The sums stand before the suites. */
static void end_junit(struct check_output *output)
{
	struct text whole = {0};

	text_add(&whole, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	text_format(&whole,
		"<testsuites name=\"corotracer\" tests=\"%" PRIu64 "\" failures=\"%" PRIu64
		"\" errors=\"%" PRIu64 "\">\n",
		output->nr_assertions, output->nr_broken, output->nr_unknown);
	text_append(&whole, text_peek(&output->text), output->text.length);
	text_add(&whole, "</testsuites>\n");
	whole.is_broken |= output->text.is_broken;
	text_fini(&output->text);
	output->text = whole;
}

/* ---------------------------------------------------------------- SARIF */

static void begin_sarif(struct check_output *output, const struct ct_checks_options *options)
{
	render_sarif_begin(&output->sarif, &output->text, options->source_root);
}

static void write_sarif(struct check_output *output, const struct ct_checks *checks,
	const struct ct_checks_options *options)
{
	struct text subject = {0};
	size_t i;

	say_subject(&subject, checks, options);
	render_sarif_run(
		&output->sarif, checks->report, output->is_of_many ? text_peek(&subject) : NULL);
	for (i = 0; i < checks->results.count; i++)
		if (checks->results.at[i].verdict != CT_VERDICT_HOLDS)
			render_sarif_assertion(&output->sarif, &checks->results.at[i]);
	render_sarif_run_end(&output->sarif);
	output->text.is_broken |= subject.is_broken;
	text_fini(&subject);
}

static void end_sarif(struct check_output *output)
{
	render_sarif_end(&output->sarif);
}

/* ---------------------------------------------------------------- the forms */

static const struct check_form forms[] = {
	[CT_CHECKS_TEXT] = {begin_nothing, write_text, end_text},
	[CT_CHECKS_JSON] = {begin_json, write_json, end_json},
	[CT_CHECKS_JUNIT] = {begin_nothing, write_junit, end_junit},
	[CT_CHECKS_SARIF] = {begin_sarif, write_sarif, end_sarif},
};

const struct check_form *check_form(enum ct_checks_format format)
{
	return (unsigned)format < sizeof(forms) / sizeof(forms[0]) ? &forms[format] : NULL;
}
