/* SPDX-License-Identifier: MIT */
/*
 * The requests, by libcurl. Silence is measured here and not by libcurl, which knows whole seconds only.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/libcurl.h"
#include "objects/http.h"

#define STEP_MS 100
/* "Expect:" without a value would be signed and not sent: the header stays, and hardly anything is awaited. */
#define CONTINUE_MS 1L
#define LEAST_BYTES 1024u /* that move in the time of silence */
#define NS_PER_MS UINT64_C(1000000)
#define ANSWER_OK 200

struct http {
	CURL *easy;
	CURLM *multi;
};

/* One attempt. */
struct attempt {
	struct http *http;
	const struct http_request *request;
	struct http_answer *answer;
	struct curl_slist *headers;
	uint64_t nr_sent;
	uint64_t nr_moved; /* bytes in either direction, since moved_ns */
	uint64_t moved_ns;
	bool is_file_full; /* the file takes no more bytes */
	char trouble[CURL_ERROR_SIZE];
};

enum ct_status http_open(struct http **ret_http, struct ct_error *reterr)
{
	enum ct_status status = libcurl_open("no bucket can be reached", reterr);
	struct http *http;

	if (status)
		return status;
	http = calloc(1, sizeof(*http));
	if (!http)
		return ct_fail_memory(reterr);
	http->easy = libcurl.easy_init();
	http->multi = libcurl.multi_init();
	if (!http->easy || !http->multi) {
		http_close(http);
		return ct_fail_memory(reterr);
	}
	*ret_http = http;
	return CT_OK;
}

void http_close(struct http *http)
{
	if (!http)
		return;
	libcurl.easy_cleanup(http->easy);
	libcurl.multi_cleanup(http->multi);
	free(http);
}

/* ---------------------------------------------------------------- bytes */

static size_t send_bytes(char *room, size_t size, size_t nr_room, void *context)
{
	struct attempt *attempt = context;
	const struct http_request *request = attempt->request;
	uint64_t left = request->nr_bytes - attempt->nr_sent;
	size_t wanted = size * nr_room;
	ssize_t got;

	if (wanted > left)
		wanted = (size_t)left;
	if (request->bytes) {
		memcpy(room, (const char *)request->bytes + attempt->nr_sent, wanted);
	} else {
		got = io_read_at(
			request->descriptor, room, wanted, request->offset + attempt->nr_sent);
		if (got != (ssize_t)wanted)
			return CURL_READFUNC_ABORT;
	}
	attempt->nr_sent += wanted;
	attempt->nr_moved += wanted;
	return wanted;
}

/* A connection that was kept may turn out to be closed: the request is then sent again. */
static int send_again(void *context, curl_off_t offset, int origin)
{
	struct attempt *attempt = context;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > attempt->request->nr_bytes)
		return CURL_SEEKFUNC_FAIL;
	attempt->nr_sent = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static size_t take_bytes(char *bytes, size_t size, size_t nr_bytes, void *context)
{
	struct attempt *attempt = context;
	struct http_answer *answer = attempt->answer;
	long code = 0;

	(void)size; /* libcurl always passes 1 */
	attempt->nr_moved += nr_bytes;
	libcurl.easy_getinfo(attempt->http->easy, CURLINFO_RESPONSE_CODE, &code);
	if (attempt->request->into >= 0 && code == ANSWER_OK) {
		attempt->is_file_full =
			io_write(attempt->request->into, bytes, nr_bytes, NULL) != CT_OK;
		if (attempt->is_file_full)
			return 0;
	} else if (answer->body.length + nr_bytes <= HTTP_BODY_BYTES) {
		text_append(&answer->body, bytes, nr_bytes);
	}
	answer->nr_bytes += nr_bytes;
	return nr_bytes;
}

/* The value of a header of this name, or NULL; *ret_length is without blanks at its end. */
static const char *value_of(const char *name, const char *line, size_t nr_bytes, size_t *ret_length)
{
	size_t length = strlen(name);

	if (nr_bytes <= length || strncasecmp(line, name, length) != 0 || line[length] != ':')
		return NULL;
	line += length + 1;
	nr_bytes -= length + 1;
	while (nr_bytes && (*line == ' ' || *line == '\t'))
		line++, nr_bytes--;
	while (nr_bytes && (unsigned char)line[nr_bytes - 1] <= ' ')
		nr_bytes--;
	*ret_length = nr_bytes;
	return line;
}

static size_t take_header(char *line, size_t size, size_t nr_bytes, void *context)
{
	struct attempt *attempt = context;
	struct http_answer *answer = attempt->answer;
	const char *value;
	size_t length;

	(void)size;
	attempt->nr_moved += nr_bytes;
	value = value_of("ETag", line, nr_bytes, &length);
	if (value && length < sizeof(answer->etag)) {
		memcpy(answer->etag, value, length);
		answer->etag[length] = '\0';
	}
	return nr_bytes;
}

/* ---------------------------------------------------------------- the request */

static bool add_header(struct attempt *attempt, const char *line)
{
	struct curl_slist *longer = libcurl.slist_append(attempt->headers, line);

	if (longer)
		attempt->headers = longer;
	return longer != NULL;
}

static bool set_headers(struct attempt *attempt)
{
	const char *const *line = attempt->request->headers;
	bool is_set = true;

	for (; is_set && line && *line; line++)
		is_set = add_header(attempt, *line);
	return is_set && libcurl.easy_setopt(attempt->http->easy, CURLOPT_HTTPHEADER,
				 attempt->headers) == CURLE_OK;
}

