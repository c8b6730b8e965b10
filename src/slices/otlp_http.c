/* SPDX-License-Identifier: MIT */
/*
 * Sends requests to a collector over HTTP with libcurl: one after the other, over one connection. Error messages never
 * contain names or passwords of the address.
 */
#include <stdlib.h>

#include "base/failure.h"
#include "base/libcurl.h"
#include "slices/otlp.h"

#define REQUEST_MS 60000L

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
	CURLU *parts = libcurl.url();
	char *host = NULL, *port = NULL;
	bool is_address =
		parts && libcurl.url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK &&
		libcurl.url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
		libcurl.url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;

	if (is_address && asprintf(&sender->host, "%s:%s", host, port) < 0)
		sender->host = NULL;
	libcurl.free(host);
	libcurl.free(port);
	libcurl.url_cleanup(parts);
	if (!is_address)
		return ct_fail(reterr, CT_ERR_USAGE, "the output is no address of a collector");
	return sender->host ? CT_OK : ct_fail_memory(reterr);
}

static bool prepare(struct otlp_sender *sender, const char *address)
{
	CURL *easy = sender->curl;

	sender->headers = libcurl.slist_append(NULL, "Content-Type: application/json");
	return sender->headers && libcurl.easy_setopt(easy, CURLOPT_URL, address) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_HTTPHEADER, sender->headers) == CURLE_OK &&
	       libcurl_prepare(easy, sender->trouble) &&
	       libcurl.easy_setopt(easy, CURLOPT_TIMEOUT_MS, REQUEST_MS) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
	       libcurl.easy_setopt(easy, CURLOPT_WRITEDATA, &sender->answer) == CURLE_OK;
}

enum ct_status slices_otlp_open(
	const char *address, struct otlp_sender **ret_sender, struct ct_error *reterr)
{
	struct otlp_sender *sender;
	enum ct_status status = libcurl_open("cannot send to a collector", reterr);

	if (status)
		return status;
	sender = calloc(1, sizeof(*sender));
	if (!sender)
		return ct_fail_memory(reterr);
	status = find_host(sender, address, reterr);
	if (status == CT_OK) {
		sender->curl = libcurl.easy_init();
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
			sender->host, libcurl_trouble(sender->trouble, result));
	libcurl.easy_getinfo(sender->curl, CURLINFO_RESPONSE_CODE, &code);
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
	if (libcurl.easy_setopt(sender->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)request->length) != CURLE_OK ||
		libcurl.easy_setopt(sender->curl, CURLOPT_POSTFIELDS, text_peek(request)) !=
			CURLE_OK)
		return ct_fail_memory(reterr);
	return judge(sender, libcurl.easy_perform(sender->curl), reterr);
}

void slices_otlp_close(struct otlp_sender *sender)
{
	if (!sender)
		return;
	libcurl.easy_cleanup(sender->curl);
	libcurl.slist_free_all(sender->headers);
	text_fini(&sender->answer);
	free(sender->host);
	free(sender);
}
