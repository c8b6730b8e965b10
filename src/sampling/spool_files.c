/* SPDX-License-Identifier: MIT */
/*
 * A spool's own folder is DESTINATION-N in the folder that was given, where DESTINATION is the checksum of the place to
 * which windows go, and N the first number whose folder no process has locked.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "sampling/spool_files.h"
#include "store/store.h"

#define UNFINISHED ".partial"
#define LEFT ".left" /* of an unfinished window, while it is recovered */
#define NR_SPOOLS 64 /* processes with the same destination and folder */
#define GO_BEGINNING "go 1."

char *spool_file(const struct spool *spool, const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s/%s", spool->place, folder, name) < 0 ? NULL : path;
}

void spool_unlink(const struct spool *spool, const char *folder, const char *name)
{
	char *path = spool_file(spool, folder, name);

	if (path)
		unlink(path);
	free(path);
}

/* ---------------------------------------------------------------- folders */

/* Makes the folder and those that it is in. */
static bool make_folders(char *path)
{
	char *at = path;

	while ((at = strchr(at + 1, '/'))) {
		*at = '\0';
		if (mkdir(path, 0700) && errno != EEXIST)
			return false;
		*at = '/';
	}
	return mkdir(path, 0700) == 0 || errno == EEXIST;
}

static bool make_within(const char *place, const char *name)
{
	char *path;
	bool is_made;

	if (asprintf(&path, "%s/%s", place, name) < 0)
		return false;
	is_made = make_folders(path);
	free(path);
	return is_made;
}

/* Returns the locked folder; -1: another process has it (EWOULDBLOCK), or it cannot be opened. */
static int lock_folder(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB)) {
		close(descriptor);
		return -1;
	}
	return descriptor;
}

static bool sync_within(const struct spool *spool, const char *folder)
{
	char *path = spool_file(spool, folder, "");
	int descriptor = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool is_synced = descriptor >= 0 && fsync(descriptor) == 0;

	if (descriptor >= 0)
		close(descriptor);
	free(path);
	return is_synced;
}

static bool visit_names(
	const char *path, bool (*visit)(void *context, const char *name), void *context)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	bool goes_on = folder != NULL;

	while (goes_on && (entry = readdir(folder))) {
		if (entry->d_name[0] != '.')
			goes_on = visit(context, entry->d_name);
	}
	if (folder)
		closedir(folder);
	return goes_on;
}

bool spool_visit(
	struct spool *spool, const char *folder, bool (*visit)(void *spool, const char *name))
{
	char *path = spool_file(spool, folder, "");
	bool are_visited = path && visit_names(path, visit, spool);

	free(path);
	return are_visited;
}

/* ---------------------------------------------------------------- claims */

/* From the folder of another spool, whose lock we have, into ours. */
struct taking_over {
	struct spool *spool;
	const char *place;
	const char *folder;
};

static bool move_one(void *context, const char *name)
{
	struct taking_over *taking = context;
	char *from, *to = spool_file(taking->spool, taking->folder, name);

	if (asprintf(&from, "%s/%s/%s", taking->place, taking->folder, name) < 0)
		from = NULL;
	if (from && to)
		(void)!rename(from, to);
	free(from);
	free(to);
	return true;
}

static void take_over(struct spool *spool, const char *place)
{
	static const char *const folders[] = {SPOOL_MAKING, SPOOL_READY};
	int claim = lock_folder(place);
	char *path;
	size_t i;

	for (i = 0; claim >= 0 && i < 2; i++) {
		struct taking_over taking = {spool, place, folders[i]};

		if (asprintf(&path, "%s/%s", place, folders[i]) < 0)
			continue;
		visit_names(path, move_one, &taking);
		rmdir(path);
		free(path);
	}
	if (claim < 0)
		return;
	rmdir(place);
	close(claim);
}

/* The lock of a folder that was removed meanwhile is worth nothing. */
static bool has_claim(struct spool *spool)
{
	struct stat held, named;

	if (!make_folders(spool->place))
		return false;
	spool->claim = lock_folder(spool->place);
	if (spool->claim < 0)
		return false;
	if (fstat(spool->claim, &held) == 0 && stat(spool->place, &named) == 0 &&
		held.st_ino == named.st_ino && make_within(spool->place, SPOOL_MAKING) &&
		make_within(spool->place, SPOOL_READY))
		return true;
	close(spool->claim);
	spool->claim = -1;
	return false;
}

static char *place_of(const struct spool *spool, unsigned number)
{
	const char *destination = spool->options.destination;
	char *place;

	if (asprintf(&place, "%s/%08x-%u", spool->options.folder,
		    crc32c(0, destination, strlen(destination)), number) < 0)
		return NULL;
	return place;
}

enum ct_status spool_claim(struct spool *spool, struct ct_error *reterr)
{
	unsigned number, others;
	char *place;