static bool set_signing(CURL *easy, const struct http_signing *signing)
{
	char how[96];

	if (!signing)
		return true;
	snprintf(how, sizeof(how), "aws:amz:%.60s:s3", signing->region);
	return libcurl.easy_setopt(easy, CURLOPT_AWS_SIGV4, how) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_USERNAME, signing->key_id) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_PASSWORD, signing->secret) == CURLE_OK;
}

static bool set_method(struct attempt *attempt)
{
	const struct http_request *request = attempt->request;
	CURL *easy = attempt->http->easy;
	bool sends = request->nr_bytes || strcmp(request->method, "PUT") == 0 ||
		     strcmp(request->method, "POST") == 0;

	if (strcmp(request->method, "HEAD") == 0)
		return libcurl.easy_setopt(easy, CURLOPT_NOBODY, 1L) == CURLE_OK;
	if (sends && (libcurl.easy_setopt(easy, CURLOPT_UPLOAD, 1L) != CURLE_OK ||
			     libcurl.easy_setopt(easy, CURLOPT_INFILESIZE_LARGE,
				     (curl_off_t)request->nr_bytes) != CURLE_OK))
		return false;
	return libcurl.easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method) == CURLE_OK;
}

static bool set_functions(struct attempt *attempt)
{
	CURL *easy = attempt->http->easy;

	return libcurl.easy_setopt(easy, CURLOPT_READFUNCTION, send_bytes) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_READDATA, attempt) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_SEEKFUNCTION, send_again) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_SEEKDATA, attempt) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_WRITEDATA, attempt) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_HEADERDATA, attempt) == CURLE_OK;
}

static bool prepare(struct attempt *attempt)
{
	CURL *easy = attempt->http->easy;

	libcurl.easy_reset(easy); /* connections stay */
	return libcurl.easy_setopt(easy, CURLOPT_URL, attempt->request->url) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L) == CURLE_OK &&
	       libcurl_prepare(easy, attempt->trouble) &&
	       libcurl.easy_setopt(easy, CURLOPT_EXPECT_100_TIMEOUT_MS, CONTINUE_MS) == CURLE_OK &&
	       set_method(attempt) && set_headers(attempt) &&
	       set_signing(easy, attempt->request->signing) && set_functions(attempt);
}

/* ---------------------------------------------------------------- the transfer */

static bool is_silent(struct attempt *attempt)
{
	uint64_t now_ns = clock_monotonic_ns();

	if (now_ns - attempt->moved_ns < attempt->request->silence_ms * NS_PER_MS)
		return false;
	if (attempt->nr_moved < LEAST_BYTES)
		return true;
	attempt->nr_moved = 0;
	attempt->moved_ns = now_ns;
	return false;
}

static void note_trouble(struct attempt *attempt, const char *trouble)
{
	attempt->answer->is_broken = true;
	snprintf(attempt->answer->trouble, sizeof(attempt->answer->trouble), "%s", trouble);
}

static void note_result(struct attempt *attempt)
{
	int nr_left;
	CURLMsg *message = libcurl.multi_info_read(attempt->http->multi, &nr_left);
	CURLcode result = message ? message->data.result : CURLE_FAILED_INIT;

	if (attempt->is_file_full)
		note_trouble(attempt, "the file cannot be written");
	else if (result != CURLE_OK)
		note_trouble(attempt, libcurl_trouble(attempt->trouble, result));
}

static void transfer(struct attempt *attempt)
{
	struct curl_waitfd wake = {
		.fd = attempt->request->wake_descriptor, .events = CURL_WAIT_POLLIN};
	int nr_running = 1;

	attempt->moved_ns = clock_monotonic_ns();
	while (libcurl.multi_perform(attempt->http->multi, &nr_running) == CURLM_OK && nr_running) {
		if (is_silent(attempt)) {
			note_trouble(attempt, "it is silent, or too slow");
			return;
		}
		libcurl.multi_poll(attempt->http->multi, &wake, wake.fd > 0, STEP_MS, NULL);
		attempt->answer->was_woken = wake.revents != 0;
		if (attempt->answer->was_woken)
			return;
	}
	note_result(attempt);
}

static void note_answer(struct attempt *attempt)
{
	struct http_answer *answer = attempt->answer;
	curl_off_t wait_s = 0, length = -1;
	CURL *easy = attempt->http->easy;

	libcurl.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &answer->code);
	libcurl.easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait_s);
	libcurl.easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
	answer->wait_s = wait_s > 0 && wait_s < 3600 ? (unsigned)wait_s : 0;
	answer->length = length >= 0 ? (uint64_t)length : UINT64_MAX;
}

enum ct_status http_perform(struct http *http, const struct http_request *request,
	struct http_answer *ret_answer, struct ct_error *reterr)
{
	struct attempt attempt = {.http = http, .request = request, .answer = ret_answer};
	enum ct_status status = CT_OK;

	*ret_answer = (struct http_answer){.length = UINT64_MAX};
	if (prepare(&attempt) && libcurl.multi_add_handle(http->multi, http->easy) == CURLM_OK) {
		transfer(&attempt);
		note_answer(&attempt);
		libcurl.multi_remove_handle(http->multi, http->easy);
	} else {
		status = ct_fail_memory(reterr);
	}
	libcurl.easy_reset(http->easy); /* the secret does not stay */
	libcurl.slist_free_all(attempt.headers);
	return status;
}
