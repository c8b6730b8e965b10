/* SPDX-License-Identifier: MIT */
/*
 * Answers: one function for each line of requests.def.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/analyze.h"
#include "ask/arguments.h"
#include "ask/cookbook.h"
#include "ask/waits.h"
#include "base/failure.h"
#include "base/json_write.h"
#include "render/picture.h"
#include "render/render.h"
#include "view/view.h"

/* The context of a function that answers. */
struct asking {
	struct ct_view *view;
	const struct ask_request *request;
	struct ask_answer *answer;
	struct ct_error *reterr;
};

/* ---------------------------------------------------------------- bytes and texts */

/* Takes the rows. */
static enum ct_status answer_rows(struct asking *asking, const struct ct_view_rows *rows)
{
	asking->answer->type = "application/octet-stream";
	asking->answer->bytes = ct_view_pack(asking->view, rows, &asking->answer->nr_bytes);
	ct_view_rows_free(rows);
	return asking->answer->bytes ? CT_OK : ct_fail_memory(asking->reterr);
}

/* Takes the text. */
static enum ct_status answer_text(struct asking *asking, struct text *text)
{
	enum ct_status status = text_status(text, asking->reterr);

	if (status) {
		text_fini(text);
		return status;
	}
	asking->answer->type = "application/json";
	asking->answer->bytes = (uint8_t *)text->at;
	asking->answer->nr_bytes = text->length;
	return CT_OK;
}

/* ---------------------------------------------------------------- rows */

typedef enum ct_status rows_function(struct ct_view *view, const struct ct_view_request *request,
	const struct ct_view_rows **ret_rows, struct ct_error *reterr);

static enum ct_status answer_by(struct asking *asking, rows_function *function)
{
	const struct ct_view_rows *rows;
	struct ask_rows asked;
	enum ct_status status = ask_rows_init(&asked, asking->request, asking->reterr);

	if (status == CT_OK)
		status = function(asking->view, &asked.request, &rows, asking->reterr);
	ask_rows_fini(&asked);
	return status ? status : answer_rows(asking, rows);
}

static enum ct_status answer_select(struct asking *asking)
{
	return answer_by(asking, ct_view_select);
}

static enum ct_status answer_groups(struct asking *asking)
{
	return answer_by(asking, ct_view_groups);
}

static enum ct_status answer_histogram(struct asking *asking)
{
	const char *name = ask_text(asking->request, ASK_COLUMN);
	const struct ct_view_rows *rows;
	struct ask_rows asked;
	uint32_t column = 0;
	int64_t nr_parts;
	enum ct_status status = ask_rows_init(&asked, asking->request, asking->reterr);

	if (status == CT_OK)
		status = ask_column(asked.request.table, name ? name : "", name ? strlen(name) : 0,
			&column, asking->reterr);
	if (status == CT_OK)
		status = ask_number(asking->request, ASK_PARTS, 1, &nr_parts, asking->reterr);
	if (status == CT_OK && (nr_parts < 1 || nr_parts > 32))
		status = ct_fail(asking->reterr, CT_ERR_USAGE, "a power of two has 1 to 32 parts");
	if (status == CT_OK)
		status = ct_view_histogram(asking->view, &asked.request, column, (uint32_t)nr_parts,
			&rows, asking->reterr);
	ask_rows_fini(&asked);
	return status ? status : answer_rows(asking, rows);
}

/* ---------------------------------------------------------------- slices of time */

/* The time span of the observation. Only the report has it, so no report is made if the request gives both ends. */
static enum ct_status find_observed(struct asking *asking, ct_time *ret_from, ct_time *ret_until)
{
	const struct ct_report *report;
	enum ct_status status;

	if (ask_text(asking->request, ASK_FROM) && ask_text(asking->request, ASK_UNTIL))
		return CT_OK;
	status = ct_view_report(asking->view, &report, asking->reterr);
	if (status)
		return status;
	*ret_from = report->quality.observed_from;
	*ret_until = report->quality.observed_until;
	return CT_OK;
}

/* The request's from and until; by default the whole observation. */
static enum ct_status read_range(struct asking *asking, ct_time *ret_from, ct_time *ret_until)
{
	ct_time from = 0, until = 0;
	enum ct_status status = find_observed(asking, &from, &until);

