/* SPDX-License-Identifier: MIT */
/*
 * A request that failed on the way, or that the server could not serve at present, is sent again: after a pause that
 * doubles, of which a random part is left out so that many clients of a server that was down do not come back at once.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/io.h"
#include "objects/s3.h"
#include "objects/xml.h"

#define REGION "us-east-1"
#define PAUSE_MOST_MS 10000u
#define WAIT_MOST_S 30u /* that a server may ask for */
#define READ_BYTES (256u << 10)
#define NR_HEADERS 3

/* ---------------------------------------------------------------- pauses */

static uint32_t chance(struct s3 *s3)
{
	if (!s3->chance)
		s3->chance = ((uint32_t)clock_realtime_ns() ^ (uint32_t)getpid() << 16) | 1;
	s3->chance ^= s3->chance << 13;
	s3->chance ^= s3->chance >> 17;
	s3->chance ^= s3->chance << 5;
	return s3->chance;
}

static uint32_t pause_of(struct s3 *s3, unsigned nr_attempts, unsigned wait_s)
{
	uint64_t most = (uint64_t)s3->base.options.pause_ms
			<< (nr_attempts < 16 ? nr_attempts - 1 : 15);

	if (most > PAUSE_MOST_MS)
		most = PAUSE_MOST_MS;
	most = most / 2 + chance(s3) % (most / 2 + 1);
	if (wait_s > WAIT_MOST_S)
		wait_s = WAIT_MOST_S;
	return most > wait_s * 1000u ? (uint32_t)most : wait_s * 1000u;
}

