/* SPDX-License-Identifier: MIT */
/*
 * A folder as a store: a key is the name of a file below it. An object is written beside its name, brought to the disk,
 * and renamed; then the folders that the name is in are brought to the disk, too.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/vec.h"
#include "objects/kind.h"

#define COPY_BYTES (256u << 10)
#define UNFINISHED ".partial"

struct local {
	struct objects base;
	char *folder;
};

static struct local *of(struct objects *objects)
{
	return (struct local *)objects;
}

static void local_close(struct objects *objects)
{
	free(of(objects)->folder);
	free(objects);
}

/* NULL: no memory. */
static char *path_of(struct objects *objects, const char *key)
{
	char *path;

	return asprintf(&path, "%s/%s", of(objects)->folder, key) < 0 ? NULL : path;
}

/* ---------------------------------------------------------------- folders */

static bool sync_folder(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_synced = descriptor >= 0 && fsync(descriptor) == 0;

	if (descriptor >= 0)
		close(descriptor);
	return is_synced;
}

/* A folder that is new is brought to the disk with the folder that it is in. */
static bool make_folder(const char *path)
{
	char *parent;

	if (mkdir(path, 0777) != 0)
		return errno == EEXIST;
	parent = strdup(path);
	if (parent)
		sync_folder(dirname(parent));
	free(parent);
	return true;
}

/* Makes the folders that `path` is in. */
static bool make_folders(char *path)
{
	bool is_made = true;
	char *at = path;

	while (is_made && (at = strchr(at + 1, '/'))) {
		*at = '\0';
		is_made = make_folder(path);
		*at = '/';
	}
	return is_made;
}

/* ---------------------------------------------------------------- bytes */

static enum ct_status copy(int from, int to, uint64_t *nr_copied, struct ct_error *reterr)
{
	char *bytes = malloc(COPY_BYTES);
	enum ct_status status = bytes ? CT_OK : ct_fail_memory(reterr);
	uint64_t at = 0;
	ssize_t got = 1;

	while (status == CT_OK && got > 0) {
		got = io_read_at(from, bytes, COPY_BYTES, at);
		if (got < 0)
			status = ct_fail_errno(reterr, "reading the file");
		else if (got > 0)
			status = io_write(to, bytes, (size_t)got, reterr);
		at += got > 0 ? (uint64_t)got : 0;
	}
	free(bytes);
	*nr_copied += at;
	return status;
}

static enum ct_status write_object(
	struct objects *objects, const char *path, int descriptor, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	status = copy(descriptor, output.descriptor, &objects->counts.nr_bytes_sent, reterr);
	if (status == CT_OK && fsync(output.descriptor) != 0)
		status = ct_fail_errno(reterr, "bringing it to the disk");
	return io_output_end(&output, status, reterr);
}

static enum ct_status local_put(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr)
{
	char *path = path_of(objects, key);
	enum ct_status status;

	if (!path)
		return ct_fail_memory(reterr);
	if (make_folders(path))
		status = write_object(objects, path, descriptor, reterr);
	else
		status = ct_fail_errno(reterr, "making its folder");
	if (status == CT_OK && !sync_folder(dirname(path)))
		status = ct_fail_errno(reterr, "bringing its folder to the disk");
	free(path);
	return status;
}

static enum ct_status local_get(
	struct objects *objects, const char *key, int descriptor, struct ct_error *reterr)
{
	char *path = path_of(objects, key);
	int from = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	enum ct_status status;

	if (!path)
		return ct_fail_memory(reterr);
	if (from < 0)
		status = ct_fail_errno(reterr, "opening the file");
	else if (ftruncate(descriptor, 0) || lseek(descriptor, 0, SEEK_SET) < 0)
		status = ct_fail_errno(reterr, "emptying the file");
	else
		status = copy(from, descriptor, &objects->counts.nr_bytes_got, reterr);
	if (from >= 0)
		close(from);
	free(path);
	return status;
}

static enum ct_status local_remove(
	struct objects *objects, const char *key, struct ct_error *reterr)
{
	char *path = path_of(objects, key);
	enum ct_status status = path ? CT_OK : ct_fail_memory(reterr);