	if (status == CT_OK)
		status = ask_number(asking->request, ASK_FROM, from, ret_from, asking->reterr);
	if (status == CT_OK)
		status = ask_number(asking->request, ASK_UNTIL, until, ret_until, asking->reterr);
	if (status == CT_OK && *ret_until <= *ret_from)
		status = ct_fail(
			asking->reterr, CT_ERR_USAGE, "'until' has to be later than 'from'");
	return status;
}

static enum ct_status answer_lanes(struct asking *asking)
{
	struct ct_view_lanes_request request = {
		.size = sizeof(request), .slices_max = ASK_SLICES_MAX};
	const struct ct_view_rows *rows;
	struct ask_lanes lanes = {0};
	enum ct_status status = read_range(asking, &request.from, &request.until);

	if (status == CT_OK)
		status = ask_number(
			asking->request, ASK_RESOLUTION, 0, &request.resolution_ns, asking->reterr);
	if (status == CT_OK)
		status = ask_lanes_read(
			&lanes, ask_text(asking->request, ASK_LANES), asking->reterr);
	request.lanes = lanes.all.at;
	request.nr_lanes = (uint32_t)lanes.all.count;
	if (status == CT_OK)
		status = ct_view_lanes(asking->view, &request, &rows, asking->reterr);
	vec_fini(&lanes.all);
	return status ? status : answer_rows(asking, rows);
}

static enum ct_status read_sums(struct asking *asking, struct ct_view_sums_request *request)
{
	const char *by = ask_text(asking->request, ASK_BY);
	int64_t limit = 0;
	enum ct_status status = read_range(asking, &request->from, &request->until);

	if (status == CT_OK)
		status = ask_number(asking->request, ASK_LIMIT, 1000, &limit, asking->reterr);
	if (status == CT_OK && (limit < 1 || limit > ASK_ROWS_MAX))
		status = ct_fail(
			asking->reterr, CT_ERR_USAGE, "there are 1 to %u sums", ASK_ROWS_MAX);
	request->limit = (uint64_t)limit;
	request->is_by_site = by && strcmp(by, "site") == 0;
	if (status == CT_OK && by && !request->is_by_site && strcmp(by, "coroutine") != 0)
		status = ct_fail(
			asking->reterr, CT_ERR_USAGE, "sums are by 'coroutine' or by 'site'");
	return status;
}

static enum ct_status answer_sums(struct asking *asking)
{
	struct ct_view_sums_request request = {.size = sizeof(request)};
	const struct ct_view_rows *rows;
	struct ask_lanes lanes = {0};
	enum ct_status status = read_sums(asking, &request);

	if (status == CT_OK)
		status = ask_lanes_read(
			&lanes, ask_text(asking->request, ASK_LANES), asking->reterr);
	request.lanes = lanes.all.at;
	request.nr_lanes = (uint32_t)lanes.all.count;
	if (status == CT_OK)
		status = ct_view_sums(asking->view, &request, &rows, asking->reterr);
	vec_fini(&lanes.all);
	return status ? status : answer_rows(asking, rows);
}

static enum ct_status answer_overview(struct asking *asking)
{
	const struct ct_view_rows *rows;
	ct_time from, until;
	int64_t nr_steps;
	enum ct_status status = read_range(asking, &from, &until);

	if (status == CT_OK)
		status = ask_number(asking->request, ASK_STEPS, 200, &nr_steps, asking->reterr);
	if (status == CT_OK && (nr_steps < 1 || nr_steps > ASK_ROWS_MAX))
		status = ct_fail(asking->reterr, CT_ERR_USAGE, "an overview has 1 to %u steps",
			ASK_ROWS_MAX);
	if (status == CT_OK)
		status = ct_view_overview(
			asking->view, from, until, (uint32_t)nr_steps, &rows, asking->reterr);
	return status ? status : answer_rows(asking, rows);
}

/* ---------------------------------------------------------------- who waits for whom */

static enum ct_status read_moment(
	struct asking *asking, ct_time *ret_at, int64_t *ret_fold, struct ct_error *reterr)
{
	enum ct_status status = ask_number(asking->request, ASK_AT, INT64_MAX, ret_at, reterr);

