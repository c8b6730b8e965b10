/* SPDX-License-Identifier: MIT */
#include "render/sarif.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "render/facts.h"
#include "say/say.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define ASSERTION_RULE "assertion"
#define ASSERTION_SAYS "An assertion about the trace does not hold"

static void message(struct json *json, const char *key, const char *value)
{
	json_key_open(json, key, '{');
	json_key_text(json, "text", value);
	json_close(json, '}');
}

/* ---------------------------------------------------------------- rules */

static void write_rule(struct json *json, const char *name, const char *says, const char *help)
{
	json_open(json, '{');
	json_key_text(json, "id", name);
	message(json, "shortDescription", says);
	message(json, "help", help);
	json_close(json, '}');
}

/* All rules are listed, because results refer to a rule by its number. */
static void write_rules(struct json *json)
{
	unsigned i;

	json_key_open(json, "rules", '[');
	for (i = CT_RULE_NONE + 1; i < CT_NR_RULES; i++)
		write_rule(json, ct_rule_name((enum ct_rule)i), ct_rule_says((enum ct_rule)i),
			ct_rule_next_step((enum ct_rule)i));
	write_rule(json, ASSERTION_RULE, ASSERTION_SAYS, "look at what the trace shows there");
	json_close(json, ']');
}

static void write_tool(struct json *json)
{
	json_key_open(json, "tool", '{');
	json_key_open(json, "driver", '{');
	json_key_text(json, "name", "corotracer");
	json_key_text(json, "version", CT_VERSION_TEXT);
	write_rules(json);
	json_close(json, '}');
	json_close(json, '}');
}

/* ---------------------------------------------------------------- missing parts of the trace */

static void write_notification(struct json *json, const char *words)
{
	json_open(json, '{');
	json_key_text(json, "level", "warning");
	message(json, "message", words);
	json_close(json, '}');
}

/* Without notifications, an empty list of results would mean that no fault was found. */
static void write_notifications(struct render_sarif *sarif)
{
	uint64_t nr_lost = sarif->report->quality.nr_lost;
	const char *unseen = render_facts_unseen(sarif->report);
	struct json *json = &sarif->json;
	struct text lost = {0};

	if (!nr_lost && !unseen)
		return;
	json_key_open(json, "toolExecutionNotifications", '[');
	if (unseen)
		write_notification(json, unseen);
	if (nr_lost) {
		say_count(&lost, nr_lost, "event is", "events are");
		text_add(&lost, " missing in the trace");
		write_notification(json, text_peek(&lost));
	}
	json_close(json, ']');
	sarif->text->is_broken |= lost.is_broken;
	text_fini(&lost);
}

static void write_invocation(struct render_sarif *sarif)
{
	struct json *json = &sarif->json;

	json_key_open(json, "invocations", '[');
	json_open(json, '{');
	json_key_bool(json, "executionSuccessful", true);
	write_notifications(sarif);
	json_close(json, '}');
	json_close(json, ']');
}

/* ---------------------------------------------------------------- places */

/* RFC 3986: percent-encodes all characters that may not stand in a path. */
static void add_path(struct text *uri, const char *path)
{
	for (; *path; path++) {
		unsigned char c = (unsigned char)*path;

		if (c < 0x80 && (isalnum(c) || strchr("-._~/", c)))
			text_char(uri, *path);
		else
			text_format(uri, "%%%02X", c);
	}
}

/*
 * The path relative to the root; NULL: it does not lie below the root. A compiler that ran in a folder below the root
 * writes paths that climb out of that folder: ../src/server.c.
 */
static const char *below(const char *root, const char *path)
{
	size_t length = root ? strlen(root) : 0;

	if (length && *path != '/') {
		while (strncmp(path, "../", 3) == 0)
			path += 3;
		return path;
	}
	while (length && root[length - 1] == '/')
		length--;
	if (!length || strncmp(path, root, length) != 0 || path[length] != '/')
		return NULL;
	return path + length + 1;
}

static void write_artifact(struct render_sarif *sarif, const char *file)
{
	const char *inside = below(sarif->source_root, file);
	struct text uri = {0};

	if (!inside && *file == '/')
		text_add(&uri, "file://");
	add_path(&uri, inside ? inside : file);
	json_key_open(&sarif->json, "artifactLocation", '{');
	json_key_text(&sarif->json, "uri", text_peek(&uri));
	if (inside || *file != '/')
		json_key_text(&sarif->json, "uriBaseId", "%SRCROOT%");
	json_close(&sarif->json, '}');
	sarif->text->is_broken |= uri.is_broken;
	text_fini(&uri);
}