	spool->claim = -1;
	for (number = 1; number <= NR_SPOOLS && spool->claim < 0; number++) {
		free(spool->place);
		spool->place = place_of(spool, number);
		if (!spool->place)
			return ct_fail_memory(reterr);
		errno = EWOULDBLOCK;
		if (!has_claim(spool) && errno != EWOULDBLOCK && errno != ENOENT)
			break;
	}
	if (spool->claim < 0)
		return ct_fail_errno(reterr, "making a spool in '%s'", spool->options.folder);
	for (others = 1; others <= NR_SPOOLS; others++) {
		place = place_of(spool, others);
		if (place && strcmp(place, spool->place) != 0)
			take_over(spool, place);
		free(place);
	}
	return CT_OK;
}

void spool_let_go(struct spool *spool)
{
	char *making = spool->place ? spool_file(spool, SPOOL_MAKING, "") : NULL;
	char *ready = spool->place ? spool_file(spool, SPOOL_READY, "") : NULL;

	if (spool->claim >= 0 && making && ready && rmdir(making) == 0 && rmdir(ready) == 0)
		rmdir(spool->place);
	if (spool->claim >= 0)
		close(spool->claim);
	free(making);
	free(ready);
	free(spool->place);
}

/* ---------------------------------------------------------------- windows */

static enum ct_status bring_to_disk(
	const char *path, uint64_t *ret_nr_bytes, struct ct_error *reterr)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	enum ct_status status = CT_OK;
	struct stat about;

	if (descriptor < 0)
		return ct_fail_errno(reterr, "opening the window '%s'", path);
	if (fsync(descriptor) || fstat(descriptor, &about))
		status = ct_fail_errno(reterr, "bringing the window '%s' to the disk", path);
	else
		*ret_nr_bytes = (uint64_t)about.st_size;
	close(descriptor);
	return status;
}

enum ct_status spool_finish(
	struct spool *spool, const char *name, uint64_t *ret_nr_bytes, struct ct_error *reterr)
{
	char *making = spool_file(spool, SPOOL_MAKING, name);
	char *ready = spool_file(spool, SPOOL_READY, name);
	enum ct_status status = making && ready ? CT_OK : ct_fail_memory(reterr);

	if (status == CT_OK)
		status = bring_to_disk(making, ret_nr_bytes, reterr);
	if (status == CT_OK && (rename(making, ready) || !sync_within(spool, SPOOL_READY)))
		status = ct_fail_errno(reterr, "keeping the window '%s'", ready);
	free(making);
	free(ready);
	return status;
}

static bool ends_with(const char *name, const char *end)
{
	size_t length = strlen(name), wanted = strlen(end);

	return length > wanted && strcmp(name + length - wanted, end) == 0;
}

static bool is_of_go(const char *path)
{
	char first[sizeof(GO_BEGINNING) - 1];
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	bool is_of_go = descriptor >= 0 &&
			read(descriptor, first, sizeof(first)) == (ssize_t)sizeof(first) &&
			memcmp(first, GO_BEGINNING, sizeof(first)) == 0;

	if (descriptor >= 0)
		close(descriptor);
	return is_of_go;
}

/* Every command reads a Go trace up to its last whole generation. */
static enum ct_status make_whole(const char *left, const char *whole)
{
	struct ct_part part;

	if (is_of_go(left))
		return rename(left, whole) ? CT_ERR_SYSTEM : CT_OK;
	return store_recover(left, 0, whole, &part, NULL);
}

/* What is recovered is written beside its name, which is the name of what was left: that gets another one first. */
static enum ct_status recover(struct spool *spool, const char *name, const char *whole)
{
	char *unfinished = spool_file(spool, SPOOL_MAKING, name), *left = NULL;
	enum ct_status status = CT_ERR_NO_MEMORY;

	if (unfinished && asprintf(&left, "%s" LEFT, whole) >= 0) {
		if (ends_with(name, UNFINISHED) && access(left, F_OK) != 0)
			rename(unfinished, left);
		status = make_whole(left, whole);
		unlink(left);
		unlink(unfinished);
	}
	free(left);
	free(unfinished);
	return status;
}

enum ct_status spool_recover(
	struct spool *spool, const char *name, char ret_whole[KEYS_BYTES], uint64_t *ret_nr_bytes)
{
	bool is_unfinished = ends_with(name, UNFINISHED) || ends_with(name, LEFT);
	char key[KEYS_BYTES], *whole;
	enum ct_status status = CT_OK;

	snprintf(ret_whole, KEYS_BYTES, "%s", name);
	if (is_unfinished && strlen(name) < KEYS_BYTES)
		*strrchr(ret_whole, '.') = '\0';
	whole = spool_file(spool, SPOOL_MAKING, ret_whole);
	if (!whole || !keys_deep(ret_whole, key)) {
		free(whole);
		spool_unlink(spool, SPOOL_MAKING, name);
		return CT_OK;
	}
	if (access(whole, F_OK) == 0 && is_unfinished)
		spool_unlink(spool, SPOOL_MAKING, name);
	else if (is_unfinished)
		status = recover(spool, name, whole);
	if (status == CT_OK)
		status = spool_finish(spool, ret_whole, ret_nr_bytes, NULL);
	free(whole);
	return status == CT_OK && is_unfinished ? CT_END : status;
}