	if (path && unlink(path) && errno != ENOENT && errno != ENOTDIR)
		status = ct_fail_errno(reterr, "removing the file");
	free(path);
	return status;
}

/* ---------------------------------------------------------------- listing */

struct listed {
	char *key;
	uint64_t nr_bytes;
};

struct listing {
	struct objects *objects;
	const char *prefix, *after;
	VEC(struct listed) found;
	enum ct_status status;
	struct ct_error *reterr;
};

static bool is_finished(const char *name)
{
	size_t length = strlen(name), end = strlen(UNFINISHED);

	return length < end || strcmp(name + length - end, UNFINISHED) != 0;
}

/* May anything below the folder of this key begin with the prefix? */
static bool may_hold(const struct listing *listing, const char *key)
{
	size_t length = strlen(key), wanted = strlen(listing->prefix);

	return strncmp(key, listing->prefix, length < wanted ? length : wanted) == 0;
}

static void note(struct listing *listing, const char *key, uint64_t nr_bytes)
{
	struct listed found = {.nr_bytes = nr_bytes};

	if (strncmp(key, listing->prefix, strlen(listing->prefix)) != 0 ||
		strcmp(key, listing->after) <= 0 || !is_finished(key))
		return;
	found.key = strdup(key);
	if (found.key && vec_push(&listing->found, found))
		return;
	free(found.key);
	listing->status = ct_fail_memory(listing->reterr);
}

static void look_into(struct listing *listing, const char *within);

static void look_at(struct listing *listing, const char *within, const char *name)
{
	char *key, *path = NULL;
	struct stat status;

	if (asprintf(&key, "%s%s%s", within, *within ? "/" : "", name) < 0)
		key = NULL;
	else if (may_hold(listing, key))
		path = path_of(listing->objects, key);
	if (path && lstat(path, &status) == 0) {
		if (S_ISDIR(status.st_mode))
			look_into(listing, key);
		else if (S_ISREG(status.st_mode))
			note(listing, key, (uint64_t)status.st_size);
	}
	free(path);
	free(key);
}

static void look_into(struct listing *listing, const char *within)
{
	char *path = path_of(listing->objects, within);
	DIR *folder = path ? opendir(path) : NULL;
	struct dirent *entry;

	while (folder && listing->status == CT_OK && (entry = readdir(folder))) {
		if (strspn(entry->d_name, ".") < strlen(entry->d_name))
			look_at(listing, within, entry->d_name);
	}
	if (folder)
		closedir(folder);
	else if (path && errno != ENOENT)
		listing->status = ct_fail_errno(listing->reterr, "reading the folder");
	free(path);
}

static int compare_keys(const void *left, const void *right)
{
	return strcmp(((const struct listed *)left)->key, ((const struct listed *)right)->key);
}

static enum ct_status local_list(struct objects *objects, const char *prefix, const char *after,
	objects_visit *visit, void *context, struct ct_error *reterr)
{
	struct listing listing = {
		.objects = objects, .prefix = prefix, .after = after, .reterr = reterr};
	bool goes_on = true;
	size_t i;

	look_into(&listing, "");
	if (listing.found.count)
		qsort(listing.found.at, listing.found.count, sizeof(*listing.found.at),
			compare_keys);
	for (i = 0; i < listing.found.count; i++) {
		struct object object = {listing.found.at[i].key, listing.found.at[i].nr_bytes};

		goes_on = goes_on && listing.status == CT_OK && visit(context, &object);
		free(listing.found.at[i].key);
	}
	vec_fini(&listing.found);
	return listing.status;
}

/* ---------------------------------------------------------------- the kind */

static const struct objects_kind local_kind = {
	.close = local_close,
	.put = local_put,
	.get = local_get,
	.remove = local_remove,
	.list = local_list,
};

enum ct_status kind_new_folder(
	const char *folder, struct objects **ret_objects, struct ct_error *reterr)
{
	struct local *local = calloc(1, sizeof(*local));

	if (!local)
		return ct_fail_memory(reterr);
	local->base.kind = &local_kind;
	local->folder = strdup(folder);
	if (!local->folder) {
		free(local);
		return ct_fail_memory(reterr);
	}
	*ret_objects = &local->base;
	return CT_OK;
}
