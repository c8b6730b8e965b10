/* SPDX-License-Identifier: MIT */
/*
 * One HTTP request, with libcurl. The wait covers the connection and also the descriptor by which the user ends it at
 * once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/failure.h"
#include "base/known_options.h"
#include "base/libcurl.h"
#include "fetch/fetch.h"

#define PROGRAM_PATH "/debug/pprof/trace"
#define CONNECT_S 10L
#define SILENCE_S \
	30 /* beyond the traced time, because a program with few events sends all of them at the end */
#define STEP_MS 200
#define NS_PER_S INT64_C(1000000000)
#define ANSWER_OK 200
#define ANSWER_NOT_FOUND 404

struct transfer {
	const struct ct_fetch_options *options;
	struct fetch_answer answer;
	CURLU *parts;
	char *told; /* the address for messages: without user name and password */
	CURL *curl;
	CURLM *multi;
	long code;
	bool was_woken;
	CURLcode result;
	char trouble[CURL_ERROR_SIZE];
};

/* ---------------------------------------------------------------- the address */

static bool make_told(struct transfer *transfer)
{
	CURLU *parts = libcurl.url_dup(transfer->parts);
	bool is_made = parts && libcurl.url_set(parts, CURLUPART_USER, NULL, 0) == CURLUE_OK &&
		       libcurl.url_set(parts, CURLUPART_PASSWORD, NULL, 0) == CURLUE_OK &&
		       libcurl.url_get(parts, CURLUPART_URL, &transfer->told, 0) == CURLUE_OK;

	libcurl.url_cleanup(parts);
	return is_made;
}

/* An address that names only a program means that program's trace. */
static bool complete_path(CURLU *parts)
{
	char *path = NULL;
	bool is_complete = libcurl.url_get(parts, CURLUPART_PATH, &path, 0) == CURLUE_OK &&
			   (strcmp(path, "/") != 0 || libcurl.url_set(parts, CURLUPART_PATH,
							      PROGRAM_PATH, 0) == CURLUE_OK);

	libcurl.free(path);
	return is_complete;
}

/* The duration that the address already contains; 0: none. */
static int64_t duration_in(CURLU *parts)
{
	static const char key[] = "seconds=";
	char *query = NULL;
	const char *at;
	double seconds = 0;

	if (libcurl.url_get(parts, CURLUPART_QUERY, &query, 0) == CURLUE_OK) {
		at = strstr(query, key);
		if (at && (at == query || at[-1] == '&'))
			seconds = strtod(at + strlen(key), NULL);
	}
	libcurl.free(query);
	return seconds > 0 && seconds < 1e9 ? (int64_t)(seconds * 1e9) : 0;
}

static enum ct_status read_address(
	struct transfer *transfer, int64_t *ret_duration_ns, struct ct_error *reterr)
{
	int64_t asked_ns = transfer->options->duration_ns;
	char seconds[48];

	transfer->parts = libcurl.url();
	if (!transfer->parts)
		return ct_fail_memory(reterr);
	if (libcurl.url_set(transfer->parts, CURLUPART_URL, transfer->options->address, 0) !=
		CURLUE_OK)
		return ct_fail(reterr, CT_ERR_USAGE,
			"this is no address: http://HOST:PORT/debug/pprof/trace is one");
	*ret_duration_ns = duration_in(transfer->parts);
	if (asked_ns && *ret_duration_ns)
		return ct_fail(reterr, CT_ERR_USAGE,
			"the address says 'seconds=' already: it and a duration do not go "
			"together");
	snprintf(seconds, sizeof(seconds), "seconds=%.9g", (double)asked_ns / (double)NS_PER_S);
	if (asked_ns && libcurl.url_set(transfer->parts, CURLUPART_QUERY, seconds,
				CURLU_APPENDQUERY) != CURLUE_OK)
		return ct_fail_memory(reterr);
	if (!complete_path(transfer->parts) || !make_told(transfer))
		return ct_fail_memory(reterr);
	if (asked_ns)
		*ret_duration_ns = asked_ns;
	return CT_OK;
}

/* ---------------------------------------------------------------- the request */

static size_t take_answer(char *bytes, size_t size, size_t nr_bytes, void *context)
{
	struct transfer *transfer = context;

	(void)size; /* libcurl always passes 1 */
	libcurl.easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->code);
	if (transfer->code == ANSWER_OK)
		return fetch_answer_take(&transfer->answer, bytes, nr_bytes) ? nr_bytes : 0;
	fetch_answer_hear(&transfer->answer, bytes, nr_bytes);
	return nr_bytes;
}

static bool prepare(struct transfer *transfer, int64_t duration_ns)
{
	CURL *easy = transfer->curl = libcurl.easy_init();
	long silence_s = (long)(duration_ns / NS_PER_S) + SILENCE_S;

	transfer->multi = libcurl.multi_init();
	return easy && transfer->multi &&
	       libcurl.easy_setopt(easy, CURLOPT_CURLU, transfer->parts) == CURLE_OK &&
	       libcurl_prepare(easy, transfer->trouble) &&
	       libcurl.easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, silence_s) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_WRITEDATA, transfer) == CURLE_OK &&
	       libcurl.multi_add_handle(transfer->multi, easy) == CURLM_OK;
}

