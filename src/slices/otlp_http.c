/* SPDX-License-Identifier: MIT */
/*
 * Sends requests to a collector over HTTP with libcurl: one after the other, over one connection. Error messages never
 * contain names or passwords of the address.
 */
#include <curl/curl.h>
#include <stdlib.h>

#include "base/failure.h"
#include "slices/otlp.h"

#define CONNECT_MS 10000L
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
	CURLU *parts = curl_url();
	char *host = NULL, *port = NULL;
	bool is_address =
		parts && curl_url_set(parts, CURLUPART_URL, address, 0) == CURLUE_OK &&
		curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
		curl_url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK;

	if (is_address && asprintf(&sender->host, "%s:%s", host, port) < 0)
		sender->host = NULL;
	curl_free(host);
	curl_free(port);
	curl_url_cleanup(parts);
	if (!is_address)
		return ct_fail(reterr, CT_ERR_USAGE, "the output is no address of a collector");
	return sender->host ? CT_OK : ct_fail_memory(reterr);
}

static bool prepare(struct otlp_sender *sender, const char *address)
{
	CURL *curl = sender->curl;

	sender->headers = curl_slist_append(NULL, "Content-Type: application/json");
	return sender->headers && curl_easy_setopt(curl, CURLOPT_URL, address) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_HTTPHEADER, sender->headers) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, sender->trouble) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MS) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, REQUEST_MS) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
	       curl_easy_setopt(curl, CURLOPT_WRITEDATA, &sender->answer) == CURLE_OK;
}

enum ct_status slices_otlp_open(
	const char *address, struct otlp_sender **ret_sender, struct ct_error *reterr)
{
	struct otlp_sender *sender = calloc(1, sizeof(*sender));
	enum ct_status status;

	if (!sender)
		return ct_fail_memory(reterr);
	status = find_host(sender, address, reterr);
	if (status == CT_OK) {
		sender->curl = curl_easy_init();
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
			*sender->trouble ? sender->trouble : curl_easy_strerror(result));
	curl_easy_getinfo(sender->curl, CURLINFO_RESPONSE_CODE, &code);
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
	if (curl_easy_setopt(sender->curl, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)request->length) != CURLE_OK ||
		curl_easy_setopt(sender->curl, CURLOPT_POSTFIELDS, text_peek(request)) != CURLE_OK)
		return ct_fail_memory(reterr);
	return judge(sender, curl_easy_perform(sender->curl), reterr);
}

void slices_otlp_close(struct otlp_sender *sender)
{
	if (!sender)
		return;
	curl_easy_cleanup(sender->curl);
	curl_slist_free_all(sender->headers);
	text_fini(&sender->answer);
	free(sender->host);
	free(sender);
}
