/* SPDX-License-Identifier: MIT */
/*
 * Sends requests to a collector over HTTP with libcurl: one after the other, over one connection. Error messages never
 * contain names or passwords of the address.
 */
#include <curl/curl.h>
#include <stdlib.h>

#include "base/failure.h"
#include "base/loaded.h"
#include "slices/otlp.h"

#define CONNECT_MS 10000L
#define REQUEST_MS 60000L

/* clang-format off */
#define CURL_CALLS(USE) \
	USE(curl_, easy_cleanup) USE(curl_, easy_getinfo) USE(curl_, easy_init) \
	USE(curl_, easy_perform) USE(curl_, easy_setopt) USE(curl_, easy_strerror) \
	USE(curl_, free) USE(curl_, slist_append) USE(curl_, slist_free_all) USE(curl_, url) \
	USE(curl_, url_cleanup) USE(curl_, url_get) USE(curl_, url_set)
/* clang-format on */

LOADED_TABLE(curl, CURL_CALLS);
static struct curl curl = LOADED_INITIALLY(CURL_CALLS);
static const struct loaded curl_library =
	LOADED(curl, CURL_CALLS, CT_LIBCURL, "corotracer-servers");

struct otlp_sender {
	CURL *curl;
	struct curl_slist *headers;
	char *host; /* host and port, for messages */
	char trouble[CURL_ERROR_SIZE];
	struct text answer; /* the beginning of the answer */
};

#define ANSWER_BYTES 300u

static size_t take_answer(char *bytes, size_t size, size_t count, void *context)
{
	struct text *answer = context;
	size_t nr_bytes = size * count;
	size_t room = answer->length < ANSWER_BYTES ? ANSWER_BYTES - answer->length : 0;

	text_append(answer, bytes, nr_bytes < room ? nr_bytes : room);
	return nr_bytes;
}

/* Finds "host:4318" in "http://user:word@host:4318/v1/traces?key=x". */
static enum ct_status find_host(
	struct otlp_sender *sender, const char *address, struct ct_error *reterr)
{
	CURLU *parts = curl.url();
	char *host = NULL, *port = NULL;
	bool is_address =
		parts && curl.url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK &&
		curl.url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
		curl.url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;

	if (is_address && asprintf(&sender->host, "%s:%s", host, port) < 0)
		sender->host = NULL;
	curl.free(host);
	curl.free(port);
	curl.url_cleanup(parts);
	if (!is_address)
		return ct_fail(reterr, CT_ERR_USAGE, "the output is no address of a collector");
	return sender->host ? CT_OK : ct_fail_memory(reterr);
}

static bool prepare(struct otlp_sender *sender, const char *address)
{
	CURL *easy = sender->curl;

	sender->headers = curl.slist_append(NULL, "Content-Type: application/json");
	return sender->headers && curl.easy_setopt(easy, CURLOPT_URL, address) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_HTTPHEADER, sender->headers) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_ERRORBUFFER, sender->trouble) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, REQUEST_MS) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
	       curl.easy_setopt(easy, CURLOPT_WRITEDATA, &sender->answer) == CURLE_OK;
}

enum ct_status slices_otlp_open(
	const char *address, struct otlp_sender **ret_sender, struct ct_error *reterr)
{
	struct otlp_sender *sender;
	enum ct_status status = loaded_open(&curl_library, "cannot send to a collector", reterr);

	if (status)
		return status;
	sender = calloc(1, sizeof(*sender));
	if (!sender)
		return ct_fail_memory(reterr);
	status = find_host(sender, address, reterr);
	if (status == CT_OK) {
		sender->curl = curl.easy_init();
		if (!sender->curl || !prepare(sender, address))
			status = ct_fail_memory(reterr);
	}
	if (status)
		slices_otlp_close(sender);
	else
		*ret_sender = sender;
	return status;
}

static enum ct_status judge(struct otlp_sender *sender, CURLcode result, struct ct_error *reterr)
{
	long code = 0;

	if (result != CURLE_OK)
		return ct_fail(reterr, CT_ERR_SYSTEM, "cannot send to the collector at %s: %s",
			sender->host,
			*sender->trouble ? sender->trouble : curl.easy_strerror(result));
	curl.easy_getinfo(sender->curl, CURLINFO_RESPONSE_CODE, &code);
	if (code < 200 || code > 299)
		return ct_fail(reterr, CT_ERR_REFUSED, "the collector at %s answered %ld: %s",
			sender->host, code, text_peek(&sender->answer));
	return CT_OK;
}

enum ct_status slices_otlp_post(
	struct otlp_sender *sender, const struct text *request, struct ct_error *reterr)
{
	text_clear(&sender->answer);
	*sender->trouble = '\0';
	if (curl.easy_setopt(sender->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)request->length) != CURLE_OK ||
		curl.easy_setopt(sender->curl, CURLOPT_POSTFIELDS, text_peek(request)) != CURLE_OK)
		return ct_fail_memory(reterr);
	return judge(sender, curl.easy_perform(sender->curl), reterr);
}

void slices_otlp_close(struct otlp_sender *sender)
{
	if (!sender)
		return;
	curl.easy_cleanup(sender->curl);
	curl.slist_free_all(sender->headers);
	text_fini(&sender->answer);
	free(sender->host);
	free(sender);
}