	if (status == CT_OK)
		status = ask_number(asking->request, ASK_FOLD, GRAPH_FOLD, ret_fold, reterr);
	if (status == CT_OK && (*ret_fold < 1 || *ret_fold > GRAPH_NODES_MAX))
		status = ct_fail(reterr, CT_ERR_USAGE, "'fold' is 1 to %u", GRAPH_NODES_MAX);
	return status;
}

static enum ct_status answer_waits(struct asking *asking)
{
	struct graph graph = {0};
	struct text text = {0};
	ct_time at;
	int64_t fold;
	enum ct_status status = read_moment(asking, &at, &fold, asking->reterr);

	if (status == CT_OK)
		status = graph_init(&graph, asking->view, at, (uint32_t)fold, asking->reterr);
	if (status == CT_OK)
		status = ask_waits_tell(&text, asking->view, &graph, asking->reterr);
	graph_fini(&graph);
	if (status == CT_OK)
		return answer_text(asking, &text);
	text_fini(&text);
	return status;
}

/* ---------------------------------------------------------------- tables, the report, why */

static void tell_column(struct json *json, const struct ct_view_column *column)
{
	json_open(json, '{');
	json_key_text(json, "name", column->name);
	json_key_text(json, "type", ct_view_type_name(column->type));
	json_key_text(json, "meaning", column->meaning);
	json_close(json, '}');
}

static void tell_table(struct json *json, const struct ct_view_description *table)
{
	uint32_t i;

	json_open(json, '{');
	json_key_text(json, "name", table->name);
	json_key_text(json, "meaning", table->meaning);
	json_key_open(json, "columns", '[');
	for (i = 0; i < table->nr_columns; i++)
		tell_column(json, &table->columns[i]);
	json_close(json, ']');
	json_close(json, '}');
}

static enum ct_status answer_tables(struct asking *asking)
{
	struct text text = {0};
	struct json json;
	enum ct_view_table table;

	json_init(&json, &text, false);
	json_open(&json, '[');
	for (table = 0; table < CT_VIEW_NR_TABLES; table++)
		tell_table(&json, ct_view_describe(table));
	json_close(&json, ']');
	return answer_text(asking, &text);
}

static enum ct_profile profile_named(const char *name)
{
	unsigned profile = 0;

	while (profile < CT_NR_PROFILES &&
		strcmp(ct_profile_name((enum ct_profile)profile), name) != 0)
		profile++;
	return (enum ct_profile)profile;
}

static enum ct_status answer_stacks(struct asking *asking)
{
	const char *of = ask_text(asking->request, ASK_OF);
	struct ct_profile_options options = {.size = sizeof(options), .format = CT_PROFILE_FOLDED};
	struct text text = {0};
	enum ct_status status;

	options.profile = of ? profile_named(of) : CT_PROFILE_WAIT;
	status = view_profile(asking->view, &options, &text, asking->reterr);
	if (status == CT_OK)
		status = answer_text(asking, &text);
	else
		text_fini(&text);
	if (status == CT_OK)
		asking->answer->type = "text/plain; charset=utf-8";
	return status;
}

static enum ct_status answer_cookbook(struct asking *asking)
{
	struct text text = {0};

	ask_cookbook_tell(&text);
	return answer_text(asking, &text);
}

static enum ct_status answer_report(struct asking *asking)
{
	const struct ct_report *report;
	struct text text = {0};
	int64_t members;
	enum ct_status status =
		ask_number(asking->request, ASK_MEMBERS, UINT32_MAX, &members, asking->reterr);

	if (status == CT_OK && (members < 0 || members > UINT32_MAX))
		status = ct_fail(asking->reterr, CT_ERR_USAGE, "'members' is 0 or more");
	if (status == CT_OK)
		status = ct_view_report(asking->view, &report, asking->reterr);
	if (status)
		return status;
	render_json_shorter(&text, report, (uint32_t)members);
	return answer_text(asking, &text);
}

static enum ct_status draw(
	struct asking *asking, const struct ct_report *report, int64_t number, struct text *text)
{
	bool (*init)(struct scene *, const struct ct_report *, const struct ct_finding *) =
		ask_text(asking->request, ASK_NARROW) ? render_scene_init_narrow
						      : render_scene_init;
	struct scene scene;

