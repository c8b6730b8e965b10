/* SPDX-License-Identifier: MIT */
/* An address without a signature may have one in its query, as those have that a store hands out for a while. */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/spill.h"
#include "objects/http.h"
#include "objects/whole.h"

#define NR_ATTEMPTS 3u
#define SILENCE_MS 30000u
#define ANSWER_OK 200
#define ANSWER_NOT_FOUND 404

static bool begins(const char *text, const char *scheme)
{
	return strncasecmp(text, scheme, strlen(scheme)) == 0;
}

bool objects_is_address(const char *text)
{
	return objects_is_remote(text) || begins(text, "http://") || begins(text, "https://");
}

/* ---------------------------------------------------------------- of a bucket */

/* "s3://BUCKET/KEY?PARAMETERS": the bucket's address is without the key. */
static enum ct_status read_object(
	const char *address, int descriptor, int wake_descriptor, struct ct_error *reterr)
{
	const struct objects_options options = {.wake_descriptor = wake_descriptor};
	size_t scheme = strlen("s3://"), bucket = scheme + strcspn(address + scheme, "/?");
	size_t key = address[bucket] == '/' ? strcspn(address + bucket + 1, "?") : 0;
	const char *parameters = address + bucket + (key ? key + 1 : 0);
	struct text place = {0}, name = {0};
	struct objects *objects = NULL;
	enum ct_status status = CT_OK;

	text_append(&place, address, bucket);
	text_add(&place, parameters);
	text_append(&name, address + bucket + 1, key);
	if (!key)
		status = ct_fail(reterr, CT_ERR_USAGE, "an object of a bucket is s3://BUCKET/KEY");
	else if (place.is_broken || name.is_broken)
		status = ct_fail_memory(reterr);
	if (status == CT_OK)
		status = objects_open(text_peek(&place), &options, &objects, reterr);
	if (status == CT_OK)
		status = objects_get(objects, text_peek(&name), descriptor, reterr);
	objects_close(objects);
	text_fini(&place);
	text_fini(&name);
	return status;
}

/* ---------------------------------------------------------------- of a server */

static enum ct_status judge(const struct http_answer *answer, struct ct_error *reterr)
{
	if (answer->is_broken || !answer->code)
		return ct_fail(reterr, CT_ERR_SYSTEM, "%s", answer->trouble);
	if (answer->code == ANSWER_OK)
		return CT_OK;
	return ct_fail(reterr,
		answer->code == ANSWER_NOT_FOUND ? CT_ERR_NOT_FOUND
		: answer->code >= 500            ? CT_ERR_SYSTEM
						 : CT_ERR_REFUSED,
		"the answer is %ld", answer->code);
}

static enum ct_status ask(
	struct http *http, const struct http_request *request, struct ct_error *reterr)
{
	struct http_answer answer;
	enum ct_status status;

	if (ftruncate(request->into, 0) || lseek(request->into, 0, SEEK_SET) < 0)
		return ct_fail_errno(reterr, "emptying the file");
	status = http_perform(http, request, &answer, reterr);
	if (status == CT_OK)
		status = judge(&answer, reterr);
	text_fini(&answer.body);
	return status;
}

static enum ct_status read_answer(
	const char *address, int descriptor, int wake_descriptor, struct ct_error *reterr)
{
	struct http_request request = {
		.method = "GET",
		.url = address,
		.descriptor = -1,
		.into = descriptor,
		.wake_descriptor = wake_descriptor,
		.silence_ms = SILENCE_MS,
	};
	struct ct_error trouble;
	struct http *http;
	enum ct_status status = http_open(&http, reterr);
	unsigned i;

	if (status)
		return status;
	status = CT_ERR_SYSTEM;
	for (i = 0; i < NR_ATTEMPTS && status == CT_ERR_SYSTEM; i++)
		status = ask(http, &request, &trouble);
	http_close(http);
	if (status && reterr)
		*reterr = trouble;
	return status ? ct_context(reterr, status, "'%.*s'", (int)strcspn(address, "?"), address)
		      : CT_OK;
}

int objects_open_address(const char *address, int wake_descriptor, enum ct_status *ret_status,
	struct ct_error *reterr)
{
	int descriptor = spill_open_file(reterr);

	*ret_status = CT_ERR_SYSTEM;
	if (descriptor < 0)
		return -1;
	*ret_status = objects_is_remote(address)
			      ? read_object(address, descriptor, wake_descriptor, reterr)
			      : read_answer(address, descriptor, wake_descriptor, reterr);
	if (*ret_status == CT_OK)
		return descriptor;
	close(descriptor);
	return -1;
}