/* Runs the transfer until it ends. */
static void perform(struct transfer *transfer)
{
	const struct ct_fetch_options *options = transfer->options;
	struct curl_waitfd wake = {.fd = options->wake_descriptor, .events = CURL_WAIT_POLLIN};
	int nr_running = 1, nr_left;
	CURLMsg *message;

	while (libcurl.multi_perform(transfer->multi, &nr_running) == CURLM_OK && nr_running) {
		if (options->tell)
			options->tell(options->tell_context, transfer->answer.nr_bytes);
		libcurl.multi_poll(transfer->multi, &wake, wake.fd > 0, STEP_MS, NULL);
		transfer->was_woken = wake.revents != 0;
		if (transfer->was_woken)
			return;
	}
	message = libcurl.multi_info_read(transfer->multi, &nr_left);
	transfer->result = message ? message->data.result : CURLE_FAILED_INIT;
	libcurl.easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &transfer->code);
}

/* ---------------------------------------------------------------- the result */

/* Makes the error for an answer that is not a trace. */
static enum ct_status refuse(struct transfer *transfer, struct ct_error *reterr)
{
	const struct fetch_answer *answer = &transfer->answer;
	const char *type = NULL;

	if (transfer->was_woken)
		return ct_fail(
			reterr, CT_ERR_STOPPED, "interrupted before anything of a trace came");
	if (transfer->code && transfer->code != ANSWER_OK)
		return ct_fail(reterr,
			transfer->code == ANSWER_NOT_FOUND ? CT_ERR_NOT_FOUND : CT_ERR_REFUSED,
			"the answer is %ld%s%s", transfer->code, *answer->said ? ": " : "",
			answer->said);
	if (transfer->result != CURLE_OK && !answer->is_other)
		return ct_fail(reterr, CT_ERR_SYSTEM, "%s",
			libcurl_trouble(transfer->trouble, transfer->result));
	libcurl.easy_getinfo(transfer->curl, CURLINFO_CONTENT_TYPE, &type);
	return ct_fail(reterr, CT_ERR_FORMAT,
		"the answer%s%.60s is no execution trace of Go, as net/http/pprof sends it",
		type ? ", which is called " : "", type ? type : "");
}

static enum ct_status judge(
	struct transfer *transfer, struct ct_fetched *ret_fetched, struct ct_error *reterr)
{
	const struct fetch_answer *answer = &transfer->answer;

	if (answer->status) {
		if (reterr)
			*reterr = answer->error;
		return answer->status;
	}
	if (!fetch_answer_is_trace(answer))
		return ct_context(reterr, refuse(transfer, reterr), "'%s'", transfer->told);
	*ret_fetched = (struct ct_fetched){.nr_bytes = answer->nr_bytes};
	if (answer->has_reached_limit) {
		ret_fetched->ending = CT_FETCH_LIMITED;
	} else if (transfer->was_woken) {
		ret_fetched->ending = CT_FETCH_WOKEN;
	} else if (transfer->result != CURLE_OK) {
		ret_fetched->ending = CT_FETCH_BROKEN;
		snprintf(ret_fetched->trouble, sizeof(ret_fetched->trouble), "%s",
			libcurl_trouble(transfer->trouble, transfer->result));
	}
	return CT_OK;
}

static void fini(struct transfer *transfer)
{
	if (transfer->multi && transfer->curl)
		libcurl.multi_remove_handle(transfer->multi, transfer->curl);
	libcurl.easy_cleanup(transfer->curl);
	libcurl.multi_cleanup(transfer->multi);
	libcurl.url_cleanup(transfer->parts);
	libcurl.free(transfer->told);
}

enum ct_status ct_fetch(const struct ct_fetch_options *options, struct ct_fetched *ret_fetched,
	struct ct_error *reterr)
{
	struct ct_fetch_options known;
	struct transfer transfer = {.options = &known};
	int64_t duration_ns = 0;
	enum ct_status status = libcurl_open("cannot fetch over HTTP", reterr);

	if (status)
		return status;
	known_options(&known, sizeof(known), options);
	transfer.answer.limit_bytes = known.limit_bytes ? known.limit_bytes : CT_FETCH_LIMIT_BYTES;
	status = read_address(&transfer, &duration_ns, reterr);
	if (status == CT_OK)
		status = io_output_open(&transfer.answer.output, known.output, reterr);
	if (status == CT_OK) {
		if (prepare(&transfer, duration_ns)) {
			perform(&transfer);
			status = judge(&transfer, ret_fetched, reterr);
		} else {
			status = ct_fail_memory(reterr);
		}
		status = io_output_end(&transfer.answer.output, status, reterr);
	}
	fini(&transfer);
	return status;
}