	if (number < 1 || number > report->nr_findings ||
		!init(&scene, report, &report->findings[number - 1]))
		return ct_fail(asking->reterr, CT_ERR_NOT_FOUND,
			"there is no picture of this finding: none of its steps has a time, or "
			"it is not among the first %u",
			CT_PICTURES);
	render_picture_inline(text, &scene, (uint32_t)number);
	return CT_OK;
}

/* Returns the report, and which of its findings is asked about; the number may be too high. */
static enum ct_status read_finding(
	struct asking *asking, const struct ct_report **ret_report, int64_t *ret_number)
{
	enum ct_status status =
		ask_number(asking->request, ASK_FINDING, 1, ret_number, asking->reterr);

	return status ? status : ct_view_report(asking->view, ret_report, asking->reterr);
}

static enum ct_status answer_picture(struct asking *asking)
{
	const struct ct_report *report;
	struct text text = {0};
	int64_t number;
	enum ct_status status = read_finding(asking, &report, &number);

	if (status == CT_OK)
		status = draw(asking, report, number, &text);
	if (status == CT_OK)
		status = answer_text(asking, &text);
	asking->answer->type = "image/svg+xml";
	return status;
}

static enum ct_status answer_facts(struct asking *asking)
{
	const struct ct_report *report;
	struct text text = {0};
	int64_t number;
	enum ct_status status = read_finding(asking, &report, &number);

	if (status)
		return status;
	if (number < 1 || number > report->nr_findings)
		return ct_fail(asking->reterr, CT_ERR_NOT_FOUND,
			"there is no finding %" PRIi64 ": the last one has the number %" PRIu32,
			number, report->nr_findings);
	render_finding_json(&text, report, &report->findings[number - 1]);
	return answer_text(asking, &text);
}

static enum ct_status answer_style(struct asking *asking)
{
	struct text text = {0};
	enum ct_status status;

	text_add(&text, render_picture_style);
	status = answer_text(asking, &text);
	asking->answer->type = "text/css; charset=utf-8";
	return status;
}

static enum ct_status find_why(struct asking *asking, const struct ct_report **ret_report)
{
	uint64_t coro;
	int64_t process;
	enum ct_status status =
		ask_number(asking->request, ASK_PROCESS, 1, &process, asking->reterr);

	if (status == CT_OK)
		status = ask_id(asking->request, ASK_COROUTINE, &coro, asking->reterr);
	if (status)
		return status;
	if (!coro || process < 1 || process > UINT32_MAX)
		return ct_fail(asking->reterr, CT_ERR_USAGE,
			"'why' takes the id of a coroutine, and the number of its process");
	return ct_view_why(asking->view, (uint32_t)process, coro, ret_report, asking->reterr);
}

static enum ct_status answer_why(struct asking *asking)
{
	const struct ct_report *report;
	struct text text = {0};
	bool is_known;
	enum ct_status status = find_why(asking, &report);

	if (status)
		return status;
	is_known = report->nr_why > 0;
	render_why_json(&text, report);
	analyze_report_free(report);
	if (is_known)
		return answer_text(asking, &text);
	text_fini(&text);
	return ct_fail(asking->reterr, CT_ERR_NOT_FOUND, "the trace has no such coroutine");
}

/* ---------------------------------------------------------------- the table of requests */

static const struct {
	const char *name;
	enum ct_status (*answer)(struct asking *asking);
} requests[] = {
#define Q(name, what) {#name, answer_##name},
#include "ask/requests.def"
#undef Q
};

enum ct_status ask_view(struct ct_view *view, const struct ask_request *request,
	struct ask_answer *ret_answer, struct ct_error *reterr)
{
	struct asking asking = {view, request, ret_answer, reterr};
	enum ct_status status;
	size_t i;

	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (strcmp(requests[i].name, request->name) != 0)
			continue;
		status = ask_check(request, reterr);
		return status ? status : requests[i].answer(&asking);
	}
	return ct_fail(reterr, CT_ERR_NOT_FOUND, "there is no request '%.40s'", request->name);
}
