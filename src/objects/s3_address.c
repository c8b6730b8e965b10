/* SPDX-License-Identifier: MIT */
/* The names of buckets are as Amazon's documents have them: 3 to 63 letters, digits, dots and hyphens. */
#include <string.h>
#include <strings.h>

#include "objects/s3.h"
#include "objects/xml.h"

void s3_encode(struct text *text, const char *value, bool keeps_slashes)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

	for (; *value; value++) {
		if (strchr(plain, *value) || (keeps_slashes && *value == '/'))
			text_char(text, *value);
		else
			text_format(text, "%%%02X", (unsigned char)*value);
	}
}

static bool is_bucket(const char *name, size_t length)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789-._", name[i]))
			return false;
	}
	return length >= 3 && length < S3_BUCKET_BYTES && *name != '.';
}

static enum ct_status take_parameter(
	struct s3 *s3, const char *at, size_t length, struct ct_error *reterr)
{
	char value[sizeof(s3->endpoint)];
	size_t name_length = strcspn(at, "=&");
	bool is_endpoint = name_length == 8 && strncmp(at, "endpoint", 8) == 0;
	bool is_region = name_length == 6 && strncmp(at, "region", 6) == 0;

	if (!is_endpoint && !is_region)
		return ct_fail(reterr, CT_ERR_USAGE,
			"'%.*s' says nothing of a bucket: endpoint and region do",
			(int)(name_length < 40 ? name_length : 40), at);
	length -= length > name_length ? name_length + 1 : name_length;
	at += name_length + (at[name_length] == '=');
	if (length >= (is_endpoint ? sizeof(s3->endpoint) : sizeof(s3->region)))
		return ct_fail(
			reterr, CT_ERR_USAGE, "the endpoint or region of a bucket is too long");
	memcpy(value, at, length);
	value[length] = '\0';
	xml_percent(value);
	if (is_endpoint && strncasecmp(value, "http://", 7) != 0 &&
		strncasecmp(value, "https://", 8) != 0)
		return ct_fail(reterr, CT_ERR_USAGE,
			"the endpoint of a bucket is an address: http://HOST:PORT or https://HOST");
	if (is_endpoint)
		memcpy(s3->endpoint, value, length + 1);
	else
		memcpy(s3->region, value, length + 1);
	return CT_OK;
}

enum ct_status s3_address_read(struct s3 *s3, const char *address, struct ct_error *reterr)
{
	size_t bucket_length = strcspn(address, "/?"), length;
	const char *at = address + bucket_length;
	enum ct_status status = CT_OK;

	if (!is_bucket(address, bucket_length))
		return ct_fail(reterr, CT_ERR_USAGE,
			"this is no bucket: s3://BUCKET/PREFIX is one, with "
			"?endpoint=http://HOST:PORT "
			"behind it for another server than Amazon's");
	memcpy(s3->bucket, address, bucket_length);
	at += *at == '/';
	length = strcspn(at, "?");
	while (length && at[length - 1] == '/')
		length--;
	if (length + 2 > sizeof(s3->prefix) / 2)
		return ct_fail(reterr, CT_ERR_USAGE, "the prefix of the bucket is too long");
	if (length) {
		memcpy(s3->prefix, at, length);
		if (!objects_is_key(s3->prefix))
			return ct_fail(
				reterr, CT_ERR_USAGE, "'%.60s' cannot begin a key", s3->prefix);
		s3->prefix[length] = '/';
	}
	at += strcspn(at, "?");
	for (at += *at == '?'; *at && status == CT_OK; at += length + (at[length] == '&')) {
		length = strcspn(at, "&");
		status = take_parameter(s3, at, length, reterr);
	}
	return status;
}
