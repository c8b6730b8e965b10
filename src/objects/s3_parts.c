/* SPDX-License-Identifier: MIT */
/*
 * An object in parts. Parts that were sent and never joined cost money, so those of an earlier attempt for the same
 * key, which a killed process may have left, are given up first.
 */
#include <stdio.h>
#include <string.h>

#include "objects/s3.h"
#include "objects/xml.h"

#define PARTS_MOST 10000u
#define ID_BYTES 1024

struct upload {
	struct s3 *s3;
	const char *key;
	int descriptor;
	uint64_t nr_bytes;
	uint64_t part_bytes;
	char id[ID_BYTES];
	struct text list; /* of the parts, as the end of the upload names them */
};

static enum ct_status ask(struct upload *upload, const char *method, const char *query,
	struct s3_answer *answer, struct ct_error *reterr)
{
	struct s3_request request = {
		.method = method, .key = upload->key, .query = query, .descriptor = -1, .into = -1};

	return s3_perform(upload->s3, &request, answer, reterr);
}

/* ---------------------------------------------------------------- giving up */

static void give_up(struct upload *upload, const char *id)
{
	struct s3_answer answer;
	struct text query = {0};

	text_add(&query, "uploadId=");
	s3_encode(&query, id, false);
	ask(upload, "DELETE", text_peek(&query), &answer, NULL);
	text_fini(&answer.http.body);
	text_fini(&query);
}

/* Where the server does not tell, there is nothing to give up. */
static void give_up_earlier(struct upload *upload)
{
	struct s3_request request = {.method = "GET", .descriptor = -1, .into = -1};
	char key[OBJECTS_KEY_BYTES], whole[2 * OBJECTS_KEY_BYTES];
	struct s3_answer answer;
	struct text query = {0};
	const char *at;

	snprintf(whole, sizeof(whole), "%s%s", upload->s3->prefix, upload->key);
	text_add(&query, "prefix=");
	s3_encode(&query, whole, false);
	text_add(&query, "&uploads=");
	request.query = text_peek(&query);
	if (s3_perform(upload->s3, &request, &answer, NULL) == CT_OK) {
		at = text_peek(&answer.http.body);
		while (xml_take(&at, "Key", key, sizeof(key)) &&
			xml_take(&at, "UploadId", upload->id, sizeof(upload->id))) {
			if (strcmp(key, whole) == 0)
				give_up(upload, upload->id);
		}
	}
	text_fini(&answer.http.body);
	text_fini(&query);
}

/* ---------------------------------------------------------------- sending */

static enum ct_status begin(struct upload *upload, struct ct_error *reterr)
{
	struct s3_answer answer;
	enum ct_status status = ask(upload, "POST", "uploads=", &answer, reterr);

	if (status == CT_OK &&
		!xml_find(text_peek(&answer.http.body), "UploadId", upload->id, sizeof(upload->id)))
		status = ct_fail(reterr, CT_ERR_SYSTEM, "the answer names no upload");
	text_fini(&answer.http.body);
	return status;
}

static enum ct_status send_part(struct upload *upload, unsigned number, struct ct_error *reterr)
{
	uint64_t offset = (number - 1) * upload->part_bytes, left = upload->nr_bytes - offset;
	struct text query = {0};
	struct s3_request request = {
		.method = "PUT",
		.key = upload->key,
		.descriptor = upload->descriptor,
		.offset = offset,
		.nr_bytes = left < upload->part_bytes ? left : upload->part_bytes,
		.into = -1,
	};
	struct s3_answer answer;
	enum ct_status status;

	text_format(&query, "partNumber=%u&uploadId=", number);
	s3_encode(&query, upload->id, false);
	request.query = text_peek(&query);
	status = s3_perform(upload->s3, &request, &answer, reterr);
	text_format(&upload->list, "<Part><PartNumber>%u</PartNumber><ETag>%s</ETag></Part>",
		number, answer.http.etag);
	text_fini(&answer.http.body);
	text_fini(&query);
	return status;
}

/* Was the object made although the answer got lost? */
static bool is_there(struct upload *upload)
{
	struct s3_answer answer;
	bool is_there = ask(upload, "HEAD", NULL, &answer, NULL) == CT_OK &&
			answer.http.length == upload->nr_bytes;

	text_fini(&answer.http.body);
	return is_there;
}

static enum ct_status join(struct upload *upload, struct ct_error *reterr)
{
	struct s3_request request = {
		.method = "POST", .key = upload->key, .descriptor = -1, .into = -1};
	struct text body = {0}, query = {0};
	struct s3_answer answer;
	struct ct_error trouble;
	enum ct_status status;

	text_format(&body, "<CompleteMultipartUpload>%s</CompleteMultipartUpload>",
		text_peek(&upload->list));
	text_add(&query, "uploadId=");
	s3_encode(&query, upload->id, false);
	request.query = text_peek(&query);
	request.bytes = text_peek(&body);
	request.nr_bytes = body.length;
	status = s3_perform(upload->s3, &request, &answer, &trouble);
	if (status == CT_ERR_NOT_FOUND && answer.nr_attempts > 1 && is_there(upload))
		status = CT_OK;
	if (status && reterr)
		*reterr = trouble;
	text_fini(&answer.http.body);
	text_fini(&query);
	text_fini(&body);
	return status;
}

/* ---------------------------------------------------------------- the whole */

static uint64_t part_of(uint64_t nr_bytes, uint64_t part_bytes)
{
	return nr_bytes / part_bytes < PARTS_MOST ? part_bytes : nr_bytes / (PARTS_MOST - 1) + 1;
}

enum ct_status s3_put_parts(
	struct s3 *s3, const char *key, int descriptor, uint64_t nr_bytes, struct ct_error *reterr)
{
	struct upload upload = {
		.s3 = s3,
		.key = key,
		.descriptor = descriptor,
		.nr_bytes = nr_bytes,
		.part_bytes = part_of(nr_bytes, s3->base.options.part_bytes),
	};
	unsigned number = 0;
	enum ct_status status;

	give_up_earlier(&upload);
	status = begin(&upload, reterr);
	if (status)
		return status;
	while (status == CT_OK && number * upload.part_bytes < nr_bytes)
		status = send_part(&upload, ++number, reterr);
	if (status == CT_OK)
		status = text_status(&upload.list, reterr);
	if (status == CT_OK)
		status = join(&upload, reterr);
	if (status && status != CT_ERR_STOPPED)
		give_up(&upload, upload.id);
	text_fini(&upload.list);
	return status;
}
