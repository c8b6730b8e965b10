/* SPDX-License-Identifier: MIT */
/* Checks what is asked for, and hands it to the kind of store. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "objects/kind.h"

#define ATTEMPTS 5u
#define PAUSE_MS 200u
#define SILENCE_MS 30000u
#define MEBIBYTE (UINT64_C(1) << 20)

static const char scheme[] = "s3://";

bool objects_is_remote(const char *place)
{
	return strncasecmp(place, scheme, sizeof(scheme) - 1) == 0;
}

static struct objects_options complete(const struct objects_options *given)
{
	struct objects_options options = given ? *given : (struct objects_options){0};

	if (!options.nr_attempts)
		options.nr_attempts = ATTEMPTS;
	if (!options.pause_ms)
		options.pause_ms = PAUSE_MS;
	if (!options.silence_ms)
		options.silence_ms = SILENCE_MS;
	if (!options.whole_bytes)
		options.whole_bytes = 16 * MEBIBYTE;
	if (!options.part_bytes)
		options.part_bytes = 8 * MEBIBYTE;
	return options;
}

enum ct_status objects_open(const char *place, const struct objects_options *options,
	struct objects **ret_objects, struct ct_error *reterr)
{
	bool is_remote = objects_is_remote(place);
	struct objects *objects;
	enum ct_status status;

	if (!*place)
		return ct_fail(reterr, CT_ERR_USAGE, "a store of objects needs a place");
	if (is_remote)
		status = kind_new_bucket(place + sizeof(scheme) - 1, &objects, reterr);
	else
		status = kind_new_folder(place, &objects, reterr);
	if (status)
		return status;
	objects->options = complete(options);
	objects->place = strndup(place, is_remote ? strcspn(place, "?") : strlen(place));
	if (!objects->place) {
		objects_close(objects);
		return ct_fail_memory(reterr);
	}
	*ret_objects = objects;
	return CT_OK;
}

void objects_close(struct objects *objects)
{
	if (!objects)
		return;
	free(objects->place);
	objects->kind->close(objects);
}

const char *objects_place(const struct objects *objects)
{
	return objects->place;
}

struct objects_counts objects_counts(const struct objects *objects)
{
	return objects->counts;
}

/* ---------------------------------------------------------------- keys */

static bool is_name(const char *at, size_t length)
{
	size_t i;

	if (length == 0 || strspn(at, ".") >= length)
		return false;
	for (i = 0; i < length; i++) {
		if ((unsigned char)at[i] < ' ' || at[i] == 0x7f)
			return false;
	}
	return true;
}

bool objects_is_key(const char *text)
{
	size_t length;

	if (strlen(text) >= OBJECTS_KEY_BYTES)
		return false;
	for (;; text += length + 1) {
		length = strcspn(text, "/");
		if (!is_name(text, length))
			return false;
		if (!text[length])
			return true;
	}
}

static enum ct_status check(const char *key, struct ct_error *reterr)
{
	return objects_is_key(key)
		       ? CT_OK
		       : ct_fail(reterr, CT_ERR_USAGE, "'%.80s' is no key of an object", key);
}

/* Says where it failed: the store's place and the key. */
static enum ct_status tell(const struct objects *objects, const char *doing, const char *key,
	enum ct_status status, struct ct_error *reterr)
{
	if (status == CT_OK)
		return CT_OK;
	return ct_context(reterr, status, "%s '%s/%s'", doing, objects->place, key);
}

/* ---------------------------------------------------------------- what can be asked for */

enum ct_status objects_put(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr)
{
	enum ct_status status = check(key, reterr);

	if (status == CT_OK)
		status = objects->kind->put(objects, key, descriptor, reterr);
	return tell(objects, "storing", key, status, reterr);
}

enum ct_status objects_get(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr)
{
	enum ct_status status = check(key, reterr);

	if (status == CT_OK)
		status = objects->kind->get(objects, key, descriptor, reterr);
	return tell(objects, "reading", key, status, reterr);
}

enum ct_status objects_remove(struct objects *objects, const char *key, struct ct_error *reterr)
{
	enum ct_status status = check(key, reterr);

	if (status == CT_OK)
		status = objects->kind->remove(objects, key, reterr);
	return tell(objects, "removing", key, status, reterr);
}

enum ct_status objects_list(struct objects *objects, const char *prefix, const char *after,
	objects_visit *visit, void *context, struct ct_error *reterr)
{
	enum ct_status status = objects->kind->list(objects, prefix, after, visit, context, reterr);

	return tell(objects, "listing", prefix, status, reterr);
}