static void write_physical(
	struct render_sarif *sarif, const char *file, uint32_t line, uint32_t column)
{
	struct json *json = &sarif->json;

	json_key_open(json, "physicalLocation", '{');
	write_artifact(sarif, file);
	if (line) {
		json_key_open(json, "region", '{');
		json_key_unsigned(json, "startLine", line);
		if (column)
			json_key_unsigned(json, "startColumn", column);
		json_close(json, '}');
	}
	json_close(json, '}');
}

static void write_logical(struct json *json, const struct ct_site *site)
{
	json_key_open(json, "logicalLocations", '[');
	json_open(json, '{');
	json_key_text(json, "fullyQualifiedName", site->function);
	json_key_text(json, "kind", "function");
	json_close(json, '}');
	json_close(json, ']');
}

/* A location without a known file or function consists only of its words. */
static void write_location(struct render_sarif *sarif, uint32_t index, const char *words)
{
	const struct ct_site *site = say_peek_site(sarif->report->tables, index);

	json_open(&sarif->json, '{');
	if (index && *site->file)
		write_physical(sarif, site->file, site->line, site->column);
	if (index && *site->function)
		write_logical(&sarif->json, site);
	message(&sarif->json, "message", words);
	json_close(&sarif->json, '}');
}

/* ---------------------------------------------------------------- results */

static const char *level_of(enum ct_grade grade)
{
	if (grade == CT_GRADE_PROVEN)
		return "error";
	return grade == CT_GRADE_LIKELY ? "warning" : "note";
}

static void say_step(
	struct text *text, const struct render_sarif *sarif, const struct ct_step *step)
{
	if (step->time != CT_NO_TIME) {
		say_time(text, step->time);
		text_add(text, ": ");
	}
	text_add(text, step->text);
	if (step->coro)
		text_format(text, ", by coroutine %" PRIu64, step->coro);
	if (step->thread) {
		text_add(text, " on ");
		say_thread(text, sarif->report->tables, step->thread);
	}
}

static void write_flow(struct render_sarif *sarif, const struct ct_finding *finding)
{
	struct json *json = &sarif->json;
	uint32_t i;

	json_key_open(json, "codeFlows", '[');
	json_open(json, '{');
	json_key_open(json, "threadFlows", '[');
	json_open(json, '{');
	json_key_open(json, "locations", '[');
	for (i = 0; i < finding->nr_steps; i++) {
		struct text words = {0};

		say_step(&words, sarif, &finding->steps[i]);
		json_open(json, '{');
		json_key(json, "location");
		write_location(sarif, finding->steps[i].site, text_peek(&words));
		json_close(json, '}');
		sarif->text->is_broken |= words.is_broken;
		text_fini(&words);
	}
	json_close(json, ']');
	json_close(json, '}');
	json_close(json, ']');
	json_close(json, '}');
	json_close(json, ']');
}

/*
 * A key that stays the same from run to run, so that the same fault is recognised: the place, or the assertion that
 * does not hold.
 */
static void write_fingerprint(
	struct render_sarif *sarif, const char *rule, uint32_t index, const char *assertion)
{
	const struct ct_site *site = say_peek_site(sarif->report->tables, index);
	const char *slash = strrchr(site->file, '/');
	struct text print = {0};

	if (assertion)
		text_format(&print, "%s|%s", rule, assertion);
	else
		text_format(
			&print, "%s|%s|%s", rule, slash ? slash + 1 : site->file, site->function);
	json_key_open(&sarif->json, "partialFingerprints", '{');
	json_key_text(&sarif->json, "rulePlace/v1", text_peek(&print));
	json_close(&sarif->json, '}');
	sarif->text->is_broken |= print.is_broken;
	text_fini(&print);
}

