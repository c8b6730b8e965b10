/* SPDX-License-Identifier: MIT */
/*
 * Answers about a recording: its state, and its findings.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "render/render.h"
#include "serve/api.h"
#include "serve/readers.h"
#include "serve/assets.h"
#include "serve/reply.h"
#include "serve/saving.h"
#include "session/so_far.h"

#define HEADLINES_MAX 50u

/* ---------------------------------------------------------------- the state */

static void tell_recording(struct json *json, const struct ct_record_now *now)
{
	json_key_open(json, "recording", '{');
#define X(type, name, unit, meaning)                              \
	json_key(json, #name);                                    \
	_Generic(now->name, bool                                  \
		 : json_bool(json, now->name), int64_t            \
		 : json_number(json, (int64_t)now->name), default \
		 : json_unsigned(json, (uint64_t)now->name));
#include "corotracer/def/now.def"
#undef X
	json_close(json, '}');
}

static void tell_judgement(
	struct json *json, const struct ct_serve *serve, const struct ct_record_now *now)
{
	const struct judged *judged = judging_borrow(serve->judging);
	struct ct_error error;
	bool has_trouble = judging_trouble(serve->judging, &error);

	json_key_unsigned(json, "generation", judged ? judged->generation : 0);
	json_key(json, "standings");
	serve_standing_tell(json, now, judged, has_trouble);
	if (judged) {
		json_key_unsigned(json, "judged_ago_ns", clock_monotonic_ns() - judged->begun_ns);
		json_key_unsigned(json, "judging_took_ns", judged->took_ns);
		json_key_bool(json, "is_first_look", judged->is_first_look);
		json_key_unsigned(json, "nr_events_judged", judged->report->quality.nr_events);
		json_key_unsigned(json, "nr_lost_judged", judged->report->quality.nr_lost);
		judging_return(serve->judging, judged);
	}
	if (has_trouble)
		json_key_text(json, "trouble", error.text);
}

void serve_api_tell_state(struct json *json, struct ct_serve *serve)
{
	struct ct_record_now now;
	bool has_now = serve_now(serve, &now);

	json_open(json, '{');
	json_key_text(json, "version", ct_version());
	json_key(json, "path");
	if (serve->path)
		json_text(json, serve->path);
	else
		json_null(json);
	json_key_bool(json, "has_page", serve_asset_find("/reader.wasm.gz") != NULL);
	if (has_now)
		tell_recording(json, &now);
	tell_judgement(json, serve, has_now ? &now : NULL);
	json_close(json, '}');
}

enum MHD_Result serve_api_state(struct serve_call *call)
{
	struct text text = {0};
	struct json json;

	json_init(&json, &text, false);
	serve_api_tell_state(&json, call->serve);
	return serve_reply_json(call, MHD_HTTP_OK, &text);
}

/* ---------------------------------------------------------------- findings */

static void tell_finding(struct json *json, const struct ct_finding *finding)
{
	json_open(json, '{');
	json_key_text(json, "rule", ct_rule_name(finding->rule));
	json_key_text(json, "grade", ct_grade_name(finding->grade));
	json_key_text(json, "title", finding->title);
	json_key_unsigned(json, "nr_members", finding->nr_members);
	json_close(json, '}');
}

void serve_api_tell_findings(struct json *json, const struct judged *judged)
{
	const struct ct_report *report = judged ? judged->report : NULL;
	uint32_t count = report ? report->nr_findings : 0, i;

	json_open(json, '{');
	json_key_unsigned(json, "generation", judged ? judged->generation : 0);
	json_key_unsigned(json, "nr_findings", count);
	json_key_open(json, "findings", '[');
	for (i = 0; i < count && i < HEADLINES_MAX; i++)
		tell_finding(json, &report->findings[i]);
	json_close(json, ']');
	json_close(json, '}');
}

enum MHD_Result serve_api_findings(struct serve_call *call)
{
	const struct judged *judged = judging_borrow(call->serve->judging);
	struct text text = {0};
	struct json json;

	json_init(&json, &text, false);
	serve_api_tell_findings(&json, judged);
	if (judged)
		judging_return(call->serve->judging, judged);
	return serve_reply_json(call, MHD_HTTP_OK, &text);
}

enum MHD_Result serve_api_refuse_unjudged(struct serve_call *call)
{
	struct ct_error error;

	if (judging_trouble(call->serve->judging, &error))
		return serve_reply_failure(call, &error);
	return serve_reply_error(
		call, MHD_HTTP_SERVICE_UNAVAILABLE, "the trace was not judged yet; ask again soon");
}

enum MHD_Result serve_api_report(struct serve_call *call)
{
	static const struct ct_report_options options = {
		.size = sizeof(options), .format = CT_REPORT_JSON};
	const struct judged *judged = judging_borrow(call->serve->judging);
	struct text text = {0};
	struct ct_error error;
	enum ct_status status;

	if (!judged)
		return serve_api_refuse_unjudged(call);
	status = render_report(judged->report, &options, &text, &error);
	judging_return(call->serve->judging, judged);
	if (status == CT_OK)
		return serve_reply_text(call, MHD_HTTP_OK, "application/json", &text);
	text_fini(&text);
	return serve_reply_failure(call, &error);
}

/* ---------------------------------------------------------------- streams */

enum MHD_Result serve_api_events(struct serve_call *call)
{
	return serve_readers_reply(call->serve->readers, call);
}

int serve_api_open_trace(struct ct_serve *serve)
{
	bool goes_on;
	int file = -1;

	pthread_rwlock_rdlock(&serve->recording);
	goes_on = serve->record != NULL;
	if (goes_on)
		file = so_far_open(serve->record);
	pthread_rwlock_unlock(&serve->recording);
	if (goes_on || !serve->path)
		return file;
	file = open(
		*serve->opened ? serve->opened : serve->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return file < 0 && errno == ENOENT ? so_far_open_output(serve->path) : file;
}

void serve_api_name_download(struct MHD_Response *response, const char *name, const char *otherwise)
{
	char value[300];

	if (!*name || name[strspn(name,
			      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")])
		name = otherwise;
	snprintf(value, sizeof(value), "attachment; filename=\"%.255s\"", name);
	mhd.add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, value);
}

enum MHD_Result serve_api_trace(struct serve_call *call)
{
	const char *path = call->serve->path, *slash = path ? strrchr(path, '/') : NULL;
	struct MHD_Response *response;
	struct stat status;
	int file = serve_api_open_trace(call->serve);

	if (file < 0 || fstat(file, &status) || !S_ISREG(status.st_mode)) {
		if (file >= 0)
			close(file);
		return serve_reply_error(
			call, MHD_HTTP_NOT_FOUND, "there is no trace in a file to download");
	}
	response = mhd.create_response_from_fd64((uint64_t)status.st_size, file);
	if (!response) {
		close(file);
		return MHD_NO;
	}
	serve_api_name_download(response,
		slash  ? slash + 1
		: path ? path
		       : "",
		"corotracer.ctrace");
	return serve_reply_response(call, MHD_HTTP_OK, "application/octet-stream", response);
}

enum MHD_Result serve_api_page(struct serve_call *call)
{
	return serve_savings_reply(call->serve->savings, call);
}

/* ---------------------------------------------------------------- changes */

static enum MHD_Result order(struct serve_call *call, const char *words)
{
	enum ct_status status = CT_OK;
	struct ct_error error;
	bool goes_on;

	pthread_rwlock_rdlock(&call->serve->recording);
	goes_on = call->serve->record != NULL;
	if (goes_on)
		status = ct_record_order(call->serve->record, words, &error);
	pthread_rwlock_unlock(&call->serve->recording);
	if (!goes_on)
		return serve_reply_error(call, MHD_HTTP_CONFLICT,
			call->serve->has_recorded
				? "the recording has ended"
				: "nothing is recorded here: there is only a trace");
	return status ? serve_reply_failure(call, &error) : serve_api_state(call);
}

enum MHD_Result serve_api_control(struct serve_call *call)
{
	const char *words = text_peek(&call->body);

	if (strlen(words) != call->body.length)
		return serve_reply_error(
			call, MHD_HTTP_BAD_REQUEST, "an order is one line of text");
	return order(call, words);
}

enum MHD_Result serve_api_dump(struct serve_call *call)
{
	return order(call, "dump");
}
