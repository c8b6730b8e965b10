/* SPDX-License-Identifier: MIT */
/*
 * The names are gathered before the first visit: a visit may take minutes, and a listing stays open for less.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/failure.h"
#include "base/vec.h"
#include "objects/traces.h"

struct place {
	char *root; /* up to the last '/' before the pattern; of a bucket, with what follows '?' */
	size_t nr_root_bytes; /* of the root, without what follows '?' */
	char *pattern;        /* of keys below the root; "": all */
	bool is_tree;         /* what lies below a match belongs to it, too */
};

struct gathering {
	const struct place *place;
	VEC(char *) names;
	bool is_broken; /* no memory */
};

/* ---------------------------------------------------------------- places */

static bool is_folder(const char *place)
{
	struct stat seen;

	return stat(place, &seen) == 0 && S_ISDIR(seen.st_mode);
}

bool objects_have_traces(const char *place)
{
	size_t length = strcspn(place, "?");

	if (!objects_is_remote(place))
		return is_folder(place);
	return place[length - 1] == '/' || memchr(place, '*', length);
}

/* Length of what stands before the first name with a '*', without the last '/'. */
static size_t root_length(const char *address, size_t length)
{
	const char *star = memchr(address, '*', length);
	size_t end = star ? (size_t)(star - address) : length;

	while (end && address[end - 1] != '/')
		end--;
	while (end && address[end - 1] == '/')
		end--;
	return end;
}

static bool take_address(struct place *place, const char *address)
{
	size_t length = strcspn(address, "?"), root = root_length(address, length);
	size_t begin = root;

	while (begin < length && address[begin] == '/')
		begin++;
	place->is_tree = address[length - 1] == '/';
	place->nr_root_bytes = root;
	place->pattern =
		strndup(address + begin, length - begin - (begin < length && place->is_tree));
	if (asprintf(&place->root, "%.*s%s", (int)root, address, address + length) < 0)
		place->root = NULL;
	return place->root && place->pattern;
}

static bool take_folder(struct place *place, const char *folder)
{
	size_t length = strlen(folder);

	while (length > 1 && folder[length - 1] == '/')
		length--;
	place->is_tree = true;
	place->nr_root_bytes = length;
	place->root = strndup(folder, length);
	place->pattern = strdup("");
	return place->root && place->pattern;
}

static void forget(struct place *place)
{
	free(place->root);
	free(place->pattern);
}

/* ---------------------------------------------------------------- keys */

bool objects_name_is_trace(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".ctrace") == 0 || strcmp(dot, ".jsonl") == 0);
}

static bool matches(const struct place *place, const char *key)
{
	int flags = FNM_PATHNAME | FNM_NOESCAPE | (place->is_tree ? FNM_LEADING_DIR : 0);

	return !*place->pattern || fnmatch(place->pattern, key, flags) == 0;
}

static bool gather(void *context, const struct object *object)
{
	struct gathering *gathering = context;
	const struct place *place = gathering->place;
	char *name;

	if (!objects_name_is_trace(object->key) || !matches(place, object->key))
		return true;
	if (asprintf(&name, "%.*s/%s%s", (int)place->nr_root_bytes, place->root, object->key,
		    place->root + place->nr_root_bytes) < 0)
		name = NULL;
	gathering->is_broken = !name || !vec_push(&gathering->names, name);
	if (gathering->is_broken)
		free(name);
	return !gathering->is_broken;
}

static enum ct_status gather_all(
	struct gathering *gathering, const struct objects_options *options, struct ct_error *reterr)
{
	const struct place *place = gathering->place;
	char *prefix = strndup(place->pattern, strcspn(place->pattern, "*"));
	struct objects *objects = NULL;
	enum ct_status status = prefix ? CT_OK : ct_fail_memory(reterr);

	if (status == CT_OK)
		status = objects_open(place->root, options, &objects, reterr);
	if (status == CT_OK)
		status = objects_list(objects, prefix, "", gather, gathering, reterr);
	objects_close(objects);
	free(prefix);
	return status == CT_OK && gathering->is_broken ? ct_fail_memory(reterr) : status;
}

/* ---------------------------------------------------------------- the list */

static enum ct_status visit_all(const struct gathering *gathering, const char *place,
	bool (*visit)(void *context, const char *trace), void *context, struct ct_error *reterr)
{
	size_t i;

	if (!gathering->names.count)
		return ct_fail(reterr, CT_ERR_NOT_FOUND, "'%.*s' has no trace (*.ctrace, *.jsonl)",
			(int)strcspn(place, objects_is_remote(place) ? "?" : ""), place);
	for (i = 0; i < gathering->names.count && visit(context, gathering->names.at[i]); i++)
		;
	return CT_OK;
}

enum ct_status objects_list_traces(const char *name, const struct objects_options *options,
	bool (*visit)(void *context, const char *trace), void *context, struct ct_error *reterr)
{
	struct place place = {0};
	struct gathering gathering = {.place = &place};
	enum ct_status status;
	size_t i;

	if (!objects_have_traces(name)) {
		visit(context, name);
		return CT_OK;
	}
	if ((objects_is_remote(name) ? take_address : take_folder)(&place, name))
		status = gather_all(&gathering, options, reterr);
	else
		status = ct_fail_memory(reterr);
	if (status == CT_OK)
		status = visit_all(&gathering, name, visit, context, reterr);
	for (i = 0; i < gathering.names.count; i++)
		free(gathering.names.at[i]);
	vec_fini(&gathering.names);
	forget(&place);
	return status;
}
