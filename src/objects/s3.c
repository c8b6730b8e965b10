/* SPDX-License-Identifier: MIT */
/* The kind of store that is a bucket. */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "objects/s3.h"
#include "objects/xml.h"

static struct s3 *of(struct objects *objects)
{
	return (struct s3 *)objects;
}

static void s3_close(struct objects *objects)
{
	http_close(of(objects)->http);
	credentials_fini(&of(objects)->credentials);
	free(objects);
}

static enum ct_status perform(
	struct objects *objects, const struct s3_request *request, struct ct_error *reterr)
{
	struct s3_answer answer;
	enum ct_status status = s3_perform(of(objects), request, &answer, reterr);

	text_fini(&answer.http.body);
	return status;
}

static enum ct_status s3_put(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr)
{
	struct s3_request request = {
		.method = "PUT", .key = key, .descriptor = descriptor, .into = -1};
	struct stat status;

	if (fstat(descriptor, &status))
		return ct_fail_errno(reterr, "looking at the file");
	request.nr_bytes = (uint64_t)status.st_size;
	if (request.nr_bytes > objects->options.whole_bytes)
		return s3_put_parts(of(objects), key, descriptor, request.nr_bytes, reterr);
	return perform(objects, &request, reterr);
}

static enum ct_status s3_get(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr)
{
	struct s3_request request = {
		.method = "GET", .key = key, .descriptor = -1, .into = descriptor};

	return perform(objects, &request, reterr);
}

static enum ct_status s3_remove(struct objects *objects, const char *key, struct ct_error *reterr)
{
	struct s3_request request = {.method = "DELETE", .key = key, .descriptor = -1, .into = -1};
	struct ct_error trouble;
	enum ct_status status = perform(objects, &request, &trouble);

	if (status == CT_ERR_NOT_FOUND)
		return CT_OK;
	if (status && reterr)
		*reterr = trouble;
	return status;
}

/* ---------------------------------------------------------------- listing */

struct listing {
	struct s3 *s3;
	const char *prefix, *after;
	objects_visit *visit;
	void *context;
	char next[2048]; /* where the next answer begins; "": at the beginning */
	bool goes_on;
};

static void add_parameter(
	struct text *query, const char *name, const char *before, const char *value)
{
	text_format(query, "%s%s=", query->length ? "&" : "", name);
	s3_encode(query, before, false);
	s3_encode(query, value, false);
}

/* Hands out the keys of an answer, without the store's own prefix. */
static void visit_keys(struct listing *listing, const char *body)
{
	size_t own = strlen(listing->s3->prefix);
	char key[3 * OBJECTS_KEY_BYTES], size[32];

	while (listing->goes_on && xml_take(&body, "Key", key, sizeof(key)) &&
		xml_take(&body, "Size", size, sizeof(size))) {
		struct object object = {key + own, strtoull(size, NULL, 10)};

		xml_percent(key);
		if (strncmp(key, listing->s3->prefix, own) == 0 && objects_is_key(object.key))
			listing->goes_on = listing->visit(listing->context, &object);
	}
}

static enum ct_status ask_for_keys(struct listing *listing, struct ct_error *reterr)
{
	struct s3_request request = {.method = "GET", .descriptor = -1, .into = -1};
	const char *own = listing->s3->prefix;
	struct s3_answer answer;
	struct text query = {0};
	enum ct_status status;

	if (*listing->next)
		add_parameter(&query, "continuation-token", "", listing->next);
	add_parameter(&query, "encoding-type", "", "url");
	add_parameter(&query, "list-type", "", "2");
	add_parameter(&query, "prefix", own, listing->prefix);
	if (*listing->after)
		add_parameter(&query, "start-after", own, listing->after);
	request.query = text_peek(&query);
	status = s3_perform(listing->s3, &request, &answer, reterr);
	if (status == CT_OK) {
		visit_keys(listing, text_peek(&answer.http.body));
		if (!xml_find(text_peek(&answer.http.body), "NextContinuationToken", listing->next,
			    sizeof(listing->next)))
			listing->goes_on = false;
	}
	text_fini(&answer.http.body);
	text_fini(&query);
	return status;
}

static enum ct_status s3_list(struct objects *objects, const char *prefix, const char *after,
	objects_visit *visit, void *context, struct ct_error *reterr)
{
	struct listing listing = {.s3 = of(objects),
		.prefix = prefix,
		.after = after,
		.visit = visit,
		.context = context,
		.goes_on = true};
	enum ct_status status = CT_OK;

	while (listing.goes_on && status == CT_OK)
		status = ask_for_keys(&listing, reterr);
	return status;
}

/* ---------------------------------------------------------------- the kind */

static const struct objects_kind s3_kind = {
	.close = s3_close,
	.put = s3_put,
	.get = s3_get,
	.remove = s3_remove,
	.list = s3_list,
};

enum ct_status kind_new_bucket(
	const char *address, struct objects **ret_objects, struct ct_error *reterr)
{
	struct s3 *s3 = calloc(1, sizeof(*s3));
	enum ct_status status;

	if (!s3)
		return ct_fail_memory(reterr);
	s3->base.kind = &s3_kind;
	status = s3_address_read(s3, address, reterr);
	if (status == CT_OK)
		status = http_open(&s3->http, reterr);
	if (status == CT_OK)
		status = credentials_read(s3->http, &s3->credentials, reterr);
	s3->has_credentials = status == CT_OK;
	if (status) {
		http_close(s3->http);
		credentials_fini(&s3->credentials);
		free(s3);
		return status;
	}
	*ret_objects = &s3->base;
	return CT_OK;
}