/* Writes the line of an assertion, or else the program, because the file is unknown. */
static void write_substitute(struct render_sarif *sarif, const char *origin)
{
	const struct ct_tables *tables = sarif->report->tables;
	const char *colon = strrchr(origin, ':');
	struct text file = {0};

	if (colon)
		text_append(&file, origin, (size_t)(colon - origin));
	else if (tables->nr_processes > 1)
		text_add(&file, tables->processes[1].program);
	if (file.length)
		write_physical(sarif, text_peek(&file),
			colon ? (uint32_t)strtoul(colon + 1, NULL, 10) : 0, 0);
	sarif->text->is_broken |= file.is_broken;
	text_fini(&file);
}

static void write_first_location(struct render_sarif *sarif, uint32_t index, const char *origin)
{
	const struct ct_site *site = say_peek_site(sarif->report->tables, index);

	json_key_open(&sarif->json, "locations", '[');
	json_open(&sarif->json, '{');
	if (index && *site->file)
		write_physical(sarif, site->file, site->line, site->column);
	else
		write_substitute(sarif, origin);
	if (index && *site->function)
		write_logical(&sarif->json, site);
	json_close(&sarif->json, '}');
	json_close(&sarif->json, ']');
}

static void begin_result(struct render_sarif *sarif, const char *rule, unsigned index,
	const char *level, const char *words)
{
	struct json *json = &sarif->json;

	json_open(json, '{');
	json_key_text(json, "ruleId", rule);
	json_key_unsigned(json, "ruleIndex", index);
	json_key_text(json, "level", level);
	message(json, "message", words);
}

static void write_finding(struct render_sarif *sarif, const struct ct_finding *finding)
{
	uint32_t site = finding->cause_site ? finding->cause_site : finding->wait_site;
	struct json *json = &sarif->json;

	begin_result(sarif, ct_rule_name(finding->rule), (unsigned)finding->rule - 1,
		level_of(finding->grade), finding->title);
	write_first_location(sarif, site, "");
	write_fingerprint(sarif, ct_rule_name(finding->rule), site, NULL);
	if (finding->wait_site && finding->wait_site != site) {
		json_key_open(json, "relatedLocations", '[');
		write_location(sarif, finding->wait_site, "it waits here");
		json_close(json, ']');
	}
	if (finding->nr_steps)
		write_flow(sarif, finding);
	json_key_open(json, "properties", '{');
	json_key_text(json, "grade", ct_grade_name(finding->grade));
	json_key_unsigned(json, "coroutines", finding->nr_members);
	json_key_text(json, "next", finding->next_step);
	json_close(json, '}');
	json_close(json, '}');
}

void render_sarif_begin(struct render_sarif *sarif, struct text *text, const char *source_root)
{
	struct json *json = &sarif->json;

	*sarif = (struct render_sarif){.text = text, .source_root = source_root};
	json_init(json, text, true);
	json_open(json, '{');
	json_key_text(json, "$schema", SCHEMA);
	json_key_text(json, "version", "2.1.0");
	json_key_open(json, "runs", '[');
}

/* Code review tools keep one run of each name. */
static void write_name(struct json *json, const char *name)
{
	json_key_open(json, "automationDetails", '{');
	json_key_text(json, "id", name);
	json_close(json, '}');
}

void render_sarif_run(struct render_sarif *sarif, const struct ct_report *report, const char *name)
{
	struct json *json = &sarif->json;
	uint32_t i;

	sarif->report = report;
	json_open(json, '{');
	write_tool(json);
	if (name)
		write_name(json, name);
	write_invocation(sarif);
	json_key_open(json, "results", '[');
	for (i = 0; i < report->nr_findings; i++)
		write_finding(sarif, &report->findings[i]);
}

void render_sarif_assertion(struct render_sarif *sarif, const struct ct_assertion *assertion)
{
	struct text told = {0};

	text_format(&told, "%s: %s", assertion->text, assertion->told);
	begin_result(sarif, ASSERTION_RULE, CT_NR_RULES - 1, "error", text_peek(&told));
	write_first_location(sarif, assertion->site, assertion->origin);
	write_fingerprint(sarif, ASSERTION_RULE, 0, assertion->text);
	json_close(&sarif->json, '}');
	sarif->text->is_broken |= told.is_broken;
	text_fini(&told);
}

void render_sarif_run_end(struct render_sarif *sarif)
{
	json_close(&sarif->json, ']');
	json_close(&sarif->json, '}');
}

void render_sarif_end(struct render_sarif *sarif)
{
	json_close(&sarif->json, ']');
	json_close(&sarif->json, '}');
	text_char(sarif->text, '\n');
}