/* False: the caller's descriptor ended the pause. */
static bool pause_for(struct s3 *s3, uint32_t pause_ms)
{
	struct pollfd wake = {.fd = s3->base.options.wake_descriptor, .events = POLLIN};
	uint64_t until_ns = clock_monotonic_ns() + pause_ms * UINT64_C(1000000), now_ns;

	if (wake.fd <= 0)
		wake.fd = -1;
	while ((now_ns = clock_monotonic_ns()) < until_ns) {
		if (poll(&wake, 1, (int)((until_ns - now_ns) / 1000000) + 1) > 0)
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- what an answer means */

static bool is_reason(const struct s3_answer *answer, const char *reason)
{
	return strcmp(answer->reason, reason) == 0;
}

static bool is_good(const struct s3_answer *answer)
{
	return answer->http.code / 100 == 2 && !answer->http.is_broken && !*answer->reason;
}

/* Credentials for a while may have ended, and others been written meanwhile. */
static bool is_of_credentials(const struct s3_answer *answer)
{
	return is_reason(answer, "ExpiredToken") || is_reason(answer, "TokenRefreshRequired") ||
	       is_reason(answer, "RequestExpired");
}

static bool may_pass(const struct s3_answer *answer)
{
	long code = answer->http.code;

	return answer->http.is_broken || code == 0 || code >= 500 || code == 429 || code == 408 ||
	       is_reason(answer, "RequestTimeout") || is_reason(answer, "SlowDown") ||
	       is_reason(answer, "InternalError") || is_of_credentials(answer);
}

/* The word of an error; some come with the code 200, after the server has begun to answer. */
static void read_reason(struct s3_answer *answer)
{
	const char *body = text_peek(&answer->http.body);

	if (answer->http.code / 100 != 2 || strstr(body, "<Error>"))
		xml_find(body, "Code", answer->reason, sizeof(answer->reason));
	if (strspn(answer->reason, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") !=
		strlen(answer->reason))
		*answer->reason = '\0';
}

static enum ct_status refuse(
	const struct s3 *s3, const struct s3_answer *answer, struct ct_error *reterr)
{
	static const enum ct_status statuses[] = {CT_ERR_REFUSED, CT_ERR_NOT_FOUND, CT_ERR_SYSTEM};
	long code = answer->http.code;
	bool is_absent = code == 404;
	enum ct_status status = statuses[is_absent ? 1 : code >= 500 || code == 429 ? 2 : 0];

	if (answer->http.is_broken || code == 0)
		return ct_fail(reterr, CT_ERR_SYSTEM, "%s%s", answer->http.trouble,
			s3->base.options.nr_attempts > 1 ? ", again and again" : "");
	if (code / 100 == 3)
		return ct_fail(reterr, CT_ERR_REFUSED,
			"the bucket is elsewhere (answer %ld): ?region=REGION or AWS_REGION says "
			"where",
			code);
	if (code / 100 == 2)
		return ct_fail(reterr, CT_ERR_SYSTEM, "the answer is an error: %s", answer->reason);
	return ct_fail(reterr, status, "the answer is %ld%s%s", code, *answer->reason ? ": " : "",
		answer->reason);
}

/* ---------------------------------------------------------------- one attempt */

static enum ct_status check_credentials(struct s3 *s3, struct ct_error *reterr)
{
	enum ct_status status;

	if (s3->has_credentials &&
		(!s3->credentials.until_s || (uint64_t)time(NULL) < s3->credentials.until_s))
		return CT_OK;
	status = credentials_read(s3->http, &s3->credentials, reterr);
	s3->has_credentials = status == CT_OK;
	return status;
}

/* Another server has all buckets below one address; those of Amazon have a name each, unless that has a dot. */
static void write_url(const struct s3 *s3, const struct s3_request *request, struct text *url)
{
	const char *endpoint = *s3->endpoint ? s3->endpoint : s3->credentials.endpoint;
	const char *region = *s3->region ? s3->region : s3->credentials.region;
	size_t length = strlen(endpoint);

	while (length && endpoint[length - 1] == '/')
		length--;
	if (length)
		text_format(url, "%.*s/%s", (int)length, endpoint, s3->bucket);
	else if (strchr(s3->bucket, '.'))
		text_format(url, "https://s3.%s.amazonaws.com/%s", *region ? region : REGION,
			s3->bucket);
	else
		text_format(url, "https://%s.s3.%s.amazonaws.com", s3->bucket,
			*region ? region : REGION);
	text_char(url, '/');
	if (request->key) {
		s3_encode(url, s3->prefix, true);
		s3_encode(url, request->key, true);
	}
	if (request->query)
		text_format(url, "?%s", request->query);
}

static enum ct_status sum_up(
	const struct s3_request *request, char ret_hex[SHA256_HEX_BYTES], struct ct_error *reterr)
{
	uint64_t at = 0;
	struct sha256 sum;
	ssize_t got;
	char *bytes;

	sha256_begin(&sum);
	if (request->bytes || !request->nr_bytes) {
		sha256_add(&sum, request->bytes, (size_t)request->nr_bytes);
		sha256_end(&sum, ret_hex);
		return CT_OK;
	}
	bytes = malloc(READ_BYTES);
	if (!bytes)
		return ct_fail_memory(reterr);
	for (; at < request->nr_bytes; at += (uint64_t)got) {
		uint64_t left = request->nr_bytes - at;

		got = io_read_at(request->descriptor, bytes,
			left < READ_BYTES ? (size_t)left : READ_BYTES, request->offset + at);
		if (got <= 0)
			break;
		sha256_add(&sum, bytes, (size_t)got);
	}
	free(bytes);
	sha256_end(&sum, ret_hex);
	return at == request->nr_bytes ? CT_OK : ct_fail_errno(reterr, "reading the file");
}

static enum ct_status send_once(struct s3 *s3, const struct s3_request *request, const char *sum,
	struct s3_answer *answer, struct ct_error *reterr)
{
	const char *region = *s3->region ? s3->region : s3->credentials.region;
	struct http_signing signing = {
		s3->credentials.key_id, s3->credentials.secret, *region ? region : REGION};
	struct text url = {0}, content = {0}, token = {0};
	const char *headers[NR_HEADERS];
	struct http_request one = {
		.method = request->method,
		.headers = headers,
		.signing = &signing,
		.bytes = request->bytes,
		.descriptor = request->descriptor,
		.offset = request->offset,
		.nr_bytes = request->nr_bytes,
		.into = request->into,
		.wake_descriptor = s3->base.options.wake_descriptor,
		.silence_ms = s3->base.options.silence_ms,
	};
	enum ct_status status;

	write_url(s3, request, &url);
	text_format(&content, "x-amz-content-sha256: %s", sum);
	text_format(&token, "x-amz-security-token: %s", s3->credentials.token);
	one.url = text_peek(&url);
	headers[0] = text_peek(&content);
	headers[1] = *s3->credentials.token ? text_peek(&token) : NULL;
	headers[2] = NULL;
	status = url.is_broken || content.is_broken || token.is_broken ? ct_fail_memory(reterr)
								       : CT_OK;
	if (status == CT_OK)
		status = http_perform(s3->http, &one, &answer->http, reterr);
	if (token.at)
		explicit_bzero(token.at, token.length);
	text_fini(&token);
	text_fini(&content);
	text_fini(&url);
	return status;
}

static void count(struct s3 *s3, const struct s3_request *request, const struct s3_answer *answer)
{
	s3->base.counts.nr_requests++;
	if (answer->nr_attempts > 1)
		s3->base.counts.nr_repeated++;
	if (request->key && is_good(answer) && request->descriptor >= 0)
		s3->base.counts.nr_bytes_sent += request->nr_bytes;
	if (request->into >= 0)
		s3->base.counts.nr_bytes_got += answer->http.nr_bytes;
}

static enum ct_status attempt(struct s3 *s3, const struct s3_request *request, const char *sum,
	struct s3_answer *answer, struct ct_error *reterr)
{
	enum ct_status status = check_credentials(s3, reterr);

	text_fini(&answer->http.body);
	*answer = (struct s3_answer){.nr_attempts = answer->nr_attempts + 1};
	if (status == CT_OK && request->into >= 0 &&
		(ftruncate(request->into, 0) || lseek(request->into, 0, SEEK_SET) < 0))
		status = ct_fail_errno(reterr, "emptying the file");
	if (status == CT_OK)
		status = send_once(s3, request, sum, answer, reterr);
	if (status)
		return status;
	read_reason(answer);
	count(s3, request, answer);
	if (is_of_credentials(answer))
		s3->has_credentials = false;
	return answer->http.was_woken ? ct_fail(reterr, CT_ERR_STOPPED, "it was ended") : CT_OK;
}

enum ct_status s3_perform(struct s3 *s3, const struct s3_request *request,
	struct s3_answer *ret_answer, struct ct_error *reterr)
{
	struct s3_answer *answer = ret_answer;
	char sum[SHA256_HEX_BYTES];
	enum ct_status status;

	*answer = (struct s3_answer){.nr_attempts = 0};
	status = sum_up(request, sum, reterr);
	while (status == CT_OK) {
		status = attempt(s3, request, sum, answer, reterr);
		if (status || is_good(answer))
			return status;
		if (!may_pass(answer) || answer->nr_attempts >= s3->base.options.nr_attempts)
			return refuse(s3, answer, reterr);
		if (!pause_for(s3, pause_of(s3, answer->nr_attempts, answer->http.wait_s)))
			status = ct_fail(reterr, CT_ERR_STOPPED, "it was ended");
	}
	return status;
}
